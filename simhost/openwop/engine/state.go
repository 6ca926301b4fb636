package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// State is what a run is after some of its log. Begin with NewState and go on with Fold.
type State struct {
	runID   string
	program *program
	rules   *rules.Set

	created   Created
	view      View  // in force
	memory    int64 // mark of the memory, as far as the log tells
	brought   int64 // that mark when a child last brought something; 0: none did
	inputs    map[string]any
	owner     *openwopv1.RunOwner
	tags      []string
	metadata  map[string]any
	startedAt time.Time

	next      int64 // sequence of the next event
	status    openwopv1.RunStatus
	endedAt   time.Time
	variables map[string]any

	nodes  []nodeState // as program.nodes
	starts int         // of nodes, the loop's included
	done   int         // how many of the nodes outside the loop are behind

	loop    loop
	gate    gate // that is under way
	stop    *Stop
	failing *failing
	pausing *Pause  // the run is to stand still when it can
	paused  *paused // it does
	stood   bool    // it did, at some time
	err     *openwopv1.RunError
	outputs map[string]any

	// Of a replay: the places at which its own log has an event that its source has not, whether the answer of the model that
	// the node under way calls differs from the source's, and why the replay fails where it is a refusal or was one.
	asides  []int64
	differs bool
	refusal *openwopv1.EventError

	children   []childRun
	interrupts []Interrupt // that were ever raised
}

// NewState is a run of a workflow before its first event. The error is a refusal of the definition.
func NewState(runID string, definition openwopv1.WorkflowDefinition) (State, error) {
	p, err := compile(definition)
	if err != nil {
		return State{}, err
	}
	honest := rules.Honest()
	return newState(runID, p, &honest), nil
}

func newState(runID string, p *program, set *rules.Set) State {
	return State{runID: runID, program: p, rules: set, status: openwopv1.RunStatusPending, nodes: make([]nodeState, len(p.nodes))}
}

// nodeState is where a node stands. The nodes of a loop are started again every turn.
type nodeState struct {
	status   nodeStatus
	starts   int
	outputs  map[string]any
	due      time.Time // core.delay: when to go on
	resolved int       // interrupts of this node that were resolved
	expired  bool      // an interrupt of this node was not resolved in time
	gone     bool      // an interrupt of this node was open when the run was stopped
}

type nodeStatus string

const (
	nodePending   nodeStatus = "pending"
	nodeRunning   nodeStatus = "running"
	nodeSuspended nodeStatus = "suspended"
	nodeCompleted nodeStatus = "completed"
	nodeFailed    nodeStatus = "failed"
	nodeSkipped   nodeStatus = "skipped"
	nodeCancelled nodeStatus = "cancelled"
)

// active tells whether a node began and did not end.
func (s nodeStatus) active() bool { return s == nodeRunning || s == nodeSuspended }

// failing is why the run must fail next.
type failing struct {
	err    openwopv1.RunError
	nodeID string
	cause  string            // eventId
	ofNode bool              // one that has failed
	kind   openwopv1.CapKind // of the bound that was crossed; empty: none was
	limit  int64             // of that
}

// childRun is a child that was created.
type childRun struct {
	runID, workflowID string
	status            openwopv1.RunStatus
}

// loop is the supervisor's loop.
type loop struct {
	phase     phase
	iteration int  // of the turn that began last, 0 before the first
	consulted int  // how many decisions the script has given
	ratified  bool // somebody accepted the decision that the agent was not sure of
	resumed   bool // this turn was suspended and resumed
	resumes   int  // how many turns were

	decision  decision
	decidedID string // eventId of the decided event
	agentID   string

	startedID string // eventId of the start of the supervisor's node
	reads     any    // what the turn reads, as its script says when it begins
	writes    any    // what the turns write, likewise
	begun     bool   // the first note is taken
	concluded bool   // the last note is taken
	write     *Write // the write that is announced and of which nothing has come yet
	wrote     int    // writes that are done with

	verdicts any                                   // what the verifier finds, as the script says when the turn begins
	verified int                                   // how many verdicts there were in this run
	verdict  openwopv1.AgentVerifiedPayloadVerdict // on the result that is about to count; empty before it
	heeded   openwopv1.AgentVerifiedPayloadVerdict // the one that the host goes by

	told  bool   // that the decision is held
	asked *asked // the suspension of this turn

	child      *Child // the handoff under way, or the last one
	announced  int64  // place at which that child was announced
	chainID    string // eventId of its latest step
	endID      string // eventId of the step that ended the child
	dispatched bool   // node.dispatched is written
	written    int    // variables harvested so far
	harvested  bool   // output.harvested is written
}

