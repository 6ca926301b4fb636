package budget

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// BudgetObservation is runs that are never done, each with a budget.
type BudgetObservation struct {
	host.Turns
	Way    string  `json:"way"`  // the seam that has them go on, "" where the agents decides alone
	Live   bool    `json:"live"` // the profile says that it does not decide alike each time
	Runs   []Spent `json:"runs"`
	Again  []Spent `json:"again"`            // the same budget and the same decisions, three times
	Lower  *Spent  `json:"lower,omitempty"`  // a start that lowers its budget
	Higher *Spent  `json:"higher,omitempty"` // a start that would raise it
}

// Spent is a run that met its budget, or did not.
type Spent struct {
	Budget int         `json:"budget"` // that binds it
	Run    string      `json:"run"`
	Start  host.Turn   `json:"start"`
	Steps  []host.Turn `json:"steps"` // the turns of its results
}

func (s Spent) all() []host.Turn { return append([]host.Turn{s.Start}, s.Steps...) }

// end is the turn that emitted the end of the run, counted from the start as 0; -1 where none did.
func (s Spent) end() int {
	for i, t := range s.all() {
		if len(t.Ends().Values) > 0 {
			return i
		}
	}
	return -1
}

// budgets has runs go on and on with budgets of 1, 2 and 3 steps.
var Budgets = &scenarios.Drive[BudgetObservation]{
	ID:    "agenticloop/budgets",
	Title: "has runs go on and on, with budgets of 1, 2 and 3 steps from the config and from the start, one of them three times",
	Sends: []string{"8 times a run: agentic.start, and agentic.tool_result until it has ended, or 2 results beyond its budget"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *BudgetObservation) {
		a := host.Open(c, &o.Turns)
		*o = BudgetObservation{Live: a.Live()}
		spendBudgets(ctx, a, o)
	},
}

func spendBudgets(ctx context.Context, a *host.Plugin, o *BudgetObservation) {
	for budget := 1; budget <= 3; budget++ {
		s := spend(ctx, a, o, budget, budget, 0)
		o.Runs = append(o.Runs, s)
	}
	for range 3 {
		s := spend(ctx, a, o, 2, 2, 0)
		o.Again = append(o.Again, s)
	}
	if !a.Can(agenticloopv2.CapabilityContextBudget) {
		return
	}
	lower := spend(ctx, a, o, 1, 3, 1)
	higher := spend(ctx, a, o, 2, 2, 6)
	o.Lower, o.Higher = &lower, &higher
}

// spend has one run go on until it ends, or two results beyond its budget. asked is the max_steps of the start, 0 for none.
func spend(ctx context.Context, a *host.Plugin, o *BudgetObservation, budget, config, asked int) Spent {
	decisions := make([]host.Decision, 0, budget+6)
	tools := a.Tools()
	for i := range cap(decisions) {
		decisions = append(decisions, host.Call(tools[i%len(tools)], host.Object{"url": fmt.Sprintf("http://example.test/%d", i)}))
	}
	p, err := scenarios.Attempt(func() *host.Plan { return a.Steer(ctx, decisions...) })
	if !host.IsBlocked(err) {
		scenarios.End(err)
	}
	defer p.Close()
	hints := host.Object{}
	if p != nil {
		o.Way = p.Via
		hints = host.Clone(host.OrEmpty(p.Context))
	}
	label := fmt.Sprintf("max_steps %d", config)
	if asked > 0 {
		hints["max_steps"] = asked
		label = fmt.Sprintf("max_steps %d, and %d in the start", config, asked)
	}
	s := Spent{Budget: budget}
	lay := func(j host.Job) host.Job {
		j.Config = host.Object{"max_steps": config}
		return p.Lay(j)
	}
	b, ok := a.Begin(ctx, lay(host.Job{Name: label + ": the start", Event: a.Start(a.NewGoal(), hints)}))
	s.Start, s.Run = b.Turn, b.Run
	if !ok {
		return s
	}
	waits, state := b.Pending, b.State
	for n := 1; n <= budget+2; n++ {
		t, after := a.Turn(ctx, lay(host.Job{Name: fmt.Sprintf("%s: result %d", label, n), State: state, Event: a.Result(waits, p.Body(n, a.AnyResult()))}))
		s.Steps = append(s.Steps, t)
		next, asks := host.PendingOf(t)
		if !asks {
			break
		}
		waits, state = next, after
	}
	return s
}

