package sent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/sent"
)

// lamps is a protocol of lamps, which have rooms and parts.
const lamps = `{"paths": {
  "/.well-known/lamp": {"get": {"operationId": "discover"}},
  "/lamps": {
    "get": {"operationId": "listLamps", "parameters": [{"name": "lit", "in": "query", "schema": {"enum": ["on", "off"]}}]},
    "post": {"operationId": "addLamp", "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Lamp"}}}}}},
  "/lamps/{lampId}": {"get": {"operationId": "readLamp"}, "delete": {"operationId": "removeLamp"}},
  "/lamps/{lampId}:dim": {"post": {"operationId": "dimLamp"}},
  "/lamps/{lampId}/parts/{part}": {"get": {"operationId": "readPart"}}
},
"components": {"schemas": {
  "Lamp": {"type": "object", "properties": {
    "kind": {"enum": ["oil", "gas"]}, "bright": {"type": "integer"}, "labels": {"type": "object"},
    "shade": {"oneOf": [{"$ref": "#/components/schemas/Paper"}, {"properties": {"panes": {"type": "array", "items": {"$ref": "#/components/schemas/Pane"}}}}]}}},
  "Paper": {"type": "object", "properties": {"colour": {"type": "string"}}},
  "Pane": {"type": "object", "properties": {"thick": {"const": true}, "next": {"$ref": "#/components/schemas/Pane"}}}
}}}`

var protocol = &scenarios.Protocol{ID: "lamp/v1", DiscoveryPath: "/.well-known/lamp", Spec: func() []byte { return []byte(lamps) }}

