package agent

import (
	"fmt"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// complete ends a run that reached its goal.
func (t *turn) complete(r *run, d Decision) error {
	t.end(r, agenticloopv2.RunStatusDone, "")
	if err := t.tell(r, d); err != nil {
		return err
	}
	t.summary = fmt.Sprintf("run %s is done after %d steps", t.id, r.taken())
	t.plan = "Done."
	t.did = append(t.did, traced{Did: "completed"})
	return t.commit(r)
}

// escalate gives a run up.
func (t *turn) escalate(r *run, reason string) error {
	reason = t.rules.Steps.Reason(reason, t.at)
	if err := t.tellGivenUp(r, reason); err != nil {
		return err
	}
	t.end(r, agenticloopv2.RunStatusEscalated, reason)
	t.summary = fmt.Sprintf("run %s is given up: %s", t.id, reason)
	t.warn("run %s is given up: %s", t.id, reason)
	t.plan = "Given up: " + reason + "."
	t.did = append(t.did, traced{Did: "escalated", Reason: reason})
	return t.commit(r)
}

// end gives a run its last status.
func (t *turn) end(r *run, status agenticloopv2.RunStatus, reason string) {
	r.Status = t.rules.Ends.Status(status, reason)
	if t.rules.Ends.Clears(status) {
		r.PendingStep, r.PendingTool, r.PendingSince = 0, "", ""
	}
	r.Asked = nil
}

// tell tells that a run reached its goal.
func (t *turn) tell(r *run, d Decision) error {
	outcome := d.Outcome
	if outcome == "" {
		outcome = fmt.Sprintf("reached after %d steps", r.taken())
	}
	p := agenticloopv2.CompletedPayload{RunID: t.id, Goal: r.Goal, Outcome: rules.Cut(outcome, maxOutcomeBytes), StepsTaken: r.taken()}
	for _, file := range r.Artifacts {
		if t.files.has(file) {
			p.Artifacts = append(p.Artifacts, file)
		}
	}
	if !t.rules.Ends.Tells(agenticloopv2.RunStatusDone, "") {
		return nil
	}
	return t.emit(doneType, fmt.Sprintf("agentic:run:%s:completed", t.id), t.rules.Ends.Completed(p, t.request.workspace))
}

// retell tells the end of a run that has ended before.
func (t *turn) retell(r *run) error {
	if r.Status == agenticloopv2.RunStatusDone {
		return t.tell(r, Decision{})
	}
	return t.tellGivenUp(r, "ended")
}

// tellGivenUp tells that a run was given up.
func (t *turn) tellGivenUp(r *run, reason string) error {
	p := rules.GivenUp{RunID: t.id, Reason: reason}
	if t.found != nil {
		p.ExpectedStep, p.ExpectedTool = r.PendingStep, r.PendingTool
		p.ActualStep, p.ActualTool = t.found.Step, rules.Cut(t.found.Tool, 64)
	}
	if !t.rules.Ends.Tells(agenticloopv2.RunStatusEscalated, reason) {
		return nil
	}
	return t.emit(givenUpType, fmt.Sprintf("agentic:run:%s:escalated", t.id), t.rules.Ends.GivenUp(p))
}
