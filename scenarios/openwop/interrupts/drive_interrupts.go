package interrupts

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Gate is a run at the moment an interrupt suspended it.
type Gate struct {
	Way       string      `json:"way"` // the fixture
	Ours      bool        `json:"ours"`
	Node      string      `json:"node"`      // the fixture's node that interrupts
	Suspended wire.Wait   `json:"suspended"` // Last is the snapshot
	Log       host.RunLog `json:"log"`
}

// Response is an answer to an interrupt, and its effect.
type Response struct {
	host.Answered
	Marker string      `json:"marker"` // random text in the answer
	After  host.RunLog `json:"after"`  // the run afterwards, if it was read
}

// A gateWay is a fixture, with inputs, whose runs an interrupt suspends.
type gateWay struct {
	fixture, node string
	ours          bool
	inputs        map[string]any
	draft         string                             // text of the artifact to approve, "" if none is known
	timeout       time.Duration                      // until the interrupt ends by itself, as the fixture's config says; 0 if it does not
	accepts       func(marker string) map[string]any // an answer with the marker; nil: that of an approval
}

// accepting returns an answer that lets the run go on.
func (g gateWay) accepting(marker string) map[string]any {
	if g.accepts == nil {
		return decision(dialect.ApprovalActionAccept, marker)
	}
	return g.accepts(marker)
}

// gateOf returns our way if the host offers its fixture, else upstream's. It ends the drive if neither is on offer.
func gateOf(h host.Host, ours gateWay, upstream gateWay) gateWay {
	switch {
	case h.Offers(ours.fixture):
		ours.ours = true
		return ours
	case h.Offers(upstream.fixture):
		return upstream
	}
	h.Lacks("the host offers no workflow with this interrupt", ours.fixture)
	return gateWay{}
}

// ourGate is like gateOf where no upstream fixture will do.
func ourGate(h host.Host, ours gateWay) gateWay {
	if !h.Offers(ours.fixture) {
		h.Lacks("upstream has no fixture for this, and the host does not offer "+ours.fixture, ours.fixture)
	}
	ours.ours = true
	return ours
}

// scriptedGate is our way, else one of ours without ports whose engine shows that it obeys its config. It ends the drive if none is on
// offer.
func scriptedGate(h host.Host, ours gateWay, scripted ...gateWay) gateWay {
	for _, way := range scripted {
		if !h.Offers(ours.fixture) && h.Offers(way.fixture) {
			return way
		}
	}
	return ourGate(h, ours)
}

// scriptedApproval is an approval that offers accept, reject, edit-accept and ask.
var scriptedApproval = gateWay{fixture: fixture.ScriptedApproval, node: "gate"}

// scriptedArtifact is one of a draft, which ends by itself after some minutes.
func scriptedArtifact(h host.Host) gateWay {
	text, _ := host.Setting(h, fixture.ScriptedArtifact, "artifactData").(map[string]any)["text"].(string)
	return gateWay{fixture: fixture.ScriptedArtifact, node: "gate", draft: text,
		timeout: time.Duration(h.Timeout(fixture.ScriptedArtifact)) * time.Millisecond}
}

// approvalWay returns an approval that offers these actions, in random order.
func approvalWay(h host.Host, actions ...dialect.ApprovalAction) gateWay {
	h.Rand.Shuffle(len(actions), func(i, j int) { actions[i], actions[j] = actions[j], actions[i] })
	title, draft := "Is it right? "+h.Marker(), h.Marker()
	return gateWay{fixture: fixture.Approval, node: "gate", draft: draft, inputs: map[string]any{
		"title": title, "actions": actions, "draft": map[string]any{"text": draft},
	}}
}

// approvalGate returns any approval that can be accepted and rejected.
func approvalGate(h host.Host) gateWay {
	if own, ok := host.Played(h, host.RoleApproval); ok && !h.Offers(fixture.Approval) && !h.Offers(fixture.UpstreamApproval) {
		return gateWay{fixture: own.WorkflowID}
	}
	return gateOf(h, approvalWay(h, dialect.ApprovalActionAccept, dialect.ApprovalActionReject),
		gateWay{fixture: fixture.UpstreamApproval, node: "gate"})
}

// Waiting is a run at its gate, with secrets that must stay out of the observation.
type Waiting struct {
	*host.Run
	Gate
	token string // "" if the snapshot shows none
	draft string // text of the artifact to approve, "" if none
	way   gateWay
	ask   func(context.Context, wire.Call) *wire.Reply
}

// wait creates a run and waits until its interrupt suspends it.
func wait(ctx context.Context, h host.Host, way gateWay) *Waiting {
	r := h.Create(ctx, "create a run that will wait", dialect.CreateRunRequest{WorkflowID: way.fixture, Inputs: way.inputs})
	w := &Waiting{Run: r, ask: r.Permitted, draft: way.draft, way: way, Gate: Gate{Way: way.fixture, Ours: way.ours, Node: way.node}}
	if r.ID == "" {
		w.Log = r.ReadLog(ctx, "no log")
		return w
	}
	w.Suspended = r.AwaitSuspended(ctx, 0)
	w.findToken(ctx, "the run that waits")
	w.Log = r.ReadLog(ctx, "log of the run that waits")
	if w.Node == "" { // a workflow of the host's own
		w.Node = host.Pending(w.Suspended.Last, w.Log).Node
	}
	return w
}

