package interrupts

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// ApprovalObservation is an approval that got wrong answers, was accepted, and
// was answered again.
type ApprovalObservation struct {
	Gate
	Draft     string      `json:"draft"`     // text of the artifact; "" for a fixed fixture
	Unoffered []Response  `json:"unoffered"` // actions not on offer, then none at all
	Nowhere   Response    `json:"nowhere"`   // an answer to an unknown node
	Barrier   wire.Wait   `json:"barrier"`
	Later     host.RunLog `json:"later"` // after the barrier
	Accepted  Response    `json:"accepted"`
	End       host.RunLog `json:"end"`
	Again     Response    `json:"again"` // a rejection after the run ended
}

// approvalAnswered gives an approval wrong answers, then a right one, then another.
var approvalAnswered = &scenarios.Drive[ApprovalObservation]{
	ID: "openwop/approval-answered",
	Title: "has a run wait for an approval, answers with actions that are not offered and at a node that is not there, runs " +
		"a sentinel, accepts, and rejects when the run has ended",
	Sends: []string{sendsGate, "{read run}", "{poll log}", "{answer node}, six times", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ApprovalObservation) {
		h := host.Host{Conn: c}
		way := approvalGate(h)
		offered := []dialect.ApprovalAction{dialect.ApprovalActionAccept, dialect.ApprovalActionReject}
		if way.fixture == fixture.UpstreamApproval && h.Offers(fixture.ScriptedArtifact) {
			way = scriptedArtifact(h)
			offered = append(offered, dialect.ApprovalActionEditAccept, dialect.ApprovalActionAsk)
		}
		w := wait(ctx, h, way)
		o.Gate, o.Draft = w.Gate, w.draft
		if !w.isWaiting() {
			return
		}
		w.sendWrongAnswers(ctx, o, offered)
		o.Accepted = w.decide(ctx, dialect.ApprovalActionAccept)
		if o.End = w.finishAfter(ctx, o.Accepted); !o.End.Ended.Reached {
			return
		}
		o.Again = w.withLog(ctx, w.decide(ctx, dialect.ApprovalActionReject))
	},
}

// sendWrongAnswers sends answers that the host must refuse.
func (w *Waiting) sendWrongAnswers(ctx context.Context, o *ApprovalObservation, offered []dialect.ApprovalAction) {
	for _, action := range unoffered(w.Run.Host, offered...) {
		o.Unoffered = append(o.Unoffered, w.withLog(ctx, w.decide(ctx, action)))
	}
	marker := w.Marker()
	o.Unoffered = append(o.Unoffered, w.withLog(ctx, w.answer(ctx, "to answer without an action", marker, map[string]any{"comment": marker})))
	marker = w.Marker()
	o.Nowhere = w.withLog(ctx, w.answerAt(ctx, w.Name("no-node"), "to accept at a node that the run does not have", marker,
		decision(dialect.ApprovalActionAccept, marker)))
	w.settle(ctx, &o.Barrier, &o.Later)
}

// DecidedObservation is an approval that was answered once.
type DecidedObservation struct {
	Gate
	Draft   string      `json:"draft"`
	Decided Response    `json:"decided"` // carries its marker in the comment or the edited artifact
	End     host.RunLog `json:"end"`
}

// decidedOnce answers an approval once and follows the run.
func decidedOnce(ctx context.Context, h host.Host, way gateWay, answer func(*Waiting) Response, o *DecidedObservation) {
	w := wait(ctx, h, way)
	o.Gate, o.Draft = w.Gate, w.draft
	if !w.isWaiting() {
		return
	}
	o.Decided = answer(w)
	o.End = w.finishAfter(ctx, o.Decided)
}

var approvalRejected = &scenarios.Drive[DecidedObservation]{
	ID:    "openwop/approval-rejected",
	Title: "has a run wait for an approval and rejects it",
	Sends: []string{sendsGate, "{read run}", "{poll log}", "{answer node}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *DecidedObservation) {
		h := host.Host{Conn: c}
		way := approvalGate(h)
		decidedOnce(ctx, h, way, func(w *Waiting) Response { return w.decide(ctx, dialect.ApprovalActionReject) }, o)
	},
}

