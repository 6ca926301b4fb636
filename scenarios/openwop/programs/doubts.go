package programs

import (
	"fmt"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// RFC 0039 A.
var heldEachTime = scenarios.Scenario{
	ID: "openwop/programs/held-each-time",
	Title: "each decision below the floor is held and reported with its own confidence, even 0, however many were held before; no " +
		"other is held",
	Proves: scenarios.IDs{openwop.OWPINT5, openwop.OWPCNF3, openwop.OWPCNF5, openwop.OWPCNF9},
	Claim:  claims.ExecutionModel2,
	Ask: scenarios.Ask(drawnDoubts, func(o DoubtsObservation, j *scenarios.Judge) {
		for _, d := range o.Programs {
			for i, h := range d.Held {
				d.checkUntouched(j, i, o.Floor)
				if d.over(i) {
					j.Find("", "the run ended without the decision of turn %d, which was held and accepted: OWP-R102", h.Turn)
					break
				}
				d.checkHeld(j, i, o.Floor)
			}
			d.checkEnd(j, o.Floor)
		}
	}),
}

// RFC 0061 D.
var countedInDoubt = scenarios.Scenario{
	ID:     "openwop/programs/counted-in-doubt",
	Title:  "a loop goes on counting where it stopped, wherever and however often it was held for a decision below the floor",
	Proves: scenarios.IDs{openwop.OWP0061D1},
	Claim:  claims.StatefulResume,
	Ask: scenarios.Ask(drawnDoubts, func(o DoubtsObservation, j *scenarios.Judge) {
		for _, d := range o.Programs {
			for i, h := range d.Held {
				if !d.over(i) {
					h.Given(j)
					h.CheckAnswered(j)
				}
			}
			d.Log.Ends(j, openwop.OWP0061D1)
			d.Log.Readable(j)
			d.Log.Decides(j)
			j.Check(openwop.OWP0061D1, d.Log.Iterations()).To(check.CountFromOne(len(d.Log.Decided().Values)),
				"turns of a loop that was held %d times for a decision below the floor", len(d.Held))
		}
	}),
}

// over reports whether the run had ended where a decision was to be held, after another one was accepted (OWP-R102).
func (d Doubted) over(i int) bool {
	return i > 0 && !d.Held[i].Suspended.Reached && host.IsTerminal(d.Held[i].Suspended.Last.Key("status").String())
}

// checkUntouched expects no handoff of the nth decision below the floor, from 0, before somebody answers: behind the event that tells of
// it, or, if there is none, beyond those of the turns before.
func (d Doubted) checkUntouched(j *scenarios.Judge, n int, floor float64) {
	h := d.Held[n]
	h.Log.Exists(j, openwop.OWPCAP19)
	h.Log.Readable(j)
	most, handed := 0, h.Log.Phase(dialect.ChainPhaseDispatchBegan)
	if told := escalations(h.Log).Values; len(told) > n {
		handed = handed.Where(func(e wire.Value) bool { return host.Sequence(e) > host.Sequence(told[n]) })
	} else {
		for _, t := range d.Program.Turns[:h.Turn-1] {
			most += len(t.Workers)
		}
	}
	j.Require(j.Check(openwop.OWPINT5, handed.Each("/payload/workerId")).To(host.NoMoreThan(most),
		"handoffs of a loop with confidence %v in turn %d and a floor of %v, before somebody answers", *d.confidence(n), h.Turn, floor))
}

func (d Doubted) confidence(n int) *float64 { return d.Program.Turns[d.Held[n].Turn-1].Confidence }

func escalations(l host.RunLog) wire.Found { return l.OfType(dialect.ConfidenceEscalated) }

// checkNoMore expects that no more decisions were held than there were below the floor.
func checkNoMore(j *scenarios.Judge, l host.RunLog, most int, floor float64) {
	told := escalations(l).Each("/payload/confidence")
	if len(told.Values) > most {
		told.Values = told.Values[most:]
		j.Require(j.Check(openwop.OWPCNF5, told).To(check.Each(below(floor)), "confidences of what was held beside decisions below the floor"))
		j.Check(openwop.OWPCNF3, escalations(l)).To(host.NoMoreThan(most), "confidence-escalated")
	}
	j.Require(j.Check(openwop.OWPCNF5, escalations(l)).To(host.NoMoreThan(most), "decisions that were held"))
}

func isFloor(v wire.Value, floor float64) bool {
	n, is := host.AsNumber(check.Plain(v.Actual()))
	return is && n > floor-1e-6 && n < floor+1e-6
}

// below expects a number below the floor.
func below(floor float64) check.Matcher {
	return check.That(fmt.Sprintf("a number below %v", floor), func(v any) bool {
		c, is := host.AsNumber(v)
		return is && c < floor
	})
}

// checkHeld checks the nth decision below the floor, from 0, while it is held.
func (d Doubted) checkHeld(j *scenarios.Judge, n int, floor float64) {
	h := d.Held[n]
	most := n
	if h.Suspended.Reached {
		most++
	}
	checkNoMore(j, h.Log, most, floor)
	h.Given(j)
	confidence, told := *d.confidence(n), escalations(h.Log).Each("/payload")
	if last := told.Last(); len(told.Values) == n+1 && isFloor(last.Key("floor"), floor) {
		j.Require(j.Check(openwop.OWPCNF5, last.Key("confidence")).To(below(floor), "confidence of the decision that was held last"))
	}
	if !j.Check(openwop.OWPCNF3, told).To(check.Len(n+1), "confidence-escalated up to turn %d, with confidence %v", h.Turn, confidence) {
		j.End()
	}
	j.Check(openwop.OWPCNF3, told.Last().Key("confidence")).To(host.About(confidence), "confidence of the decision of turn %d", h.Turn)
	j.Check(openwop.OWPCNF3, told.Last().Key("floor")).To(host.About(floor), "floor of the decision of turn %d", h.Turn)
	if worker := told.Last().Key("workerId"); worker.Present() {
		j.Check(openwop.OWPCNF3, worker).To(check.OneOf(anyOf(d.Program.Turns[h.Turn-1].Workers)...), "workerId of the decision of turn %d",
			h.Turn)
	}
	h.CheckAnswered(j)
}

// checkEnd checks the whole of the run: each worker at most once, and nothing in its place (OWP-R102).
func (d Doubted) checkEnd(j *scenarios.Judge, floor float64) {
	checkNoMore(j, d.Log, len(d.Held), floor)
	if !j.Check(openwop.OWPCNF9, d.Log.Ended).To(check.Reached(), "after the answers") {
		return
	}
	d.Log.Readable(j)
	var planned []string
	for _, t := range d.Program.Turns {
		planned = append(planned, t.Workers...)
		if t.Reason != "" {
			break
		}
	}
	j.Check(openwop.OWPCNF9, began(d.Log)).To(host.NothingBut(planned), "workers of the whole loop")
	d.checkWhole(j)
}

// checkWhole expects of each decision that was held that all of its workers were given their work, or none (OWP-R102).
func (d Doubted) checkWhole(j *scenarios.Judge) {
	if d.Log.Status().String() != "completed" {
		return
	}
	decided := d.Log.Decided().Each("/payload/decision/nextWorkerIds").Values
	for _, h := range d.Held {
		want := d.Program.Turns[h.Turn-1].Workers
		if len(decided) < h.Turn || wire.Compact(decided[h.Turn-1].Actual()) != wire.Compact(want) {
			continue // it is not told, or told otherwise, which others ask about
		}
		given := handoff.Turn(d.Log, h.Turn-1).Where(handoff.IsPhase(dialect.ChainPhaseDispatchBegan)).Each("/payload/workerId")
		if len(given.Values) > 0 {
			j.Check(openwop.OWPCNF9, given).To(check.Equal(want), "workers of turn %d, which was held and accepted", h.Turn)
		}
	}
}

// began are the workers that were given their work, in order.
func began(l host.RunLog) wire.Found {
	return l.Phase(dialect.ChainPhaseDispatchBegan).Each("/payload/workerId")
}

func anyOf(texts []string) (out []any) {
	for _, t := range texts {
		out = append(out, t)
	}
	return out
}
