package wire

import (
	"fmt"
	"reflect"
	"testing"
)

// An observation follows an array that gets another element: a list of all its elements gets it, too, a part of them
// does not, and a single value stays with its element.
func TestFollow(t *testing.T) {
	type observation struct {
		All, Some Values
		Last      Value
		Named     map[string]Value
		Ended     Wait
	}
	at := func(pointer string) Value { return Value{ref: Ref{Exchange: 1, Pointer: pointer}} }
	transcript := &Transcript{Entries: []Entry{{Kind: "http", Response: &Response{Status: 200, Body: `{"events":[1,2,3]}`}}}}
	o := &observation{
		All: Values{at("/events/0"), at("/events/1"), at("/events/2")}, Some: Values{at("/events/0"), at("/events/2")},
		Last: at("/events/2"), Named: map[string]Value{"two": at("/events/1")}, Ended: Wait{Reached: true, Patience: 7},
	}
	b, err := Follow(o, transcript)
	if err != nil {
		t.Fatal(err)
	}
	shown := func() []any {
		return []any{o.All.Actual(), o.Some.Actual(), o.Last.JSON(), o.Named["two"].JSON(), o.Ended.Reached, o.Ended.Took}
	}
	before := shown()
	for _, c := range []struct {
		name, body string
		from       []int
		late       bool
		all, some  string
		last, two  string
	}{
		{"one more", `{"events":[1,9,2,3]}`, []int{0, -1, 1, 2}, true, "[1,9,2,3]", "[1,3]", "3", "2"},
		{"one less", `{"events":[1,2]}`, []int{0, 1}, false, "[1,2]", "[1]", "absent", "2"},
		{"another order", `{"events":[3,2,1]}`, []int{2, 1, 0}, false, "[3,2,1]", "[3,1]", "3", "2"},
	} {
		entry, ok := transcript.Entries[0].With("", c.body)
		if !ok {
			t.Fatal("a reply has no body")
		}
		array := Ref{Exchange: 1, Pointer: "/events"}
		change := Change{Entries: map[int]Entry{1: entry}, Touched: []Ref{array}, Moves: &Moves{Array: array, Had: 3, From: c.from}}
		if c.late {
			wait := o.Ended
			change.Late = &wait
		}
		followed, undo, err := b.Apply(change)
		if err != nil || !followed {
			t.Errorf("%s: followed %v, %v", c.name, followed, err)
		}
		if got := []string{Compact(o.All.Actual()), Compact(o.Some.Actual()), o.Last.JSON(), o.Named["two"].JSON()}; !reflect.DeepEqual(got,
			[]string{c.all, c.some, c.last, c.two}) {
			t.Errorf("%s: %q", c.name, got)
		}
		if o.Ended.Reached == c.late {
			t.Errorf("%s: reached %v", c.name, o.Ended.Reached)
		}
		if undo(); !reflect.DeepEqual(shown(), before) {
			t.Errorf("%s: undone it is %v, and was %v", c.name, shown(), before)
		}
	}
	entry, _ := transcript.Entries[0].With("status", "500")
	change := Change{Entries: map[int]Entry{1: entry}, Touched: []Ref{{Exchange: 1, Part: "status"}}}
	if followed, undo, err := b.Apply(change); followed || err != nil {
		t.Errorf("the observation has no status, and follows it: %v", err)
	} else {
		undo()
	}
}

