package goals

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
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
	// Shown waits for the effect of the tick on a goal that should continue. Shown.Last holds the goal, read by its id.
	Shown wire.Wait `json:"shown"`
}

func stateOf(goal wire.Value) wire.Value { return goal.Key("state") }

func runsOf(goal wire.Value) wire.Value { return goal.At("/progress/contributingRunIds") }

func iterationsOf(goal wire.Value) wire.Value { return goal.At("/progress/iterations") }

// runCount returns the number of runs that the goal lists as judged.
func runCount(goal wire.Value) int {
	if n, ok := iterationsOf(goal).Int(); ok {
		return int(n)
	}
	list, _ := runsOf(goal).Actual().([]any)
	return len(list)
}

// hasEnded reports whether the goal shows a terminal state.
func hasEnded(goal wire.Value) bool {
	state := stateOf(goal).String()
	return state != "" && state != string(dialect.GoalStateActive)
}

// isActive reports whether the goal shows itself as active.
func isActive(goal wire.Value) bool { return stateOf(goal).String() == string(dialect.GoalStateActive) }

// madeActive reports whether the goal was made and is active, so that it can be observed further.
func madeActive(m host.GoalMade) bool { return m.ID != "" && isActive(m.Fresh.Body) }

// change calls an operation that changes the goal, then reads the goal until done accepts it.
func change(ctx context.Context, g *host.Goal, action dialect.Operation, done func(goal wire.Value) bool) GoalEdit {
	reply := act(ctx, g, action)
	return after(ctx, g, action.Name(), reply, done)
}

// rewrite edits the goal, then reads it until done accepts it.
func rewrite(ctx context.Context, g *host.Goal, label string, body any, done func(goal wire.Value) bool) GoalEdit {
	reply := edit(ctx, g, label, body)
	return after(ctx, g, label, reply, done)
}

// after reads the goal until it shows the requested change. A host may accept a call and carry it out
// a moment later; a refused call changes nothing, so after does not wait for one.
func after(ctx context.Context, g *host.Goal, label string, reply host.GoalReply, done func(goal wire.Value) bool) GoalEdit {
	e := GoalEdit{Reply: reply}
	what := "the goal after: " + label
	g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		e.After = g.Read(ctx, what)
		return e.After.Body, (!host.Succeeded(reply.Status) || done(e.After.Body))
	})
	return e
}

// anyGoal accepts any goal: the call is not expected to change it.
func anyGoal(wire.Value) bool { return true }

// tick asks the seam for one more run. For a goal that is not active the host may refuse,
// or answer and fire nothing.
func tick(ctx context.Context, g *host.Goal, label string, ask dialect.GoalTickRequest) GoalTick {
	t, _ := ticked(ctx, g, label, ask)
	return t
}

func ticked(ctx context.Context, g *host.Goal, label string, ask dialect.GoalTickRequest) (GoalTick, *wire.Reply) {
	// Do, not Permitted: a disabled seam may answer 403, and an ended goal can be observed without it.
	reply := g.Do(ctx, wire.Call{Operation: g.To(dialect.TickGoal), Body: ask, Label: label})
	if ask.Escalate != nil { // a stuck run does not end by itself
		g.Adopt(reply)
	}
	return GoalTick{Status: reply.StatusValue(), RunID: reply.Value("/runId"), Events: reply.Value("/events")}, reply
}

// fire ticks an active goal and waits until the goal shows the effect. Only an active goal
// tells a missing seam from a closed goal.
func fire(ctx context.Context, g *host.Goal, label string, ask dialect.GoalTickRequest, what string,
	done func(goal wire.Value) bool) GoalTick {
	t, reply := ticked(ctx, g, label, ask)
	requireSeam(g, t)
	if !host.Succeeded(t.Status) {
		return t
	}
	t.Shown = g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		reply := g.Look(ctx, what)
		return reply.Body, done(reply.Body)
	})
	if !t.Shown.Reached {
		host.NoStub(g.PathOf(g.To(dialect.TickGoal)), reply)
	}
	return t
}

