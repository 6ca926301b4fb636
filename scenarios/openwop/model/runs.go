package model

import (
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// Run is a run of a drawn loop, in one of the states in which it may be. It goes on by itself, so the state says what clients had it
// do and what was seen of it; how far it has got beyond that is left open until somebody looks.
type Run struct {
	Loop   Loop   `json:"loop"`
	Claims Claims `json:"claims"`
	// Leg is how many of the turns that wait for a person were answered.
	Leg int `json:"leg"`
	// Held: it was seen to wait at the next of them, and nobody has paused it since.
	Held bool `json:"held"`
	// Cancelled: a cancel was taken, and nobody has seen the end yet.
	Cancelled bool   `json:"cancelled"`
	Pause     Pause  `json:"pause"`
	End       string `json:"end"` // the status in which it was seen to have ended
	Log       Log    `json:"log"` // as far as it was seen
	// Still is how many steps its log has as long as it stands still, -1 if it may go on.
	Still int `json:"still"`
}

// Loop is what the run was asked to do. All of it fits an array, so that states can be compared.
type Loop struct {
	Workflow string      `json:"workflow"`
	Workers  [2]string   `json:"workers"` // that decisions name, by number
	Turns    [6]LoopTurn `json:"turns"`
	N        int         `json:"n"`     // turns up to the end
	Gate     bool        `json:"gate"`  // it is no loop: its only turn is an approval, behind which it ends
	Floor    float64     `json:"floor"` // of confidences
	Bound    int         `json:"bound"` // configurable.maxLoopIterations; 0 for none
}

// LoopTurn is one decision: for one worker or two, a question, or, if it is neither, the end.
type LoopTurn struct {
	Workers [2]int `json:"workers"` // their numbers, from 1; 0 for none
	Asks    bool   `json:"asks"`
	Doubt   bool   `json:"doubt"` // below the confidence floor
	// Sure is which confidence it states: one that is below the floor or, if there is no doubt, one that is not; 0 is none there.
	Sure int `json:"sure"`
}

// Claims are what the host says of itself.
type Claims struct {
	Counts    bool   `json:"counts"` // decisions have an iteration (RFC 0061)
	Tokens    bool   `json:"tokens"` // interrupts can be answered by token
	Approvals bool   `json:"approvals"`
	Ancestry  bool   `json:"ancestry"`
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
)

// By is how a run is answered.
type By string

// The ways. ByOld names a round whose interrupt may be over.
const (
	ByNode   By = "at its node"
	ByToken  By = "by its token"
	ByOld    By = "by an earlier token"
	ByForged By = "by a token that nobody made"
	Nowhere  By = "at a node that it does not have"
	Misfit   By = "with a number for a text"
)

// RunAsk is what a client asks. It names nothing that only one run has.
type RunAsk struct {
	Do RunDo `json:"do"`
	By By    `json:"by,omitempty"`
	// From is the event behind which to read, or from which to fork, in hundredths of the log that was seen; -1 for none.
	From int    `json:"from"`
	Mode string `json:"mode,omitempty"` // of a stream, a pause or a fork
}

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
	Ended  bool        `json:"ended,omitempty"`  // the child was seen to complete
	Parent wire.Value  `json:"parent"`           // the ancestry of a child
	Copy   wire.Values `json:"copy,omitempty"`   // the log of a fork
}

type (
	runStep = history.Step[RunAsk, RunSaw]
	runRule = history.Rule[Run, RunAsk, RunSaw]
	runWay  = history.Way[Run, RunAsk, RunSaw]
)

// RunModel says what such a run may show, whoever asks at once.
var RunModel = &history.Model[Run, RunAsk, RunSaw]{
	Rules: append(append(append([]*runRule{}, runReads...), runAnswers...), runControls...),
	Tell:  tellRun,
}

// turns is how many turns the loop takes; breached is set if it was to take more.
func (l Loop) turns() (n int, breached bool) {
	if l.Bound > 0 && l.Bound < l.N {
		return l.Bound, true
	}
	return l.N, false
}

// hold returns the nth turn that waits for a person, from 0; ok is false if there is none.
func (l Loop) hold(n int) (turn int, ok bool) {
	most, _ := l.turns()
	for i, t := range l.Turns[:most] {
		if !t.Asks && !t.Doubt {
			continue
		}
		if n--; n < 0 {
			return i, true
		}
	}
	return 0, false
}

// HoldOf returns the turn at which the run waits when this many were answered.
func (l Loop) HoldOf(answered int) (turn int, ok bool) { return l.hold(answered) }

// names are the workers of a turn.
func (l Loop) names(t LoopTurn) (out []string) {
	for _, w := range t.Workers {
		if w > 0 {
			out = append(out, l.Workers[w-1])
		}
	}
	return out
}

// before are the workers of the first n turns.
func (l Loop) before(n int) (out []string) {
	for _, t := range l.Turns[:n] {
		out = append(out, l.names(t)...)
	}
	return out
}

// Sures is how many confidences there are of either sort.
const Sures = 4

// confidence is that of a decision, nil if it states none.
func (l Loop) confidence(t LoopTurn) *float64 {
	switch {
	case t.Doubt:
		return new([Sures]float64{0, 0.001, l.Floor / 2, l.Floor - 0.001}[t.Sure])
	case t.Sure > 0:
		return new([Sures]float64{0, l.Floor, (l.Floor + 1) / 2, 1}[t.Sure])
	}
	return nil
}

// Program is the loop as a program.
func (l Loop) Program(reason string) Program {
	p := Program{Workflow: l.Workflow, Bound: l.Bound}
	for _, t := range l.Turns[:l.N] {
		turn := Turn{Workers: l.names(t)}
		switch {
		case t.Asks:
			turn.Prompt = "Which way, " + reason + "?"
		case turn.Workers == nil:
			turn.Reason = reason
		}
		if !t.Asks {
			turn.Confidence = l.confidence(t)
		}
		p.Turns = append(p.Turns, turn)
	}
	return p
}

func (t LoopTurn) kind() string {
	switch {
	case t.Asks:
		return string(dialect.AskUserDecisionKindAskUser)
	case t.Workers[0] > 0:
		return string(dialect.NextWorkerDecisionKindNextWorker)
	}
	return string(dialect.TerminateDecisionKindTerminate)
}

// waits reports whether there is another turn that waits for a person.
func (r Run) waits() bool {
	_, ok := r.Loop.hold(r.Leg)
	return ok
}

// doubted reports whether a decision below the floor was answered: the run may end without carrying it out (OWP-R102).
func (r Run) doubted() bool {
	for n := range r.Leg {
		if turn, ok := r.Loop.hold(n); ok && r.Loop.Turns[turn].Doubt {
			return true
		}
	}
	return false
}

// mayEnd reports whether a run that nobody ended may be over in this status.
func (r Run) mayEnd(status string) bool {
	_, breached := r.Loop.turns()
	switch {
	case r.End != "":
		return status == r.End
	case status == "cancelled":
		return r.Cancelled
	case status == "completed":
		return r.doubted() || !r.waits() && !breached
	}
	return !r.waits() && breached
}

// over reports whether the run may have ended by itself.
func (r Run) over() bool { return r.mayEnd("completed") || r.mayEnd("failed") }

// stopped: it stands still until somebody does something.
func (r Run) stopped() bool {
	return r.End == "" && !r.Cancelled && (r.Pause == Standing || r.Held)
}

func (r Run) same(runStep) Run { return r }
