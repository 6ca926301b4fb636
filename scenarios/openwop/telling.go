package openwop

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// telling is a page or a stream that tells events of a run.
type telling struct {
	at           wire.Ref
	began, ended time.Time // of the exchange: what another one showed counts as earlier only if that had ended by then
	cursor       int64     // the event that it goes on behind, or noCursor
	stream       bool
	whole        bool       // it leaves no event out: a poll, or a stream in mode debug
	batched      bool       // a stream that gathers events
	limited      bool       // the request asks for so many events at most
	complete     bool       // a poll that says isComplete
	by           string     // the parameter that the cursor of a poll stands in, "" for none or several
	passed       wire.Value // the first event of a poll that its cursor has passed
	events       []told
}

// told is an event as a page or a frame tells it.
type told struct {
	sequence  int64
	id, kind  string
	step, end bool // whether the event is a step of the run, and whether it ends the run
	at        wire.Ref
}

func (t told) String() string { return fmt.Sprintf("the event of sequence %d", t.sequence) }

const noCursor = -1

// mostTold limits how many events of a run are compared, in all the pages and streams that one drive read.
const mostTold = 100_000

// tellEvent returns an event document as a page or a frame holds it. numbered is false if it has no sequence.
func tellEvent(e wire.Value) (t told, numbered bool) {
	t = told{id: e.Key("eventId").String(), kind: e.Key("type").String(), at: e.Ref()}
	t.sequence, numbered = e.Key("sequence").Int()
	kind := dialect.EventOf(e)
	t.end = slices.Contains([]dialect.Event{dialect.RunCompleted, dialect.RunFailed, dialect.RunCancelled}, kind)
	t.step = slices.Contains(host.StepEvents, kind)
	return t, numbered
}

// hear adds a page or a stream.
func (r *reading) hear(t telling) {
	if r.told += len(t.events); r.told <= mostTold {
		r.tellings = append(r.tellings, t)
	}
}

// paged adds a reply to a poll, behind a cursor if there was one.
func (r *reading) paged(t *wire.Transcript, n int, body wire.Value, cursor int64, by string, limited bool) {
	e := t.Entry(n)
	page := telling{at: body.Ref(), began: e.At, ended: e.Ended(), cursor: cursor, by: by,
		whole: true, limited: limited}
	page.complete, _ = body.Key("isComplete").Bool()
	for _, event := range body.Key("events").Items() {
		one, numbered := tellEvent(event)
		if !numbered { // the log is held to that
			return
		}
		if one.sequence > cursor { // a host may know a cursor by another name and begin anew (OWP-R20)
			page.events = append(page.events, one)
		} else if !page.passed.Present() {
			page.passed = event
		}
	}
	r.hear(page)
}

// streamed reads the frames of a stream. A frame that is no event of the run, such as a ping, says nothing here.
func (r *reading) streamed(t *wire.Transcript, n int, query url.Values) {
	e := t.Entry(n)
	heard := telling{at: wire.Ref{Exchange: n, Part: "status"}, began: e.At, ended: e.Ended(),
		cursor: noCursor, stream: true, whole: query.Get("streamMode") == "debug", batched: query.Has("bufferMs")}
	if chunks := e.Chunks; len(chunks) > 0 {
		heard.ended = e.At.Add(time.Duration(chunks[len(chunks)-1].Micros) * time.Microsecond)
	}
	for name, value := range e.Request.Header {
		if strings.EqualFold(name, "Last-Event-ID") {
			var known bool
			if heard.cursor, known = number(value); !known {
				return // what a host makes of it is a question of its own
			}
		}
	}
	for _, f := range t.Frames(n) {
		docs := wire.Values{f.Data}
		batch := f.Type.String() == "batch"
		if batch {
			docs = f.Data.Items()
		}
		for _, doc := range docs {
			one, numbered := tellEvent(doc)
			if !numbered || one.kind == "" || !batch && f.Type.String() != "" && !dialect.TypeOf(f.Type).Valid() && f.Type.String() != one.kind {
				continue
			}
			heard.events = append(heard.events, one)
			if !batch && !r.misframed.Present() && (f.ID.String() != "" && f.ID.String() != strconv.FormatInt(one.sequence, 10) ||
				f.Type.String() != "" && f.Type.String() != "message" && f.Type.String() != one.kind) {
				r.misframed = f.Data
				r.framedAs = fmt.Sprintf("id %s and event %s", f.ID.JSON(), f.Type.JSON())
			} else if !batch && f.ID.String() != "" {
				r.framed = f.Data
			}
			if id := doc.Key("runId"); id.String() == r.id {
				r.own = id
			} else if id.String() != "" && !r.stray.Present() {
				r.stray = id
			}
		}
	}
	r.hear(heard)
}