func newSum(t fataler, p *scenarios.Protocol) *sent.Sum {
	s, err := sent.New(p)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

type fataler interface{ Fatalf(string, ...any) }

func at(i int) string { return fmt.Sprintf("#%d", i+1) }

// exchange is one of a client with this key.
func exchange(key, method, path, body string, status int, reply string) wire.Entry {
	return wire.Entry{Kind: "http", At: time.Now(), Request: &wire.Request{Method: method, URL: "http://lamps.example" + path, Body: body,
		Header: map[string]string{"X-Api-Key": key}}, Response: &wire.Response{Status: status, Body: reply}}
}

// told are the items of entries, but for those of every request.
func told(t fataler, entries ...wire.Entry) []string {
	s := newSum(t, protocol)
	s.Add(entries, at)
	out := []string{}
	for _, i := range s.Items.Sorted() {
		if i.Kind != sent.Called && i.What != "X-Api-Key" {
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", i.Operation, i.Kind, i.What)))
		}
	}
	return out
}

func TestWhatIsSent(t *testing.T) {
	add := func(body string) wire.Entry { return exchange("a", "POST", "/lamps", body, 201, `{"id":"l1"}`) }
	withHeader := func(name, value string) wire.Entry {
		e := exchange("a", "DELETE", "/lamps/l1", "", 204, "")
		e.Request.Header[name] = value
		return e
	}
	for _, c := range []struct {
		name    string
		entries []wire.Entry
		want    []string
	}{
		{"a value that the protocol lists, and a parameter that it has not",
			[]wire.Entry{exchange("a", "GET", "/lamps?lit=on&lit=dim&page=7", "", 200, "")},
			[]string{"GET /lamps query lit", "GET /lamps query page", "GET /lamps value lit = on"}},
		{"a parameter that may be a value", []wire.Entry{exchange("a", "GET", "/lamps?token-8fe1", "", 200, "")}, []string{"GET /lamps query *"}},
		{"members, of which one has a value that the protocol lists", []wire.Entry{add(`{"kind":"oil","bright":1}`)},
			[]string{"POST /lamps body / object", "POST /lamps body /bright integer", "POST /lamps body /kind string",
				"POST /lamps value /kind = oil"}},
		{"a value that it does not list, and a number with a fraction", []wire.Entry{add(`{"kind":"tallow","bright":1.5}`)},
			[]string{"POST /lamps body / object", "POST /lamps body /bright number", "POST /lamps body /kind string"}},
		{"a map whose names are the client's own", []wire.Entry{add(`{"labels":{"anna":null,"bert":[{"carl":1}]}}`)},
			[]string{"POST /lamps body / object", "POST /lamps body /labels object", "POST /lamps body /labels/* array",
				"POST /lamps body /labels/* null", "POST /lamps body /labels/*[] object"}},
		{"a member that no schema has, and one that may be a value", []wire.Entry{add(`{"wick":{"deep":{"deeper":1}},"w1ck":true}`)},
			[]string{"POST /lamps body / object", "POST /lamps body /* boolean", "POST /lamps body /wick object",
				"POST /lamps body /wick/* object"}},
		{"alternatives, a list and a schema that refers to itself",
			[]wire.Entry{add(`{"shade":{"colour":"red","panes":[{"thick":true,"next":{"next":{"thick":false}}}]}}`)},
			[]string{"POST /lamps body / object", "POST /lamps body /shade object", "POST /lamps body /shade/colour string",
				"POST /lamps body /shade/panes array", "POST /lamps body /shade/panes[] object", "POST /lamps body /shade/panes[]/next object",
				"POST /lamps body /shade/panes[]/next/next object", "POST /lamps body /shade/panes[]/next/next/thick boolean",
				"POST /lamps body /shade/panes[]/thick boolean", "POST /lamps value /shade/panes[]/thick = true"}},
		{"a body that is no JSON", []wire.Entry{add(`{"kind":`)}, []string{"POST /lamps body / no JSON"}},
		{"a body of an operation that has none", []wire.Entry{exchange("a", "POST", "/lamps/l1:dim", `{"by":1}`, 200, "")},
			[]string{"POST /lamps/{lampId}:dim body / object", "POST /lamps/{lampId}:dim body /* integer"}},
		{"a header, a media type, and one that may be a value", []wire.Entry{withHeader("if-match", "7"),
			withHeader("Accept", "text/event-stream"),
			withHeader("Content-Type", "secret/x"), withHeader("X-8fe1", "1"), withHeader("Host", "h"), withHeader("X-Forwarded-For", "h")},
			[]string{"DELETE /lamps/{lampId} header *", "DELETE /lamps/{lampId} header Accept: text/event-stream",
				"DELETE /lamps/{lampId} header Content-Type: another", "DELETE /lamps/{lampId} header If-Match",
				"DELETE /lamps/{lampId} then 2xx, then DELETE /lamps/{lampId}"}},
		{"what follows the making of a lamp", []wire.Entry{add(""), exchange("a", "GET", "/lamps/l1", "", 404, ""),
			exchange("a", "DELETE", "/lamps/l1", "", 204, "")},
			[]string{"POST /lamps then 2xx, then GET /lamps/{lampId}", "GET /lamps/{lampId} then 4xx, then DELETE /lamps/{lampId}"}},
		{"another client, and another lamp", []wire.Entry{add(""), exchange("b", "GET", "/lamps/l1", "", 200, ""),
			exchange("a", "GET", "/lamps/l2", "", 200, "")}, []string{}},
		{"a part is none of its own", []wire.Entry{exchange("a", "GET", "/lamps/l1/parts/p", "", 200, ""),
			exchange("a", "GET", "/lamps/l2/parts/p", "", 200, "")}, []string{}},
		{"no operation", []wire.Entry{exchange("a", "GET", "/lamps/anna/wick/bert", "", 404, ""),
			exchange("a", "PUT", "/lamps/anna", "", 405, ""),
			exchange("a", "POST", "/lamps/anna:blow", "", 404, ""), exchange("a", "GET", "/w1ck", "", 404, ""),
			exchange("a", "ANNA", "/lamps", "", 404, "")},
			[]string{"GET /* unknown", "another method /lamps unknown", "PUT /lamps/{lampId} unknown", "GET /lamps/{lampId}/wick/… unknown",
				"POST /lamps/{lampId}:blow unknown"}},
		{"below a path, which discovery shows", []wire.Entry{exchange("a", "GET", "/house/lamps?lit=off", "", 200, ""),
			exchange("a", "GET", "/house/.well-known/lamp", "", 200, "{}")}, []string{"GET /lamps query lit", "GET /lamps value lit = off"}},
	} {
		got := told(t, c.entries...)
		slices.Sort(got)
		slices.Sort(c.want)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (- want, + got):\n%s", c.name, d)
		}
	}
}

