package goals

import (
	"context"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

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
