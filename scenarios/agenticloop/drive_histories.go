package agenticloop

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
)

// HistoriesObservation is random histories of several runs.
type HistoriesObservation struct {
	Turns
	Histories  [][]Delivered `json:"histories"`
	Deliveries int           `json:"deliveries"`
	// Shrunk is how many deliveries the history had in which the agent departed from the model, before it was made as short
	// as could be; 0 where it never did. The only history is then that one.
	Shrunk int `json:"shrunk,omitempty"`
}

// Delivered is one delivery of a history and what came of it.
type Delivered struct {
	What Delivery `json:"what"`
	Turn Turn     `json:"turn"`

	step int // of the history: some of them deliver nothing
}

const (
	historyLength   = 25
	mostHistories   = 20
	fewestHistories = 4
	historiesTime   = 8 * time.Second // for those beyond the fewest
	shrinkingTime   = 30 * time.Second
)

// step is one move of a history: what is delivered follows from it and from the state at that moment.
type step struct {
	kind string
	run  int // which of the runs, in the order of their starts
}

// randomHistories interleaves the results of several runs at random, with such as come twice, late, early or wrong.
var randomHistories = &scenarios.Drive[HistoriesObservation]{
	ID:      "agenticloop/histories",
	Title:   fmt.Sprintf("delivers up to %d random events to two to four runs in one state: results that match, fail, come twice, late, early, of another tool, of no run", historyLength*mostHistories),
	Sends:   []string{"a turn for each: agentic.start, agentic.tool_result"},
	Waits:   historiesTime,
	Timeout: 5 * time.Minute,
	Run: func(ctx context.Context, c *scenarios.Conn, o *HistoriesObservation) {
		a := open(c, &o.Turns)
		a.histories(ctx, o)
		for _, h := range o.Histories {
			for _, d := range h {
				o.Turns = append(o.Turns, d.Turn)
			}
		}
	},
}

func (a *agent) histories(ctx context.Context, o *HistoriesObservation) {
	begin := a.Now()
	for n := range mostHistories {
		if n >= fewestHistories && a.Now().Sub(begin) > historiesTime {
			return
		}
		steps := a.randomSteps()
		history := a.play(ctx, steps)
		o.Deliveries += len(history)
		if departing(history) < 0 {
			o.Histories = append(o.Histories, history)
			continue
		}
		o.Shrunk = len(history)
		history = a.shrink(ctx, steps[:history[departing(history)].step+1], history)
		a.keepAlone(history)
		o.Histories = [][]Delivered{history}
		return
	}
}

// randomSteps draws a history: some starts, and whatever may come after them.
func (a *agent) randomSteps() []step {
	runs := 2 + a.Rand.IntN(3)
	steps := []step{{kind: "start"}}
	started := 1
	kinds := []string{"match", "match", "match", "match", "again", "again", "stale", "error", "later", "wrong", "unknown"}
	for len(steps) < historyLength {
		if started < runs && a.Rand.IntN(4) == 0 {
			steps = append(steps, step{kind: "start"})
			started++
			continue
		}
		steps = append(steps, step{kinds[a.Rand.IntN(len(kinds))], a.Rand.IntN(started)})
	}
	return steps
}

// departing is the place of the first delivery that departs from the model, -1 where none does.
func departing(history []Delivered) int {
	return slices.IndexFunc(history, func(d Delivered) bool { return d.What.departs(d.Turn) != "" })
}

// play delivers a history from an empty state on, to its end or to where the agent departs from the model.
func (a *agent) play(ctx context.Context, steps []step) []Delivered {
	var state object
	var runs []string
	var history []Delivered
	taken := map[string]pending{} // the last result that a run took
	for n, s := range steps {
		d, ok := a.deliveryOf(s, state, runs, taken)
		if !ok {
			continue // there is no such run in this history
		}
		event := a.start(a.goal(), nil)
		if d.Run != "" {
			event = a.result(pending{d.Run, d.Step, d.Tool}, a.anyResult())
			if d.Status == "error" {
				event = a.failure(pending{d.Run, d.Step, d.Tool})
			}
		}
		t, after := a.turn(ctx, job{name: fmt.Sprintf("delivery %d (%s)", n+1, s.kind), state: state, event: event, quiet: true})
		history = append(history, Delivered{d, t, n})
		if d.departs(t) != "" {
			return history
		}
		if made := t.newRuns().Values; d.Run == "" && len(made) == 1 {
			p, _ := waiting(t)
			runs = append(runs, p.Run)
		}
		if d.Run != "" && moved(t) && d.Status == "ok" {
			taken[d.Run] = pending{d.Run, d.Step, d.Tool}
		}
		state = after
	}
	return history
}

