package interrupts

import (
	"context"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Gate is a run that an interrupt has suspended, as it stood then.
type Gate struct {
	Way       string      `json:"way"` // the fixture
	Ours      bool        `json:"ours"`
	Node      string      `json:"node"`      // of the fixture, that interrupts
	Suspended wire.Wait   `json:"suspended"` // Last is the snapshot
	Log       host.RunLog `json:"log"`
}

// Response is what somebody answered an interrupt, and what came of it.
type Response struct {
	host.Answered
	Marker string      `json:"marker"` // in the answer, where nobody else can have it from
	After  host.RunLog `json:"after"`  // the run as it stood then, where somebody looked
}

// gateWay is a way to have a run suspended by an interrupt.
type gateWay struct {
	fixture, node string
	ours          bool
	inputs        map[string]any
}

// gateOf is the strongest way on offer: our fixture with these inputs, else upstream's.
func gateOf(h host.Host, ours gateWay, upstream gateWay) gateWay {
	switch {
	case h.Offers(ours.fixture):
		ours.ours = true
		return ours
	case h.Offers(upstream.fixture):
		return upstream
	}
	scenarios.End(scenarios.Block("no workflow with this interrupt is on offer", fixture.Load))
	return gateWay{}
}

// gateOfOurs is for what upstream's fixtures cannot bring about.
func gateOfOurs(h host.Host, ours gateWay) gateWay {
	if !h.Offers(ours.fixture) {
		scenarios.End(scenarios.Block("upstream's fixtures cannot bring it about, and "+ours.fixture+" is not on offer", fixture.Load))
	}
	ours.ours = true
	return ours
}

// approvalWay is an approval that can be answered by these actions.
func approvalWay(h host.Host, actions ...dialect.ApprovalAction) gateWay {
	h.Rand.Shuffle(len(actions), func(i, j int) { actions[i], actions[j] = actions[j], actions[i] })
	return gateWay{fixture: fixture.Approval, node: "gate", inputs: map[string]any{
		"title": "Is it right? " + h.Marker(), "actions": actions, "draft": map[string]any{"text": h.Marker()},
	}}
}

// approvalGate is an approval of any kind that can be accepted and rejected.
func approvalGate(h host.Host) gateWay {
	return gateOf(h, approvalWay(h, dialect.ApprovalActionAccept, dialect.ApprovalActionReject),
		gateWay{fixture: fixture.UpstreamApproval, node: "gate"})
}

// waiting is a run at its gate, with what no record may hold.
type Waiting struct {
	*host.Run
	Gate
	token string // "" where the snapshot shows none
	draft string // that the gate was given, "" where none
	ask   func(context.Context, wire.Call) *wire.Reply
}

// wait makes a run and waits until its interrupt suspends it.
func wait(ctx context.Context, h host.Host, way gateWay) *Waiting {
	r := h.Create(ctx, "create a run that will wait", dialect.CreateRunRequest{WorkflowID: way.fixture, Inputs: way.inputs})
	w := &Waiting{Run: r, ask: r.Permitted, draft: draftOf(way), Gate: Gate{Way: way.fixture, Ours: way.ours, Node: way.node}}
	if r.ID == "" {
		w.Log = r.ReadLog(ctx, "no log")
		return w
	}
	w.Suspended = r.AwaitSuspended(ctx, 0)
	// The token is read apart: what was waited for is kept without it.
	reply := r.Snapshot(ctx, "the run that waits")
	for _, pointer := range host.InterruptTokens {
		if w.token == "" {
			w.token = reply.Text(pointer)
		}
	}
	w.Log = r.ReadLog(ctx, "log of the run that waits")
	return w
}

// waitForApproval is wait at an approval of any kind that can be accepted and rejected.
func waitForApproval(ctx context.Context, h host.Host) *Waiting {
	way := approvalGate(h)
	return wait(ctx, h, way)
}

// waits says whether there is somebody to answer.
func (w *Waiting) waits() bool { return w.Suspended.Reached }

// by is the same run, asked for by somebody else, whose credential the host may not accept.
func (w *Waiting) by(c *scenarios.Conn) *Waiting {
	other := *w
	other.Run, other.ask = &host.Run{Host: host.Host{Conn: c}, ID: w.ID, Created: w.Created, Gone: w.Gone}, c.Do
	return &other
}

// answerAt answers a node of the run.
func (w *Waiting) answerAt(ctx context.Context, node, what, marker string, value any) Response {
	reply := w.ask(ctx, wire.Call{Operation: dialect.AnswerNode.Of(w.ID, node), Label: what,
		Body: map[string]any{"resumeValue": value}, Secrets: host.InterruptTokens})
	return Response{Answered: host.AnsweredBy(what, reply), Marker: marker}
}

// answers answers the node that waits.
func (w *Waiting) answers(ctx context.Context, what, marker string, value any) Response {
	return w.answerAt(ctx, w.Node, what, marker, value)
}

// answersBy answers with a token and without any other credential. Any status is an answer.
func (w *Waiting) answersBy(ctx context.Context, token, what, marker string, value any) Response {
	w.Redactor().Hide(token)
	reply := w.Do(ctx, wire.Call{Operation: dialect.UseToken.Of(token), Label: what, Anonymous: true,
		Body: map[string]any{"resumeValue": value}, Secrets: host.InterruptTokens})
	return Response{Answered: host.AnsweredBy(what, reply), Marker: marker}
}

// answersEither answers as an event from outside does: with the token where there is one.
func (w *Waiting) answersEither(ctx context.Context, what, marker string, value any) Response {
	if w.token != "" {
		return w.answersBy(ctx, w.token, what, marker, value)
	}
	return w.answers(ctx, what, marker, value)
}

// looked is the answer with the run as it stands now.
func (w *Waiting) looked(ctx context.Context, a Response) Response {
	a.After = w.Stands(ctx, "the run after "+a.Asked)
	return a
}

// decision is an answer to an approval. The marker is in its comment.
func decision(action dialect.ApprovalAction, marker string) map[string]any {
	return map[string]any{"action": action, "comment": marker}
}

// decides answers an approval with an action.
func (w *Waiting) decides(ctx context.Context, action dialect.ApprovalAction) Response {
	marker := w.Marker()
	return w.answers(ctx, "to "+string(action), marker, decision(action, marker))
}

// ends follows the run to its end, where the answer was taken.
func (w *Waiting) ends(ctx context.Context, a Response) host.RunLog {
	if !host.Succeeded(a.Status) {
		return host.RunLog{}
	}
	return w.Finish(ctx, "log of the run that was answered")
}

// another has a run of its own begin and end: what the host does behind its replies has had its turn.
func another(ctx context.Context, h host.Host) wire.Wait {
	other := h.SimpleRun(ctx, "sentinel")
	if other.ID == "" {
		return wire.Wait{What: "the sentinel has ended"}
	}
	return other.AwaitEnd(ctx)
}

// settled is the run as it stands behind a barrier.
func (w *Waiting) settled(ctx context.Context, barrier *wire.Wait, after *host.RunLog) {
	*barrier = another(ctx, w.Run.Host)
	*after = w.Stands(ctx, "the run, when another had ended")
}

// unoffered are actions that the approval does not offer: one that there is, and one that there is not.
func unoffered(h host.Host, offered ...dialect.ApprovalAction) []dialect.ApprovalAction {
	known := []dialect.ApprovalAction{dialect.ApprovalActionEditAccept, dialect.ApprovalActionAsk, dialect.ApprovalActionRefine}
	known = slices.DeleteFunc(known, func(a dialect.ApprovalAction) bool { return slices.Contains(offered, a) })
	return []dialect.ApprovalAction{known[h.Rand.IntN(len(known))], dialect.ApprovalAction("assay-" + h.Marker())}
}

const sendsGate = "{create run} (a fixture with an interrupt: ours with random inputs, else upstream's)"

// draftOf is the text of the artifact that the way asks about.
func draftOf(way gateWay) string {
	draft, _ := way.inputs["draft"].(map[string]any)
	text, _ := draft["text"].(string)
	return text
}
