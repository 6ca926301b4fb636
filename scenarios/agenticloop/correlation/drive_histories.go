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
	// Shrunk is the length of the history in which the plugin departed from the RFC, before it was shrunk; 0 if it
	// never did. That history is then the only one.
	Shrunk int `json:"shrunk,omitempty"`
}

// Delivered is one delivery of a history, and its turn.
type Delivered struct {
	What host.Delivery `json:"what"`
	Turn host.Turn     `json:"turn"`

	step int // its index in the drawn history, in which some steps deliver nothing
}

const (
	historyLength   = 25
	mostHistories   = 20
	fewestHistories = 4
	historiesTime   = 8 * time.Second // for those beyond the fewest
)

// step is one step of a drawn history. The state at its time decides what exactly is delivered.
type step struct {
	kind string
	run  int // the index of the run, in the order of the starts
}

// RandomHistories interleaves the results of several runs at random. Some come twice, late, early or wrong.
var RandomHistories = &scenarios.Drive[HistoriesObservation]{
	ID: "agenticloop/histories",
	Title: fmt.Sprintf("delivers up to %d random events to two to four runs in one state: results that match, fail, "+
		"come twice, late, early, of another tool, of no run", historyLength*mostHistories),
	Sends:   []string{"a turn for each: agentic.start, agentic.tool_result"},
	Waits:   historiesTime,
	Timeout: 5 * time.Minute,
	Once:    "it draws many histories itself",
	Run: func(ctx context.Context, c *scenarios.Conn, o *HistoriesObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.play(ctx, p)
		for _, h := range o.Histories {
			for _, d := range h {
				o.Turns = append(o.Turns, d.Turn)
			}
		}
	},
}

func (o *HistoriesObservation) play(ctx context.Context, p *host.Plugin) {
	begin, fewest, among := p.Now(), fewestHistories, false
	for n := range mostHistories {
		if p.Slow() != "" && among {
			fewest = 1
		}
		if n >= fewest && p.Now().Sub(begin) > historiesTime {
			return
		}
		steps := randomSteps(p)
		history := play(ctx, p, steps)
		o.Deliveries += len(history)
		among = among || slices.ContainsFunc(history, func(d Delivered) bool { return d.Turn.AmongRuns() && d.Turn.Runs().Actual() != nil })
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

// randomSteps draws a history: some starts, and any deliveries after them.
func randomSteps(p *host.Plugin) []step {
	runs := 2 + p.Rand.IntN(3)
	steps := []step{{kind: "start"}}
	started := 1
	kinds := []string{"match", "match", "match", "match", "again", "again", "stale", "error", "later", "wrong",
		"unknown"}
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

// departing returns the index of the first delivery that departs from the RFC, or -1.
func departing(history []Delivered) int {
	return slices.IndexFunc(history, func(d Delivered) bool { return d.What.Departs(d.Turn) != "" })
}

// play delivers a history from an empty state, up to its end or the first turn that departs from the RFC.
func play(ctx context.Context, p *host.Plugin, steps []step) []Delivered {
	var state host.Object
	var runs []string
	var history []Delivered
	taken := map[string]host.Pending{} // the last result that a run took
	for n, s := range steps {
		d, ok := deliveryOf(p, s, state, runs, taken)
		if !ok {
			continue // this history has no such run
		}
		about := host.Pending{Run: d.Run, Step: d.Step, Tool: d.Tool}
		event := p.Start(p.NewGoal(), nil)
		if d.Run != "" {
			event = p.Result(about, p.AnyResult())
		}
		if d.Status == "error" {
			event = p.Failure(about)
		}
		name := fmt.Sprintf("delivery %d (%s)", n+1, s.kind)
		t, after := p.Turn(ctx, host.Job{Name: name, State: state, Event: event, Quiet: true})
		history = append(history, Delivered{d, t, n})
		if d.Departs(t) != "" {
			return history
		}
		if made := t.NewRuns().Values; d.Run == "" && len(made) == 1 {
			due, _ := host.PendingOf(t)
			runs = append(runs, due.Run)
		}
		if d.Run != "" && t.Moved() && d.Status == "ok" {
			taken[d.Run] = about
		}
		state = after
	}
	return history
}

// deliveryOf decides what a step of a history delivers.
func deliveryOf(
	p *host.Plugin, s step, state host.Object, runs []string, taken map[string]host.Pending,
) (host.Delivery, bool) {
	if s.kind == "start" {
		return host.Delivery{}, true
	}
	if s.run >= len(runs) {
		return host.Delivery{}, false
	}
	run := runs[s.run]
	now := host.ProgressOf(host.RunsOf(state)[run])
	d := host.Delivery{Run: run, Step: now.Step, Tool: now.Tool, Status: "ok"}
	if d.Step == 0 { // nothing is pending: anything is late
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

// lastAlone returns the steps for the run of the last step, without the other runs: it may depart without them too.
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

// shrink removes the steps that a history does not need to depart, and returns the shortest that was found and played.
func shrink(ctx context.Context, p *host.Plugin, steps []step, shortest []Delivered) []Delivered {
	toTheDeparture := func(ctx context.Context, steps []step) []Delivered {
		history := play(ctx, p, steps)
		return history[:departing(history)+1]
	}
	more := p.Soon()
	alone := lastAlone(steps)
	if history := toTheDeparture(ctx, alone); len(history) > 0 {
		steps, shortest = alone, history
	}
	return host.Shrink(ctx, p, steps, shortest, more, toTheDeparture)
}

// keepAlone removes everything from the transcript but this history, which a reader has to follow.
func keepAlone(p *host.Plugin, history []Delivered) {
	turns := make([]*host.Turn, len(history))
	for i := range history {
		turns[i] = &history[i].Turn
	}
	p.KeepOnly(turns...)
}
