package agenticloop

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Delivery is what a turn was handed, as the model of the text sees it: a start, where Run is "", or a result.
type Delivery struct {
	Run    string `json:"run,omitempty"`
	Step   int64  `json:"step,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Status string `json:"status,omitempty"` // ok or error
}

// waits is what a run waits for, as a state has it.
type waits struct {
	status string
	step   int64
	tool   string
}

func waitsOf(run any) waits {
	r, _ := run.(map[string]any)
	w := waits{}
	w.status, _ = r["status"].(string)
	w.tool, _ = r["pending_tool"].(string)
	if n, ok := r["pending_step"].(json.Number); ok {
		w.step, _ = wire.Integer(n)
	}
	return w
}

// departs says in words how a turn departs from the model of RFC-103 (RFC103-V1, AL-R6); "" where it does not. What an agent
// decides is its own affair: what the model knows is which decisions it may take at all.
func (d Delivery) departs(t Turn) string {
	if !t.answered() {
		return fmt.Sprintf("no response: it ended with %s", t.Exit.JSON())
	}
	if why := d.touches(t); why != "" {
		return why
	}
	if d.Run == "" {
		return t.departsFromStart()
	}
	was := t.before()[d.Run]
	w, known := waitsOf(was), was != nil
	switch {
	case !known:
		return d.wants(t, "silence, since the run is unknown")
	case w.status != "running":
		return d.wants(t, "silence, since the run is "+w.status)
	case d.Step < w.step:
		if t.repeats(d.Run) {
			return ""
		}
		return d.wants(t, "silence, since the step is stale")
	case d.Step > w.step:
		return d.wantsEnd(t, "since the step is above the pending one")
	case d.Tool != w.tool:
		return d.wantsEnd(t, "since another tool is pending")
	case d.Status == "error":
		return d.wantsRetry(t, w)
	}
	return d.wantsProgress(t, w)
}

func (t Turn) departsFromStart() string {
	p, ok := waiting(t)
	made := t.newRuns().Values
	if !ok || p.Step != 1 || len(made) != 1 || made[0].Key("status").String() != "running" {
		return "a start was to make one run that asks for step 1, and what came is " + t.Answer.JSON()
	}
	return ""
}

// touches says how a turn changed a running run that was not meant; "" where it did not.
func (d Delivery) touches(t Turn) string {
	was := t.before()
	before, _ := check.Plain(any(was)).(map[string]any)
	for _, id := range slices.Sorted(maps.Keys(before)) {
		if id == d.Run || waitsOf(was[id]).status != "running" {
			continue
		}
		if ok, found := unchangedFrom(was[id], id).MatchSeen(t.runs()); !ok {
			return fmt.Sprintf("another run, %s, was %s and is %s", id, wire.Compact(before[id]), found)
		}
	}
	return ""
}

func (d Delivery) wants(t Turn, silence string) string {
	if ok, found := t.unchanged(d.Run).MatchSeen(t.runs()); !ok {
		return "wanted " + silence + ", and the run is " + found
	}
	if moved(t) || t.Answer.Key("status").String() != "ok" {
		return "wanted " + silence + ", and what came is " + t.Answer.JSON()
	}
	return ""
}

func (d Delivery) wantsEnd(t Turn, why string) string {
	events := t.events().Values
	if len(events) == 1 && events[0].Key("type").String() == escalated && events[0].At("/payload/run_id").String() == d.Run && t.run(d.Run).Key("status").String() == "escalated" {
		return ""
	}
	return "wanted one agent.escalated and the run escalated, " + why + ", and what came is " + t.Answer.JSON()
}

func (d Delivery) wantsRetry(t Turn, w waits) string {
	if p, ok := waiting(t); ok && len(t.events().Values) == 1 {
		if p == (pending{d.Run, w.step, w.tool}) {
			return ""
		}
		return "wanted the failed step again or an escalation, and what came is " + t.Answer.JSON()
	}
	return d.wantsEnd(t, "or the failed step again")
}

func (d Delivery) wantsProgress(t Turn, w waits) string {
	events := t.events().Values
	if len(events) == 1 && events[0].At("/payload/run_id").String() == d.Run {
		run := t.run(d.Run)
		status := run.Key("status").String()
		switch events[0].Key("type").String() {
		case completed:
			if status == "done" {
				return ""
			}
		case escalated:
			if status == "escalated" {
				return ""
			}
		default:
			if p, ok := waiting(t); ok && p.Step == w.step+1 && status == "running" && waitsOf(run.Actual()) == (waits{status, p.Step, p.Tool}) {
				return ""
			}
		}
	}
	return fmt.Sprintf("wanted step %d or the end of the run, and what came is %s", w.step+1, t.Answer.JSON())
}

// keeps expects that a turn keeps to the model.
func (d Delivery) keeps(t Turn) check.Matcher {
	return check.Seeing("what the model of RFC-103 allows", func(wire.Seen) (bool, string) {
		if why := d.departs(t); why != "" {
			return false, why
		}
		return true, "as the model has it"
	})
}
