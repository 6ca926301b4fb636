package interrupts

import (
	"context"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
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
	ID:    "openwop/token-alone",
	Title: "has a run wait for an approval that asks for a credential, accepts with its token alone, runs a sentinel, and accepts with the key",
	Sends: []string{"POST /v1/runs (conformance-interrupt-auth-required)", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "POST /v1/interrupts/{token}", "POST /v1/runs/{runId}/interrupts/{nodeId}", "POST /v1/runs (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn) (o TokenAloneObservation, err error) {
		h := host.Host{Conn: c}
		w, err := tokened(ctx, h, gateWay{fixture: fixture.UpstreamAuth, node: "gate"}, &o.Gate)
		if err != nil || !w.waits() {
			return o, err
		}
		marker := h.Marker()
		if o.Token, err = w.answersBy(ctx, w.token, "to accept with the token alone", marker, decision(openwopv1.ApprovalActionAccept, marker)); err != nil {
			return o, err
		}
		if err := w.settled(ctx, &o.Barrier, &o.Later); err != nil {
			return o, err
		}
		if o.Accepted, err = w.decides(ctx, openwopv1.ApprovalActionAccept); err != nil {
			return o, err
		}
		o.End, err = w.ends(ctx, o.Accepted)
		return o, err
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
	ID:    "openwop/approval-expired",
	Title: "has a run wait for an approval with a short random timeoutMs, waits until it has ended by itself, and accepts it at its node and with its token",
	Sends: []string{"POST /v1/runs (assay-approval with a timeoutMs)", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "POST /v1/runs/{runId}/interrupts/{nodeId}", "POST /v1/interrupts/{token}"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn) (o ExpiredObservation, err error) {
		h := host.Host{Conn: c}
		w, err := waitBriefly(ctx, h, &o)
		if err != nil || !w.waits() && len(suspensions(w.Log, w.Node).Values) == 0 {
			return o, err
		}
		if o.End, err = w.Finish(ctx, "log of the run whose time was over"); err != nil || !o.End.Ended.Reached {
			return o, err
		}
		a, err := w.decides(ctx, openwopv1.ApprovalActionAccept)
		if o.AtNode, err = w.looked(ctx, a, err); err != nil || !o.Tokened {
			return o, err
		}
		marker := h.Marker()
		a, err = w.answersBy(ctx, w.token, "to accept with the token", marker, decision(openwopv1.ApprovalActionAccept, marker))
		o.Token, err = w.looked(ctx, a, err)
		return o, err
	},
}

// waitBriefly has a run wait for a short time. Where that is over before the
// host has shown that the run waits, another is given more.
func waitBriefly(ctx context.Context, h host.Host, o *ExpiredObservation) (*Waiting, error) {
	for o.Timeout = time.Duration(h.Between(200, 300)) * time.Millisecond; ; o.Timeout *= 4 {
		way, err := gateOfOurs(h, approvalWay(h, openwopv1.ApprovalActionAccept, openwopv1.ApprovalActionReject))
		if err != nil {
			return nil, err
		}
		way.inputs["timeoutMs"] = o.Timeout.Milliseconds()
		w, err := wait(ctx, h, way)
		if err != nil {
			return w, err
		}
		o.Gate, o.Tokened = w.Gate, w.token != ""
		if len(w.Log.Terminals().Values) == 0 || o.Timeout > 4*time.Second {
			return w, nil
		}
	}
}
