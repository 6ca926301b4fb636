package host

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/model"
)

// Decision is one that the plugin is to take.
type Decision = model.Decision

// Call is the decision to ask for a tool.
func Call(tool string, arguments Object) Decision {
	return Decision{Kind: model.Call, Tool: tool, Arguments: arguments}
}

// Done is the decision that the goal is reached.
func Done(outcome string) Decision { return Decision{Kind: model.Done, Outcome: outcome} }

// Reframe is the decision to give up the plan for another.
var Reframe = Decision{Kind: model.Reframe}

// Plan is a way to have the plugin take decisions: what its requests, its start and its results must hold. The zero
// Plan leaves the plugin to itself.
type Plan struct {
	Via     string     // the seam
	Context Object     // of the start
	Model   *MockModel // nil unless a model is asked

	config  Object
	env     map[string]string
	results map[int]Object // what a result must hold, by its number from 1
}

// Lay puts the plan into a job.
func (p *Plan) Lay(j Job) Job {
	j.Config = merged(p.config, j.Config)
	j.Env = merged(p.env, j.Env)
	return j
}

// merged returns both maps in a new one; the second wins.
func merged[M ~map[string]V, V any](first, second M) M {
	out := M{}
	maps.Copy(out, first)
	maps.Copy(out, second)
	return out
}

// Body returns what result n, counted from 1, must hold, over the usual body.
func (p *Plan) Body(n int, usual Object) Object {
	maps.Copy(usual, p.results[n])
	return usual
}

// Close stops what was served for the plan.
func (p *Plan) Close() {
	if p.Model != nil {
		p.Model.close()
	}
}

// Steer is [Plugin.TrySteer] for a drive that needs the decisions: it ends as blocked when no seam can say them.
func (p *Plugin) Steer(ctx context.Context, decisions ...Decision) *Plan {
	return scenarios.Get(p.TrySteer(ctx, decisions...))
}

// TrySteer has the plugin take these decisions, by the first seam of its profile that can say them: a script in its
// config, hints in what it is handed, or a model that we serve. The caller closes the plan. If no seam can say them,
// the plan is empty and the error a [scenarios.Block] that names what would unblock it.
func (p *Plugin) TrySteer(ctx context.Context, decisions ...Decision) (*Plan, error) {
	seams := p.Profile.Seams
	if seams == nil {
		return &Plan{}, unsteered("/profile/seams is absent")
	}
	var ways []func() (*Plan, error)
	if s := seams.ScriptedConfig; s != nil {
		ways = append(ways, func() (*Plan, error) { return scripted(s, decisions) })
	}
	if s := seams.ContextSteering; s != nil {
		ways = append(ways, func() (*Plan, error) { return hinted(s, decisions) })
	}
	if s := seams.MockLlm; s != nil {
		ways = append(ways, func() (*Plan, error) { return serveModel(ctx, s, decisions) })
	}
	var why []string
	for _, way := range ways {
		plan, err := way()
		if err == nil {
			return plan, nil
		}
		why = append(why, err.Error())
	}
	return &Plan{}, unsteered(strings.Join(why, "; "))
}

// unsteered says that the plugin's decisions cannot be steered.
func unsteered(why string) error {
	return scenarios.Block("its decisions cannot be steered: "+why, "declare a decision seam in "+ProfileName+
		": scripted_config, context_steering or mock_llm, with what the scenario asks for")
}

// ReasonOf returns why a target is blocked, without what would unblock it.
func ReasonOf(err error) string {
	if stop, ok := errors.AsType[*scenarios.Stop](err); ok {
		return stop.Reason
	}
	return err.Error()
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
		filled, err := fill(template, d)
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

// Hint returns the member of a result that names the next tool in the profile's words; nil when it has no words for
// that.
func (p *Plugin) Hint(tool string) Object {
	seam := p.Profile.Seams.ContextSteering
	if seam == nil || len(seam.NextTool) == 0 {
		return nil
	}
	filled, err := fill(seam.NextTool, Call(tool, nil))
	if err != nil {
		scenarios.End(unsteered("/profile/seams/context_steering/next_tool: " + err.Error()))
	}
	hint, _ := filled.(Object)
	return hint
}

// Worded returns a decision in the words of a profile.
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
	filled, err := fill(template, d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return filled, nil
}

// commandMark is where a template takes the command of a tool.
const commandMark = "${command}"

// SaysCommands reports whether a script can choose the command of a tool: the template in the profile has a place for it.
func (p *Plugin) SaysCommands() bool {
	seams := p.Profile.Seams
	return seams != nil && seams.ScriptedConfig != nil && bytes.Contains(seams.ScriptedConfig.Decisions.CallTool, []byte(commandMark))
}

// fill puts a decision into a template.
func fill(template json.RawMessage, d Decision) (any, error) {
	var v any
	if err := Decode(template, &v); err != nil {
		return nil, err
	}
	arguments, command := OrEmpty(d.Arguments), cmp.Or(d.Command, "handle")
	var put func(v any) any
	put = func(v any) any {
		switch v := v.(type) {
		case string:
			if v == "${arguments}" {
				return Clone(arguments)
			}
			return strings.NewReplacer("${tool}", d.Tool, commandMark, command, "${outcome}", d.Outcome).Replace(v)
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
	text, isText := v.(string)
	if !isText {
		return put(v), nil
	}
	// A template that is a single text may hold JSON: names enter it as JSON escapes them.
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	return strings.NewReplacer("${tool}", quoted(d.Tool), commandMark, quoted(command), "${outcome}", quoted(d.Outcome),
		`"${arguments}"`, string(raw), "${arguments}", string(raw)).Replace(text), nil
}

// quoted returns a text as it stands inside the quotes of JSON.
func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(raw[1 : len(raw)-1])
}
