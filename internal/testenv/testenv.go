// Package testenv knows the machine that tests run on: how patient they have to be with it, and what a process there inherits.
// Only tests use it.
package testenv

import (
	"context"
	"flag"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// PatienceVariable multiplies all patience, for a machine that is busier later than when it was measured: ASSAY_PATIENCE=4.
const PatienceVariable = "ASSAY_PATIENCE"

// LongVariable has tests try everything that they can try, not merely what they always try: ASSAY_LONG=1. make hostile and make
// soak set it.
const LongVariable = "ASSAY_LONG"

// Long reports whether there is time for everything.
func Long() bool { return os.Getenv(LongVariable) != "" }

// usual is how long [work] takes on an idle machine of our CI.
const usual = 12 * time.Millisecond

// What is measured is not all that can happen: a machine that is idle now may be busy in a minute, and one that stands still
// for a moment is not a thousand times slower. Patience costs nothing where nothing fails.
const (
	leastFactor = 3
	mostFactor  = 30
)

// Patience stretches how long a test waits for something that must happen, by how slow this machine is. It takes what is
// plenty on an idle one. What must not happen is never waited for with it.
func Patience(onAnIdleMachine time.Duration) time.Duration {
	return time.Duration(float64(onAnIdleMachine) * factor())
}

// Soon is a context that ends when patience is over, or with the test.
func Soon(t testing.TB, onAnIdleMachine time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), Patience(onAnIdleMachine))
	t.Cleanup(cancel)
	return ctx
}

// Until waits for something that must happen, and fails the test when patience is over.
func Until(t testing.TB, what string, onAnIdleMachine time.Duration, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(Patience(onAnIdleMachine)); !happened(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// factor is measured once a process.
var factor = sync.OnceValue(func() float64 { return factorOf(measure(), os.Getenv(PatienceVariable)) })

func factorOf(took time.Duration, variable string) float64 {
	raised := 1.0
	if f, err := strconv.ParseFloat(variable, 64); err == nil && f > 0 && !math.IsInf(f, 0) {
		raised = f
	}
	return raised * min(max(leastFactor*float64(took)/float64(usual), leastFactor), mostFactor)
}

// measure is how long a fixed piece of work takes that is long enough to be interrupted by other processes, and that sleeps now
// and then, as waiting tests do. The race detector slows it down as it does the tests.
func measure() time.Duration {
	began := time.Now()
	memory := make([]uint64, 1<<12)
	x := uint64(88172645463325252)
	for range 8 {
		for range 1 << 17 {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			memory[x%uint64(len(memory))] += x
		}
		time.Sleep(100 * time.Microsecond)
	}
	return time.Since(began)
}

// Disinherit puts aside what tests, and programs that they start, would have inherited from whoever runs them.
//
// Programs inherit signals that are ignored, as under nohup or in the background of a shell, but not those that are caught. So
// ignored signals are caught here and dropped; programs that tests start get the default.
//
// Files can be read by all users: a plugin is started as another user where the tests are root's.
func Disinherit() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	syscall.Umask(0o022)
}

// Parallel has so many tests a processor run at the same time, for a package whose tests mostly wait. Who says -parallel has the
// last word: flags are read later. The flag does not count as set, which Ginkgo would complain about.
func Parallel(each int) {
	if err := flag.Lookup("test.parallel").Value.Set(strconv.Itoa(each * runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
}

// Draws sets how often rapid tries a property: n times, or 100 times with [LongVariable]. It is for packages in which one try is
// the whole life of a host. Failures are printed, not left in files. Flags have the last word, as with [Parallel].
func Draws(n int) {
	if Long() {
		n = 100
	}
	for name, value := range map[string]string{"rapid.checks": strconv.Itoa(n), "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}

// Mode is what becomes of the mode of a new file: the umask takes away from it.
func Mode(t testing.TB, mode os.FileMode) os.FileMode {
	t.Helper()
	name := filepath.Join(t.TempDir(), "new")
	if err := os.WriteFile(name, nil, mode); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}
