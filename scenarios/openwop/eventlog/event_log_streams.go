package eventlog

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Frames may say less than the log, but nothing wrong (OWP-R41).
var streamShowsAll = scenarios.Scenario{
	ID:     "openwop/event-log/stream-shows-all",
	Title:  "a stream in mode debug shows every event of a finished run once, in order, one to a frame",
	Proves: scenarios.IDs{openwop.OWPEVT20, openwop.OWPEVT21, openwop.OWPEVT22},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(finishedRunStreamed, func(o StreamsObservation, j *scenarios.Judge) {
		o.Log.Whole(j)
		o.Full.offered(j)
		if !j.Check(openwop.OWPEVT20, o.Full.Status).To(check.Status(200), "asked for an event stream") ||
			!j.Check(openwop.OWPEVT20, o.Full.Kind).To(eventStream(), "Content-Type") {
			return
		}
		j.Check(openwop.OWPEVT22, o.Full.ids(o.Log)).To(numbered(behind(o.Log, -1)), "ids of the frames")
		o.Full.checkFrames(j, o.Log)
		for _, list := range o.Lists {
			if code, _ := list.Stream.Status.Int(); code/100 == 4 {
				j.Find("", "a stream in the modes %s is refused: HTTP %s", list.Modes, list.Stream.Status.JSON())
				continue
			}
			j.Check(openwop.OWPEVT20, list.Stream.Status).To(check.Status(200), "asked for a stream in the modes %s", list.Modes)
			j.Check(openwop.OWPEVT22, list.Stream.ids(o.Log)).To(numbered(behind(o.Log, -1)), "ids of the frames in the modes %s", list.Modes)
		}
		if types := o.Full.others(o.Log); len(types) > 0 {
			j.Find("", "the stream carries frames that are no events of the run: %s", wire.Compact(types))
		}
	}),
}

var streamCloses = scenarios.Scenario{
	ID:     "openwop/event-log/stream-closes",
	Title:  "the stream of a finished run ends by itself",
	Proves: scenarios.IDs{openwop.OWPEVT23},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(finishedRunStreamed, func(o StreamsObservation, j *scenarios.Judge) {
		o.Log.Told(j)
		o.Full.streamed(j)
		j.Check(openwop.OWPEVT23, o.Full.Closed).To(check.Reached(), "stream of a finished run")
		for _, mode := range o.Alone {
			if code, _ := mode.Stream.Status.Int(); code == 200 {
				j.Check(openwop.OWPEVT23, mode.Stream.Closed).To(check.Reached(), "stream of a finished run in the mode %s", mode.Modes)
			}
		}
	}),
}

// resumable blocks a judge that needs more than the first stream.
func (o StreamsObservation) resumable(j *scenarios.Judge) {
	o.Log.Whole(j)
	o.Full.streamed(j)
	j.Need(openwop.OWPEVT23, o.Full.Closed)
}

// Hosts refuse a malformed id, or start over: neither loses an event.
var streamResumes = scenarios.Scenario{
	ID:     "openwop/event-log/stream-resumes",
	Title:  "a stream goes on behind the event that it is told was the last",
	Proves: scenarios.IDs{openwop.OWPEVT24, openwop.OWPEVT25},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(finishedRunStreamed, func(o StreamsObservation, j *scenarios.Judge) {
		o.resumable(j)
		j.Check(openwop.OWPEVT24, o.Resumed.Status).To(check.Status(200), "asked for the stream with Last-Event-ID %d", o.After)
		j.Check(openwop.OWPEVT24, o.Resumed.ids(o.Log)).To(numbered(behind(o.Log, o.After)), "ids of the frames behind %d", o.After)
		for _, p := range o.Places {
			if code, _ := p.Resumed.Status.Int(); code/100 == 4 && p.After > host.Sequence(o.Log.Last()) {
				j.Find("", "a stream from beyond the last event is refused: HTTP %s", p.Resumed.Status.JSON())
				continue
			}
			j.Check(openwop.OWPEVT24, p.Resumed.Status).To(check.Status(200), "asked for the stream with Last-Event-ID %d", p.After)
			j.Check(openwop.OWPEVT24, p.Resumed.ids(o.Log)).To(numbered(behind(o.Log, p.After)), "ids of the frames behind %d", p.After)
		}
		if code, _ := o.GoneOn.Resumed.Status.Int(); code == 200 {
			j.Check(openwop.OWPEVT24, o.GoneOn.Resumed.unpacked(o.Log)).To(numbered(behind(o.Log, o.GoneOn.After)),
				"sequences of the events in batches behind %d", o.GoneOn.After)
		}
		j.Check(openwop.OWPEVT24, o.AtEnd.ids(o.Log)).To(numbered(nil), "ids of the frames behind the last event")
		if code, _ := o.AtEnd.Status.Int(); code/100 != 2 {
			j.Find("", "a stream behind the last event is answered with HTTP %s", o.AtEnd.Status.JSON())
		} else if !o.AtEnd.Closed.Reached && isEventStream(o.AtEnd.Kind.Actual()) {
			j.Find("", "a stream behind the last event of a finished run stays open")
		}
		if code, _ := o.Unparsed.Status.Int(); code == 200 {
			j.Check(openwop.OWPEVT25, o.Unparsed.ids(o.Log)).To(numbered(behind(o.Log, -1)), "ids of the frames with Last-Event-ID %s", o.Garbled)
		} else {
			j.Check(openwop.OWPEVT25, o.Unparsed.Status).To(check.Status(400), "asked for the stream with Last-Event-ID %s", o.Garbled)
		}
	}),
}

