package runs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
)

// Observation is some programs as the plugin went through them.
type Observation struct {
	host.Turns
	Settings model.Settings `json:"settings"`
	Live     bool           `json:"live"` // decisions may differ, as far as the profile says
	Programs []Played       `json:"programs"`
	// Shrunk is how many turns the last program took, which leaves the rules, before it was made smaller; 0 if none leaves them.
	Shrunk int `json:"shrunk,omitempty"`
}

// Played is some runs in one state, with the turns that they took.
type Played struct {
	Runs  []model.Run `json:"runs"`
	Turns []Taken     `json:"turns"`
}

// Taken is a move and its turn.
type Taken struct {
	Move model.Move `json:"move"`
	Turn host.Turn  `json:"turn"`
}

// How many programs are drawn: fewest in any case, and more as long as there is time.
const fewest = 3

var (
	programs = [scenarios.Deep + 1]int{3, 8, 60}
	longest  = [scenarios.Deep + 1]time.Duration{4 * time.Second, 4 * time.Second, 3 * time.Minute}
)

// DrawnRuns plays programs that are drawn.
var DrawnRuns = &scenarios.Drive[Observation]{
	ID: "agenticloop/drawn-runs",
	Title: "takes several runs of drawn length, tools, values and budgets forward side by side, with failures, repeated and late " +
		"results, and results for nearly the right run, step or tool",
	Sends:      []string{"a turn for each start and each result: agentic.start, agentic.tool_result"},
	Waits:      longest[scenarios.Quick],
	Timeout:    10 * time.Minute,
	Dimensions: dimensions,
	Run: func(ctx context.Context, c *scenarios.Conn, o *Observation) {
		p := host.Open(c, &host.Turns{})
		o.Settings, o.Live = settingsOf(ctx, p), p.Live()
		d := newDrawing(p, o.Settings, canGiveUp(ctx, p))
		begin := p.Now()
		for n := range programs[c.Depth] {
			late := func() bool { return n >= fewest && p.Now().Sub(begin) > longest[c.Depth] }
			if late() || !o.play(ctx, p, d.program(), late) {
				break
			}
		}
		for _, played := range o.Programs {
			for _, t := range played.Turns {
				o.Turns = append(o.Turns, t.Turn)
			}
		}
	},
}

// canGiveUp reports whether a seam can have the planner give up and talk nonsense.
func canGiveUp(ctx context.Context, p *host.Plugin) bool {
	for _, kind := range []string{model.Refuse, model.Garbage} {
		plan, err := p.TrySteer(ctx, host.Call(p.Tools()[0], nil), host.Decision{Kind: kind})
		plan.Close()
		if err != nil {
			return false
		}
	}
	return true
}

// settingsOf are those of the profile, once it is seen that a seam can say what runs are to do.
func settingsOf(ctx context.Context, p *host.Plugin) model.Settings {
	s := model.Settings{Retry: p.Can(agenticloopv2.CapabilityRetry), Retries: p.MaxRetries(), Tools: p.Tools()}
	for plugin, tool := range p.Profile.Aliases {
		s.Aliases = append(s.Aliases, plugin, tool)
	}
	slices.Sort(s.Aliases)
	plan, err := p.TrySteer(ctx, host.Call(s.Tools[0], nil), host.Call(s.Tools[0], nil), host.Done("done"))
	plan.Close()
	s.Steered = err == nil
	return s
}

// play plays a program until it is late. If the plugin leaves the rules, it makes the program smaller and returns false.
func (o *Observation) play(ctx context.Context, p *host.Plugin, program model.Program, late func() bool) bool {
	more := p.Soon()
	toTheDeparture := func(moves []model.Move) []Taken {
		smaller := model.Program{Runs: program.Runs, Moves: moves}
		if turns, departed := play(ctx, p, o.Settings, smaller, func() bool { return !more() }); departed {
			return turns
		}
		return nil
	}
	turns, departed := play(ctx, p, o.Settings, program, late)
	if departed {
		o.Shrunk = len(turns)
		turns = host.Shrink(program.Moves, turns, more, toTheDeparture)
	}
	o.Programs = append(o.Programs, Played{program.Runs, turns})
	if departed {
		o.keepAlone(p)
	}
	return !departed
}

