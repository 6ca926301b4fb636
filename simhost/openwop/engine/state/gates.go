package state

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
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

// GateAt is the gate that is under way, if that is the node with this id.
func (s *State) GateAt(nodeID string) *Gate {
	if i, ok := s.Program.ByID[nodeID]; ok && s.Program.Nodes[i].IsGate() {
		return &s.Gate
	}
	return nil
}

// gateUnderWay tells whether a variable that is set now is a result of a gate.
func (s *State) gateUnderWay() bool { return s.Gate.Phase == GateResolved }

func (g *Gate) raise(a Asked) {
	*g = Gate{Phase: GateSuspended, Asked: a, Comment: g.Comment, Rounds: g.Rounds}
}

func (g *Gate) request(e event.Event, p *event.InterruptRequestedPayload) {
	g.Phase = GateOpen
	g.Asked.Data, g.Asked.RequestedID = p.Data, e.ID
	if p.Kind != event.Approval {
		return
	}
	var data openwopv1.ApprovalData
	if json.Unmarshal(p.Data, &data) == nil { // it was checked before it was written
		g.Quorum = workflow.QuorumOf(data)
	}
}

func (g *Gate) resolve(e event.Event, p *event.InterruptResolvedPayload) {
	g.Phase = GateResolved
	g.Asked.ResolvedID, g.Asked.Value = e.ID, p.ResumeValue
	if p.Kind == event.Approval {
		g.Action, _ = workflow.ReadAction(p.ResumeValue) // it was checked before it was written
	}
}

func (g *Gate) resume() {
	if g.AsksAgain() {
		*g = Gate{Comment: CommentOf(g.Asked.Value), Rounds: g.Rounds + 1}
		return
	}
	g.Phase = gateResumed
}

// voted folds approval.granted and approval.rejected.
func (s *State) voted() {
	if v := s.Gate.vote; v != nil {
		s.Gate.votes, s.Gate.vote = append(s.Gate.votes, *v), nil
	}
}

func (s *State) expire(nodeID string) {
	s.Gate.Expired = true
	if n := s.Node(nodeID); n != nil {
		n.Expired = true
	}
	if i := s.LastInterrupt(); i != nil {
		i.Expired = true
	}
}

// CommentOf is what somebody said who asked about an artifact.
func CommentOf(value json.RawMessage) string {
	for _, key := range []string{"comment", "feedback", "refineFeedback"} {
		var said string
		if json.Unmarshal(workflow.Member(value, key), &said) == nil && said != "" {
			return said
		}
	}
	return ""
}

// Respondent is who answers an interrupt, as far as the host knows.
type Respondent struct {
	Principal string // "" where nothing is known but that they have the token of the interrupt
	Keyless   bool   // no key of theirs was shown
	Bound     bool   // Principal is what their token says, and no answer says otherwise
}

// ErrRepeated says that a vote was cast before, by the same voter and for the same: it counts no more than it did.
var ErrRepeated = errors.New("this vote was cast before")

// CheckApproval refuses who may not approve, then what is no answer, then a second vote. A vote that is only repeated is
// ErrRepeated (interrupt-profiles.md, quorum).
func (g *Gate) CheckApproval(takes *rules.Answers, n *workflow.Node, who Respondent, value json.RawMessage) error {
	var data openwopv1.ApprovalData
	if err := json.Unmarshal(g.Asked.Data, &data); err != nil {
		return err
	}
	switch {
	case who.Keyless && !takes.Admits(rules.Respondent{Keyless: true, Profiled: n.Config[workflow.KeyProfile] == workflow.AuthRequired}):
		return g.forbids(n, "takes no token: send a key that may answer approvals, by run and node")
	case who.Principal == "" && (g.Quorum.Several() || len(data.ApproversList) > 0):
		return g.forbids(n, "wants to know who answers, which a token does not say: send a key, by run and node")
	case len(data.ApproversList) > 0 && !slices.Contains(data.ApproversList, who.Principal):
		return g.forbids(n, "is not yours to answer: you are not among its approvers")
	}
	action, err := workflow.ReadAction(value)
	switch {
	case err != nil:
		return err
	case !slices.Contains(data.Actions, action) && takes.Minds(unoffered(action)):
		return unfit("resumeValue.action", "must be one of the actions that the interrupt names, not %.40q", string(action))
	case isQuestion(action) && g.Rounds >= MaxRounds:
		return unfit("resumeValue.action", "must decide: %d questions were asked at this gate, and it takes no more", MaxRounds)
	case action == openwopv1.ApprovalActionEditAccept && len(workflow.Member(value, KeyEdited)) == 0:
		return codes.Invalid("resumeValue."+KeyEdited, "must be there: the artifact as it is to be accepted")
	case takes.Admits(rules.Respondent{Votes: len(g.votesOf(who.Principal)), Changes: !g.repeats(who.Principal, action)}):
		return nil
	case g.repeats(who.Principal, action):
		return ErrRepeated
	default:
		return codes.Refuse(codes.InterruptResolved, "you have voted otherwise at this gate: everybody has one vote, and it stands",
			"nodeId", n.ID, "interruptId", g.Asked.InterruptID)
	}
}

