package state

import (
	"maps"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// State is what a run is after some of its log. Begin with NewState and go on with Fold.
type State struct {
	RunID   string
	Program *workflow.Program
	Rules   *rules.Set

	Created   Created
	View      View  // in force
	Memory    int64 // mark of the memory, as far as the log tells
	Brought   int64 // that mark when a child last brought something; 0: none did
	Inputs    map[string]any
	Owner     *event.Owner
	Tags      []string
	Metadata  map[string]any
	StartedAt time.Time
	Ahead     time.Duration // of the host's clock

	Next      int64 // sequence of the next event
	Status    openwopv1.RunStatus
	endedAt   time.Time
	Variables map[string]any

	Nodes  []NodeState // as program.nodes
	Starts int         // of nodes, the loop's included
	Done   int         // how many of the nodes outside the loop are behind

	Loop    Loop
	Gate    Gate // that is under way
	Stop    *Stop
	Failing *Failing
	Pausing *Pause  // the run is to stand still when it can
	Paused  *Paused // it does
	Stood   bool    // it did, at some time
	StoodMs int64   // for how long, without the pause that lasts
	Err     *openwopv1.RunError
	Outputs map[string]any

	// Of a replay: the places at which its own log has an event that its source has not, whether the answer of the model that
	// the node under way calls differs from the source's, and why the replay fails where it is a refusal or was one.
	Asides  []int64
	Differs bool
	Refusal *event.Error

	Children   []ChildRun
	Interrupts []Interrupt // that were ever raised
}

// New is a run of a workflow before its first event.
func New(runID string, p *workflow.Program, set *rules.Set) State {
	return State{RunID: runID, Program: p, Rules: set, Status: openwopv1.RunStatusPending, Nodes: make([]NodeState, len(p.Nodes))}
}

// NodeState is where a node stands. The nodes of a loop are started again every turn.
type NodeState struct {
	Status   nodeStatus
	starts   int
	Outputs  map[string]any
	Due      time.Time // core.delay: when to go on
	Resolved int       // interrupts of this node that were resolved
	Expired  bool      // an interrupt of this node was not resolved in time
	Gone     bool      // an interrupt of this node was open when the run was stopped
}

type nodeStatus string

const (
	NodePending   nodeStatus = "pending"
	NodeRunning   nodeStatus = "running"
	NodeSuspended nodeStatus = "suspended"
	NodeCompleted nodeStatus = "completed"
	nodeFailed    nodeStatus = "failed"
	nodeSkipped   nodeStatus = "skipped"
	NodeCancelled nodeStatus = "cancelled"
)

// Active tells whether a node began and did not end.
func (s nodeStatus) Active() bool { return s == NodeRunning || s == NodeSuspended }

// Failing is why the run must fail next.
type Failing struct {
	Err    openwopv1.RunError
	NodeID string
	Cause  string      // eventId
	OfNode bool        // one that has failed
	Kind   event.Bound // of the bound that was crossed; empty: none was
	Limit  int64       // of that
}

// ChildRun is a child that was created.
type ChildRun struct {
	runID, WorkflowID string
	status            openwopv1.RunStatus
}

// Loop is the supervisor's loop.
type Loop struct {
	Phase     phase
	Iteration int  // of the turn that began last, 0 before the first
	Consulted int  // how many decisions the script has given
	Ratified  bool // somebody accepted the decision that the agent was not sure of
	Resumed   bool // this turn was suspended and resumed
	Resumes   int  // how many turns were

	Decision  Decision
	DecidedID string // eventId of the decided event
	AgentID   string

	StartedID string // eventId of the start of the supervisor's node
	Reads     any    // what the turn reads, as its script says when it begins
	Writes    any    // what the turns write, likewise
	Begun     bool   // the first note is taken
	Concluded bool   // the last note is taken
	Write     *Write // the write that is announced and of which nothing has come yet
	Wrote     int    // writes that are done with

	Verdicts any           // what the verifier finds, as the script says when the turn begins
	Verified int           // how many verdicts there were in this run
	Verdict  event.Verdict // on the result that is about to count; empty before it
	heeded   event.Verdict // the one that the host goes by

	Told  bool   // that the decision is held
	Asked *Asked // the suspension of this turn

	Child      *Child // the handoff under way, or the last one
	announced  int64  // place at which that child was announced
	ChainID    string // eventId of its latest step
	EndID      string // eventId of the step that ended the child
	Dispatched bool   // node.dispatched is written
	Written    int    // variables harvested so far
	Harvested  bool   // output.harvested is written
}

// phase is where a turn stands. Every event of a turn moves it on, so that a turn can go on after any of them.
type phase string

const (
	PhaseIdle        phase = ""            // between turns
	PhaseDeciding    phase = "deciding"    // the supervisor's node is started
	PhaseDecided     phase = "decided"     // the decision is on the log
	PhaseEscalated   phase = "escalated"   // ... and is held
	PhaseSuspended   phase = "suspended"   // the supervisor's node is suspended
	PhaseAsked       phase = "asked"       // the interrupt is requested: waits for an answer
	PhaseAnswered    phase = "answered"    // the interrupt is resolved
	PhaseNoted       phase = "noted"       // ... and the answer is a variable
	PhaseResumed     phase = "resumed"     // the supervisor's node goes on
	PhaseActing      phase = "acting"      // the supervisor's node is completed; now the effect
	PhaseDispatching phase = "dispatching" // the dispatch node is started
)

// Asked is a suspension.
type Asked struct {
	Kind        event.Interrupt
	InterruptID string
	Key         string
	Data        []byte // JSON, as the kind calls for
	Unsure      bool   // raised before the decision was on the log
	RequestedID string // eventId of interrupt.requested
	ResolvedID  string // eventId of interrupt.resolved
	Value       []byte // JSON that resolved it
	Rejected    bool
}

// Ended tells whether the run is in a final status.
func (s *State) Ended() bool { return Ended(s.Status) }

// Waiting tells whether the run is suspended.
func (s *State) Waiting() bool {
	return (s.Loop.Phase == PhaseAsked || s.OpenGate() != nil) && s.Stop == nil && !s.Ended()
}

// pending is the suspension that waits for an answer, and the node; only to be asked for where there is one.
func (s *State) pending() (*Asked, *workflow.Node) {
	if g := s.OpenGate(); g != nil {
		return &g.Asked, s.GateNode()
	}
	return s.Loop.Asked, s.Program.Supervisor()
}

func Ended(status openwopv1.RunStatus) bool {
	switch status {
	case openwopv1.RunStatusCompleted, openwopv1.RunStatusFailed, openwopv1.RunStatusCancelled:
		return true
	}
	return false
}

// Inherits tells whether the child under way was announced in the part of the log that a branch took over. It is the
// branch's own all the same, and may not exist yet, whatever the log says.
func (s *State) Inherits() bool {
	link := s.Created.Fork
	return link != nil && link.Branch && s.Loop.announced < link.FromSeq
}

// Clone shares nothing with s that a fold changes.
func (s State) Clone() State {
	s.Variables = maps.Clone(s.Variables)
	s.Nodes = slices.Clone(s.Nodes)
	s.Children = slices.Clone(s.Children)
	s.Asides = slices.Clone(s.Asides)
	s.Interrupts = slices.Clone(s.Interrupts)
	s.Gate.votes = slices.Clone(s.Gate.votes)
	if s.Loop.Asked != nil {
		a := *s.Loop.Asked
		s.Loop.Asked = &a
	}
	return s
}

// waitingStatus is the status of a run that an interrupt of this kind suspends.
func waitingStatus(kind event.Interrupt) openwopv1.RunStatus {
	switch kind {
	case event.Approval, event.LowConfidence:
		return openwopv1.RunStatusWaitingApproval
	case event.ExternalEvent:
		return openwopv1.RunStatusWaitingExternal
	default:
		return openwopv1.RunStatusWaitingInput
	}
}

// PortValues are the values at the ports of a node. A port without a value is left out where it is optional; otherwise the
// error names it.
func (s *State) PortValues(n *workflow.Node) (map[string]any, *event.Error) {
	values := make(map[string]any, len(n.Ports))
	for _, p := range n.Ports {
		value, ok := s.portValue(p)
		switch {
		case ok:
			values[p.Name] = value
		case !p.Optional:
			return nil, codes.Failure(codes.Input, "input %q of node %q has no value", p.Name, n.ID)
		}
	}
	return values, nil
}

func (s *State) portValue(p workflow.Port) (value any, ok bool) {
	switch {
	case p.Variable != "":
		value, ok = s.Variables[p.Variable]
	case p.NodeID != "":
		value, ok = s.Nodes[s.Program.ByID[p.NodeID]].Outputs[p.Output]
	default:
		value, ok = p.Static, true
	}
	return value, ok
}

// Pause is a wish that a run stand still, or that it do not after all.
type Pause struct {
	Reason string `json:"reason,omitzero"`
	// Drain lets the node under way finish first; a node that waits for an answer does not count as under way.
	Drain bool `json:"drain,omitzero"`
	// Withdrawn takes back the wish before it, which the run had not come to yet.
	Withdrawn bool `json:"withdrawn,omitzero"`
}

// Paused is a run that stands still.
type Paused struct {
	before openwopv1.RunStatus // the status it had, and has again when it goes on
	Next   int64               // sequence of the next event then
	at     time.Time
}

// Timed is the node under way that waits for a time, nil where there is none.
func (s *State) Timed() *workflow.Node {
	for i, n := range s.Nodes {
		if n.Status == NodeRunning && !n.Due.IsZero() {
			return &s.Program.Nodes[i]
		}
	}
	return nil
}

func (s *State) learnPause(p Pause) {
	s.Pausing = &p
	if p.Withdrawn {
		s.Pausing = nil
		s.goesOn()
	}
}

func (s *State) pauses(at time.Time) {
	s.Pausing, s.Paused, s.Stood = nil, &Paused{before: s.Status, Next: s.Next, at: at}, true
	s.Status = openwopv1.RunStatusPaused
}

func (s *State) goesOn() {
	if s.Paused != nil {
		s.Status, s.Paused = s.Paused.before, nil
	}
}