func TestTimes(t *testing.T) {
	s := newSum(t, protocol)
	lit := exchange("a", "GET", "/lamps?lit=on", "", 200, "")
	s.Add([]wire.Entry{exchange("a", "GET", "/lamps", "", 200, ""), lit, lit}, at)
	if got := s.Items[sent.Item{Operation: "GET /lamps", Kind: sent.Query, What: "lit"}]; got != (sent.Times{N: 2, First: "#2", At: 2}) {
		t.Errorf("the parameter has %+v", got)
	}
	if s.Exchanges != 3 {
		t.Errorf("%d exchanges", s.Exchanges)
	}
}

// A turn is named by what the protocol makes of it.
func TestTurns(t *testing.T) {
	p := &scenarios.Protocol{ID: "wick/v1", Spec: func() []byte {
		return []byte(`{"$defs":{"Turn":{"properties":{"set":{"type":"object"},"state":{"type":"object"}}},
			"State":{"properties":{"lit":{"type":"boolean"}}}}}`)
	}, Program: &scenarios.Program{Request: "Turn", Members: func() map[string]string {
		return map[string]string{"set": "", "state": "State"}
	},
		Kind: func(request, answer map[string]any) (string, string) {
			return "turn " + request["do"].(string), answer["lamp"].(string)
		}}}
	zero := 0
	turn := func(input string, exit *int) wire.Entry {
		return wire.Entry{Kind: "process", Process: &wire.Spawned{Input: input, Output: `{"lamp":"l1"}`, Exit: exit}}
	}
	s := newSum(t, p)
	s.Add([]wire.Entry{turn(`{"do":"on","set":{"hue":1,"h2":1},"state":{"lit":true,"anna":{"bert":1}}}`, &zero),
		turn(`{"do":"off"}`, nil), turn(`{"do":"off"}`, nil),
		turn(`[]`, nil)}, at)
	var got []string
	for _, i := range s.Items.Sorted() {
		got = append(got, fmt.Sprintf("%s|%s|%s", i.Operation, i.Kind, i.What))
	}
	want := []string{"turn off|called|", "turn off|body|/ object", "turn off|body|/do string",
		"turn off|then|no exit, then turn off", "turn on|called|", "turn on|body|/ object", "turn on|body|/do string", "turn on|body|/set object",
		"turn on|body|/set/* integer", "turn on|body|/set/hue integer", "turn on|body|/state object", "turn on|body|/state/anna object",
		"turn on|body|/state/anna/* integer", "turn on|body|/state/lit boolean", "turn on|then|exit 0, then turn off",
		"a turn whose request is no object of JSON|unknown|"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(- want, + got)\n%s", d)
	}
}

// A protocol of hosts may have programs as well, whose turns are all of one kind.
func TestTurnsBesideOperations(t *testing.T) {
	p := *protocol
	p.Program = &scenarios.Program{Request: "Lamp"}
	s := newSum(t, &p)
	s.Add([]wire.Entry{{Kind: "process", Process: &wire.Spawned{Input: `{"kind":"oil"}`}},
		{Kind: "process", Process: &wire.Spawned{Input: `null`}}}, at)
	var got []string
	for _, i := range s.Items.Sorted() {
		got = append(got, fmt.Sprintf("%s|%s|%s", i.Operation, i.Kind, i.What))
	}
	want := []string{"turn|called|", "turn|body|/ object", "turn|body|/kind string", "turn|value|/kind = oil",
		"a turn whose request is no object of JSON|unknown|"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(- want, + got)\n%s", d)
	}
}

