// Package programs asks whether a loop does what a drawn program says, whatever its turns, its workers, its questions, its values and its
// bound: what an interpreter says that the run must show is compared with all that it shows.
package programs

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/bounds"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/loop"
)

// Suite compares whole runs with what their programs say.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID:    "programs",
		Title: "loops of drawn turns, workers, questions, values and bounds: the whole run against what the texts say of its program",
		Scenarios: []scenarios.Scenario{decided, counted, countedThroughout, handedOver, carried, spared, harvested, asked, lateAnswers, breached,
			unbreached, heldEachTime, countedInDoubt, forkedAgain, countedInForks},
	}
}

// RFC 0037 A, RFC 0006 CO-1, RFC 0007 D.
var decided = scenarios.Scenario{
	ID:    "openwop/programs/decided",
	Title: "whatever the program, each turn is the next decision of the plan, carried out by its workers in their order before the next",
	Proves: scenarios.IDs{openwop.OWP0037A1, openwop.OWP0037A2, openwop.OWP0037A5, openwop.OWPDSP1, openwop.OWPDSP3, openwop.OWPDSP5,
		openwop.OWP0061E1},
	Claim: claims.ExecutionModel,
	Ask: ofEach(func(r played, j *scenarios.Judge) {
		r.given(j)
		if !r.Breached && len(r.Log.Decided().Values) >= len(r.Turns) {
			loop.CheckNoTurnAfter(r.Log, j, host.Sequence(r.Log.Decided().Values[len(r.Turns)-1]))
		}
		if r.goesOn() {
			r.taken(j)
		}
		r.checkTurns(j)
		r.checkWorkers(j)
		if !r.Breached {
			j.Check(openwop.OWP0061E1, r.Log.Status()).To(check.Equal("completed"), "status after terminate")
		}
	}),
}

// RFC 0061 B. Whether the counter survives a question is a claim of its own (RFC 0061 D).
var counted = scenarios.Scenario{
	ID:     "openwop/programs/counted",
	Title:  "whatever the program, its turns carry 1, 2, 3 and so on, up to the first question at least",
	Proves: scenarios.IDs{openwop.OWP0061B1, openwop.OWP0061B2, openwop.OWP0061B5},
	Claim:  claims.ExecutionModel5,
	Ask: ofEach(func(r played, j *scenarios.Judge) {
		r.taken(j)
		iterations := r.Log.Iterations()
		n := min(r.untilAsked(), len(iterations.Values))
		iterations.Values = iterations.Values[:n]
		loop.CheckCounted(j, iterations, r.untilAsked())
		j.Check(openwop.OWP0061B5, r.Log.Decided().Each("/payload/agentId")).To(check.Each(check.Text()), "agentId")
	}),
}

// RFC 0061 D.
var countedThroughout = scenarios.Scenario{
	ID:     "openwop/programs/counted-throughout",
	Title:  "a loop goes on counting where it stood, however often and wherever a question held it",
	Proves: scenarios.IDs{openwop.OWP0061D1},
	Claim:  claims.StatefulResume,
	Ask: ofEach(func(r played, j *scenarios.Judge) {
		if r.Questions() > 0 {
			r.taken(j)
			j.Check(openwop.OWP0061D1, r.Log.Iterations()).To(check.CountFromOne(len(r.Turns)), "turns with %d questions among them",
				r.Questions())
		}
	}),
}

// RFC 0037 A 2.
var handedOver = scenarios.Scenario{
	ID:     "openwop/programs/handed-over",
	Title:  "whatever the program, each worker of a decision is a run of its own, of the workflow that it names",
	Proves: scenarios.IDs{openwop.OWP0037A3, openwop.OWPDSP12, openwop.OWPDSP13},
	Claim:  claims.ExecutionModel,
	Ask: ofEach(func(r played, j *scenarios.Judge) {
		r.taken(j)
		if len(r.Workers()) == 0 {
			return
		}
		r.told(j)
		var of []any
		for _, h := range r.Workers() {
			of = append(of, h.Worker)
		}
		if len(r.Children) < len(of) {
			r.unnamed(j)
		}
		j.Check(openwop.OWP0037A3, r.children("/workflowId")).To(check.Equal(of), "workflowId of the child runs, in the order of the workers")
		j.Check(openwop.OWP0037A3, r.children("/runId")).To(check.Distinct(r.Log.RunID), "runId of the child runs")
		j.Check(openwop.OWPDSP12, r.children("/status")).To(check.Each(check.Equal("completed")), "status of the child runs")
		j.Check(openwop.OWPDSP13, r.children("/parentRunId")).To(check.Each(check.Equal(r.Log.RunID)), "parentRunId of the child runs")
	}),
}

// RFC 0037 A 3, RFC 0022 A and D.
var carried = scenarios.Scenario{
	ID:     "openwop/programs/carried",
	Title:  "whatever the values, each worker is given those of that moment, and the parent has in the end what they brought back",
	Proves: scenarios.IDs{openwop.OWP0037A4, openwop.OWPDSP16, openwop.OWPDSP19},
	Claim:  claims.DispatchMapping,
	Ask: ofEach(func(r played, j *scenarios.Judge) {
		r.mapped(j)
		r.checkInputs(j)
		for _, name := range sorted(r.Variables) {
			j.Check(openwop.OWP0037A4, r.Log.Ended.Last.Key("variables").Key(name)).To(check.Equal(r.Variables[name]),
				"the parent's variable %s in the end", name)
		}
	}),
}