var streamBatches = scenarios.Scenario{
	ID:     "openwop/event-log/stream-batches",
	Title:  "a stream in batches shows every event once and in order, and no batch waits when the run is over or suspended",
	Proves: scenarios.IDs{openwop.OWPEVT28, openwop.OWPEVT29},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(finishedRunStreamed, func(o StreamsObservation, j *scenarios.Judge) {
		o.resumable(j)
		if code, _ := o.Batched.Status.Int(); code/100 == 4 {
			j.Block("the host refuses to batch events: HTTP "+o.Batched.Status.JSON(), "serve {stream log}?bufferMs= from 0 to 5000")
		}
		j.Check(openwop.OWPEVT28, o.Batched.Status).To(check.Status(200), "asked for the stream with bufferMs=%d", o.HoldMs)
		j.Check(openwop.OWPEVT28, o.Batched.unpacked(o.Log)).To(numbered(behind(o.Log, -1)), "sequences of the events")
		j.Check(openwop.OWPEVT28, o.Batched.Closed).To(check.Reached(), "stream in batches of a finished run")
		j.Check(openwop.OWPEVT29, o.Batched.of(o.Batched.batches(),
			func(f StreamFrame) wire.Value { return f.ID })).To(check.Equal(o.Batched.highest()), "ids of the batches")
		if len(o.Batched.batches()) == 0 {
			j.Find("", "the host gathers no events although bufferMs asks for it")
		}
		if code, _ := o.InBatches.Status.Int(); code == 200 && o.Moved.Ended.Reached {
			o.Moved.Readable(j)
			j.Check(openwop.OWPEVT28, o.InBatches.unpacked(o.Moved)).To(numbered(behind(o.Moved, -1)),
				"sequences of the events of a run that was moved while its stream in batches was open")
		}
		if o.Asked.Plain.Reached && !o.Asked.Refused {
			j.Check(openwop.OWPEVT28, o.Asked.Gathered).To(check.Reached(), "a question on a stream with bufferMs=%d, which another had told of",
				longestHold)
		}
	}),
}

var streamWhileLive = scenarios.Scenario{
	ID:     "openwop/event-log/stream-while-live",
	Title:  "a stream that was open while the run stood still shows every event once and in order to the end, and is closed then",
	Proves: scenarios.IDs{openwop.OWPEVT23, openwop.OWPEVT26},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(runWhileHeard, func(o LiveObservation, j *scenarios.Judge) {
		o.givenStill(j)
		o.givenMove(j)
		o.After.Whole(j)
		o.Listening.streamed(j)
		l := o.After
		j.Check(openwop.OWPEVT26, o.Listening.ids(l)).To(numbered(behind(l, -1)), "ids of the frames")
		j.Check(openwop.OWPEVT23, o.Listening.Closed).To(check.Reached(), "stream of a run that has ended meanwhile")
		if o.Heard == 0 {
			j.Find("", "the stream had sent nothing when the run was moved")
		}
		if ids := o.Beside.ids(l); o.Beside.tellsTheEnd(l) { // else the host may have closed it for the other
			j.Check(openwop.OWPEVT26, ids).To(numbered(behind(l, -1)), "ids of the frames of a second stream beside it")
		}
	}),
}

// A host need not have the JSON document (OWP-R21). Ids and numbers must agree;
// other differences are findings.
var formsAgree = scenarios.Scenario{
	ID:     "openwop/event-log/forms-agree",
	Title:  "the stream and the JSON document tell the events of the poll, under the same ids and numbers",
	Proves: scenarios.IDs{openwop.OWPEVT27},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(finishedRunStreamed, func(o StreamsObservation, j *scenarios.Judge) {
		o.Log.Whole(j)
		o.Full.streamed(j)
		o.Full.checkAgrees(j, o.Log)
		if code, _ := o.List.Status.Int(); code/100 == 2 && o.List.Body.Key("events").Present() {
			o.List.checkAgrees(j, o.Log)
		}
	}),
}

// checkAgrees compares the frames with the log.
func (s Listening) checkAgrees(j *scenarios.Judge, l host.RunLog) {
	known := byNumber(l)
	told, ids, want := map[string]wire.Value{}, wire.Found{In: s.Status.Ref()}, []any{}
	for _, f := range s.events(l) {
		id := f.Data.Key("eventId")
		told[f.ID.String()] = f.Data
		if id.Present() { // missing members are found below
			ids.Values, want = append(ids.Values, id), append(want, known[f.ID.String()].Key("eventId").Actual())
		}
	}
	j.Check(openwop.OWPEVT27, s.ids(l)).To(numbered(behind(l, -1)), "ids of the frames")
	j.Check(openwop.OWPEVT27, ids).To(check.Equal(want), "eventId in the frames")
	findDifferences(j, "a frame of the stream", l, told)
}

// checkAgrees compares the JSON document with the log.
func (p PollPage) checkAgrees(j *scenarios.Judge, l host.RunLog) {
	j.Check(openwop.OWPEVT27, p.events().Each("/sequence")).To(leading(behindAll(l, -1), len(behind(l, -1))), "sequences in the JSON document")
	ids := l.All()
	ids.Values = ids.Values[:min(len(ids.Values), len(p.events().Values))]
	j.Check(openwop.OWPEVT27, p.events().Each("/eventId")).To(check.SameAs(ids.Each("/eventId")), "eventId in the JSON document")
	told := map[string]wire.Value{}
	for _, e := range p.events().Values {
		told[e.Key("sequence").JSON()] = e
	}
	findDifferences(j, "the JSON document", l, told)
}
