package host

import (
	"fmt"
	"maps"
	"slices"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Delivery is what a turn was handed: a start when Run is "", otherwise a result.
type Delivery struct {
	Run    string    `json:"run,omitempty"`
	Step   int64     `json:"step,omitempty"`
	Tool   string    `json:"tool,omitempty"`
	Status string    `json:"status,omitempty"` // ok or error
	Odd    model.Odd `json:"odd,omitempty"`
}

func (d Delivery) starts() bool { return d.Run == "" && d.Odd == "" }

// Rule returns the rule that decides about a result, and the state of its run before the turn.
func (d Delivery) Rule(t Turn) (*model.Rule, Progress) {
	run := t.RunsBefore()[d.Run]
	was := ProgressOf(run)
	return model.RuleOf(model.Delivery(d), model.Standing{Known: run != nil, Status: was.Status, Step: was.Step, Tool: was.Tool}), was
}

// Keeps matches a turn that does what the RFC allows.
func (d Delivery) Keeps(t Turn) check.Matcher {
	return check.Seeing("what the model of RFC-103 allows", func(wire.Seen) (bool, string) {
		if why := d.Departs(t); why != "" {
			return false, why
		}
		return true, "as the model has it"
	})
}

// Departs says in words how a turn departs from the RFC (RFC103-V1, AL-R6); "" if it does not. It knows which decisions
// a plugin may take, not which one it should.
func (d Delivery) Departs(t Turn) string {
	if !t.Answered() {
		return fmt.Sprintf("no response: it ended with %s", t.Exit.JSON())
	}
	return t.Before.once(d, t, "departs", d.departs)
}

func (d Delivery) departs(t Turn) string {
	if why := d.Touches(t); why != "" {
		return why
	}
	if d.starts() {
		return t.departsFromStart()
	}
	rule, was := d.Rule(t)
	why := ""
	for _, may := range rule.May {
		if why = d.departsFrom(t, may, rule, was); why == "" {
			return ""
		}
	}
	return why
}

// departsFrom says how a turn departs from one of the outcomes that its rule allows.
func (d Delivery) departsFrom(t Turn, may model.Outcome, rule *model.Rule, was Progress) string {
	switch may {
	case model.Nothing:
		return d.wants(t, "silence, "+rule.Since)
	case model.Repeated:
		if t.Status() != "ok" || !t.repeats(d.Run) {
			return "wanted the pending request once more, " + rule.Since + ", and what came is " + t.Answer.JSON()
		}
	case model.Refused:
		if t.Status() != "error" || t.endsAsError() {
			return "wanted an error, " + rule.Since + ", and what came is " + t.Answer.JSON()
		}
	case model.Retried:
		return d.wantsRetry(t, was)
	case model.Escalated:
		return d.wantsEnd(t, rule.Since)
	default:
		return d.wantsProgress(t, was)
	}
	return ""
}

func (t Turn) departsFromStart() string {
	due, ok := PendingOf(t)
	made := t.NewRuns().Values
	if !ok || due.Step != 1 || len(made) != 1 || ProgressOf(made[0].Actual()) != (Progress{"running", 1, due.Tool}) {
		return "a start was to make one run that asks for step 1, and what came is " + t.Answer.JSON()
	}
	return ""
}

// Touches says how a turn changed another running run than its own; "" if it did not.
func (d Delivery) Touches(t Turn) string { return t.Before.once(d, t, "touches", d.touches) }

func (d Delivery) touches(t Turn) string {
	was, now := t.RunsBefore(), t.Runs().Actual()
	for _, id := range slices.Sorted(maps.Keys(was)) {
		if id == d.Run || isUnchanged(now, was[id], id) || ProgressOf(was[id]).Status != "running" {
			continue
		}
		_, found := unchangedFrom(was[id], id).MatchSeen(t.Runs())
		return fmt.Sprintf("another run, %s, was %s and is %s", id, wire.Compact(check.Plain(was[id])), found)
	}
	return ""
}

// CheckOthers checks each running run that a turn returns beside its own.
func (d Delivery) CheckOthers(j *scenarios.Judge, t Turn) {
	was := t.RunsBefore()
	for _, id := range slices.Sorted(maps.Keys(was)) {
		now := t.Run(id)
		if id == d.Run || !now.Present() || ProgressOf(was[id]).Status != "running" {
			continue
		}
		j.Check(agenticloop.RFC103READ5, now).To(keptFrom(was[id]), "%s: another run", t.Name)
	}
}

func (d Delivery) wants(t Turn, silence string) string {
	if ok, found := t.Unchanged(d.Run).MatchSeen(t.Runs()); !ok {
		return "wanted " + silence + ", and the run is " + found
	}
	if t.Moved() || t.Status() != "ok" {
		return "wanted " + silence + ", and what came is " + t.Answer.JSON()
	}
	return ""
}

func (d Delivery) wantsEnd(t Turn, why string) string {
	events := t.Events().Values
	if t.Status() == "ok" && len(events) == 1 && events[0].Key("type").String() == Escalated &&
		events[0].At("/payload/run_id").String() == d.Run &&
		t.Run(d.Run).Key("status").String() == "escalated" {
		return ""
	}
	return "wanted one agent.escalated and the run escalated, " + why + ", and what came is " + t.Answer.JSON()
}

func (d Delivery) wantsRetry(t Turn, was Progress) string {
	if due, ok := PendingOf(t); ok && len(t.Events().Values) == 1 && due == (Pending{d.Run, was.Step, was.Tool}) {
		return ""
	}
	return "wanted the failed step again or an escalation, and what came is " + t.Answer.JSON()
}

func (d Delivery) wantsProgress(t Turn, was Progress) string {
	events := t.Events().Values
	if len(events) == 1 && events[0].At("/payload/run_id").String() == d.Run {
		run := t.Run(d.Run)
		status := run.Key("status").String()
		switch events[0].Key("type").String() {
		case Completed:
			if status == "done" {
				return ""
			}
		case Escalated:
			if status == "escalated" {
				return ""
			}
		default:
			due, ok := PendingOf(t)
			if ok && due.Step == was.Step+1 && ProgressOf(run.Actual()) == (Progress{"running", due.Step, due.Tool}) {
				return ""
			}
		}
	}
	return fmt.Sprintf("wanted step %d or the end of the run, and what came is %s", was.Step+1, t.Answer.JSON())
}