// judgeTellings compares all pages and streams that tell of the run.
func (r *reading) judgeTellings() {
	see := r.once
	if r.misframed.Present() {
		see.not(openwop.OWPEVT21, r.misframed.Ref(), "the sequence of the event as the id of its frame, and its type as the event",
			r.framedAs+" around "+r.misframed.JSON())
	} else if r.framed.Present() {
		see.held(openwop.OWPEVT21, r.framed.Ref())
	}
	own := r.unforked()
	switch {
	case r.forked:
	case r.stray.Present():
		own.not(openwop.OWPEVT4, r.stray.Ref(), "events of the run "+r.id, "an event of the run "+r.stray.JSON())
	case r.own.Present():
		own.held(openwop.OWPEVT4, r.own.Ref())
	}
	known, doubtful := r.known()
	all := slices.Sorted(maps.Keys(known))
	for _, t := range r.tellings {
		r.judgeOrder(t, see)
		judgeSame(t, known, doubtful, see)
		t.judgeComplete(all, known, doubtful, see)
	}
	r.judgeEnds(see)
}

// known returns the event of each sequence, as it was first told. A sequence that one page or stream gives to two events is
// doubtful.
func (r *reading) known() (known map[int64]told, doubtful map[int64]bool) {
	known, doubtful = map[int64]told{}, map[int64]bool{}
	for _, t := range r.tellings {
		here := map[int64]string{}
		for _, e := range t.events {
			if id, twice := here[e.sequence]; twice && id != e.id {
				doubtful[e.sequence] = true
			}
			here[e.sequence] = e.id
			if _, is := known[e.sequence]; !is {
				known[e.sequence] = e
			}
		}
	}
	return known, doubtful
}

// judgeOrder holds a page or a stream to its own order: events come once, by their sequences, and nothing but notes comes behind
// the end.
func (r *reading) judgeOrder(t telling, see once) {
	own := r.unforked()
	over := slices.IndexFunc(t.events, func(e told) bool { return e.end })
	for i, e := range t.events {
		if i > 0 {
			last := t.events[i-1].sequence
			switch {
			case t.stream && e.sequence <= last:
				see.not(t.shows(), e.at, fmt.Sprintf("an event behind %d, each once and in order", last), e.String())
			case !t.stream && !r.forked && e.sequence != last+1:
				own.not(openwop.OWPEVT1, e.at, fmt.Sprintf("the event of sequence %d behind that of %d", last+1, last), e.String())
			case t.stream:
				see.held(t.shows(), e.at)
			case !r.forked:
				own.held(openwop.OWPEVT1, e.at)
			}
		}
		if over >= 0 && e.sequence > t.events[over].sequence && e.step && !e.end {
			see.not(openwop.OWPEVT10, e.at, "no step of the run behind the event that ends it", "an event of type "+e.kind)
		}
	}
}

// shows returns the requirement that has t show every event of its run, once and in order.
func (t telling) shows() scenarios.RequirementID {
	switch {
	case t.batched:
		return openwop.OWPEVT28
	case t.stream:
		return openwop.OWPEVT22
	}
	return openwop.OWPEVT14
}

// judgeSame expects that an event stays what it was first told to be.
func judgeSame(t telling, known map[int64]told, doubtful map[int64]bool, see once) {
	for _, e := range t.events {
		first := known[e.sequence]
		if doubtful[e.sequence] || first.id == "" || e.id == "" || first.at == e.at {
			continue
		}
		id := scenarios.RequirementID(openwop.OWPEVT12)
		if t.stream || first.at.Part != "" {
			id = openwop.OWPEVT27
		}
		if first.id == e.id {
			see.held(id, e.at)
			continue
		}
		see.not(id, e.at, fmt.Sprintf("the event %q at sequence %d, as at %s", first.id, e.sequence, first.at), fmt.Sprintf("the event %q", e.id))
	}
}

