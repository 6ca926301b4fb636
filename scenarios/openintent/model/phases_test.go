package model_test

import (
	"testing"

	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

var handlings = []model.Action{
	model.Look, model.LookNext, model.Claims, model.Unclaims, model.Claim, model.Renew, model.Strange, model.Wait, model.Records, model.Halts,
	model.Answer, model.Puts, model.Complete,
}

// Whatever is done in whatever state, there is a rule, and each rule is needed for something.
func TestPhasesRules(t *testing.T) {
	met := map[string]bool{}
	var all []model.Phases
	for _, status := range []string{model.Active, model.Suspended, model.Completed} {
		for _, hold := range []model.Hold{model.Free, model.Holds, model.Open} {
			for bits := range 4 {
				all = append(all, model.Phases{Status: status, Claim: hold, Lease: hold, Record: bits&1 > 0, Written: bits&2 > 0})
			}
		}
	}
	for _, p := range all {
		for _, do := range handlings {
			r := model.PhasesModel.RuleOf(p, model.Handling{Do: do})
			if r == nil {
				t.Fatalf("there is no rule for %v in %v", do, p)
			}
			met[r.Name] = true
		}
	}
	for _, r := range model.PhasesModel.Rules {
		if !met[r.Name] {
			t.Errorf("no step meets the rule: %s", r.Name)
		}
	}
}

// took is a step that the server took.
func took(do model.Action) history.Step[model.Handling, model.Handled] {
	return history.Step[model.Handling, model.Handled]{In: model.Handling{Do: do}, Out: model.Handled{Reply: model.Reply{Code: 200}}}
}

func TestPhasesShown(t *testing.T) {
	refused := took(model.Claims)
	refused.Out.Code, refused.Out.Says, refused.Out.Names = 409, true, true
	anonymous, vague, early, renewed, other := refused, refused, refused, took(model.Renew), took(model.Renew)
	anonymous.Out.Names, vague.Out.Says, early.Out.Early = false, false, true
	renewed.Out.Same = true
	strange := took(model.Strange)
	strange.Out.Code = 409
	suspended := []model.Action{model.Claim, model.Records, model.Halts}
	done := []model.Action{model.Puts, model.Complete}
	look := took(model.Look)
	look.Out.Body = wiretest.Value(t, map[string]any{"status": model.Active})
	for name, c := range map[string]struct {
		before []model.Action
		step   history.Step[model.Handling, model.Handled]
		of     string // "" where it is explained
	}{
		"refused while it waits":       {suspended, refused, ""},
		"taken while it waits":         {suspended, took(model.Claims), "OIP-0026-V1"},
		"refused anonymously":          {suspended, anonymous, "OIP-0026-V3"},
		"refused vaguely":              {suspended, vague, "OIP-0026-V2"},
		"to come again long ago":       {suspended, early, "OIP-READ-18"},
		"renewed while it waits":       {suspended, renewed, ""},
		"another lease in its place":   {suspended, other, "OIP-0025-L3"},
		"kept from others":             {suspended, strange, ""},
		"kept from others, also later": {append(suspended, model.Wait), strange, ""},
		"taken by others":              {append(suspended, model.Wait), took(model.Strange), "OIP-0025-L4"},
		"taken by others elsewhere":    {[]model.Action{model.Claim, model.Wait}, took(model.Strange), ""},
		"refused though all is there":  {done, refused, "OIP-0024-1"},
		"taken since all is there":     {done, took(model.Claims), ""},
		"answered":                     {append(suspended, model.Answer), look, ""},
		"shown active while it waits":  {suspended, look, "OIP-0001-4"},
	} {
		t.Run(name, func(t *testing.T) {
			states := []model.Phases{{Status: model.Active}}
			for _, do := range c.before {
				states = model.PhasesModel.After(states, took(do))
			}
			if len(states) != 1 {
				t.Fatalf("the steps before lead to %v", states)
			}
			explained := len(model.PhasesModel.After(states, c.step)) > 0
			if explained != (c.of == "") {
				t.Fatalf("it is explained: %t", explained)
			}
			if rule := model.PhasesModel.RuleOf(states[0], c.step.In); c.of != "" {
				if of := rule.Sentence(rule.Ways[0].Shows(states[0], c.step)[0]); string(of) != c.of {
					t.Errorf("it is against %s, want %s", of, c.of)
				}
			}
		})
	}
}
