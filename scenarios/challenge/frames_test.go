package challenge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// sceneOf is the scene of a transcript, which is all that is known.
func sceneOf(transcript *wire.Transcript) *scene {
	pool := newPool()
	pool.gather(scenarios.DriveRecord{Transcript: transcript})
	return &scene{transcript: transcript, all: pool, own: pool, random: rand.New(rand.NewPCG(1, 1))}
}

// A stream lacks an event, has one twice, or has two in another order.
func TestChangesOfStreams(t *testing.T) {
	transcript := &wire.Transcript{Drive: "acme", Entries: []wire.Entry{{Kind: "stream", Request: &wire.Request{},
		Response: &wire.Response{Status: 200}, Chunks: []wire.Chunk{{Text: "data: 1\n\ndata: 2\n\ndata: 3\n\n"}}}}}
	var second struct{ V wire.Value }
	second.V = bound(t, transcript, wire.Ref{Exchange: 1, Part: "event:2"})
	for kind, want := range map[Kind][]string{
		LeftOut: {"1 3"}, Repeated: {"1 2 2 3", "1 2 3 2"}, Reordered: {"1 3 2", "2 1 3"}, AfterTheEnd: {"1 2 3 2"},
	} {
		var got []string
		for e := range sceneOf(transcript).edits(kind, lookOf(second.V)) {
			if e.change.Moves == nil || e.change.Moves.Array.Part != "event" {
				continue
			}
			changed := &wire.Transcript{Entries: []wire.Entry{e.change.Entries[1]}}
			var sent []string
			for n := 1; n <= changed.Events(1); n++ {
				text, _ := changed.Text(1, eventPart(n))
				sent = append(sent, text)
			}
			got = append(got, strings.Join(sent, " "))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

func bound(t *testing.T, transcript *wire.Transcript, ref wire.Ref) wire.Value {
	t.Helper()
	var o struct {
		V wire.Value `json:"v"`
	}
	if err := o.V.UnmarshalJSON([]byte(fmt.Sprintf(`{"exchange":%d,"part":%q}`, ref.Exchange, ref.Part))); err != nil {
		t.Fatal(err)
	}
	if err := wire.Bind(&o, transcript); err != nil {
		t.Fatal(err)
	}
	return o.V
}

// Of a list that was searched in vain no element is left out, repeated or moved: the check was about none of them.
func TestElementsOfNoInterest(t *testing.T) {
	transcript := &wire.Transcript{Drive: "acme", Entries: []wire.Entry{{Kind: "http", Request: &wire.Request{},
		Response: &wire.Response{Status: 200, Body: `[{"type":"asked"},{"type":"answered"}]`}}}}
	for _, kind := range []Kind{LeftOut, Repeated, Reordered} {
		for e := range sceneOf(transcript).edits(kind, lookOf(wire.Found{In: transcript.Reply(1).Ref()})) {
			t.Errorf("%s: %s", kind, e.does)
		}
	}
}

// What is null becomes what stood there elsewhere, or a text that was sent, also deep within a new element.
func TestWhatIsNull(t *testing.T) {
	transcript := &wire.Transcript{Drive: "acme", Entries: []wire.Entry{
		{Kind: "http", Request: &wire.Request{Body: `{"secret":"s3cret-12345"}`},
			Response: &wire.Response{Status: 200, Body: `{"policy":null,"told":[{"type":"told","payload":{"to":null}}]}`}},
		{Kind: "http", Request: &wire.Request{}, Response: &wire.Response{Status: 200, Body: `{"policy":{"most":3}}`}},
	}}
	reply := transcript.Reply(1)
	for name, c := range map[string]struct {
		kind Kind
		look look
		want string
	}{
		"another value":       {AnotherValue, lookOf(reply.Key("policy")), `"policy":{"most":3}`},
		"a leak":              {Leaked, lookOf(reply.Key("policy")), `"policy":"s3cret-12345"`},
		"a leak further down": {Leaked, lookOf(wire.Found{In: reply.Key("told").Ref()}), `{"to":"s3cret-12345"}`},
	} {
		if !slices.ContainsFunc(slices.Collect(sceneOf(transcript).edits(c.kind, c.look)), func(e edit) bool {
			return strings.Contains(e.change.Entries[1].Response.Body, c.want)
		}) {
			t.Errorf("%s: no change writes %s", name, c.want)
		}
	}
}