// One event of a stream changes, the others stay.
func TestWithChangesAnEvent(t *testing.T) {
	e := Entry{Kind: "stream", Response: &Response{Status: 200}, Chunks: []Chunk{
		{Micros: 1, Text: ": hello\n\nid: 1\nevent: a\nda"}, {Micros: 2, Text: "ta: {\"n\":1}\n\nid: 2\ndata: x\n"},
		{Micros: 3, Text: "data: y\n\n: bye\n"}}}
	for _, c := range []struct{ part, text, want string }{
		{"event:1", `{"n":2}`, "[{1 a {\"n\":2}} {2  x\ny}]"},
		{"event:2", "z", "[{1 a {\"n\":1}} {2  z}]"},
		{"id:2", "7", "[{1 a {\"n\":1}} {7  x\ny}]"},
		{"type:1", "b", "[{1 b {\"n\":1}} {2  x\ny}]"},
	} {
		changed, ok := e.With(c.part, c.text)
		if !ok {
			t.Errorf("%s cannot be changed", c.part)
			continue
		}
		transcript := &Transcript{Entries: []Entry{changed}}
		got, _ := transcript.Text(1, c.part)
		if got != c.text {
			t.Errorf("%s is %q", c.part, got)
		}
		var parser StreamParser
		var events []StreamEvent
		for _, chunk := range changed.Chunks {
			events = append(events, parser.Feed(chunk.Text)...)
		}
		if got := fmt.Sprint(events); got != c.want {
			t.Errorf("%s: the stream is %s", c.part, got)
		}
	}
	if _, ok := e.With("event:3", "z"); ok {
		t.Error("an event that is not there was changed")
	}
}

// The events of a stream are others, and the lists of an observation follow.
func TestFollowAStream(t *testing.T) {
	entry := Entry{Kind: "stream", Micros: 9, Response: &Response{Status: 200}, Chunks: []Chunk{
		{Micros: 1, Text: ": hello\n\nid: 1\nevent: a\ndata: 1\n\nid: 2\nda"}, {Micros: 2, Text: "ta: {\"n\":2}\n\n: bye\n"}}}
	transcript := &Transcript{Entries: []Entry{entry}}
	var o struct {
		Types, Data Values
		Second      Value
	}
	for n := 1; n <= transcript.Events(1); n++ {
		part := func(what string) Value {
			v, _ := transcript.value(Ref{Exchange: 1, Part: fmt.Sprint(what, ":", n)})
			return v
		}
		o.Types, o.Data = append(o.Types, part("type")), append(o.Data, part("event"))
	}
	o.Second, _ = transcript.value(Ref{Exchange: 1, Part: "event:2", Pointer: "/n"})
	b, err := Follow(&o, transcript)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name         string
		order, from  []int
		types, data  string
		second, ends string
	}{
		{"the first is gone", []int{1}, []int{1}, `[""]`, `[{"n":2}]`, "2", ": bye\n"},
		{"the last is gone", []int{0}, []int{0}, `["a"]`, "[1]", "absent", ": bye\n"},
		{"one is sent twice", []int{0, 0, 1}, []int{0, -1, 1}, `["a","a",""]`, `[1,1,{"n":2}]`, "2", ": bye\n"},
		{"another order", []int{1, 0}, []int{1, 0}, `["","a"]`, `[{"n":2},1]`, "2", ": bye\n"},
	} {
		changed, ok := entry.Sending(c.order)
		followed, undo, err := b.Apply(Change{Entries: map[int]Entry{1: changed},
			Moves: &Moves{Array: Ref{Exchange: 1, Part: "event"}, Had: 2, From: c.from}})
		if !ok || !followed || err != nil {
			t.Errorf("%s: sent %v, followed %v, %v", c.name, ok, followed, err)
		}
		if types, data := Compact(o.Types.Actual()), Compact(o.Data.Actual()); types != c.types || data != c.data || o.Second.JSON() != c.second {
			t.Errorf("%s: types %s, data %s, and what stood in the second is %s", c.name, types, data, o.Second.JSON())
		}
		if last := changed.Chunks[len(changed.Chunks)-1]; last.Text != c.ends || last.Micros != 9 {
			t.Errorf("%s: it ends with %+v", c.name, last)
		}
		undo()
	}
	if _, ok := entry.Sending([]int{2}); ok {
		t.Error("an event that the stream does not have was sent")
	}
	if Compact(o.Data.Actual()) != `[1,{"n":2}]` {
		t.Errorf("undone it is %s", Compact(o.Data.Actual()))
	}
}
