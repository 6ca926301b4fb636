package host

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
)

// EndObservation is a run from its start to its end and beyond.
type EndObservation struct {
	Turns
	Way   string `json:"way"` // the seam that steered the run; "" when the plugin decided alone
	Goal  string `json:"goal"`
	Run   string `json:"run"`
	Start Turn   `json:"start"`
	Steps []Turn `json:"steps"` // the turns of the results that were taken, in order; the last is the end
	Taken int    `json:"taken"` // the number of results that were taken
	Again []Turn `json:"again"` // the last result once more, with the state after the end
	Stuck string `json:"stuck,omitempty"`
}

// Last returns the turn that ended the run, or should have.
func (o EndObservation) Last() Turn {
	if len(o.Steps) == 0 {
		return o.Start
	}
	return o.Steps[len(o.Steps)-1]
}

// IsDone reports whether the run ended as done, by its event or by its state.
func (o EndObservation) IsDone() bool {
	return len(o.Last().OfType(Completed).Values) > 0 || o.Last().Run(o.Run).Key("status").String() == "done"
}

// GivenDriven blocks the judge unless the run was driven to an end, and is done if nothing steered it.
func (o EndObservation) GivenDriven(j *scenarios.Judge) {
	GivenRequest(j, o.Start)
	Given(j, o.Steps...)
	if o.Stuck != "" {
		j.Block("setup failed: "+o.Stuck, "see the turns of its transcript")
	}
	if o.Way == "" && !o.IsDone() {
		j.Block("left to itself the plugin does not complete a run: "+o.Last().Events().Last().JSON(),
			"declare a decision seam in "+ProfileName+" that can say done")
	}
}

// Due returns what step n of the run, counted from 0, was handed the result of.
func (o EndObservation) Due(n int) (due Pending) {
	if n == 0 {
		due, _ = PendingOf(o.Start)
	} else {
		due, _ = PendingOf(o.Steps[n-1])
	}
	return due
}

// GivenDone ends the judge unless the run ended as done. A run may be given up: its plugin may have a budget of its own.
func (o EndObservation) GivenDone(j *scenarios.Judge) {
	o.GivenDriven(j)
	if o.IsDone() {
		return
	}
	GivenKeptRequests(j, o.Steps)
	if n := len(o.Steps); n > 0 {
		GivenMoved(j, o.Last(), o.Due(n-1))
	}
	j.Block("setup failed: the run should have ended as done, and the answer is "+o.Last().Answer.JSON(),
		"see that the decision seam in "+ProfileName+" makes the plugin done, and that nothing else ends the run before")
}

// GivenCompletion ends the judge unless an event tells that the run is done.
func (o EndObservation) GivenCompletion(j *scenarios.Judge) {
	o.GivenDone(j)
	t := o.Last()
	if len(t.OfType(Completed).Values) > 0 {
		return
	}
	if t.Status() == "ok" && !t.Moved() {
		j.Violates(agenticloop.RFC103T9, t.Events(), "setup failed: the run is done, and no event says so")
	}
	j.Block("setup failed: the run is done in the state, and the answer is "+t.Answer.JSON(), "emit agent.completed for a run that is done")
}

// MostSteps bounds a run that nothing steers.
const MostSteps = 8

// SteerTwoSteps plans a run that asks for two tools and then is done. Without a seam the plan is empty: the plugin
// decides.
func (p *Plugin) SteerTwoSteps(ctx context.Context) *Plan {
	tools := p.Tools()
	plan, _ := p.TrySteer(ctx,
		Call(tools[0], Object{"url": "http://example.test/a"}),
		Call(tools[len(tools)-1], Object{"prompt": "two paragraphs"}),
		Done("two paragraphs were written"))
	return plan
}

// RunToEnd drives a run to its end, and then delivers its last result three times more.
func (p *Plugin) RunToEnd(ctx context.Context, o *EndObservation) {
	plan := p.SteerTwoSteps(ctx)
	defer plan.Close()
	o.Way = plan.Via
	s, ok := p.Begin(ctx, plan.Lay(Job{Name: "the start", Event: p.Start(o.Goal, plan.Context)}))
	o.Start, o.Run = s.Turn, s.Run
	if !ok {
		return
	}
	due, state := s.Pending, s.State
	deliver := func(name string, n int) (t Turn) {
		t, state = p.Turn(ctx,
			plan.Lay(Job{Name: name, State: state, Event: p.Result(due, plan.Body(n, p.AnyResult()))}))
		return t
	}
	for n := 1; n <= MostSteps; n++ {
		t := deliver(fmt.Sprintf("the result of step %d", due.Step), n)
		o.Steps, o.Taken = append(o.Steps, t), n
		next, asks := PendingOf(t)
		if !asks {
			for i := range 3 {
				o.Again = append(o.Again, deliver(fmt.Sprintf("the last result again (%d)", i+1), n))
			}
			return
		}
		due = next
	}
	o.Stuck = fmt.Sprintf("it asked for a further tool after each of %d results", MostSteps)
}