// RFC 0022 A.
var spared = scenarios.Scenario{
	ID:     "openwop/programs/spared",
	Title:  "no worker is given an input whose variable has no value, or that only the mapping has which its own replaces",
	Proves: scenarios.IDs{openwop.OWPDSP17, openwop.OWPDSP18},
	Claim:  claims.DispatchMapping,
	Ask: ofEach(func(r played, j *scenarios.Judge) {
		r.mapped(j)
		r.checkSpared(j)
	}),
}

// RFC 0037 B.
var harvested = scenarios.Scenario{
	ID:     "openwop/programs/harvested",
	Title:  "whatever the program, the output of each worker is harvested once, into the variables that its own mapping names",
	Proves: scenarios.IDs{openwop.OWP0037B1, openwop.OWPDSP20},
	Claim:  claims.HandoffMapping,
	Ask: ofEach(func(r played, j *scenarios.Judge) {
		r.mapped(j)
		var workers, keys []any
		for _, h := range r.Workers() {
			workers, keys = append(workers, h.Worker), append(keys, h.Harvested)
		}
		harvests := r.Log.Phase(dialect.ChainPhaseOutputHarvested)
		j.Check(openwop.OWP0037B1, harvests.Each("/payload/workerId")).To(check.Equal(workers), "workers that were harvested, in order")
		j.Check(openwop.OWPDSP20, harvests.Each("/payload/harvestedKeys")).To(check.Equal(keys), "the variables that each wrote")
	}),
}

// RFC 0006 CO-1, and the interrupts behind the questions.
var asked = scenarios.Scenario{
	ID:     "openwop/programs/waits-where-it-asks",
	Title:  "a loop that asks waits with its decisions up to there, however often and wherever it asks",
	Proves: scenarios.IDs{openwop.OWPDSP1},
	Claim:  claims.Supervisor,
	Ask: ofEach(func(r played, j *scenarios.Judge) {
		if r.Questions() == 0 {
			return
		}
		r.given(j)
		for _, h := range r.Held {
			j.Check(openwop.OWPDSP1, h.Log.Kinds()).To(loop.KindsOf(r.kinds()[:h.Turn]), "decisions on the log while turn %d waits", h.Turn)
			if last := h.Log.Decided().Last().At("/payload/decision/prompt"); last.Present() {
				j.Check(openwop.OWPDSP1, last).To(check.Equal(r.Turns[h.Turn-1].Prompt), "prompt of the last of them")
			}
		}
	}),
}

var lateAnswers = scenarios.Scenario{
	ID:     "openwop/programs/late-answers",
	Title:  "an answer that comes after the end of a loop with several questions is refused and changes nothing",
	Proves: scenarios.IDs{openwop.OWPINT2},
	Claim:  claims.ExecutionModel,
	Ask: ofEach(func(r played, j *scenarios.Judge) {
		if r.Late == nil && r.Questions() == 0 {
			return
		}
		r.given(j)
		late := r.Late
		late.Log.Readable(j)
		j.Check(openwop.OWPINT2, late.Reply.Status).To(check.Status(4), "%s, which asked %d times", late.Reply.Asked, r.Questions())
		j.Check(openwop.OWPINT2, late.Log.All()).To(check.SameAs(r.Log.All()), "log of the loop behind it")
		j.Check(openwop.OWPINT2, late.Log.Status()).To(check.SameAs(r.Log.Status()), "status of the loop behind it")
	}),
}

// RFC 0061 E: turn N runs, turn N+1 is refused, wherever that is in the plan.
var breached = scenarios.Scenario{
	ID:     "openwop/programs/breached",
	Title:  "a program with a bound below its turns takes as many as the bound, records the breach and fails, wherever that strikes",
	Proves: scenarios.IDs{openwop.OWP0061E2, openwop.OWP0061E3, openwop.OWP0061E4},
	Claim:  claims.ExecutionModel,
	Ask: ofEach(func(r played, j *scenarios.Judge) {
		if !r.Breached {
			return
		}
		r.given(j)
		l, n := r.Log, r.Program.Bound
		bounds.CheckTurnBreach(l, j, n)
		j.Check(openwop.OWP0061E3, l.Decided()).To(check.Len(n), "turns of a loop bounded to %d", n)
		j.Check(openwop.OWP0061E3, l.Status()).To(check.Equal("failed"), "status of the run")
		j.Check(openwop.OWP0061E3, l.OfType(dialect.RunFailed).Each("/payload/error/code")).
			To(dialect.EachCoded(dialect.LoopLimitExceeded), "code of the failure")
		bounds.CheckOver(l, j, openwop.OWP0061E3)
	}),
}

// The controls of breached.
var unbreached = scenarios.Scenario{
	ID:     "openwop/programs/unbreached",
	Title:  "a program without a bound, or with one that its turns keep, meets none, whatever else it does",
	Proves: scenarios.IDs{openwop.OWP0061E6},
	Claim:  claims.ExecutionModel,
	Ask: ofEach(func(r played, j *scenarios.Judge) {
		if r.Breached {
			return
		}
		r.given(j)
		if r.goesOn() {
			r.taken(j)
		}
		j.Check(openwop.OWP0061E6, r.Log.Breaches()).To(check.Len(0), "breaches of a loop of %d turns with bound %d", len(r.Turns),
			r.Program.Bound)
		j.Check(openwop.OWP0061E6, r.Log.Decided()).To(check.Len(len(r.Turns)), "turns")
	}),
}