// requireSeam ends the drive if ticking an active goal shows that the seam is missing or refused to us.
func requireSeam(g *host.Goal, t GoalTick) {
	switch status, _ := t.Status.Int(); {
	case host.NotThere(int(status)):
		scenarios.End(scenarios.Block(fmt.Sprintf("the seam %s answered HTTP %d", g.PathOf(g.To(dialect.TickGoal)), status),
			"wire the seam that ticks a goal (docs/seams.md)"))
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		scenarios.End(scenarios.Block("the seam "+g.PathOf(g.To(dialect.TickGoal))+" refuses the credential",
			"give a key that may use the test seams with --key"))
	}
}

// tickThrough ticks once for each ask, the last of which should end the goal. It
// stops early if the goal ends before that or does not move.
func tickThrough(ctx context.Context, g *host.Goal, asks ...dialect.GoalTickRequest) []GoalTick {
	ticks, _ := tickTouched(ctx, g, untouched, asks...)
	return ticks
}

func untouched(*host.Goal) bool { return true }

// tickTouched is tickThrough with a touch before every tick but the first. goesOn is false if a touch ended or stopped the goal.
func tickTouched(ctx context.Context, g *host.Goal, touch func(*host.Goal) bool, asks ...dialect.GoalTickRequest) (ticks []GoalTick,
	goesOn bool) {
	for i, ask := range asks {
		if i > 0 && !touch(g) {
			return ticks, false
		}
		what, done := fmt.Sprintf("the goal shows run %d", i+1), func(goal wire.Value) bool { return hasEnded(goal) || runCount(goal) > i }
		if i == len(asks)-1 {
			what, done = "the goal has ended", hasEnded
		}
		t := fire(ctx, g, fmt.Sprintf("tick %d of %d", i+1, len(asks)), ask, what, done)
		ticks = append(ticks, t)
		if !t.Shown.Reached || hasEnded(t.Shown.Last) {
			break
		}
	}
	return ticks, true
}

// concluded reports whether the last of these ticks ended the goal.
func concluded(ticks []GoalTick) bool {
	return len(ticks) > 0 && hasEnded(ticks[len(ticks)-1].Shown.Last)
}

// unsatisfied returns a tick whose run is judged, with a random confidence above zero, not to
// have reached the objective.
func unsatisfied(h host.Host) dialect.GoalTickRequest {
	return dialect.GoalTickRequest{Verdict: &dialect.ScriptedVerdict{Confidence: new(float64(h.Between(1, 99)) / 100)}}
}

// unconvinced returns a tick whose run is judged, with zero confidence, not to have reached the objective.
func unconvinced(h host.Host) dialect.GoalTickRequest {
	return dialect.GoalTickRequest{Verdict: &dialect.ScriptedVerdict{Confidence: new(0.0)}}
}

// satisfied returns a tick whose run is judged, with confidence, to have reached the objective.
func satisfied(h host.Host) dialect.GoalTickRequest {
	return dialect.GoalTickRequest{Verdict: &dialect.ScriptedVerdict{Satisfied: true, Confidence: new(float64(h.Between(90, 100)) / 100)}}
}

// act calls pause, resume or abandon. It uses Do, not Permitted, as edit does: 403 is one
// way to refuse a forbidden change.
func act(ctx context.Context, g *host.Goal, action dialect.Operation) host.GoalReply {
	return host.AnswerOf(g.Do(ctx, wire.Call{Operation: g.To(action), Label: action.Name()}))
}

// edit sends the PATCH that the RFC specifies. If the host does not know it, edit sends a POST
// on the goal, as the published suite does (OWP-R27).
func edit(ctx context.Context, g *host.Goal, label string, body any) host.GoalReply {
	reply := host.AnswerOf(g.Do(ctx, wire.Call{Operation: g.To(dialect.EditGoal), Body: body, Label: label}))
	if status, _ := reply.Status.Int(); host.NotThere(int(status)) {
		byPost := wire.Call{Operation: g.To(dialect.RewriteGoal), Body: body, Label: label + ", by POST"}
		return host.AnswerOf(g.Do(wire.Misfit(ctx, "OWP-R27"), byPost))
	}
	return reply
}

