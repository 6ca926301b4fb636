package workflow

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

// IsRunID keeps what callers send as a run id from naming another log of the store.
func IsRunID(id string) bool { return runPattern.MatchString(id) }

// ChildRunID is the id of the child that is announced at this place of its parent's log.
func ChildRunID(announcement string) string {
	sum := sha256.Sum256([]byte("child\x00" + announcement))
	return ShapeOf(announcement).Run([16]byte(sum[:16]))
}

func EventID(runID string, sequence int64) string {
	return ShapeOf(runID).event(runID) + "-" + strconv.FormatInt(sequence, 10)
}

func InterruptID(suspension string) string { return "int-" + suspension }

// DefinitionLog names the log that holds the workflow definition with this digest.
func DefinitionLog(digest string) string { return "workflow-" + digest }
