package agent

import (
	"context"
	"encoding/json"
	"time"
)

// Planner takes the decisions of runs. It need not be trusted: what it decides is held against the allowlist, the budget and the
// caps before anything comes of it.
type Planner interface {
	// Decide says what comes next. An error ends the turn: it is told to the gateway, which may try the job again.
	Decide(ctx context.Context, s Situation) (Decision, error)
}

// Situation is what a decision is taken on.
type Situation struct {
	RunID     string
	Goal      string
	Context   map[string]json.RawMessage // what the caller gave along; empty where that is long, and the start is past
	Decisions int64                      // that the run has taken: results used and plans given up
	Step      int64                      // the last that was taken, 0 before the first
	Reframed  bool                       // the plan was given up in this turn
	Last      *Found                     // what the last step found; nil before the first
	Before    []string                   // what the steps before it found, a line each
	Tools     []string                   // that may be called
	Used      []string                   // that were called
	Deadline  time.Time                  // of the turn; zero: none is known
}

// Found is what a step found.
type Found struct {
	Step     int64
	Tool     string
	Text     string                     // the beginning, ExcerptBytes at most
	Artifact string                     // path in the workspace that holds it; "" where none does
	Members  map[string]json.RawMessage // of a result that is an object
}

// Decision is what comes next in a run.
type Decision struct {
	Action    string                     `json:"action"`
	Tool      string                     `json:"tool"`      // of CallTool
	Command   string                     `json:"command"`   // of CallTool; handle unless given
	Arguments map[string]json.RawMessage `json:"arguments"` // of CallTool
	Outcome   string                     `json:"outcome"`   // of Done
	Reason    string                     `json:"reason"`    // of Reframe and Refuse
}

// The actions of a decision. Any other ends the run: nobody knows what was meant.
const (
	CallTool = "call_tool"
	Done     = "done"
	Reframe  = "reframe"
	Refuse   = "refuse"
)

// unclear is the decision of a planner that cannot be understood.
var unclear = Decision{Action: "unclear"}

// readDecision reads a decision as scripts and models write it.
func readDecision(raw []byte) Decision {
	var d Decision
	if json.Unmarshal(raw, &d) != nil {
		return unclear
	}
	return d
}

// script decides by a list: the decision that a run takes after n others is the n-th.
type script []json.RawMessage

func (s script) Decide(_ context.Context, now Situation) (Decision, error) {
	if now.Decisions >= int64(len(s)) {
		return Decision{Action: Refuse, Reason: "the script is at its end"}, nil
	}
	return readDecision(s[now.Decisions]), nil
}