// phase is where a turn stands. Every event of a turn moves it on, so that a turn can go on after any of them.
type phase string

const (
	phaseIdle        phase = ""            // between turns
	phaseDeciding    phase = "deciding"    // the supervisor's node is started
	phaseDecided     phase = "decided"     // the decision is on the log
	phaseEscalated   phase = "escalated"   // ... and is held
	phaseSuspended   phase = "suspended"   // the supervisor's node is suspended
	phaseAsked       phase = "asked"       // the interrupt is requested: waits for an answer
	phaseAnswered    phase = "answered"    // the interrupt is resolved
	phaseNoted       phase = "noted"       // ... and the answer is a variable
	phaseResumed     phase = "resumed"     // the supervisor's node goes on
	phaseActing      phase = "acting"      // the supervisor's node is completed; now the effect
	phaseDispatching phase = "dispatching" // the dispatch node is started
)

// asked is a suspension.
type asked struct {
	kind        openwopv1.InterruptKind
	interruptID string
	key         string
	data        []byte // JSON, as the kind calls for
	unsure      bool   // raised before the decision was on the log
	requestedID string // eventId of interrupt.requested
	resolvedID  string // eventId of interrupt.resolved
	value       []byte // JSON that resolved it
	rejected    bool
}

// Ended tells whether the run is in a final status.
func (s *State) Ended() bool { return ended(s.status) }

// Waiting tells whether the run is suspended.
func (s *State) Waiting() bool {
	return (s.loop.phase == phaseAsked || s.openGate() != nil) && s.stop == nil && !s.Ended()
}

// answered tells whether somebody has answered in this run.
func (s *State) answered() bool {
	return slices.ContainsFunc(s.interrupts, func(i Interrupt) bool { return i.Resolved })
}

// pending is the suspension that waits for an answer, and the node; only to be asked for where there is one.
func (s *State) pending() (*asked, *node) {
	if g := s.openGate(); g != nil {
		return &g.asked, s.gateNode()
	}
	return s.loop.asked, s.program.supervisor()
}

func ended(status openwopv1.RunStatus) bool {
	switch status {
	case openwopv1.RunStatusCompleted, openwopv1.RunStatusFailed, openwopv1.RunStatusCancelled:
		return true
	}
	return false
}

// inherits tells whether the child under way was announced in the part of the log that a branch took over. It is the
// branch's own all the same, and may not exist yet, whatever the log says.
func (s *State) inherits() bool {
	link := s.created.Fork
	return link != nil && link.Branch && s.loop.announced < link.FromSeq
}

// clone shares nothing with s that a fold changes.
func (s State) clone() State {
	s.variables = maps.Clone(s.variables)
	s.nodes = slices.Clone(s.nodes)
	s.children = slices.Clone(s.children)
	s.asides = slices.Clone(s.asides)
	s.interrupts = slices.Clone(s.interrupts)
	s.gate.votes = slices.Clone(s.gate.votes)
	if s.loop.asked != nil {
		a := *s.loop.asked
		s.loop.asked = &a
	}
	return s
}

// waitingStatus is the status of a run that an interrupt of this kind suspends.
func waitingStatus(kind openwopv1.InterruptKind) openwopv1.RunStatus {
	switch kind {
	case openwopv1.InterruptKindApproval, openwopv1.InterruptKindLowConfidence:
		return openwopv1.RunStatusWaitingApproval
	case openwopv1.InterruptKindExternalEvent:
		return openwopv1.RunStatusWaitingExternal
	default:
		return openwopv1.RunStatusWaitingInput
	}
}
