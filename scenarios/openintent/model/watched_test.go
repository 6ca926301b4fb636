package model_test

import (
	"testing"

	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// Whatever is done in whatever state, there is a rule, and each rule is needed for something.
func TestWatchedRules(t *testing.T) {
	met := map[string]bool{}
	for _, policy := range []string{"", model.Isolates, model.Pauses, model.Escalates} {
		for _, status := range []string{model.Active, model.Suspended, model.Completed} {
			for times := range 2 {
				for _, do := range []model.Action{
					model.Look, model.LookWired, model.LookOther, model.LookWatcher, model.Records, model.Halts, model.Answer, model.Complete,
				} {
					w := model.Watched{Policy: policy, Status: status, Times: times}
					r := model.WatchedModel.RuleOf(w, model.Watching{Do: do})
					if r == nil {
						t.Fatalf("there is no rule for %v in %v", do, w)
					}
					met[r.Name] = true
				}
			}
		}
	}
	for _, r := range model.WatchedModel.Rules {
		if !met[r.Name] {
			t.Errorf("no step meets the rule: %s", r.Name)
		}
	}
}

func TestWatchedShown(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		times  int // that it was suspended; it still is
		look   model.Action
		status string
		events int
		self   bool
		of     string // "" where it is explained
	}{
		"nothing under isolate":             {model.Isolates, 1, model.LookWatcher, model.Active, 0, false, ""},
		"an escalation under isolate":       {model.Isolates, 1, model.LookWatcher, model.Active, 1, false, "OIP-0026-P3"},
		"an escalation under none":          {"", 1, model.LookWatcher, model.Active, 1, false, "OIP-0026-P3"},
		"a parent that waits, too":          {"", 1, model.LookWatcher, model.Suspended, 0, false, "OIP-0026-R1"},
		"a phase paused under isolate":      {model.Isolates, 1, model.LookWired, model.Blocked, 0, false, "OIP-0026-P3"},
		"a phase paused":                    {model.Pauses, 1, model.LookWired, model.Blocked, 0, false, ""},
		"a phase that runs on":              {model.Pauses, 1, model.LookWired, model.Active, 0, false, "OIP-0026-P4"},
		"a phase apart that is paused":      {model.Pauses, 1, model.LookOther, model.Blocked, 0, false, "OIP-0002-4"},
		"a phase blocked by an escalation":  {model.Escalates, 1, model.LookWired, model.Blocked, 0, false, "OIP-0002-4"},
		"escalated each time":               {model.Escalates, 2, model.LookWatcher, model.Active, 2, false, ""},
		"escalated once":                    {model.Escalates, 2, model.LookWatcher, model.Active, 1, false, "OIP-0026-P5"},
		"a coordinator that waits itself":   {model.Escalates, 2, model.LookWatcher, model.Suspended, 0, true, ""},
		"the phase is active and suspended": {model.Escalates, 1, model.Look, model.Active, 0, false, "OIP-0001-4"},
	} {
		t.Run(name, func(t *testing.T) {
			w := model.Watched{Policy: c.policy, Status: model.Suspended, Record: true, Times: c.times}
			step := history.Step[model.Watching, model.Watch]{In: model.Watching{Do: c.look}, Out: model.Watch{
				Reply: model.Reply{Code: 200, Body: wiretest.Value(t, map[string]any{"status": c.status})}, Escalated: c.events, Self: c.self,
			}}
			rule := model.WatchedModel.RuleOf(w, step.In)
			misses := rule.Ways[0].Shows(w, step)
			if len(misses) > 0 != (c.of != "") {
				t.Fatalf("%v", misses)
			}
			if c.of != "" && string(rule.Sentence(misses[0])) != c.of {
				t.Errorf("it is against %s, want %s", rule.Sentence(misses[0]), c.of)
			}
		})
	}
}
