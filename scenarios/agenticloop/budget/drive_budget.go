package budget

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// BudgetObservation is runs that would go on for ever, each with a budget.
type BudgetObservation struct {
	host.Turns
	Way    string  `json:"way"`  // the seam that keeps them going; "" when the plugin decides alone
	Live   bool    `json:"live"` // decisions may differ, as far as the profile says
	Runs   []Spent `json:"runs"`
	Again  []Spent `json:"again"`            // the same budget and the same decisions, three times
	Lower  *Spent  `json:"lower,omitempty"`  // a start that lowers its budget
	Called *Spent  `json:"called,omitempty"` // the same, as api.trigger, where that begins a run
	Higher *Spent  `json:"higher,omitempty"` // a start that would raise it
}

// Spent is a run, and the budget it was to meet.
type Spent struct {
	Budget int         `json:"budget"` // the budget that binds it
	Run    string      `json:"run"`
	Start  host.Turn   `json:"start"`
	Steps  []host.Turn `json:"steps"` // the turns of its results
}

func (s Spent) all() []host.Turn { return append([]host.Turn{s.Start}, s.Steps...) }

// end returns the index of the turn that ended the run, where the start is 0; -1 if none did.
func (s Spent) end() int {
	for i, t := range s.all() {
		if len(t.Ends().Values) > 0 {
			return i
		}
	}
	return -1
}

// Budgets keeps runs going, with budgets of 1, 2 and 3 steps.
var Budgets = &scenarios.Drive[BudgetObservation]{
	ID: "agenticloop/budgets",
	Title: "has runs go on and on, with budgets of 1, 2 and 3 steps from the config and from the start, one of " +
		"them three times",
	Sends: []string{
		"9 times a run: agentic.start, and agentic.tool_result until it has ended, or 2 results beyond its budget"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *BudgetObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.Live = p.Live()
		for budget := 1; budget <= 3; budget++ {
			o.Runs = append(o.Runs, o.spend(ctx, p, budget, budget, 0, ""))
		}
		for range 3 {
			o.Again = append(o.Again, o.spend(ctx, p, 2, 2, 0, ""))
		}
		if !p.Can(agenticloopv2.CapabilityContextBudget) {
			return
		}
		lower, higher := o.spend(ctx, p, 1, 3, 1, ""), o.spend(ctx, p, 2, 2, 6, "")
		o.Lower, o.Higher = &lower, &higher
		if called := o.spend(ctx, p, 1, 3, 1, host.Trigger); called.Run != "" {
			o.Called = &called
		}
	},
}

// spend keeps a run going until it ends, or two results beyond its budget. asked is the max_steps of the start, 0 for
// none, and kind the type of the start, "" for agentic.start.
func (o *BudgetObservation) spend(ctx context.Context, p *host.Plugin, budget, config, asked int, kind string) Spent {
	decisions := make([]host.Decision, 0, budget+6)
	tools := p.Tools()
	for i := range cap(decisions) {
		decisions = append(decisions,
			host.Call(tools[i%len(tools)], host.Object{"url": fmt.Sprintf("http://example.test/%d", i)}))
	}
	plan, _ := p.TrySteer(ctx, decisions...) // else the plugin decides alone
	defer plan.Close()
	o.Way = plan.Via
	hints := host.Clone(host.OrEmpty(plan.Context))
	label := fmt.Sprintf("max_steps %d", config)
	if asked > 0 {
		hints["max_steps"] = asked
		label = fmt.Sprintf("max_steps %d, and %d in the start", config, asked)
	}
	start := p.Start(p.NewGoal(), hints)
	if kind != "" {
		start["type"] = kind
		label += ", as " + kind
	}
	s := Spent{Budget: budget}
	lay := func(j host.Job) host.Job {
		j.Config = host.Object{"max_steps": config}
		return plan.Lay(j)
	}
	b, ok := p.Begin(ctx, lay(host.Job{Name: label + ": the start", Event: start}))
	s.Start, s.Run = b.Turn, b.Run
	if !ok {
		return s
	}
	due, state := b.Pending, b.State
	for n := 1; n <= budget+2; n++ {
		result := p.Result(due, plan.Body(n, p.AnyResult()))
		t, after := p.Turn(ctx,
			lay(host.Job{Name: fmt.Sprintf("%s: result %d", label, n), State: state, Event: result}))
		s.Steps = append(s.Steps, t)
		next, asks := host.PendingOf(t)
		if !asks {
			break
		}
		due, state = next, after
	}
	return s
}

