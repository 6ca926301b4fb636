package agenticloop

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
)

// BudgetObservation is runs that are never done, each with a budget.
type BudgetObservation struct {
	Turns
	Way    string  `json:"way"`  // the seam that has them go on, "" where the agents decides alone
	Live   bool    `json:"live"` // the profile says that it does not decide alike each time
	Runs   []Spent `json:"runs"`
	Again  []Spent `json:"again"`            // the same budget and the same decisions, three times
	Lower  *Spent  `json:"lower,omitempty"`  // a start that lowers its budget
	Higher *Spent  `json:"higher,omitempty"` // a start that would raise it
}

// Spent is a run that met its budget, or did not.
type Spent struct {
	Budget int    `json:"budget"` // that binds it
	Run    string `json:"run"`
	Start  Turn   `json:"start"`
	Steps  []Turn `json:"steps"` // the turns of its results
}

func (s Spent) all() []Turn { return append([]Turn{s.Start}, s.Steps...) }

// end is the turn that emitted the end of the run, counted from the start as 0; -1 where none did.
func (s Spent) end() int {
	for i, t := range s.all() {
		if len(t.ends().Values) > 0 {
			return i
		}
	}
	return -1
}

// budgets has runs go on and on with budgets of 1, 2 and 3 steps.
var budgets = &scenarios.Drive[BudgetObservation]{
	ID:    "agenticloop/budgets",
	Title: "has runs go on and on, with budgets of 1, 2 and 3 steps from the config and from the start, one of them three times",
	Sends: []string{"8 times a run: agentic.start, and agentic.tool_result until it has ended, or 2 results beyond its budget"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *BudgetObservation) {
		a := open(c, &o.Turns)
		*o = BudgetObservation{Live: a.live()}
		a.budgets(ctx, o)
	},
}

func (a *agent) budgets(ctx context.Context, o *BudgetObservation) {
	for budget := 1; budget <= 3; budget++ {
		s := a.spend(ctx, o, budget, budget, 0)
		o.Runs = append(o.Runs, s)
	}
	for range 3 {
		s := a.spend(ctx, o, 2, 2, 0)
		o.Again = append(o.Again, s)
	}
	if !a.can(agenticloopv2.CapabilityContextBudget) {
		return
	}
	lower := a.spend(ctx, o, 1, 3, 1)
	higher := a.spend(ctx, o, 2, 2, 6)
	o.Lower, o.Higher = &lower, &higher
}

// spend has one run go on until it ends, or two results beyond its budget. asked is the max_steps of the start, 0 for none.
func (a *agent) spend(ctx context.Context, o *BudgetObservation, budget, config, asked int) Spent {
	decisions := make([]decision, 0, budget+6)
	tools := a.tools()
	for i := range cap(decisions) {
		decisions = append(decisions, call(tools[i%len(tools)], object{"url": fmt.Sprintf("http://example.test/%d", i)}))
	}
	p, err := scenarios.Attempt(func() *plan { return a.planned(ctx, decisions...) })
	if !isBlocked(err) {
		scenarios.End(err)
	}
	defer p.close()
	hints := object{}
	if p != nil {
		o.Way = p.via
		hints = copied(orEmpty(p.context))
	}
	label := fmt.Sprintf("max_steps %d", config)
	if asked > 0 {
		hints["max_steps"] = asked
		label = fmt.Sprintf("max_steps %d, and %d in the start", config, asked)
	}
	s := Spent{Budget: budget}
	lay := func(j job) job {
		j.config = object{"max_steps": config}
		return p.lays(j)
	}
	b, ok := a.begin(ctx, lay(job{name: label + ": the start", event: a.start(a.goal(), hints)}))
	s.Start, s.Run = b.Turn, b.Run
	if !ok {
		return s
	}
	waits, state := b.pending, b.state
	for n := 1; n <= budget+2; n++ {
		t, after := a.turn(ctx, lay(job{name: fmt.Sprintf("%s: result %d", label, n), state: state, event: a.result(waits, p.body(n, a.anyResult()))}))
		s.Steps = append(s.Steps, t)
		next, asks := waiting(t)
		if !asks {
			break
		}
		waits, state = next, after
	}
	return s
}

