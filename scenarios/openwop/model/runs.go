package model

import (
	"slices"

	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// Run is a run of a drawn loop, in one of the states in which it may be. It goes on by itself, so the state says what clients had it
// do and what was seen of it; how far it has got beyond that is left open until somebody looks.
type Run struct {
	Loop   Loop   `json:"loop"`
	Claims Claims `json:"claims"`
	// Leg is how many of the turns that do not go on by themselves did: somebody answered, or cancelled the worker.
	Leg int `json:"leg"`
	// Held: it was seen to wait for a person at the next of them, and nobody has paused it since.
	Held bool `json:"held"`
	// Cancelled: a cancel was taken, and nobody has seen the end yet.
	Cancelled bool `json:"cancelled"`
	// Refused: an answer was refused since. Rejected: one was a rejection, and what becomes of that is open.
	Refused  bool  `json:"refused"`
	Rejected bool  `json:"rejected"`
	Pause    Pause `json:"pause"`
	// Early: the pause was taken while the first node of a timed run had to be under way, so the run comes to stand still.
	Early bool   `json:"early"`
	End   string `json:"end"` // the status in which it was seen to have ended
	Log   Log    `json:"log"` // as far as it was seen
	// Still is how many steps its log has as long as it stands still, -1 if it may go on.
	Still int `json:"still"`
	// Shaken: the host was killed while it was under way.
	Shaken bool `json:"shaken,omitempty"`
}

// Claims are what the host says of itself.
type Claims struct {
	Counts    bool   `json:"counts"` // decisions have an iteration (RFC 0061)
	Tokens    bool   `json:"tokens"` // interrupts can be answered by token
	Approvals bool   `json:"approvals"`
	Ancestry  bool   `json:"ancestry"`
	Model     bool   `json:"model"` // an execution model, whose claims say whether it serves ancestries
	Replays   bool   `json:"replays"`
	Branches  bool   `json:"branches"`
	Host      string `json:"host"` // its id, where it serves ancestries
}

// Pause is what became of pauses.
type Pause string

// The pauses.
const (
	NeverPaused Pause = ""
	Pausing     Pause = "pausing" // a pause was taken
	Standing    Pause = "paused"  // it was seen to stand still
	Resumed     Pause = "resumed" // it was told to go on
)

// RunDo is what is done to a run.
type RunDo string

// The things to do. Settle waits until the run has ended or waits for somebody or is paused, and reads all of its log.
const (
	LookAt     RunDo = "read it"
	Settle     RunDo = "wait for it"
	PollRun    RunDo = "poll its log"
	StreamRun  RunDo = "stream its log"
	AnswerRun  RunDo = "answer it"
	PauseRun   RunDo = "pause it"
	ResumeRun  RunDo = "resume it"
	CancelRun  RunDo = "cancel it"
	CancelRuns RunDo = "cancel it with one that never was"
	Ancestry   RunDo = "ask where it comes from"
	ReadChild  RunDo = "read a child of it"
	ForkRun    RunDo = "fork it"
	// ForeignRun is something of Foreigns, with the key of another tenant.
	ForeignRun RunDo = "as another tenant"
	// CancelChild cancels a worker that lasts.
	CancelChild RunDo = "cancel the worker under way"
)

// Foreigns are what another tenant tries.
var Foreigns = []string{ForeignRead, "poll its log", "read its ancestry", "read its child", "cancel it", "answer it", "fork it"}

// ForeignRead is the first of them.
const ForeignRead = "read it"

// By is how a run is answered.
type By string

// The ways. ByOld names a round whose interrupt may be over.
const (
	ByNode   By = "at its node"
	ByToken  By = "by its token"
	ByOld    By = "by an earlier token"
	ByForged By = "by a token that nobody made"
	ByLonger By = "by its token with more behind it"
	Reject   By = "with a rejection"
	Nowhere  By = "at a node that it does not have"
	Misfit   By = "with a number for a text"
	Shouted  By = "with its action in capitals"
)

// RunAsk is what a client asks. It names nothing that only one run has.
type RunAsk struct {
	Do RunDo `json:"do"`
	By By    `json:"by,omitempty"`
	// From is the event behind which to read, or from which to fork, in hundredths of the log that was seen; -1 for none.
	From int    `json:"from"`
	Mode string `json:"mode,omitempty"` // of a poll, a stream, a pause or a fork
	// Watch: a stream is open meanwhile, which is listened to until it has told all that the log holds then.
	Watch bool `json:"watch,omitempty"`
}

// The modes of a poll, beside "": from the last event that there is, and when the time is over that the run waits for.
const (
	NoneLeft = "from the last"
	Later    = "later"
)

// RunSaw is what came of it.
type RunSaw struct {
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
	// RunID and Label are what the run was made with; Other is a run that never was.
	RunID string `json:"runId"`
	Label string `json:"label"`
	Other string `json:"other,omitempty"`
	Words string `json:"words,omitempty"` // those of its decisions
	// Unsent: there was nothing to ask it of, no token for one.
	Unsent bool `json:"unsent,omitempty"`
	// Unheard: no stream was compared, because its frames may leave something out.
	Unheard bool `json:"unheard,omitempty"`
	// Settled is how the wait for the run went, and Snapshot the run then.
	Settled wire.Wait `json:"settled"`
	// Events are those of a page, a stream or a whole log, and Cursor the sequence behind which they were asked for, -1 for none.
	Events wire.Values `json:"events,omitempty"`
	Cursor int64       `json:"cursor"`
	Whole  bool        `json:"whole,omitempty"`  // what was read leaves nothing out
	Alone  bool        `json:"alone,omitempty"`  // nobody asked anything of the run while it was read
	Over   bool        `json:"over,omitempty"`   // the stream was listened to until the host closes it, since the run had ended
	Closed bool        `json:"closed,omitempty"` // and it did
	Round  int         `json:"round,omitempty"`  // of a token: how many were answered before its own interrupt was
	Typed  bool        `json:"typed,omitempty"`  // the question says that its answer is a text
	Worker string      `json:"worker,omitempty"` // of a child
	Node   string      `json:"node,omitempty"`   // that was answered
	Never  wire.Value  `json:"never"`            // the status of the same, asked of a run that never was
	Early  bool        `json:"early,omitempty"`  // it was done while the first node of a timed run had to be under way
	Phase  string      `json:"phase,omitempty"`  // how the child was seen to end
	Parent wire.Value  `json:"parent"`           // the ancestry of a child, or of a fork
	Below  Below       `json:"below"`            // a run that the child started
	Copy   wire.Values `json:"copy,omitempty"`   // the log of a fork
	Forks  wire.Value  `json:"forks"`            // the reply to a fork of the fork
	Second wire.Values `json:"second,omitempty"` // its log
	// Watched: a stream was open meanwhile, which told what was Heard, and Events is the log behind the step.
	Watched bool        `json:"watched,omitempty"`
	Heard   wire.Values `json:"heard,omitempty"`
}

// Below is a run that a child of the run started.
type Below struct {
	RunID   string     `json:"runId"`
	Lineage wire.Value `json:"lineage"`
}

type (
	runStep = history.Step[RunAsk, RunSaw]
	runRule = history.Rule[Run, RunAsk, RunSaw]
	runWay  = history.Way[Run, RunAsk, RunSaw]
)

// RunModel says what such a run may show, whoever asks at once.
var RunModel = &history.Model[Run, RunAsk, RunSaw]{
	Rules: slices.Concat(runKilled, runReads, runForeign, watching(runAnswers), watching(runControls)),
	Tell:  tellRun,
}

// waits reports whether there is another turn that does not go on by itself, and asks whether it waits for a person.
func (r Run) waits() bool {
	_, ok := r.Loop.hold(r.Leg)
	return ok
}

func (r Run) asks() bool {
	turn, ok := r.Loop.hold(r.Leg)
	return ok && !r.Loop.lasts(r.Loop.Turns[turn])
}

// doubted reports whether a decision below the floor was answered: the run may end without carrying it out (OWP-R102).
func (r Run) doubted() bool { return r.passed(func(t LoopTurn) bool { return t.Doubt }) }

// passed reports whether there is such a turn among those behind which the run went on.
func (r Run) passed(is func(LoopTurn) bool) bool {
	for n := range r.Leg {
		if turn, ok := r.Loop.hold(n); ok && is(r.Loop.Turns[turn]) {
			return true
		}
	}
	return false
}

// may are the workers that may have begun.
func (r Run) may() []Worker {
	most, _ := r.Loop.turns()
	hold, waits := r.Loop.hold(r.Leg)
	if !waits {
		return r.Loop.before(most)
	}
	all := r.Loop.before(hold)
	for _, w := range r.Loop.of(r.Loop.Turns[hold]) {
		if r.asks() {
			break
		}
		if all = append(all, w); w.Ends == Lasts {
			break
		}
	}
	return all
}

// lost reports whether a worker may have come to no good end, with which the run may fail (OWP-R10).
func (r Run) lost() bool {
	return r.passed(r.Loop.lasts) || slices.ContainsFunc(r.may(), func(w Worker) bool { return w.Ends == Fails || w.Ends == Missing })
}

// mayEnd reports whether a run that nobody ended may be over in this status.
func (r Run) mayEnd(status string) bool {
	breached := r.Loop.breached()
	switch {
	case r.End != "":
		return status == r.End
	case status == "cancelled":
		return r.Cancelled
	case r.stopped() || r.Early && r.Pause == Pausing:
		return false
	case r.Rejected:
		return true
	case status == "completed":
		return r.doubted() || !r.waits() && !breached
	}
	return !r.waits() && breached || r.lost()
}

// over reports whether the run may have ended by itself.
func (r Run) over() bool { return r.mayEnd("completed") || r.mayEnd("failed") }

// stopped: it stands still until somebody does something.
func (r Run) stopped() bool {
	return r.End == "" && !r.Cancelled && (r.Pause == Standing || r.Held)
}

func (r Run) same(runStep) Run { return r }
