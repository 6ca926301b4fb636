package eventlog

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// offered blocks the judge if the host has no stream, or lacks the mode that is
// sure to show everything.
func (s Listening) offered(j *scenarios.Judge) {
	switch status, _ := s.Status.Int(); status {
	case 0:
		j.Block("the stream was not opened in time", "answer {stream log} with a stream while the run is under way")
	case 404, 405, 406, 501:
		j.Block("the host serves no event stream: HTTP "+s.Status.JSON(), "serve {stream log} as text/event-stream")
	case 400, 422:
		j.Block("the host refuses the stream: HTTP "+s.Status.JSON(),
			"serve {stream log}?streamMode=debug: no other mode is sure to show every event")
	}
}

// streamed blocks the judge unless the stream, as its set-up, was served.
func (s Listening) streamed(j *scenarios.Judge) {
	s.offered(j)
	status, _ := s.Status.Int()
	switch why := "setup failed: the stream was answered with HTTP " + s.Status.JSON() + " and content of type " + s.Kind.JSON(); {
	case status != 200:
		j.Block(why, "serve {stream log} as text/event-stream")
	case !isEventStream(s.Kind.Actual()):
		j.Violates(openwop.OWPEVT20, s.Kind, why)
	}
}

func eventStream() check.Matcher { return check.That("text/event-stream", isEventStream) }

func isEventStream(v any) bool {
	s, _ := v.(string)
	kind, _, _ := strings.Cut(s, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}

// events returns the frames that carry events of the run. A host may also send
// pings, snapshots, and events after the end of the run: these are not judged.
func (s Listening) events(l host.RunLog) []StreamFrame {
	ours := map[string]bool{"": true, "message": true} // a frame without a type
	for _, e := range l.Events {
		ours[e.Key("type").String()] = true
	}
	late := lateEvents(l)
	var out []StreamFrame
	for _, f := range s.Frames {
		t := f.Type.String()
		if (ours[t] || dialect.TypeOf(f.Type).Valid()) && !late[f.ID.String()] {
			out = append(out, f)
		}
	}
	return out
}

// lateEvents holds the sequences, in decimal digits, of the events after the end
// of the run.
func lateEvents(l host.RunLog) map[string]bool {
	out := map[string]bool{}
	for _, n := range behindAll(l, endOf(l)) {
		out[strconv.FormatInt(n, 10)] = true
	}
	return out
}

// others returns the types of frames that carry no event, without duplicates.
func (s Listening) others(l host.RunLog) []string {
	events := map[wire.Ref]bool{}
	for _, f := range s.events(l) {
		events[f.ID.Ref()] = true
	}
	var out []string
	seen := map[string]bool{}
	for _, f := range s.Frames {
		if t := f.Type.String(); !events[f.ID.Ref()] && !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}

// of returns one part of each frame. If there are no frames, the result refers to
// the reply.
func (s Listening) of(frames []StreamFrame, part func(StreamFrame) wire.Value) wire.Found {
	f := wire.Found{In: s.Status.Ref()}
	for _, frame := range frames {
		f.Values = append(f.Values, part(frame))
	}
	return f
}

// ids returns the ids of the frames that carry events.
func (s Listening) ids(l host.RunLog) wire.Found {
	return s.of(s.events(l), func(f StreamFrame) wire.Value { return f.ID })
}

// tellsTheEnd reports whether the stream has the last event of the log.
func (s Listening) tellsTheEnd(l host.RunLog) bool {
	frames := s.events(l)
	return len(frames) > 0 && frames[len(frames)-1].number() == strconv.FormatInt(host.Sequence(l.Last()), 10)
}

// checkFrames compares the lines of each frame with the document in it. Members
// missing from the document are taken from the log (OWP-R41).
func (s Listening) checkFrames(j *scenarios.Judge, l host.RunLog) {
	frames, log := s.events(l), byNumber(l)
	var ids, types []any
	for _, f := range frames {
		ids, types = append(ids, f.number()), append(types, f.kind(log))
	}
	j.Check(openwop.OWPEVT21, s.of(frames, func(f StreamFrame) wire.Value { return f.Data })).To(check.Each(object()), "data of the frames")
	j.Check(openwop.OWPEVT21, s.of(frames, func(f StreamFrame) wire.Value { return f.ID })).To(check.Equal(ids),
		"id of the frames, by the sequences in their data")
	j.Check(openwop.OWPEVT21, s.of(frames, func(f StreamFrame) wire.Value { return f.Type })).To(check.Equal(types),
		"event of the frames, by the types in their data")
}

func object() check.Matcher {
	return check.That("a JSON object", func(v any) bool { _, ok := v.(map[string]any); return ok })
}

// number returns the id that the frame should have.
func (f StreamFrame) number() any {
	if n, ok := f.Data.Key("sequence").Int(); ok {
		return strconv.FormatInt(n, 10)
	}
	if n, err := strconv.ParseInt(f.ID.String(), 10, 64); err == nil && n >= 0 {
		return strconv.FormatInt(n, 10)
	}
	return "a sequence"
}

// kind returns the type that the frame should have.
func (f StreamFrame) kind(log map[string]wire.Value) any {
	if t := f.Data.Key("type"); t.String() != "" {
		return t.String()
	}
	return log[f.ID.String()].Key("type").String()
}

// batches returns the frames that hold several events.
func (s Listening) batches() []StreamFrame {
	var out []StreamFrame
	for _, f := range s.Frames {
		if f.Type.String() == "batch" {
			out = append(out, f)
		}
	}
	return out
}

// unpacked returns the sequences of all events, including those in batches.
func (s Listening) unpacked(l host.RunLog) wire.Found {
	single := map[wire.Ref]bool{}
	for _, f := range s.events(l) {
		single[f.ID.Ref()] = true
	}
	late := lateEvents(l)
	out := wire.Found{In: s.Status.Ref()}
	for _, f := range s.Frames {
		switch {
		case f.Type.String() == "batch":
			for _, e := range f.Data.Items() {
				if !late[e.Key("sequence").JSON()] {
					out.Values = append(out.Values, e.Key("sequence"))
				}
			}
		case single[f.ID.Ref()]:
			out.Values = append(out.Values, f.ID)
		}
	}
	return out
}

// highest returns the ids that the batches should have.
func (s Listening) highest() []any {
	out := []any{}
	for _, f := range s.batches() {
		var most int64
		for _, e := range f.Data.Items() {
			most = max(most, host.Sequence(e))
		}
		out = append(out, strconv.FormatInt(most, 10))
	}
	return out
}

// findDifferences notes what one form of the log omits or states differently from
// the poll, once per member.
func findDifferences(j *scenarios.Judge, form string, l host.RunLog, events map[string]wire.Value) {
	for _, member := range []string{"eventId", "runId", "type", "sequence", "timestamp", "payload", "nodeId", "causationId"} {
		lacks, differs := 0, 0
		for _, e := range l.Events {
			other, told := events[strconv.FormatInt(host.Sequence(e), 10)]
			ours, theirs := e.Key(member), other.Key(member)
			switch {
			case !told || ours.Actual() == nil && theirs.Actual() == nil:
			case !theirs.Present():
				lacks++
			case !reflect.DeepEqual(check.Plain(ours.Actual()), check.Plain(theirs.Actual())):
				differs++
			}
		}
		if lacks > 0 {
			j.Find("", "%s leaves %s out, of %d of %d events (OWP-R41)", form, member, lacks, len(l.Events))
		}
		if differs > 0 {
			j.Find("", "%s says another %s than the poll, of %d of %d events (OWP-R41)", form, member, differs, len(l.Events))
		}
	}
}
