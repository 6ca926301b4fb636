package eventlog

import (
	"fmt"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// Hosts read the cursor under its present or its former name, and some count from
// 1 (OWP-R20). Under all of these, no event may get lost.
var pollCursor = scenarios.Scenario{
	ID:     "openwop/event-log/poll-cursor",
	Title:  "a poll lists the log from its first event on, or all that is behind its cursor, and nothing else",
	Proves: scenarios.IDs{openwop.OWPEVT13, openwop.OWPEVT14, openwop.OWPEVT15},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(logsOfTwoRuns, func(o LogsObservation, j *scenarios.Judge) {
		o.First.Told(j)
		o.Again.Polled(j)
		o.Whole.checkStart(j)
		former := false
		for _, p := range o.Pages {
			asked := fmt.Sprintf("poll behind %d of a log that ends with %d", p.After, endOf(o.First))
			if code, _ := p.Status.Int(); code/100 == 4 && p.After > host.Sequence(o.First.Last()) {
				j.Find("", "a cursor beyond the end of the log is refused: HTTP %s", p.Status.JSON())
				continue
			}
			if !j.Check(openwop.OWPEVT14, p.Status).To(check.Status(2), "%s", asked) {
				continue
			}
			j.Check(openwop.OWPEVT14, p.fresh().Each("/sequence")).To(leading(behindAll(o.Again, p.After),
				min(1, len(behindAll(o.First, p.After)))), "%s", asked)
			if p.Since != nil {
				former, p = true, *p.Since
			}
			j.Check(openwop.OWPEVT15, p.events().Each("/sequence")).To(allBeyond(p.After), "%s", asked)
		}
		if former {
			names := dialect.Of(o.First.Read).Cursors
			j.Find("", "the host does not mind the cursor %s and knows it as %s only (OWP-R20)", names[0], names[1])
		}
	}),
}

// checkStart checks that the log starts with the first event. If the host does not
// count from 0, the type shows whether the event is a start.
func (p PollPage) checkStart(j *scenarios.Judge) {
	j.Check(openwop.OWPEVT13, p.Status).To(check.Status(2), "poll without a cursor")
	first := p.events().Values
	if len(first) > 0 && host.Sequence(first[0]) == 0 {
		j.Check(openwop.OWPEVT13, first[0].Key("sequence")).To(check.Equal(0), "sequence of the first event")
		return
	}
	types := p.events().Each("/type")
	types.Values = types.Values[:min(1, len(types.Values))]
	j.Check(openwop.OWPEVT13, types).To(dialect.Types(dialect.RunStarted), "type of the first event")
}

// Some hosts send isComplete, some isTerminal, some both, some neither.
var pollComplete = scenarios.Scenario{
	ID:     "openwop/event-log/poll-complete",
	Title:  "a poll at the end of a finished run says that the log is complete",
	Proves: scenarios.IDs{openwop.OWPEVT17},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(logsOfTwoRuns, func(o LogsObservation, j *scenarios.Judge) {
		o.First.Told(j)
		end := o.Whole
		for _, p := range o.Pages {
			if p.After == host.Sequence(o.First.Last()) {
				end = p
			}
		}
		said := end.Body.Key(completeFlags[0])
		if !said.Present() {
			said = end.Body.Key(completeFlags[1])
			j.Find(openwop.OWPEVT17, "the reply to a poll has no isComplete")
		}
		j.Check(openwop.OWPEVT17, said).To(check.Equal(true), "at the end of the log of a finished run")
	}),
}

// completeFlags are the members by which hosts mark the end of a log.
var completeFlags = []string{"isComplete", "isTerminal"}

var pollWhileLive = scenarios.Scenario{
	ID: "openwop/event-log/poll-while-live",
	Title: "a poll of an idle run returns in time without isComplete; later polls list the new events and leave the old ones unchanged; " +
		"only a reply with the last event of the log has isComplete",
	Proves:  scenarios.IDs{openwop.OWPEVT12, openwop.OWPEVT16, openwop.OWPEVT18, openwop.OWPEVT19},
	Watches: scenarios.IDs{openwop.OWP0037A2},
	Claim:   claims.Protocol,
	Ask: scenarios.Ask(runWhileHeard, func(o LiveObservation, j *scenarios.Judge) {
		o.givenStill(j)
		j.Check(openwop.OWPEVT18, o.Idled).To(check.Reached(), "with nothing new and a timeout of a second")
		o.givenMove(j)
		for _, flag := range completeFlags {
			j.Check(openwop.OWPEVT16, o.Idle.Body.Key(flag)).NotTo(check.Equal(true), "%s of a run that was still to go on", flag)
			j.Check(openwop.OWPEVT16, o.List.Body.Key(flag)).NotTo(check.Equal(true),
				"%s of the JSON document of a run that was still to go on", flag)
		}
		j.Check(openwop.OWPEVT16, o.Long.Early).NotTo(check.Equal(true), "isComplete of a page before the last, of a log of %d events",
			len(o.Long.Events))
		if o.Parted.Ended.Reached && o.Parting.Body.Key(completeFlags[0]).Actual() == true { // the other may speak of the run alone
			all := behindAll(o.Parted, o.Parting.After)
			j.Check(openwop.OWPEVT16, o.Parting.fresh().Each("/sequence")).To(leading(all, len(all)),
				"listed in a reply that calls the log complete, of a run that was cancelled while it was polled")
		}
		if o.Long.Ended.Reached && o.Long.Status().String() == "completed" {
			j.Check(openwop.OWP0037A2, host.Dispatched(o.Long)).To(check.Len(o.Crowd),
				"handoffs of a loop that decided on %d workers", o.Crowd)
		}
		j.Check(openwop.OWPEVT19, o.Late.Status).To(check.Status(2), "poll behind %d", o.Late.After)
		j.Check(openwop.OWPEVT19, o.Late.fresh().Each("/sequence")).To(leading(behindAll(o.After, o.Late.After), 1),
			"poll behind %d, when the run had gone on", o.Late.After)
		CheckKept(j, o.Before, o.After, "while the run stood still, and at its end")
	}),
}
