package handoff

import (
	"context"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// What loops of many workers draw.
var (
	crowd = &scenarios.Dimension{Name: "workers that complete between those that do not", Least: 1, Most: [3]int{4, 10, 40}}
	odd   = &scenarios.Dimension{Name: "workers of each odd kind", Least: 1, Most: [3]int{1, 2, 4}, Edges: []int{2}}
	crew  = &scenarios.Dimension{Name: "workers of a decision for odd ones", Least: 1, Most: [3]int{3, 4, 6}, Edges: []int{2}}
)

// OddWorkersObservation is a loop of many workers, some of which fail, are not there, or ask a person. The first completes.
type OddWorkersObservation struct {
	Way      string            `json:"way"`
	Mapped   bool              `json:"mapped"`
	Outcome  string            `json:"outcome"` // of the parent's variable that a failing worker would write, where outputs are mapped
	Workers  []Odd             `json:"workers"`
	Asked    []host.Suspension `json:"asked"`          // of the workers that ask, in order
	Pause    host.ShortPause   `json:"pause,omitzero"` // of the loop, while the first of these asks
	Log      host.RunLog       `json:"log"`
	Children []host.ChildRun   `json:"children"`
}

// Odd is a worker and how it ends.
type Odd struct {
	Worker string `json:"worker"`
	Ends   string `json:"ends"`
	Turn   int    `json:"turn"` // of the decision for it, from 0; no worker stands twice in one
}

// How workers end.
const (
	endsWell    = "completed"
	endsFailed  = "failed"
	endsMissing = "missing" // there is no such workflow
	endsAsked   = "asked"   // completed when it was answered
)

// oddWorkers runs a loop of many workers and answers those that ask.
var oddWorkers = &scenarios.Drive[OddWorkersObservation]{
	ID: "openwop/odd-workers",
	Title: "runs a loop of many workers, a few a turn, with some among them that fail, are no workflow of the host's or ask a person, in a " +
		"drawn order, or failing in a row, and none of them first; beyond quick the loop is paused and resumed while the first " +
		"asks; answers those that ask, and reads them all",
	Sends: []string{"{create run} (assay-loop-mapped or assay-loop with a drawn plan)", "{read run}", "{poll log}", "{read run:childRunId}",
		"{poll log:childRunId}", "{pause run}", "{resume run}", "{answer node:childRunId}"},
	Dimensions: []*scenarios.Dimension{crowd, odd, crew},
	Run: func(ctx context.Context, c *scenarios.Conn, o *OddWorkersObservation) {
		h := host.Host{Conn: c}
		plain := o.draw(h)
		request := host.Scripted{Fixture: o.Way, Plan: append(o.plan(), host.Terminate(h.Name("done"))), Chosen: true}.Request(nil)
		if o.Mapped {
			request.Inputs["outcome"] = o.Outcome
			request.Inputs["said"], request.Inputs["other"] = plain, h.Marker()
		}
		r := h.Create(ctx, "create the loop of many workers", request)
		if r.ID == "" {
			o.Log = r.ReadLog(ctx, "log of the loop")
			return
		}
		made := 0
		for _, w := range o.Workers {
			if w.Ends != endsMissing {
				made++
			}
			if w.Ends != endsAsked {
				continue
			}
			found, l := r.AwaitChildren(ctx, made)
			if !found.Reached {
				break
			}
			child := r.ChildRun(ctx, host.ChildIDs(l)[made-1])
			if !child.Created.Success() {
				o.Asked = append(o.Asked, host.Suspension{Log: host.RunLog{RunID: child.ID, Created: child.Created.StatusValue()}})
				break
			}
			held := child.Held(ctx, 1, 0)
			if len(o.Asked) == 0 && h.Depth > scenarios.Quick {
				if o.Pause = r.PausesShortly(ctx, "the loop whose worker asks"); host.Succeeded(o.Pause.GoOn.Status) {
					child.AwaitSuspended(ctx, 0)
				}
			}
			taken := child.Resolves(ctx, &held)
			if o.Asked = append(o.Asked, held); !taken {
				break
			}
		}
		if o.Log = r.Finish(ctx, "log of the loop of many workers"); o.Log.Ended.Reached {
			o.Children = h.ChildRuns(ctx, o.Log, made)
		}
	},
}

// plan is the decisions for the workers.
func (o *OddWorkersObservation) plan() (p host.Plan) {
	for i := 0; i < len(o.Workers); {
		var crew []string
		for turn := o.Workers[i].Turn; i < len(o.Workers) && o.Workers[i].Turn == turn; i++ {
			crew = append(crew, o.Workers[i].Worker)
		}
		p = append(p, host.NextWorker(crew...))
	}
	return p
}

// group draws which workers are decided on together. The first of each kind that is lost is never the first of its turn, and beyond quick
// one that asks is not the last of its turn, if another one can follow it.
func (o *OddWorkersObservation) group(h host.Host) {
	turn, members, most := 0, []string{}, h.Draw(crew)
	met := map[string]bool{endsWell: true, endsAsked: true}
	for i := range o.Workers {
		w := &o.Workers[i]
		joins := !met[w.Ends] || i > 0 && h.Depth > scenarios.Quick && o.Workers[i-1].Ends == endsAsked
		met[w.Ends] = true
		if len(members) >= most && !joins || slices.Contains(members, w.Worker) {
			turn, members, most = turn+1, nil, h.Draw(crew)
		}
		w.Turn, members = turn, append(members, w.Worker)
	}
}

// draw draws the workers, and returns a value for the first.
func (o *OddWorkersObservation) draw(h host.Host) string {
	ceiling, why := h.Ceiling()
	_, maps := claims.DispatchMapping.Look(h.Discovery)
	well := []string{fixture.Noop}
	switch {
	case maps && h.Offers(fixture.Mapped, fixture.Echo, fixture.EchoAgain):
		o.Way, o.Mapped, well = fixture.Mapped, true, []string{fixture.Echo, fixture.EchoAgain}
	case h.Offers(fixture.Loop, fixture.Noop):
		o.Way = fixture.Loop
	default:
		h.Lacks("the host offers no loop with chosen workers", fixture.Loop)
	}
	o.Outcome = h.Marker()
	var others []Odd
	row := h.Depth > scenarios.Quick && h.Rand.IntN(2) == 0
	for _, kind := range []Odd{{Worker: fixture.Fail, Ends: endsFailed}, {Worker: fixture.Approval, Ends: endsAsked}, {Ends: endsMissing}} {
		if kind.Worker != "" && !h.Offers(kind.Worker) {
			continue
		}
		most := max(1, (ceiling-2)/3)
		n := h.DrawUpTo(odd, most, why)
		if row && kind.Ends == endsFailed {
			n = min(most, max(n, 3))
		}
		for range n {
			if kind.Ends == endsMissing {
				kind.Worker = h.Name("no-such-workflow")
			}
			others = append(others, kind)
		}
	}
	if !slices.ContainsFunc(others, func(w Odd) bool { return w.Ends == endsFailed }) {
		scenarios.End(scenarios.Block("the host does not offer a worker that fails", fixture.Load))
	}
	most := ceiling - 1 - len(others)
	if most < crowd.Least {
		host.TooFewTurns(why)
	}
	for range max(h.DrawUpTo(crowd, most, why), min(3, most)) - 1 {
		others = append(others, Odd{Worker: well[h.Rand.IntN(len(well))], Ends: endsWell})
	}
	h.Rand.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	if row { // those that fail follow one another
		slices.SortStableFunc(others, func(a, b Odd) int { return failing(b) - failing(a) })
	}
	if asks := slices.IndexFunc(others, func(w Odd) bool { return w.Ends == endsAsked }); h.Depth > scenarios.Quick && asks >= 0 {
		others = slices.Insert(others, asks+1, Odd{Worker: h.Name("no-such-workflow"), Ends: endsMissing}) // it stands in no turn yet
	}
	o.Workers = append([]Odd{{Worker: well[0], Ends: endsWell}}, others...)
	o.group(h)
	return h.Marker()
}

// failing is 1 if a worker fails, else 0.
func failing(w Odd) int {
	if w.Ends == endsFailed {
		return 1
	}
	return 0
}
