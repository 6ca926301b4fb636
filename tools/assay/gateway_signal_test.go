package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
)

// A gateway that is stopped in the middle of a turn, in order or not, goes on with that turn when it is started again on the
// same log. Stopped in order, it leaves no process behind.
func TestGatewayGoesOn(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			dir := t.TempDir()
			if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o777)); err != nil { // the plugin may be another user's
				t.Fatal(err)
			}
			write := func(name, content string, mode os.FileMode) {
				t.Helper()
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), mode); err != nil {
					t.Fatal(err)
				}
			}
			write("p.yaml", "pipelines: []\n", 0o644)
			write("agent/manifest.yaml", "name: agentic-loop\nversion: 1.0.0\nprotocol: 2\nentrypoint: run.sh\ncommands: [handle]\n", 0o644)
			// It waits for the file go, but not for ever: a gateway that is killed cannot take it along.
			write("agent/run.sh", "#!/bin/sh\ncat >/dev/null\necho $$ >>"+dir+"/pids\nn=0\n"+
				"while [ ! -e "+dir+"/go ] && [ $n -lt 1000 ]; do sleep 0.05; n=$((n+1)); done\n"+
				`echo '{"status":"ok","result":"done","events":[{"type":"agent.completed","payload":{"run_id":"R","goal":"g","outcome":"it went on","steps_taken":1}}]}'`+"\n", 0o755)
			flags := []string{"gateway", "run", "--pipelines", filepath.Join(dir, "p.yaml"), "--plugin", filepath.Join(dir, "agent"),
				"--data", filepath.Join(dir, "data")}

			p := run(t, append(flags, "--start", `{"goal":"g"}`)...)
			pids := eventually(t, filepath.Join(dir, "pids"))
			if err := p.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_, code := p.ended(t)
			if signal == syscall.SIGKILL {
				write("go", "", 0o644) // so that the plugin ends by itself
			} else if code != 130 || !strings.Contains(p.errs.String(), "interrupted; the job under way is run again by") {
				t.Errorf("exit code %d, stderr %q", code, p.errs)
			}
			ended(t, pids)

			write("go", "", 0o644)
			p = run(t, flags...)
			out, code := p.ended(t)
			if code != 0 || !strings.Contains(out, "it is queued again") || !strings.Contains(out, "(attempt 2)") || !strings.Contains(out,
				"it went on") {
				t.Errorf("exit code %d, stderr %q\n%s", code, p.errs, out)
			}
			p = run(t, flags...)
			if _, code := p.ended(t); code != 2 || !strings.Contains(p.errs.String(), "nothing to do") {
				t.Errorf("exit code %d, stderr %q", code, p.errs)
			}
		})
	}
}

// eventually is what a file holds once it holds a line.
func eventually(t *testing.T, path string) string {
	t.Helper()
	for deadline := time.Now().Add(testenv.Patience(30 * time.Second)); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if content, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(content), "\n") {
			return string(content)
		}
	}
	t.Fatalf("%s was never written", path)
	return ""
}

// ended waits until processes have ended; one that is dead and was not collected yet has.
func ended(t *testing.T, pids string) {
	t.Helper()
	for word := range strings.FieldsSeq(pids) {
		for deadline := time.Now().Add(testenv.Patience(30 * time.Second)); stillRuns(word); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %s is left", word)
			}
		}
	}
}
