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

// act asks for pause, resume or abandon. Not with g.do, like an edit: 403 is one
// way to refuse what may not be.
func act(ctx context.Context, g *host.Goal, action dialect.Operation) host.GoalReply {
	return host.AnswerOf(g.Do(ctx, wire.Call{Operation: g.To(action), Label: action.Name()}))
}

// edit sends a PATCH as the text has it and, where the host knows none, a POST
// on the goal as the published suite does (OWP-R27).
func edit(ctx context.Context, g *host.Goal, label string, body any) host.GoalReply {
	reply := host.AnswerOf(g.Do(ctx, wire.Call{Operation: g.To(dialect.EditGoal), Body: body, Label: label}))
	if status, _ := reply.Status.Int(); host.NotThere(int(status)) {
		return host.AnswerOf(g.Do(ctx, wire.Call{Operation: g.To(dialect.RewriteGoal), Body: body, Label: label + ", by POST"}))
	}
	return reply
}

// GoalStill is a goal that was ticked while it had to stand still.
type GoalStill struct {
	Ticks  []GoalTick     `json:"ticks"`
	Window time.Duration  `json:"windowNs"`
	Later  host.GoalReply `json:"later"`  // read when the window was over
	Strays []host.Child   `json:"strays"` // runs that a tick named, that are there, and that the goal does not show
}

// still ticks a goal that has to stand still: twice, and once more behind a
// barrier. Then it lets a window go by and reads the goal. went are the ticks
// that made it go on. Those that may have come too late, or too often, are
// suspect, like its own: a run that they name must be one that the goal shows.
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

// paceOf is the longest that a tick took to show: how long the goal takes to
// go on when it does go on.
func paceOf(ticks []GoalTick) time.Duration {
	var slowest time.Duration
	for _, t := range ticks {
		slowest = max(slowest, t.Shown.Gap())
	}
	return min(slowest, time.Second) // a slow host does not decide how long we wait
}

// barrier gives the host time to show what it is still at work on: another run
// from end to end, or a quiet window where it offers none.
func barrier(ctx context.Context, h host.Host, pace time.Duration) {
	if !h.Offers(fixture.Noop) {
		h.Quiet(ctx, pace)
		return
	}
	if r := h.Create(ctx, "sentinel", dialect.CreateRunRequest{WorkflowID: fixture.Noop}); r.ID != "" {
		r.AwaitEnd(ctx)
	}
}

// strays are the runs that suspect ticks named and that the goal does not show,
// where the host serves them as runs of its own. A run that got stuck was not
// judged, and need not be shown as a contribution.
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

// GoalTrail is what a goal left behind, beside itself.
type GoalTrail struct {
	Read     wire.Value     `json:"read"`     // HTTP status of the goal's own log
	Events   wire.Value     `json:"events"`   // the list in it
	Runs     []Contribution `json:"runs"`     // that the goal shows
	Stranger wire.Value     `json:"stranger"` // HTTP status of a run id that was never given out
}

// Contribution is a run that the goal shows as one of its own.
type Contribution struct {
	host.Child
	Log host.RunLog `json:"log"`
}

// mostContributions bounds how many runs of a goal are followed.
const mostContributions = 16

// trail reads the goal's own log, and the runs that the goal shows with theirs.
func trail(ctx context.Context, g *host.Goal, last host.GoalReply) GoalTrail {
	var t GoalTrail
	// Not g.do: this endpoint is Assay's own, and a host that has none may answer anything.
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
	// Not g.do: a host may answer 403 for a run that is not ours, and 404 alike.
	stranger := g.Do(ctx, wire.Call{Operation: dialect.ReadRun.Of(host.StrangerOf(t.Runs[0].ID)), Label: "a run that never was"})
	t.Stranger = stranger.StatusValue()
	return t
}

// contribution reads a run under its id, and its log.
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

// snapshots are the runs that the goal shows, as they are served under their ids.
func (o GoalObservation) snapshots() wire.Found {
	f := wire.Found{In: runsOf(o.Still.Later.Body).Ref()}
	for _, r := range o.Trail.Runs {
		f.Values = append(f.Values, r.Snapshot)
	}
	return f
}

// goalEvents are the events of a goal, and how strongly they were seen.
type goalEvents struct {
	wire.Found
	Evidence scenarios.Evidence
}

// events are those of one type, from the first home that shows any. The text
// gives them none, and not one for both types: the goal's own log, the logs of
// its runs and the replies of the seam count. There is no evidence where no home
// is on offer.
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

// homes are the places on offer, in order. A log of a run is one only where it
// shows such an event: that it shows none may mean that they stand elsewhere.
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

// ofGoals are the events of goals among these. What comes twice counts once.
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

// ofType are the events of one type.
func (g goalEvents) ofType(t dialect.Event) wire.Found {
	return g.Where(func(e wire.Value) bool { return dialect.EventOf(e) == t })
}

// once ticks a goal for one run that leaves it active, and waits until the goal
// shows one more than it did.
func once(ctx context.Context, g *host.Goal, label string, before wire.Value) GoalTick {
	n := contributed(before)
	return fire(ctx, g, label, unsatisfied(g.GoalHome.Host), "the goal shows one run more",
		func(goal wire.Value) bool { return hasEnded(goal) || contributed(goal) > n })
}
