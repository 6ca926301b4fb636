package handoff

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// follows maps each phase of a handoff to its predecessor. The first phase follows a decision.
var follows = map[dialect.ChainPhase]dialect.ChainPhase{
	dialect.ChainPhaseDispatchSucceeded: dialect.ChainPhaseDispatchBegan,
	dialect.ChainPhaseDispatchFailed:    dialect.ChainPhaseDispatchBegan,
	dialect.ChainPhaseChildCompleted:    dialect.ChainPhaseDispatchSucceeded,
	dialect.ChainPhaseChildFailed:       dialect.ChainPhaseDispatchSucceeded,
	dialect.ChainPhaseChildCancelled:    dialect.ChainPhaseDispatchSucceeded,
	dialect.ChainPhaseOutputHarvested:   dialect.ChainPhaseChildCompleted,
}

// CheckChains checks that each step of every handoff is caused by its predecessor,
// even if the handoff is not complete (RFC 0037 B).
func CheckChains(l host.RunLog, j *scenarios.Judge) {
	steps := l.OfType(dialect.HandedOver)
	j.Check(openwop.OWP0037B3, steps).To(chained(l.Decided()), "steps of the handoffs, by their causes")
}

// CheckForkedChains is CheckChains for a fork from this place. A fork may name all causes of what it copied by the ids that they have in
// its source, or none of them.
func CheckForkedChains(l host.RunLog, j *scenarios.Judge, source host.RunLog, from int64) {
	of := map[string]bool{}
	for _, e := range source.Events {
		of[e.Key("eventId").String()] = true
	}
	for _, e := range l.Events {
		delete(of, e.Key("eventId").String())
	}
	copies := l.OfType(dialect.HandedOver).Where(func(e wire.Value) bool { return host.Sequence(e) < from })
	if foreign := copies.Where(func(e wire.Value) bool { return of[e.Key("causationId").String()] }); len(copies.Values) > 0 &&
		len(foreign.Values) == len(copies.Values) {
		j.Find("", "below its start, the fork from %d names the causes of its handoffs by the ids of its source", from)
		return
	}
	CheckChains(l, j)
}

// chained matches steps whose handoffs begin with one of these decisions.
func chained(decisions wire.Found) check.Matcher {
	return check.Seeing("each caused by a step that it may follow, of the same worker and child, and the first by the "+
		"decision for this worker", func(s wire.Seen) (bool, string) {
		found, _ := s.(wire.Found)
		c := chains{decided: map[string][]string{}, open: map[string]wire.Value{}}
		for _, d := range decisions.Values {
			c.decided[d.Key("eventId").String()] = workersOf(d.At("/payload/decision/nextWorkerIds"))
		}
		for _, step := range found.Values {
			if flaw := c.follow(step); flaw != "" {
				return false, fmt.Sprintf("%s of sequence %s: %s", step.At("/payload/phase").JSON(), step.Key("sequence").JSON(), flaw)
			}
		}
		return true, fmt.Sprintf("%d steps", len(found.Values))
	})
}

// chains holds the handoffs of a log while it is read.
type chains struct {
	decided map[string][]string   // by decision: workers yet to be dispatched
	open    map[string]wire.Value // by eventId: steps without a successor so far
}

// follow adds the next step of the log and returns its flaw, "" if none.
func (c chains) follow(step wire.Value) string {
	cause, worker := step.Key("causationId").String(), step.At("/payload/workerId").String()
	phase := dialect.ChainPhase(step.At("/payload/phase").String())
	defer func() { c.open[step.Key("eventId").String()] = step }()
	if phase == dialect.ChainPhaseDispatchBegan {
		workers, ok := c.decided[cause]
		switch {
		case !ok:
			return "its cause " + cause + " is no decision"
		case len(workers) == 0 || workers[0] != worker:
			return fmt.Sprintf("it is for %s, and next in its decision is %s", worker, wire.Compact(workers[:min(1, len(workers))]))
		}
		c.decided[cause] = workers[1:]
		return ""
	}
	last, ok := c.open[cause]
	if !ok {
		return "its cause " + cause + " is no step of a handoff, or was followed already"
	}
	delete(c.open, cause)
	if got := dialect.ChainPhase(last.At("/payload/phase").String()); got != follows[phase] {
		return fmt.Sprintf("it follows %s", got)
	}
	if of := last.At("/payload/workerId").String(); of != worker {
		return fmt.Sprintf("it is of %s, and the step before it of %s", worker, of)
	}
	if child, of := step.At("/payload/childRunId").String(), last.At("/payload/childRunId").String(); of != "" && child != of {
		return fmt.Sprintf("it names the child %q, and the step before it %q", child, of)
	}
	return ""
}

func workersOf(list wire.Value) []string {
	var out []string
	for _, v := range list.Items() {
		out = append(out, v.String())
	}
	return slices.Clip(out)
}
