// Package startheap lets a program allocate its first megabytes without a garbage collection. What the libraries of ours make
// at start, and what a command like assay list makes on top of it, is all live until the command ends: to mark it, twice or
// three times over, took over a quarter of the processor time of those commands. The first collection comes at 16 MB, and from then
// on they come as Go has them.
//
// A program imports it for effect. Go initialises the packages that are ready in the order of their import paths, so this one
// stands before those of github.com/santhosh-tekuri, which compile JSON Schemas and allocate more than all others.
package startheap

import (
	"os"
	"runtime"
	"runtime/debug"
)

// first is the heap at which the first collection comes, in percent of Go's least, 4 MB.
const first = 400

func init() {
	// Nothing writes a heap profile of the program, and its samples would cost stack traces. A test or a debugger that wants
	// them sets the rate again.
	runtime.MemProfileRate = 0
	if os.Getenv("GOGC") != "" {
		return // the operator knows better
	}
	usual := debug.SetGCPercent(first)
	collected := new(*byte) // garbage as of now
	runtime.AddCleanup(collected, settle, usual)
}

// settle has collections come as usual from now on, unless somebody else has set when they come.
func settle(usual int) {
	if now := debug.SetGCPercent(usual); now != first {
		debug.SetGCPercent(now)
	}
}
