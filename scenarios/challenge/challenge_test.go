package challenge

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

const requirement = "ACM-1"

type observation struct {
	Status wire.Value  `json:"status"`
	Body   wire.Value  `json:"body"`
	Events wire.Values `json:"events"`
	Ended  wire.Wait   `json:"ended"`
	Count  int         `json:"count"` // what the drive decided
}

// reported is a report of one scenario that passed.
func reported(t *testing.T, row scenarios.Requirement, judge func(observation, *scenarios.Judge)) *scenarios.Report {
	t.Helper()
	transcript := wiretest.Transcript(t, "acme", wiretest.Reply{Status: 200, Body: `{"turns":3,"owner":"run-1234abcd","events":[` +
		`{"id":"event-0001","sequence":0,"type":"began"},{"id":"event-0002","sequence":1,"type":"went"},` +
		`{"id":"event-0003","sequence":2,"type":"ended"}]}`})
	o := json.RawMessage(`{"status":{"exchange":1,"part":"status"},"body":{"exchange":1},"events":[{"exchange":1,"pointer":"/events/0"},` +
		`{"exchange":1,"pointer":"/events/1"},{"exchange":1,"pointer":"/events/2"}],"ended":{"what":"it ends","reached":true,` +
		`"patienceNs":1000,"tookNs":10,"answers":1,"last":{"exchange":1}},"count":3}`)
	s := scenarios.Scenario{
		ID: "acme/suite/name", Proves: scenarios.IDs{requirement},
		Claim: scenarios.Claim{Look: func(scenarios.Discovery) (wire.Value, bool) { return wire.Value{}, true }},
		Ask:   scenarios.Ask(&scenarios.Drive[observation]{ID: "acme"}, judge),
	}
	row.ID = requirement
	return &scenarios.Report{
		Protocol: &scenarios.Protocol{ID: "acme/v1", Ledger: scenarios.NewLedger([]scenarios.Requirement{row})},
		Outcomes: []scenarios.Outcome{{Scenario: s, Verdict: scenarios.Passed, Drive: "acme"}},
		Drives:   []scenarios.DriveRecord{{ID: "acme", Transcript: transcript, Observation: o}},
	}
}

