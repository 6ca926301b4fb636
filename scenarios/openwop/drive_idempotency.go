package openwop

import (
	"context"
	"fmt"
	"net/http"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// KeyedRun is a run that was asked for under an idempotency key.
type KeyedRun struct {
	Answered
	Replay wire.Value `json:"replay"` // openwop-Idempotent-Replay
}

func (k KeyedRun) runID() wire.Value { return k.Body.Key("runId") }

// IdempotencyObservation is what came of requests under few keys.
type IdempotencyObservation struct {
	First     KeyedRun   `json:"first"`
	Again     KeyedRun   `json:"again"`     // the same request, the same key
	Reordered KeyedRun   `json:"reordered"` // its members in another order
	Other     KeyedRun   `json:"other"`     // another body, the same key
	Fresh     KeyedRun   `json:"fresh"`     // the same request, another key
	Last      KeyedRun   `json:"last"`      // as Again, after all of these
	AtOnce    []KeyedRun `json:"atOnce"`    // one request, one key, four times at once
	After     KeyedRun   `json:"after"`     // that request once more
}

// keyed asks for runs under idempotency keys.
var keyed = &scenarios.Drive[IdempotencyObservation]{
	ID:    "openwop/idempotency",
	Title: "asks for the same run under one key again, reordered, with another body and four times at once; as the control under another key",
	Sends: []string{"POST /v1/runs with Idempotency-Key, eleven times"},
	Run: func(ctx context.Context, c *scenarios.Conn) (IdempotencyObservation, error) {
		h := host{c}
		var o IdempotencyObservation
		simple, err := h.simple()
		if err != nil {
			return o, err
		}
		body := func(marker string) []byte {
			return fmt.Appendf(nil, `{"workflowId":%q,"metadata":{"assay":%q,"by":"assay"}}`, simple.WorkflowID, marker)
		}
		marker := h.marker()
		reordered := fmt.Appendf(nil, `{"metadata":{"by":"assay","assay":%q},"workflowId":%q}`, marker, simple.WorkflowID)
		key, another := h.Name("key"), h.Name("key")
		for _, ask := range []struct {
			what, key string
			body      []byte
			of        *KeyedRun
		}{
			{"a run under a key", key, body(marker), &o.First},
			{"the same run under the same key", key, body(marker), &o.Again},
			{"the same run with its members in another order", key, reordered, &o.Reordered},
			{"another run under the same key", key, body(h.marker()), &o.Other},
			{"the same run under another key", another, body(marker), &o.Fresh},
			{"the same run under the first key, at last", key, body(marker), &o.Last},
		} {
			if *ask.of, err = h.keyedRun(ctx, ask.what, ask.key, ask.body); err != nil {
				return o, err
			}
		}
		return o, h.keyedAtOnce(ctx, &o, body(h.marker()))
	},
}

// keyedAtOnce asks for one run four times at once, and once more after that.
func (h host) keyedAtOnce(ctx context.Context, o *IdempotencyObservation, body []byte) error {
	key := h.Name("key")
	o.AtOnce = make([]KeyedRun, 4)
	calls := make([]func(context.Context) error, len(o.AtOnce))
	for i := range calls {
		calls[i] = func(ctx context.Context) (err error) {
			o.AtOnce[i], err = h.keyedRun(ctx, fmt.Sprintf("a run under a key, request %d of those at once", i+1), key, body)
			return err
		}
	}
	if err := h.AtOnce(ctx, calls...); err != nil {
		return err
	}
	var err error
	o.After, err = h.keyedRun(ctx, "that run once more", key, body)
	return err
}

func (h host) keyedRun(ctx context.Context, what, key string, body []byte) (KeyedRun, error) {
	reply, err := h.do(ctx, wire.Call{Method: http.MethodPost, Path: "/v1/runs", Body: body, Label: what, Secrets: interruptTokens, Header: map[string]string{"Idempotency-Key": key}})
	if err != nil {
		return KeyedRun{}, err
	}
	h.adopt(reply)
	return KeyedRun{answered(what, reply), reply.HeaderValue("openwop-Idempotent-Replay")}, nil
}
