package openwop

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Gate is a run that an interrupt has suspended, as it stood then.
type Gate struct {
	Way       string    `json:"way"` // the fixture
	Ours      bool      `json:"ours"`
	Node      string    `json:"node"`      // of the fixture, that interrupts
	Suspended wire.Wait `json:"suspended"` // Last is the snapshot
	Log       RunLog    `json:"log"`
}

// Response is what somebody answered an interrupt, and what came of it.
type Response struct {
	Answered
	Marker string `json:"marker"` // in the answer, where nobody else can have it from
	After  RunLog `json:"after"`  // the run as it stood then, where somebody looked
}

// gateWay is a way to have a run suspended by an interrupt.
type gateWay struct {
	fixture, node string
	ours          bool
	inputs        map[string]any
}

// gateOf is the strongest way on offer: our fixture with these inputs, else upstream's.
func (h host) gateOf(ours gateWay, upstream gateWay) (gateWay, error) {
	switch {
	case h.offers(ours.fixture):
		ours.ours = true
		return ours, nil
	case h.offers(upstream.fixture):
		return upstream, nil
	}
	return gateWay{}, scenarios.Block("no workflow with this interrupt is on offer", loadFixtures)
}

// gateOfOurs is for what upstream's fixtures cannot bring about.
func (h host) gateOfOurs(ours gateWay) (gateWay, error) {
	if !h.offers(ours.fixture) {
		return gateWay{}, scenarios.Block("upstream's fixtures cannot bring it about, and "+ours.fixture+" is not on offer", loadFixtures)
	}
	ours.ours = true
	return ours, nil
}

// approvalWay is an approval that can be answered by these actions.
func (h host) approvalWay(actions ...openwopv1.ApprovalAction) gateWay {
	h.Rand.Shuffle(len(actions), func(i, j int) { actions[i], actions[j] = actions[j], actions[i] })
	return gateWay{fixture: fixtureApproval, node: "gate", inputs: map[string]any{
		"title": "Is it right? " + h.marker(), "actions": actions, "draft": map[string]any{"text": h.marker()},
	}}
}

// approvalGate is an approval of any kind that can be accepted and rejected.
func (h host) approvalGate() (gateWay, error) {
	return h.gateOf(h.approvalWay(openwopv1.ApprovalActionAccept, openwopv1.ApprovalActionReject), gateWay{fixture: upstreamApproval, node: "gate"})
}

// waiting is a run at its gate, with what no record may hold.
type waiting struct {
	*run
	Gate
	token string // "" where the snapshot shows none
	draft string // that the gate was given, "" where none
	ask   func(context.Context, wire.Call) (*wire.Reply, error)
}

// wait makes a run and waits until its interrupt suspends it.
func (h host) wait(ctx context.Context, way gateWay) (*waiting, error) {
	r, err := h.create(ctx, "create a run that will wait", openwopv1.CreateRunRequest{WorkflowID: way.fixture, Inputs: way.inputs})
	if err != nil {
		return nil, err
	}
	w := &waiting{run: r, ask: r.permitted, draft: draftOf(way), Gate: Gate{Way: way.fixture, Ours: way.ours, Node: way.node}}
	if r.ID == "" {
		w.Log, err = r.log(ctx, "no log")
		return w, err
	}
	if w.Suspended, err = r.suspended(ctx, 0); err != nil {
		return w, err
	}
	// The token is read apart: what was waited for is kept without it.
	reply, err := r.snapshot(ctx, "the run that waits")
	if err != nil {
		return w, err
	}
	for _, pointer := range interruptTokens {
		if w.token == "" {
			w.token = reply.Text(pointer)
		}
	}
	w.Log, err = r.log(ctx, "log of the run that waits")
	return w, err
}

// waitForApproval is wait at an approval of any kind that can be accepted and rejected.
func (h host) waitForApproval(ctx context.Context) (*waiting, error) {
	way, err := h.approvalGate()
	if err != nil {
		return nil, err
	}
	return h.wait(ctx, way)
}

// waits says whether there is somebody to answer.
func (w *waiting) waits() bool { return w.Suspended.Reached }