// judgeComplete expects that nothing is left out between the cursor and the last event that is told. Without a cursor a stream may
// begin where the run stood when it was opened.
func (t telling) judgeComplete(all []int64, known map[int64]told, doubtful map[int64]bool, see once) {
	if !t.whole || len(t.events) == 0 {
		return
	}
	id := t.shows()
	if t.stream && t.cursor != noCursor {
		if id = openwop.OWPEVT24; t.events[0].sequence <= t.cursor {
			see.not(id, t.events[0].at, fmt.Sprintf("the event behind %d", t.cursor), t.events[0].String())
		}
	}
	here := map[int64]bool{}
	for _, e := range t.events {
		here[e.sequence] = true
	}
	first, last := t.reach()
	for _, n := range all {
		if n < first || n > last || doubtful[n] {
			continue
		}
		if here[n] {
			if known[n].at.Exchange != t.at.Exchange { // only another page or stream can show that one is missing
				see.held(id, t.at)
			}
			continue
		}
		behind := max(0, slices.IndexFunc(t.events, func(e told) bool { return e.sequence > n }))
		see.not(id, t.events[behind].at, fmt.Sprintf("the event of sequence %d, which stands at %s", n, known[n].at),
			"it is left out")
	}
}

// reach returns the first and the last sequence that t speaks of, 0 and its cursor if it has no events.
func (t telling) reach() (first, last int64) {
	if len(t.events) == 0 {
		return 0, t.cursor
	}
	first = t.events[0].sequence
	for _, e := range t.events {
		first, last = min(first, e.sequence), max(last, e.sequence)
	}
	if t.cursor != noCursor {
		first = min(first, t.cursor+1)
	}
	return first, max(last, t.cursor)
}

// judgeEnds expects that a poll which calls the log complete, or which comes back empty, leaves out nothing that an earlier poll
// showed, and that no event ends the run behind a log that was complete.
func (r *reading) judgeEnds(see once) {
	shown, end := r.tops()
	for i, t := range r.tellings {
		if t.stream || !t.complete && (len(t.events) > 0 || t.limited) {
			continue
		}
		_, last := t.reach()
		over := slices.ContainsFunc(t.events, func(e told) bool { return e.end })
		earlier, _ := slices.BinarySearchFunc(shown, top{ended: t.began, telling: i}, top.compare)
		var most told
		if earlier > 0 {
			most = shown[earlier-1].most
		}
		left := func(e told) string { return fmt.Sprintf("the event of sequence %d, which is at %s", e.sequence, e.at) }
		switch {
		case t.complete && earlier > 0 && most.sequence > last:
			see.not(openwop.OWPEVT16, t.at, "not complete: behind it comes "+left(most), "isComplete is true")
		case t.complete && end != nil && end.sequence > last && !over:
			see.not(openwop.OWPEVT16, t.at, "not complete: behind it comes "+left(*end), "isComplete is true")
		case t.complete && earlier > 0:
			see.held(openwop.OWPEVT16, t.at)
		case earlier > 0 && most.sequence > last:
			see.not(openwop.OWPEVT14, t.at, left(most), "no event")
		}
	}
}

// top is the last event that was shown by the polls up to one of them.
type top struct {
	ended   time.Time
	telling int // its index
	most    told
}

func (t top) compare(other top) int {
	return cmp.Or(t.ended.Compare(other.ended), cmp.Compare(t.telling, other.telling))
}

// tops returns a top for each poll, in the order in which they ended, and the last event that ends the run, nil for none.
func (r *reading) tops() (shown []top, end *told) {
	for i, t := range r.tellings {
		if len(t.events) == 0 {
			continue
		}
		most := slices.MaxFunc(t.events, func(a, b told) int { return cmp.Compare(a.sequence, b.sequence) })
		if most.end && (end == nil || most.sequence > end.sequence) {
			end = &most
		}
		if !t.stream {
			shown = append(shown, top{t.ended, i, most})
		}
	}
	slices.SortFunc(shown, top.compare)
	for i := 1; i < len(shown); i++ {
		if before := shown[i-1].most; before.sequence > shown[i].most.sequence {
			shown[i].most = before
		}
	}
	return shown, end
}
