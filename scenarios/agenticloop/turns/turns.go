// Package turns judges turns of a plugin that others started: each turn by what its request and its answer say, and turns that follow
// one another by what came before. It needs no plan of what was to happen.
package turns

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// Watch holds all turns of transcripts to the rules of this package.
func Watch(_ scenarios.Discovery, records []scenarios.DriveRecord, see func(scenarios.Sight)) {
	for _, record := range records {
		r := reader{transcript: record.Transcript, runs: map[string]*run{}, started: map[string]bool{}}
		for n := 1; n <= record.Transcript.Len(); n++ {
			if t, ok := r.turn(n); ok {
				for _, rule := range rules {
					rule.hold(t).Sights(rows, record.ID, t.of(), false, func(s scenarios.Sight) {
						if t.Exited || s.Requirement != agenticloop.RFC103I7 { // which is about the exit code
							see(s)
						}
					})
				}
				r.take(t)
			}
		}
		record.Transcript.Forget()
	}
}

// Watched returns the requirements that [Watch] checks.
func Watched() (all scenarios.IDs) {
	for _, rule := range rules {
		all = append(all, rule.proves...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var rows = host.Ledger()

// rule is one for every turn of its kind.
type rule struct {
	name   string
	proves scenarios.IDs
	judge  func(turn, *scenarios.Judge)
}

// hold holds a turn to the rule. The outcome has no check where the rule does not speak of such a turn.
func (r rule) hold(t turn) scenarios.Outcome {
	return scenarios.Conclude(scenarios.Scenario{ID: scenarios.ScenarioID("agenticloop/turns/" + r.name), Proves: r.proves,
		Ask: scenarios.Ask(&scenarios.Drive[turn]{ID: "agenticloop/turns"}, r.judge)}, rows, t)
}

// turn is one turn, and what is known of its run from those before.
type turn struct {
	host.Recalled
	start    string // the goal that it was to start a run for
	starts   bool
	delivery host.Delivery // of the result that it was handed
	resumes  bool
	rule     *model.Rule // that decides about the result
	was      host.Progress
	known    run  // what the turns before showed of the run
	taken    bool // a turn before was handed the same result, and moved the run
	failed   bool // a turn before was handed a failure of that step
	restart  bool // a turn before was handed the same start
}

// run is what turns showed of a run.
type run struct {
	whole  bool // the turn that started it was seen
	goal   string
	left   any              // the run as the last turn left it
	budget int64            // the greatest that a config or the state of the run has shown
	open   bool             // some config named no budget
	taken  map[int64]bool   // steps whose result was taken
	failed map[int64]bool   // steps of which a failure was delivered
	routes map[int64]string // by step, the plugin that the request was routed to
}

// reader puts together what turns show.
type reader struct {
	transcript *wire.Transcript
	runs       map[string]*run
	started    map[string]bool // keys and ids of starts that were handed over
}

func (r *reader) of(id string) *run {
	if r.runs[id] == nil {
		r.runs[id] = &run{taken: map[int64]bool{}, failed: map[int64]bool{}, routes: map[int64]string{}}
	}
	return r.runs[id]
}

// turn returns the turn in the n-th entry.
func (r *reader) turn(n int) (t turn, ok bool) {
	if t.Recalled, ok = host.Recall(r.transcript, n); !ok {
		return t, false
	}
	if t.start, t.starts = t.Start(); t.starts {
		for _, key := range t.keys() {
			t.restart = t.restart || r.started[key]
		}
		return t, true
	}
	if t.delivery, t.resumes = t.Result(); !t.resumes {
		return t, true
	}
	known := r.of(t.delivery.Run)
	// Another turn has changed the run, so the recording lacks some.
	known.whole = known.whole && reflect.DeepEqual(known.left, t.RunsBefore()[t.delivery.Run])
	t.known, t.taken, t.failed = *known, known.taken[t.delivery.Step], known.failed[t.delivery.Step]
	if t.delivery.Status == "error" && t.delivery.Odd == "" && (t.failed || !known.whole) {
		t.delivery.Odd = model.Doubled // or it may be
	}
	t.rule, t.was = t.delivery.Rule(t.Turn)
	return t, true
}

// keys are what a start that is delivered again has in common with the first time.
func (t turn) keys() (all []string) {
	for _, name := range []string{"dedupe_key", "event_id"} {
		if key, _ := t.Event()[name].(string); key != "" {
			all = append(all, name+" "+key)
		}
	}
	if id, _ := t.Request["job_id"].(string); id != "" {
		all = append(all, "job_id "+id)
	}
	return all
}

// of names what the turn is about.
func (t turn) of() string {
	if t.resumes {
		return t.delivery.Run
	}
	return cmp.Or(t.made(), t.Name)
}

// made returns the id of the run that the turn made; "" if it did not make one, or made several.
func (t turn) made() (id string) {
	if t.Status() != "ok" {
		return ""
	}
	before := t.RunsBefore()
	runs, _ := t.Runs().Actual().(host.Object)
	for name := range runs {
		if _, old := before[name]; old {
			continue
		}
		if id != "" {
			return ""
		}
		id = name
	}
	return id
}

// take notes what a turn shows of its run.
func (r *reader) take(t turn) {
	if due, asks := host.PendingOf(t.Turn); asks && t.Status() == "ok" {
		if to := t.Plugins(); len(to) == 1 {
			r.of(due.Run).routes[due.Step] = to[0]
		}
	}
	switch {
	case t.starts:
		for _, key := range t.keys() {
			r.started[key] = true
		}
		if id := t.made(); id != "" && !t.restart {
			k := r.of(id)
			k.whole, k.goal, k.left = true, t.start, t.Run(id).Actual()
			k.bound(t, t.Run(id))
		}
	case t.resumes:
		k := r.of(t.delivery.Run)
		k.bound(t, t.Run(t.delivery.Run))
		if kept := t.Run(t.delivery.Run); t.Answered() && t.Status() == "ok" && kept.Present() {
			k.left = kept.Actual()
		}
		if t.Status() == "ok" && t.rule != nil && t.rule.Allows(model.Asked) && t.Moved() {
			k.taken[t.delivery.Step] = true
		}
		if t.delivery.Status == "error" {
			k.failed[t.delivery.Step] = true
		}
	}
}

// budgetBefore returns the budget that the state of the run had before the turn; 0 if it had none.
func (t turn) budgetBefore() int64 {
	before, _ := t.RunsBefore()[t.delivery.Run].(host.Object)
	number, _ := before["max_steps"].(json.Number)
	n, _ := wire.Integer(number)
	return n
}

// bound notes the budget that a turn shows.
func (k *run) bound(t turn, kept wire.Value) {
	n, said := t.Config("max_steps")
	k.open = k.open || !said
	held, _ := kept.Key("max_steps").Int()
	k.budget = max(k.budget, n, held, t.budgetBefore())
}
