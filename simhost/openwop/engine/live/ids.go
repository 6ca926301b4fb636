package live

import (
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// ID is the id of the run that Create makes with this one chosen for it.
func (e *Engine) ID(chosen [16]byte) string {
	shape := workflow.Letters
	if n := len(e.o.Shapes); n > 0 {
		shape = e.o.Shapes[int(chosen[0])%n]
	}
	return shape.Run(chosen)
}

// newRunID is the id of a run that is created from outside: of the caller's choice, or a new one.
func (e *Engine) newRunID(chosen [16]byte) string {
	if chosen == ([16]byte{}) {
		chosen = e.o.IDs.Next()
	}
	return e.ID(chosen)
}