func unoffered(action openwopv1.ApprovalAction) rules.AnswerFlaw {
	if action == openwopv1.ApprovalActionReject {
		return rules.Unrejectable
	}
	return rules.NotOffered
}

func (g *Gate) forbids(n *workflow.Node, says string) error {
	return codes.Refuse(codes.Forbidden, "this interrupt "+says, "nodeId", n.ID, "interruptId", g.Asked.InterruptID)
}

// unfit refuses what is well-formed, and not what is waited for.
func unfit(field, format string, args ...any) error {
	e := refusal.Invalid(field, format, args...)
	e.Unprocessable = true
	return e
}

// CheckAnswers refuses answers that do not answer every question, or one that nobody asked.
func (g *Gate) CheckAnswers(takes *rules.Answers, value json.RawMessage) error {
	var data openwopv1.ClarificationData
	if err := json.Unmarshal(g.Asked.Data, &data); err != nil {
		return err
	}
	if len(value) > MaxAnswers {
		return codes.Invalid("resumeValue.answers", "must be at most %d bytes", MaxAnswers)
	}
	answers, err := workflow.ReadAnswers(value)
	if err != nil {
		return err
	}
	for _, q := range data.Questions {
		answer, ok := answers[q.ID]
		switch {
		case !ok && takes.Minds(rules.Unanswered):
			return codes.Invalid("resumeValue.answers."+q.ID, "must be answered")
		case !ok:
			continue
		}
		schema, err := workflow.CompileAnswer(q.Schema)
		if err != nil {
			return err
		}
		if err := schema.Check(q.ID, answer); err != nil && takes.Minds(rules.Misfit) {
			return err
		}
		delete(answers, q.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		return codes.Invalid("resumeValue.answers."+id, "nobody asked that")
	}
	return nil
}

// CheckEvent refuses an event that does not have every member of the correlation, with the same value.
func (g *Gate) CheckEvent(takes *rules.Answers, value json.RawMessage) error {
	var data openwopv1.ExternalEventData
	if err := json.Unmarshal(g.Asked.Data, &data); err != nil {
		return err
	}
	var came map[string]any
	if err := json.Unmarshal(value, &came); err != nil || came == nil {
		return unfit("resumeValue", "must be the event, an object")
	}
	for _, name := range slices.Sorted(maps.Keys(data.Correlation)) {
		flaw := rules.Uncorrelated
		got, there := came[name]
		if !there {
			flaw = rules.Missing
		}
		if !(there && reflect.DeepEqual(data.Correlation[name], got)) && takes.Minds(flaw) {
			return unfit("resumeValue."+name, "does not match the correlation: this is another event")
		}
	}
	return nil
}

// KeyEdited is the member of an answer that holds the artifact as it was edited.
const KeyEdited = "editedArtifactData"

// What a gate may ask for at most.
const (
	MaxAnswers = 64 << 10 // bytes of what answers the questions
)

// Counts tells whether an answer is a vote, of which it takes several.
func (g *Gate) Counts(answer json.RawMessage) bool {
	if !g.Quorum.Several() {
		return false
	}
	action, err := workflow.ReadAction(answer)
	return err == nil && (action == openwopv1.ApprovalActionAccept || action == openwopv1.ApprovalActionReject)
}

// votesOf lists what somebody has voted in this round.
func (g *Gate) votesOf(principal string) (votes []Vote) {
	for _, v := range g.votes {
		if v.Principal == principal {
			votes = append(votes, v)
		}
	}
	return votes
}

// repeats reports whether somebody has voted for this action before.
func (g *Gate) repeats(principal string, action openwopv1.ApprovalAction) bool {
	return slices.ContainsFunc(g.votesOf(principal), func(v Vote) bool { return v.action() == action })
}

// Tally counts the votes that are on the log.
func (g *Gate) Tally() (granted, rejected int) {
	for _, v := range g.votes {
		if v.Rejects() {
			rejected++
		} else {
			granted++
		}
	}
	return granted, rejected
}

// Decision is the vote that decided at the gate under way, nil as long as none has.
func (s *State) Decision() *Vote {
	g := &s.Gate
	if len(g.votes) == 0 {
		return nil
	}
	granted, rejected := g.Tally()
	if s.Rules.Answers.Decided(rules.Tally{Granted: granted, Rejected: rejected, Required: g.Quorum.Required, Majority: g.Quorum.Majority}) {
		return &g.votes[len(g.votes)-1]
	}
	return nil
}

func (v Vote) Rejects() bool { return isRejection(event.Approval, v.Value) }

func (v Vote) action() openwopv1.ApprovalAction {
	action, _ := workflow.ReadAction(v.Value) // it was checked before it was written
	return action
}

// isRejection tells whether this value says no to a decision that is held.
func isRejection(kind event.Interrupt, value json.RawMessage) bool {
	if kind == event.Clarification {
		return false
	}
	action, err := workflow.ReadAction(value)
	return err == nil && action == openwopv1.ApprovalActionReject
}