func TestBeyond(t *testing.T) {
	of := func(items ...string) sent.Items {
		out := sent.Items{}
		for _, text := range items {
			part := strings.Split(text, "|")
			out[sent.Item{Operation: part[0], Kind: sent.Kind(part[1]), What: part[2]}] = sent.Times{N: 1}
		}
		return out
	}
	drives := of("GET /a|called|", "GET /b|called|", "GET /a|body|/x object", "GET /z|unknown|")
	for _, c := range []struct {
		name   string
		client sent.Items
		want   []string
	}{
		{"nothing new", of("GET /a|called|", "GET /a|body|/x object"), nil},
		{"an operation, which explains its arguments and what leads to it",
			of("GET /a|called|", "GET /c|called|", "GET /c|query|q", "GET /c|then|2xx, then GET /a",
				"GET /a|then|2xx, then GET /c"), []string{"GET /c called "}},
		{"a pair", of("GET /a|then|2xx, then GET /b"), []string{"GET /a then 2xx, then GET /b"}},
		{"an object, which explains what is in it",
			of("GET /a|body|/y object", "GET /a|body|/y/z string", "GET /a|body|/yz string", "GET /b|body|/y/z string"),
			[]string{"GET /a body /y object", "GET /a body /yz string", "GET /b body /y/z string"}},
		{"a list likewise", of("GET /a|body|/y array", "GET /a|body|/y[] string", "GET /a|body|/y[]/z string"), []string{"GET /a body /y array"}},
		{"another type of what is sent, and below it", of("GET /a|body|/x string", "GET /a|body|/x/z string"),
			[]string{"GET /a body /x string", "GET /a body /x/z string"}},
		{"a request for no operation, whoever sends it", of("GET /z|unknown|"), []string{"GET /z unknown "}},
	} {
		var got []string
		for _, i := range c.client.Beyond(drives) {
			got = append(got, fmt.Sprintf("%s %s %s", i.Operation, i.Kind, i.What))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (- want, + got):\n%s", c.name, d)
		}
	}
}

// drawn are exchanges of a few clients with a few lamps. All that they choose themselves has digits.
func drawn(keys ...string) *rapid.Generator[[]wire.Entry] {
	own := rapid.StringMatching(`[a-z]{1,3}[0-9]{3}`)
	value := rapid.Custom(func(t *rapid.T) any {
		return rapid.OneOf(rapid.Just[any](nil), rapid.Map(own, func(s string) any { return s }), rapid.Just[any]("oil"),
			rapid.Just[any](7.5),
			rapid.Map(rapid.MapOfN(own, own, 0, 2), func(m map[string]string) any { return m })).Draw(t, "value")
	})
	one := rapid.Custom(func(t *rapid.T) wire.Entry {
		method := rapid.SampledFrom([]string{"GET", "POST", "DELETE", "PUT"}).Draw(t, "method")
		path := rapid.SampledFrom([]string{"/lamps", "/lamps/l100", "/lamps/l200", "/lamps/l100:dim", "/lamps/l200/parts/p100",
			"/wick"}).Draw(t, "path")
		query := rapid.MapOfN(rapid.OneOf(rapid.Just("lit"), own), own, 0, 2).Draw(t, "query")
		for name, value := range query {
			path += map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + name + "=" + value
		}
		names := rapid.OneOf(rapid.SampledFrom([]string{"kind", "bright", "labels", "shade"}), own)
		members := rapid.MapOfN(names, value, 0, 4).Draw(t, "body")
		body, err := json.Marshal(members)
		if err != nil {
			t.Fatalf("%v", err)
		}
		status := rapid.SampledFrom([]int{200, 404, 500}).Draw(t, "status")
		return exchange(rapid.SampledFrom(keys).Draw(t, "key"), method, path, string(body), status,
			`{"id":"`+rapid.SampledFrom([]string{"l100", "l200"}).Draw(t, "made")+`"}`)
	})
	return rapid.SliceOfN(one, 0, 12)
}

func items(t *rapid.T, entries ...wire.Entry) sent.Items {
	s := newSum(t, protocol)
	s.Add(entries, at)
	return s.Items
}

