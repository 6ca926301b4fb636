package handoff

import (
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Helpers shared by the judges of handoffs.

// The phases of a handoff by its outcome, without the harvest.
var (
	completion   = []dialect.ChainPhase{dialect.ChainPhaseDispatchBegan, dialect.ChainPhaseDispatchSucceeded, dialect.ChainPhaseChildCompleted}
	failure      = []dialect.ChainPhase{dialect.ChainPhaseDispatchBegan, dialect.ChainPhaseDispatchSucceeded, dialect.ChainPhaseChildFailed}
	cancellation = []dialect.ChainPhase{dialect.ChainPhaseDispatchBegan, dialect.ChainPhaseDispatchSucceeded, dialect.ChainPhaseChildCancelled}
	refusal      = []dialect.ChainPhase{dialect.ChainPhaseDispatchBegan, dialect.ChainPhaseDispatchFailed}
)

// Turn returns the events between the i-th decision, from 0, and the next one.
func Turn(l host.RunLog, i int) wire.Found {
	turns := Turns(l)
	if i >= len(turns) {
		return wire.Found{In: l.All().In}
	}
	return turns[i]
}

// Turns returns the events between each decision and the next one.
func Turns(l host.RunLog) []wire.Found {
	all, decided := l.All(), sequences(l.Decided().Values)
	at := sequences(all.Values)
	turns := make([]wire.Found, len(decided))
	for i, after := range decided {
		turns[i].In = all.In
		for j, n := range at {
			if n > after && (i+1 == len(decided) || n < decided[i+1]) {
				turns[i].Values = append(turns[i].Values, all.Values[j])
			}
		}
	}
	return turns
}

func sequences(events wire.Values) []int64 {
	out := make([]int64, len(events))
	for i, e := range events {
		out[i] = host.Sequence(e)
	}
	return out
}

// handoff returns the steps of the handoff to a worker in the i-th turn, from 0.
func handoff(l host.RunLog, i int, worker string) wire.Found {
	return Turn(l, i).Where(func(e wire.Value) bool {
		return host.IsA(dialect.HandedOver)(e) && e.At("/payload/workerId").String() == worker
	})
}

// IsPhase returns a predicate that reports whether an event is a step of a handoff in one of these phases.
func IsPhase(phases ...dialect.ChainPhase) func(wire.Value) bool {
	return func(e wire.Value) bool {
		return host.IsA(dialect.HandedOver)(e) && slices.Contains(phases, dialect.ChainPhase(e.At("/payload/phase").String()))
	}
}

// decidedAs blocks the judge unless the loop decided on the planned workers. A loop that stops early may have met a limit.
// One that decides on another worker violates OWP-0037-A2 if it was given the plan; the plan of a published fixture is not
// every host's.
func decidedAs(l host.RunLog, j *scenarios.Judge, given bool, workers ...string) {
	got := decidedOn(l)
	reason := "setup failed: the loop was to hand over to " + wire.Compact(workers) + " and decided on " + wire.Compact(got)
	at := 0
	for _, d := range l.Decided().Each("/payload/decision").Values {
		next := workersOf(d.Key("nextWorkerIds"))
		none := len(next) == 0 && d.Key("kind").String() == string(dialect.NextWorkerDecisionKindNextWorker) // OWP-R39
		if given && (none || !slices.Equal(next, workers[min(at, len(workers)):min(at+len(next), len(workers))])) {
			j.Violates(openwop.OWP0037A2, d, reason)
		}
		at += len(next)
	}
	if !slices.Equal(got, workers) {
		j.Block(reason, "have a loop carry out its plan to the end: check limits, and what its workers need")
	}
}

// decidedOn returns the workers of all decisions.
func decidedOn(l host.RunLog) []string {
	var out []string
	for _, d := range l.Decided().Values {
		out = append(out, workersOf(d.At("/payload/decision/nextWorkerIds"))...)
	}
	return out
}

// handedOver blocks the judge unless the log of a loop tells of the child run of each worker that it decided on.
func handedOver(l host.RunLog, j *scenarios.Judge, workers []string) {
	const reason = "setup failed: the run does not name a child run for each of its workers"
	Told(l, j)
	for _, worker := range workers {
		steps := l.OfType(dialect.HandedOver).Where(func(e wire.Value) bool { return e.At("/payload/workerId").String() == worker })
		unnamed := steps.Where(IsPhase(dialect.ChainPhaseDispatchSucceeded)).Each("/payload/childRunId").
			Where(func(id wire.Value) bool { return id.String() == "" })
		if len(unnamed.Values) > 0 {
			j.Violates(openwop.OWPDSP10, unnamed, reason)
		}
	}
	j.Block(reason, "have every worker of the plan made and carried out, and name its run in dispatch.succeeded or node.dispatched")
}

// Told blocks the judge unless the log of a loop tells of some worker. A loop that completed had those of its decisions; one
// that did not may have failed before the first.
func Told(l host.RunLog, j *scenarios.Judge) {
	if len(host.Dispatched(l).Values) > 0 || len(l.Phase(dialect.ChainPhaseDispatchFailed).Values) > 0 {
		return
	}
	const reason = "setup failed: the log tells of no worker"
	if l.Status().String() == "completed" && len(decidedOn(l)) > 0 {
		j.Violates(openwop.OWP0037B3, l.OfType(dialect.HandedOver), reason)
	}
	j.Block(reason, "log the steps of a handoff, or node.dispatched, for every worker")
}

// checkHandoff checks the handoff to a worker from its decision on: its phases
// except the harvest, and the cause of each step.
func checkHandoff(l host.RunLog, j *scenarios.Judge, id scenarios.RequirementID, turn int, worker string,
	phases []dialect.ChainPhase) wire.Found {
	steps := handoff(l, turn, worker)
	j.Check(id, steps.Where(func(e wire.Value) bool { return !IsPhase(dialect.ChainPhaseOutputHarvested)(e) }).Each("/payload/phase")).
		To(check.Equal(phases), "steps of the handoff to %s in turn %d", worker, turn+1)
	j.Check(id, steps.Each("/payload/parentRunId")).To(check.Each(check.Equal(l.RunID)), "parentRunId of the handoff to %s", worker)
	cause := ""
	if decided := l.Decided().Values; turn < len(decided) {
		cause = decided[turn].Key("eventId").String()
	}
	causes := []any{}
	for _, step := range steps.Values {
		causes = append(causes, cause)
		cause = step.Key("eventId").String()
	}
	j.Check(id, steps.Each("/causationId")).To(check.Equal(causes),
		"causes of the handoff to %s in turn %d: its decision, and then each step that of the next", worker, turn+1)
	return steps
}

// CheckUnharvested checks that no worker was harvested.
func CheckUnharvested(l host.RunLog, j *scenarios.Judge) {
	j.Check(openwop.OWP0037B1, l.Phase(dialect.ChainPhaseOutputHarvested).Each("/payload/workerId")).To(check.Len(0),
		"workers that were harvested")
}

// CheckNamed checks that the steps of a handoff name the same child.
func CheckNamed(j *scenarios.Judge, steps wire.Found, worker string) {
	named := steps.Where(IsPhase(dialect.ChainPhaseDispatchSucceeded, dialect.ChainPhaseChildCompleted, dialect.ChainPhaseChildFailed,
		dialect.ChainPhaseChildCancelled, dialect.ChainPhaseOutputHarvested))
	j.Check(openwop.OWPDSP10, named.Each("/payload/childRunId")).To(OneAndTheSame(),
		"childRunId of the handoff to %s, from dispatch.succeeded on", worker)
}

// checkChild checks the run that a handoff names as its child, as served under its own id.
func checkChild(j *scenarios.Judge, parent host.RunLog, children []host.ChildRun, steps wire.Found, worker, status string) {
	named := steps.Where(IsPhase(dialect.ChainPhaseDispatchSucceeded)).Last().At("/payload/childRunId")
	i := slices.IndexFunc(children, func(c host.ChildRun) bool { return c.ID == named.String() })
	if i < 0 {
		read := make([]any, len(children))
		for i, c := range children {
			read[i] = c.ID
		}
		j.Check(openwop.OWPDSP12, named).To(check.OneOf(read...), "childRunId of the handoff to %s, among the child runs that were read", worker)
		return
	}
	c := children[i]
	if !j.Check(openwop.OWPDSP12, c.Log.Created).To(check.Status(2), "reading the child run %s of %s", c.ID, worker) ||
		!j.Check(openwop.OWPDSP12, c.Log.Ended).To(check.Reached(), "the child run %s of %s", c.ID, worker) {
		return
	}
	shown := c.Log.Ended.Last
	j.Check(openwop.OWPDSP12, shown.Key("runId")).To(check.Equal(c.ID), "runId of the child run of %s", worker)
	j.Check(openwop.OWPDSP12, shown.Key("workflowId")).To(check.Equal(worker), "workflowId of the child run %s", c.ID)
	j.Check(openwop.OWPDSP12, shown.Key("status")).To(check.Equal(status), "status of the child run of %s", worker)
	j.Check(openwop.OWPDSP12, c.Log.Read).To(check.Status(2), "reading the log of the child run %s", c.ID)
	j.Check(openwop.OWPDSP12, c.Log.All().Each("/runId")).To(check.Each(check.Equal(c.ID)),
		"run of every event in the log of the child run of %s", worker)
	j.Check(openwop.OWPDSP12, c.Log.Terminals().Each("/type")).To(dialect.Types(dialect.Ended(status)),
		"the end in the log of the child run of %s", worker)
	link := shown.Key("parentRunId")
	j.Check(openwop.OWPDSP13, link).To(check.Equal(parent.RunID), "parentRunId of the child run of %s", worker)
	if link.String() != "" {
		j.Check(openwop.OWPDSP12, link).To(check.Equal(parent.RunID), "parentRunId of the child run of %s", worker)
	}
	TellLate(j, "the end of the child run of "+worker, c.Log.Terminals().Last(), "what the parent tells of it",
		steps.Where(IsPhase(dialect.ChainPhaseChildCompleted, dialect.ChainPhaseChildFailed, dialect.ChainPhaseChildCancelled)).Last())
}

// TellLate reports that an event is stamped later than one that must follow it.
// Their clocks may differ, so this violates nothing.
func TellLate(j *scenarios.Judge, what string, happened wire.Value, after string, follows wire.Value) {
	a, b, ok := stamps(happened, follows)
	if ok && a.After(b) {
		j.Find("", "%s is stamped %s, later than %s, %s", what, a.Format(time.RFC3339Nano), after, b.Format(time.RFC3339Nano))
	}
}

// stamps returns the timestamps of two events, truncated to the coarser precision.
func stamps(a, b wire.Value) (at, bt time.Time, ok bool) {
	as, bs := a.Key("timestamp").String(), b.Key("timestamp").String()
	at, err := time.Parse(time.RFC3339, as)
	bt, err2 := time.Parse(time.RFC3339, bs)
	unit := time.Second
	for range min(decimals(as), decimals(bs), 9) {
		unit /= 10
	}
	return at.Truncate(unit), bt.Truncate(unit), err == nil && err2 == nil
}

// decimals counts the digits of a second's fraction.
func decimals(stamp string) int {
	_, fraction, _ := strings.Cut(stamp, ".")
	return len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
}

// OneAndTheSame matches a list of one non-empty string, repeated.
func OneAndTheSame() check.Matcher {
	return check.That("the same non-empty string each time", func(v any) bool {
		list, _ := v.([]any)
		for _, e := range list {
			if s, _ := e.(string); s == "" || e != list[0] {
				return false
			}
		}
		return len(list) > 0
	})
}

// allAbsent matches a list of absent values.
func allAbsent() check.Matcher {
	return check.That("nothing each time", func(v any) bool {
		list, ok := v.([]any)
		return ok && !slices.ContainsFunc(list, func(e any) bool { return e != nil })
	})
}

// Codes returns the error codes with which a run and its nodes failed, and the snapshot's.
func Codes(l host.RunLog) []dialect.Code {
	var out []dialect.Code
	for _, e := range l.OfType(dialect.RunFailed, dialect.NodeFailed).Values {
		code := e.At("/payload/error/code")
		if code.String() == "" {
			code = e.At("/payload/code")
		}
		out = append(out, dialect.CodeOf(code))
	}
	return append(out, dialect.CodeOf(l.Ended.Last.At("/error/code")))
}
