package correlation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// HistoriesObservation is random histories of several runs.
type HistoriesObservation struct {
	host.Turns
	Histories  [][]Delivered `json:"histories"`
	Deliveries int           `json:"deliveries"`
	// Shrunk is how many deliveries the history had in which the agent departed from the model, before it was made as short
	// as could be; 0 where it never did. The only history is then that one.
	Shrunk int `json:"shrunk,omitempty"`
}

// Delivered is one delivery of a history and what came of it.
type Delivered struct {
	What host.Delivery `json:"what"`
	Turn host.Turn     `json:"turn"`

	step int // of the history: some of them deliver nothing
}

const (
	historyLength = 25
)

// step is one move of a history: what is delivered follows from it and from the state at that moment.
type step struct {
	kind string
	run  int // which of the runs, in the order of their starts
}

// randomHistories interleaves the results of several runs at random, with such as come twice, late, early or wrong.
var RandomHistories = &scenarios.Drive[HistoriesObservation]{
	ID:      "agenticloop/histories",
	Title:   fmt.Sprintf("delivers up to %d random events to two to four runs in one state: results that match, fail, come twice, late, early, of another tool, of no run", historyLength*mostHistories),
	Sends:   []string{"a turn for each: agentic.start, agentic.tool_result"},
	Waits:   historiesTime,
	Timeout: 5 * time.Minute,
	Run: func(ctx context.Context, c *scenarios.Conn, o *HistoriesObservation) {
		p := host.Open(c, &o.Turns)
		playHistories(ctx, p, o)
		for _, h := range o.Histories {
			for _, d := range h {
				o.Turns = append(o.Turns, d.Turn)
			}
		}
	},
}

func playHistories(ctx context.Context, p *host.Plugin, o *HistoriesObservation) {
	begin := p.Now()
	for n := range mostHistories {
		if n >= fewestHistories && p.Now().Sub(begin) > historiesTime {
			return
		}
		steps := randomSteps(p)
		history := play(ctx, p, steps)
		o.Deliveries += len(history)
		if departing(history) < 0 {
			o.Histories = append(o.Histories, history)
			continue
		}
		o.Shrunk = len(history)
		history = shrink(ctx, p, steps[:history[departing(history)].step+1], history)
		keepAlone(p, history)
		o.Histories = [][]Delivered{history}
		return
	}
}

// randomSteps draws a history: some starts, and whatever may come after them.
func randomSteps(p *host.Plugin) []step {
	runs := 2 + p.Rand.IntN(3)
	steps := []step{{kind: "start"}}
	started := 1
	kinds := []string{"match", "match", "match", "match", "again", "again", "stale", "error", "later", "wrong", "unknown"}
	for len(steps) < historyLength {
		if started < runs && p.Rand.IntN(4) == 0 {
			steps = append(steps, step{kind: "start"})
			started++
			continue
		}
		steps = append(steps, step{kinds[p.Rand.IntN(len(kinds))], p.Rand.IntN(started)})
	}
	return steps
}

// departing is the place of the first delivery that departs from the model, -1 where none does.
func departing(history []Delivered) int {
	return slices.IndexFunc(history, func(d Delivered) bool { return d.What.Departs(d.Turn) != "" })
}

// play delivers a history from an empty state on, to its end or to where the agent departs from the model.
func play(ctx context.Context, p *host.Plugin, steps []step) []Delivered {
	var state host.Object
	var runs []string
	var history []Delivered
	taken := map[string]host.Pending{} // the last result that a run took
	for n, s := range steps {
		d, ok := deliveryOf(p, s, state, runs, taken)
		if !ok {
			continue // there is no such run in this history
		}
		event := p.Start(p.NewGoal(), nil)
		if d.Run != "" {
			event = p.Result(host.Pending{Run: d.Run, Step: d.Step, Tool: d.Tool}, p.AnyResult())
			if d.Status == "error" {
				event = p.Failure(host.Pending{Run: d.Run, Step: d.Step, Tool: d.Tool})
			}
		}
		t, after := p.Turn(ctx, host.Job{Name: fmt.Sprintf("delivery %d (%s)", n+1, s.kind), State: state, Event: event, Quiet: true})
		history = append(history, Delivered{d, t, n})
		if d.Departs(t) != "" {
			return history
		}
		if made := t.NewRuns().Values; d.Run == "" && len(made) == 1 {
			due, _ := host.PendingOf(t)
			runs = append(runs, due.Run)
		}
		if d.Run != "" && host.Moved(t) && d.Status == "ok" {
			taken[d.Run] = host.Pending{Run: d.Run, Step: d.Step, Tool: d.Tool}
		}
		state = after
	}
	return history
}

// deliveryOf makes a step of a history concrete.
func deliveryOf(p *host.Plugin, s step, state host.Object, runs []string, taken map[string]host.Pending) (host.Delivery, bool) {
	if s.kind == "start" {
		return host.Delivery{}, true
	}
	if s.run >= len(runs) {
		return host.Delivery{}, false
	}
	run := runs[s.run]
	w := host.StandingOf(host.RunsOf(state)[run])
	d := host.Delivery{Run: run, Step: w.Step, Tool: w.Tool, Status: "ok"}
	if d.Step == 0 { // nothing is pending: whatever comes is late
		d.Step, d.Tool = max(1, taken[run].Step), taken[run].Tool
	}
	if d.Tool == "" {
		d.Tool = p.Tools()[0]
	}
	switch s.kind {
	case "again":
		if last, ok := taken[run]; ok {
			d.Step, d.Tool = last.Step, last.Tool
		}
	case "stale":
		if d.Step > 1 {
			d.Step--
		}
	case "error":
		d.Status = "error"
	case "later":
		d.Step += 1 + int64(s.run)
	case "wrong":
		d.Tool = otherTool
	case "unknown":
		d.Run = p.NewID()
	}
	return d, true
}

// lastAlone is what a history has of the run that its last step is about: a run that goes another way among others may do so
// by itself.
func lastAlone(steps []step) []step {
	out := []step{{kind: "start"}}
	last := steps[len(steps)-1]
	for _, s := range steps {
		if s.kind != "start" && s.run == last.run {
			out = append(out, step{kind: s.kind})
		}
	}
	return out
}

// shrink leaves out of a history what it departs without, and returns the shortest that was found and played.
func shrink(ctx context.Context, p *host.Plugin, steps []step, shortest []Delivered) []Delivered {
	end := p.Now().Add(shrinkingTime)
	alone := lastAlone(steps)
	history := play(ctx, p, alone)
	if at := departing(history); at >= 0 {
		steps, shortest = alone, history[:at+1]
	}
	for size := len(steps) / 2; size >= 1; {
		less := false
		for from := 0; from+size <= len(steps) && p.Now().Before(end); {
			fewer := slices.Delete(slices.Clone(steps), from, from+size)
			history := play(ctx, p, fewer)
			if at := departing(history); at >= 0 {
				steps, shortest, less = fewer, history[:at+1], true
			} else {
				from += size
			}
		}
		if !less || size > len(steps)/2 {
			size /= 2
		}
	}
	return shortest
}

// keepAlone leaves of the transcript nothing but a history: of all that was tried, it is what a reader has to follow. Where
// no history departs they all stay, since each of them is judged.
func keepAlone(p *host.Plugin, history []Delivered) {
	turns := make([]*host.Turn, len(history))
	for i := range history {
		turns[i] = &history[i].Turn
	}
	p.KeepOnly(turns...)
}
