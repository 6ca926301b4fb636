// Package turns judges the recorded turns of a plugin. Each turn is judged by its request and its answer, and by the earlier turns of its
// run. No plan of the run is needed.
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
		r := newReader(record.Transcript)
		for n := 1; n <= record.Transcript.Len(); n++ {
			r.judge(record.ID, n, see)
		}
		record.Transcript.Forget()
	}
}

// Watched returns the requirements that [Watch] checks.
func Watched() (all scenarios.IDs) {
	for _, rule := range rules() {
		all = append(all, rule.proves...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var rows = host.Ledger()

// rule holds for every turn of its kind. Its judge checks nothing in other turns.
type rule struct {
	name   string
	proves scenarios.IDs
	judge  func(turn, *scenarios.Judge)
}

// turn is a recorded turn, with the state of its run before it.
type turn struct {
	host.Recalled
	start    string // the goal that it was to start a run for
	starts   bool
	delivery host.Delivery // of the result that it was handed
	resumes  bool
	rule     *model.Rule // that decides about the result
	was      host.Progress
	known    run  // its run, as the earlier turns showed it
	restart  bool // an earlier turn was handed the same start
}

// run is a run as its turns showed it.
type run struct {
	whole  bool             // none of its turns is missing, from its start on
	left   any              // the run as the last turn left it
	budget int64            // the greatest that a config or the state of the run has shown
	open   bool             // some config named no budget
	taken  map[int64]bool   // the steps whose results moved the run
	failed map[int64]bool   // the steps that a failure was delivered for
	routes map[int64]string // by step, the plugin that the request was routed to
}

// reader puts together what turns show.
type reader struct {
	transcript *wire.Transcript
	runs       map[string]*run
	started    map[string]bool // keys and ids of starts that were handed over
}

func newReader(t *wire.Transcript) *reader {
	return &reader{transcript: t, runs: map[string]*run{}, started: map[string]bool{}}
}

// judge holds the turn in the n-th entry to the rules, and takes note of it.
func (r *reader) judge(drive string, n int, see func(scenarios.Sight)) {
	t, ok := r.turn(n)
	if !ok {
		return
	}
	of := t.of()
	for _, rule := range rules() {
		outcome := scenarios.Hold("agenticloop/turns/"+rule.name, rule.proves, rule.judge, rows, t)
		outcome.Sights(rows, drive, of, false, func(s scenarios.Sight) {
			if t.Exited || s.Requirement != agenticloop.RFC103I7 { // which is about the exit code
				see(s)
			}
		})
	}
	r.take(t)
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
	// If the run has changed since its last recorded turn, a turn is missing.
	known.whole = known.whole && reflect.DeepEqual(known.left, t.RunsBefore()[t.delivery.Run])
	t.known = *known
	if t.delivery.Status == "error" && t.delivery.Odd == "" && (known.failed[t.delivery.Step] || !known.whole) {
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
func (t turn) made() string {
	if ids := t.NewIDs(); t.Status() == "ok" && len(ids) == 1 {
		return ids[0]
	}
	return ""
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
			k.whole, k.left = true, t.Run(id).Actual()
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