// challenged judges a reply and challenges the pass.
func challenged(t *testing.T, breaks []string, judge func(observation, *scenarios.Judge)) Pass {
	t.Helper()
	r := reported(t, scenarios.Requirement{Level: scenarios.Must, Breaks: breaks}, judge)
	before := asJSON(t, r.Drives[0].Transcript)
	result, err := Report(r, 7)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Report(r, 7)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := asJSON(t, result), asJSON(t, again); a != b {
		t.Errorf("the same seed gives\n%s\nand\n%s", a, b)
	}
	if after := asJSON(t, r.Drives[0].Transcript); after != before {
		t.Errorf("the transcript is not what it was: %s", after)
	}
	if len(result.List) != 1 || len(result.Unproved) != 1-result.Sensitive {
		t.Fatalf("%+v", result)
	}
	return result.List[0]
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPasses(t *testing.T) {
	anything := check.That("anything", func(any) bool { return true })
	for _, c := range []struct {
		name   string
		breaks []string
		judge  func(observation, *scenarios.Judge)
		cause  string
	}{
		{"a judge that takes anything", nil, func(o observation, j *scenarios.Judge) { j.Check(requirement, o.Body).To(anything) }, Blind},
		{"one that looks at a number", []string{"off-by-one", "another-type"}, func(o observation, j *scenarios.Judge) {
			j.Check(requirement, o.Body.Key("turns")).To(check.Equal(3))
		}, ""},
		{"one that takes any number", []string{"off-by-one"}, func(o observation, j *scenarios.Judge) {
			j.Check(requirement, o.Body.Key("turns")).To(check.Integer(1, 0))
		}, Blind},
		{"one that takes any number, where another type alone breaks the sentence", []string{"another-type"},
			func(o observation, j *scenarios.Judge) {
				j.Check(requirement, o.Body.Key("turns")).To(check.Integer(1, 0))
			}, ""},
		{"order and repetition", []string{"reordered", "repeated", "left-out", "after-the-end"}, func(o observation, j *scenarios.Judge) {
			j.Check(requirement, o.Events.Each("/type")).To(check.Equal([]any{"began", "went", "ended"}))
		}, ""},
		{"what must not be there", []string{"inserted"}, func(o observation, j *scenarios.Judge) {
			j.Check(requirement, o.Body.Key("error")).To(check.Absent())
		}, ""},
		{"a status", []string{"another-status"}, func(o observation, j *scenarios.Judge) {
			j.Check(requirement, o.Status).To(check.Status(2))
		}, ""},
		{"a wait", []string{"beyond-bound"}, func(o observation, j *scenarios.Judge) {
			j.Check(requirement, o.Ended).To(check.Reached())
		}, ""},
		{"another id", []string{"another-id"}, func(o observation, j *scenarios.Judge) {
			j.Check(requirement, o.Body.Key("owner")).To(check.Equal("run-1234abcd"))
		}, ""},
		{"no such place", []string{"off-by-one"}, func(o observation, j *scenarios.Judge) {
			j.Check(requirement, o.Body.Key("owner")).To(anything)
		}, NoPlace},
		{"no such place, and another change is seen", []string{"off-by-one"}, func(o observation, j *scenarios.Judge) {
			j.Check(requirement, o.Body.Key("nowhere")).To(check.Absent())
		}, ""},
		{"a judge of what the drive decided", []string{"off-by-one"}, func(o observation, j *scenarios.Judge) {
			j.Check(requirement, o.Body.Key("turns")).To(check.That("what the drive counted", func(any) bool { return o.Count == 3 }))
		}, Blind},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := challenged(t, c.breaks, c.judge)
			if p.Cause != c.cause || p.Sensitive != (c.cause == "") || p.ByRow != (c.breaks != nil) {
				t.Errorf("%s", asJSON(t, p))
			}
			if (p.Why() == "") != p.Sensitive {
				t.Errorf("it says %q", p.Why())
			}
		})
	}
}

// What falls short of a SHOULD passes with a finding, and is no pass that could fail.
func TestFindingsAreNoPasses(t *testing.T) {
	for turns, passes := range map[int]int{3: 1, 4: 0} {
		r := reported(t, scenarios.Requirement{Level: scenarios.Should}, func(o observation, j *scenarios.Judge) {
			j.Check(requirement, o.Body.Key("turns")).To(check.Equal(turns))
			j.Check(requirement, o.Body.Key("owner")).To(check.Text())
		})
		if result, err := Report(r, 7); err != nil || result.Passes != passes || result.Sensitive != passes {
			t.Errorf("with %d turns wanted: %s, %v", turns, asJSON(t, result), err)
		}
	}
}

// Every change of a document leaves a document that says something else, at the place that it names.
func TestChangesChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := document(3).Draw(t, "document")
		transcript := &wire.Transcript{Drive: "acme", Entries: []wire.Entry{{Kind: "http", Request: &wire.Request{Body: `{"a":"sent-1234"}`},
			Response: &wire.Response{Status: 200, Header: map[string]string{"Etag": `"7"`}, Body: body}}}}
		pool := newPool()
		pool.gather(scenarios.DriveRecord{Transcript: transcript})
		s := &scene{transcript: transcript, all: pool, own: pool, random: rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))}
		v := transcript.Reply(1)
		looks := []look{lookOf(v), lookOf(v.Key("nowhere")), lookOf(wire.Found{In: v.Ref()}), lookOf(v.Items())}
		kind := rapid.SampledFrom(Kinds).Draw(t, "kind")
		n := 0
		for e := range s.edits(kind, rapid.SampledFrom(looks).Draw(t, "look")) {
			if n++; n > 30 {
				break
			}
			changed := e.change.Entries[1].Response.Body
			after, err := wire.Decode(changed)
			if err != nil {
				t.Fatalf("%s %s: no JSON: %s: %v", kind, e.does, changed, err)
			}
			before, err := wire.Decode(body)
			if err != nil {
				t.Fatal(err)
			}
			if encode(before) == encode(after) {
				t.Fatalf("%s %s: it says the same: %s", kind, e.does, changed)
			}
			if transcript.Entries[0].Response.Body != body {
				t.Fatal("the transcript itself was changed")
			}
		}
	})
}

