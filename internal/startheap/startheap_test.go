package startheap

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// A pace set by somebody else stays.
func TestSettle(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(300))
	settle(100)
	if percent := debug.SetGCPercent(300); percent != 300 {
		t.Errorf("collections come at %d percent, want 300", percent)
	}
}

// The first collection restores the usual pace.
func TestFirstCollection(t *testing.T) {
	if os.Getenv("GOGC") != "" {
		t.Skip("GOGC is set, so nothing was changed")
	}
	runtime.GC()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		percent := debug.SetGCPercent(100)
		if percent == 100 {
			return
		}
		debug.SetGCPercent(percent)
		if time.Now().After(deadline) {
			t.Fatalf("the next collection comes at %d percent, want 100", percent)
		}
	}
}