// FailuresObservation is runs whose tool fails.
type FailuresObservation struct {
	Turns
	Start   Turn    `json:"start"`
	Pending pending `json:"pending"`
	Failing []Turn  `json:"failing"` // the same step fails again and again
	Most    int     `json:"most"`    // how often it may be asked for again; -1 where the profile does not say
	Healed  Turn    `json:"healed"`  // it fails once, and then does not
	Once    bool    `json:"once"`    // the agent asked for the step again when it had failed once
}

// failures has a step of a run fail.
var failures = &scenarios.Drive[FailuresObservation]{
	ID:    "agenticloop/failures",
	Title: "has the tool of a run fail until the run ends, and once before it succeeds",
	Sends: []string{"one turn: agentic.start", "a turn for each try: agentic.tool_result with status error", "one turn: agentic.tool_result after one error"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *FailuresObservation) {
		a := open(c, &o.Turns)
		*o = FailuresObservation{Most: a.retries()}
		a.failures(ctx, o)
	},
}

// mostTries is how often a step fails where the profile does not say how often it is asked for again.
const mostTries = 12

func (a *agent) failures(ctx context.Context, o *FailuresObservation) {
	s, ok := a.begin(ctx, job{name: "the start"})
	o.Start, o.Pending = s.Turn, s.pending
	if !ok {
		return
	}
	state, tries := s.state, o.Most+3
	if o.Most < 0 {
		tries = mostTries
	}
	for n := 1; n <= tries; n++ {
		t, after := a.turn(ctx, job{name: fmt.Sprintf("failure %d of step %d", n, s.Step), state: state, event: a.failure(s.pending)})
		o.Failing = append(o.Failing, t)
		next, asks := waiting(t)
		if n == 1 && asks && next == s.pending {
			o.Once = true
			o.Healed, _ = a.turn(ctx, job{name: "a success after one failure", state: after, event: a.result(s.pending, a.anyResult())})
		}
		if !asks || next != s.pending {
			return
		}
		state = after
	}
}

// ReframesObservation is a run that is to give up its plan again and again.
type ReframesObservation struct {
	Turns
	Most  int    `json:"most"`
	Run   string `json:"run"`
	Start Turn   `json:"start"`
	Steps []Turn `json:"steps"`
}

// reframing has a run reframe after each result.
var reframing = &scenarios.Drive[ReframesObservation]{
	ID:    "agenticloop/reframing",
	Title: "has a run give up its plan after each result, with max_reframes 2",
	Sends: []string{"one turn: agentic.start", "a turn for each reframe: agentic.tool_result"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ReframesObservation) {
		a := open(c, &o.Turns)
		*o = ReframesObservation{Most: 2}
		a.reframing(ctx, o)
	},
}

func (a *agent) reframing(ctx context.Context, o *ReframesObservation) {
	tool := a.tools()[0]
	decisions := []decision{call(tool, object{"url": "http://example.test/0"})}
	for range o.Most + 2 {
		decisions = append(decisions, reframe, call(tool, object{"url": "http://example.test/1"}))
	}
	p, err := scenarios.Attempt(func() *plan { return a.planned(ctx, decisions...) })
	if isBlocked(err) { // hints are given with results: what follows a reframe is then the agent's own
		p, err = scenarios.Attempt(func() *plan { return a.planned(ctx, append(decisions[:1:1], reframe, reframe, reframe, reframe)...) })
	}
	scenarios.End(err)
	defer p.close()
	steered := func(n int) object {
		if p.via == "context_steering" {
			return p.body(2*n-1, a.anyResult())
		}
		return a.anyResult()
	}
	lay := func(j job) job {
		j.config = object{"max_reframes": o.Most, "max_steps": 20}
		return p.lays(j)
	}
	s, ok := a.begin(ctx, lay(job{name: "the start", event: a.start(a.goal(), p.context)}))
	o.Start, o.Run = s.Turn, s.Run
	if !ok {
		return
	}
	waits, state := s.pending, s.state
	for n := 1; n <= o.Most+2; n++ {
		t, after := a.turn(ctx, lay(job{name: fmt.Sprintf("result %d, after which it is to reframe", n), state: state, event: a.result(waits, steered(n))}))
		o.Steps = append(o.Steps, t)
		next, asks := waiting(t)
		if !asks {
			return
		}
		waits, state = next, after
	}
}
