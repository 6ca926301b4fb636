package agent

import (
	"fmt"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// complete ends a run that reached its goal.
func (t *turn) complete(r *run, d Decision) error {
	end(r, agenticloopv2.RunStatusDone)
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
	if err := t.tellGivenUp(r, reason); err != nil {
		return err
	}
	end(r, agenticloopv2.RunStatusEscalated)
	t.summary = fmt.Sprintf("run %s is given up: %s", t.id, reason)
	t.warn("run %s is given up: %s", t.id, reason)
	t.plan = "Given up: " + reason + "."
	t.did = append(t.did, traced{Did: "escalated", Reason: reason})
	return t.commit(r)
}

// end gives a run its last status.
func end(r *run, status agenticloopv2.RunStatus) {
	r.Status = status
	r.PendingStep, r.PendingTool, r.PendingSince = 0, "", ""
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
	return t.emit(doneType, fmt.Sprintf("agentic:run:%s:completed", t.id), p)
}

// givenUp is the payload of agent.escalated.
type givenUp struct {
	RunID        string `json:"run_id"`
	Reason       string `json:"reason"`
	ExpectedStep int64  `json:"expected_step,omitempty"`
	ActualStep   int64  `json:"actual_step,omitempty"`
	ExpectedTool string `json:"expected_tool,omitempty"`
	ActualTool   string `json:"actual_tool,omitempty"`
}

// tellGivenUp tells that a run was given up.
func (t *turn) tellGivenUp(r *run, reason string) error {
	p := givenUp{RunID: t.id, Reason: reason}
	if t.found != nil {
		p.ExpectedStep, p.ExpectedTool = r.PendingStep, r.PendingTool
		p.ActualStep, p.ActualTool = t.found.step, rules.Cut(t.found.tool, 64)
	}
	return t.emit(givenUpType, fmt.Sprintf("agentic:run:%s:escalated", t.id), p)
}