// GoalStill is a goal that was ticked while it was required to stay still.
type GoalStill struct {
	Ticks  []GoalTick     `json:"ticks"`
	Window time.Duration  `json:"windowNs"`
	Later  host.GoalReply `json:"later"`  // read after the window
	Strays []host.Child   `json:"strays"` // existing runs that a tick named and that the goal does not list
}

// still ticks a goal that must stay still: twice, then once more after a barrier. It then waits
// for a quiet window and reads the goal. went holds the ticks that advanced the goal. suspect holds
// ticks that may have come too late or too often. Like those of still itself, they may
// name only runs that the goal lists.
func still(ctx context.Context, g *host.Goal, ask dialect.GoalTickRequest, went []GoalTick, suspect ...GoalTick) GoalStill {
	var s GoalStill
	pace := paceOf(slices.Concat(went, suspect))
	for i := range 3 {
		if i == 2 {
			barrier(ctx, g.GoalHome.Host, pace)
		}
		t := tick(ctx, g, fmt.Sprintf("tick %d while it has to stand still", i+1), ask)
		s.Ticks = append(s.Ticks, t)
	}
	s.Window = g.Quiet(ctx, pace)
	s.Later = g.Read(ctx, "the goal after a quiet window")
	s.Strays = strays(ctx, g, s.Later.Body, went, slices.Concat(suspect, s.Ticks))
	return s
}

// paceOf returns the longest time that a tick took to show, bounded to a second. It
// estimates how long an active goal takes to move.
func paceOf(ticks []GoalTick) time.Duration {
	var slowest time.Duration
	for _, t := range ticks {
		slowest = max(slowest, t.Shown.Gap())
	}
	return min(slowest, time.Second) // a slow host does not decide how long we wait
}

// barrier gives the host time to finish and show outstanding work: a complete second run,
// or a quiet window if the host offers no workflow for one.
func barrier(ctx context.Context, h host.Host, pace time.Duration) {
	if !h.Offers(fixture.Noop) {
		h.Quiet(ctx, pace)
		return
	}
	if r := h.Create(ctx, "sentinel", dialect.CreateRunRequest{WorkflowID: fixture.Noop}); r.ID != "" {
		r.AwaitEnd(ctx)
	}
}

// strays returns the runs that suspect ticks named, that the host serves, and that the goal does not
// list. A stuck run was not judged and need not be listed as a contribution.
func strays(ctx context.Context, g *host.Goal, goal wire.Value, went, suspect []GoalTick) []host.Child {
	known := map[string]bool{"": true}
	for _, id := range runsOf(goal).Items() {
		known[id.String()] = true
	}
	for _, t := range went {
		known[t.RunID.String()] = true
	}
	var out []host.Child
	for _, t := range suspect {
		id := t.RunID.String()
		if known[id] {
			continue
		}
		known[id] = true
		reply := (&host.Run{Host: g.Host, ID: id}).Snapshot(ctx, "a run that the goal does not show")
		if reply.Success() {
			out = append(out, host.Child{ID: id, Snapshot: reply.Value("")})
		}
	}
	return out
}

// GoalTrail holds the records that a goal left outside its own resource.
type GoalTrail struct {
	Read     wire.Value     `json:"read"`     // HTTP status of the goal's own log
	Events   wire.Value     `json:"events"`   // the list in it
	Runs     []Contribution `json:"runs"`     // as listed by the goal
	Stranger wire.Value     `json:"stranger"` // HTTP status of a run id that was never given out
}

// Contribution is a run that the goal lists as its own.
type Contribution struct {
	host.Child
	Log host.RunLog `json:"log"`
}

// mostContributions bounds the number of runs followed for one goal.
const mostContributions = 16

// trail reads the goal's own log, and the listed runs with their logs.
func trail(ctx context.Context, g *host.Goal, last host.GoalReply) GoalTrail {
	var t GoalTrail
	// Do, not Permitted: this endpoint is Assay's own, and a host without it may answer anything.
	reply := g.Do(ctx, wire.Call{Operation: g.To(dialect.ReadTrail), Label: "log of the goal"})
	t.Read, t.Events = reply.StatusValue(), reply.Value("/events")
	shown := runsOf(last.Body).Items()
	for _, id := range shown[:min(len(shown), mostContributions)] {
		c := contribution(ctx, g, id.String())
		t.Runs = append(t.Runs, c)
	}
	if len(t.Runs) == 0 {
		return t
	}
	// Do, not Permitted: for a run that is not ours, a host may answer 403 as well as 404.
	stranger := g.Do(ctx, wire.Call{Operation: dialect.ReadRun.Of(host.StrangerOf(t.Runs[0].ID)), Label: "a run that never was"})
	t.Stranger = stranger.StatusValue()
	return t
}

