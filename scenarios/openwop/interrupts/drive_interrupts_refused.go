package interrupts

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// TokenAloneObservation is an approval that asks for a credential.
type TokenAloneObservation struct {
	Gate
	Token    Response    `json:"token"` // and nothing else
	Barrier  wire.Wait   `json:"barrier"`
	Later    host.RunLog `json:"later"`
	Accepted Response    `json:"accepted"` // with the key
	End      host.RunLog `json:"end"`
}

// tokenAlone answers with a token what asks for a credential.
var tokenAlone = &scenarios.Drive[TokenAloneObservation]{
	ID: "openwop/token-alone",
	Title: "has a run wait for an approval that asks for a credential, accepts with its token alone, runs a sentinel, and " +
		"accepts with the key",
	Sends: []string{"{create run} (conformance-interrupt-auth-required)", "{read run}", "{poll log}", "{use token}", "{answer node}",
		"{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TokenAloneObservation) {
		h := host.Host{Conn: c}
		w := tokened(ctx, h, gateWay{fixture: fixture.UpstreamAuth, node: "gate"}, &o.Gate)
		if !w.waits() {
			return
		}
		marker := h.Marker()
		o.Token = w.answersBy(ctx, w.token, "to accept with the token alone", marker, decision(dialect.ApprovalActionAccept, marker))
		w.settled(ctx, &o.Barrier, &o.Later)
		o.Accepted = w.decides(ctx, dialect.ApprovalActionAccept)
		o.End = w.ends(ctx, o.Accepted)
	},
}

// ExpiredObservation is an approval whose time went by.
type ExpiredObservation struct {
	Gate
	Timeout time.Duration `json:"timeoutNs"`
	End     host.RunLog   `json:"end"`
	AtNode  Response      `json:"atNode"` // an answer, when the run had ended
	Tokened bool          `json:"tokened"`
	Token   Response      `json:"token"` // an answer by token, likewise
}

// approvalExpired lets the time of an approval go by.
var approvalExpired = &scenarios.Drive[ExpiredObservation]{
	ID: "openwop/approval-expired",
	Title: "has a run wait for an approval with a short random timeoutMs, waits until it has ended by itself, and accepts " +
		"it at its node and with its token",
	Sends: []string{"{create run} (assay-approval with a timeoutMs)", "{read run}", "{poll log}", "{answer node}", "{use token}"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn, o *ExpiredObservation) {
		h := host.Host{Conn: c}
		w := waitBriefly(ctx, h, o)
		if !w.waits() && len(suspensions(w.Log, w.Node).Values) == 0 {
			return
		}
		if o.End = w.Finish(ctx, "log of the run whose time was over"); !o.End.Ended.Reached {
			return
		}
		if o.AtNode = w.looked(ctx, w.decides(ctx, dialect.ApprovalActionAccept)); !o.Tokened {
			return
		}
		marker := h.Marker()
		o.Token = w.looked(ctx, w.answersBy(ctx, w.token, "to accept with the token", marker, decision(dialect.ApprovalActionAccept, marker)))
	},
}

// waitBriefly has a run wait for a short time. Where that is over before the
// host has shown that the run waits, another is given more.
func waitBriefly(ctx context.Context, h host.Host, o *ExpiredObservation) *Waiting {
	for o.Timeout = time.Duration(h.Between(200, 300)) * time.Millisecond; ; o.Timeout *= 4 {
		way := gateOfOurs(h, approvalWay(h, dialect.ApprovalActionAccept, dialect.ApprovalActionReject))
		way.inputs["timeoutMs"] = o.Timeout.Milliseconds()
		w := wait(ctx, h, way)
		o.Gate, o.Tokened = w.Gate, w.token != ""
		if len(w.Log.Terminals().Values) == 0 || o.Timeout > 4*time.Second {
			return w
		}
	}
}
