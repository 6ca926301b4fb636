package handoff

import (
	"context"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// WorkersObservation is a loop with one worker in each turn but the last.
type WorkersObservation struct {
	Way      string          `json:"way"`
	Chosen   bool            `json:"chosen"`   // the workers were chosen at random
	Workers  []string        `json:"workers"`  // one a turn, as planned
	Mapped   bool            `json:"mapped"`   // the fixture maps their output
	Log      host.RunLog     `json:"log"`      // of the parent
	Children []host.ChildRun `json:"children"` // in the parent's order

	// Inner are the logs of workers that are loops themselves, none at quick or if no such worker is on offer.
	Inner []host.RunLog `json:"inner,omitempty"`

	Unmapped *WorkersObservation `json:"unmapped,omitempty"` // another loop, if this one maps and one that does not is on offer
}

// LoopOfWorkers runs a loop that dispatches a different worker each turn.
var LoopOfWorkers = &scenarios.Drive[WorkersObservation]{
	ID: "openwop/loop-of-workers",
	Title: "runs a loop that hands over to a random worker each turn, another one than in the turn before, and reads its " +
		"log, its children and their logs; beyond quick also one whose worker is a loop",
	Sends: []string{
		"{create run} (assay-loop with random workers; else conformance-multi-agent-handoff or conformance-orchestrator-dispatch)",
		"{create run} (assay-scripted-loop, beside a loop that maps)", "{read run}", "{poll log}", "{read run:childRunId}",
		"{poll log:childRunId}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *WorkersObservation) {
		h := host.Host{Conn: c}
		way := h.WorkersLoop()
		*o = workersRun(ctx, h, way)
		o.Inner = innerLoops(ctx, h)
		if !o.Mapped {
			return
		}
		if scripted := host.ScriptedLoop(h); host.OffersScripted(h, scripted.Fixture) {
			unmapped := workersRun(ctx, h, scripted)
			o.Unmapped = &unmapped
		}
	},
}

// innerLoops runs a loop whose worker is a loop, and returns the log of the worker: beyond quick and where the host offers that.
func innerLoops(ctx context.Context, h host.Host) (logs []host.RunLog) {
	const innerTurns = 4
	if ceiling, _ := h.Ceiling(); h.Depth == scenarios.Quick || ceiling < innerTurns || !h.Offers(fixture.Loop, fixture.Noop) {
		return nil
	}
	plan := host.Plan{host.NextWorker(fixture.Loop), host.Terminate(h.Name("done"))}
	for _, child := range workersRun(ctx, h, host.Scripted{Fixture: fixture.Loop, Plan: plan, Chosen: true}).Children {
		logs = append(logs, child.Log)
	}
	return logs
}

// workersRun runs a loop to its end, and reads its children.
func workersRun(ctx context.Context, h host.Host, way host.Scripted) WorkersObservation {
	o := WorkersObservation{Way: way.Fixture, Chosen: way.Chosen, Workers: way.Workers(), Mapped: way.Fixture == fixture.Handoff}
	r := h.Create(ctx, "create the loop", way.Request(nil))
	if o.Log = r.Finish(ctx, "log of the loop"); !o.Log.Ended.Reached {
		return o
	}
	o.Children = h.ChildRuns(ctx, o.Log, len(o.Workers))
	return o
}

// Given blocks the judge unless the loop ran as planned. Judges call it whose loop is only the setup.
func (o WorkersObservation) Given(j *scenarios.Judge) {
	o.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
	decidedAs(o.Log, j, o.Chosen, o.Workers...)
	if !o.Chosen {
		j.Find("", host.FixedScript)
	}
}