// What a list was searched for in vain is put in: by its word, about what another element is about, and as the drive sent it.
func TestWhatIsSearchedInVain(t *testing.T) {
	first := `{"events":[{"type":"began","payload":{"worker":"a-123456","run":"run-1111"}},` +
		`{"type":"step","payload":{"phase":"done","worker":"b-654321","run":"run-2222"}}]}`
	transcript := &wire.Transcript{Drive: "acme", Entries: []wire.Entry{{Kind: "http",
		Request: &wire.Request{Body: `{"type":"sent-123456"}`}, Response: &wire.Response{Status: 200, Body: first}}}}
	pool := newPool()
	pool.gather(scenarios.DriveRecord{Transcript: transcript})
	in := transcript.Reply(1).Key("events").Ref()
	for name, c := range map[string]struct {
		kind   Kind
		sought []wire.Sought
		want   string // of an element
	}{
		"by its type":       {Inserted, []wire.Sought{{Pointer: "/type", Word: "stopped"}}, `{"type":"stopped","payload":{"phase":"done",`},
		"by another word":   {Inserted, []wire.Sought{{Pointer: "/payload/phase", Word: "lost"}}, `{"type":"step","payload":{"phase":"lost",`},
		"about another":     {Inserted, nil, `{"type":"step","payload":{"phase":"done","worker":"a-123456","run":"run-1111"}}`},
		"as it was sent":    {Leaked, nil, `{"type":"sent-123456","payload":`},
		"in the last place": {AfterTheEnd, []wire.Sought{{Pointer: "/type", Word: "stopped"}}, `{"type":"stopped",`},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scene{transcript: transcript, all: pool, own: pool, random: rand.New(rand.NewPCG(1, 1))}
			for e := range s.edits(c.kind, lookOf(wire.Found{In: in, Sought: c.sought})) {
				if strings.Contains(e.change.Entries[1].Response.Body, c.want) {
					return
				}
			}
			t.Error("no change puts it in")
		})
	}
}

// A refusal may become a success that gives back what was sent.
func TestRefusalsThatAreDone(t *testing.T) {
	transcript := &wire.Transcript{Drive: "acme", Entries: []wire.Entry{{Kind: "http", Request: &wire.Request{Body: `{"objective":"rest"}`},
		Response: &wire.Response{Status: 404, Body: `{"error":"not_found"}`}}}}
	s := &scene{transcript: transcript, all: newPool(), own: newPool(), random: rand.New(rand.NewPCG(1, 1))}
	for e := range s.edits(AnotherStatus, lookOf(transcript.Status(1))) {
		if now := e.change.Entries[1].Response; now.Status == 200 && now.Body == `{"objective":"rest"}` {
			return
		}
	}
	t.Error("no change has it done")
}

// Changes are made where a judge finds nothing, in what objects hold, and in all places of a word that was sent.
func TestPlacesOfChanges(t *testing.T) {
	first := `{"runs":{"a":{"id":1},"b":{"id":2}},"payload":{"url":"page-12ab34cd56ef","tool":{"url":"page-12ab34cd56ef"}}}`
	transcript := &wire.Transcript{Drive: "acme", Entries: []wire.Entry{
		{Kind: "http", Request: &wire.Request{Body: `{"about":"page-12ab34cd56ef"}`},
			Response: &wire.Response{Status: 200, Body: first}},
		{Kind: "http", Request: &wire.Request{}, Response: &wire.Response{Status: 200, Body: `{"events":[{"type":"asked"}]}`}},
	}}
	pool := newPool()
	pool.gather(scenarios.DriveRecord{Transcript: transcript})
	v := transcript.Reply(1)
	for name, c := range map[string]struct {
		kind Kind
		look look
		want string // what the first reply says after one of the changes
	}{
		"an element of a list that is absent": {Inserted, lookOf(wire.Found{In: v.Key("events").Ref()}),
			strings.TrimSuffix(first, "}") + `,"events":[{"type":"asked"}]}`},
		"an object that another one holds": {LeftOut, lookOf(v.Key("runs")), strings.Replace(first, `"a":{"id":1},`, "", 1)},
		"all that an object holds": {LeftOut, lookOf(v.Key("payload")),
			strings.Replace(first, `{"url":"page-12ab34cd56ef","tool":{"url":"page-12ab34cd56ef"}}`, `{}`, 1)},
		"a member beside the object that holds it": {Inserted, lookOf(v.Key("runs")),
			strings.Replace(first, `"b":{"id":2}`, `"b":{"id":2},"id":"something"`, 1)},
		"a word that was sent": {AnotherID, lookOf(v.At("/payload/url")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scene{transcript: transcript, all: pool, own: pool, random: rand.New(rand.NewPCG(1, 1))}
			for e := range s.edits(c.kind, c.look) {
				changed := e.change.Entries[1].Response.Body
				if c.want == "" && !strings.Contains(changed, "12ab34cd56ef") || decodes(t, changed) == decodes(t, c.want) {
					return
				}
			}
			t.Error("no change makes it so")
		})
	}
}

