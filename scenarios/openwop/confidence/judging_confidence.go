package confidence

import (
	"maps"
	"slices"

	"github.com/onsi/gomega/types"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Shared by the judges of held decisions.

// endByThemselves unblocks a sentinel: a run that shows how long the host had.
const endByThemselves = "have the runs of the fixtures that are listed under /fixtures end by themselves"

// escalations returns the decisions that the log reports as held for their confidence.
func escalations(l host.RunLog) wire.Found {
	return l.OfType(dialect.ConfidenceEscalated)
}

// handedOver returns the workers that received work according to the log, in order.
func handedOver(l host.RunLog) wire.Found {
	return l.Phase(dialect.ChainPhaseDispatchBegan).Each("/payload/workerId")
}

// checkHeld expects no dispatch without a person's consent. The dispatches of earlier turns
// are the control: a turn precedes the held one.
func (o WeighedLoop) checkHeld(j *scenarios.Judge, l host.RunLog, floor float64, when string) {
	most := o.Held.Turn - 1
	for _, seen := range []struct {
		what string
		wire.Found
	}{{"handoffs", handedOver(l)}, {"nodes dispatched", l.OfType(dialect.NodeDispatched)}} {
		if !j.Check(openwop.OWPINT5, seen.Found).To(host.NoMoreThan(most),
			"%s of a loop with confidence %v in turn %d and a floor of %v, %s", seen.what, *o.Confidence, o.Held.Turn, floor, when) {
			j.End()
		}
	}
}

// checkStoodHeld checks a dispatch that must wait, when it was held and a while later.
func (o WeighedLoop) checkStoodHeld(j *scenarios.Judge, floor float64) {
	o.Held.Log.Exists(j, openwop.OWPCAP19)
	o.Held.Log.Readable(j)
	o.checkHeld(j, o.Held.Log, floor, "when it was suspended or over")
	o.Held.Given(j)
	j.Reach(o.Lull.Sentinel, endByThemselves)
	o.Lull.Later.Readable(j)
	o.checkHeld(j, o.Lull.Later, floor, "a while later")
}

// checkTold checks the event that reports the held decision (OWP-R101).
func (o WeighedLoop) checkTold(j *scenarios.Judge, floor float64) {
	told := escalations(o.Lull.Later)
	if !j.Check(openwop.OWPCNF3, told).To(check.Len(1), "confidence-escalated of a decision with confidence %v and a floor of %v",
		*o.Confidence, floor) {
		return
	}
	e := told.Values[0].Key("payload")
	j.Check(openwop.OWPCNF3, e.Key("confidence")).To(host.About(*o.Confidence), "confidence")
	j.Check(openwop.OWPCNF3, e.Key("floor")).To(host.About(floor), "floor")
	j.Check(openwop.OWPCNF3, e.Key("escalationKind")).To(check.OneOf("clarify", "escalate"), "escalationKind")
	j.Check(openwop.OWPCNF3, e.Key("parentRunId")).To(check.Equal(o.Held.Log.RunID), "parentRunId")
	switch worker := e.Key("workerId"); {
	case o.Worker == "":
		j.Check(openwop.OWPCNF3, worker).To(check.Absent(), "workerId of a decision to terminate")
	case worker.Present():
		j.Check(openwop.OWPCNF3, worker).To(check.Equal(o.Worker), "workerId")
	default:
		j.Find("", "the event does not name the held worker (OWP-R101)")
	}
	if original := e.Key("originalDecision"); original.Present() {
		j.Check(openwop.OWPCNF3, original.Key("kind")).To(check.Equal(o.Kinds[o.Held.Turn-1]), "kind of the original decision")
		j.Check(openwop.OWPCNF3, original.Key("confidence")).To(host.About(*o.Confidence), "confidence of the original decision")
		o.checkVerbatim(j, original)
	}
	o.checkToldFirst(j)
}

// checkVerbatim expects the original decision to have each further member that was planned and that its turn shows as planned.
func (o WeighedLoop) checkVerbatim(j *scenarios.Judge, original wire.Value) {
	turns := o.Lull.Later.Decided().Values
	if len(turns) < o.Held.Turn {
		return
	}
	told := turns[o.Held.Turn-1].At("/payload/decision")
	for _, name := range slices.Sorted(maps.Keys(o.Decision)) {
		planned := check.Equal(o.Decision[name])
		if stands, _ := planned.MatchSeen(told.Key(name)); stands && name != "kind" && name != "confidence" {
			j.Check(openwop.OWPCNF3, original.Key(name)).To(planned, "%s of the original decision", name)
		}
	}
}

// checkToldFirst expects the event before the interrupt, and before the
// dispatch, if any (OWP-R9, OWP-R17).
func (o WeighedLoop) checkToldFirst(j *scenarios.Judge) {
	l := o.Log
	if len(l.Events) == 0 { // nobody answered
		l = o.Lull.Later
	}
	order := l.OfType(dialect.ConfidenceEscalated, dialect.NodeSuspended, dialect.InterruptRequested).Each("/type")
	j.Check(openwop.OWPCNF4, order).To(startingWith(dialect.ConfidenceEscalated), "the event and the interrupt in order")
	dispatched := l.All().Where(func(e wire.Value) bool {
		return dialect.EventOf(e) == dialect.ConfidenceEscalated || e.At("/payload/phase").String() == string(dialect.ChainPhaseDispatchBegan)
	}).Each("/type")
	want := slices.Repeat([]dialect.Event{dialect.HandedOver}, o.Held.Turn-1)
	j.Check(openwop.OWPCNF4, dispatched).To(startingWith(append(want, dialect.ConfidenceEscalated)...),
		"handoffs before turn %d, and the event, in order", o.Held.Turn)
}

// startingWith expects a list of types that begins with those of these events.
func startingWith(events ...dialect.Event) dialect.Spelled {
	return dialect.Spelling(func(d *dialect.Dialect) types.GomegaMatcher { return startingWithWords(d.Words(events...)) })
}

func startingWithWords(want []string) check.Matcher {
	return check.That("beginning with "+wire.Compact(want), func(v any) bool {
		list, _ := v.([]any)
		return len(list) >= len(want) && slices.EqualFunc(list[:len(want)], want, func(got any, want string) bool { return got == want })
	})
}

// settled blocks the judge unless the loop has ended or is held. Only one that is at work and gets nowhere breaks a
// rule: none bounds how long a run is queued.
func settled(l host.RunLog, j *scenarios.Judge) {
	if l.Status().String() == "running" {
		j.Need(openwop.OWP0037A1, l.Ended)
	}
	j.Reach(l.Ended, endByThemselves)
}

// checkFree expects a loop that ran without asking a person.
func (o WeighedLoop) checkFree(j *scenarios.Judge, id scenarios.RequirementID, what string) {
	l := o.Log
	l.Exists(j, openwop.OWPCAP19)
	settled(l, j)
	l.Readable(j)
	j.Check(id, escalations(l)).To(check.Len(0), "decisions held, of a loop with %s in turn %d", what, o.Held.Turn)
	j.Check(id, l.Status()).To(check.Equal("completed"), "status of a loop with %s in turn %d", what, o.Held.Turn)
	j.Check(id, handedOver(l)).To(check.Equal(o.Workers), "workers of a loop with %s in turn %d", what, o.Held.Turn)
}

// checkCarriedOut expects the held dispatch at most once, and
// nothing else in its place. allowed holds the workers in the order of the plan.
func (o WeighedLoop) checkCarriedOut(j *scenarios.Judge, id scenarios.RequirementID, allowed []string) {
	j.Check(id, handedOver(o.Log)).To(host.NothingBut(allowed), "workers of the whole loop, of which turn %d was held", o.Held.Turn)
	f := wire.Found{In: o.Log.All().In}
	for _, c := range o.Children {
		workflow := c.Snapshot.Key("workflowId")
		switch why := "setup failed: the host does not show the workflow of the child run " + c.ID; {
		case workflow.Present():
		case c.Snapshot.Key("runId").Present():
			j.Violates(openwop.OWPCTL1, workflow, why)
		default:
			j.Block(why, "serve each child run under the id that the log has for it")
		}
		f.Values = append(f.Values, workflow)
	}
	j.Check(id, f).To(host.NothingBut(allowed), "workflows of the child runs")
	o.Ended.CheckStill(j, id, o.Log, "after its end")
}

// without returns the planned workers except the held one.
func (o WeighedLoop) without() []string {
	return slices.Delete(slices.Clone(o.Workers), o.Held.Turn-1, o.Held.Turn)
}

// interruptKinds returns the kinds shown for the suspension, from all
// places where hosts show them.
func interruptKinds(s host.Suspension) wire.Found {
	f := wire.Found{In: s.Log.All().In}
	f.Values = append(f.Values, s.Suspended.Last.At("/interrupt/kind"))
	for _, t := range []dialect.Event{dialect.NodeSuspended, dialect.InterruptRequested} {
		f.Values = append(f.Values, s.Log.OfType(t).Each("/payload/kind").Values...)
	}
	return f.Where(func(v wire.Value) bool { return v.Actual() != nil })
}
