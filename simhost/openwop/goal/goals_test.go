package goal

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/ids"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/refusal"
)

func TestCreateShowsAnActiveGoal(t *testing.T) {
	h := newHost(t)
	bounds := openwopv1.GoalBounds{MaxLoopIterations: new(int64(3)), RunTimeoutMs: new(int64(0)), MaxCostUSD: new(0.5)}
	got := must[openwopv1.Goal](t)(h.Create(h.soon(), offered(bounds)))
	want := openwopv1.Goal{
		ID: got.ID, Objective: objective, State: "active", Bounds: bounds,
		Completion:   openwopv1.GoalCompletion{Check: "host"},
		Continuation: openwopv1.GoalContinuation{Mode: "manual"},
		Progress:     &openwopv1.GoalProgress{Iterations: new(int64(0))},
		Owner:        openwopv1.RunOwner{Tenant: "local"},
		CreatedAt:    epoch, UpdatedAt: epoch,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the goal (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(got, h.get(got.ID)); diff != "" {
		t.Errorf("read again (-created +read)\n%s", diff)
	}
	if events := h.events(got.ID); events == nil || len(events) != 0 {
		t.Errorf("its log is %v, want an empty list", events)
	}
}

func TestWhatCannotBeAGoalIsRefused(t *testing.T) {
	h := newHost(t)
	for _, row := range []struct {
		name   string
		change func(*Create)
		code   string
		field  string
	}{
		{"no bounds", func(c *Create) { c.Bounds = openwopv1.GoalBounds{} }, CodeUnbounded, "bounds"},
		{"another judge", func(c *Create) { c.Completion.Check = "verifier" }, CodeValidation, "completion.check"},
		{"a verifier", func(c *Create) { c.Completion.VerifierRef = new("v-1") }, CodeValidation, "completion.verifierRef"},
		{"a schedule", func(c *Create) { c.Continuation.Mode = "schedule" }, CodeValidation, "continuation.armRef"},
		{"an arm", func(c *Create) { c.Continuation.ArmRef = new("") }, CodeValidation, "continuation.armRef"},
		{"no objective", func(c *Create) { c.Objective = "" }, CodeValidation, "objective"},
		{"too much of one", func(c *Create) { c.Objective = strings.Repeat("ä", maxObjective+1) }, CodeValidation, "objective"},
		{"no runs", func(c *Create) { c.Bounds = within(0) }, CodeValidation, "bounds.maxLoopIterations"},
		{"no time", func(c *Create) { c.Bounds.RunTimeoutMs = new(int64(-1)) }, CodeValidation, "bounds.runTimeoutMs"},
		{"negative cost", func(c *Create) { c.Bounds.MaxCostUSD = new(-0.1) }, CodeValidation, "bounds.maxCostUsd"},
		{"no number", func(c *Create) { c.Bounds.MaxCostUSD = new(math.NaN()) }, CodeValidation, "bounds.maxCostUsd"},
	} {
		c := offered(within(1))
		row.change(&c)
		_, err := h.Create(h.soon(), c)
		refused := (*refusal.Error)(nil)
		if !errors.As(err, &refused) || refused.Code != row.code || refused.Details["field"] != row.field ||
			!strings.Contains(refused.Message, row.field) {
			t.Errorf("%s: %v, want %s about %s", row.name, err, row.code, row.field)
		}
	}
	if all := must[[]openwopv1.Goal](t)(h.List(h.soon(), "")); len(all) != 0 {
		t.Errorf("goals came of what was refused: %v", all)
	}
	long := offered(within(1))
	long.Objective = strings.Repeat("ä", maxObjective)
	must[openwopv1.Goal](t)(h.Create(h.soon(), long))
}

func TestBoundsAreOnlyRequiredWhereTheHostSaysSo(t *testing.T) {
	h := newHost(t, func(h *host) { h.o.RequireBounds = false })
	id := h.create(openwopv1.GoalBounds{})
	for range 5 {
		h.tick(id, Tick{CostUSD: 1e300, ElapsedMs: 1e9})
	}
	h.expectStory(id, "false false false false false")
}

func TestCreatingAgainFindsTheGoal(t *testing.T) {
	h := newHost(t)
	c := offered(within(3))
	c.ID = [16]byte{7}
	first := must[openwopv1.Goal](t)(h.Create(h.soon(), c))
	h.tick(first.ID, Tick{})
	c.Objective = "another"
	again := must[openwopv1.Goal](t)(h.Create(h.soon(), c))
	if again.ID != first.ID || again.Objective != objective || *again.Progress.Iterations != 1 {
		t.Errorf("creating it again gives %+v", again)
	}
}

func TestGoalsAreBounded(t *testing.T) {
	h := newHost(t, func(h *host) { h.o.MaxGoals = 2 })
	known := offered(within(1))
	known.ID = [16]byte{7}
	first := must[openwopv1.Goal](t)(h.Create(h.soon(), known))
	must[openwopv1.Goal](t)(h.Abandon(h.soon(), h.create(within(1))))
	if _, err := h.Create(h.soon(), offered(within(1))); code(err) != CodeFull {
		t.Errorf("one more: %v", err)
	}
	if again := must[openwopv1.Goal](t)(h.Create(h.soon(), known)); again.ID != first.ID {
		t.Errorf("a goal that is there is not found: %v", again)
	}
}

func TestSeedsThatBeginAnewMakeNewGoals(t *testing.T) {
	h := newHost(t)
	first := h.create(within(1))
	h.o.IDs = ids.Seeded(2)
	h.restart()
	if second := h.create(within(1)); second == first {
		t.Error("the second goal has the id of the first")
	}
}

func TestList(t *testing.T) {
	h := newHost(t)
	var ids []string
	for range 4 {
		ids = append(ids, h.create(within(1)))
	}
	h.tick(ids[1], Tick{Verdict: yes})
	h.tick(ids[2], Tick{})
	for state, want := range map[openwopv1.GoalState][]string{
		"": ids, "active": {ids[0], ids[3]}, "satisfied": {ids[1]}, "bound-exceeded": {ids[2]}, "abandoned": {},
	} {
		got := []string{}
		for _, goal := range must[[]openwopv1.Goal](t)(h.List(h.soon(), state)) {
			got = append(got, goal.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in state %q (-want +got)\n%s", state, diff)
		}
	}
}

// Whatever is asked of a goal in whatever state: the answer, and the state after it.
func TestWhatAStateAllows(t *testing.T) {
	into := map[openwopv1.GoalState]func(*host, string){
		"active":         func(*host, string) {},
		"satisfied":      func(h *host, id string) { h.tick(id, Tick{Verdict: yes}) },
		"bound-exceeded": func(h *host, id string) { h.tick(id, Tick{}); h.tick(id, Tick{}) },
		"escalated":      func(h *host, id string) { h.tick(id, Tick{Escalate: true}) },
		"abandoned":      func(h *host, id string) { must[openwopv1.Goal](h.t)(h.Abandon(h.soon(), id)) },
	}
	asks := map[string]func(*host, string) (openwopv1.Goal, error){
		"edit": func(h *host, id string) (openwopv1.Goal, error) {
			return h.Edit(h.soon(), id, Edit{Objective: "edited"})
		},
		"pause":   func(h *host, id string) (openwopv1.Goal, error) { return h.Pause(h.soon(), id) },
		"resume":  func(h *host, id string) (openwopv1.Goal, error) { return h.ReArm(h.soon(), id) },
		"abandon": func(h *host, id string) (openwopv1.Goal, error) { return h.Abandon(h.soon(), id) },
		"tick": func(h *host, id string) (openwopv1.Goal, error) {
			done, err := h.Tick(h.soon(), id, Tick{})
			return done.Goal, err
		},
	}
	allowed := map[string]openwopv1.GoalState{ // and the state after
		"active edit": "active", "active pause": "active", "active resume": "active", "active abandon": "abandoned", "active tick": "active",
		"escalated abandon": "abandoned", "abandoned abandon": "abandoned",
	}
	h := newHost(t)
	for state, lead := range into {
		for name, ask := range asks {
			id := h.create(within(2))
			lead(h, id)
			before := h.get(id)
			if before.State != state {
				t.Fatalf("the goal is %s, want %s", before.State, state)
			}
			h.clock.Advance(time.Second)
			got, err := ask(h, id)
			want, ok := allowed[string(state)+" "+name]
			if ok && (err != nil || got.State != want) {
				t.Errorf("%s of a goal that is %s: %s, %v, want %s", name, state, got.State, err, want)
			}
			if ok {
				continue
			}
			if refused := (*refusal.Error)(nil); !errors.As(err, &refused) || refused.Code != CodeClosed ||
				refused.Details["state"] != string(state) {
				t.Errorf("%s of a goal that is %s: %v, want it refused", name, state, err)
			}
			if diff := cmp.Diff(before, h.get(id)); diff != "" {
				t.Errorf("the %s that was refused changed the goal (-before +after)\n%s", name, diff)
			}
		}
	}
	for name, ask := range asks {
		if _, err := ask(h, "goal-nowhere"); code(err) != CodeNotFound {
			t.Errorf("%s of no goal: %v", name, err)
		}
	}
	if _, err := h.Get(h.soon(), "goal-nowhere"); code(err) != CodeNotFound {
		t.Errorf("no goal is got with %v", err)
	}
	if _, err := h.Events(h.soon(), "goal-nowhere"); code(err) != CodeNotFound {
		t.Errorf("no goal has events with %v", err)
	}
}

func TestEdit(t *testing.T) {
	h := newHost(t)
	id := h.create(within(2))
	before := h.get(id)
	h.clock.Advance(time.Second)
	got := must[openwopv1.Goal](t)(h.Edit(h.soon(), id, Edit{
		Objective:    "another",
		Completion:   &openwopv1.GoalCompletionRequest{Check: "host"},
		Continuation: &openwopv1.GoalContinuation{Mode: "manual"},
	}))
	want := before
	want.Objective, want.UpdatedAt = "another", epoch.Add(time.Second)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("edited (-want +got)\n%s", diff)
	}
	for field, e := range map[string]Edit{
		"completion.check":  {Completion: &openwopv1.GoalCompletionRequest{Check: "verifier"}},
		"continuation.mode": {Continuation: &openwopv1.GoalContinuation{Mode: "heartbeat"}},
		"objective":         {Objective: strings.Repeat("x", maxObjective+1)},
	} {
		_, err := h.Edit(h.soon(), id, e)
		if refused := (*refusal.Error)(nil); !errors.As(err, &refused) || refused.Details["field"] != field {
			t.Errorf("an edit is refused with %v, want it about %s", err, field)
		}
	}
	if diff := cmp.Diff(want, h.get(id)); diff != "" {
		t.Errorf("after what was refused (-want +got)\n%s", diff)
	}
}

func TestAPauseIsNotToBeSeen(t *testing.T) {
	h := newHost(t)
	id := h.create(within(2))
	before := h.get(id)
	h.clock.Advance(time.Second)
	for range 2 {
		if diff := cmp.Diff(before, must[openwopv1.Goal](t)(h.Pause(h.soon(), id))); diff != "" {
			t.Errorf("paused (-before +after)\n%s", diff)
		}
		if done := h.tick(id, Tick{Verdict: yes, ElapsedMs: 5}); done.RunID != "" || len(done.Events) != 0 || done.Events == nil {
			t.Errorf("a tick of a paused goal comes to %+v", done)
		}
	}
	h.restart() // a pause outlives its host
	h.tick(id, Tick{Verdict: yes})
	for range 2 {
		if diff := cmp.Diff(before, must[openwopv1.Goal](t)(h.ReArm(h.soon(), id))); diff != "" {
			t.Errorf("resumed (-before +after)\n%s", diff)
		}
	}
	if runs := h.runs(id); len(runs) != 0 {
		t.Errorf("paused, it fired %v", runs)
	}
	if done := h.tick(id, Tick{Verdict: yes}); done.RunID == "" {
		t.Error("resumed, it fires no run")
	}
	h.expectStory(id, "true satisfied")
}

func TestSecretsAreTakenOutOfObjectives(t *testing.T) {
	h := newHost(t, func(h *host) { h.o.Secrets = []string{"hunter2-hunter2"} })
	c := offered(within(1))
	c.Objective = "log in with hunter2-hunter2"
	goal := must[openwopv1.Goal](t)(h.Create(h.soon(), c))
	if goal.Objective != "log in with [REDACTED:1]" {
		t.Errorf("created with %q", goal.Objective)
	}
	goal = must[openwopv1.Goal](t)(h.Edit(h.soon(), goal.ID, Edit{Objective: "hunter2-hunter2!"}))
	if goal.Objective != "[REDACTED:1]!" {
		t.Errorf("edited to %q", goal.Objective)
	}
	for _, entries := range h.log.logs {
		for _, entry := range entries {
			if strings.Contains(string(entry.Data), "hunter2-hunter2") {
				t.Errorf("the log holds the secret: %s", entry.Data)
			}
		}
	}
}

// The marker of a secret is longer than a short secret. What is shown must still be an objective.
func TestAnObjectiveIsNotTooLongOnceItsSecretsAreOut(t *testing.T) {
	h := newHost(t, func(h *host) { h.o.Secrets = []string{"hunter22"} })
	c := offered(within(1))
	fits := strings.Repeat(".", maxObjective-len("[REDACTED:1]"))
	c.Objective = fits + "hunter22"
	goal := must[openwopv1.Goal](t)(h.Create(h.soon(), c))
	c.Objective = fits + ".hunter22"
	if _, err := h.Create(h.soon(), c); code(err) != CodeValidation {
		t.Errorf("created with it: %v", err)
	}
	if _, err := h.Edit(h.soon(), goal.ID, Edit{Objective: c.Objective}); code(err) != CodeValidation {
		t.Errorf("edited to it: %v", err)
	}
}

func TestOpenWantsWhatItNeeds(t *testing.T) {
	if _, err := Open(t.Context(), Options{}); err == nil {
		t.Error("opened over nothing")
	}
}

func TestOpenTellsOfALogThatIsNotItsOwn(t *testing.T) {
	for _, data := range []string{`{`, `{"goalId":"goal-1","at":"2026-11-01T00:00:00Z","dropped":true}`} {
		h := newHost(t)
		h.create(within(1))
		must[uint64](t)(h.log.Append(h.soon(), h.Goals.log, h.log.last, []byte(data)))
		o := h.o
		o.Runs = h.engine
		if _, err := Open(h.soon(), o); err == nil {
			t.Errorf("%s was read as a change of a goal", data)
		}
	}
}

func TestClosedGoalsAnswerNobody(t *testing.T) {
	h := newHost(t)
	id := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(10))})
	if err := errors.Join(h.Close(), h.Close()); err != nil {
		t.Error(err)
	}
	h.clock.Advance(time.Hour)
	_, tick := h.Tick(h.soon(), id, Tick{})
	_, create := h.Create(h.soon(), offered(within(1)))
	_, list := h.List(h.soon(), "")
	_, get := h.Get(h.soon(), id)
	_, resume := h.ReArm(h.soon(), id)
	for name, err := range map[string]error{"tick": tick, "create": create, "list": list, "get": get, "resume": resume,
		"take up": h.Resume(h.soon())} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The real log in place of the one in memory that the other tests have.
