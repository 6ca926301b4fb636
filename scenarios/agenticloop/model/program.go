package model

// Program is what a gateway hands a plugin: some runs in one state, and one delivery after another.
type Program struct {
	Runs  []Run  `json:"runs"`
	Moves []Move `json:"moves"`
}

// Run is what a run is asked to do.
type Run struct {
	Goal      string         `json:"goal"`
	Context   map[string]any `json:"context,omitempty"` // of its start
	Budget    int            `json:"budget"`            // max_steps of the config
	Lower     int            `json:"lower,omitempty"`   // max_steps that its context asks for, below that; 0 for none
	Reframes  int            `json:"reframes"`          // max_reframes of the config, where plans are given up
	Key       string         `json:"key,omitempty"`     // dedupe_key of its start; "" for the usual one
	Keyless   bool           `json:"keyless,omitempty"` // its start has none
	Trigger   bool           `json:"trigger,omitempty"` // its start comes as api.trigger
	Filed     bool           `json:"filed,omitempty"`   // its jobs have a workspace
	Decisions []Decision     `json:"decisions"`         // of its planner, one at the start and one by each result; then no more is known
}

// Decision is one that a planner is to take.
type Decision struct {
	Kind      string         `json:"kind"` // one of the constants
	Tool      string         `json:"tool,omitempty"`
	Command   string         `json:"command,omitempty"` // of the tool; "" for the usual one
	Arguments map[string]any `json:"arguments,omitempty"`
	Outcome   string         `json:"outcome,omitempty"`
	Anew      bool           `json:"anew,omitempty"`  // the plan is given up for another before
	Twice     bool           `json:"twice,omitempty"` // so is the next plan, in the same turn
}

// Plans is the number of plans that are given up before the decision.
func (d Decision) Plans() int {
	switch {
	case d.Anew && d.Twice:
		return 2
	case d.Anew:
		return 1
	}
	return 0
}

// The kinds of decisions.
const (
	Call    = "call"
	Done    = "done"
	Reframe = "reframe"
	Refuse  = "refuse"
	Garbage = "garbage"
)

// Move is one delivery of a program. Which one exactly follows from how its run stands.
type Move struct {
	Run  int  `json:"run"`
	Kind Kind `json:"kind"`
	Pick int  `json:"pick,omitempty"` // which one of several
	Body any  `json:"body"`           // of a result
	// Says are members of its payload that are not as they usually are.
	Says map[string]any `json:"says,omitempty"`
	// Failing: what comes late, early or of another tool says that the tool failed.
	Failing bool `json:"failing,omitempty"`
	// Vague gives a delivery that must be ignored a status that is neither ok nor error: the number of the word in a list, from 1; 0 for
	// the usual status.
	Vague int `json:"vague,omitempty"`
	// Own: it is delivered as an event of the tool's own, with the correlation in the context of the request.
	Own bool `json:"own,omitempty"`
	// As is the tool that a result of another tool names, "" for one that is nearly the right one.
	As string `json:"as,omitempty"`
	// Left: the context of the request is what other steps have left. It says how they went: of a tool's own event, whether it failed,
	// and of a result, another step than the result does. Of a start it is what another run waits for.
	Left bool `json:"left,omitempty"`
	// Wishes are what a model that errs wants, all in one reply.
	Wishes []Decision `json:"wishes,omitempty"`
	// Twice: the answer is lost, and the same job comes again, with the state as it was.
	Twice bool `json:"twice,omitempty"`
	// What the config of this turn says, where that is not what it said before.
	Budget  int      `json:"budget,omitempty"`  // max_steps; it stays so for the run
	Allowed []string `json:"allowed,omitempty"` // allowed_plugins, of this turn alone
}

// Kind is a kind of move.
type Kind string

// Directed reports whether a move brings a result for a step, be it the pending one or not.
func (k Kind) Directed() bool {
	switch k {
	case Result, Repeat, Old, OldTool, NearRun, NearTool, Above:
		return true
	}
	return false
}

// Passed reports whether the agent must ignore the result that a move brings.
func (k Kind) Passed() bool { return k == Repeat || k == Old || k == OldTool || k == NearRun }

// The kinds of moves.
const (
	Start       Kind = "start"
	Result      Kind = "result"       // the pending one
	Failure     Kind = "failure"      // of the pending step
	SameAgain   Kind = "same again"   // the last result that was taken, in the very same event
	Repeat      Kind = "repeat"       // the last result that was taken, in another event
	LateFailure Kind = "late failure" // of the step that was taken last
	FailedAgain Kind = "failed again" // the last failure of the pending step, in the very same event
	Old         Kind = "old"          // a result of an earlier step
	OldFailure  Kind = "old failure"
	OldTool     Kind = "old, of another tool"
	NearRun     Kind = "near run" // an id that a careless comparison takes for the run's
	Crossed     Kind = "crossed"  // the step and the tool of another run
	NearTool    Kind = "near tool"
	Above       Kind = "above" // a later step
	Strange     Kind = "odd status"
	StartAgain  Kind = "start again"
	Erring      Kind = "erring model" // the pending result, and the model that is asked what to make of it errs
)
