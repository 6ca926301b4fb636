package process_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/openassay/assay/internal/process"
	"github.com/openassay/assay/internal/testenv"
)

// escaped is a shell command that leaves a daemon behind: in a session of its own, without parent, environment, home
// and open files. When it is over, FILE holds the daemon's pid.
const escaped = `setsid sh -c 'cd /; ` +
	`env -i sh -c "echo \$\$ >FILE.new; mv FILE.new FILE; exec sleep 61" >/dev/null 2>&1 </dev/null & ' & ` +
	`while ! test -e FILE; do sleep 0.01; done; `

func leaves(t *testing.T, file, then string) process.Command {
	t.Helper()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("there is no setsid here")
	}
	return shell(strings.ReplaceAll(escaped+then, "FILE", file))
}

// buried fails if a child of ours has ended and was not waited for.
func buried(t *testing.T) {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "ppid=,stat=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == strconv.Itoa(os.Getpid()) && fields[1][0] == 'Z' {
			t.Errorf("it was not buried: %s", line)
		}
	}
}

func TestDaemonsAreFound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	got, err := process.Run(t.Context(), leaves(t, file, "echo answer"))
	if err != nil || string(got.Stdout) != "answer\n" {
		t.Fatalf("answered %q, %v", got.Stdout, err)
	}
	if !slices.Contains(got.Survivors, "sleep") {
		t.Errorf("survivors are %q", got.Survivors)
	}
	gone(t, file)
	buried(t)
}

// Of two running programs, neither kills what the other left: a daemon without a mark is left to the one that ends
// last.
func TestDaemonsOfOthersAreLeft(t *testing.T) {
	dir := t.TempDir()
	first, second, release := filepath.Join(dir, "first"), filepath.Join(dir, "second"), filepath.Join(dir, "release")
	long := leaves(t, second, "while ! test -e "+release+"; do sleep 0.01; done; kill -0 $(cat "+second+") && echo there")
	ended := make(chan process.Result)
	go func() {
		r, err := process.Run(t.Context(), long)
		if err != nil {
			t.Error(err)
		}
		ended <- r
	}()
	for deadline := time.Now().Add(testenv.Patience(20 * time.Second)); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(second); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it does not begin")
		}
	}
	r, err := process.Run(t.Context(), leaves(t, first, "true"))
	if err != nil || len(r.Survivors) > 0 {
		t.Errorf("it was blamed for %q, %v", r.Survivors, err)
	}
	if err := os.WriteFile(release, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r = <-ended
	if string(r.Stdout) != "there\n" {
		t.Errorf("its daemon was taken from it: %q %q", r.Stdout, r.Stderr)
	}
	if !slices.Equal(r.Survivors, []string{"sleep", "sleep"}) {
		t.Errorf("survivors are %q", r.Survivors)
	}
	gone(t, first)
	gone(t, second)
	buried(t)
}

// A process with the home of a program belongs to that program, even if others run.
func TestDaemonsWithAMark(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "pid")
	hold, release := make(chan struct{}), filepath.Join(dir, "release")
	var other sync.WaitGroup
	other.Go(func() {
		c := shell("read go; while ! test -e " + release + "; do sleep 0.01; done")
		c.Stdin, c.Started = []byte("go\n"), func() { close(hold) }
		if _, err := process.Run(t.Context(), c); err != nil {
			t.Error(err)
		}
	})
	<-hold
	c := shell(strings.ReplaceAll(`setsid sh -c 'echo $$ >FILE; exec sleep 61' >/dev/null 2>&1 & while ! test -s FILE; do sleep 0.01; done`,
		"FILE", file))
	c.Home, c.Env = dir, append(c.Env, "MARK="+dir+"/")
	r, err := process.Run(t.Context(), c)
	if err != nil || !slices.Equal(r.Survivors, []string{"sleep"}) {
		t.Errorf("survivors are %q, %v", r.Survivors, err)
	}
	gone(t, file)
	if err := os.WriteFile(release, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other.Wait()
}

// Processes that this one starts by other means are not orphans.
func TestOwnChildrenAreLeft(t *testing.T) {
	for _, session := range []bool{false, true} {
		cmd := exec.Command("sleep", "61")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond) // two ticks: a process is as old as its tick
		file := filepath.Join(t.TempDir(), "pid")
		if r, err := process.Run(t.Context(), leaves(t, file, "true")); err != nil || len(r.Survivors) != 1 {
			t.Errorf("survivors are %q, %v", r.Survivors, err)
		}
		if dead(cmd.Process.Pid) {
			t.Errorf("it was killed (in a session of its own: %v)", session)
		}
		_ = cmd.Process.Kill()
		if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
			t.Errorf("it ended with %v", err)
		}
	}
}
