package surface

import (
	"slices"
	"strings"

	"github.com/openassay/assay/simhost/refusal"
)

// The stream modes of the protocol. Several may be asked for at once, with commas, and the stream then carries
// what any of them carries; values stands alone, since its frames are snapshots and not events.
const (
	modeValues   = "values"
	modeUpdates  = "updates"
	modeMessages = "messages"
	modeDebug    = "debug"
)

var supportedModes = []string{modeValues, modeUpdates, modeMessages, modeDebug}

// streamModes is a non-empty subset of supportedModes.
type streamModes []string

// parseModes reads the streamMode parameter; "" is not the same as a parameter that is absent (see defaultModes).
func parseModes(raw string) (streamModes, error) {
	var modes streamModes
	for part := range strings.SplitSeq(raw, ",") {
		mode := strings.TrimSpace(part)
		if !slices.Contains(supportedModes, mode) {
			return nil, refusal.New(codeStreamMode, "stream mode "+refusal.Quoted(mode)+" is not one of "+strings.Join(supportedModes, ", "),
				"supported", supportedModes, "streamMode", raw)
		}
		if !slices.Contains(modes, mode) {
			modes = append(modes, mode)
		}
	}
	if len(modes) > 1 && modes.snapshots() {
		return nil, refusal.New(codeStreamMode, "stream mode values sends snapshots, so it cannot be combined with others: ask for it alone",
			"supported", supportedModes, "streamMode", raw)
	}
	return modes, nil
}

// defaultModes is what a request without the parameter gets.
var defaultModes = streamModes{modeUpdates}

// snapshots says that the stream carries state.snapshot documents in place of events.
func (m streamModes) snapshots() bool { return slices.Contains(m, modeValues) }

// carry says whether an event of this type goes out.
func (m streamModes) carry(eventType string) bool {
	for _, mode := range m {
		switch mode {
		case modeDebug:
			return true
		case modeUpdates:
			if !bookkeeping(eventType) {
				return true
			}
		case modeMessages:
			if eventType == "ai.message.chunk" {
				return true
			}
		}
	}
	return false
}

// bookkeeping tells the events that only someone who debugs a run wants to see; mode updates leaves them out.
func bookkeeping(eventType string) bool {
	switch eventType {
	case "node.started", "variable.changed", "log.appended", "version.pinned":
		return true
	}
	return strings.HasPrefix(eventType, "lease.")
}