// findToken reads the run once more for its token: the observation keeps the snapshot that was waited for.
func (w *Waiting) findToken(ctx context.Context, label string) {
	reply := w.Snapshot(ctx, label)
	for _, pointer := range host.InterruptTokens {
		if w.token == "" {
			w.token = reply.Text(pointer)
		}
	}
}

// waitForApproval waits at any approval that can be accepted and rejected.
func waitForApproval(ctx context.Context, h host.Host) *Waiting {
	way := approvalGate(h)
	return wait(ctx, h, way)
}

// isWaiting reports whether the run waits for an answer.
func (w *Waiting) isWaiting() bool { return w.Suspended.Reached }

// by returns the same run with its calls made over c, whose credential the host may refuse.
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

// answer answers the waiting node.
func (w *Waiting) answer(ctx context.Context, what, marker string, value any) Response {
	return w.answerAt(ctx, w.Node, what, marker, value)
}

// useToken answers with a token and no other credential. Any status is accepted.
func (w *Waiting) useToken(ctx context.Context, token, what, marker string, value any) Response {
	return w.tokenFrom(ctx, w.Conn, true, token, what, marker, value)
}

// tokenFrom answers with a token over c, with its credential beside it unless anonymous.
func (w *Waiting) tokenFrom(ctx context.Context, c *scenarios.Conn, anonymous bool, token, what, marker string, value any) Response {
	c.Redactor().Hide(token)
	reply := c.Do(ctx, wire.Call{Operation: dialect.UseToken.Of(token), Label: what, Anonymous: anonymous,
		Body: map[string]any{"resumeValue": value}, Secrets: host.InterruptTokens})
	return Response{Answered: host.AnsweredBy(what, reply), Marker: marker}
}

// answerAsEvent answers as an external event does: by token if the run shows one, else at the node.
func (w *Waiting) answerAsEvent(ctx context.Context, what, marker string, value any) Response {
	if w.token != "" {
		return w.useToken(ctx, w.token, what, marker, value)
	}
	return w.answer(ctx, what, marker, value)
}

// withLog reads the run and returns the answer with it.
func (w *Waiting) withLog(ctx context.Context, a Response) Response {
	a.After = w.Stands(ctx, "the run after "+a.Asked)
	return a
}

// decision returns an answer to an approval with the marker as its comment.
func decision(action dialect.ApprovalAction, marker string) map[string]any {
	return map[string]any{"action": action, "comment": marker}
}

// decide answers an approval with an action.
func (w *Waiting) decide(ctx context.Context, action dialect.ApprovalAction) Response {
	marker := w.Marker()
	return w.answer(ctx, "to "+string(action), marker, decision(action, marker))
}

// finishAfter follows the run to its end if the host took the answer.
func (w *Waiting) finishAfter(ctx context.Context, a Response) host.RunLog {
	if !host.Succeeded(a.Status) {
		return host.RunLog{}
	}
	return w.Finish(ctx, "log of the run that was answered")
}

// runSentinel runs another run to its end, which gives the host time for work it does after its replies.
func runSentinel(ctx context.Context, h host.Host) wire.Wait {
	other := h.SimpleRun(ctx, "sentinel")
	if other.ID == "" {
		return wire.Wait{What: "the sentinel has ended"}
	}
	return other.AwaitEnd(ctx)
}

// settle runs a sentinel as a barrier and then reads the run.
func (w *Waiting) settle(ctx context.Context, barrier *wire.Wait, after *host.RunLog) {
	*barrier = runSentinel(ctx, w.Run.Host)
	*after = w.Stands(ctx, "the run, when another had ended")
}

// mustOffer ends the drive if the approval shows its actions, and this one is none of them.
func (w *Waiting) mustOffer(action dialect.ApprovalAction) {
	if shown := shownActions(w.Suspended.Last, w.Log); !offersAction(shown, action) {
		scenarios.End(scenarios.NotOffered(fmt.Sprintf("the actions of the approval are %s, without %q", shown.JSON(), action)))
	}
}

// shownActions returns the actions that a suspended run shows for its approval, in its snapshot or else on its log.
func shownActions(snapshot wire.Value, l host.RunLog) wire.Value {
	if shown := snapshot.At("/interrupt/data/actions"); shown.Present() {
		return shown
	}
	return l.OfType(dialect.InterruptRequested).Last().At("/payload/data/actions")
}

// offersAction reports whether an action is among those that are shown, or none is shown. The prose calls the offer of an
// edit edit, and the answer edit-accept.
func offersAction(shown wire.Value, action dialect.ApprovalAction) bool {
	if list, _ := shown.Actual().([]any); len(list) == 0 {
		return true
	}
	return slices.ContainsFunc(shown.Items(), func(v wire.Value) bool {
		return v.String() == string(action) || v.String() == "edit" && action == dialect.ApprovalActionEditAccept
	})
}

// unoffered returns two actions that the approval does not offer: one of the protocol's, and one made up.
func unoffered(h host.Host, offered ...dialect.ApprovalAction) []dialect.ApprovalAction {
	known := []dialect.ApprovalAction{dialect.ApprovalActionEditAccept, dialect.ApprovalActionAsk, dialect.ApprovalActionRefine}
	known = slices.DeleteFunc(known, func(a dialect.ApprovalAction) bool { return slices.Contains(offered, a) })
	return []dialect.ApprovalAction{known[h.Rand.IntN(len(known))], dialect.ApprovalAction(h.Marker())}
}

const sendsGate = "{create run} (a fixture with an interrupt: ours with random inputs, else upstream's)"
