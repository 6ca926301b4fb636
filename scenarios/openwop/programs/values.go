package programs

import (
	"maps"
	"slices"

	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
)

// numbers are those that a careless host takes for nothing, rounds, or keeps in too few bits.
var numbers = []any{0, 1, -1, 0.5, -0.1, 1e-7, 123456.789, 1 << 31, -1<<31 - 1, 1 << 32, 1<<53 - 1}

// typed draws values of the types that are no text. What looks empty is a value all the same.
func typed(h host.Host, empty bool) model.Values {
	if empty {
		return model.Values{"flag": false, "count": 0, "shape": map[string]any{}, "list": []any{}}
	}
	ones := make([]any, h.Draw(long))
	for i := range ones {
		ones[i] = 1
	}
	return model.Values{
		"flag":  h.Draw(truth) == 1,
		"count": numbers[h.Draw(number)],
		"shape": map[string]any{"no": false, "none": 0, "empty": "", "null": nil, "list": []any{}, "object": map[string]any{},
			"Zoë 名前 🙂": text(h), "a.b/c~d": nested(h)},
		"list": append([]any{nil, false, 0, "", []any{}, map[string]any{}, nested(h), numbers[h.Draw(number)], text(h)}, ones...),
	}
}

// former draws values that variables hold before workers write them. What a worker brings back must replace them. Where that is an
// object there is always an object before, so that a host that merges the two is seen.
func former(h host.Host, types bool) model.Values {
	values := model.Values{"heard": text(h), "again": text(h)}
	if types {
		maps.Copy(values, model.Values{"flagged": h.Draw(truth) == 1, "counted": numbers[h.Draw(number)], "listed": []any{h.Marker(), 1}})
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if h.Rand.IntN(2) == 0 {
			delete(values, name)
		}
	}
	if types {
		values["shaped"] = map[string]any{"former": h.Marker(), "none": 1, "object": map[string]any{"former": true}}
	}
	return values
}

// nested draws an object or a list with such a value in it, and so on.
func nested(h host.Host) (v any) {
	v = h.Marker()
	for i := range h.Draw(depth) {
		if i%2 == 0 {
			v = []any{v}
		} else {
			v = map[string]any{"in": v}
		}
	}
	return v
}

// inTexts returns the program with texts alone, for a host that takes no other values.
func inTexts(p model.Program) (out model.Program, other bool) {
	out = p
	out.Inputs, out.Turns = model.Values{}, slices.Clone(p.Turns)
	for name, value := range p.Inputs {
		if _, text := value.(string); text {
			out.Inputs[name] = value
		}
	}
	for i, t := range out.Turns {
		if t.Workers == nil {
			continue
		}
		t.Workers = slices.Clone(t.Workers)
		for k, w := range t.Workers {
			if w == fixture.EchoTyped {
				t.Workers[k] = fixture.Echo
			}
		}
		out.Turns[i] = t
	}
	return out, len(out.Inputs) < len(p.Inputs)
}
