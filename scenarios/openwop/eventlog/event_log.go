// Package eventlog asks whether a run's log is complete and in order, however it
// is read.
package eventlog

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite tests logs for their own sake: their order, their ends, and the ways to
// read them.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "event-log", Title: "the log of a run: whole, in order, never changed, ended once, and the same by poll and by stream",
		Scenarios: []scenarios.Scenario{
			numberedWithoutGap, envelopeComplete, causesComeFirst, payloadsFit, endsOnce, logsApart, neverChanges,
			pollCursor, pollComplete, pollWhileLive,
			streamShowsAll, streamCloses, streamResumes, streamBatches, streamWhileLive, formsAgree,
		},
	}
}

// The schema has the first event at 0, but only the steps between sequences count
// (OWP-R20).
var numberedWithoutGap = scenarios.Scenario{
	ID:     "openwop/event-log/numbered-without-gap",
	Title:  "the events of a run are numbered one by one, and listed in this order",
	Proves: scenarios.IDs{openwop.OWPEVT1},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(logsOfTwoRuns, func(o LogsObservation, j *scenarios.Judge) {
		o.First.Served(j)
		o.Second.Served(j)
		o.Again.Polled(j)
		for _, l := range []host.RunLog{o.First, o.Second, o.Again} {
			CheckNumbered(l, j)
		}
		listed := o.Whole.events().Each("/sequence")
		least := max(1, min(host.LeastEvents, len(listed.Values))) // how much a host puts on a page is its own affair
		j.Check(openwop.OWPEVT1, listed).To(consecutive(least),
			"sequence of the events in one reply, as they are listed")
		if first := o.First.All().Values; len(first) > 0 && host.Sequence(first[0]) != 0 {
			j.Find("", "the first event has sequence %s, not 0 (OWP-R20)", first[0].Key("sequence").JSON())
		}
	}),
}

var envelopeComplete = scenarios.Scenario{
	ID:     "openwop/event-log/envelope-complete",
	Title:  "every event has its envelope: an id of its own, a run, a legal type, a payload and a time",
	Proves: scenarios.IDs{openwop.OWPEVT2, openwop.OWPEVT3, openwop.OWPEVT5, openwop.OWPEVT7},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(logsOfTwoRuns, func(o LogsObservation, j *scenarios.Judge) {
		for _, l := range []host.RunLog{o.First, o.Second} {
			l.Told(j)
			CheckEnvelopes(l, j)
			if types := reserved(l); len(types) > 0 { // OWP-R2
				j.Find("", "types that are not in the catalogue begin with a reserved word (OWP-R2): %s", wire.Compact(types))
			}
		}
	}),
}

// An event need not name its cause. A log without causes breaks no rule, and shows none kept.
var causesComeFirst = scenarios.Scenario{
	ID:     "openwop/event-log/causes-come-first",
	Title:  "an event that names its cause comes after it",
	Proves: scenarios.IDs{openwop.OWPEVT6},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(logsOfTwoRuns, func(o LogsObservation, j *scenarios.Judge) {
		o.First.Told(j)
		o.Second.Told(j)
		named := 0
		logs := []host.RunLog{o.First, o.Second}
		for _, more := range []host.RunLog{o.Bounded, o.Handing} {
			if len(more.Events) > 0 {
				logs = append(logs, more)
			}
		}
		for _, l := range logs {
			CheckCauses(l, j)
			if n := len(foreignCauses(l).Values); n > 0 && !alone(l) { // OWP-R11
				j.Find("", "%d events of a run that hands on work name causes outside its log (OWP-R11)", n)
			}
			named += len(withCause(l).Values)
		}
		switch {
		case named > 0:
		case !o.HandsOn && len(o.Bounded.OfType(dialect.Breached).Values) == 0: // nothing that the host claims has a cause to name
			j.NotOffered("no event of the runs names its cause, and none need have one")
		default:
			j.Block("no event names its cause, so there is nothing to compare", "have some event of a run name its cause in causationId")
		}
	}),
}

// Every host seen so far departs from some schema: findings, by type (OWP-R41).
var payloadsFit = scenarios.Scenario{
	ID:     "openwop/event-log/payloads-fit",
	Title:  "the payloads of catalogue types have the shape of their schemas",
	Proves: scenarios.IDs{openwop.OWPEVT8},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(logsOfTwoRuns, func(o LogsObservation, j *scenarios.Judge) {
		o.First.Told(j)
		o.Second.Told(j)
		if len(typesWithSchema(o.First, o.Second)) == 0 {
			const why = "setup failed: no event on the log is of a type whose payload has a schema"
			if ends := o.First.Terminals(); len(ends.Values) == 0 {
				j.Violates(openwop.OWPEVT9, ends, why+", and so none that ends the run")
			}
			j.Block(why, "log events of the types of the catalogue")
		}
		CheckPayloads(j, o.First, o.Second)
	}),
}

var endsOnce = scenarios.Scenario{
	ID:     "openwop/event-log/ends-once",
	Title:  "one event ends a run, it is the one of the run's status, and no step comes after it",
	Proves: scenarios.IDs{openwop.OWPEVT9, openwop.OWPEVT10, openwop.OWPEVT11},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(logsOfTwoRuns, func(o LogsObservation, j *scenarios.Judge) {
		o.First.Served(j)
		o.Second.Served(j)
		o.Again.Polled(j)
		CheckEnd(o.First, j, "when it had ended")
		CheckEnd(o.Second, j, "when it had ended")
		CheckEnd(o.Again, j, "when another had ended too and "+o.Window.String()+" had gone by")
		for _, l := range []host.RunLog{o.First, o.Second} {
			CheckEndAsTold(l, j)
		}
	}),
}

// The control: the host can tell the two runs apart at all.
var logsApart = scenarios.Scenario{
	ID:     "openwop/event-log/logs-apart",
	Title:  "of two runs at once each log holds the events of its own run only",
	Proves: scenarios.IDs{openwop.OWPEVT4},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(logsOfTwoRuns, func(o LogsObservation, j *scenarios.Judge) {
		o.First.Told(j)
		o.Second.Told(j)
		j.Check(openwop.OWPEVT4, o.Second.ID).NotTo(check.Equal(o.First.RunID), "runId of the second run")
		for _, l := range []host.RunLog{o.First, o.Second} {
			CheckOwn(l, j)
		}
	}),
}

var neverChanges = scenarios.Scenario{
	ID:     "openwop/event-log/never-changes",
	Title:  "a log that is read again holds what it held before, as it was",
	Proves: scenarios.IDs{openwop.OWPEVT12},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(logsOfTwoRuns, func(o LogsObservation, j *scenarios.Judge) {
		o.First.Told(j)
		o.Again.Polled(j)
		CheckKept(j, o.First, o.Again, "when the run had ended, and later")
	}),
}
