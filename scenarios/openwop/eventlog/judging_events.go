package eventlog

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/onsi/gomega/types"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// CheckNumbered expects consecutive sequences.
func CheckNumbered(l host.RunLog, j *scenarios.Judge) {
	j.Check(openwop.OWPEVT1, l.All().Each("/sequence")).To(consecutive(host.LeastEvents), "sequence of the events")
}

// CheckEnvelopes expects the required members of every event.
func CheckEnvelopes(l host.RunLog, j *scenarios.Judge) {
	all := l.All()
	for _, member := range []string{"eventId", "runId", "type"} {
		j.Check(openwop.OWPEVT2, all.Each("/"+member)).To(check.Each(check.Text()), "%s", member)
	}
	j.Check(openwop.OWPEVT2, all.Each("/payload")).To(allPresent(), "payload")
	j.Check(openwop.OWPEVT2, all.Each("/timestamp")).To(check.Each(anyTimestamp()), "timestamp")
	j.Check(openwop.OWPEVT2, all.Each("/sequence")).To(check.Each(check.Integer(0, 0)), "sequence")
	named := all.Where(func(e wire.Value) bool { return e.Key("eventId").String() != "" }) // an event without one shares none
	j.Check(openwop.OWPEVT3, named.Each("/eventId")).To(check.Distinct(""), "eventId")
	j.Check(openwop.OWPEVT5, all.Each("/timestamp")).To(notEarlier(), "timestamp")
	j.Check(openwop.OWPEVT7,
		all.Each("/type")).To(dialect.Spelling(func(d *dialect.Dialect) types.GomegaMatcher { return check.Each(legalType(d)) }), "type")
}

// CheckCauses expects that no event is caused by a later one.
func CheckCauses(l host.RunLog, j *scenarios.Judge) {
	j.Check(openwop.OWPEVT6, withCause(l)).To(causedBefore(l, alone(l)), "events that name their cause")
}

// alone reports whether the run delegates no work, so that all causes are in its
// own log.
func alone(l host.RunLog) bool {
	return len(l.OfType(dialect.Decided, dialect.NodeDispatched, dialect.HandedOver).Values) == 0
}

// CheckOwn expects events of this run only.
func CheckOwn(l host.RunLog, j *scenarios.Judge) {
	j.Check(openwop.OWPEVT4, l.All().Each("/runId")).To(check.Each(check.Equal(l.RunID)), "run of every event")
}

// endOf returns the sequence of the event that ends the run, or of the last event
// if none does.
func endOf(l host.RunLog) int64 {
	if ends := l.Terminals().Values; len(ends) > 0 {
		return host.Sequence(ends[0])
	}
	return host.Sequence(l.Last())
}

// behind returns the sequences after this one, up to the end of the run.
func behind(l host.RunLog, after int64) []int64 {
	end := endOf(l)
	return slices.DeleteFunc(behindAll(l, after), func(n int64) bool { return n > end })
}

// behindAll is like behind, but continues after the end of the run.
func behindAll(l host.RunLog, after int64) []int64 {
	var out []int64
	for _, e := range l.Events {
		if n := host.Sequence(e); n > after {
			out = append(out, n)
		}
	}
	return out
}

// byNumber maps sequences in decimal digits, the ids of frames, to events.
func byNumber(l host.RunLog) map[string]wire.Value {
	out := make(map[string]wire.Value, len(l.Events))
	for _, e := range l.Events {
		out[strconv.FormatInt(host.Sequence(e), 10)] = e
	}
	return out
}

// afterEnd returns the events after the one that ends the run.
func afterEnd(l host.RunLog) wire.Found {
	end := endOf(l)
	return l.All().Where(func(e wire.Value) bool { return host.Sequence(e) > end })
}

// CheckEnd expects one event that ends the run, and no steps after it.
func CheckEnd(l host.RunLog, j *scenarios.Judge, when string) {
	j.Check(openwop.OWPEVT9, l.Terminals().Each("/type")).To(check.Len(1), "events that end the run, %s", when)
	end := endOf(l)
	late := host.Steps(l).Where(func(e wire.Value) bool { return host.Sequence(e) > end })
	j.Check(openwop.OWPEVT10, late.Each("/type")).To(check.Len(0), "steps after the end of the run, %s", when)
	notes := typesOf(afterEnd(l))
	for _, step := range typesOf(late) {
		notes = slices.DeleteFunc(notes, func(t string) bool { return t == step })
	}
	if len(notes) > 0 {
		j.Find("", "the end of the run is followed by events of type %s", wire.Compact(notes))
	}
}

