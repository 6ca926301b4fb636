package host

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
)

// GivenDriven stops a judge where the run could not be driven to its end, or was left to itself and is not done.
func (o EndObservation) GivenDriven(j *scenarios.Judge) {
	GivenRequest(j, o.Start)
	Given(j, o.Steps...)
	GivenSetUp(j, o.Stuck)
	if o.Way == "" && !o.IsDone() {
		j.Block("left to itself the agent does not complete a run: "+o.Last().Events().Last().JSON(),
			"declare a decision seam in "+ProfileName+" that can say done")
	}
}

// IsDone says whether the run ended by being done, in its event or in its state.
func (o EndObservation) IsDone() bool {
	return len(o.Last().OfType(Completed).Values) > 0 || o.Last().Run(o.Run).Key("status").String() == "done"
}

// GivenDone stops a judge where the run did not come to an end by being done.
func (o EndObservation) GivenDone(j *scenarios.Judge) {
	o.GivenDriven(j)
	if !o.IsDone() {
		j.BlockOn(agenticloopv2.RFC103X2, "set-up: the run was to be done, and what came is "+o.Last().Answer.JSON())
	}
}

// GivenCompletion stops a judge where nothing tells of the end that was reached.
func (o EndObservation) GivenCompletion(j *scenarios.Judge) {
	o.GivenDone(j)
	if len(o.Last().OfType(Completed).Values) <= 0 {
		j.BlockOn(agenticloopv2.RFC103T9, "set-up: the run is done, and no event says so")
	}
}

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

// Last is the turn in which the run came to its end, or should have.
func (o EndObservation) Last() Turn {
	if len(o.Steps) == 0 {
		return o.Start
	}
	return o.Steps[len(o.Steps)-1]
}

// mostSteps bounds a run whose decisions are the agent's own.
const MostSteps = 8

// SteerTwoSteps has a run ask for two tools and then be done. Where that cannot be steered, the agent is left to itself.
func (p *Plugin) SteerTwoSteps(ctx context.Context) *Plan {
	tools := p.Tools()
	plan, err := scenarios.Attempt(func() *Plan {
		return p.Steer(ctx, Call(tools[0], Object{"url": "http://example.test/a"}), Call(tools[len(tools)-1], Object{"prompt": "two paragraphs"}), Done("two paragraphs were written"))
	})
	if IsBlocked(err) {
		return nil
	}
	scenarios.End(err)
	return plan
}

// RunToEnd drives a run to its end, in a workspace where one is given, and returns the state after it.
func (p *Plugin) RunToEnd(ctx context.Context, o *EndObservation, workspace string) Object {
	plan := p.SteerTwoSteps(ctx)
	defer plan.Close()
	var hints Object
	if plan != nil {
		o.Way, hints = plan.Via, plan.Context
	}
	s, ok := p.Begin(ctx, plan.Lay(Job{Name: "the start", Event: p.Start(o.Goal, hints), Workspace: workspace}))
	o.Start, o.Run = s.Turn, s.Run
	if !ok {
		return s.State
	}
	waits, state := s.Pending, s.State
	for n := 1; n <= MostSteps; n++ {
		t, after := p.Turn(ctx, plan.Lay(Job{Name: fmt.Sprintf("the result of step %d", waits.Step), State: state, Event: p.Result(waits, plan.Body(n, p.AnyResult())), Workspace: workspace}))
		o.Steps = append(o.Steps, t)
		o.Taken++
		state = after
		next, asks := PendingOf(t)
		if !asks {
			p.deliverAgain(ctx, o, plan, waits, state, workspace)
			return state
		}
		waits = next
	}
	o.Stuck = fmt.Sprintf("it asked for a further tool after each of %d results", MostSteps)
	return state
}

// deliverAgain delivers the last result to a run that is over.
func (p *Plugin) deliverAgain(ctx context.Context, o *EndObservation, plan *Plan, last Pending, state Object, workspace string) {
	for i := range 3 {
		t, after := p.Turn(ctx, plan.Lay(Job{Name: fmt.Sprintf("the last result again (%d)", i+1), State: state, Event: p.Result(last, plan.Body(o.Taken, p.AnyResult())), Workspace: workspace}))
		o.Again = append(o.Again, t)
		state = after
	}
}
