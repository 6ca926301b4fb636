package surface

import (
	"context"
	"errors"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/goal"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// escalatesFrom is the version of the execution model from which on a decision below the floor waits for a person.
const escalatesFrom = 2

// hasGoals refuses what concerns goals where there are none: then there is nothing at their paths (RFC 0097).
func (h *Host) hasGoals() error {
	if !h.keepsGoals() {
		return refusal.New(codeNotFound, "this host keeps no goals: discovery has no agents.goals")
	}
	return nil
}

// keepsGoals tells whether there are goals here.
func (h *Host) keepsGoals() bool {
	return h.rules.Claims.Serves(rules.ServesGoals, h.claimed[claimGoals])
}

// ownGoals are those of who asks: every tenant has its own.
func (h *Host) ownGoals(ctx context.Context) *goal.Goals { return h.goals[tenantOf(ctx)] }

// goalsWith are those that a goal is among, as far as an operation on it finds it: those of who asks.
func (h *Host) goalsWith(ctx context.Context, operation, id string) (*goal.Goals, error) {
	tenant, err := h.keeper(ctx, operation, func(tenant string) bool {
		_, err := h.goals[tenant].Get(ctx, id)
		return err == nil
	})
	return h.goals[tenant], err
}

// hasGoalsSeam refuses what is ours about goals where it is left off.
func (h *Host) hasGoalsSeam() error {
	if !h.claimed[claimGoals] || !h.claimed[claimGoalsSeam] {
		return refusal.New(codeNotFound, "this host does not offer the seam of goals")
	}
	return nil
}

// ListGoals serves the goals, all or those in one state.
func (h *Host) ListGoals(ctx context.Context, req openwopv1.ListGoalsRequestObject) (openwopv1.ListGoalsResponseObject, error) {
	if err := h.hasGoals(); err != nil {
		return nil, err
	}
	goals, err := h.ownGoals(ctx).List(ctx, given(req.Params.State))
	if err != nil {
		return nil, err
	}
	for _, tenant := range h.among(ctx, opListGoals) {
		more, err := h.goals[tenant].List(ctx, given(req.Params.State))
		if err != nil {
			return nil, err
		}
		goals = append(goals, more...)
	}
	return openwopv1.ListGoals200JSONResponse{Goals: goals}, nil
}

// CreateGoal sets up a goal.
func (h *Host) CreateGoal(ctx context.Context, req openwopv1.CreateGoalRequestObject) (openwopv1.CreateGoalResponseObject, error) {
	if err := h.hasGoals(); err != nil {
		return nil, err
	}
	made, err := h.ownGoals(ctx).Create(ctx, goal.Create{
		ID:           chosenID(ctx),
		Objective:    req.Body.Objective,
		Completion:   req.Body.Completion,
		Continuation: req.Body.Continuation,
		Bounds:       given(req.Body.Bounds),
	})
	if err != nil {
		return nil, boundless(err)
	}
	return openwopv1.CreateGoal200JSONResponse{Body: made}, nil
}

// boundless gives the refusal of a goal without bounds the status that the protocol wants for it. Everything else that is
// wrong with a body is 400, so that the two can be told apart.
func boundless(err error) error {
	refused := (*refusal.Error)(nil)
	if !errors.As(err, &refused) || refused.Code != goal.CodeUnbounded {
		return err
	}
	return &refusal.Error{Code: codeValidation, Message: refused.Message, Details: refused.Details, Unprocessable: true}
}

// GetGoal serves a goal as it stands.
func (h *Host) GetGoal(ctx context.Context, req openwopv1.GetGoalRequestObject) (openwopv1.GetGoalResponseObject, error) {
	if err := h.hasGoals(); err != nil {
		return nil, err
	}
	goals, err := h.goalsWith(ctx, opGetGoal, req.GoalID)
	if err != nil {
		return nil, err
	}
	got, err := goals.Get(ctx, req.GoalID)
	if err != nil {
		return nil, err
	}
	return openwopv1.GetGoal200JSONResponse(got), nil
}

// EditGoal changes a goal while it is active. A state is nothing that its body can hold.
func (h *Host) EditGoal(ctx context.Context, req openwopv1.EditGoalRequestObject) (openwopv1.EditGoalResponseObject, error) {
	if err := h.hasGoals(); err != nil {
		return nil, err
	}
	goals, err := h.goalsWith(ctx, opEditGoal, req.GoalID)
	if err != nil {
		return nil, err
	}
	edited, err := goals.Edit(ctx, req.GoalID, goal.Edit{
		Objective:    req.Body.Objective,
		Completion:   req.Body.Completion,
		Continuation: req.Body.Continuation,
	})
	if err != nil {
		return nil, err
	}
	return openwopv1.EditGoal200JSONResponse{Body: edited}, nil
}

// PauseGoal lets no run follow.
func (h *Host) PauseGoal(ctx context.Context, req openwopv1.PauseGoalRequestObject) (openwopv1.PauseGoalResponseObject, error) {
	if err := h.hasGoals(); err != nil {
		return nil, err
	}
	goals, err := h.goalsWith(ctx, opPauseGoal, req.GoalID)
	if err != nil {
		return nil, err
	}
	paused, err := goals.Pause(ctx, req.GoalID)
	if err != nil {
		return nil, err
	}
	return openwopv1.PauseGoal200JSONResponse{Body: paused}, nil
}

// ResumeGoal lets runs follow again. The protocol does not say how a goal leaves escalated: here it does by this, once
// somebody has answered the run that is stuck.
func (h *Host) ResumeGoal(ctx context.Context, req openwopv1.ResumeGoalRequestObject) (openwopv1.ResumeGoalResponseObject, error) {
	if err := h.hasGoals(); err != nil {
		return nil, err
	}
	goals, err := h.goalsWith(ctx, opResumeGoal, req.GoalID)
	if err != nil {
		return nil, err
	}
	ctx, cancel := h.waiting(ctx)
	defer cancel()
	resumed, err := goals.ReArm(ctx, req.GoalID)
	if err != nil {
		return nil, err
	}
	return openwopv1.ResumeGoal200JSONResponse{Body: resumed}, nil
}

// AbandonGoal gives a goal up.
func (h *Host) AbandonGoal(ctx context.Context, req openwopv1.AbandonGoalRequestObject) (openwopv1.AbandonGoalResponseObject, error) {
	if err := h.hasGoals(); err != nil {
		return nil, err
	}
	goals, err := h.goalsWith(ctx, opAbandonGoal, req.GoalID)
	if err != nil {
		return nil, err
	}
	abandoned, err := goals.Abandon(ctx, req.GoalID)
	if err != nil {
		return nil, err
	}
	return openwopv1.AbandonGoal200JSONResponse{Body: abandoned}, nil
}

// ListGoalEvents is a seam of ours: the protocol names the events of a goal and gives them no home.
func (h *Host) ListGoalEvents(ctx context.Context,
	req openwopv1.ListGoalEventsRequestObject) (openwopv1.ListGoalEventsResponseObject, error) {
	if err := h.hasGoalsSeam(); err != nil {
		return nil, err
	}
	goals, err := h.goalsWith(ctx, opGoalEvents, req.GoalID)
	if err != nil {
		return nil, err
	}
	events, err := goals.Events(ctx, req.GoalID)
	if err != nil {
		return nil, err
	}
	return openwopv1.ListGoalEvents200JSONResponse{Events: events}, nil
}

// TickGoal is a seam of ours: it fires the next run of a goal. What the judge then finds, it finds in that run.
func (h *Host) TickGoal(ctx context.Context, req openwopv1.TickGoalRequestObject) (openwopv1.TickGoalResponseObject, error) {
	if err := h.hasGoalsSeam(); err != nil {
		return nil, err
	}
	tick, err := h.tickOf(*req.Body)
	if err != nil {
		return nil, err
	}
	goals, err := h.goalsWith(ctx, opTickGoal, req.GoalID)
	if err != nil {
		return nil, err
	}
	ctx, cancel := h.waiting(ctx)
	defer cancel()
	done, err := goals.Tick(ctx, req.GoalID, tick)
	if err != nil {
		return nil, err
	}
	return openwopv1.TickGoal200JSONResponse{Goal: done.Goal, RunID: done.RunID, Events: done.Events}, nil
}

// tickOf reads what is asked for, and refuses what no run here could do.
func (h *Host) tickOf(ask openwopv1.GoalTickRequest) (goal.Tick, error) {
	tick := goal.Tick{Verdict: ask.Verdict, Escalate: given(ask.Escalate), CostUSD: given(ask.CostUSD), ElapsedMs: given(ask.ElapsedMs)}
	if tick.Escalate && h.version() < escalatesFrom {
		return tick, refusal.New(codeCapability, "a run of this host does not wait for a person: leave escalate off",
			"field", "escalate", "requiredCapability", "multiAgent.executionModel", "version", escalatesFrom)
	}
	return tick, nil
}

// FireCommitment has the goals that go on by a commitment fire a run each (RFC 0068, RFC 0097). Nothing here has conditions
// of its own to look at: that one holds is what the call says. Those that fall due by time need no call.
func (h *Host) FireCommitment(ctx context.Context,
	req openwopv1.FireCommitmentRequestObject) (openwopv1.FireCommitmentResponseObject, error) {
	if !h.claimed[claimCommitments] {
		return nil, refusal.New(codeNotFound, "this host has no commitments")
	}
	ctx, cancel := h.waiting(ctx)
	defer cancel()
	id := req.Body.CommitmentID
	fulfilled, err := h.ownGoals(ctx).Fulfil(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("fire commitment %q: %w", id, err)
	}
	events := make([]openwopv1.CommitmentFired, len(fulfilled))
	for i, f := range fulfilled {
		events[i] = openwopv1.CommitmentFired{Type: openwopv1.CommitmentFiredTypeCommitmentFired, Payload: openwopv1.CommitmentFiring{
			CommitmentID: id, MemoryRef: f.GoalID, Condition: openwopv1.CommitmentFiringConditionPredicate, EnqueuedRunID: f.RunID,
		}}
	}
	return openwopv1.FireCommitment200JSONResponse{CommitmentID: id, Events: events}, nil
}
