package interrupts

import (
	"context"
	"net/http"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// TokenAloneObservation is an approval that requires a credential.
type TokenAloneObservation struct {
	Gate
	Token    Response    `json:"token"` // without another credential
	Barrier  wire.Wait   `json:"barrier"`
	Later    host.RunLog `json:"later"`
	Accepted Response    `json:"accepted"` // with the key
	End      host.RunLog `json:"end"`
}

// tokenAlone answers with only a token where a credential is required.
var tokenAlone = &scenarios.Drive[TokenAloneObservation]{
	ID: "openwop/token-alone",
	Title: "has a run wait for an approval that asks for a credential, accepts with its token alone, runs a sentinel, and " +
		"accepts with the key",
	Sends: []string{"{create run} (conformance-interrupt-auth-required)", "{read run}", "{poll log}", "{use token}", "{answer node}",
		"{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TokenAloneObservation) {
		h := host.Host{Conn: c}
		w := waitWithToken(ctx, h, gateWay{fixture: fixture.UpstreamAuth, node: "gate"}, &o.Gate)
		if !w.isWaiting() {
			return
		}
		marker := h.Marker()
		o.Token = w.useToken(ctx, w.token, "to accept with the token alone", marker, decision(dialect.ApprovalActionAccept, marker))
		w.settle(ctx, &o.Barrier, &o.Later)
		o.Accepted = w.decide(ctx, dialect.ApprovalActionAccept)
		o.End = w.finishAfter(ctx, o.Accepted)
	},
}

// ExpiredObservation is an approval whose timeout passed.
type ExpiredObservation struct {
	Gate
	Timeout time.Duration `json:"timeoutNs"`
	Long    bool          `json:"long,omitempty"` // the host takes no short one: it is the least of several that the host took
	End     host.RunLog   `json:"end"`
	AtNode  Response      `json:"atNode"` // an answer after the run ended
	Tokened bool          `json:"tokened"`
	Token   Response      `json:"token"` // an answer by token, likewise
	Asked   AskedExpired  `json:"asked,omitzero"`
	// Branch is a branch off the run from where it waited, zero at quick or where it was not made.
	Branch host.RunLog `json:"branch,omitzero"`
}

// AskedExpired is an approval that was asked about before its timeout passed.
type AskedExpired struct {
	Gate
	Asked Response    `json:"asked"`
	End   host.RunLog `json:"end"`
}

// approvalExpired lets an approval time out, and then answers it.
var approvalExpired = &scenarios.Drive[ExpiredObservation]{
	ID: "openwop/approval-expired",
	Title: "has a run wait for an approval with a short random timeoutMs, waits until it has ended by itself, and accepts " +
		"it at its node and with its token; asks about another in time, and waits likewise; beyond quick, branches off the first from where " +
		"it waited",
	Sends: []string{"{create run} (assay-approval with a timeoutMs, else assay-scripted-timeout)",
		"{read run}", "{poll log}", "{answer node}", "{use token}"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn, o *ExpiredObservation) {
		h := host.Host{Conn: c}
		w := waitBriefly(ctx, h, o)
		if !w.isWaiting() && len(suspensions(w.Log, w.Node).Values) == 0 {
			return
		}
		asked := askInTime(ctx, h, o)
		if o.Long {
			c.Until("the timeout of an approval", o.Timeout+host.CoarseGrace, host.NameOf(w.ID))
		}
		afterTimeout(ctx, w, o)
		if host.Succeeded(o.Asked.Asked.Status) {
			o.Asked.End = asked.Finish(ctx, "log of the run that was asked about")
		}
		o.branch(ctx, w)
	},
	Later: func(ctx context.Context, c *scenarios.Conn, o *ExpiredObservation) {
		h := host.Host{Conn: c}
		w := &Waiting{Run: host.RunAgain(h, o.Log), Gate: o.Gate}
		w.ask = w.Permitted
		w.findToken(ctx, "the run, when the time of its approval was over") // the run may have dropped it
		o.Tokened = w.token != ""
		afterTimeout(ctx, w, o)
	},
}

// branch branches off the run from where it waited, where branches are claimed and its time was over soon, and follows the branch.
func (o *ExpiredObservation) branch(ctx context.Context, w *Waiting) {
	_, claimed := claims.ForkBranch.Look(w.Discovery)
	if w.Depth == scenarios.Quick || !claimed || o.Long || !o.End.Ended.Reached || len(suspensions(o.Log, o.Node).Values) == 0 {
		return
	}
	o.Branch = w.ForkFrom(ctx, w.Run, dialect.ForkRunRequest{Mode: dialect.ForkModeBranch, FromSeq: new(host.Sequence(o.Log.Last()) + 1)}).Log
}

// askInTime has another run wait as long, if a short wait can be asked for, and asks about it. If the time passes before
// that, askInTime tries again with a longer one.
func askInTime(ctx context.Context, h host.Host, o *ExpiredObservation) *Waiting {
	if o.Long || !h.Offers(fixture.Approval) {
		return nil
	}
	for timeout := o.Timeout; ; timeout *= 4 {
		way := ourGate(h, approvalWay(h, dialect.ApprovalActionAccept, dialect.ApprovalActionReject, dialect.ApprovalActionAsk))
		way.inputs["timeoutMs"] = timeout.Milliseconds()
		w, refused := waitIfTaken(ctx, h, way)
		if refused != nil {
			return nil
		}
		o.Asked.Gate, o.Asked.Asked = w.Gate, Response{}
		if w.isWaiting() {
			o.Asked.Asked = w.decide(ctx, dialect.ApprovalActionAsk)
		}
		status, _ := o.Asked.Asked.Status.Int()
		gone := status == http.StatusNotFound || status == http.StatusConflict || status == http.StatusGone
		if w.isWaiting() && !gone || timeout > 4*time.Second {
			return w
		}
	}
}

// afterTimeout follows a run whose approval times out, and then answers it.
func afterTimeout(ctx context.Context, w *Waiting, o *ExpiredObservation) {
	if o.End = w.Finish(ctx, "log of the run whose time was over"); !o.End.Ended.Reached {
		return
	}
	if o.AtNode = w.withLog(ctx, w.decide(ctx, dialect.ApprovalActionAccept)); !o.Tokened {
		return
	}
	marker := w.Marker()
	o.Token = w.withLog(ctx, w.useToken(ctx, w.token, "to accept with the token", marker, decision(dialect.ApprovalActionAccept, marker)))
}

// waitBriefly has a run wait with a short timeout. If that passes before the host
// shows the run waiting, waitBriefly tries again with a longer one.
func waitBriefly(ctx context.Context, h host.Host, o *ExpiredObservation) *Waiting {
	for o.Timeout = time.Duration(h.Between(200, 300)) * time.Millisecond; ; o.Timeout *= 4 {
		scripted := !h.Offers(fixture.Approval) && h.Offers(fixture.ScriptedTimeout)
		way := gateWay{fixture: fixture.ScriptedTimeout, node: "gate"}
		if scripted {
			o.Timeout = time.Duration(h.Timeout(way.fixture)) * time.Millisecond
		} else {
			way = ourGate(h, approvalWay(h, dialect.ApprovalActionAccept, dialect.ApprovalActionReject))
			way.inputs["timeoutMs"] = o.Timeout.Milliseconds()
		}
		w, refused := waitIfTaken(ctx, h, way)
		if refused != nil && !scripted {
			if least, timeout := waitLeast(ctx, h, way, w, refused); timeout > 0 {
				w, o.Timeout, o.Long = least, timeout, true
			}
		} else if w == nil {
			scenarios.End(refused)
		}
		o.Gate, o.Tokened = w.Gate, w.token != ""
		if o.Long || scripted || len(w.Log.Terminals().Values) == 0 || o.Timeout > 4*time.Second {
			return w
		}
	}
}

// waitIfTaken is like wait, but returns the refusal of a run that cannot be made.
func waitIfTaken(ctx context.Context, h host.Host, way gateWay) (w *Waiting, refused error) {
	err := scenarios.Try(func() { w = wait(ctx, h, way) })
	if err != nil && !host.IsBlocked(err) {
		scenarios.End(err)
	}
	if err == nil && w.ID == "" && w.Created.Status/100 == 4 {
		err = scenarios.Block("the run was refused", "take timeouts of approvals")
	}
	return w, err
}

// waitLeast has a run wait with the least timeout that the host takes, where it refused a shorter one: first and refused are what
// came of that. If it takes none, it returns first, or the refusal ends the drive.
func waitLeast(ctx context.Context, h host.Host, way gateWay, first *Waiting, refused error) (*Waiting, time.Duration) {
	most, limited := claims.Family(h.Discovery, "limits").Key("maxRunDurationMs").Int()
	for _, timeout := range scenarios.LongLimits() {
		if limited && timeout.Milliseconds() >= most { // the run would end before its approval does
			break
		}
		way.inputs["timeoutMs"] = timeout.Milliseconds()
		if w, still := waitIfTaken(ctx, h, way); still == nil {
			return w, timeout
		}
	}
	if first == nil {
		scenarios.End(refused)
	}
	return first, 0
}
