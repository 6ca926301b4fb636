package refusals

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// IdempotencyObservation is the outcome of requests under a few keys.
type IdempotencyObservation struct {
	First     host.KeyedRun   `json:"first"`
	Again     host.KeyedRun   `json:"again"`     // the same request, the same key
	Reordered host.KeyedRun   `json:"reordered"` // its members in another order
	Other     host.KeyedRun   `json:"other"`     // another body, the same key
	Fresh     host.KeyedRun   `json:"fresh"`     // the same request, another key
	Last      host.KeyedRun   `json:"last"`      // as Again, after all of these
	AtOnce    []host.KeyedRun `json:"atOnce"`    // one request, one key, four times at once
	After     host.KeyedRun   `json:"after"`     // that request once more
}

// keyed asks for runs under idempotency keys.
var keyed = &scenarios.Drive[IdempotencyObservation]{
	ID:    "openwop/idempotency",
	Title: "asks for the same run under one key again, reordered, with another body and four times at once; as the control under another key",
	Sends: []string{"{create run} with Idempotency-Key, eleven times"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *IdempotencyObservation) {
		h := host.Host{Conn: c}
		simple := h.Simple()
		body := func(marker string) []byte {
			return fmt.Appendf(nil, `{"workflowId":%q,"metadata":{"note":%q,"by":"order"}}`, simple.WorkflowID, marker)
		}
		marker := h.Marker()
		reordered := fmt.Appendf(nil, `{"metadata":{"by":"order","note":%q},"workflowId":%q}`, marker, simple.WorkflowID)
		key, another := h.Name("key"), h.Name("key")
		for _, ask := range []struct {
			what, key string
			body      []byte
			of        *host.KeyedRun
		}{
			{"a run under a key", key, body(marker), &o.First},
			{"the same run under the same key", key, body(marker), &o.Again},
			{"the same run with its members in another order", key, reordered, &o.Reordered},
			{"another run under the same key", key, body(h.Marker()), &o.Other},
			{"the same run under another key", another, body(marker), &o.Fresh},
			{"the same run under the first key, at last", key, body(marker), &o.Last},
		} {
			*ask.of = h.KeyedRun(ctx, ask.what, ask.key, ask.body)
		}
		sendKeyedAtOnce(ctx, h, o, body(h.Marker()))
	},
}

// sendKeyedAtOnce asks for one run four times at once, and once more after that.
func sendKeyedAtOnce(ctx context.Context, h host.Host, o *IdempotencyObservation, body []byte) {
	key := h.Name("key")
	o.AtOnce = make([]host.KeyedRun, 4)
	calls := make([]func(context.Context), len(o.AtOnce))
	for i := range calls {
		calls[i] = func(ctx context.Context) {
			o.AtOnce[i] = h.KeyedRun(ctx, fmt.Sprintf("a run under a key, request %d of those at once", i+1), key, body)
		}
	}
	h.AtOnce(ctx, calls...)
	o.After = h.KeyedRun(ctx, "that run once more", key, body)
}
