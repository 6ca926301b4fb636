package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/simhost/agenticloop/rules"
)

const defaultCommand = "handle"

// What a planner may decide at most.
const (
	maxArgumentBytes = 16 << 10
	maxOutcomeBytes  = 4 << 10
	maxPlans         = 8 // that are given up in one turn
)

// reserved are the members of a request's payload that are the agent's own.
var reserved = []string{"run_id", "step", "tool", "tool_command", "tool_payload", "requested_at", "previous"}

// decide asks the planner what comes next, and sees to it.
func (t *turn) decide(ctx context.Context, r *run, given object) error {
	for plans := 0; ; plans++ {
		d, err := t.chosen().Decide(ctx, t.situation(r, given, plans > 0))
		if err != nil {
			return err
		}
		if (d.Action == Done || d.Action == Refuse) && !t.rules.Steps.Finished() {
			d = Decision{Action: CallTool, Tool: t.kept.Tool}
		}
		switch d.Action {
		case CallTool:
			return t.call(r, d, plans > 0)
		case Done:
			return t.complete(r, d)
		case Reframe:
			if !t.rules.Steps.Reframes(r.Reframes, r.MaxReframes) || plans == maxPlans {
				return t.escalate(r, "max_reframes_exceeded")
			}
			r.Reframes = t.rules.Steps.Reframed(r.Reframes)
		case Refuse:
			t.warn("the planner knows no next step: %s", quote(d.Reason))
			return t.escalate(r, "no_next_action")
		default:
			t.warn("the planner's decision cannot be understood: its action is %s", quote(d.Action))
			return t.escalate(r, "no_next_action")
		}
	}
}

// chosen is the planner that the config names, unless the agent has one.
func (t *turn) chosen() Planner {
	c := t.request.config
	switch {
	case t.planner != nil:
		return t.planner
	case c.planner == scriptedPlanner:
		return script(c.script)
	case c.planner == modelPlanner:
		return &model{config: c.model, client: t.client, rules: t.rules.Model, now: t.now}
	}
	return steered{first: c.tool}
}

func (t *turn) situation(r *run, given object, reframed bool) Situation {
	s := Situation{RunID: t.id, Goal: r.Goal, Context: given, Decisions: r.decisions(), Step: r.Step, Reframed: reframed,
		Deadline: t.request.deadline}
	for _, tool := range t.request.config.allowed {
		if t.forbidden(tool, rules.Moment{First: r.Step == 0, Reframed: reframed}) == "" && !slices.Contains(s.Tools, tool) {
			s.Tools = append(s.Tools, tool)
		}
	}
	for _, n := range r.Notes {
		if !slices.Contains(s.Used, n.Tool) {
			s.Used = append(s.Used, n.Tool)
		}
		s.Before = append(s.Before, fmt.Sprintf("step %d, %s: %s", n.Step, n.Tool, described(n)))
	}
	if t.found != nil {
		s.Last = &Found{Step: t.kept.Step, Tool: t.kept.Tool, Text: rules.Cut(t.found.text, rules.ExcerptBytes),
			Artifact: t.kept.Artifact, Members: t.found.members}
	}
	return s
}

func described(n note) string {
	switch {
	case n.Text != "":
		return n.Text
	case n.Artifact != "":
		return "in " + n.Artifact
	}
	return "too long to be kept"
}

// forbidden is why a tool may not be called, "" for one that may.
func (t *turn) forbidden(tool string, at rules.Moment) string {
	switch {
	case !t.rules.Tools.Named(tool):
		return "tool_name_not_valid"
	case t.rules.Tools.Itself(tool, t.name):
		return "tool_is_the_agent"
	case t.rules.Tools.Allowed(tool, t.request.config.allowed, at):
		return ""
	case at.First:
		return "tool_not_allowed"
	}
	return "followup_tool_not_allowed"
}

