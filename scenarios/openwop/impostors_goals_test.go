package openwop_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

// inventedGoals does the sums of standing goals: it counts ticks, adds up costs and closes goals, and fires no run.
type inventedGoals struct {
	idle bool // a tick counts nothing
	told bool // a goal is in the state that a client says it is in

	verifies bool // and so the host itself does not judge

	mu    sync.Mutex
	goals []*inventedGoal
}

type inventedGoal struct {
	openwopv1.Goal
	paused bool
	cost   float64
	events []openwopv1.GoalEvent
}

// routes are the answers of these goals.
func (g *inventedGoals) routes() routes {
	const home = "/v1/host/sample/goals"
	return routes{
		"GET " + home:                   g.list,
		"POST " + home:                  g.create,
		"GET " + home + "/{id}":         g.of(func(*inventedGoal, map[string]any) bool { return true }),
		"PATCH " + home + "/{id}":       g.of(g.edit),
		"POST " + home + "/{id}/pause":  g.of(func(o *inventedGoal, _ map[string]any) bool { o.paused = true; return o.active() }),
		"POST " + home + "/{id}/resume": g.of(func(o *inventedGoal, _ map[string]any) bool { o.paused = false; return o.active() }),
		"POST " + home + "/{id}/abandon": g.of(func(o *inventedGoal, _ map[string]any) bool {
			if o.active() {
				o.close(openwopv1.GoalStateAbandoned)
			}
			return true
		}),
		"GET " + home + "/{id}/events": g.find(func(o *inventedGoal, _ map[string]any) (int, any) {
			return http.StatusOK, openwopv1.GoalEventList{Events: slices.Clone(o.events)}
		}),
		"POST " + home + "/{id}/tick": g.find(g.tick),
	}
}

// find answers for one goal, whose deadline may have passed meanwhile.
func (g *inventedGoals) find(then func(*inventedGoal, map[string]any) (int, any)) answer {
	return func(r *http.Request, body map[string]any) (int, any) {
		g.mu.Lock()
		defer g.mu.Unlock()
		i := slices.IndexFunc(g.goals, func(o *inventedGoal) bool { return o.ID == r.PathValue("id") })
		if i < 0 {
			return refused(http.StatusNotFound, "not_found")
		}
		o := g.goals[i]
		if d := o.Bounds.RunTimeoutMs; d != nil && o.active() && time.Since(o.CreatedAt) > time.Duration(*d)*time.Millisecond {
			o.close(openwopv1.GoalStateBoundExceeded)
		}
		return then(o, body)
	}
}

// of answers with the goal after it was changed, or refuses the change.
func (g *inventedGoals) of(change func(*inventedGoal, map[string]any) bool) answer {
	return g.find(func(o *inventedGoal, body map[string]any) (int, any) {
		if !change(o, body) {
			return refused(http.StatusConflict, "goal_closed")
		}
		return http.StatusOK, o.Goal
	})
}

func (g *inventedGoals) list(r *http.Request, _ map[string]any) (int, any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := openwopv1.GoalList{Goals: []openwopv1.Goal{}}
	for _, o := range g.goals {
		if state := r.URL.Query().Get("state"); state == "" || state == string(o.State) {
			list.Goals = append(list.Goals, o.Goal)
		}
	}
	return http.StatusOK, list
}