// FailuresObservation is runs whose tool fails.
type FailuresObservation struct {
	host.Turns
	Start   host.Turn    `json:"start"`
	Pending host.Pending `json:"pending"`
	Failing []host.Turn  `json:"failing"` // the same step fails again and again
	Most    int          `json:"most"`    // how often it may be asked for again; -1 where the profile does not say
	Healed  host.Turn    `json:"healed"`  // it fails once, and then does not
	Once    bool         `json:"once"`    // the agent asked for the step again when it had failed once
}

// failures has a step of a run fail.
var failures = &scenarios.Drive[FailuresObservation]{
	ID:    "agenticloop/failures",
	Title: "has the tool of a run fail until the run ends, and once before it succeeds",
	Sends: []string{"one turn: agentic.start", "a turn for each try: agentic.tool_result with status error", "one turn: agentic.tool_result after one error"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *FailuresObservation) {
		a := host.Open(c, &o.Turns)
		*o = FailuresObservation{Most: a.MaxRetries()}
		fail(ctx, a, o)
	},
}

// mostTries is how often a step fails where the profile does not say how often it is asked for again.
const mostTries = 12

func fail(ctx context.Context, a *host.Plugin, o *FailuresObservation) {
	s, ok := a.Begin(ctx, host.Job{Name: "the start"})
	o.Start, o.Pending = s.Turn, s.Pending
	if !ok {
		return
	}
	state, tries := s.State, o.Most+3
	if o.Most < 0 {
		tries = mostTries
	}
	for n := 1; n <= tries; n++ {
		t, after := a.Turn(ctx, host.Job{Name: fmt.Sprintf("failure %d of step %d", n, s.Step), State: state, Event: a.Failure(s.Pending)})
		o.Failing = append(o.Failing, t)
		next, asks := host.PendingOf(t)
		if n == 1 && asks && next == s.Pending {
			o.Once = true
			o.Healed, _ = a.Turn(ctx, host.Job{Name: "a success after one failure", State: after, Event: a.Result(s.Pending, a.AnyResult())})
		}
		if !asks || next != s.Pending {
			return
		}
		state = after
	}
}

// ReframesObservation is a run that is to give up its plan again and again.
type ReframesObservation struct {
	host.Turns
	Most  int         `json:"most"`
	Run   string      `json:"run"`
	Start host.Turn   `json:"start"`
	Steps []host.Turn `json:"steps"`
}

// reframing has a run reframe after each result.
var reframing = &scenarios.Drive[ReframesObservation]{
	ID:    "agenticloop/reframing",
	Title: "has a run give up its plan after each result, with max_reframes 2",
	Sends: []string{"one turn: agentic.start", "a turn for each reframe: agentic.tool_result"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ReframesObservation) {
		a := host.Open(c, &o.Turns)
		*o = ReframesObservation{Most: 2}
		reframeOften(ctx, a, o)
	},
}

func reframeOften(ctx context.Context, a *host.Plugin, o *ReframesObservation) {
	tool := a.Tools()[0]
	decisions := []host.Decision{host.Call(tool, host.Object{"url": "http://example.test/0"})}
	for range o.Most + 2 {
		decisions = append(decisions, host.Reframe, host.Call(tool, host.Object{"url": "http://example.test/1"}))
	}
	p, err := scenarios.Attempt(func() *host.Plan { return a.Steer(ctx, decisions...) })
	if host.IsBlocked(err) { // hints are given with results: what follows a reframe is then the agent's own
		p, err = scenarios.Attempt(func() *host.Plan {
			return a.Steer(ctx, append(decisions[:1:1], host.Reframe, host.Reframe, host.Reframe, host.Reframe)...)
		})
	}
	scenarios.End(err)
	defer p.Close()
	steered := func(n int) host.Object {
		if p.Via == "context_steering" {
			return p.Body(2*n-1, a.AnyResult())
		}
		return a.AnyResult()
	}
	lay := func(j host.Job) host.Job {
		j.Config = host.Object{"max_reframes": o.Most, "max_steps": 20}
		return p.Lay(j)
	}
	s, ok := a.Begin(ctx, lay(host.Job{Name: "the start", Event: a.Start(a.NewGoal(), p.Context)}))
	o.Start, o.Run = s.Turn, s.Run
	if !ok {
		return
	}
	waits, state := s.Pending, s.State
	for n := 1; n <= o.Most+2; n++ {
		t, after := a.Turn(ctx, lay(host.Job{Name: fmt.Sprintf("result %d, after which it is to reframe", n), State: state, Event: a.Result(waits, steered(n))}))
		o.Steps = append(o.Steps, t)
		next, asks := host.PendingOf(t)
		if !asks {
			return
		}
		waits, state = next, after
	}
}
