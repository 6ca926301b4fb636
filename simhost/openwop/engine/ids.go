package engine

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"

	"github.com/openassay/assay/internal/lazyregexp"
)

var (
	letters    = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)
	runPattern = lazyregexp.New(`^(run-[a-z2-9]{26}|(run-)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
)

// ID is the id of the run that Create makes with this one chosen for it.
func (e *Engine) ID(chosen [16]byte) string {
	shape := Letters
	if n := len(e.o.Shapes); n > 0 {
		shape = e.o.Shapes[int(chosen[0])%n]
	}
	return shape.run(chosen)
}

// newRunID is the id of a run that is created from outside: of the caller's choice, or a new one.
func (e *Engine) newRunID(chosen [16]byte) string {
	if chosen == ([16]byte{}) {
		chosen = e.o.IDs.Next()
	}
	return e.ID(chosen)
}

// isRunID keeps what callers send as a run id from naming another log of the store.
func isRunID(id string) bool { return runPattern.MatchString(id) }

// childRunID is the id of the child that is announced at this place of its parent's log.
func childRunID(announcement string) string {
	sum := sha256.Sum256([]byte("child\x00" + announcement))
	return shapeOf(announcement).run([16]byte(sum[:16]))
}

func eventID(runID string, sequence int64) string {
	return shapeOf(runID).event(runID) + "-" + strconv.FormatInt(sequence, 10)
}

func interruptID(suspension string) string { return "int-" + suspension }

// definitionLog names the log that holds the workflow definition with this digest.
func definitionLog(digest string) string { return "workflow-" + digest }