// call takes the next step. reframed: the plan was given up for another one in this turn.
func (t *turn) call(r *run, d Decision, reframed bool) error {
	if d.Command == "" {
		d.Command = defaultCommand
	}
	arguments, err := json.Marshal(d.Arguments)
	reason := t.forbidden(d.Tool, rules.Moment{First: r.Step == 0, Reframed: reframed})
	switch {
	case reason != "":
		return t.escalate(r, reason)
	case err != nil || len(arguments) > maxArgumentBytes || len(d.Command) > 64:
		return t.escalate(r, "arguments_too_long")
	case t.rules.Steps.Spent(r.Step, r.MaxSteps):
		return t.escalate(r, "max_steps_exceeded")
	}
	r.Step = t.rules.Steps.Next(r.Step)
	r.Attempt = 1
	r.Asked = &asked{Command: d.Command, Arguments: d.Arguments}
	return t.ask(r, d.Tool)
}

// ask asks for the step that the run is at, and has the gateway keep that it is pending, in one and the same answer.
func (t *turn) ask(r *run, tool string) error {
	r.PendingStep, r.PendingTool = r.Step, tool
	r.PendingSince = t.at.Format(time.RFC3339Nano)
	payload, err := t.payload(r, r.PendingSince)
	if err != nil {
		return err
	}
	r.Asked.Digest = digest(payload)
	if err := t.emit(requestType+tool, t.key(r), payload); err != nil {
		return err
	}
	t.summary = fmt.Sprintf("asked %s for step %d of run %s", tool, r.Step, t.id)
	t.plan = fmt.Sprintf("Step %d, try %d: %s %s, pending.", r.Step, r.Attempt, tool, r.Asked.Command)
	t.did = append(t.did, traced{Did: "asked", Step: r.Step, Tool: tool, Attempt: r.Attempt})
	return t.commit(r)
}

// key is the dedupe key of the request for the step that the run is at.
func (t *turn) key(r *run) string {
	key := fmt.Sprintf("agentic:run:%s:step:%d:request", t.id, r.Step)
	if t.request.config.keyTries && r.Attempt > 0 {
		key += fmt.Sprintf(":attempt:%d", r.Attempt)
	}
	return key
}

// payload is the request for the pending step. What the agent itself has to say always wins over arguments.
func (t *turn) payload(r *run, requestedAt string) (object, error) {
	arguments, how := r.Asked.Arguments, t.request.config.arguments
	payload := object{}
	if how != nestedArguments {
		for name, value := range arguments {
			if slices.Contains(reserved, name) {
				t.warn("the argument %s is left out: its name is the agent's own", name)
				continue
			}
			payload[name] = value
		}
	}
	if how != flatArguments {
		nested := arguments
		if nested == nil {
			nested = object{}
		}
		raw, err := json.Marshal(nested)
		if err != nil {
			return nil, fmt.Errorf("encode the arguments: %w", err)
		}
		payload["tool_payload"] = raw
	}
	for name, value := range map[string]any{"run_id": t.id, "step": r.PendingStep, "tool": r.PendingTool, "tool_command": r.Asked.Command,
		"requested_at": requestedAt, "previous": t.previous(r)} {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("encode %s of the request: %w", name, err)
		}
		if !isNull(raw) {
			payload[name] = raw
		}
	}
	return payload, nil
}

// previous is what the step before found, as it is handed to the next tool: the path of what holds it, and how it begins.
type previous struct {
	Step     int64  `json:"step"`
	Tool     string `json:"tool"`
	Artifact string `json:"artifact_path,omitempty"`
	Excerpt  string `json:"excerpt,omitempty"`
}

// previous comes from the result at hand; later, when the same request is made again, from what was kept of it.
func (t *turn) previous(r *run) *previous {
	if len(r.Notes) == 0 {
		return nil
	}
	n := r.Notes[len(r.Notes)-1]
	text := n.Text
	switch {
	case t.kept.Step == n.Step && t.found != nil && t.found.ok:
		text = t.found.text
	case text == "" && n.Artifact != "":
		if kept, err := t.files.read(n.Artifact, rules.ExcerptBytes+4); err == nil {
			text = string(kept)
		}
	}
	return &previous{Step: n.Step, Tool: n.Tool, Artifact: n.Artifact, Excerpt: t.rules.Requests.Excerpt(text)}
}