// contribution reads a run by its id, and its log.
func contribution(ctx context.Context, g *host.Goal, id string) Contribution {
	c := Contribution{Child: host.Child{ID: id}}
	if id == "" {
		return c
	}
	r := &host.Run{Host: g.Host, ID: id, Gone: func() {}}
	r.Created = r.Snapshot(ctx, "contributing run")
	if c.Snapshot = r.Created.Value(""); !r.Created.Success() {
		return c
	}
	c.Log = r.ReadLog(ctx, "log of the contributing run")
	return c
}

// snapshots returns the listed runs, as served under their ids.
func (o GoalObservation) snapshots() wire.Found {
	f := wire.Found{In: runsOf(o.Still.Later.Body).Ref()}
	for _, r := range o.Trail.Runs {
		f.Values = append(f.Values, r.Snapshot)
	}
	return f
}

// goalEvents holds the events of a goal, and the strength of the evidence for them.
type goalEvents struct {
	wire.Found
	Evidence scenarios.Evidence
}

// events returns the events of one type, from the first home that shows any. The RFC
// does not say where goal events stand, and the two types may stand in different places, so
// events accepts the goal's own log, the logs of its runs and the seam's replies. It
// returns no evidence if the host offers no home.
func (o GoalObservation) events(t dialect.Event) goalEvents {
	homes := o.homes()
	for _, home := range homes {
		if found := home.ofType(t); len(found.Values) > 0 {
			return goalEvents{found, home.Evidence}
		}
	}
	if len(homes) > 0 {
		return goalEvents{homes[0].ofType(t), homes[0].Evidence}
	}
	return goalEvents{}
}

// homes returns the available places in order of preference. The log of a run counts only if
// it shows such an event: a log without one may mean that they stand elsewhere.
func (o GoalObservation) homes() []goalEvents {
	var out []goalEvents
	if host.IsList(o.Trail.Events) {
		out = append(out, goalEvents{ofGoals(o.Trail.Events.Items(), o.Trail.Events.Ref()), scenarios.Observed})
	}
	var logs wire.Values
	for _, r := range o.Trail.Runs {
		logs = append(logs, r.Log.Events...)
	}
	if found := ofGoals(logs, o.Trail.Read.Ref()); len(found.Values) > 0 {
		out = append(out, goalEvents{found, scenarios.Observed})
	}
	var told wire.Values
	offered := false
	for _, t := range slices.Concat(o.Ticks, o.Still.Ticks, o.Revival.Still.Ticks) {
		told = append(told, t.Events.Items()...)
		offered = offered || host.IsList(t.Events)
	}
	if offered {
		out = append(out, goalEvents{ofGoals(told, o.Ticks[0].Events.Ref()), scenarios.Attested})
	}
	return out
}

// ofGoals selects the goal events, without duplicates.
func ofGoals(events wire.Values, in wire.Ref) wire.Found {
	known := map[string]bool{}
	return wire.Found{Values: events, In: in}.Where(func(e wire.Value) bool {
		id := e.Key("eventId").String()
		if !isGoalEvent(e) || known[id] {
			return false
		}
		known[id] = id != ""
		return true
	})
}

func isGoalEvent(e wire.Value) bool {
	t := dialect.EventOf(e)
	return t == dialect.GoalEvaluated || t == dialect.GoalClosed
}

// ofType selects the events of one type.
func (g goalEvents) ofType(t dialect.Event) wire.Found {
	return g.Where(func(e wire.Value) bool { return dialect.EventOf(e) == t })
}

// once ticks an active goal for one run that leaves it active, and waits until the goal
// lists one more run than before.
func once(ctx context.Context, g *host.Goal, label string, before wire.Value) GoalTick {
	return onceAs(ctx, g, label, unsatisfied(g.GoalHome.Host), before)
}
