package openwop

import (
	"context"
	"fmt"
	"net/http"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// What the drives of standing goals have in common: how a goal is made, changed and ticked.

// GoalReply is one answer about goals.
type GoalReply struct {
	Status wire.Value `json:"status"` // HTTP
	Body   wire.Value `json:"body"`
}

func (r GoalReply) state() wire.Value { return stateOf(r.Body) }

// forbidden says whether the host refused the credential, or says so.
func (r GoalReply) forbidden() bool {
	status, _ := r.Status.Int()
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// GoalEdit is a call that may change a goal, and the goal read after it.
type GoalEdit struct {
	Reply GoalReply `json:"reply"`
	After GoalReply `json:"after"`
}

// GoalMade is how a goal came about.
type GoalMade struct {
	Path      string    `json:"path"` // where the host's goals live
	ID        string    `json:"id"`
	Objective string    `json:"objective"` // as it was asked for
	Created   GoalReply `json:"created"`
	Fresh     GoalReply `json:"fresh"` // read under its id, before anything else
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
	return state != "" && state != string(openwopv1.GoalStateActive)
}

// goesOn says whether the goal shows that it does.
func goesOn(goal wire.Value) bool { return stateOf(goal).String() == string(openwopv1.GoalStateActive) }

// begin creates a goal and reads it under its id.
func (g goalHome) begin(ctx context.Context, bounds *openwopv1.GoalBounds) (*goal, GoalMade, error) {
	made, err := g.create(ctx, "create the goal", g.goalRequest(bounds))
	if err != nil {
		return nil, GoalMade{}, err
	}
	m, err := made.seen(ctx)
	return made, m, err
}

// seen is how the goal came about, with a first look at it.
func (g *goal) seen(ctx context.Context) (GoalMade, error) {
	m := GoalMade{Path: g.path, ID: g.ID, Objective: g.Objective, Created: g.Created}
	if g.ID == "" {
		return m, nil
	}
	var err error
	m.Fresh, err = g.read(ctx, "the goal, as it was made")
	return m, err
}

// goesOn says whether the goal was made and is active: whether there is anything to look at.
func (m GoalMade) goesOn() bool { return m.ID != "" && goesOn(m.Fresh.Body) }

// change asks for pause, resume, abandon or what is none of them, and reads the
// goal until it shows what it came to.
func (g *goal) change(ctx context.Context, action string, done func(goal wire.Value) bool) (GoalEdit, error) {
	reply, err := g.act(ctx, action)
	if err != nil {
		return GoalEdit{}, err
	}
	return g.after(ctx, action, reply, done)
}

// rewrite edits the goal and reads it until it shows what it came to.
func (g *goal) rewrite(ctx context.Context, label string, body any, done func(goal wire.Value) bool) (GoalEdit, error) {
	reply, err := g.edit(ctx, label, body)
	if err != nil {
		return GoalEdit{}, err
	}
	return g.after(ctx, label, reply, done)
}

// after reads the goal until it shows what was asked of it. A host may take a
// call and carry it out a moment later; of one that it refused nothing is to come.
func (g *goal) after(ctx context.Context, label string, reply GoalReply, done func(goal wire.Value) bool) (GoalEdit, error) {
	e := GoalEdit{Reply: reply}
	what := "the goal after: " + label
	_, err := g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool, error) {
		var err error
		e.After, err = g.read(ctx, what)
		return e.After.Body, err == nil && (!succeeded(reply.Status) || done(e.After.Body)), err
	})
	return e, err
}

// anyhow is where nothing is to come of a call.
func anyhow(wire.Value) bool { return true }

// tick asks the seam for one more run. What it means for a goal that does not
// go on is the host's affair: it may refuse, or answer and fire nothing.
func (g *goal) tick(ctx context.Context, label string, ask openwopv1.GoalTickRequest) (GoalTick, error) {
	// Not g.do: a seam that is switched off may answer 403, and a goal that has ended can be looked at without it.
	reply, err := g.Do(ctx, wire.Call{Method: http.MethodPost, Path: g.at("/tick"), Body: ask, Label: label})
	if err != nil {
		return GoalTick{}, err
	}
	if ask.Escalate != nil { // a run that is stuck does not end by itself
		g.adopt(reply)
	}
	return GoalTick{Status: reply.StatusValue(), RunID: reply.Value("/runId"), Events: reply.Value("/events")}, nil
}

// fire ticks a goal that is active and waits until the goal shows what came of
// it. Only here a seam that is not there can be told from a goal that is closed.
func (g *goal) fire(ctx context.Context, label string, ask openwopv1.GoalTickRequest, what string, done func(goal wire.Value) bool) (GoalTick, error) {
	t, err := g.tick(ctx, label, ask)
	if err != nil {
		return t, err
	}
	if err := g.noSeam(t); err != nil || !succeeded(t.Status) {
		return t, err
	}
	t.Shown, err = g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool, error) {
		reply, err := g.read(ctx, what)
		return reply.Body, err == nil && done(reply.Body), err
	})
	return t, err
}

// noSeam stops a drive where the tick of an active goal shows that there is no seam for us.
func (g *goal) noSeam(t GoalTick) error {
	switch status, _ := t.Status.Int(); {
	case notThere(int(status)):
		return scenarios.Block(fmt.Sprintf("the seam %s/{id}/tick answered HTTP %d", g.path, status), "wire the seam by which a goal is ticked (docs/seams.md)")
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return scenarios.Block("the seam "+g.path+"/{id}/tick refuses the credential", "give a key that may use the test seams with --key")
	}
	return nil
}

// tickThrough ticks once for each ask. The last of them is to end the goal; it
// stops early where the goal ends before, or does not move.
func (g *goal) tickThrough(ctx context.Context, asks ...openwopv1.GoalTickRequest) ([]GoalTick, error) {
	var ticks []GoalTick
	for i, ask := range asks {
		what, done := fmt.Sprintf("the goal shows run %d", i+1), func(goal wire.Value) bool { return hasEnded(goal) || contributed(goal) > i }
		if i == len(asks)-1 {
			what, done = "the goal has ended", hasEnded
		}
		t, err := g.fire(ctx, fmt.Sprintf("tick %d of %d", i+1, len(asks)), ask, what, done)
		if err != nil {
			return ticks, err
		}
		ticks = append(ticks, t)
		if !t.Shown.Reached || hasEnded(t.Shown.Last) {
			break
		}
	}
	return ticks, nil
}

// concluded says whether the last of these ticks ended the goal.
func concluded(ticks []GoalTick) bool {
	return len(ticks) > 0 && hasEnded(ticks[len(ticks)-1].Shown.Last)
}

// unsatisfied is a tick whose run is judged not to have reached the objective,
// with any confidence but none.
func (h host) unsatisfied() openwopv1.GoalTickRequest {
	return openwopv1.GoalTickRequest{Verdict: &openwopv1.ScriptedVerdict{Confidence: new(float64(h.between(1, 99)) / 100)}}
}

// unconvinced is a tick whose run is judged, with no confidence at all, not to
// have reached the objective.
func (h host) unconvinced() openwopv1.GoalTickRequest {
	return openwopv1.GoalTickRequest{Verdict: &openwopv1.ScriptedVerdict{Confidence: new(0.0)}}
}

// satisfied is a tick whose run is judged, with confidence, to have reached it.
func (h host) satisfied() openwopv1.GoalTickRequest {
	return openwopv1.GoalTickRequest{Verdict: &openwopv1.ScriptedVerdict{Satisfied: true, Confidence: new(float64(h.between(90, 100)) / 100)}}
}
