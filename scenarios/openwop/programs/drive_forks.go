package programs

import (
	"context"
	"slices"

	"github.com/openassay/assay/scenarios"
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
}

// drawnForks replays the run of a program, and its replays.
var drawnForks = &scenarios.Drive[ForksObservation]{
	ID: "openwop/drawn-forks",
	Title: "runs a loop of drawn length that asks, replays it from a drawn place, replays that replay from another one, and so on, and " +
		"reads all of them again",
	Sends: []string{"{create run} (as for drawn programs)", "{answer node}", "{fork run} {mode: replay, fromSeq}", "{read run}",
		"{poll log}"},
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
			f := replayed(ctx, h, parent, first+int64(h.DrawUpTo(place, int(max(0, last-first)), "the log has no more events")))
			if f.Unsupported() { // OWP-R108: a host may fork from the first event only
				f = replayed(ctx, h, parent, first)
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
	},
}

// again is a run that has ended.
func again(h host.Host, l host.RunLog) *host.Run {
	return &host.Run{Host: h, ID: l.RunID, Created: h.Recorded(l.Created.Ref().Exchange)}
}

func replayed(ctx context.Context, h host.Host, source host.RunLog, from int64) host.Forked {
	return h.ForkFrom(ctx, again(h, source), dialect.ForkRunRequest{Mode: dialect.ForkModeReplay, FromSeq: &from})
}
