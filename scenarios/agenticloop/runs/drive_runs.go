package runs

import (
	"context"
	"slices"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// Observation is some programs as the plugin went through them.
type Observation struct {
	host.Turns
	Settings model.Settings `json:"settings"`
	Live     bool           `json:"live"`            // decisions may differ, as far as the profile says
	Tried    []host.Turn    `json:"tried,omitempty"` // turns that told which tools it asks for
	Programs []Played       `json:"programs"`
	// Shrunk is how many turns the last program took, which leaves the rules, before it was made smaller; 0 if none leaves them.
	Shrunk int `json:"shrunk,omitempty"`
	// Claims are those that the plugin makes, where the questions of several scenarios are asked at once.
	Claims []string `json:"claims,omitempty"`
	// Met is how often wild programs met a rule, and what the turn did then: "since the step is stale: nothing".
	Met map[string]int `json:"met,omitempty"`
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
	Lost *host.Turn `json:"lost,omitempty"` // the same job before, of which the answer was lost
	// Files are those of the run's workspace after the turn, if it has one.
	Files wire.Value `json:"files"`
}

// How many programs are drawn: those that have each end in any case, and more as long as there is time.
var (
	programs = [scenarios.Deep + 1]int{5, 18, 60}
	longest  = [scenarios.Deep + 1]time.Duration{4 * time.Second, 12 * time.Second, 3 * time.Minute}
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
		p := host.Open(ctx, c, &host.Turns{})
		o.begin(ctx, p)
		d := newDrawing(p, o.Settings, canGiveUp(ctx, p))
		d.triggered = d.triggers(ctx)
		begin := p.Now()
		erred := d.slow != "" || !d.models()
		for range programs[c.Depth] {
			all := d.all()
			d.byModel, erred = all && !erred, all || erred
			late := func() bool {
				return len(o.Programs) > 0 && c.NearlyFull() || all && !d.byModel && p.Now().Sub(begin) > longest[c.Depth]
			}
			if late() || !o.play(ctx, p, d.program(), d.byModel, late) {
				break
			}
		}
		o.Turns = slices.Clone(o.Tried)
		for _, played := range o.Programs {
			for _, t := range played.all() {
				o.Turns = append(o.Turns, *t)
			}
		}
	},
}

// all returns the turns, with those of which the answer was lost.
func (p Played) all() (turns []*host.Turn) {
	for i := range p.Turns {
		if t := &p.Turns[i]; t.Lost != nil {
			turns = append(turns, t.Lost)
		}
		turns = append(turns, &p.Turns[i].Turn)
	}
	return turns
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

// scripted is the seam that can say that a plan is given up.
const scripted = "scripted_config"

// begin takes the settings of the profile, once it is seen that a seam can say what runs are to do.
func (o *Observation) begin(ctx context.Context, p *host.Plugin) {
	s := model.Settings{Retry: p.Can(agenticloopv2.CapabilityRetry), Retries: p.MaxRetries(), Tools: p.Tools(), Name: p.OwnName()}
	for plugin, tool := range p.Profile.Aliases {
		s.Aliases = append(s.Aliases, plugin, tool)
	}
	slices.Sort(s.Aliases)
	plan, err := p.TrySteer(ctx, host.Call(s.Tools[0], nil), host.Call(s.Tools[0], nil), host.Done("done"))
	plan.Close()
	s.Steered, s.Own = err == nil, p.Can(agenticloopv2.CapabilityContextDelivery)
	if p.Can(agenticloopv2.CapabilityReframe) && plan.Via == scripted { // other seams say it beside what else they say
		again, err := p.TrySteer(ctx, host.Call(s.Tools[0], nil), host.Reframe, host.Call(s.Tools[0], nil))
		s.Reframe = err == nil && again.Via == scripted
		again.Close()
	}
	if s.Steered && p.Slow() == "" {
		s.Tools = o.withForeign(ctx, p, s.Tools)
	}
	o.Settings, o.Live = s, p.Live()
}

// triggers reports whether such a start asks for a tool: another scenario says that it has to.
func (d *drawing) triggers(ctx context.Context) bool {
	if d.slow != "" {
		return false
	}
	start := d.Start(d.NewGoal(), nil)
	start["type"] = host.Trigger
	t, _ := d.Turn(ctx, host.Job{Name: "a start that comes as " + host.Trigger, Event: start, Quiet: true})
	_, asks := host.PendingOf(t)
	return asks
}

// foreign are tools that no profile lists, with letters that a careless agent changes.
var foreign = []string{"WebFetch", "page-reader_2.1", "page_reader", "reader-of-pages-that-are-longer-than-most-others"}

// raw makes the name of another tool, which a careless comparison takes for that of the first.
const raw = "-raw"

// withForeign returns the tools, and foreign ones that the plugin asks for as well where its list has them.
func (o *Observation) withForeign(ctx context.Context, p *host.Plugin, tools []string) []string {
	all := append(slices.Concat(tools, foreign), tools[0]+raw)
	return slices.DeleteFunc(all, func(tool string) bool {
		if slices.Contains(tools, tool) {
			return false
		}
		plan, _ := p.TrySteer(ctx, host.Call(tool, nil), host.Done("done"))
		defer plan.Close()
		t, _ := p.Turn(ctx, plan.Lay(host.Job{
			Name: "a start that wants " + tool, Event: p.Start(p.NewGoal(), plan.Context), Config: host.Object{"allowed_plugins": all},
			Quiet: true,
		}))
		o.Tried = append(o.Tried, t)
		due, asks := host.PendingOf(t)
		return !asks || due.Tool != tool
	})
}

// play plays a program until it is late. If the plugin leaves the rules, it makes the program smaller and returns false.
func (o *Observation) play(ctx context.Context, p *host.Plugin, program model.Program, byModel bool, late func() bool) bool {
	more := p.Soon()
	turns, departed := o.on(p, program, byModel).play(ctx, late)
	if departed {
		o.Shrunk = len(turns)
		o.keepAlone(p, turns)
		shortest := turns
		turns = host.Shrink(ctx, p, program.Moves, turns, more, func(ctx context.Context, moves []model.Move) []Taken {
			smaller := model.Program{Runs: program.Runs, Moves: moves}
			turns, departed := o.on(p, smaller, byModel).play(ctx, func() bool { return !more() })
			if departed {
				shortest = turns
			}
			if o.keepAlone(p, shortest); !departed {
				return nil
			}
			return turns
		})
	}
	o.Programs = append(o.Programs, Played{program.Runs, turns})
	return !departed
}

// keepAlone removes from the transcript the turns of programs that were too large, or kept the rules.
func (o *Observation) keepAlone(p *host.Plugin, shortest []Taken) {
	var turns []*host.Turn
	for i := range o.Tried {
		turns = append(turns, &o.Tried[i])
	}
	for _, played := range append(slices.Clone(o.Programs), Played{Turns: shortest}) {
		turns = append(turns, played.all()...)
		for i := range played.Turns {
			played.Turns[i].Files = wire.Value{} // the listings are no turns
		}
	}
	p.KeepOnly(turns...)
}
