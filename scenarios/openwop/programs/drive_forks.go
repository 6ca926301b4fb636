package programs

import (
	"context"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
)

// What forks of programs draw, beside the programs.
var (
	generations = &scenarios.Dimension{Name: "generations of forks", Least: 2, Most: [3]int{2, 3, 5}}
	place       = &scenarios.Dimension{Name: "place of a fork in its log", Least: 0, Most: [3]int{100, 1_000, 10_000}, Edges: []int{0, 1}}
)

// ForksObservation is a program and a replay of its run, a replay of that replay, and so on.
type ForksObservation struct {
	Ran
	Forks []host.Forked `json:"forks"`
	Later []host.RunLog `json:"later"` // of the run and of each fork, when all had ended
	// Plain is a loop that asks nobody, and Branches are branches off it: at a decision, and right behind a step of a handoff. Zero
	// where branches are not claimed.
	Plain    host.RunLog   `json:"plain"`
	Branches []host.Forked `json:"branches"`
}

// drawnForks replays the run of a program, and its replays.
var drawnForks = &scenarios.Drive[ForksObservation]{
	ID: "openwop/drawn-forks",
	Title: "runs a loop of drawn length that asks, replays it from right behind a drawn step of a handoff, replays that replay from " +
		"another place, and so on, and reads all of them again; branches off another loop at a drawn decision and behind a step",
	Sends: []string{"{create run} (as for drawn programs)", "{answer node}", "{fork run} {mode: replay, fromSeq}", "{read run}",
		"{poll log}", "{create run} (a loop)", "{fork run} {mode: branch, fromSeq}"},
	Dimensions: append([]*scenarios.Dimension{generations, place}, dimensions...),
	Run: func(ctx context.Context, c *scenarios.Conn, o *ForksObservation) {
		h := host.Host{Conn: c}
		workflow, scripts := way(h)
		var p model.Program
		if workflow != "" {
			p = draw(h, workflow, false)
		} else {
			p = scripted(h, scripts[1], false)
		}
		if o.Ran = run(ctx, h, p, answers(h, p)); !o.Log.Ended.Reached {
			return
		}
		all := []host.RunLog{o.Log}
		for range h.Draw(generations) {
			parent := all[len(all)-1]
			if len(parent.Events) == 0 || !parent.Ended.Reached {
				break
			}
			first := host.Sequence(parent.Events[0]) // not every host counts from 0
			last := host.Sequence(parent.Last())
			from := first + int64(h.DrawUpTo(place, int(max(0, last-first)), "the log has no more events"))
			if step := behindStep(h, parent); len(o.Forks) == 0 && step > 0 {
				from = step
			}
			f := forked(ctx, h, parent, dialect.ForkModeReplay, from)
			if f.Unsupported() { // OWP-R108: a host may fork from the first event only
				f = forked(ctx, h, parent, dialect.ForkModeReplay, first)
			}
			o.Forks = append(o.Forks, f)
			all = append(all, f.Log)
		}
		all = slices.DeleteFunc(all, func(l host.RunLog) bool { return l.RunID == "" })
		o.Later = make([]host.RunLog, len(all))
		var reads []func(context.Context)
		for i, l := range all {
			reads = append(reads, func(ctx context.Context) { o.Later[i] = again(h, l).Stands(ctx, "the run, when all had ended") })
		}
		h.AtOnce(ctx, reads...)
		if _, claimed := claims.ForkBranchLoop.Look(c.Discovery); claimed {
			o.branch(ctx, h)
		}
	},
}

// branch runs a loop that asks nobody and branches off it.
func (o *ForksObservation) branch(ctx context.Context, h host.Host) {
	r := h.Create(ctx, "create the loop to branch off", h.LoopOf(4, 8, 0).Request(nil))
	if o.Plain = r.Finish(ctx, "log of the loop to branch off"); !o.Plain.Ended.Reached {
		return
	}
	var places []int64
	if decided := o.Plain.Decided().Values; len(decided) > 0 {
		places = append(places, host.Sequence(decided[h.Rand.IntN(len(decided))]))
	}
	if step := behindStep(h, o.Plain); step > 0 {
		places = append(places, step)
	}
	for _, from := range places {
		o.Branches = append(o.Branches, forked(ctx, h, o.Plain, dialect.ForkModeBranch, from))
	}
}

// behindStep draws the place right behind a step of a handoff, but for the first, which the decision causes; 0 if there is none.
func behindStep(h host.Host, l host.RunLog) int64 {
	steps := l.OfType(dialect.HandedOver).Values
	if len(steps) < 2 {
		return 0
	}
	return host.Sequence(steps[1+h.Rand.IntN(len(steps)-1)]) + 1
}

// again is a run that has ended.
func again(h host.Host, l host.RunLog) *host.Run {
	return &host.Run{Host: h, ID: l.RunID, Created: h.Recorded(l.Created.Ref().Exchange)}
}

func forked(ctx context.Context, h host.Host, source host.RunLog, mode dialect.ForkMode, from int64) host.Forked {
	return h.ForkFrom(ctx, again(h, source), dialect.ForkRunRequest{Mode: mode, FromSeq: &from})
}
