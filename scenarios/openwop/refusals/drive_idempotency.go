package refusals

import (
	"context"
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
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
	Long      host.KeyedRun   `json:"long"`      // under a long key
	LongAgain host.KeyedRun   `json:"longAgain"` // the same request, the same long key
	Near      []host.KeyedRun `json:"near"`      // the same request, under keys that differ from the long one in a letter
	Plain     host.KeyedRun   `json:"plain"`     // under another key
	Others    []host.KeyedRun `json:"others"`    // bodies with a member more, under that key
	Numbers   KeyedValues     `json:"numbers"`
	Refusal   KeyedFork       `json:"refusal"`
	File      KeyedFile       `json:"file"`
	Misfit    host.KeyedRun   `json:"misfit,omitzero"` // a run without a workflow, under a key of its own. Zero at quick
	Mended    host.KeyedRun   `json:"mended,omitzero"` // a run with one, under that key
}

// longest is how many characters of an idempotency key the API document lets a client send.
const longest = 255

// keyed asks for runs under idempotency keys.
var keyed = &scenarios.Drive[IdempotencyObservation]{
	ID: "openwop/idempotency",
	Title: "asks for the same run again under one key: unchanged, with its members in another order, with another body, and four times at " +
		"once; under long keys that differ in one letter; with bodies that differ in a member without meaning, or slightly in one value; and " +
		"under another key as the control; then forks a run under one key, from beyond its log and from its first event; beyond " +
		"quick, forks it under a key that a run was made under, deletes a workspace file under the key of its write, and mends a request that " +
		"did not fit",
	Sends: []string{"{create run} with Idempotency-Key, some forty times", "{fork run} with Idempotency-Key", "{poll log}",
		"{write file} with Idempotency-Key", "{delete file} with Idempotency-Key"},
	Uses: []string{host.WorkspaceFiles},
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
		sendLongKeys(ctx, h, o, body(h.Marker()))
		sendMore(ctx, h, o, simple.WorkflowID)
		o.Numbers = sendValues(ctx, h, simple.WorkflowID)
		o.Refusal = forkKeyed(ctx, h)
		if h.Depth > scenarios.Quick {
			o.File = deleteKeyed(ctx, h)
			own, note := h.Name("key"), h.Marker()
			o.Misfit = h.KeyedRun(wire.Misfit(ctx, openwop.OWPERR26), "a run without a workflow under a key of its own", own,
				fmt.Appendf(nil, `{"metadata":{"note":%q}}`, note))
			o.Mended = h.KeyedRun(ctx, "a run with a workflow under that key", own, body(note))
		}
	},
}

// sendLongKeys asks for one run under a long key, twice, and under others that differ in one letter.
func sendLongKeys(ctx context.Context, h host.Host, o *IdempotencyObservation, body []byte) {
	key := strings.Repeat(h.Name("key")+"-", longest)[:longest-1]
	o.Long = h.KeyedRun(ctx, fmt.Sprintf("a run under a key of %d characters", len(key)+1), key+"a", body)
	if !host.Succeeded(o.Long.Status) {
		return
	}
	o.LongAgain = h.KeyedRun(ctx, "the same run under the same long key", key+"a", body)
	for _, near := range []struct{ what, key string }{
		{"another last letter", key + "b"}, {"a capital letter in place of a small one", key + "A"}, {"its last letter missing", key},
	} {
		o.Near = append(o.Near, h.KeyedRun(ctx, "the same run under that key with "+near.what, near.key, body))
	}
}

// sendMore asks for a run under a key, and under the same key for others that say a little more.
func sendMore(ctx context.Context, h host.Host, o *IdempotencyObservation, workflow string) {
	key, note := h.Name("key"), h.Marker()
	body := func(metadata, top string) []byte {
		return fmt.Appendf(nil, `{"workflowId":%q,"metadata":{"note":%q%s}%s}`, workflow, note, metadata, top)
	}
	o.Plain = h.KeyedRun(ctx, "a run under a key of its own", key, body("", ""))
	if !host.Succeeded(o.Plain.Status) {
		return
	}
	for _, value := range []string{`false`, `0`, `""`, `[]`, `{}`} {
		o.Others = append(o.Others, h.KeyedRun(ctx, "that run under that key with "+value+" in its metadata", key, body(`,"more":`+value, "")))
	}
	members := []string{`"tags":[]`, `"inputs":{}`}
	if h.Depth > scenarios.Quick { // run options are part of the request
		members = append(members, `"configurable":{}`)
	}
	for _, member := range members {
		o.Others = append(o.Others, h.KeyedRun(ctx, "that run under that key with "+member, key, body("", ","+member)))
	}
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
