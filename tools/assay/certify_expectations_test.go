package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/assay/internal/expectations"
)

// Who interrupts a run that was to write the list anew finds it as it was.
func TestInterruptedLeavesTheExpectations(t *testing.T) {
	t.Parallel()
	const list = "expectations:\n  - scenario: agenticloop/protocol/start-without-goal\n    actual: x\n    reason: r\n    " +
		"issue: https://acme.test/7\n"
	dir := t.TempDir()
	started, plugin, config := filepath.Join(dir, "started"), filepath.Join(dir, "plugin"), filepath.Join(dir, "assay.yaml")
	err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o777), os.Mkdir(plugin, 0o755),
		os.WriteFile(config, []byte(list), 0o600),
		os.WriteFile(filepath.Join(plugin, "manifest.yaml"),
			[]byte("name: agentic-loop\nversion: 1.0.0\nprotocol: 2\nentrypoint: run.sh\ncommands: [handle]\n"), 0o644),
		os.WriteFile(filepath.Join(plugin, "run.sh"), []byte("#!/bin/sh\necho $$ >>"+started+"\nexec sleep 60\n"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	p := runWith(t, nil, "certify", plugin, "--patience", "60s", "--config", config, "--update-expectations", "--out",
		filepath.Join(dir, "out"))
	eventually(t, started)
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if _, code := p.ended(t); code != scenarios.ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if got, err := os.ReadFile(config); err != nil || string(got) != list {
		t.Errorf("the file is %q (%v)", got, err)
	}
	if said := p.errs.String(); !strings.Contains(said, "interrupted: "+config+" stays as it is") {
		t.Errorf("it says %q", said)
	}
	// It is a part, whatever had ended by then.
	doc, err := reports.Load(filepath.Join(dir, "out"))
	if err != nil || doc.Partial == nil || doc.Partial.Asked >= doc.Partial.Of || len(doc.Profiles) > 0 {
		t.Errorf("of an interrupted run: part %+v, profiles %v (%v)", doc.Partial, doc.Profiles, err)
	}
}

// The file is replaced in one step, keeps its mode and where it lies, and is left alone when somebody else has written it.
func TestTheListIsWrittenAsAWhole(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "link.yaml")
	if err := errors.Join(os.WriteFile(file, []byte("old\n"), 0o640), os.Chmod(file, 0o640), os.Symlink("real.yaml", link)); err != nil {
		t.Fatal(err)
	}
	e := expected{list: &expectations.List{File: link}, content: []byte("old\n"), there: true}
	if err := e.write([]byte("new\n")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if got, _ := os.ReadFile(file); err != nil || string(got) != "new\n" || info.Mode().Perm() != 0o640 {
		t.Errorf("%q, %v, %v", got, info, err)
	}
	if target, err := os.Readlink(link); err != nil || target != "real.yaml" {
		t.Errorf("the link leads to %q (%v)", target, err)
	}
	if err := e.write([]byte("newer\n")); err == nil || !strings.Contains(err.Error(), "it was changed while the target was certified") {
		t.Errorf("what somebody else wrote is replaced: %v", err)
	}
	e.there, e.content = false, nil
	if err := e.write([]byte("newer\n")); err == nil {
		t.Error("a file that was made meanwhile is replaced")
	}
	if got, _ := os.ReadFile(file); string(got) != "new\n" {
		t.Errorf("%q", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%v is left (%v)", entries, err)
	}
}
