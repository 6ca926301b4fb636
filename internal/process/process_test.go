package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/openassay/assay/internal/process"
	"github.com/openassay/assay/internal/testenv"
)

func TestMain(m *testing.M) {
	testenv.Disinherit()
	goleak.VerifyTestMain(m)
}

// shell is a script of sh with generous limits.
func shell(script string) process.Command {
	return process.Command{
		Path: "/bin/sh", Args: []string{"-c", script}, Env: process.MinimalEnvironment(os.Environ()),
		Timeout: time.Minute, Grace: time.Minute, MaxStdout: 1 << 20, MaxStderr: 1 << 10,
	}
}

func TestHowItEnded(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*process.Command)
		script string
		want   process.Result
	}{
		{name: "well", script: "cat; echo done", want: process.Result{Stdout: []byte("asked\ndone\n")}},
		{name: "with a code", script: "echo why >&2; exit 78", want: process.Result{Stderr: []byte("why\n"), ExitCode: 78}},
		{name: "by a signal", script: "kill -9 $$", want: process.Result{ExitCode: -1, Signal: "killed"}},
		{name: "without reading", script: "echo early", want: process.Result{Stdout: []byte("early\n")}},
		{
			name: "with a lot unread", script: "echo early", change: func(c *process.Command) { c.Stdin = make([]byte, 1<<20) },
			want: process.Result{Stdout: []byte("early\n")},
		},
		{
			name: "saying too much", script: "while :; do echo yyyyyyyyyyyyyyyy; done", change: func(c *process.Command) { c.MaxStdout = 4 },
			want: process.Result{Stdout: []byte("yyyy"), Stopped: process.TooLong, ExitCode: -1, Signal: "killed"},
		},
		{
			name: "complaining too much", script: "echo 0123456789 >&2; echo ok", change: func(c *process.Command) { c.MaxStderr = 4 },
			want: process.Result{Stdout: []byte("ok\n"), Stderr: []byte("0123")},
		},
		{
			name: "late, by itself", script: "exec 2>/dev/null; trap 'echo bye; exit 3' TERM; while :; do sleep 0.01; done",
			change: func(c *process.Command) { c.Timeout = 200 * time.Millisecond },
			want:   process.Result{Stdout: []byte("bye\n"), Stopped: process.TimeUp, ExitCode: 3},
		},
		{
			name: "late, by force", script: "trap '' TERM; while :; do sleep 0.01; done",
			change: func(c *process.Command) { c.Timeout, c.Grace = 100*time.Millisecond, 50*time.Millisecond },
			want:   process.Result{Stopped: process.TimeUp, ExitCode: -1, Signal: "killed"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := shell(test.script)
			c.Stdin = []byte("asked\n")
			if test.change != nil {
				test.change(&c)
			}
			got, err := process.Run(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if got.Took <= 0 {
				t.Errorf("it took %v", got.Took)
			}
			if got.Stopped != process.TooLong && (got.StdoutBytes < int64(len(got.Stdout)) || got.StderrBytes < int64(len(got.Stderr))) {
				t.Errorf("it wrote %d and %d bytes", got.StdoutBytes, got.StderrBytes)
			}
			got.Took, got.Busy, got.StdoutBytes, got.StderrBytes = 0, 0, 0, 0
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A program is killed while it writes, and not before. One that writes nothing ends by itself.
func TestKilledWhileItWrites(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]process.Stop{
		"echo begun >$0/file; exec sleep 600": process.OnPurpose,
		"echo answer":                         process.NotStopped,
	} {
		c := shell(script)
		c.Writes = t.TempDir()
		c.Args, c.KillAfter = append(c.Args, c.Writes), time.Microsecond
		got, err := process.Run(t.Context(), c)
		if err != nil || got.Stopped != want {
			t.Errorf("%s: stopped %q, %v", script, got.Stopped, err)
		}
		if left, _ := os.ReadDir(c.Writes); len(left) != 1 && want == process.OnPurpose {
			t.Errorf("%s: it left %d files", script, len(left))
		}
	}
}

// Processes in a program's group end with it, and do not delay its answer.
func TestNobodyIsLeft(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pid")
	got, err := process.Run(t.Context(), shell("sleep 600 & echo $! >"+file+"; echo answer"))
	if err != nil || string(got.Stdout) != "answer\n" {
		t.Fatalf("answered %q, %v", got.Stdout, err)
	}
	if got.Took > 30*time.Second {
		t.Errorf("it took %v", got.Took)
	}
	gone(t, file)
}

func TestCancelledIsKilled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	c := shell("echo $$ >" + file + "; trap '' TERM; read line; while :; do sleep 0.01; done")
	c.Stdin = []byte("asked\n")
	started := 0
	c.Started = func() {
		started++
		cancel(why)
	}
	if _, err := process.Run(ctx, c); !errors.Is(err, why) {
		t.Errorf("ended with %v", err)
	}
	if started != 1 {
		t.Errorf("said to be started %d times", started)
	}
	if _, err := os.Stat(file); err == nil { // it may have been killed before it could write
		gone(t, file)
	}
	if _, err := process.Run(ctx, c); !errors.Is(err, why) || started != 1 {
		t.Errorf("a cancelled context starts a program: %v", err)
	}
}

// gone waits until the process of the file is gone: init has to collect a killed orphan.
func gone(t *testing.T, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(content)) == "" {
		return
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(testenv.Patience(10 * time.Second)); ; time.Sleep(5 * time.Millisecond) {
		if dead(pid) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// dead reports whether a process is gone, or dead and not collected.
func dead(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(after, "Z")
}

func TestCannotBeStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{plain, filepath.Join(dir, "missing")} {
		_, err := process.Run(t.Context(), process.Command{Path: path})
		if err == nil || !process.NotStarted(err) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Check and Run say why a program cannot be started, and how to repair that.
func TestExplain(t *testing.T) {
	dir := t.TempDir()
	script := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, err := range []error{os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o755), os.Mkdir(filepath.Join(dir, "own"), 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root := os.Geteuid() == 0
	for _, test := range []struct {
		path, want string
		after      bool // it is not seen before
		onlyRoot   bool
	}{
		{path: script("fine", "#!/bin/sh\n", 0o755)},
		{path: script("lost", "#!/no/such/sh -e\n", 0o755), want: `its first line names the interpreter "/no/such/sh", which is not there`},
		{path: script("returns", "#!/bin/sh\r\necho\r\n", 0o755), want: `the interpreter "/bin/sh\r"`},
		{path: script("headless", "echo\n", 0o755), want: "#!/usr/bin/env python3", after: true},
		{path: script("plain", "#!/bin/sh\n", 0o644), want: "chmod +x"},
		{path: filepath.Join(dir, "missing"), want: "check the command"},
		{path: script("mine", "#!/bin/sh\n", 0o750),
			want:     "who may not execute " + filepath.Join(dir, "mine") + ": chmod o+rx it, or run Assay as another user",
			onlyRoot: true},
		{path: script("unread", "#!/bin/sh\n", 0o751),
			want: "who may not read " + filepath.Join(dir, "unread") + ": chmod o+rx it", onlyRoot: true},
		{path: script("own/deep", "#!/bin/sh\n", 0o755),
			want: "who may not enter " + filepath.Join(dir, "own") + ": chmod o+x it", onlyRoot: true},
	} {
		want := test.want
		if test.onlyRoot && !root {
			want = ""
		}
		before := process.Check(test.path)
		_, failed := process.Run(t.Context(), process.Command{Path: test.path, AsNobody: true, Timeout: time.Minute})
		after := process.Explain(failed, test.path)
		for i, err := range []error{before, after} {
			switch {
			case want == "" && err != nil:
				t.Errorf("%s: %v", test.path, err)
			case test.after && i == 0, want == "", strings.HasSuffix(test.path, "unread") && i == 1: // it starts, and then its shell fails
			case err == nil || !strings.Contains(err.Error(), want):
				t.Errorf("%s: %v", test.path, err)
			}
		}
		if failed != nil && !process.NotStarted(after) {
			t.Errorf("%s: it counts as started: %v", test.path, after)
		}
	}
	if root {
		if err := process.Check("/bin/sh", filepath.Join(dir, "own")); err == nil || !strings.Contains(err.Error(), "may not enter") {
			t.Errorf("a folder that is needed: %v", err)
		}
	}
}

func TestAsNobody(t *testing.T) {
	c := shell("id -u; id -G; touch /etc/assay-test 2>/dev/null || echo refused")
	c.AsNobody = true
	got, err := process.Run(t.Context(), c)
	want := "65534\n65534\nrefused\n"
	if os.Geteuid() != 0 {
		want = string(got.Stdout)
	}
	if err != nil || string(got.Stdout) != want {
		t.Errorf("it says %q, %v", got.Stdout, err)
	}
}

func TestMinimalEnvironment(t *testing.T) {
	got := process.MinimalEnvironment([]string{"PATH=/bin", "LC_ALL=C", "SECRET=x", "OPENAI_API_KEY=y", "PATHS=z", "odd"}, "OPENAI_API_KEY")
	if diff := cmp.Diff([]string{"PATH=/bin", "LC_ALL=C", "OPENAI_API_KEY=y"}, got); diff != "" {
		t.Error(diff)
	}
	c := shell("echo $SECRET$HOME")
	c.Env = nil
	if ended, err := process.Run(t.Context(), c); err != nil || string(ended.Stdout) != "\n" {
		t.Errorf("without an environment the program sees %q, %v", ended.Stdout, err)
	}
}