// by is the same run, asked for by somebody else, whose credential the host may not accept.
func (w *waiting) by(c *scenarios.Conn) *waiting {
	other := *w
	other.run, other.ask = &run{host: host{c}, ID: w.ID, Created: w.Created, gone: w.gone}, c.Do
	return &other
}

// answerAt answers a node of the run.
func (w *waiting) answerAt(ctx context.Context, node, what, marker string, value any) (Response, error) {
	reply, err := w.ask(ctx, wire.Call{Method: http.MethodPost, Path: runPath(w.ID) + "/interrupts/" + url.PathEscape(node), Label: what,
		Body: map[string]any{"resumeValue": value}, Secrets: interruptTokens})
	if err != nil {
		return Response{}, err
	}
	return Response{Answered: answered(what, reply), Marker: marker}, nil
}

// answers answers the node that waits.
func (w *waiting) answers(ctx context.Context, what, marker string, value any) (Response, error) {
	return w.answerAt(ctx, w.Node, what, marker, value)
}

// tokenPath is where the token of an interrupt is inspected and used.
func tokenPath(token string) string { return "/v1/interrupts/" + url.PathEscape(token) }

// answersBy answers with a token and without any other credential. Any status is an answer.
func (w *waiting) answersBy(ctx context.Context, token, what, marker string, value any) (Response, error) {
	w.Redactor().Hide(token)
	reply, err := w.Do(ctx, wire.Call{Method: http.MethodPost, Path: tokenPath(token), Label: what, Anonymous: true,
		Body: map[string]any{"resumeValue": value}, Secrets: interruptTokens})
	if err != nil {
		return Response{}, err
	}
	return Response{Answered: answered(what, reply), Marker: marker}, nil
}

// answersEither answers as an event from outside does: with the token where there is one.
func (w *waiting) answersEither(ctx context.Context, what, marker string, value any) (Response, error) {
	if w.token != "" {
		return w.answersBy(ctx, w.token, what, marker, value)
	}
	return w.answers(ctx, what, marker, value)
}

// looked is the answer with the run as it stands now.
func (w *waiting) looked(ctx context.Context, a Response, err error) (Response, error) {
	if err != nil {
		return a, err
	}
	a.After, err = w.stands(ctx, "the run after "+a.Asked)
	return a, err
}

// decision is an answer to an approval. The marker is in its comment.
func decision(action openwopv1.ApprovalAction, marker string) map[string]any {
	return map[string]any{"action": action, "comment": marker}
}

// decides answers an approval with an action.
func (w *waiting) decides(ctx context.Context, action openwopv1.ApprovalAction) (Response, error) {
	marker := w.marker()
	return w.answers(ctx, "to "+string(action), marker, decision(action, marker))
}

// ends follows the run to its end, where the answer was taken.
func (w *waiting) ends(ctx context.Context, a Response) (RunLog, error) {
	if !succeeded(a.Status) {
		return RunLog{}, nil
	}
	return w.finish(ctx, "log of the run that was answered")
}

// another has a run of its own begin and end: what the host does behind its replies has had its turn.
func (h host) another(ctx context.Context) (wire.Wait, error) {
	other, err := h.simpleRun(ctx, "sentinel")
	if err != nil || other.ID == "" {
		return wire.Wait{What: "the sentinel has ended"}, err
	}
	return other.ended(ctx)
}

// settled is the run as it stands behind a barrier.
func (w *waiting) settled(ctx context.Context, barrier *wire.Wait, after *RunLog) (err error) {
	if *barrier, err = w.another(ctx); err != nil {
		return err
	}
	*after, err = w.stands(ctx, "the run, when another had ended")
	return err
}

// unoffered are actions that the approval does not offer: one that there is, and one that there is not.
func (h host) unoffered(offered ...openwopv1.ApprovalAction) []openwopv1.ApprovalAction {
	known := []openwopv1.ApprovalAction{openwopv1.ApprovalActionEditAccept, openwopv1.ApprovalActionAsk, openwopv1.ApprovalActionRefine}
	known = slices.DeleteFunc(known, func(a openwopv1.ApprovalAction) bool { return slices.Contains(offered, a) })
	return []openwopv1.ApprovalAction{known[h.Rand.IntN(len(known))], openwopv1.ApprovalAction("assay-" + h.marker())}
}
