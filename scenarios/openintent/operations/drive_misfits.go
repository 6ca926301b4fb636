package operations

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/access"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// MisfitsObservation is what a server answered to requests that do not fit its contract.
type MisfitsObservation struct {
	Made   Made          `json:"made"`
	Before State         `json:"before"`
	Rounds []MisfitRound `json:"rounds"`
}

// MisfitRound is what was asked, and what was there afterwards.
type MisfitRound struct {
	Tried []access.Tried `json:"tried"`
	After State          `json:"after"`
}

// MisfitTable is every operation with every kind of misfit, and what is not sent and why.
var MisfitTable = sync.OnceValues(func() ([]access.MisfitCell, error) {
	contract, err := Contract()
	if err != nil {
		return nil, err
	}
	return contract.MisfitTable(misfitExcluded, nil), nil
})

// misfitExcluded says why misfits of a way are not sent, "" if they are.
func misfitExcluded(w access.Way) string {
	switch {
	case slices.Contains(w.Tags, "seams"):
		return "a seam is for tests, and no text says what it refuses"
	case !w.Secured:
		return "the operation takes nothing that could be wrong"
	}
	return ""
}

// misfitting sends every operation of the contract what it does not allow. Those that no server can do come first.
var misfitting = &scenarios.Drive[MisfitsObservation]{
	ID: "openintent/every-misfit",
	Title: "makes an intent that waits, with all that can be made for it, and sends every operation of the contract requests with one " +
		"thing wrong: each member of its body and each parameter, in each way that its schema refuses",
	Sends: []string{"POST /intents, three times", "POST /intents/{id}/state", "POST /intents/{id}/status",
		"every operation of the contract, with bodies and parameters that do not fit", "GET of what was made, several times"},
	Dimensions: lacks(),
	Run: func(ctx context.Context, c *scenarios.Conn, o *MisfitsObservation) {
		t, made := prepare(ctx, c)
		o.Made = made
		t.below()
		contract := scenarios.Get(Contract())
		o.Before = t.stands(ctx, contract, "before anything that does not fit")
		sends := access.Misfitting{
			Contract: contract, Word: t.strange, Excluded: misfitExcluded, Made: t.adopt,
			Thing: func(access.Way) string { return "" }, Costly: func(access.Way) bool { return false },
			Call: func(m access.Misfit) (wire.Call, bool) { return t.misfitCall(contract, m) },
		}
		if c.Depth > scenarios.Quick {
			o.patchInPart(ctx, t, contract)
		}
		for _, g := range sends.Groups(c) {
			r := MisfitRound{Tried: sends.Try(wire.Misfit(ctx, openintent.OIPREAD13), c, g.Misfits)}
			if len(r.Tried) > 0 {
				r.After = t.stands(ctx, contract, "after requests that do not fit")
				o.Rounds = append(o.Rounds, r)
			}
		}
	},
}

// patchInPart sends patches of the state whose paths lead through values, and several of which the last does not fit. It writes the
// values first.
func (o *MisfitsObservation) patchInPart(ctx context.Context, t *things, contract *access.Contract) {
	set := func(path string, value any) any { return map[string]any{"op": "set", "path": path, "value": value} }
	type try struct {
		what    string
		patches []any
	}
	held := t.Name("held")
	tries := []try{{"values to lead through", []any{set("/"+held, map[string]any{
		"count": 3, "off": false, "word": "one", "items": []any{1, 2}, "none": nil,
	})}}}
	for _, name := range []string{"count", "off", "word", "items", "none"} {
		step := []string{"b", "0", "b/c"}[t.Rand.IntN(3)]
		tries = append(tries, try{"a path through " + name, []any{set("/"+held+"/"+name+"/"+step, 1)}})
	}
	through := len(tries) - 1
	good := set("/"+t.strange, "the first of several")
	record := map[string]any{"id": t.Token(), "question": "go on?", "response_type": t.strange, "context": map[string]any{}}
	tries = append(tries,
		try{"several patches, the last by no known operation", []any{good, map[string]any{"op": t.strange, "path": "/x", "value": 1}}},
		try{"several patches, the last without a path", []any{good, map[string]any{"op": "set", "value": 1}}},
		try{"several patches, the last of a record that does not fit", []any{good, set("/_suspension", record)}})
	w, path := contract.Way("patchIntentState with If-Match"), host.At("/intents/%s/state", t.text("intentId"))
	var r MisfitRound
	for n, k := range tries {
		version, _ := t.Get(ctx, "version of the intent", host.At("/intents/%s", t.text("intentId"))).Body.Key("version").Int()
		q := t.Call("patchIntentState, "+k.what, http.MethodPost, path, map[string]any{"patches": k.patches})
		q.Header = map[string]string{"If-Match": strconv.FormatInt(version, 10)}
		a, _ := access.Send(wire.Misfit(ctx, openintent.OIPREAD13), t.Conn, w, q)
		r.Tried = append(r.Tried, access.Tried{Way: w.Name(), Operation: w.Operation, Changes: true, Answer: a})
		if n < through { // they may change what is there
			continue
		}
		r.After = t.stands(ctx, contract, "after "+k.what)
		o.Rounds, r = append(o.Rounds, r), MisfitRound{}
	}
}

