package specdiff_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-openapi/jsonpointer"
	"pgregory.net/rapid"

	"github.com/openassay/assay/tools/specdiff"
	"github.com/openassay/assay/tools/specgen"
)

// edits is a document, and the places at which it was changed.
type edits struct {
	doc    any
	places []string
}

// place is a member or an entry of a document: the container, and where in it.
type place struct {
	at        string
	container any
	key       string
	index     int
}

func places(v any, at string, out []place) []place {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			here := at + "/" + jsonpointer.Escape(k)
			out = places(v[k], here, append(out, place{here, v, k, -1}))
		}
	case []any:
		for i, e := range v {
			here := at + "/" + strconv.Itoa(i)
			out = places(e, here, append(out, place{here, v, "", i}))
		}
	}
	return out
}

// edit changes a random place in a random way.
func (e *edits) edit(t *rapid.T) {
	p := rapid.SampledFrom(places(e.doc, "", nil)).Draw(t, "place")
	get := func() any {
		if p.index >= 0 {
			return p.container.([]any)[p.index]
		}
		return p.container.(map[string]any)[p.key]
	}
	set := func(v any) {
		if p.index >= 0 {
			p.container.([]any)[p.index] = v
			return
		}
		p.container.(map[string]any)[p.key] = v
	}
	other := rapid.SampledFrom([]any{true, false, json.Number("7"), json.Number("1e3"), "zebra", map[string]any{"zebra": "y"},
		[]any{"zebra"}, nil}).
		Filter(func(v any) bool { return encoded(v) != encoded(get()) })
	switch rapid.SampledFrom([]string{"replace", "remove", "add"}).Draw(t, "how") {
	case "replace":
		set(other.Draw(t, "value"))
	case "remove":
		if m, ok := p.container.(map[string]any); ok {
			delete(m, p.key)
			break
		}
		fallthrough // a list is shortened where it is held
	case "add":
		switch v := get().(type) {
		case map[string]any:
			v["zebra-"+strconv.Itoa(len(v))] = other.Draw(t, "value")
		case []any:
			if len(v) > 0 && rapid.Bool().Draw(t, "shorter") {
				set(slices.Delete(slices.Clone(v), 0, 1))
			} else {
				set(append(slices.Clone(v), any("zebra-"+strconv.Itoa(len(v)))))
			}
		default:
			set(other.Draw(t, "value"))
		}
	}
	e.places = append(e.places, p.at)
}

func encoded(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // it came from JSON
	}
	return string(raw)
}

func anyContract(t testing.TB) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/everything.json")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func contract(raw []byte) *specgen.Contract {
	return &specgen.Contract{Document: raw, Events: []specgen.Payload{{Type: "thing.moved", Component: "Moved"}}, Schemas: []string{"Alone"}}
}

func decoded(t interface{ Fatal(...any) }, raw []byte) any {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Whatever is changed of a contract is listed, at its place or at what it is in; the same contract has no change.
func TestNothingIsLeftOut(t *testing.T) {
	raw := anyContract(t)
	rapid.Check(t, func(t *rapid.T) {
		e := &edits{doc: decoded(t, raw)}
		for range rapid.IntRange(1, 3).Draw(t, "edits") {
			e.edit(t)
		}
		after := []byte(encoded(e.doc))
		r, err := specdiff.Compare(contract(raw), contract(after), specdiff.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if encoded(decoded(t, raw)) == string(after) {
			return // one edit took back another
		}
		if len(e.places) == 1 && !slices.ContainsFunc(r.Changes, func(c specdiff.Change) bool { return names(c, e.places[0]) }) {
			t.Errorf("nothing names %s among %s", e.places[0], listed(r.Changes))
		}
		for _, p := range different(decoded(t, raw), e.doc, "", nil) {
			if !slices.ContainsFunc(r.Changes, func(c specdiff.Change) bool { return names(c, p) || tellsRequired(c, p) }) {
				t.Errorf("nothing names %s among %s", p, listed(r.Changes))
			}
		}
		again, err := specdiff.Compare(contract(after), contract([]byte(" "+string(after))), specdiff.Options{})
		if err != nil || len(again.Changes) > 0 {
			t.Errorf("the same twice: %v %s", err, listed(again.Changes))
		}
	})
}

// different lists the members that only one document has, and the values that differ; lists are left to their holder.
func different(a, b any, at string, out []string) []string {
	x, ok := a.(map[string]any)
	y, too := b.(map[string]any)
	if !ok || !too {
		if encoded(a) != encoded(b) {
			out = append(out, at)
		}
		return out
	}
	for k := range x {
		here := at + "/" + jsonpointer.Escape(k)
		if w, there := y[k]; there {
			out = different(x[k], w, here, out)
		} else {
			out = append(out, here)
		}
	}
	for k := range y {
		if _, there := x[k]; !there {
			out = append(out, at+"/"+jsonpointer.Escape(k))
		}
	}
	return out
}

// names reports whether a change stands at a place, in it, or around it, which is not the whole document.
func names(c specdiff.Change, at string) bool {
	for _, p := range []string{c.Before, c.After} {
		if p != "" && (p == at || strings.HasPrefix(at, p+"/") || strings.HasPrefix(p, at+"/")) {
			return true
		}
	}
	return false
}

// tellsRequired reports whether a change is of a required property that came or went, which tells of its entry in the list at.
func tellsRequired(c specdiff.Change, at string) bool {
	holder, is := strings.CutSuffix(at, "/required")
	return is && strings.Contains(c.Text, "the required property") && names(c, holder+"/properties")
}

// The property above found this one in a thousand runs.
func TestALostSchemaTellsWhatWasRequired(t *testing.T) {
	raw := anyContract(t)
	after := decoded(t, raw)
	schemas := after.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any)
	schemas["Alone"] = map[string]any{"zebra": "y"}
	r, err := specdiff.Compare(contract(raw), contract([]byte(encoded(after))), specdiff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const at = "/components/schemas/Alone/required"
	if !slices.ContainsFunc(r.Changes, func(c specdiff.Change) bool { return tellsRequired(c, at) }) {
		t.Errorf("nothing tells of %s among %s", at, listed(r.Changes))
	}
}

func listed(changes []specdiff.Change) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "\n%s %s -> %s: %s", c.Severity, c.Before, c.After, c.Text)
	}
	return b.String()
}