func decodes(t *testing.T, text string) string {
	t.Helper()
	if text == "" {
		return ""
	}
	v, err := wire.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return encode(v)
}

// An element whose type goes on and on is another change than one with a long text of its own.
func TestOverlongElements(t *testing.T) {
	transcript := &wire.Transcript{Drive: "acme", Entries: []wire.Entry{
		{Kind: "http", Request: &wire.Request{}, Response: &wire.Response{Status: 200, Body: `{"events":[{"type":"asked","by":"x"}]}`}}}}
	pool := newPool()
	pool.gather(scenarios.DriveRecord{Transcript: transcript})
	s := &scene{transcript: transcript, all: pool, own: pool, random: rand.New(rand.NewPCG(1, 1))}
	for e := range s.edits(BeyondBound, lookOf(wire.Found{In: transcript.Reply(1).Key("events").Ref()})) {
		if strings.Contains(e.change.Entries[1].Response.Body, `{"type":"askedxxx`) {
			return
		}
	}
	t.Error("no element has a type that is too long")
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// document draws JSON, with white space as people write it.
func document(deep int) *rapid.Generator[string] {
	scalar := rapid.SampledFrom([]string{"1", "-2.5", "7", "true", "null", `"run-12ab34cd"`, `"a \"b\" \\"`, `"2026-11-24T10:00:00Z"`, `""`, `"ü~/"`})
	if deep == 0 {
		return scalar
	}
	return rapid.Custom(func(t *rapid.T) string {
		n := rapid.IntRange(0, 3).Draw(t, "n")
		parts := make([]string, n)
		isObject := rapid.Bool().Draw(t, "object")
		for i := range parts {
			parts[i] = rapid.OneOf(scalar, document(deep-1)).Draw(t, "part")
			if isObject {
				parts[i] = quoted([]string{"id", "a/b", "type"}[i]) + " : " + parts[i]
			}
		}
		if isObject {
			return "{ " + strings.Join(parts, ", ") + "}"
		}
		return "[\n" + strings.Join(parts, " ,") + " ]"
	})
}

func FuzzRaw(f *testing.F) {
	f.Add(`{"a":[1,{"b":"c"}]}`, "/a/1/b")
	f.Add(`[`, "/0")
	f.Fuzz(func(t *testing.T, text, pointer string) {
		if !strings.HasPrefix(pointer, "/") {
			return
		}
		path := segments(pointer)
		inner, ok := at(text, path)
		if changed, replaced := replace(text, path, "0"); replaced != ok || !ok && changed != text {
			t.Errorf("at says %v (%q), replace %v", ok, inner, replaced)
		}
		remove(text, path)
		put(text, path, "0")
	})
}

func TestKindsAreDistinct(t *testing.T) {
	for i, k := range Kinds {
		if slices.Contains(Kinds[:i], k) || !Known(string(k)) {
			t.Errorf("%s", k)
		}
	}
	if Known("anything") {
		t.Error("anything is a kind")
	}
}