// CheckEndAsTold expects the end that the snapshot reports.
func CheckEndAsTold(l host.RunLog, j *scenarios.Judge) {
	j.Check(openwop.OWPEVT11, l.Terminals().Each("/type")).To(dialect.Types(dialect.Ended(l.Status().String())),
		"event that ends a run of status %s", l.Status().JSON())
}

// typesOf returns the types of these events, without duplicates.
func typesOf(events wire.Found) []string {
	var out []string
	for _, t := range events.Each("/type").Values {
		out = append(out, t.String())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// CheckKept compares a log's earlier state with its present one.
func CheckKept(j *scenarios.Judge, before, now host.RunLog, when string) {
	same := now.All()
	same.Values = same.Values[:min(len(before.Events), len(same.Values))]
	for _, member := range []string{"sequence", "eventId", "type", "runId", "timestamp", "nodeId", "causationId", "payload"} {
		j.Check(openwop.OWPEVT12, same.Each("/"+member)).To(check.SameAs(before.All().Each("/"+member)), "%s of the events %s", member, when)
	}
}

// consecutive expects at least this many whole numbers, each one above the
// previous.
func consecutive(least int) check.Matcher {
	return check.That(fmt.Sprintf("%d or more, each by one more than the one before", least), func(v any) bool {
		list, _ := v.([]any)
		for i, e := range list {
			n, ok := e.(int64)
			if !ok || i > 0 && n-1 != list[i-1].(int64) {
				return false
			}
		}
		return len(list) >= least
	})
}

// numbered expects these sequences in this order. A frame's id is a sequence in
// decimal digits.
func numbered(want []int64) check.Matcher {
	return check.That(numbersOf(want), func(v any) bool {
		list, ok := v.([]any)
		return ok && slices.EqualFunc(list, want, isNumber)
	})
}

// leading expects a prefix of these sequences of at least this length: a host may
// serve a log in pages.
func leading(want []int64, least int) check.Matcher {
	return check.That(fmt.Sprintf("%s, or the first %d or more of them", numbersOf(want), least), func(v any) bool {
		list, ok := v.([]any)
		return ok && len(list) >= least && len(list) <= len(want) && slices.EqualFunc(list, want[:len(list)], isNumber)
	})
}

func isNumber(got any, want int64) bool {
	switch got := got.(type) {
	case int64:
		return got == want
	case string:
		return got == strconv.FormatInt(want, 10)
	}
	return false
}

func numbersOf(want []int64) string {
	if len(want) == 0 {
		return "none"
	}
	return wire.Compact(want)
}

// allBeyond expects only whole numbers above the cursor, or nothing.
func allBeyond(cursor int64) check.Matcher {
	return check.That(fmt.Sprintf("none, or all over %d", cursor), func(v any) bool {
		list, ok := v.([]any)
		return ok && !slices.ContainsFunc(list, func(e any) bool { n, whole := e.(int64); return !whole || n <= cursor })
	})
}

// givenStill blocks the judge unless a run stood still.
func (o LiveObservation) givenStill(j *scenarios.Judge) {
	if status, _ := o.Before.Created.Int(); status/100 != 2 || o.Before.RunID == "" {
		j.Block("setup failed: the host did not make the run: it answered HTTP "+o.Before.Created.JSON()+" with runId "+o.Before.ID.JSON(),
			"make runs of the fixtures that are listed under /fixtures")
	}
	o.Before.Polled(j)
	if !o.Held.Reached {
		_, actual := check.Reached().MatchSeen(o.Held)
		j.Block("setup failed: "+actual, "have runs of "+o.Way+" wait until they are answered or cancelled")
	}
	if len(o.Before.Events) == 0 {
		j.Block("setup failed: the log of a run that waits is empty", "have the log of a run show its events at once")
	}
}

// givenMove blocks the judge unless the run continued after it was moved.
func (o LiveObservation) givenMove(j *scenarios.Judge) {
	if code, _ := o.Moved.Int(); code/100 != 2 {
		j.Block("setup failed: moving the run was answered with HTTP "+o.Moved.JSON(),
			"let the key that is given answer interrupts and cancel runs")
	}
	o.After.Served(j)
}
