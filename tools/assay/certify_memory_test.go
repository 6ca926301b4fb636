package main

import (
	"runtime/debug"
	"testing"
)

// heap is what the collector goes by.
func heap() (growth int, limit int64) {
	growth = debug.SetGCPercent(-1)
	debug.SetGCPercent(growth)
	return growth, debug.SetMemoryLimit(-1)
}

func TestMemoryIsBoundedWhileATargetIsTalkedTo(t *testing.T) {
	for _, c := range []struct {
		gogc, limit string
		bounds      bool
	}{{"", "", true}, {"50", "64MiB", false}} {
		t.Setenv("GOGC", c.gogc)
		t.Setenv("GOMEMLIMIT", c.limit)
		growth, limit := heap()
		undo := bounded()
		within, most := heap()
		undo()
		if set := within == heapGrowth && most == mostMemory; set != c.bounds {
			t.Errorf("GOGC=%q GOMEMLIMIT=%q: the heap grows by %d percent, to %d bytes", c.gogc, c.limit, within, most)
		}
		if after, bound := heap(); after != growth || bound != limit {
			t.Errorf("afterwards the heap grows by %d percent, to %d bytes, want %d and %d", after, bound, growth, limit)
		}
	}
}
