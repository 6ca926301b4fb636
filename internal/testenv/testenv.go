// Package testenv adapts tests to the machine that they run on: to its speed, and to what its processes inherit. Only
// tests use it.
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

// PatienceVariable is the environment variable that multiplies all patience, for a machine that gets busier:
// ASSAY_PATIENCE=4.
const PatienceVariable = "ASSAY_PATIENCE"

// LongVariable is the environment variable that makes tests try everything they can: ASSAY_LONG=1. make hostile and
// make soak set it.
const LongVariable = "ASSAY_LONG"

// Long reports whether [LongVariable] is set.
func Long() bool { return os.Getenv(LongVariable) != "" }

// usual is the result of [measure] on an idle machine of our CI.
const usual = 12 * time.Millisecond

// The measurement is bounded: an idle machine may get busy, and one that stalls for a moment is not a thousand times
// slower. Patience costs nothing unless a test fails.
const (
	leastFactor = 3
	mostFactor  = 30
)

// Patience returns how long a test waits on this machine for something that must happen, given a generous time for an
// idle one. Do not use it to wait for something that must not happen.
func Patience(onAnIdleMachine time.Duration) time.Duration {
	return time.Duration(float64(onAnIdleMachine) * factor())
}

// Soon returns a context that ends when [Patience] is over, or with the test.
func Soon(t testing.TB, onAnIdleMachine time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), Patience(onAnIdleMachine))
	t.Cleanup(cancel)
	return ctx
}

// Until waits for something that must happen, and fails the test when [Patience] is over.
func Until(t testing.TB, what string, onAnIdleMachine time.Duration, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(Patience(onAnIdleMachine)); !happened(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// factor returns the factor of patience. It is measured once.
var factor = sync.OnceValue(func() float64 { return factorOf(measure(), os.Getenv(PatienceVariable)) })

func factorOf(took time.Duration, variable string) float64 {
	raised := 1.0
	if f, err := strconv.ParseFloat(variable, 64); err == nil && f > 0 && !math.IsInf(f, 0) {
		raised = f
	}
	return raised * min(max(leastFactor*float64(took)/float64(usual), leastFactor), mostFactor)
}

// measure returns the time that a fixed piece of work takes. It is long enough to be interrupted by other processes,
// and sleeps now and then, as tests do. The race detector slows it down like tests.
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

// Disinherit resets what tests, and programs that they start, inherit.
//
// Programs inherit ignored signals, as under nohup or in the background of a shell, but not caught ones. So it catches
// ignored signals and drops them.
//
// It sets the umask so that all users can read new files: tests run as root start plugins as another user.
func Disinherit() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	syscall.Umask(0o022)
}

// Parallel sets the number of tests that run in parallel for each processor, for a package whose tests mostly wait. The
// flag -parallel overrides it, since flags are parsed later. The flag does not count as set, which Ginkgo would reject.
func Parallel(each int) {
	if err := flag.Lookup("test.parallel").Value.Set(strconv.Itoa(each * runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
}

// Draws sets how often rapid tries a property: n times, or 100 times with [LongVariable]. It is for packages whose
// tries are slow. Failures are printed, not written to files. Flags override it, as with [Parallel].
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

// Mode returns the mode of a new file under the umask.
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
