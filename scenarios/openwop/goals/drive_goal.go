package goals

import (
	"context"
	"fmt"
	"net/http"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

func stateShown(r host.GoalReply) wire.Value { return stateOf(r.Body) }

// GoalEdit is a call that may change a goal, and the goal read after it.
type GoalEdit struct {
	Reply host.GoalReply `json:"reply"`
	After host.GoalReply `json:"after"`
}

// GoalTick is one tick of the seam.
type GoalTick struct {
	Status wire.Value `json:"status"` // HTTP
	RunID  wire.Value `json:"runId"`
	Events wire.Value `json:"events"`
	// Shown is the waiting for what the tick brings about, of a goal that is to
	// go on. Last is the goal, read under its id.
	Shown wire.Wait `json:"shown"`
}

func stateOf(goal wire.Value) wire.Value { return goal.Key("state") }

func runsOf(goal wire.Value) wire.Value { return goal.At("/progress/contributingRunIds") }

func iterationsOf(goal wire.Value) wire.Value { return goal.At("/progress/iterations") }

// contributed is how many runs the goal shows as judged.
func contributed(goal wire.Value) int {
	if n, ok := iterationsOf(goal).Int(); ok {
		return int(n)
	}
	list, _ := runsOf(goal).Actual().([]any)
	return len(list)
}

// hasEnded says whether the goal shows a state in which it does not go on.
func hasEnded(goal wire.Value) bool {
	state := stateOf(goal).String()
	return state != "" && state != string(dialect.GoalStateActive)
}

// goesOn says whether the goal shows that it does.
func goesOn(goal wire.Value) bool { return stateOf(goal).String() == string(dialect.GoalStateActive) }

// stillGoesOn says whether the goal was made and is active: whether there is anything to look at.
func stillGoesOn(m host.GoalMade) bool { return m.ID != "" && goesOn(m.Fresh.Body) }

// change asks for an operation that changes the goal and reads the goal until it shows what it came to.
func change(ctx context.Context, g *host.Goal, action dialect.Operation, done func(goal wire.Value) bool) GoalEdit {
	reply := act(ctx, g, action)
	return after(ctx, g, action.Name(), reply, done)
}

// rewrite edits the goal and reads it until it shows what it came to.
func rewrite(ctx context.Context, g *host.Goal, label string, body any, done func(goal wire.Value) bool) GoalEdit {
	reply := edit(ctx, g, label, body)
	return after(ctx, g, label, reply, done)
}

// after reads the goal until it shows what was asked of it. A host may take a
// call and carry it out a moment later; of one that it refused nothing is to come.
func after(ctx context.Context, g *host.Goal, label string, reply host.GoalReply, done func(goal wire.Value) bool) GoalEdit {
	e := GoalEdit{Reply: reply}
	what := "the goal after: " + label
	g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		e.After = g.Read(ctx, what)
		return e.After.Body, (!host.Succeeded(reply.Status) || done(e.After.Body))
	})
	return e
}

// anyhow is where nothing is to come of a call.
func anyhow(wire.Value) bool { return true }

// tick asks the seam for one more run. What it means for a goal that does not
// go on is the host's affair: it may refuse, or answer and fire nothing.
func tick(ctx context.Context, g *host.Goal, label string, ask dialect.GoalTickRequest) GoalTick {
	// Not g.do: a seam that is switched off may answer 403, and a goal that has ended can be looked at without it.
	reply := g.Do(ctx, wire.Call{Operation: g.To(dialect.TickGoal), Body: ask, Label: label})
	if ask.Escalate != nil { // a run that is stuck does not end by itself
		g.Adopt(reply)
	}
	return GoalTick{Status: reply.StatusValue(), RunID: reply.Value("/runId"), Events: reply.Value("/events")}
}

// fire ticks a goal that is active and waits until the goal shows what came of
// it. Only here a seam that is not there can be told from a goal that is closed.
func fire(ctx context.Context, g *host.Goal, label string, ask dialect.GoalTickRequest, what string,
	done func(goal wire.Value) bool) GoalTick {
	t := tick(ctx, g, label, ask)
	noSeam(g, t)
	if !host.Succeeded(t.Status) {
		return t
	}
	t.Shown = g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		reply := g.Read(ctx, what)
		return reply.Body, done(reply.Body)
	})
	return t
}

// noSeam stops a drive where the tick of an active goal shows that there is no seam for us.
func noSeam(g *host.Goal, t GoalTick) {
	switch status, _ := t.Status.Int(); {
	case host.NotThere(int(status)):
		scenarios.End(scenarios.Block(fmt.Sprintf("the seam %s answered HTTP %d", g.PathOf(g.To(dialect.TickGoal)), status),
			"wire the seam by which a goal is ticked (docs/seams.md)"))
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		scenarios.End(scenarios.Block("the seam "+g.PathOf(g.To(dialect.TickGoal))+" refuses the credential",
			"give a key that may use the test seams with --key"))
	}
}

// tickThrough ticks once for each ask. The last of them is to end the goal; it
// stops early where the goal ends before, or does not move.
func tickThrough(ctx context.Context, g *host.Goal, asks ...dialect.GoalTickRequest) []GoalTick {
	var ticks []GoalTick
	for i, ask := range asks {
		what, done := fmt.Sprintf("the goal shows run %d", i+1), func(goal wire.Value) bool { return hasEnded(goal) || contributed(goal) > i }
		if i == len(asks)-1 {
			what, done = "the goal has ended", hasEnded
		}
		t := fire(ctx, g, fmt.Sprintf("tick %d of %d", i+1, len(asks)), ask, what, done)
		ticks = append(ticks, t)
		if !t.Shown.Reached || hasEnded(t.Shown.Last) {
			break
		}
	}
	return ticks
}

// concluded says whether the last of these ticks ended the goal.
func concluded(ticks []GoalTick) bool {
	return len(ticks) > 0 && hasEnded(ticks[len(ticks)-1].Shown.Last)
}

// unsatisfied is a tick whose run is judged not to have reached the objective,
// with any confidence but none.
func unsatisfied(h host.Host) dialect.GoalTickRequest {
	return dialect.GoalTickRequest{Verdict: &dialect.ScriptedVerdict{Confidence: new(float64(h.Between(1, 99)) / 100)}}
}

// unconvinced is a tick whose run is judged, with no confidence at all, not to
// have reached the objective.
func unconvinced(h host.Host) dialect.GoalTickRequest {
	return dialect.GoalTickRequest{Verdict: &dialect.ScriptedVerdict{Confidence: new(0.0)}}
}

// satisfied is a tick whose run is judged, with confidence, to have reached it.
func satisfied(h host.Host) dialect.GoalTickRequest {
	return dialect.GoalTickRequest{Verdict: &dialect.ScriptedVerdict{Satisfied: true, Confidence: new(float64(h.Between(90, 100)) / 100)}}
}
