package loop

import (
	"fmt"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/bounds"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/replay"
	"github.com/openassay/assay/scenarios/wire"
)

// IterationSuite follows the counter through whole runs.
func IterationSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "iteration-monotonic", Title: "the counter of a real run: from 1, one step a turn, up to its end or its bound",
		Scenarios: []scenarios.Scenario{
			onePerTurn, asPlanned, nothingShared, forkKeeps, boundBelow, boundLeavesAlone,
			seamRandomTurns, seamAgreesWithLog, seamOutOfRange,
		},
	}
}

// RFC 0061 B: the counter that maxLoopIterations bounds is observable on the log.
var onePerTurn = scenarios.Scenario{
	ID:     "openwop/iteration-monotonic/one-per-turn",
	Title:  "every orchestrator turn carries the next iteration, counted from 1",
	Proves: scenarios.IDs{openwop.OWP0061B1, openwop.OWP0061B2},
	Claim:  claims.ExecutionModel5,
	Ask: scenarios.Ask(loopOfTurns, func(o LoopObservation, j *scenarios.Judge) {
		o.given(j)
		CheckCounted(j, o.iterations(), o.Turns)
		o.tell(j)
		if turns := len(o.Lost.Decided().Values); turns > 0 {
			CheckCounted(j, o.Lost.Iterations(), turns)
		}
	}),
}

// CheckCounted expects the counters 1 to turns.
func CheckCounted(j *scenarios.Judge, iterations wire.Found, turns int) {
	j.Check(openwop.OWP0061B1, iterations).To(check.Each(check.Integer(1, 0)))
	j.Check(openwop.OWP0061B2, iterations).To(check.CountFromOne(turns))
}

// RFC 0037 A, RFC 0061 E: the loop itself.
var asPlanned = scenarios.Scenario{
	ID:    "openwop/iteration-monotonic/as-planned",
	Title: "a loop takes the turns of its plan, each after the workers of the one before, and none after terminate",
	Proves: scenarios.IDs{openwop.OWP0037A1, openwop.OWP0037A2, openwop.OWP0037A3, openwop.OWP0037A5, openwop.OWP0037A6,
		openwop.OWP0061B5, openwop.OWP0061E1},
	Claim: claims.ExecutionModel,
	Ask: scenarios.Ask(loopOfTurns, func(o LoopObservation, j *scenarios.Judge) {
		if o.Evidence == scenarios.Attested {
			j.Block("only the seam's word is on offer, and it shows no run", fixture.Load)
		}
		if o.Missing != "" { // a seam names whatever worker it was written for
			j.Block("the loop of the seam decides for the worker "+o.Missing+", which the host does not have", fixture.Load)
		}
		l := o.Log
		l.Made(j, openwop.OWP0037A6, "a run of "+o.Way)
		if !j.Check(openwop.OWP0037A1, l.Ended).To(check.Reached()) {
			return
		}
		l.Readable(j)
		o.tell(j)
		j.Check(openwop.OWP0037A6, l.Decided()).To(check.Len(o.Turns), "orchestrator turns")
		if o.Decisions == nil { // the seam chose the plan: only its last decision is known
			j.Check(openwop.OWP0037A2, l.Kinds()).To(check.Each(check.Text()), "kind of each decision")
			j.Check(openwop.OWP0037A2, l.Kinds()).To(check.Len(o.Turns), "decisions, one each turn")
		} else {
			j.Check(openwop.OWP0037A2, l.Decided().Each("/payload/decision")).To(check.HasIn(o.Decisions), "decisions in order")
		}
		j.Check(openwop.OWP0061B5, l.Decided().Each("/payload/agentId")).To(check.Each(check.Text()), "agentId")
		o.checkChildren(j)
		order := turnsAndSettlements(l)
		j.Check(openwop.OWP0037A5, order).To(dialect.Types(alternating(o.Turns)...), "turns and settled workers in order")
		j.Check(openwop.OWP0037A1, order).To(check.Len(2*o.Turns-1), "turns, and workers that settled")
		j.Check(openwop.OWP0061E1, l.Status()).To(check.Equal("completed"), "status after terminate")
		j.Check(openwop.OWP0061E1, l.Terminals().Each("/type")).To(dialect.Types(dialect.RunCompleted), "events that end the run")
		j.Check(openwop.OWP0061E1, host.OfTheLoop(l).Last().Key("type")).To(dialect.Type(dialect.RunCompleted), "last event of the loop")
		if dialect.EventOf(l.Last()) != dialect.RunCompleted {
			j.Find("", "an event %s follows the end of the run", l.Last().Key("type").JSON())
		}
		host.SentinelEnded(j, o.Sentinel)
		o.Later.Readable(j)
		j.Check(openwop.OWP0061E1, host.OfTheLoop(o.Later).Each("/eventId")).To(check.SameAs(host.OfTheLoop(l).Each("/eventId")),
			"events of the loop after another run had ended and %s had gone by", o.Window)
	}),
}

