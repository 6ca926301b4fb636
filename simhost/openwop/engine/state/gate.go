package state

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// Gate is where the gate stands that is under way: there is one at a time. A gate whose artifact is asked about goes through
// its phases once more, with another interrupt.
type Gate struct {
	Phase   GatePhase
	Asked   Asked
	Comment string          // that ended the round before
	Rounds  int             // that ended with a question
	Quorum  workflow.Quorum // of an approval by several people
	votes   []Vote          // on the log
	vote    *Vote           // cast, and about to be on the log
	Expired bool
	Action  openwopv1.ApprovalAction // that an approval was resolved with
	Written int                      // variables set so far
	Resumed int                      // times that the node went on
}

// GatePhase moves on with every event of a gate's node, so that the gate can go on after any of them.
type GatePhase string

const (
	GateSuspended GatePhase = "suspended" // the node is suspended
	GateOpen      GatePhase = "open"      // the interrupt is requested: waits for an answer, or for votes
	GateResolved  GatePhase = "resolved"  // the interrupt is resolved; now the variables
	gateResumed   GatePhase = "resumed"   // the node goes on
)

// OpenGate is the gate whose interrupt is open, nil where none is.
func (s *State) OpenGate() *Gate {
	if g := &s.Gate; g.Phase == GateOpen && !g.Expired && s.Decision() == nil {
		return g
	}
	return nil
}

// GateNode is the gate that is under way; only to be asked for where there is one.
func (s *State) GateNode() *workflow.Node { return &s.Program.Nodes[s.Done] }

// MaxRounds bounds how often one gate can be asked about: each time it shows its artifact again.
const MaxRounds = 64

// AsksAgain tells whether the answer was a question: the gate raises another interrupt then.
func (g *Gate) AsksAgain() bool { return isQuestion(g.Action) }

func isQuestion(action openwopv1.ApprovalAction) bool {
	return action == openwopv1.ApprovalActionAsk || action == openwopv1.ApprovalActionRefine
}
