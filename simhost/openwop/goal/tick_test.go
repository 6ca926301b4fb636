package goal

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/refusal"
)

func TestATickFiresARunAndHasItJudged(t *testing.T) {
	h := newHost(t)
	id := h.create(within(3))
	h.clock.Advance(time.Second)
	done := h.tick(id, Tick{Verdict: sure(0.25), CostUSD: 0.5})
	evaluated := openwopv1.GoalEvent{
		EventID: id + "-0", GoalID: id, Sequence: 0, Type: "goal.evaluated", Timestamp: epoch.Add(time.Second),
		Payload: map[string]any{"goalId": id, "satisfied": false, "confidence": 0.25, "runId": done.RunID, "iterations": int64(1)},
	}
	if diff := cmp.Diff([]openwopv1.GoalEvent{evaluated}, done.Events); diff != "" {
		t.Errorf("the first tick added (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(&openwopv1.GoalVerdict{Satisfied: new(false), Confidence: new(0.25), RunID: &done.RunID},
		done.Goal.Completion.LastVerdict); diff != "" {
		t.Errorf("the last verdict (-want +got)\n%s", diff)
	}
	if !done.Goal.UpdatedAt.Equal(epoch.Add(time.Second)) {
		t.Errorf("the goal was updated at %s", done.Goal.UpdatedAt)
	}
	fired := h.run(done.RunID)
	if diff := cmp.Diff(map[string]any{"satisfied": false, "confidence": 0.25, "costUsd": 0.5}, fired.Inputs); diff != "" {
		t.Errorf("the inputs of its run (-want +got)\n%s", diff)
	}
	if fired.WorkflowID != workflowWork || fired.Status != "completed" || fired.Owner.Tenant != "local" {
		t.Errorf("its run is %+v", fired)
	}
	last := h.tick(id, Tick{Verdict: yes})
	want := []openwopv1.GoalEvent{{
		EventID: id + "-1", GoalID: id, Sequence: 1, Type: "goal.evaluated", Timestamp: epoch.Add(time.Second),
		Payload: map[string]any{"goalId": id, "satisfied": true, "runId": last.RunID, "iterations": int64(2)},
	}, {
		EventID: id + "-2", GoalID: id, Sequence: 2, Type: "goal.closed", Timestamp: epoch.Add(time.Second),
		Payload: map[string]any{"goalId": id, "finalState": "satisfied"},
	}}
	if diff := cmp.Diff(want, last.Events); diff != "" {
		t.Errorf("the last tick added (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(append([]openwopv1.GoalEvent{evaluated}, want...), h.events(id)); diff != "" {
		t.Errorf("the log (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(&openwopv1.GoalProgress{Iterations: new(int64(2)), ContributingRunIds: []string{done.RunID, last.RunID}},
		last.Goal.Progress); diff != "" {
		t.Errorf("the progress (-want +got)\n%s", diff)
	}
}

func TestEndings(t *testing.T) {
	in := func(ms int64) openwopv1.GoalBounds { return openwopv1.GoalBounds{RunTimeoutMs: &ms} }
	cost := func(usd float64) openwopv1.GoalBounds { return openwopv1.GoalBounds{MaxCostUSD: &usd} }
	for _, row := range []struct {
		name   string
		bounds openwopv1.GoalBounds
		ticks  []Tick
		want   string
	}{
		{"never satisfied", within(3), []Tick{{}, {}, {}}, "false false false bound-exceeded"},
		{"not before the bound", within(3), []Tick{{}, {}}, "false false"},
		{"satisfied at once", within(3), []Tick{{Verdict: yes}}, "true satisfied"},
		{"satisfied in the last run", within(2), []Tick{{}, {Verdict: yes}}, "false true satisfied"},
		{"satisfied and too dear", cost(1), []Tick{{Verdict: yes, CostUSD: 2}}, "true satisfied"},
		{"too dear", cost(1), []Tick{{CostUSD: 0.5}, {CostUSD: 0.75}}, "false false bound-exceeded"},
		{"just what it may cost", cost(1), []Tick{{CostUSD: 0.5}, {CostUSD: 0.5}, {}}, "false false false"},
		{"three times 0.1 is 0.3", cost(0.3), []Tick{{CostUSD: 0.1}, {CostUSD: 0.1}, {CostUSD: 0.1}}, "false false false"},
		{"and a little more is too much", cost(0.3), []Tick{{CostUSD: 0.1}, {CostUSD: 0.1}, {CostUSD: 0.100001}},
			"false false false bound-exceeded"},
		{"for nothing", cost(0), []Tick{{}, {CostUSD: 1e-9}}, "false false bound-exceeded"},
		{"more than a number holds", cost(math.MaxFloat64), []Tick{{CostUSD: math.MaxFloat64}, {CostUSD: math.MaxFloat64}},
			"false false bound-exceeded"},
		{"late", in(1000), []Tick{{}, {Verdict: yes, ElapsedMs: 1001}}, "false bound-exceeded"},
		{"late little by little", in(1000), []Tick{{ElapsedMs: 400}, {ElapsedMs: 600}, {ElapsedMs: 1}}, "false false bound-exceeded"},
		{"no time at all", in(0), []Tick{{}, {ElapsedMs: 1}}, "false bound-exceeded"},
		{"all the time there is", in(math.MaxInt64), []Tick{{ElapsedMs: farOff}}, "false"},
		{"the first bound counts", openwopv1.GoalBounds{MaxLoopIterations: new(int64(5)), MaxCostUSD: new(1.0),
			RunTimeoutMs: new(int64(10))}, []Tick{{CostUSD: 3}}, "false bound-exceeded"},
	} {
		h := newHost(t)
		id := h.create(row.bounds)
		for _, tick := range row.ticks {
			h.tick(id, tick)
		}
		h.expectStory(id, row.want)
		open := !strings.Contains(row.want, "satisfied") && !strings.Contains(row.want, "exceeded")
		if goal := h.get(id); (goal.State == "active") != open {
			t.Errorf("%s: the goal is %s", row.name, goal.State)
		}
		if n := strings.Count(row.want, "false") + strings.Count(row.want, "true"); len(h.runs(id)) != n {
			t.Errorf("%s: %d runs were fired, want %d", row.name, len(h.runs(id)), n)
		}
	}
}

func TestATickThatMakesNoSenseIsRefused(t *testing.T) {
	h := newHost(t)
	id := h.create(within(3))
	h.tick(id, Tick{ElapsedMs: 1000})
	for field, tick := range map[string]Tick{
		"verdict.confidence": {Verdict: sure(1.1)},
		"verdict":            {Escalate: true, Verdict: &openwopv1.ScriptedVerdict{}},
		"costUsd":            {Escalate: true, CostUSD: 1},
		"elapsedMs":          {ElapsedMs: farOff},
	} {
		_, err := h.Tick(h.soon(), id, tick)
		if refused := (*refusal.Error)(nil); !errors.As(err, &refused) || refused.Details["field"] != field {
			t.Errorf("refused with %v, want it about %s", err, field)
		}
	}
	for _, tick := range []Tick{{CostUSD: -1}, {CostUSD: math.Inf(1)}, {CostUSD: math.NaN()}, {ElapsedMs: -1},
		{ElapsedMs: math.MaxInt64}, {Verdict: sure(math.NaN())}} {
		if _, err := h.Tick(h.soon(), id, tick); code(err) != CodeValidation {
			t.Errorf("%+v: %v", tick, err)
		}
	}
	h.expectStory(id, "false")
}

// replaced puts another definition in the place of the workflow of contributing runs.
func replaced(t *testing.T, change func(*openwopv1.WorkflowNode)) func(*host) {
	return func(h *host) {
		work := h.r.Workflows[workflowWork]
		work.Nodes = []openwopv1.WorkflowNode{work.Nodes[0]}
		change(&work.Nodes[0])
		h.r.Workflows[workflowWork] = work
	}
}

func TestTheJudgeReadsTheRun(t *testing.T) {
	says := func(name, value string) func(*openwopv1.WorkflowNode) {
		return func(n *openwopv1.WorkflowNode) {
			n.Inputs = map[string]openwopv1.PortValue{name: openwopv1.StaticPort{Type: "static", Value: json.RawMessage(value)}}
		}
	}
	type found struct {
		story      string
		confidence *float64
	}
	for name, row := range map[string]struct {
		change func(*openwopv1.WorkflowNode)
		tick   Tick
		want   found
	}{
		"it is satisfied, whatever was asked for": {says("satisfied", `true`), Tick{}, found{"true satisfied", nil}},
		"it says nothing of it":                   {says("other", `true`), Tick{Verdict: yes}, found{"false", nil}},
		"it says it in other words":               {says("satisfied", `"true"`), Tick{Verdict: yes}, found{"false", nil}},
		"it is surer than sure":                   {says("confidence", `2`), Tick{Verdict: sure(0.5)}, found{"false", nil}},
		"it is sure":                              {says("confidence", `1`), Tick{}, found{"false", new(1.0)}},
		"it is dear":                              {says("costUsd", `7`), Tick{}, found{"false bound-exceeded", nil}},
		"it gives something back":                 {says("costUsd", `-7`), Tick{CostUSD: 7}, found{"false", nil}},
		"it failed": {func(n *openwopv1.WorkflowNode) { n.TypeID = "core.fail" },
			Tick{Verdict: yes, CostUSD: 7}, found{"false", nil}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, replaced(t, row.change))
			id := h.create(openwopv1.GoalBounds{MaxCostUSD: new(5.0)})
			done := h.tick(id, row.tick)
			h.expectStory(id, row.want.story)
			if diff := cmp.Diff(row.want.confidence, done.Goal.Completion.LastVerdict.Confidence); diff != "" {
				t.Errorf("the confidence (-want +got)\n%s", diff)
			}
		})
	}
}

func TestATickWithoutItsWorkflowIsRefusedAndLeavesNothing(t *testing.T) {
	h := newHost(t, func(h *host) { delete(h.r.Workflows, workflowStuck) })
	id := h.create(within(2))
	before := h.get(id)
	if _, err := h.Tick(h.soon(), id, Tick{Escalate: true}); code(err) != codes.NotFound {
		t.Errorf("ticked with %v", err)
	}
	if diff := cmp.Diff(before, h.get(id)); diff != "" {
		t.Errorf("the goal (-before +after)\n%s", diff)
	}
	h.tick(id, Tick{})
	h.tick(id, Tick{})
	h.expectStory(id, "false false bound-exceeded")
}
