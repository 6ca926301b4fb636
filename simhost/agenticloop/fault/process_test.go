package fault_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/agenticloop/fault"
)

// What a fault does outside of its answers is to call a program: it is on the path here, and leaves its name.
func TestEveryFaultOfAProcessShows(t *testing.T) {
	dir := t.TempDir()
	called := filepath.Join(dir, "called")
	for _, name := range []string{"ductile", "sleep"} {
		script := "#!/bin/sh\necho \"$0 $*\" >>'" + called + "'\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	for _, f := range fault.All() {
		if !f.Process {
			continue
		}
		t.Run(f.ID, func(t *testing.T) {
			told(t, stories[0], f.ID)
			for end := time.Now().Add(testenv.Patience(10 * time.Second)); ; time.Sleep(time.Millisecond) {
				if os.Remove(called) == nil {
					return
				}
				if time.Now().After(end) {
					t.Fatal("no program was called")
				}
			}
		})
	}
}