func TestOverFiles(t *testing.T) {
	dir := t.TempDir()
	open := func() (*eventlog.Store, *live.Engine, *Goals) {
		store := must[*eventlog.Store](t)(eventlog.Open(t.Context(), eventlog.Options{Dir: dir}))
		engine := must[*live.Engine](t)(live.New(live.Options{Log: store, Clock: clock.NewManual(epoch),
			Workflows: fixtures(t), Version: 5}))
		if err := engine.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		goals := must[*Goals](t)(Open(t.Context(), Options{Log: store, Runs: engine, Clock: clock.NewManual(epoch),
			Tenant: "a tenant/with: odd.letters"}))
		if err := goals.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		return store, engine, goals
	}
	store, engine, goals := open()
	goal := must[openwopv1.Goal](t)(goals.Create(t.Context(), offered(within(3))))
	must[Ticked](t)(goals.Tick(t.Context(), goal.ID, Tick{Verdict: sure(0.25)}))
	before := must[openwopv1.Goal](t)(goals.Get(t.Context(), goal.ID))
	events := must[[]openwopv1.GoalEvent](t)(goals.Events(t.Context(), goal.ID))
	if err := errors.Join(goals.Close(), engine.Close(), store.Close()); err != nil {
		t.Fatal(err)
	}
	store, engine, goals = open()
	if diff := cmp.Diff(before, must[openwopv1.Goal](t)(goals.Get(t.Context(), goal.ID))); diff != "" {
		t.Errorf("opened again (-before +after)\n%s", diff)
	}
	if diff := cmp.Diff(events, must[[]openwopv1.GoalEvent](t)(goals.Events(t.Context(), goal.ID))); diff != "" {
		t.Errorf("its log, opened again (-before +after)\n%s", diff)
	}
	if err := errors.Join(goals.Close(), engine.Close(), store.Close()); err != nil {
		t.Fatal(err)
	}
}
