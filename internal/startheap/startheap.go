// Package startheap delays the first garbage collection of a program until its heap has 16 MB; later collections come
// as usual. What our libraries allocate at start, and what a command like assay list adds, is live until the command
// ends. Marking it two or three times took over a quarter of the processor time of such commands.
//
// Import it for its effect. Go initialises packages in the order of their import paths where it can, so this one comes
// before those of github.com/santhosh-tekuri, which compile JSON Schemas and allocate the most.
package startheap

import (
	"os"
	"runtime"
	"runtime/debug"
)

// first is the heap size of the first collection, in percent of Go's minimum of 4 MB.
const first = 400

func init() {
	// Nothing reads a heap profile of the program, and samples cost stack traces. A test or a debugger can set the rate
	// again.
	runtime.MemProfileRate = 0
	if os.Getenv("GOGC") != "" {
		return // the operator knows better
	}
	usual := debug.SetGCPercent(first)
	collected := new(*byte) // garbage from now on
	runtime.AddCleanup(collected, settle, usual)
}

// settle restores the usual pace of collections, unless somebody else has set another.
func settle(usual int) {
	if now := debug.SetGCPercent(usual); now != first {
		debug.SetGCPercent(now)
	}
}