// RFC 0061 B: the counter counts the turns of this run.
var nothingShared = scenarios.Scenario{
	ID:     "openwop/iteration-monotonic/nothing-shared",
	Title:  "a loop that ran while another was under way counts from 1, and leaves the other's counter alone",
	Proves: scenarios.IDs{openwop.OWP0061B2, openwop.OWP0061B4},
	Claim:  claims.ExecutionModel5,
	Ask: scenarios.Ask(twoLoopsAtOnce, func(o InterleavedObservation, j *scenarios.Judge) {
		if o.Suspends && o.First.RunID != "" {
			j.Reach(o.Suspended, fmt.Sprintf("have the decision of turn %d suspend the run with a waiting status (docs/seams.md)", o.AskedAt))
			host.Suspension{Answered: o.Answered}.CheckAnswered(j)
		}
		o.First.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		o.Second.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		if !o.Suspends && !o.overlaps() {
			j.Block("the two loops did not overlap, so shared counters could not be tested", fixture.Load)
		}
		j.Check(openwop.OWP0061B4, o.Second.Iterations()).To(check.CountFromOne(o.SecondN), "the loop that ran meanwhile")
		first, n := o.First.Iterations(), o.FirstN
		if o.Suspends && !o.Stateful && len(first.Values) > o.AskedAt {
			// Whether a counter survives a suspension is a claim of its own (RFC 0061 D).
			first.Values, n = first.Values[:o.AskedAt], o.AskedAt
		}
		j.Check(openwop.OWP0061B2, first).To(check.CountFromOne(n), "the loop that was under way")
		j.Check(openwop.OWP0061B4, o.First.All().Each("/runId")).To(check.Each(check.Equal(o.First.RunID)), "run of every event in the first log")
		j.Check(openwop.OWP0061B4, o.Second.All().Each("/runId")).To(check.Each(check.Equal(o.Second.RunID)),
			"run of every event in the second log")
	}),
}