// The fold of a recording: nobody sends more than they send, and what comes later takes nothing away.
func TestMoreTrafficSendsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := drawn("a1", "b1").Draw(t, "entries")
		n := rapid.IntRange(0, len(entries)).Draw(t, "first")
		part, whole := items(t, entries[:n]...), items(t, entries...)
		for _, gap := range whole.Beyond(whole) {
			if gap.Kind != sent.Unknown {
				t.Fatalf("%v is beyond itself", gap)
			}
		}
		for i, times := range part {
			if whole[i].N < times.N || whole[i].First != times.First {
				t.Fatalf("%v: %v of the first %d, and %v of all", i, times, n, whole[i])
			}
		}
	})
}

// Clients do not touch one another's sums, in whatever order they come.
func TestClientsAreSummedApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn("a1").Draw(t, "a"), drawn("b1").Draw(t, "b")
		both, mixed := sent.Items{}, []wire.Entry{}
		for _, one := range []sent.Items{items(t, a...), items(t, b...)} {
			for i, times := range one {
				both[i] = sent.Times{N: both[i].N + times.N}
			}
		}
		for len(a)+len(b) > 0 {
			if len(b) == 0 || len(a) > 0 && rapid.Bool().Draw(t, "a is next") {
				mixed, a = append(mixed, a[0]), a[1:]
			} else {
				mixed, b = append(mixed, b[0]), b[1:]
			}
		}
		got := items(t, mixed...)
		for i, times := range got {
			got[i] = sent.Times{N: times.N}
		}
		if d := cmp.Diff(both, got); d != "" {
			t.Fatalf("(- apart, + mixed)\n%s", d)
		}
	})
}

// Whatever a client chose has digits here, and no item has any, but for the class of a status.
func TestNothingOfTheClientsOwnIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for i := range items(t, drawn("a1", "b1").Draw(t, "entries")...) {
			text := i.Operation + " " + i.What
			for _, class := range []string{"2xx", "4xx", "5xx"} {
				text = strings.ReplaceAll(text, class, "")
			}
			if strings.ContainsAny(text, "0123456789") {
				t.Fatalf("%v", i)
			}
		}
	})
}

// Anybody may have written a recording: what it says is bounded, and fit to be printed.
func FuzzSum(f *testing.F) {
	f.Add("GET", "http://h/lamps?lit=on", `{"kind":"oil"}`, "X-A", "1", `{"id":"l"}`)
	f.Add("POST", "http://h/lamps/%2f:dim", strings.Repeat(`{"shade":`, 40)+"1"+strings.Repeat("}", 40), "\x1b[2J", "a/b", strings.Repeat("[", 5000))
	f.Add("\x00", "/\x1b//:", `[[[[1e999]]]]`, "Accept", "text/html; =", "")
	s := newSum(f, protocol)
	f.Fuzz(func(t *testing.T, method, url, body, name, value, reply string) {
		e := wire.Entry{Kind: "http", Request: &wire.Request{Method: method, URL: url, Body: body, Header: map[string]string{name: value}},
			Response: &wire.Response{Status: len(reply), Body: reply}}
		s.Items = sent.Items{}
		s.Add([]wire.Entry{e, e, {Kind: "http", Request: e.Request}, {Kind: "process", Process: &wire.Spawned{Input: body}}, {}}, at)
		for i := range s.Items {
			text := i.Operation + i.What
			if len(text) > 4000 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' && r != '…' }) {
				t.Errorf("%q", i)
			}
		}
	})
}

// A recording that says more than can be kept is cut off, and says so.
func TestItemsAreBounded(t *testing.T) {
	s := newSum(t, protocol)
	letters := func(n int) string { return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(n)) }
	var entries []wire.Entry
	for n := range 3 {
		members := map[string]any{}
		for i := range 12_000 {
			members[letters(n)+letters(100_000+i)] = 1
		}
		body, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, exchange("a", "POST", "/lamps", string(body), 200, ""))
	}
	s.Add(entries, at)
	if len(s.Items) != 20_000 || !s.Full {
		t.Errorf("%d items are kept, full %v", len(s.Items), s.Full)
	}
}
