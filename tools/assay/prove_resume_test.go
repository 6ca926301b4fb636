package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/prove"
)

// proofs is a proof of a second: an honest host and six faults, one after the other.
var proofs = []string{"prove", "--fault", "loop.iteration*,loop.held*,loop.last*,loop.counter*",
	"--suite", "iteration-monotonic,stateful-resume", "--at-once", "1"}

// However a proof ends before its time, it is gone on with, and comes to the same bytes; and it is not taken for a whole one.
func TestAnInterruptedProofIsGoneOnWith(t *testing.T) {
	whole := wholeProof(t)
	for _, end := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(end.String(), func(t *testing.T) {
			t.Parallel()
			dir := interrupted(t, end)
			if _, err := os.Stat(filepath.Join(dir, prove.JSONName(scenarios.Quick))); err == nil {
				t.Error("there is a whole matrix")
			}
			p := run(t, "prove", "merge", dir, "--out", t.TempDir())
			if _, code := p.ended(t); code != exitFailed || !strings.Contains(p.errs.String(), "hosts are not done") {
				t.Errorf("merge: exit code %d, stderr %q", code, p.errs)
			}
			if got := proved(t, dir, "--resume"); !bytes.Equal(got, whole) {
				t.Errorf("it came to another matrix:\n%s", got)
			}
			if _, err := os.Stat(filepath.Join(dir, prove.PartName)); err == nil {
				t.Error("the part is left")
			}
		})
	}
}

// interrupted is the folder of a proof that a signal ended when a third of the hosts were done. Where this very test was kept
// from running so long that the proof went through, there is another one.
func interrupted(t *testing.T, end syscall.Signal) string {
	t.Helper()
	for range 5 {
		dir := t.TempDir()
		p := run(t, append(proofs[:len(proofs):len(proofs)], "--out", dir)...)
		awaitLines(t, dir, 1+3) // the head, and three hosts
		if err := p.cmd.Process.Signal(end); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		_, code := p.ended(t)
		if code == 0 {
			continue
		}
		if end != syscall.SIGKILL && (code != scenarios.ExitInterrupted || !strings.Contains(p.errs.String(),
			"assay prove --resume goes on from there")) {
			t.Errorf("exit code %d, stderr %q", code, p.errs)
		}
		return dir
	}
	t.Fatal("no proof could be interrupted")
	return ""
}

// Two shards make the whole, byte for byte.
func TestShardsAreMerged(t *testing.T) {
	t.Parallel()
	whole := wholeProof(t)
	one, two, out := t.TempDir(), t.TempDir(), t.TempDir()
	for shard, dir := range map[string]string{"1/2": one, "2/2": two} {
		p := run(t, append(proofs[:len(proofs):len(proofs)], "--shard", shard, "--out", dir)...)
		if said, code := p.ended(t); code != 0 || !strings.Contains(said, "shard "+shard+" is done") {
			t.Fatalf("shard %s: exit code %d, %q, stderr %q", shard, code, said, p.errs)
		}
	}
	p := run(t, "prove", "merge", one, two, "--out", out)
	if _, code := p.ended(t); code != 0 {
		t.Fatalf("merge: exit code %d, stderr %q", code, p.errs)
	}
	if got := matrixIn(t, out); !bytes.Equal(got, whole) {
		t.Errorf("the shards came to another matrix:\n%s", got)
	}
}

// wholeProof is the matrix of a proof that nothing interrupts, which is made once.
func wholeProof(t *testing.T) []byte {
	t.Helper()
	uninterrupted.Do(func() { uninterrupted.matrix = proved(t, t.TempDir()) })
	if uninterrupted.matrix == nil {
		t.Fatal("there is no whole proof")
	}
	return uninterrupted.matrix
}

var uninterrupted struct {
	sync.Once
	matrix []byte
}

// proved is the matrix of a proof that goes through.
func proved(t *testing.T, dir string, more ...string) []byte {
	t.Helper()
	p := run(t, append(append(proofs[:len(proofs):len(proofs)], "--out", dir), more...)...)
	if said, code := p.ended(t); code != 0 {
		t.Fatalf("exit code %d, %q, stderr %q", code, said, p.errs)
	}
	return matrixIn(t, dir)
}

func matrixIn(t *testing.T, dir string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, prove.JSONName(scenarios.Quick)))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// awaitLines waits until a part has so many lines, or is gone since the matrix is whole.
func awaitLines(t *testing.T, dir string, n int) {
	t.Helper()
	for deadline := time.Now().Add(testenv.Patience(20 * time.Second)); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		raw, err := os.ReadFile(filepath.Join(dir, prove.PartName))
		if err == nil && bytes.Count(raw, []byte("\n")) >= n {
			return
		}
		if _, err := os.Stat(filepath.Join(dir, prove.JSONName(scenarios.Quick))); err == nil {
			return
		}
	}
	t.Fatalf("%s never had %d lines", prove.PartName, n)
}
