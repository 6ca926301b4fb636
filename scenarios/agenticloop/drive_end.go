package agenticloop

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
)

// EndObservation is a run from its start to its end and beyond.
type EndObservation struct {
	Turns
	Way   string `json:"way"` // the seam that steered it, "" where the agent decided alone
	Goal  string `json:"goal"`
	Run   string `json:"run"`
	Start Turn   `json:"start"`
	// Steps are the turns of the results that were taken, in order, the last of them the end. Taken is how many they are.
	Steps []Turn `json:"steps"`
	Taken int    `json:"taken"`
	Again []Turn `json:"again"` // the last result once more, with the state after the end
	Stuck string `json:"stuck,omitempty"`
}

// last is the turn in which the run came to its end, or should have.
func (o EndObservation) last() Turn {
	if len(o.Steps) == 0 {
		return o.Start
	}
	return o.Steps[len(o.Steps)-1]
}

// toTheEnd has a run complete, and delivers its last result again.
var toTheEnd = &scenarios.Drive[EndObservation]{
	ID:    "agenticloop/to-the-end",
	Title: "has a run complete after two steps, where its decisions can be steered, and delivers the last result three times more",
	Sends: []string{"one turn: agentic.start", "a turn for each step: agentic.tool_result", "three turns: the last result again"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *EndObservation) {
		a := open(c, &o.Turns)
		*o = EndObservation{Goal: a.goal()}
		a.toTheEnd(ctx, o, "")
	},
}

// mostSteps bounds a run whose decisions are the agent's own.
const mostSteps = 8

// twoSteps has a run ask for two tools and then be done. Where that cannot be steered, the agent is left to itself.
func (a *agent) twoSteps(ctx context.Context) *plan {
	tools := a.tools()
	p, err := scenarios.Attempt(func() *plan {
		return a.planned(ctx, call(tools[0], object{"url": "http://example.test/a"}), call(tools[len(tools)-1], object{"prompt": "two paragraphs"}), done("two paragraphs were written"))
	})
	if isBlocked(err) {
		return nil
	}
	scenarios.End(err)
	return p
}

// toTheEnd drives a run to its end, in a workspace where one is given, and returns the state after it.
func (a *agent) toTheEnd(ctx context.Context, o *EndObservation, workspace string) object {
	p := a.twoSteps(ctx)
	defer p.close()
	var hints object
	if p != nil {
		o.Way, hints = p.via, p.context
	}
	s, ok := a.begin(ctx, p.lays(job{name: "the start", event: a.start(o.Goal, hints), workspace: workspace}))
	o.Start, o.Run = s.Turn, s.Run
	if !ok {
		return s.state
	}
	waits, state := s.pending, s.state
	for n := 1; n <= mostSteps; n++ {
		t, after := a.turn(ctx, p.lays(job{name: fmt.Sprintf("the result of step %d", waits.Step), state: state, event: a.result(waits, p.body(n, a.anyResult())), workspace: workspace}))
		o.Steps = append(o.Steps, t)
		o.Taken++
		state = after
		next, asks := waiting(t)
		if !asks {
			a.deliverAgain(ctx, o, p, waits, state, workspace)
			return state
		}
		waits = next
	}
	o.Stuck = fmt.Sprintf("it asked for a further tool after each of %d results", mostSteps)
	return state
}

// deliverAgain delivers the last result to a run that is over.
func (a *agent) deliverAgain(ctx context.Context, o *EndObservation, p *plan, last pending, state object, workspace string) {
	for i := range 3 {
		t, after := a.turn(ctx, p.lays(job{name: fmt.Sprintf("the last result again (%d)", i+1), state: state, event: a.result(last, p.body(o.Taken, a.anyResult())), workspace: workspace}))
		o.Again = append(o.Again, t)
		state = after
	}
}
