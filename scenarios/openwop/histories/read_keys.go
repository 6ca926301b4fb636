package histories

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/model"
)

type keyHistory = explore.Recorded[model.Keys, model.KeyAsk, model.KeySaw]

// keptFor is how long a key is known for sure: no text says when a host may forget it.
const keptFor = time.Hour

// readKeys returns the histories of idempotency keys, each by itself. The requests for runs alone are read.
func readKeys(d *dialect.Dialect, all []explore.Exchange) (out []keyHistory) {
	under := map[string][]explore.Exchange{}
	var order []string
	for _, x := range all {
		key, keyed := x.Get(dialect.IdempotencyKey)
		if keyed && under[key] == nil {
			order = append(order, key)
		}
		if keyed {
			under[key] = append(under[key], x)
		}
	}
	for _, key := range order {
		if h, ok := readKey(d.Path(dialect.CreateRun), under[key]); ok {
			h.Of = key
			out = append(out, h)
		}
	}
	return out
}

// readKey reads the history of a key. A key that anybody but the two tenants used, or for anything else, is left out.
func readKey(runs string, of []explore.Exchange) (h keyHistory, ok bool) {
	var by [2]string
	var bodies []any
	var plain []string // the first way in which each of them was written
	for i, x := range of {
		if x.Began-of[0].Began > keptFor {
			break
		}
		in := model.KeyAsk{Do: model.AskRun}
		if x.ByOther() {
			in.Tenant = 1
		}
		if by[in.Tenant] == "" && x.Answered() {
			by[in.Tenant] = x.By()
		}
		body, isObject := x.Object()
		refused := x.Code/100 == 4 && x.Code != http.StatusConflict
		switch same := func(y explore.Exchange) bool { return y.Ok() && y.Sent == x.Sent && y.By() == x.By() }; {
		case refused && (i > 0 || !x.Answered()) && !slices.ContainsFunc(of[:i], same): // for what it is itself, perhaps
			continue
		case refused && i == 0, x.Method != http.MethodPost, x.Path != runs, x.By() != by[in.Tenant], !isObject, len(x.Query) > 0:
			return h, false
		}
		rounded := inFloats(body)
		if in.Body = slices.IndexFunc(bodies, func(b any) bool { return reflect.DeepEqual(b, rounded) }); in.Body < 0 {
			in.Body, bodies, plain = len(bodies), append(bodies, rounded), append(plain, x.Sent)
		}
		if plain[in.Body] != x.Sent {
			in.Do = model.AskReordered
			if slices.ContainsFunc(of, x.Beside) { // which of them is kept nobody knows
				return h, false
			}
		}
		h.Add(x, in, model.KeySaw{Status: x.Status, Body: x.Body, Sent: x.Sent, Beside: slices.ContainsFunc(of, func(y explore.Exchange) bool {
			return x.Beside(y) && y.By() == x.By()
		})})
	}
	return h, slices.ContainsFunc(of, explore.Exchange.Ok)
}

// inFloats returns a value whose numbers are floats: integers beyond 53 bits may count as one (OWP-R24).
func inFloats(v any) (rounded any) {
	raw, err := json.Marshal(v)
	if err != nil || json.Unmarshal(raw, &rounded) != nil {
		return v // a number that no float holds
	}
	return rounded
}
