package histories

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

var keys = &explore.Kind[model.Keys, model.KeyAsk, model.KeySaw]{
	Model: model.KeysModel,
	Begin: func(*rand.Rand, scenarios.Discovery) (k model.Keys) { return k },
	Make: func(_ context.Context, c *scenarios.Conn, _ model.Keys) explore.Object[model.KeyAsk, model.KeySaw] {
		h := host.Host{Conn: c}
		o := &keyring{who: [2]*host.Host{&h}, workflow: h.Simple().WorkflowID, name: h.Name("key")}
		if other, ok := c.Other(); ok {
			o.who[1] = &host.Host{Conn: other}
		}
		return o
	},
	Draw:    drawKey,
	Beside:  scenarios.IDs{openwop.OWPERR4},
	Shown:   func(out model.KeySaw) wire.Value { return out.Status },
	Clients: 4,
	Single:  true,
}

func drawKey(r *rand.Rand, k model.Keys) model.KeyAsk {
	in := model.KeyAsk{Key: r.IntN(model.KeyCount), Body: r.IntN(len(model.Bodies))}
	in.Do = []model.KeyDo{
		model.AskRun, model.AskRun, model.AskRun, model.AskRun, model.AskRun, model.AskReordered, model.AskStranger, model.LookAtRun,
	}[r.IntN(8)]
	if r.IntN(6) == 0 && in.Do != model.AskStranger {
		in.Tenant = 1
	}
	kept := k.Used[in.Tenant][in.Key]
	if in.Do == model.AskStranger {
		kept = k.Used[0][in.Key]
	}
	if kept.Used && r.IntN(2) == 0 {
		in.Body = kept.Ask
	}
	return in
}

var keysAtOnce = &scenarios.Drive[explore.Observation[model.Keys, model.KeyAsk, model.KeySaw]]{
	ID: "openwop/keys-at-once",
	Title: "has up to four clients at once ask for runs under idempotency keys, with the same bodies and others, as another tenant " +
		"and without a credential, in drawn orders",
	Sends:      []string{"{create run} with Idempotency-Key", "{read run}"},
	Kills:      true,
	Dimensions: explore.Dimensions,
	Run:        keys.Run,
}

// keyring is some keys that nobody else uses.
type keyring struct {
	who            [2]*host.Host // the other tenant is nil if there is none
	workflow, name string
	mu             sync.Mutex
	runs           [2][model.KeyCount]string
	under          [2][model.KeyCount]crowd
}

// Do implements [explore.Object].
func (k *keyring) Do(ctx context.Context, _ int, in model.KeyAsk) model.KeySaw {
	h := k.who[in.Tenant]
	switch {
	case h == nil:
		return model.KeySaw{Nobody: true}
	case in.Do == model.LookAtRun:
		return k.look(ctx, h, in)
	case in.Do == model.AskStranger:
		reply := h.AsStranger(ctx, host.NoCredential, wire.Call{
			Operation: dialect.CreateRun.Of(), Body: k.body(in), Label: "a keyed request without a credential",
			Header: map[string]string{dialect.IdempotencyKey: k.key(in)}, Secrets: host.InterruptTokens,
		})
		h.Adopt(reply)
		return model.KeySaw{Status: reply.StatusValue(), Body: reply.Value("")}
	}
	beside := k.under[in.Tenant][in.Key].enter()
	reply := h.KeyedRun(ctx, "a run under a key", k.key(in), k.body(in))
	out := model.KeySaw{Status: reply.Status, Body: reply.Body, Beside: beside()}
	if id := reply.RunID().String(); id != "" {
		k.mu.Lock()
		k.runs[in.Tenant][in.Key] = id
		k.mu.Unlock()
	}
	return out
}

// key returns keys that differ in their last letter alone, or in its case.
func (k *keyring) key(in model.KeyAsk) string { return k.name + "-" + "aAbB"[in.Key:in.Key+1] }

func (k *keyring) body(in model.KeyAsk) []byte {
	metadata := model.Bodies[in.Body]
	if in.Do == model.AskReordered {
		return fmt.Appendf(nil, `{"metadata":%s,"workflowId":%q}`, metadata, k.workflow)
	}
	return fmt.Appendf(nil, `{"workflowId":%q,"metadata":%s}`, k.workflow, metadata)
}

// look reads the run that was made under a key.
func (k *keyring) look(ctx context.Context, h *host.Host, in model.KeyAsk) model.KeySaw {
	k.mu.Lock()
	id := k.runs[in.Tenant][in.Key]
	k.mu.Unlock()
	if id == "" {
		return model.KeySaw{}
	}
	reply := h.Do(ctx, wire.Call{Operation: dialect.ReadRun.Of(id), Label: "a run that was made under a key", Secrets: host.InterruptTokens})
	return model.KeySaw{Status: reply.StatusValue(), Body: reply.Value(""), Asked: id}
}

var keysExplained = scenarios.Scenario{
	ID:     "openwop/histories/keys",
	Title:  "of the requests under an idempotency key one is done, whoever asks at once, and the others are answered as it was",
	Proves: scenarios.IDs{openwop.OWPERR18}, Watches: keys.Watched(), Reaches: scenarios.Survived,
	Claim: claims.Protocol, Ask: scenarios.Ask(keysAtOnce, keys.Judge), Depth: scenarios.Standard,
}