// keepAlone removes from the transcript the turns of programs that were too large.
func (o *Observation) keepAlone(p *host.Plugin) {
	var turns []*host.Turn
	for _, played := range o.Programs {
		for i := range played.Turns {
			turns = append(turns, &played.Turns[i].Turn)
		}
	}
	p.KeepOnly(turns...)
}

// play makes the moves of a program, from an empty state up to its end, to the first turn that leaves the rules, or until it is late.
func play(
	ctx context.Context, p *host.Plugin, settings model.Settings, program model.Program, late func() bool,
) (turns []Taken, departed bool) {
	table := table{Plugin: p, settings: settings, program: program, plans: map[int]*host.Plan{}, starts: map[int]host.Job{},
		taken: map[int]host.Job{}}
	defer table.close()
	world := model.Begin(program, settings)
	for _, m := range program.Moves {
		if late() {
			break
		}
		t, ok := world.Turn(m)
		if !ok {
			continue
		}
		turn := table.deliver(ctx, t)
		turns = append(turns, Taken{m, turn})
		if departs(t, turn) != "" {
			return turns, true
		}
		world = world.After(t, seen(t, turn))
	}
	return turns, false
}

// table is where a program is played.
type table struct {
	*host.Plugin
	settings model.Settings
	program  model.Program
	state    host.Object
	plans    map[int]*host.Plan
	starts   map[int]host.Job
	taken    map[int]host.Job // the jobs of the results that runs took last
	turns    int
}

func (b *table) close() {
	for _, plan := range b.plans {
		plan.Close()
	}
}

// deliver hands a move to the plugin.
func (b *table) deliver(ctx context.Context, t model.Turn) host.Turn {
	run := t.Move.Run
	plan := b.steer(ctx, t)
	job := host.Job{Event: b.event(t, plan)}
	switch t.Move.Kind {
	case model.Start:
		job.ID = b.NewID()
		b.starts[run] = job
	case model.StartAgain:
		job = b.starts[run]
	case model.Result:
		job.ID = b.NewID()
	case model.SameAgain:
		job = b.taken[run]
	}
	b.turns++
	job.Name = fmt.Sprintf("delivery %d (%s, run %d)", b.turns, t.Move.Kind, run+1)
	job.State, job.Quiet = b.state, true
	job.Config = host.Object{"max_steps": t.Budget}
	if t.Move.Allowed != nil {
		job.Config["allowed_plugins"] = t.Move.Allowed
	}
	job = plan.Lay(job)
	turn, after := b.Turn(ctx, job)
	b.state = after
	if t.Move.Kind == model.Result && turn.Status() == "ok" {
		b.taken[run] = host.Job{ID: job.ID, Event: job.Event}
	}
	return turn
}

// steer returns how the decisions of a run are steered by this turn. A model is served for each turn, so that it begins with the
// decision that is due.
func (b *table) steer(ctx context.Context, t model.Turn) *host.Plan {
	run := t.Move.Run
	if !b.settings.Steered {
		return &host.Plan{}
	}
	decisions := b.program.Runs[run].Decisions
	plan := b.plans[run]
	if plan == nil {
		plan, _ = b.TrySteer(ctx, decisions...) // what no seam can say, the plugin decides
	}
	if plan.Model != nil && t.Before.Taken > 0 {
		plan.Close()
		due := min(t.Before.Taken+1, len(decisions)-1)
		plan = b.ServeModel(ctx, decisions[due:]...)
	}
	b.plans[run] = plan
	return plan
}

// event makes the event of a move.
func (b *table) event(t model.Turn, plan *host.Plan) host.Object {
	if t.Move.Kind == model.Start {
		of := b.program.Runs[t.Move.Run]
		return b.Start(of.Goal, host.Clone(with(of.Context, plan.Context)))
	}
	due := host.Pending{Run: t.Delivery.Run, Step: t.Delivery.Step, Tool: t.Delivery.Tool}
	body := host.Clone(t.Move.Body)
	if members, isObject := body.(host.Object); isObject {
		body = plan.Body(t.Before.Taken+1, members)
	}
	event := b.Result(due, body)
	if t.Delivery.Status == "error" {
		event = b.Failure(due)
	}
	maps.Copy(event["payload"].(host.Object), t.Payload)
	return event
}

func with(first, second host.Object) host.Object {
	out := maps.Clone(host.OrEmpty(first))
	maps.Copy(out, second)
	return out
}