// below has what is made belong to the intent, whose lists show it.
func (t *things) below() {
	t.bodies["createIntent"] = map[string]any{"title": t.strange, "parent_intent_id": t.values["intentId"]}
	t.bodies["createCoordinator"] = map[string]any{"agent_id": t.strange, "intent_id": t.values["intentId"]}
}

// misfitCall returns the request of a misfit without what is wrong in its body. Its version is right.
func (t *things) misfitCall(contract *access.Contract, m access.Misfit) (q wire.Call, ok bool) {
	q, ok = t.callWith(contract, m.Way, m.Value, false)
	if version := t.values["If-Match"]; ok && m.Way.Versioned {
		q.Header = map[string]string{"If-Match": version.(string)}
	}
	return q, ok
}

// adopt takes care of an intent that was made by a request that was let in.
func (t *things) adopt(reply *wire.Reply) {
	if reply.Text("/id") != "" && reply.Text("/title") != "" && reply.Text("/id") != t.values["intentId"] {
		t.Again(reply.Text("/id"), "")
	}
}

// CrossedObservation is what a server answered to paths whose ids do not belong together.
type CrossedObservation struct {
	Made    Made            `json:"made"` // the intent whose children were named below another
	Before  State           `json:"before"`
	Asked   []access.Answer `json:"asked"`
	After   State           `json:"after"`
	Control int             `json:"control"` // operations that are done by the right path in the end
}

// crossed has two intents, with the same things each, and names the children of one below the other.
var crossed = &scenarios.Drive[CrossedObservation]{
	ID: "openintent/every-child-of-another",
	Title: "makes two intents with all that can be made for each, and sends every operation whose path has two ids with the parent of the " +
		"one and the child of the other; as the control with both of one",
	Sends: []string{"POST /intents, six times", "POST /intents/{id}/state, twice", "POST /intents/{id}/status, twice",
		"every operation of the contract whose path has two ids, with ids that do not belong together", "GET of what was made"},
	Dimensions: lacks(),
	Run: func(ctx context.Context, c *scenarios.Conn, o *CrossedObservation) {
		parent, _ := prepare(ctx, c)
		child, made := prepare(ctx, c)
		parent.giveBack(ctx, scenarios.Get(Contract()))
		o.Made = made
		contract := scenarios.Get(Contract())
		o.Before = child.stands(ctx, contract, "before it is named below another")
		var two []access.Way
		for _, w := range contract.Ways {
			if len(w.Places()) > 1 && (w.With == "" || w.With == "If-Match") {
				two = append(two, w)
			}
		}
		for _, w := range two {
			places := w.Places()
			last := places[len(places)-1]
			q, ok := parent.callWith(contract, w, func(name string) (any, bool) {
				value, there := child.values[name]
				return value, there && name == last
			}, false)
			if ok {
				q.Label = w.Name() + ", of another parent's"
				a, _ := access.Send(ctx, c, w, q)
				o.Asked = append(o.Asked, a)
			}
		}
		o.After = child.stands(ctx, contract, "after it was named below another")
		for _, w := range two {
			if q, ok := child.call(contract, w, false); ok {
				q.Label = w.Name() + ", of its own parent's"
				if _, reply := access.Send(ctx, c, w, q); reply != nil && reply.Success() {
					o.Control++
				}
			}
		}
	},
}

// giveBack gives back the lease of the intent, which has the scope of the other's, and asks for another time when one is renewed.
func (t *things) giveBack(ctx context.Context, contract *access.Contract) {
	w := contract.Way("releaseLease")
	if q, ok := t.call(contract, w, false); ok {
		q.Label = "give back a lease"
		access.Send(ctx, t.Conn, w, q)
	}
	if seconds, ok := t.bodies["renewLease"]["duration_seconds"].(int); ok {
		t.bodies["renewLease"]["duration_seconds"] = seconds + 7
	}
}

// text returns a value that is a text, "" for none.
func (t *things) text(name string) string {
	text, _ := t.values[name].(string)
	return text
}
