package hosttest

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/openassay/assay/scenarios/openwop/dialect"
)

// InventedGoals does the bookkeeping of standing goals: it counts ticks, adds up costs and closes goals, but
// starts no runs.
type InventedGoals struct {
	Idle bool // ticks count nothing
	Told bool // a goal takes any state that a client sends

	Verifies bool // a verifier judges, not the host itself

	Mu    sync.Mutex
	Goals []*InventedGoal
}

type InventedGoal struct {
	dialect.Goal
	Paused bool
	Cost   float64
	Events []dialect.GoalEvent
}

// Routes returns the endpoints of these goals.
func (g *InventedGoals) Routes() Routes {
	const home = "/v1/host/sample/goals"
	return Routes{
		"GET " + home:                   g.list,
		"POST " + home:                  g.Create,
		"GET " + home + "/{id}":         g.Of(func(*InventedGoal, map[string]any) bool { return true }),
		"PATCH " + home + "/{id}":       g.Of(g.Edit),
		"POST " + home + "/{id}/pause":  g.Of(func(o *InventedGoal, _ map[string]any) bool { o.Paused = true; return o.Active() }),
		"POST " + home + "/{id}/resume": g.Of(func(o *InventedGoal, _ map[string]any) bool { o.Paused = false; return o.Active() }),
		"POST " + home + "/{id}/abandon": g.Of(func(o *InventedGoal, _ map[string]any) bool {
			if o.Active() {
				o.Close(dialect.GoalStateAbandoned)
			}
			return true
		}),
		"GET " + home + "/{id}/events": g.Find(func(o *InventedGoal, _ map[string]any) (int, any) {
			return http.StatusOK, dialect.GoalEventList{Events: slices.Clone(o.Events)}
		}),
		"POST " + home + "/{id}/tick": g.Find(g.Tick),
	}
}

// Find calls then with one goal, after closing it if its deadline has passed.
func (g *InventedGoals) Find(then func(*InventedGoal, map[string]any) (int, any)) Answer {
	return func(r *http.Request, body map[string]any) (int, any) {
		g.Mu.Lock()
		defer g.Mu.Unlock()
		i := slices.IndexFunc(g.Goals, func(o *InventedGoal) bool { return o.ID == r.PathValue("id") })
		if i < 0 {
			return Refused(http.StatusNotFound, "not_found")
		}
		o := g.Goals[i]
		if d := o.Bounds.RunTimeoutMs; d != nil && o.Active() && time.Since(o.CreatedAt) > time.Duration(*d)*time.Millisecond {
			o.Close(dialect.GoalStateBoundExceeded)
		}
		return then(o, body)
	}
}

// Of returns the goal after a change, or refuses the change.
func (g *InventedGoals) Of(change func(*InventedGoal, map[string]any) bool) Answer {
	return g.Find(func(o *InventedGoal, body map[string]any) (int, any) {
		if !change(o, body) {
			return Refused(http.StatusConflict, "goal_closed")
		}
		return http.StatusOK, o.Goal
	})
}

func (g *InventedGoals) list(r *http.Request, _ map[string]any) (int, any) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	list := dialect.GoalList{Goals: []dialect.Goal{}}
	for _, o := range g.Goals {
		if state := r.URL.Query().Get("state"); state == "" || state == string(o.State) {
			list.Goals = append(list.Goals, o.Goal)
		}
	}
	return http.StatusOK, list
}

func (g *InventedGoals) Create(_ *http.Request, body map[string]any) (int, any) {
	ask, err := read[dialect.CreateGoalRequest](body)
	state, claimed := body["state"].(string)
	switch {
	case err != nil || ask.Completion.Check != g.judge() || ask.Continuation.Mode != dialect.GoalContinuationModeManual:
		return Refused(http.StatusBadRequest, "validation_error")
	case ask.Bounds == nil || *ask.Bounds == (dialect.GoalBounds{}):
		return Refused(http.StatusUnprocessableEntity, "validation_error")
	case cannotBe(*ask.Bounds):
		return Refused(http.StatusBadRequest, "validation_error")
	case claimed && !g.Told:
		return Refused(http.StatusBadRequest, "validation_error")
	case !claimed:
		state = string(dialect.GoalStateActive)
	}
	g.Mu.Lock()
	defer g.Mu.Unlock()
	o := &InventedGoal{Goal: dialect.Goal{
		ID: fmt.Sprint("g-", len(g.Goals)+1), Objective: ask.Objective, State: dialect.GoalState(state),
		Completion: dialect.GoalCompletion{Check: ask.Completion.Check}, Continuation: ask.Continuation, Bounds: *ask.Bounds,
		Progress: &dialect.GoalProgress{Iterations: new(int64)}, Owner: dialect.RunOwner{Tenant: "t-1"}, CreatedAt: time.Now(),
	}}
	g.Goals = append(g.Goals, o)
	return http.StatusOK, o.Goal
}

