package step

import (
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
)

// Fork is how a run is to be forked. FromSeq is the first sequence that is run again; nil is 0, which a branch has to say.
type Fork struct {
	// ID makes the fork's id; forking again finds the fork that is there, and changes nothing. Zero takes one of Options.IDs.
	ID [16]byte

	Mode    string
	FromSeq *int64

	// Overlay is what a branch has other than its source, nil for nothing; a replay takes none.
	Overlay *Overlay
}

// Overlay is laid over the options of a run: over its configurable and metadata key by key, over its tags as a whole. What
// is nil changes nothing.
type Overlay struct {
	Configurable map[string]any
	Tags         []string
	Metadata     map[string]any
}

// ForkResult is the fork that was made.
type ForkResult struct {
	RunID       string
	SourceRunID string
	Mode        string
	FromSeq     int64
	Snapshot    openwopv1.RunSnapshot
}

func OutsideLog(fromSeq, next int64) error {
	return codes.Refuse(codes.InvalidFromSeq, fmt.Sprintf("fromSeq %d: must be 0 to %d", fromSeq, next), "fromSeq", fromSeq, "maxSeq", next-1)
}