// RFC 0061, motivation: the values and the breach are reproduced verbatim.
var forkKeeps = scenarios.Scenario{
	ID:     "openwop/iteration-monotonic/fork-keeps",
	Title:  "a replay of a finished loop carries the iterations, and the breach, of its source",
	Proves: scenarios.IDs{openwop.OWP0061M1},
	Claim:  claims.Replay,
	Ask: scenarios.Ask(replay.ReplayedLoops, func(o replay.ForkObservation, j *scenarios.Judge) {
		var beyond scenarios.RequirementID
		if o.Way == fixture.Loop { // the plan of a published fixture is not every host's
			beyond = openwop.OWP0037A2
		}
		for _, pair := range []struct {
			name             string
			turns            int
			beyond           scenarios.RequirementID
			source, replayed host.RunLog
		}{
			{"finished loop", o.Turns, beyond, o.Source, o.Replayed},
			{"bounded loop", o.Bound, openwop.OWP0061E3, o.BoundedSource, o.BoundedReplayed},
		} {
			pair.source.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
			pair.source.Takes(j, pair.turns, pair.beyond) // an empty copy would match an empty source
			pair.replayed.MadeFork(j, openwop.OWP0061M1, "a fork of the "+pair.name)
			if !j.Check(openwop.OWP0061M1, pair.replayed.ID).NotTo(check.Equal(pair.source.RunID), "runId of the fork") ||
				!j.Check(openwop.OWP0061M1, pair.replayed.Ended).To(check.Reached()) {
				return
			}
			pair.replayed.Readable(j)
			j.Check(openwop.OWP0061M1, pair.replayed.Iterations()).To(check.SameAs(pair.source.Iterations()), "iterations of the %s", pair.name)
			j.Check(openwop.OWP0061M1,
				pair.replayed.Decided().Each("/payload/decision")).To(check.SameAs(pair.source.Decided().Each("/payload/decision")),
				"decisions of the %s", pair.name)
			j.Check(openwop.OWP0061M1, pair.replayed.Breaches().Each("/payload")).To(check.SameAs(pair.source.Breaches().Each("/payload")),
				"breaches of the %s", pair.name)
			j.Check(openwop.OWP0061M1, pair.replayed.Status()).To(check.SameAs(pair.source.Status()), "status of the %s", pair.name)
		}
	}),
}

// RFC 0061 E: turn N runs, turn N+1 is refused.
var boundBelow = scenarios.Scenario{
	ID:     "openwop/iteration-monotonic/bound-below",
	Title:  "a loop that needs more turns than its bound N takes N, records the breach at N+1 and fails",
	Proves: scenarios.IDs{openwop.OWP0061E2, openwop.OWP0061E3, openwop.OWP0061E4},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(bounds.LoopAroundItsBound, func(o bounds.BoundsObservation, j *scenarios.Judge) {
		l, n := o.Below, o.Turns-1
		l.Exists(j, openwop.OWPCAP19)
		if !j.Check(openwop.OWP0061E3, l.Ended).To(check.Reached()) {
			return
		}
		l.Readable(j)
		o.BelowLater.Readable(j)
		bounds.CheckTurnBreach(l, j, n)
		j.Check(openwop.OWP0061E3, l.Decided()).To(check.Len(n), "orchestrator turns")
		j.Check(openwop.OWP0061E3, l.Status()).To(check.Equal("failed"), "status of the run")
		j.Check(openwop.OWP0061E3,
			l.OfType(dialect.RunFailed).Each("/payload/error/code")).To(dialect.EachCoded(dialect.LoopLimitExceeded), "code of the failure")
		j.Check(openwop.OWP0061E3, host.BreachesAndEnds(l)).To(dialect.Types(dialect.Breached, dialect.RunFailed), "breach and end in order")
		bounds.CheckOver(l, j, openwop.OWP0061E3)
		j.Check(openwop.OWP0061E3, host.OfTheLoop(o.BelowLater).Each("/eventId")).To(check.SameAs(host.OfTheLoop(l).Each("/eventId")),
			"events of the loop after two more had ended and %s had gone by", o.Window)
		if !o.Chosen {
			j.Find("", host.FixedScript)
		}
	}),
}

// The controls of bound-below: they expose a host that always breaches.
var boundLeavesAlone = scenarios.Scenario{
	ID:     "openwop/iteration-monotonic/bound-leaves-alone",
	Title:  "a loop that needs as many turns as its bound, or one fewer, ends by itself",
	Proves: scenarios.IDs{openwop.OWP0061E6},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(bounds.LoopAroundItsBound, func(o bounds.BoundsObservation, j *scenarios.Judge) {
		for _, l := range []host.RunLog{o.At, o.Above} {
			l.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
			j.Check(openwop.OWP0061E6, l.Decided()).To(check.Len(o.Turns), "orchestrator turns")
			j.Check(openwop.OWP0061E6, l.Breaches()).To(check.Len(0), "breaches")
			j.Check(openwop.OWP0061E6, l.Status()).To(check.Equal("completed"), "status of the run")
		}
	}),
}