// FailuresObservation is a run whose tool fails.
type FailuresObservation struct {
	host.Turns
	Start   host.Turn    `json:"start"`
	Pending host.Pending `json:"pending"`
	Failing []host.Turn  `json:"failing"` // the same step fails again and again
	Most    int          `json:"most"`    // how often it may be retried; -1 if the profile does not say
	Healed  host.Turn    `json:"healed"`  // it succeeds after one failure
	Once    bool         `json:"once"`    // the plugin retried the step after its first failure
	// Own are failures of the same step as events of the tool's own, as long as it is asked for again.
	Own []host.Turn `json:"own,omitempty"`
}

// failures makes a step of a run fail.
var failures = &scenarios.Drive[FailuresObservation]{
	ID:    "agenticloop/failures",
	Title: "has the tool of a run fail until the run ends, and once before it succeeds; beyond quick, it fails in events of its own as well",
	Sends: []string{"one turn: agentic.start", "a turn for each try: agentic.tool_result with status error",
		"one turn: agentic.tool_result after one error",
		"up to two turns, beyond quick: content_ready with status error, and run_id, step and tool in the context of the request"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *FailuresObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.Most = p.MaxRetries()
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
			name := fmt.Sprintf("failure %d of step %d", n, s.Step)
			t, after := p.Turn(ctx, host.Job{Name: name, State: state, Event: p.Failure(s.Pending)})
			o.Failing = append(o.Failing, t)
			next, asks := host.PendingOf(t)
			if n == 1 && asks && next == s.Pending {
				o.Once = true
				o.Healed, _ = p.Deliver(ctx, "a success after one failure", after, s.Pending)
			}
			if !asks || next != s.Pending {
				break
			}
			state = after
		}
		if c.Depth > scenarios.Quick && o.Once && p.Can(agenticloopv2.CapabilityContextDelivery) {
			o.fail(ctx, p, s)
		}
	},
}

// fail has the tool fail twice in events of its own.
func (o *FailuresObservation) fail(ctx context.Context, p *host.Plugin, s host.Started) {
	state := s.State
	for n := 1; n <= 2; n++ {
		t, after := p.Turn(ctx, host.Job{
			Name: fmt.Sprintf("failure %d of step %d as the tool's own event", n, s.Step), State: state,
			Event:   p.Event("content_ready", host.Object{"status": "error", "error": "the tool is out of order"}, ""),
			Context: host.Object{"run_id": s.Run, "step": s.Step, "tool": s.Tool},
		})
		if next, asks := host.PendingOf(t); !asks || next != s.Pending {
			return // whether such an event is a failure is another scenario's affair
		}
		o.Own, state = append(o.Own, t), after
	}
}

// mostTries is how often a step fails if the profile does not say how often it may be retried.
const mostTries = 12

// ReframesObservation is a run that should reframe again and again.
type ReframesObservation struct {
	host.Turns
	Most  int         `json:"most"`
	Run   string      `json:"run"`
	Start host.Turn   `json:"start"`
	Steps []host.Turn `json:"steps"`
}

// reframing makes a run reframe after each result.
var reframing = &scenarios.Drive[ReframesObservation]{
	ID:    "agenticloop/reframing",
	Title: "has a run give up its plan after each result, with max_reframes 2",
	Sends: []string{"one turn: agentic.start", "a turn for each reframe: agentic.tool_result"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ReframesObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.Most = 2
		tool := p.Tools()[0]
		decisions := []host.Decision{host.Call(tool, host.Object{"url": "http://example.test/0"})}
		for range o.Most + 2 {
			decisions = append(decisions, host.Reframe, host.Call(tool, host.Object{"url": "http://example.test/1"}))
		}
		plan, err := p.TrySteer(ctx, decisions...)
		if err != nil { // hints come with results: the plugin itself chooses what follows a reframe
			plan = p.Steer(ctx, append(decisions[:1:1], host.Reframe, host.Reframe, host.Reframe, host.Reframe)...)
		}
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
		due, state := s.Pending, s.State
		for n := 1; n <= o.Most+2; n++ {
			name := fmt.Sprintf("result %d, after which it is to reframe", n)
			t, after := p.Turn(ctx, lay(host.Job{Name: name, State: state, Event: p.Result(due, steered(n))}))
			o.Steps = append(o.Steps, t)
			next, asks := host.PendingOf(t)
			if !asks {
				return
			}
			due, state = next, after
		}
	},
}
