package agenticloop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
)

// decision is one that the agent is to take.
type decision struct {
	kind      string // call, done, reframe, refuse or garbage
	tool      string
	arguments object
	outcome   string
}

func call(tool string, arguments object) decision {
	return decision{kind: "call", tool: tool, arguments: arguments}
}

func done(outcome string) decision { return decision{kind: "done", outcome: outcome} }

var reframe = decision{kind: "reframe"}

// plan is a way to have the agent take decisions: what its requests, its start and its results have to hold for that.
type plan struct {
	via     string // the seam
	config  object
	env     map[string]string
	context object         // of the start
	results map[int]object // by the number of the result, from 1: what it has to hold
	llm     *mockLLM       // nil unless a model is asked
}

// lays puts the plan into a job.
func (p *plan) lays(j job) job {
	if p == nil {
		return j
	}
	config := maps.Clone(p.config)
	if config == nil {
		config = object{}
	}
	maps.Copy(config, j.config)
	j.config = config
	env := maps.Clone(p.env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, j.env)
	j.env = env
	return j
}

// body is what the n-th result, from 1, holds: what steers, over the usual one.
func (p *plan) body(n int, usual object) object {
	if p != nil {
		maps.Copy(usual, p.results[n])
	}
	return usual
}

// close ends what was served for the plan.
func (p *plan) close() {
	if p != nil && p.llm != nil {
		p.llm.close()
	}
}

// planned has the agent take these decisions, by the first seam of the profile that can say them: a script in its config,
// hints in what it is handed, or a model that we serve. The error is a [scenarios.Block] that names what would unblock it.
// The caller closes the plan.
func (a *agent) planned(ctx context.Context, decisions ...decision) *plan {
	seams := a.profile.Seams
	if seams == nil {
		scenarios.End(unsteered("/profile/seams is absent"))
		return nil
	}
	var why []string
	if s := seams.ScriptedConfig; s != nil {
		p, err := scripted(s, decisions)
		if err == nil {
			return p
		}
		why = append(why, err.Error())
	}
	if s := seams.ContextSteering; s != nil {
		p, err := hinted(s, decisions)
		if err == nil {
			return p
		}
		why = append(why, err.Error())
	}
	if s := seams.MockLlm; s != nil {
		p, err := modelled(ctx, s, decisions)
		if err == nil {
			return p
		}
		why = append(why, err.Error())
	}
	scenarios.End(unsteered(strings.Join(why, "; ")))
	return nil
}

// unsteered says that the agent's decisions cannot be steered as a scenario needs it.
func unsteered(why string) error {
	return scenarios.Block("its decisions cannot be steered: "+why,
		"declare a decision seam in "+ProfileName+": scripted_config, context_steering or mock_llm, with what the scenario asks for")
}

func scripted(s *agenticloopv2.ScriptedConfig, decisions []decision) (*plan, error) {
	list := make([]any, len(decisions))
	for i, d := range decisions {
		var err error
		if list[i], err = written(s.Decisions, d); err != nil {
			return nil, fmt.Errorf("/profile/seams/scripted_config/decisions/%w", err)
		}
	}
	p := &plan{via: "scripted_config", config: object{}}
	if err := decode(s.Config, &p.config); err != nil {
		return nil, fmt.Errorf("/profile/seams/scripted_config/config: %w", err)
	}
	p.config[s.Key] = list
	return p, nil
}

// hinted can say a first tool, and what each result leads to.
func hinted(s *agenticloopv2.ContextSteering, decisions []decision) (*plan, error) {
	p := &plan{via: "context_steering", results: map[int]object{}}
	for i, d := range decisions {
		name, template := "first_tool", s.FirstTool
		switch {
		case i > 0 && d.kind == "call":
			name, template = "next_tool", s.NextTool
		case i > 0 && d.kind == "done":
			name, template = "done", s.Done
		case i > 0 && d.kind == "reframe":
			name, template = "reframe", s.Reframe
		case i > 0 || d.kind != "call":
			return nil, fmt.Errorf("/profile/seams/context_steering cannot say %s", d.kind)
		}
		if len(template) == 0 {
			return nil, fmt.Errorf("/profile/seams/context_steering/%s is absent", name)
		}
		filled, err := fill(template, d)
		if err != nil {
			return nil, fmt.Errorf("/profile/seams/context_steering/%s: %w", name, err)
		}
		hint, _ := filled.(object)
		if i == 0 {
			p.context = hint
		} else {
			p.results[i] = hint
		}
	}
	return p, nil
}

// written is a decision in the words of a profile.
func written(t agenticloopv2.DecisionTemplates, d decision) (any, error) {
	name, template := "call_tool", t.CallTool
	switch d.kind {
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
	filled, err := fill(template, d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return filled, nil
}

// fill puts a decision into a template.
func fill(template json.RawMessage, d decision) (any, error) {
	var v any
	if err := decode(template, &v); err != nil {
		return nil, err
	}
	arguments := orEmpty(d.arguments)
	var put func(v any) any
	put = func(v any) any {
		switch v := v.(type) {
		case string:
			if v == "${arguments}" {
				return copied(arguments)
			}
			return strings.NewReplacer("${tool}", d.tool, "${outcome}", d.outcome).Replace(v)
		case []any:
			for i := range v {
				v[i] = put(v[i])
			}
		case object:
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
		return strings.NewReplacer("${tool}", quoted(d.tool), "${outcome}", quoted(d.outcome), `"${arguments}"`, string(raw), "${arguments}", string(raw)).Replace(text), nil
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

// reasonOf is why a target is blocked, without what would unblock it.
func reasonOf(err error) string {
	if stop, ok := errors.AsType[*scenarios.Stop](err); ok {
		return stop.Reason
	}
	return err.Error()
}

// isBlocked says whether an error is no more than something that the target does not offer.
func isBlocked(err error) bool {
	var stop *scenarios.Stop
	return errors.As(err, &stop) && stop.Verdict == scenarios.Blocked
}