func (g *inventedGoals) create(_ *http.Request, body map[string]any) (int, any) {
	ask, err := read[openwopv1.CreateGoalRequest](body)
	state, claimed := body["state"].(string)
	switch {
	case err != nil || ask.Completion.Check != g.judge() || ask.Continuation.Mode != openwopv1.GoalContinuationModeManual:
		return refused(http.StatusBadRequest, "validation_error")
	case ask.Bounds == nil || *ask.Bounds == (openwopv1.GoalBounds{}):
		return refused(http.StatusUnprocessableEntity, "validation_error")
	case cannotBe(*ask.Bounds):
		return refused(http.StatusBadRequest, "validation_error")
	case claimed && !g.told:
		return refused(http.StatusBadRequest, "validation_error")
	case !claimed:
		state = string(openwopv1.GoalStateActive)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	o := &inventedGoal{Goal: openwopv1.Goal{
		ID: fmt.Sprint("g-", len(g.goals)+1), Objective: ask.Objective, State: openwopv1.GoalState(state),
		Completion: openwopv1.GoalCompletion{Check: ask.Completion.Check}, Continuation: ask.Continuation, Bounds: *ask.Bounds,
		Progress: &openwopv1.GoalProgress{Iterations: new(int64)}, Owner: openwopv1.RunOwner{Tenant: "t-1"}, CreatedAt: time.Now(),
	}}
	g.goals = append(g.goals, o)
	return http.StatusOK, o.Goal
}

func (g *inventedGoals) judge() openwopv1.GoalCheck {
	if g.verifies {
		return openwopv1.GoalCheckVerifier
	}
	return openwopv1.GoalCheckHost
}

func cannotBe(b openwopv1.GoalBounds) bool {
	return b.MaxLoopIterations != nil && *b.MaxLoopIterations < 1 || b.RunTimeoutMs != nil && *b.RunTimeoutMs < 0 || b.MaxCostUSD != nil && *b.MaxCostUSD < 0
}

func (g *inventedGoals) edit(o *inventedGoal, body map[string]any) bool {
	state, claimed := body["state"].(string)
	if claimed && g.told {
		o.State = openwopv1.GoalState(state)
		return true
	}
	if claimed || !o.active() {
		return false
	}
	if objective, ok := body["objective"].(string); ok {
		o.Objective = objective
	}
	return true
}

// tick is one more run that never was. What a reply shows is made anew, since others read it meanwhile.
func (g *inventedGoals) tick(o *inventedGoal, body map[string]any) (int, any) {
	if !o.active() || o.paused || g.idle {
		return http.StatusOK, openwopv1.GoalTickReply{Goal: o.Goal, Events: []openwopv1.GoalEvent{}}
	}
	ask, before := as[openwopv1.GoalTickRequest](body), len(o.events)
	id := fmt.Sprintf("%s-run-%d", o.ID, len(o.Progress.ContributingRunIds)+1)
	o.Progress = &openwopv1.GoalProgress{Iterations: o.Progress.Iterations, ContributingRunIds: append(slices.Clone(o.Progress.ContributingRunIds), id)}
	if ask.Escalate != nil {
		o.close(openwopv1.GoalStateEscalated)
	} else {
		o.judge(id, ask)
	}
	return http.StatusOK, openwopv1.GoalTickReply{Goal: o.Goal, RunID: id, Events: slices.Clone(o.events[before:])}
}

func (o *inventedGoal) active() bool { return o.State == openwopv1.GoalStateActive }

func (o *inventedGoal) judge(runID string, ask openwopv1.GoalTickRequest) {
	n := *o.Progress.Iterations + 1
	satisfied := ask.Verdict != nil && ask.Verdict.Satisfied
	o.Progress.Iterations = &n
	o.Completion.LastVerdict = &openwopv1.GoalVerdict{Satisfied: &satisfied, RunID: &runID}
	o.event(openwopv1.GoalEventTypeGoalEvaluated, map[string]any{"goalId": o.ID, "satisfied": satisfied, "runId": runID, "iterations": n})
	if ask.CostUSD != nil {
		o.cost += *ask.CostUSD
	}
	switch b := o.Bounds; {
	case satisfied:
		o.close(openwopv1.GoalStateSatisfied)
	case b.MaxLoopIterations != nil && n >= *b.MaxLoopIterations, b.MaxCostUSD != nil && o.cost > *b.MaxCostUSD:
		o.close(openwopv1.GoalStateBoundExceeded)
	}
}

func (o *inventedGoal) close(state openwopv1.GoalState) {
	o.State = state
	o.event(openwopv1.GoalEventTypeGoalClosed, map[string]any{"goalId": o.ID, "finalState": state})
}

func (o *inventedGoal) event(kind openwopv1.GoalEventType, payload map[string]any) {
	o.events = append(o.events, openwopv1.GoalEvent{
		EventID: fmt.Sprintf("%s-e%d", o.ID, len(o.events)), GoalID: o.ID, Sequence: int64(len(o.events)), Type: kind, Timestamp: time.Now(), Payload: payload,
	})
}

// as reads a decoded body as what it is meant to be.
func as[T any](body map[string]any) T {
	v, err := read[T](body)
	if err != nil {
		panic(fmt.Sprintf("an impostor was asked %v: %v", body, err))
	}
	return v
}

func read[T any](body map[string]any) (v T, err error) {
	raw, err := json.Marshal(body)
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	return v, err
}
