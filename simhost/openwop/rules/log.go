package rules

import (
	"math"

	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// Log is how the log of a run is told.
type Log struct {
	// Lists is what a reply tells of a log: all that is behind the cursor, in order, as it is. The events are shared and must
	// not be changed.
	Lists func(Listing) []event.Event

	// Closes tells whether a stream is closed behind the event that ends the run, given whether the run was under way when the
	// stream was opened.
	Closes func(live bool) bool
}

// Form is how a log is read.
type Form int

// The forms of a log.
const (
	Poll     Form = iota
	Stream        // of server-sent events
	Document      // the JSON in place of a stream
)

// Listing is a reply about the log of a run that is about to be written.
type Listing struct {
	Form   Form
	Events []event.Event // the log; of a stream that is open already, what was appended to it
	After  int64         // sequence of the last event that the client has; -1 for none
	Live   bool          // the stream is open already
	Ended  bool          // nothing more will come

	Gathers bool // the stream sends events in batches
}

func honestLog() Log {
	return Log{
		Lists:  behind,
		Closes: func(bool) bool { return true },
	}
}

// behind is what stands behind the cursor. Sequences follow one another without a gap.
func behind(r Listing) []event.Event {
	if len(r.Events) == 0 || r.After == math.MaxInt64 {
		return nil
	}
	from := min(max(r.After+1-r.Events[0].Sequence, 0), int64(len(r.Events)))
	return r.Events[from:]
}
