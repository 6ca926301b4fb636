package main

import (
	"bufio"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

// Whoever is interrupted, once or twice, in order or in a hurry, leaves no process and no temporary folder behind: plugins
// have sessions of their own, and hear nothing of a signal that is sent to us.
func TestInterruptedLeavesNothing(t *testing.T) {
	const stubborn = "#!/bin/sh\ntrap '' TERM INT HUP\n(trap '' TERM INT HUP; while :; do sleep 1; done) &\necho $$ $! " +
		">>PIDS\ncat >/dev/null\nwhile :; do sleep 1; done\n"
	for _, test := range []struct {
		name    string
		signals []syscall.Signal
	}{
		{"once", []syscall.Signal{syscall.SIGINT}},
		{"twice SIGINT", []syscall.Signal{syscall.SIGINT, syscall.SIGINT}},
		{"twice SIGTERM", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}},
		{"the terminal is closed", []syscall.Signal{syscall.SIGHUP}},
		{"thrice", []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGTERM}},
	} {
		for _, command := range []string{"certify", "gateway"} {
			t.Run(command+" "+test.name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				pids, tmp, plugin := filepath.Join(dir, "pids"), filepath.Join(dir, "tmp"), filepath.Join(dir, "plugin")
				err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o777), os.Mkdir(tmp, 0o755), os.Mkdir(plugin, 0o755),
					os.WriteFile(filepath.Join(dir, "p.yaml"), []byte("pipelines: []\n"), 0o644),
					os.WriteFile(filepath.Join(plugin, "manifest.yaml"),
						[]byte("name: agentic-loop\nversion: 1.0.0\nprotocol: 2\nentrypoint: run.sh\ncommands: [handle]\n"), 0o644),
					os.WriteFile(filepath.Join(plugin, "run.sh"), []byte(strings.ReplaceAll(stubborn, "PIDS", pids)), 0o755))
				if err != nil {
					t.Fatal(err)
				}
				args := []string{"certify", plugin, "--patience", "60s"}
				if command == "gateway" {
					args = []string{"gateway", "run", "--pipelines", filepath.Join(dir, "p.yaml"), "--plugin", plugin, "--start", `{"goal":"g"}`,
						"--workspaces", filepath.Join(tmp, "w")}
				}
				p := runWith(t, []string{"TMPDIR=" + tmp}, args...)
				eventually(t, pids)
				for _, s := range test.signals {
					if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
						t.Fatal(err)
					}
				}
				if _, code := p.ended(t); code != scenarios.ExitInterrupted {
					t.Errorf("exit code %d, stderr %q", code, p.errs)
				}
				written, err := os.ReadFile(pids)
				if err != nil {
					t.Fatal(err)
				}
				for word := range strings.FieldsSeq(string(written)) {
					if stillRuns(word) { // at once: whoever waits for the command need not wait for more
						t.Errorf("process %s is left", word)
					}
				}
				if command == "gateway" { // the workspaces are asked for, and stay; what is half a workspace does not
					tmp = filepath.Join(tmp, "w")
				}
				entries, err := os.ReadDir(tmp)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range entries {
					if strings.Contains(e.Name(), "assay-") || strings.HasPrefix(e.Name(), ".") {
						t.Errorf("%s is left", e.Name())
					}
				}
			})
		}
	}
}

// stillRuns says whether a process is there, and not merely waiting to be buried.
func stillRuns(pid string) bool {
	n := 0
	for _, digit := range pid {
		n = 10*n + int(digit-'0')
	}
	if syscall.Kill(n, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	_, after, _ := strings.Cut(string(stat), ") ")
	return err != nil || !strings.HasPrefix(after, "Z")
}

// Who interrupts a challenge finds what is known, and nothing that is certified.
func TestInterruptedChallenge(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	cmd := exec.Command(self)
	cmd.Args = []string{"assay", "certify", "simhost", "--out", out} // TestMain looks at the name
	errs, err := cmd.StderrPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() }) // too late for one that has ended, which does not matter
	for lines := bufio.NewScanner(errs); lines.Scan(); {
		if lines.Text() == "challenging its passes" {
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd.Wait() // its exit code is looked at
	doc, err := reports.Load(out)
	if code := cmd.ProcessState.ExitCode(); err != nil || code != scenarios.ExitInterrupted || doc.ExitCode != scenarios.ExitInterrupted {
		t.Fatalf("exit code %d, and %d in results.json (%v)", code, doc.ExitCode, err)
	}
	if doc.Sensitivity != nil || len(doc.Profiles) > 0 || doc.Partial == nil || doc.Totals.Passed == 0 || doc.Totals.Inconclusive > 0 {
		t.Errorf("%+v, profiles %v, part %+v, %+v", doc.Sensitivity, doc.Profiles, doc.Partial, doc.Totals)
	}
	page, err := os.ReadFile(filepath.Join(out, reports.ReportName))
	if err != nil || !strings.Contains(string(page), "Interrupted before all passes were challenged, so none is shown able to fail") {
		t.Errorf("the page does not say that the challenge was cut (%v)", err)
	}
}

// Who interrupts a host being asked again hears of the bundle, and with the exit code of who was interrupted.
func TestInterruptedLive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bundle := filepath.Join(dir, "evidence.tar.gz")
	made := run(t, "certify", "simhost", "--suite", "discovery,errors", "--bundle", bundle, "--out", filepath.Join(dir, "out"))
	if _, code := made.ended(t); code != scenarios.ExitProved {
		t.Fatalf("exit code %d: %s", code, made.errs)
	}
	asked, over := make(chan struct{}), make(chan struct{})
	var once sync.Once
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		once.Do(func() { close(asked) })
		<-over
	}))
	t.Cleanup(silent.Close)
	t.Cleanup(func() { close(over) })
	p := run(t, "verify", bundle, "--live", silent.URL, "--live-key", "k")
	<-asked
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	said, code := p.ended(t)
	if code != scenarios.ExitInterrupted || !strings.Contains(said, "honest: ") || !strings.Contains(said, "it was interrupted (exit 130)") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, said, p.errs)
	}
}