// RFC 0061, conformance: the seam's reply. A constant reply fails.
var seamRandomTurns = scenarios.Scenario{
	ID:      "openwop/iteration-monotonic/seam-random-turns",
	Title:   "the seam answers a random number of turns with exactly as many iterations",
	Proves:  scenarios.IDs{openwop.OWP0061B1, openwop.OWP0061B2},
	Claim:   claims.ExecutionModel5,
	Reaches: scenarios.Attested,
	Ask: scenarios.Ask(host.SeamTurns, func(o host.SeamObservation, j *scenarios.Judge) {
		for _, a := range o.Answers {
			host.SeamAnswered(j, a.Status, o.Path)
			j.Check(openwop.OWP0061B1, a.Iterations()).To(check.Each(check.Integer(1, 0)), "%s asked for %d turns", o.Path, a.Turns)
			j.Check(openwop.OWP0061B2, a.Iterations()).To(check.CountFromOne(a.Turns), "%s asked for %d turns", o.Path, a.Turns)
			for _, d := range a.Decisions {
				if kind := d.Key("decision"); kind.String() != "" {
					j.Find("", "the seam writes a decision as the bare string %s: OWP-R1", kind.JSON())
					break
				}
			}
		}
	}),
}

// If a seam and a real run disagree, the real run decides.
var seamAgreesWithLog = scenarios.Scenario{
	ID:     "openwop/iteration-monotonic/seam-agrees-with-log",
	Title:  "the run that the seam's reply names shows the same iterations in its own log",
	Proves: scenarios.IDs{openwop.OWP0061B2},
	Claim:  claims.ExecutionModel5,
	Ask: scenarios.Ask(host.SeamTurns, func(o host.SeamObservation, j *scenarios.Judge) {
		named := false
		for _, a := range o.Answers {
			if !a.NamesARun {
				continue
			}
			named = true
			j.Check(openwop.OWP0061B2, a.Log.Read).To(check.Status(2), "reading the log of run %s", a.Log.RunID)
			j.Check(openwop.OWP0061B2, a.Log.Iterations()).To(check.CountFromOne(a.Turns), "iterations in the log of run %s", a.Log.RunID)
			j.Check(openwop.OWP0061B2, a.Iterations()).To(check.SameAs(a.Log.Iterations()), "iterations in the seam's reply")
		}
		if !named {
			j.Block("the seam's reply names no run, so its word cannot be compared with a log",
				"have the seam's reply carry the runId of the run it drove (docs/seams.md)")
		}
		j.SeenAs(scenarios.Observed)
	}),
}

// Whatever a seam says to an impossible request is honest, but for a claim of turns: only that would be about a run.
var seamOutOfRange = scenarios.Scenario{
	ID:      "openwop/iteration-monotonic/seam-out-of-range",
	Title:   "the seam claims no turn that cannot have been",
	Proves:  scenarios.IDs{openwop.OWP0061B4},
	Claim:   claims.ExecutionModel5,
	Reaches: scenarios.Attested,
	Ask: scenarios.Ask(host.SeamImpossible, func(o host.SeamObservation, j *scenarios.Judge) {
		control, impossible := o.Answers[0], o.Answers[1:]
		host.SeamAnswered(j, control.Status, o.Path)
		j.Check(openwop.OWP0061B4, control.Claimed()).To(check.Len(control.Turns), "turns claimed when asked for %d", control.Turns)
		for _, a := range impossible {
			asked := fmt.Sprintf("asked for %d turns", a.Turns)
			if a.SuspendsAt > 0 {
				asked += fmt.Sprintf(", suspended at turn %d", a.SuspendsAt)
			}
			if status, _ := a.Status.Int(); status/100 != 2 {
				continue
			}
			switch {
			case a.Turns >= 1:
				j.Check(openwop.OWP0061B4, a.Resumed).To(check.OneOf(nil, false), "resumedIteration claimed when %s", asked)
			case len(a.Claimed().Values) > 0: // a seam may take a number out of range for one within
				j.Find("", "%s, the seam claims %d turns (OWP-R28)", asked, len(a.Claimed().Values))
			}
		}
	}),
}
