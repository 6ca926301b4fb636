package register_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/register"
)

var (
	at   = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	plan = results.RegisteredPlan{Target: "https://host.example", Seed: "7", Assay: "v1", Binary: strings.Repeat("a", 64)}
)

// Certifications that run at the same time share a register: each finds its plan and its end there.
func TestManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "register.ndjson")
	var all sync.WaitGroup
	for code := range 8 {
		all.Go(func() {
			for range 4 {
				of, err := register.Begin(path, at, plan)
				if err == nil {
					err = register.End(path, at, of, code, "")
				}
				if err != nil {
					t.Error(err)
					return
				}
				r, err := register.Read(path)
				if err != nil {
					t.Error(err)
					return
				}
				if end := r.Ended(of.Number); r.Plan(of) == nil || end == nil || end.ExitCode != int64(code) {
					t.Errorf("line %d: plan %v, end %v", of.Number, r.Plan(of), end)
				}
			}
		})
	}
	all.Wait()
	if r, err := register.Read(path); err != nil || len(r.Lines) != 64 {
		t.Errorf("%v, %v", r, err)
	}
}

// Whatever is changed in a register, but for taking lines off its end, is told, and nothing is added to it then.
func TestAChangedRegisterIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "register.ndjson")
	for range 5 {
		if _, err := register.Begin(path, at, plan); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))[:5]
	rapid.Check(t, func(t *rapid.T) {
		changed := bytes.Clone(whole)
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0: // a byte of any line but the last, whose digest no other line has
			i := rapid.IntRange(0, len(whole)-len(lines[4])-1).Draw(t, "byte")
			changed[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case 1: // a line is taken out
			i := rapid.IntRange(0, 3).Draw(t, "line")
			changed = bytes.Replace(whole, lines[i], nil, 1)
		case 2: // two lines change places
			i := rapid.IntRange(0, 3).Draw(t, "line")
			swapped := append([][]byte{}, lines...)
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			changed = bytes.Join(swapped, nil)
		case 3: // it is cut within a line
			cut := rapid.IntRange(1, len(whole)-1).Filter(func(n int) bool { return whole[n-1] != '\n' }).Draw(t, "cut")
			changed = whole[:cut]
		}
		other := filepath.Join(filepath.Dir(path), "changed.ndjson")
		if err := os.WriteFile(other, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := register.Read(other); err == nil {
			t.Errorf("it was read:\n%s", changed)
		}
		if _, err := register.Begin(other, at, plan); err == nil {
			t.Error("a line was added to it")
		}
		if after, err := os.ReadFile(other); err != nil || !bytes.Equal(after, changed) {
			t.Error("it was changed")
		}
	})
}
