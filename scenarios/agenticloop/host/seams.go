package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
)

// Steer has the agent take these decisions, by the first seam of the profile that can say them: a script in its config,
// hints in what it is handed, or a model that we serve. The error is a [scenarios.Block] that names what would unblock it.
// The caller closes the plan.
func (p *Plugin) Steer(ctx context.Context, decisions ...Decision) *Plan {
	seams := p.Profile.Seams
	if seams == nil {
		scenarios.End(Unsteered("/profile/seams is absent"))
		return nil
	}
	var why []string
	if s := seams.ScriptedConfig; s != nil {
		plan, err := scripted(s, decisions)
		if err == nil {
			return plan
		}
		why = append(why, err.Error())
	}
	if s := seams.ContextSteering; s != nil {
		plan, err := hinted(s, decisions)
		if err == nil {
			return plan
		}
		why = append(why, err.Error())
	}
	if s := seams.MockLlm; s != nil {
		plan, err := ServeModel(ctx, s, decisions)
		if err == nil {
			return plan
		}
		why = append(why, err.Error())
	}
	scenarios.End(Unsteered(strings.Join(why, "; ")))
	return nil
}

// Unsteered says that the agent's decisions cannot be steered as a scenario needs it.
func Unsteered(why string) error {
	return scenarios.Block("its decisions cannot be steered: "+why,
		"declare a decision seam in "+ProfileName+": scripted_config, context_steering or mock_llm, with what the scenario asks for")
}

func scripted(s *agenticloopv2.ScriptedConfig, decisions []Decision) (*Plan, error) {
	list := make([]any, len(decisions))
	for i, d := range decisions {
		var err error
		if list[i], err = Worded(s.Decisions, d); err != nil {
			return nil, fmt.Errorf("/profile/seams/scripted_config/decisions/%w", err)
		}
	}
	plan := &Plan{Via: "scripted_config", config: Object{}}
	if err := Decode(s.Config, &plan.config); err != nil {
		return nil, fmt.Errorf("/profile/seams/scripted_config/config: %w", err)
	}
	plan.config[s.Key] = list
	return plan, nil
}

// hinted can say a first tool, and what each result leads to.
func hinted(s *agenticloopv2.ContextSteering, decisions []Decision) (*Plan, error) {
	plan := &Plan{Via: "context_steering", results: map[int]Object{}}
	for i, d := range decisions {
		name, template := "first_tool", s.FirstTool
		switch {
		case i > 0 && d.Kind == "call":
			name, template = "next_tool", s.NextTool
		case i > 0 && d.Kind == "done":
			name, template = "done", s.Done
		case i > 0 && d.Kind == "reframe":
			name, template = "reframe", s.Reframe
		case i > 0 || d.Kind != "call":
			return nil, fmt.Errorf("/profile/seams/context_steering cannot say %s", d.Kind)
		}
		if len(template) == 0 {
			return nil, fmt.Errorf("/profile/seams/context_steering/%s is absent", name)
		}
		filled, err := Fill(template, d)
		if err != nil {
			return nil, fmt.Errorf("/profile/seams/context_steering/%s: %w", name, err)
		}
		hint, _ := filled.(Object)
		if i == 0 {
			plan.Context = hint
		} else {
			plan.results[i] = hint
		}
	}
	return plan, nil
}

// Worded is a decision in the words of a profile.
func Worded(t agenticloopv2.DecisionTemplates, d Decision) (any, error) {
	name, template := "call_tool", t.CallTool
	switch d.Kind {
	case "done":
		name, template = "done", t.Done
	case "reframe":
		name, template = "reframe", t.Reframe
	case "refuse":
		name, template = "refuse", t.Refuse
	case "garbage":
		name, template = "garbage", t.Garbage
	}
	if len(template) == 0 {
		return nil, fmt.Errorf("%s is absent", name)
	}
	filled, err := Fill(template, d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return filled, nil
}

// Fill puts a decision into a template.
func Fill(template json.RawMessage, d Decision) (any, error) {
	var v any
	if err := Decode(template, &v); err != nil {
		return nil, err
	}
	arguments := OrEmpty(d.Arguments)
	var put func(v any) any
	put = func(v any) any {
		switch v := v.(type) {
		case string:
			if v == "${arguments}" {
				return Clone(arguments)
			}
			return strings.NewReplacer("${tool}", d.Tool, "${outcome}", d.Outcome).Replace(v)
		case []any:
			for i := range v {
				v[i] = put(v[i])
			}
		case Object:
			for k := range v {
				v[k] = put(v[k])
			}
		}
		return v
	}
	// A template that is one text may hold JSON: names go into it as JSON has them.
	if text, isText := v.(string); isText {
		raw, err := json.Marshal(arguments)
		if err != nil {
			return nil, err
		}
		return strings.NewReplacer("${tool}", quoted(d.Tool), "${outcome}", quoted(d.Outcome), `"${arguments}"`, string(raw), "${arguments}", string(raw)).Replace(text), nil
	}
	return put(v), nil
}

// quoted is a text as it stands inside the quotes of JSON.
func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(raw[1 : len(raw)-1])
}

// ReasonOf is why a target is blocked, without what would unblock it.
func ReasonOf(err error) string {
	if stop, ok := errors.AsType[*scenarios.Stop](err); ok {
		return stop.Reason
	}
	return err.Error()
}

// IsBlocked says whether an error is no more than something that the target does not offer.
func IsBlocked(err error) bool {
	var stop *scenarios.Stop
	return errors.As(err, &stop) && stop.Verdict == scenarios.Blocked
}