func (g *InventedGoals) judge() dialect.GoalCheck {
	if g.Verifies {
		return dialect.GoalCheckVerifier
	}
	return dialect.GoalCheckHost
}

func cannotBe(b dialect.GoalBounds) bool {
	return b.MaxLoopIterations != nil && *b.MaxLoopIterations < 1 || b.RunTimeoutMs != nil && *b.RunTimeoutMs < 0 ||
		b.MaxCostUSD != nil && *b.MaxCostUSD < 0
}

func (g *InventedGoals) Edit(o *InventedGoal, body map[string]any) bool {
	state, claimed := body["state"].(string)
	if claimed && g.Told {
		o.State = dialect.GoalState(state)
		return true
	}
	if claimed || !o.Active() {
		return false
	}
	if objective, ok := body["objective"].(string); ok {
		o.Objective = objective
	}
	return true
}

// Tick counts one more run that never existed. It copies what replies share, since others may read it
// concurrently.
func (g *InventedGoals) Tick(o *InventedGoal, body map[string]any) (int, any) {
	if !o.Active() || o.Paused || g.Idle {
		return http.StatusOK, dialect.GoalTickReply{Goal: o.Goal, Events: []dialect.GoalEvent{}}
	}
	ask, before := as[dialect.GoalTickRequest](body), len(o.Events)
	id := fmt.Sprintf("%s-run-%d", o.ID, len(o.Progress.ContributingRunIds)+1)
	o.Progress = &dialect.GoalProgress{Iterations: o.Progress.Iterations,
		ContributingRunIds: append(slices.Clone(o.Progress.ContributingRunIds), id)}
	if ask.Escalate != nil {
		o.Close(dialect.GoalStateEscalated)
	} else {
		o.judge(id, ask)
	}
	return http.StatusOK, dialect.GoalTickReply{Goal: o.Goal, RunID: id, Events: slices.Clone(o.Events[before:])}
}

func (o *InventedGoal) Active() bool { return o.State == dialect.GoalStateActive }

func (o *InventedGoal) judge(runID string, ask dialect.GoalTickRequest) {
	n := *o.Progress.Iterations + 1
	satisfied := ask.Verdict != nil && ask.Verdict.Satisfied
	o.Progress.Iterations = &n
	o.Completion.LastVerdict = &dialect.GoalVerdict{Satisfied: &satisfied, RunID: &runID}
	o.event(dialect.GoalEventTypeGoalEvaluated, map[string]any{"goalId": o.ID, "satisfied": satisfied, "runId": runID, "iterations": n})
	if ask.CostUSD != nil {
		o.Cost += *ask.CostUSD
	}
	switch b := o.Bounds; {
	case satisfied:
		o.Close(dialect.GoalStateSatisfied)
	case b.MaxLoopIterations != nil && n >= *b.MaxLoopIterations, b.MaxCostUSD != nil && o.Cost > *b.MaxCostUSD:
		o.Close(dialect.GoalStateBoundExceeded)
	}
}

func (o *InventedGoal) Close(state dialect.GoalState) {
	o.State = state
	o.event(dialect.GoalEventTypeGoalClosed, map[string]any{"goalId": o.ID, "finalState": state})
}

func (o *InventedGoal) event(kind dialect.GoalEventType, payload map[string]any) {
	o.Events = append(o.Events, dialect.GoalEvent{
		EventID: fmt.Sprintf("%s-e%d", o.ID, len(o.Events)), GoalID: o.ID, Sequence: int64(len(o.Events)), Type: kind,
		Timestamp: time.Now(), Payload: payload,
	})
}
