package replay

import (
	"context"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// PrefixObservation is a finished run, and replays of it from several places.
type PrefixObservation struct {
	Way    string        `json:"way"`
	Source host.RunLog   `json:"source"`
	Forks  []host.Forked `json:"forks"`
	Later  host.RunLog   `json:"later"` // the source, read after the forks had ended
}

// replaysFromAnywhere replays a finished run from random places.
var replaysFromAnywhere = &scenarios.Drive[PrefixObservation]{
	ID:    "openwop/replays-from-anywhere",
	Title: "replays a finished run from random places and from behind its last event, and reads the run again",
	Sends: []string{"{create run} (a loop, else a run that ends by itself)", "{fork run} {mode: replay, fromSeq}", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *PrefixObservation) {
		h := host.Host{Conn: c}
		body := longestRun(h)
		*o = PrefixObservation{Way: body.WorkflowID}
		r := h.Create(ctx, "create the source", body)
		if o.Source = r.Finish(ctx, "log of the source"); !o.Source.Ended.Reached || len(o.Source.Events) < 2 {
			return
		}
		for _, from := range places(h, o.Source, 3) {
			f := h.ForkFrom(ctx, r, dialect.ForkRunRequest{Mode: dialect.ForkModeReplay, FromSeq: &from})
			o.Forks = append(o.Forks, f)
		}
		o.Later = r.Stands(ctx, "log of the source, afterwards")
	},
}

// longestRun requests the run with the longest log that the host offers.
func longestRun(h host.Host) dialect.CreateRunRequest {
	if way, err := scenarios.Attempt(func() host.Scripted { return h.LoopOf(3, 6, 0) }); err == nil {
		return way.Request(nil)
	}
	if h.Offers(fixture.Random) {
		return dialect.CreateRunRequest{WorkflowID: fixture.Random}
	}
	if own, ok := host.Played(h, host.RoleLoop); ok {
		return own
	}
	return h.Simple()
}

// places returns n distinct places inside a log, and the one behind its last event.
func places(h host.Host, l host.RunLog, n int) []int64 {
	inside := l.Events[1:]
	var out []int64
	for _, i := range h.Rand.Perm(len(inside))[:min(n, len(inside))] {
		out = append(out, host.Sequence(inside[i]))
	}
	slices.Sort(out)
	return append(out, host.Sequence(l.Last())+1)
}

// DrawnObservation is a run whose nodes draw values, a second run of the same workflow,
// and forks of the first.
type DrawnObservation struct {
	Source  host.RunLog   `json:"source"`
	Control host.RunLog   `json:"control"`
	Forks   []host.Forked `json:"forks"`
}

// replaysOfDrawnValues replays a run whose nodes draw values.
var replaysOfDrawnValues = &scenarios.Drive[DrawnObservation]{
	ID: "openwop/replays-of-drawn-values",
	Title: "runs nodes that draw values, twice, replays the first run from the first event and from a random place, and replays each replay " +
		"from a place of its own",
	Sends: []string{"{create run} (assay-random, twice)", "{fork run} {mode: replay, fromSeq}, also of a replay", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *DrawnObservation) {
		h := host.Host{Conn: c}
		*o = forkDraws(ctx, h, dialect.ForkModeReplay, func(l host.RunLog) []int64 { return append([]int64{0}, places(h, l, 1)[0]) })
		for _, f := range o.Forks {
			if !f.Log.Ended.Reached || len(f.Log.Events) < 2 {
				continue
			}
			from := places(h, f.Log, 1)[0]
			if f.FromSeq > 0 {
				from = host.Sequence(f.Log.Events[0]) // a replay of what was copied, all of it
			}
			again := h.ForkFrom(ctx, &host.Run{Host: h, ID: f.Log.RunID, Created: h.Recorded(f.Log.Created.Ref().Exchange)},
				dialect.ForkRunRequest{Mode: dialect.ForkModeReplay, FromSeq: &from})
			o.Forks = append(o.Forks, again)
		}
	},
}

// branchesOfDrawnValues branches off a run whose nodes draw values, after some draws and before others.
var branchesOfDrawnValues = &scenarios.Drive[DrawnObservation]{
	ID:    "openwop/branches-of-drawn-values",
	Title: "runs nodes that draw values, twice, and branches off the first run where some of its values are drawn and some are not",
	Sends: []string{"{create run} (assay-random, twice)", "{fork run} {mode: branch, fromSeq}", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *DrawnObservation) {
		h := host.Host{Conn: c}
		*o = forkDraws(ctx, h, dialect.ForkModeBranch, func(l host.RunLog) []int64 {
			draws := draws(l).Values
			if len(draws) < 2 {
				return nil
			}
			return []int64{host.Sequence(draws[h.Rand.IntN(len(draws)-1)]) + 1}
		})
	},
}

func forkDraws(ctx context.Context, h host.Host, mode dialect.ForkMode, places func(host.RunLog) []int64) (o DrawnObservation) {
	if !h.Offers(fixture.Random) {
		scenarios.End(scenarios.Block("no workflow is on offer whose nodes draw values", fixture.Load))
	}
	var source *host.Run
	for _, l := range []*host.RunLog{&o.Control, &o.Source} {
		source = h.Create(ctx, "create a run that draws values", dialect.CreateRunRequest{WorkflowID: fixture.Random})
		if *l = source.Finish(ctx, "log of a run that draws values"); !l.Ended.Reached || len(l.Events) < 2 {
			return o
		}
	}
	for _, from := range places(o.Source) {
		f := h.ForkFrom(ctx, source, dialect.ForkRunRequest{Mode: mode, FromSeq: &from})
		o.Forks = append(o.Forks, f)
	}
	return o
}
