package openwop

import (
	"context"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Forked is a fork of a finished run.
type Forked struct {
	FromSeq int64      `json:"fromSeq"`
	Reply   wire.Value `json:"reply"`
	Log     RunLog     `json:"log"`
}

// unsupported says whether the host forks from the first event only: it may.
func (f Forked) unsupported() bool {
	status, _ := f.Log.Created.Int()
	return status == http.StatusNotImplemented && f.FromSeq > 0
}

// PrefixObservation is a finished run and replays of it from several places.
type PrefixObservation struct {
	Way    string   `json:"way"`
	Source RunLog   `json:"source"`
	Forks  []Forked `json:"forks"`
	Later  RunLog   `json:"later"` // the source, when the forks had ended
}

// replaysFromAnywhere replays a finished run from random places.
var replaysFromAnywhere = &scenarios.Drive[PrefixObservation]{
	ID:    "openwop/replays-from-anywhere",
	Title: "replays a finished run from random places and from behind its last event, and reads the run again",
	Sends: []string{"POST /v1/runs (a loop, else a run that ends by itself)", "POST /v1/runs/{runId}:fork {mode: replay, fromSeq}", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll"},
	Run: func(ctx context.Context, c *scenarios.Conn) (PrefixObservation, error) {
		h := host{c}
		body, err := h.eventful()
		if err != nil {
			return PrefixObservation{}, err
		}
		o := PrefixObservation{Way: body.WorkflowID}
		r, err := h.create(ctx, "create the source", body)
		if err != nil {
			return o, err
		}
		if o.Source, err = r.finish(ctx, "log of the source"); err != nil || !o.Source.Ended.Reached || len(o.Source.Events) < 2 {
			return o, err
		}
		for _, from := range h.places(o.Source, 3) {
			f, err := h.forkFrom(ctx, r, openwopv1.ForkRunRequest{Mode: openwopv1.ForkModeReplay, FromSeq: &from})
			if err != nil {
				return o, err
			}
			o.Forks = append(o.Forks, f)
		}
		o.Later, err = r.stands(ctx, "log of the source, afterwards")
		return o, err
	},
}

// eventful is the run with the longest story that the host offers.
func (h host) eventful() (openwopv1.CreateRunRequest, error) {
	if way, err := h.loopOf(3, 6, 0); err == nil {
		return way.request(nil), nil
	}
	if h.offers(fixtureRandom) {
		return openwopv1.CreateRunRequest{WorkflowID: fixtureRandom}, nil
	}
	return h.simple()
}

// places are n different places inside a log, and the one behind its last event.
func (h host) places(l RunLog, n int) []int64 {
	inside := l.Events[1:]
	var out []int64
	for _, i := range h.Rand.Perm(len(inside))[:min(n, len(inside))] {
		out = append(out, sequence(inside[i]))
	}
	slices.Sort(out)
	return append(out, sequence(l.Last())+1)
}

// forkFrom forks a run and waits for the fork's end.
func (h host) forkFrom(ctx context.Context, source *run, body openwopv1.ForkRunRequest) (Forked, error) {
	f := Forked{FromSeq: *body.FromSeq}
	reply, err := h.do(ctx, wire.Call{Method: http.MethodPost, Path: runPath(source.ID) + ":fork", Label: string(body.Mode), Body: body})
	if err != nil {
		return f, err
	}
	f.Reply = reply.Value("")
	f.Log, err = h.adopt(reply).finish(ctx, "log of the "+string(body.Mode))
	return f, err
}

// DrawnObservation is a run whose nodes draw values, another run of the same,
// and forks of the first.
type DrawnObservation struct {
	Source  RunLog   `json:"source"`
	Control RunLog   `json:"control"`
	Forks   []Forked `json:"forks"`
}

// replaysOfDrawnValues replays a run whose nodes draw values.
var replaysOfDrawnValues = &scenarios.Drive[DrawnObservation]{
	ID:    "openwop/replays-of-drawn-values",
	Title: "runs nodes that draw values, twice, and replays the first run from the first event and from a random place",
	Sends: []string{"POST /v1/runs (assay-random, twice)", "POST /v1/runs/{runId}:fork {mode: replay, fromSeq}", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll"},
	Run: func(ctx context.Context, c *scenarios.Conn) (DrawnObservation, error) {
		h := host{c}
		return h.drawn(ctx, openwopv1.ForkModeReplay, func(l RunLog) []int64 { return append([]int64{0}, h.places(l, 1)[0]) })
	},
}

// branchesOfDrawnValues branches off a run whose nodes draw values, where some are drawn and some are not.
var branchesOfDrawnValues = &scenarios.Drive[DrawnObservation]{
	ID:    "openwop/branches-of-drawn-values",
	Title: "runs nodes that draw values, twice, and branches off the first run where some of its values are drawn and some are not",
	Sends: []string{"POST /v1/runs (assay-random, twice)", "POST /v1/runs/{runId}:fork {mode: branch, fromSeq}", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll"},
	Run: func(ctx context.Context, c *scenarios.Conn) (DrawnObservation, error) {
		h := host{c}
		return h.drawn(ctx, openwopv1.ForkModeBranch, func(l RunLog) []int64 {
			draws := draws(l).Values
			if len(draws) < 2 {
				return nil
			}
			return []int64{sequence(draws[h.Rand.IntN(len(draws)-1)]) + 1}
		})
	},
}

func (h host) drawn(ctx context.Context, mode openwopv1.ForkMode, places func(RunLog) []int64) (o DrawnObservation, err error) {
	if !h.offers(fixtureRandom) {
		return o, scenarios.Block("no workflow is on offer whose nodes draw values", loadFixtures)
	}
	var source *run
	for _, l := range []*RunLog{&o.Control, &o.Source} {
		if source, err = h.create(ctx, "create a run that draws values", openwopv1.CreateRunRequest{WorkflowID: fixtureRandom}); err != nil {
			return o, err
		}
		if *l, err = source.finish(ctx, "log of a run that draws values"); err != nil || !l.Ended.Reached || len(l.Events) < 2 {
			return o, err
		}
	}
	for _, from := range places(o.Source) {
		f, err := h.forkFrom(ctx, source, openwopv1.ForkRunRequest{Mode: mode, FromSeq: &from})
		if err != nil {
			return o, err
		}
		o.Forks = append(o.Forks, f)
	}
	return o, nil
}