// deliveryOf makes a step of a history concrete.
func (a *agent) deliveryOf(s step, state object, runs []string, taken map[string]pending) (Delivery, bool) {
	if s.kind == "start" {
		return Delivery{}, true
	}
	if s.run >= len(runs) {
		return Delivery{}, false
	}
	run := runs[s.run]
	w := waitsOf(runsOf(state)[run])
	d := Delivery{Run: run, Step: w.step, Tool: w.tool, Status: "ok"}
	if d.Step == 0 { // nothing is pending: whatever comes is late
		d.Step, d.Tool = max(1, taken[run].Step), taken[run].Tool
	}
	if d.Tool == "" {
		d.Tool = a.tools()[0]
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
		d.Run = a.id()
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
func (a *agent) shrink(ctx context.Context, steps []step, shortest []Delivered) []Delivered {
	end := a.Now().Add(shrinkingTime)
	alone := lastAlone(steps)
	history := a.play(ctx, alone)
	if at := departing(history); at >= 0 {
		steps, shortest = alone, history[:at+1]
	}
	for size := len(steps) / 2; size >= 1; {
		less := false
		for from := 0; from+size <= len(steps) && a.Now().Before(end); {
			fewer := slices.Delete(slices.Clone(steps), from, from+size)
			history := a.play(ctx, fewer)
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
func (a *agent) keepAlone(history []Delivered) {
	turns := make([]*Turn, len(history))
	for i := range history {
		turns[i] = &history[i].Turn
	}
	a.keepOnly(turns...)
}

// Delivery.departs is the model that each turn is held against.
var histories = scenarios.Scenario{
	ID:     "agenticloop/correlation/histories",
	Title:  "whatever the order in which the results of several runs come, each goes the way that it goes alone",
	Proves: scenarios.IDs{agenticloopv2.RFC103READ5, agenticloopv2.RFC103I5},
	Claim:  plugin,
	Ask: scenarios.Ask(randomHistories, func(o HistoriesObservation, j *scenarios.Judge) {
		if len(o.Histories) == 0 || len(o.Histories[0]) == 0 {
			given(j, Turn{})
			return
		}
		first := o.Histories[0][0].Turn
		begun(j, first)
		if o.Shrunk > 0 {
			j.Find(agenticloopv2.RFC103READ5, "the history was shrunk from %d deliveries to %d", o.Shrunk, len(o.Histories[0]))
		}
		for _, h := range o.Histories {
			for _, d := range h {
				given(j, d.Turn)
				d.byOthers(j, h)
				j.Check(agenticloopv2.RFC103READ5, d.Turn.Output).To(d.What.keeps(d.Turn), "%s", d.Turn.Name)
				if w := waitsOf(d.Turn.before()[d.What.Run]); d.What.Run != "" && (d.What.Step != w.step || d.What.Tool != w.tool) {
					j.Check(agenticloopv2.RFC103I5, d.Turn.requests()).To(d.Turn.noneBut(d.What.Run), "%s: requests for tools", d.Turn.Name)
				}
			}
		}
	}),
}

// byOthers stops a judge where a run goes another way although no other run is there to lead it: other scenarios ask how
// each kind of delivery is to be taken.
func (d Delivered) byOthers(j *scenarios.Judge, history []Delivered) {
	why := d.What.departs(d.Turn)
	if why == "" || d.What.touches(d.Turn) != "" {
		return
	}
	if d.What.Run == "" {
		j.BlockOn(agenticloopv2.RFC103M1, "set-up: a start goes another way: "+why)
	}
	starts := 0
	for _, other := range history {
		if other.What.Run == "" {
			starts++
		}
	}
	if starts <= 1 {
		j.BlockOn(agenticloopv2.RFC103I5, "set-up: a run goes another way also by itself: "+why)
	}
}
