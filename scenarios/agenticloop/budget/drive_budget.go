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
		p := host.Open(c, &o.Turns)
		*o = BudgetObservation{Live: p.Live()}
		spendBudgets(ctx, p, o)
	},
}

func spendBudgets(ctx context.Context, p *host.Plugin, o *BudgetObservation) {
	for budget := 1; budget <= 3; budget++ {
		s := spend(ctx, p, o, budget, budget, 0)
		o.Runs = append(o.Runs, s)
	}
	for range 3 {
		s := spend(ctx, p, o, 2, 2, 0)
		o.Again = append(o.Again, s)
	}
	if !p.Can(agenticloopv2.CapabilityContextBudget) {
		return
	}
	lower := spend(ctx, p, o, 1, 3, 1)
	higher := spend(ctx, p, o, 2, 2, 6)
	o.Lower, o.Higher = &lower, &higher
}

// spend has one run go on until it ends, or two results beyond its budget. asked is the max_steps of the start, 0 for none.
func spend(ctx context.Context, p *host.Plugin, o *BudgetObservation, budget, config, asked int) Spent {
	decisions := make([]host.Decision, 0, budget+6)
	tools := p.Tools()
	for i := range cap(decisions) {
		decisions = append(decisions, host.Call(tools[i%len(tools)], host.Object{"url": fmt.Sprintf("http://example.test/%d", i)}))
	}
	plan, err := scenarios.Attempt(func() *host.Plan { return p.Steer(ctx, decisions...) })
	if !host.IsBlocked(err) {
		scenarios.End(err)
	}
	defer plan.Close()
	hints := host.Object{}
	if plan != nil {
		o.Way = plan.Via
		hints = host.Clone(host.OrEmpty(plan.Context))
	}
	label := fmt.Sprintf("max_steps %d", config)
	if asked > 0 {
		hints["max_steps"] = asked
		label = fmt.Sprintf("max_steps %d, and %d in the start", config, asked)
	}
	s := Spent{Budget: budget}
	lay := func(j host.Job) host.Job {
		j.Config = host.Object{"max_steps": config}
		return plan.Lay(j)
	}
	b, ok := p.Begin(ctx, lay(host.Job{Name: label + ": the start", Event: p.Start(p.NewGoal(), hints)}))
	s.Start, s.Run = b.Turn, b.Run
	if !ok {
		return s
	}
	waits, state := b.Pending, b.State
	for n := 1; n <= budget+2; n++ {
		t, after := p.Turn(ctx, lay(host.Job{Name: fmt.Sprintf("%s: result %d", label, n), State: state, Event: p.Result(waits, plan.Body(n, p.AnyResult()))}))
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
		p := host.Open(c, &o.Turns)
		*o = FailuresObservation{Most: p.MaxRetries()}
		fail(ctx, p, o)
	},
}

// mostTries is how often a step fails where the profile does not say how often it is asked for again.
const mostTries = 12

func fail(ctx context.Context, p *host.Plugin, o *FailuresObservation) {
	s, ok := p.Begin(ctx, host.Job{Name: "the start"})
	o.Start, o.Pending = s.Turn, s.Pending
	if !ok {
		return
	}
	state, tries := s.State, o.Most+3
	if o.Most < 0 {
		tries = mostTries
	}
	for n := 1; n <= tries; n++ {
		t, after := p.Turn(ctx, host.Job{Name: fmt.Sprintf("failure %d of step %d", n, s.Step), State: state, Event: p.Failure(s.Pending)})
		o.Failing = append(o.Failing, t)
		next, asks := host.PendingOf(t)
		if n == 1 && asks && next == s.Pending {
			o.Once = true
			o.Healed, _ = p.Turn(ctx, host.Job{Name: "a success after one failure", State: after, Event: p.Result(s.Pending, p.AnyResult())})
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
		p := host.Open(c, &o.Turns)
		*o = ReframesObservation{Most: 2}
		reframeOften(ctx, p, o)
	},
}

func reframeOften(ctx context.Context, p *host.Plugin, o *ReframesObservation) {
	tool := p.Tools()[0]
	decisions := []host.Decision{host.Call(tool, host.Object{"url": "http://example.test/0"})}
	for range o.Most + 2 {
		decisions = append(decisions, host.Reframe, host.Call(tool, host.Object{"url": "http://example.test/1"}))
	}
	plan, err := scenarios.Attempt(func() *host.Plan { return p.Steer(ctx, decisions...) })
	if host.IsBlocked(err) { // hints are given with results: what follows a reframe is then the agent's own
		plan, err = scenarios.Attempt(func() *host.Plan {
			return p.Steer(ctx, append(decisions[:1:1], host.Reframe, host.Reframe, host.Reframe, host.Reframe)...)
		})
	}
	scenarios.End(err)
	defer plan.Close()
	steered := func(n int) host.Object {
		if plan.Via == "context_steering" {
			return plan.Body(2*n-1, p.AnyResult())
		}
		return p.AnyResult()
	}
	lay := func(j host.Job) host.Job {
		j.Config = host.Object{"max_reframes": o.Most, "max_steps": 20}
		return plan.Lay(j)
	}
	s, ok := p.Begin(ctx, lay(host.Job{Name: "the start", Event: p.Start(p.NewGoal(), plan.Context)}))
	o.Start, o.Run = s.Turn, s.Run
	if !ok {
		return
	}
	waits, state := s.Pending, s.State
	for n := 1; n <= o.Most+2; n++ {
		t, after := p.Turn(ctx, lay(host.Job{Name: fmt.Sprintf("result %d, after which it is to reframe", n), State: state, Event: p.Result(waits, steered(n))}))
		o.Steps = append(o.Steps, t)
		next, asks := host.PendingOf(t)
		if !asks {
			return
		}
		waits, state = next, after
	}
}
