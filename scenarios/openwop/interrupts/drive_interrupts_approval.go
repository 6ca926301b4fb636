package interrupts

import (
	"context"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// ApprovalObservation is an approval that was answered wrongly, accepted, and
// answered once more.
type ApprovalObservation struct {
	Gate
	Draft     string      `json:"draft"`     // in the artifact; "" where it was not chosen
	Unoffered []Response  `json:"unoffered"` // actions that it does not offer, and none at all
	Nowhere   Response    `json:"nowhere"`   // an answer to a node that the run does not have
	Barrier   wire.Wait   `json:"barrier"`
	Later     host.RunLog `json:"later"` // behind it
	Accepted  Response    `json:"accepted"`
	End       host.RunLog `json:"end"`
	Again     Response    `json:"again"` // rejected, when the run had ended
}

const sendsGate = "POST /v1/runs (a fixture with an interrupt: ours with random inputs, else upstream's)"

// approvalAnswered answers an approval in every way that is wrong, then rightly, then again.
var approvalAnswered = &scenarios.Drive[ApprovalObservation]{
	ID:    "openwop/approval-answered",
	Title: "has a run wait for an approval, answers with actions that are not offered and at a node that is not there, runs a sentinel, accepts, and rejects when the run has ended",
	Sends: []string{sendsGate, "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "POST /v1/runs/{runId}/interrupts/{nodeId}, six times", "POST /v1/runs (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn) (o ApprovalObservation, err error) {
		h := host.Host{Conn: c}
		w, err := waitForApproval(ctx, h)
		if err != nil {
			return o, err
		}
		o.Gate, o.Draft = w.Gate, w.draft
		if !w.waits() {
			return o, nil
		}
		if err := w.misanswered(ctx, &o); err != nil {
			return o, err
		}
		if o.Accepted, err = w.decides(ctx, openwopv1.ApprovalActionAccept); err != nil {
			return o, err
		}
		if o.End, err = w.ends(ctx, o.Accepted); err != nil || !o.End.Ended.Reached {
			return o, err
		}
		again, err := w.decides(ctx, openwopv1.ApprovalActionReject)
		o.Again, err = w.looked(ctx, again, err)
		return o, err
	},
}

// draftOf is the text of the artifact that the way asks about.
func draftOf(way gateWay) string {
	draft, _ := way.inputs["draft"].(map[string]any)
	text, _ := draft["text"].(string)
	return text
}

// misanswered sends what has to be refused.
func (w *Waiting) misanswered(ctx context.Context, o *ApprovalObservation) error {
	for _, action := range unoffered(w.Run.Host, openwopv1.ApprovalActionAccept, openwopv1.ApprovalActionReject) {
		a, err := w.decides(ctx, action)
		if a, err = w.looked(ctx, a, err); err != nil {
			return err
		}
		o.Unoffered = append(o.Unoffered, a)
	}
	marker := w.Marker()
	a, err := w.answers(ctx, "to answer without an action", marker, map[string]any{"comment": marker})
	if a, err = w.looked(ctx, a, err); err != nil {
		return err
	}
	o.Unoffered = append(o.Unoffered, a)
	marker = w.Marker()
	a, err = w.answerAt(ctx, w.Name("no-node"), "to accept at a node that the run does not have", marker, decision(openwopv1.ApprovalActionAccept, marker))
	if o.Nowhere, err = w.looked(ctx, a, err); err != nil {
		return err
	}
	return w.settled(ctx, &o.Barrier, &o.Later)
}

// DecidedObservation is an approval that was answered once.
type DecidedObservation struct {
	Gate
	Draft   string      `json:"draft"`
	Decided Response    `json:"decided"` // its marker is in the comment, or in the edited artifact
	End     host.RunLog `json:"end"`
}

// decidedOnce has one answer given to an approval.
func decidedOnce(ctx context.Context, h host.Host, way gateWay, answer func(*Waiting) (Response, error)) (o DecidedObservation, err error) {
	w, err := wait(ctx, h, way)
	if err != nil {
		return o, err
	}
	o.Gate, o.Draft = w.Gate, w.draft
	if !w.waits() {
		return o, nil
	}
	if o.Decided, err = answer(w); err != nil {
		return o, err
	}
	o.End, err = w.ends(ctx, o.Decided)
	return o, err
}

var approvalRejected = &scenarios.Drive[DecidedObservation]{
	ID:    "openwop/approval-rejected",
	Title: "has a run wait for an approval and rejects it",
	Sends: []string{sendsGate, "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "POST /v1/runs/{runId}/interrupts/{nodeId}"},
	Run: func(ctx context.Context, c *scenarios.Conn) (DecidedObservation, error) {
		h := host.Host{Conn: c}
		way, err := approvalGate(h)
		if err != nil {
			return DecidedObservation{}, err
		}
		return decidedOnce(ctx, h, way, func(w *Waiting) (Response, error) { return w.decides(ctx, openwopv1.ApprovalActionReject) })
	},
}

var approvalEdited = &scenarios.Drive[DecidedObservation]{
	ID:    "openwop/approval-edited",
	Title: "has a run wait for an approval of a random draft and accepts it with a random edit",
	Sends: []string{"POST /v1/runs (assay-approval with a random draft)", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "POST /v1/runs/{runId}/interrupts/{nodeId}"},
	Run: func(ctx context.Context, c *scenarios.Conn) (DecidedObservation, error) {
		h := host.Host{Conn: c}
		way, err := gateOfOurs(h, approvalWay(h, openwopv1.ApprovalActionAccept, openwopv1.ApprovalActionReject, openwopv1.ApprovalActionEditAccept))
		if err != nil {
			return DecidedObservation{}, err
		}
		return decidedOnce(ctx, h, way, func(w *Waiting) (Response, error) {
			marker := w.Marker()
			return w.answers(ctx, "to accept with an edit", marker, map[string]any{"action": openwopv1.ApprovalActionEditAccept, "editedArtifactData": map[string]any{"text": marker}})
		})
	},
}

// AskedAboutObservation is an approval that somebody asked about before it was accepted.
type AskedAboutObservation struct {
	Gate
	Asked    Response    `json:"asked"`
	Again    wire.Wait   `json:"again"`   // until it waits again, or has ended; Last is the snapshot
	Between  host.RunLog `json:"between"` // as it stood then
	Accepted Response    `json:"accepted"`
	End      host.RunLog `json:"end"`
}

// approvalAskedAbout asks, waits until the gate waits again, and accepts.
var approvalAskedAbout = &scenarios.Drive[AskedAboutObservation]{
	ID:    "openwop/approval-asked-about",
	Title: "has a run wait for an approval, asks about it, and accepts when the gate waits again",
	Sends: []string{"POST /v1/runs (assay-approval with a random draft)", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "POST /v1/runs/{runId}/interrupts/{nodeId}, twice"},
	Run: func(ctx context.Context, c *scenarios.Conn) (o AskedAboutObservation, err error) {
		h := host.Host{Conn: c}
		way, err := gateOfOurs(h, approvalWay(h, openwopv1.ApprovalActionAccept, openwopv1.ApprovalActionReject, openwopv1.ApprovalActionAsk))
		if err != nil {
			return o, err
		}
		w, err := wait(ctx, h, way)
		if err != nil {
			return o, err
		}
		if o.Gate = w.Gate; !w.waits() {
			return o, nil
		}
		if o.Asked, err = w.decides(ctx, openwopv1.ApprovalActionAsk); err != nil || !host.Succeeded(o.Asked.Status) {
			return o, err
		}
		if o.Again, err = w.waitsAgain(ctx); err != nil {
			return o, err
		}
		if o.Between, err = w.Stands(ctx, "the run after the question"); err != nil || !o.Again.Reached {
			return o, err
		}
		if o.Accepted, err = w.decides(ctx, openwopv1.ApprovalActionAccept); err != nil {
			return o, err
		}
		o.End, err = w.ends(ctx, o.Accepted)
		return o, err
	},
}

// waitsAgain waits for a second suspension on the log, which our fixture asks
// for. A run that has ended does not wait again, and is not waited for.
func (w *Waiting) waitsAgain(ctx context.Context) (wire.Wait, error) {
	ended := false
	wait, err := w.Await(ctx, "the gate waits again", func(ctx context.Context) (wire.Value, bool, error) {
		l, err := w.ReadLog(ctx, "log, until the gate waits again")
		if err != nil {
			return wire.Value{}, false, err
		}
		reply, err := w.Snapshot(ctx, "the run after the question")
		if err != nil {
			return wire.Value{}, false, err
		}
		v := reply.Value("")
		status := v.Key("status").String()
		ended = host.IsTerminal(status)
		return v, ended || host.IsWaiting(status) && len(suspensions(l, w.Node).Values) > 1, nil
	})
	wait.Reached = wait.Reached && !ended
	return wait, err
}
