package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// resume takes a result, in the order of the text's rules.
func (t *turn) resume(ctx context.Context, found *result) error {
	t.found = found
	t.id = found.runID
	r, known, err := t.load(t.id)
	if err != nil {
		return err
	}
	verdict := t.rules.Resume.Finds(rules.Standing{Known: known, Status: r.Status, LastStep: r.Step,
		PendingStep: r.PendingStep, PendingTool: r.PendingTool, Step: found.step, Tool: found.tool})
	switch verdict {
	case rules.UnknownRun:
		t.ignore(agenticloopv2.LogLevelWarn, "a result for run %s, which there is not", quote(found.runID))
		return nil
	case rules.EndedRun:
		t.ignore(agenticloopv2.LogLevelInfo, "a result for run %s, which has ended", t.id)
		return nil
	case rules.StaleStep:
		if found.step == r.PendingStep-1 {
			return t.again(r, "a result for step %d of run %s, which was taken", found.step, t.id)
		}
		t.ignore(agenticloopv2.LogLevelInfo, "a result for step %d of run %s, which is at step %d", found.step, t.id, r.Step)
		return nil
	case rules.Failed:
		return refuse("a result for step %d, and step %d is pending", found.step, r.PendingStep)
	}
	if verdict == rules.Match && found.unclear != nil {
		return found.unclear
	}
	t.openFiles()
	switch {
	case verdict == rules.FutureStep:
		return t.escalate(r, "step_mismatch")
	case verdict == rules.WrongTool:
		return t.escalate(r, "pending_tool_mismatch")
	case !found.ok:
		return t.retry(r)
	case !t.rules.Resume.Goes(t.request.workspace):
		t.ignore(agenticloopv2.LogLevelInfo, "a result for run %s, of which there are no files", t.id)
		return nil
	}
	if err := t.take(r, found); err != nil {
		return err
	}
	return t.decide(ctx, r, membersOf(r.Context))
}

// take notes what a step found. What is long becomes a file, where there is a workspace; the state never holds it.
func (t *turn) take(r *run, found *result) error {
	r.Taken = r.taken() + 1
	if !slices.Contains(r.CompletedSteps, found.step) {
		r.CompletedSteps = append(r.CompletedSteps, found.step)
	}
	n := note{Step: found.step, Tool: found.tool, Text: t.rules.State.Keeps(found.text), Artifact: found.file}
	if n.Artifact == "" && n.Text != found.text && t.files != nil {
		file, err := t.files.artifact(fmt.Sprintf("step-%02d-%s.txt", found.step, found.tool), found.text)
		if err != nil {
			t.warn("what step %d found cannot be kept as a file: is there room, and may the agent write?", found.step)
		} else {
			n.Artifact = file
		}
	}
	if t.files.has(n.Artifact) && !slices.Contains(r.Artifacts, n.Artifact) {
		r.Artifacts = append(r.Artifacts, n.Artifact)
	}
	r.Notes = append(r.Notes, n)
	r.Notes = r.Notes[max(0, len(r.Notes)-maxNotes):]
	t.kept = n
	return nil
}

// retry asks for the step that failed again, as often as the operator allows.
func (t *turn) retry(r *run) error {
	if !t.rules.Steps.Retries(r.Attempt, t.request.config.maxRetries) {
		return t.escalate(r, "tool_error")
	}
	tool := r.PendingTool
	if reason := t.forbidden(tool, rules.Moment{}); reason != "" {
		return t.escalate(r, reason)
	}
	r.Step = t.rules.Steps.Again(r.PendingStep)
	r.Attempt = t.rules.Steps.Attempt(r.Attempt)
	if r.Asked == nil {
		r.Asked = &asked{Command: defaultCommand} // a state that another agent made
	}
	return t.ask(r, tool)
}

// digest names a payload.
func digest(payload map[string]json.RawMessage) string {
	raw, err := json.Marshal(payload)
	if err != nil {
		return ""
	}
	return rules.RunID("payload", string(raw))
}