var approvalEdited = &scenarios.Drive[DecidedObservation]{
	ID:    "openwop/approval-edited",
	Title: "has a run wait for an approval of a random draft and accepts it with a random edit",
	Sends: []string{"{create run} (assay-approval with a random draft, else assay-scripted-artifact or assay-scripted-approval)",
		"{read run}", "{poll log}", "{answer node}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *DecidedObservation) {
		h := host.Host{Conn: c}
		ours := approvalWay(h, dialect.ApprovalActionAccept, dialect.ApprovalActionReject, dialect.ApprovalActionEditAccept)
		way := scriptedGate(h, ours, scriptedArtifact(h), scriptedApproval)
		decidedOnce(ctx, h, way, func(w *Waiting) Response {
			w.mustOffer(dialect.ApprovalActionEditAccept)
			marker := w.Marker()
			return w.answer(ctx, "to accept with an edit", marker, map[string]any{"action": dialect.ApprovalActionEditAccept,
				"editedArtifactData": map[string]any{"text": marker}})
		}, o)
	},
}

// AskedAboutObservation is an approval that was asked about, then accepted.
type AskedAboutObservation struct {
	Gate
	Asked    Response    `json:"asked"`
	Again    wire.Wait   `json:"again"`   // until the run waits again or ends; Last is the snapshot
	Between  host.RunLog `json:"between"` // the run at that moment
	Accepted Response    `json:"accepted"`
	End      host.RunLog `json:"end"`
}

// approvalAskedAbout asks, waits until the gate waits again, and accepts.
var approvalAskedAbout = &scenarios.Drive[AskedAboutObservation]{
	ID:    "openwop/approval-asked-about",
	Title: "has a run wait for an approval, asks about it, and accepts when the gate waits again",
	Sends: []string{"{create run} (assay-approval with a random draft, else assay-scripted-approval)", "{read run}", "{poll log}",
		"{answer node}, twice"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *AskedAboutObservation) {
		h := host.Host{Conn: c}
		way := scriptedGate(h, approvalWay(h, dialect.ApprovalActionAccept, dialect.ApprovalActionReject, dialect.ApprovalActionAsk),
			scriptedApproval)
		w := wait(ctx, h, way)
		if o.Gate = w.Gate; !w.isWaiting() {
			return
		}
		w.mustOffer(dialect.ApprovalActionAsk)
		if o.Asked = w.decide(ctx, dialect.ApprovalActionAsk); !host.Succeeded(o.Asked.Status) {
			return
		}
		o.Again = w.awaitAgain(ctx)
		if o.Between = w.Stands(ctx, "the run after the question"); !o.Again.Reached && !o.leftOpen() {
			return
		}
		o.Accepted = w.decide(ctx, dialect.ApprovalActionAccept)
		o.End = w.finishAfter(ctx, o.Accepted)
	},
}

// leftOpen reports whether the run waits as before the question. A host need not raise another interrupt.
func (o AskedAboutObservation) leftOpen() bool {
	return !o.Again.Reached && host.IsWaiting(o.Again.Last.Key("status").String())
}

// awaitAgain waits for a second suspension on the log, as our fixture demands.
// It gives up once the run has ended.
func (w *Waiting) awaitAgain(ctx context.Context) wire.Wait { return w.awaitSuspensions(ctx, 2) }

// awaitSuspensions waits for the nth suspension of the gate on the log. It gives up once the run has ended.
func (w *Waiting) awaitSuspensions(ctx context.Context, n int) wire.Wait {
	ended := false
	wait := w.Await(ctx, "the gate waits again", func(ctx context.Context) (wire.Value, bool) {
		l := w.ReadLog(ctx, "log, until the gate waits again")
		reply := w.Snapshot(ctx, "the run after the question")
		v := reply.Value("")
		status := v.Key("status").String()
		ended = host.IsTerminal(status)
		return v, ended || host.IsWaiting(status) && len(suspensions(l, w.Node).Values) >= n
	})
	wait.Reached = wait.Reached && !ended
	return wait
}
