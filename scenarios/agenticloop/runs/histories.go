package runs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/wire"
)

// Histories makes programs that nobody thought of, and asks all questions of [Suite] about them.
func Histories() scenarios.Suite {
	s := questions
	s.Ask, s.Depth = scenarios.Ask(wildRuns, judgeHistories), scenarios.Standard
	return scenarios.Suite{
		ID: explore.SuiteID, Title: "drawn histories of several runs, against all that the text lets a turn do",
		Scenarios: []scenarios.Scenario{s},
	}
}

// questions are those of the suite, in one: the drive of the histories asks it as well, about each of them.
var questions = scenarios.Scenario{
	ID:     "agenticloop/histories/runs",
	Title:  "runs go the way that the text has, whatever comes for them in whatever order",
	Proves: scenarios.IDs{agenticloop.RFC103I7}, Watches: watched(),
	Claim: claims.Plugin, Ask: scenarios.Ask(DrawnRuns, judgeHistories),
}

// watched returns the sentences that the parts prove, and those that a turn may break on the way.
func watched() (all scenarios.IDs) {
	all = scenarios.IDs{agenticloop.RFC103G2, agenticloop.RFC103P3, agenticloop.RFC103READ1, agenticloop.RFC103V8}
	for _, s := range Suite().Scenarios {
		all = append(all, s.Proves...)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(id scenarios.RequirementID) bool { return id == agenticloop.RFC103I7 })
}

// wildRuns plays programs until one shows a violation, and makes that one smaller.
var wildRuns = &scenarios.Drive[Observation]{
	ID: "agenticloop/wild-runs",
	Title: "takes up to four runs forward side by side in drawn orders: whatever may come for a run comes at any of its steps, twice, late, " +
		"with another config, or after its end",
	Sends:      []string{"a turn for each start and each result: agentic.start, agentic.tool_result"},
	Once:       "it draws many programs itself",
	Dimensions: append([]*scenarios.Dimension{histories, crowd, length}, dimensions...),
	Run: func(ctx context.Context, c *scenarios.Conn, o *Observation) {
		p := host.Open(ctx, c, &host.Turns{})
		o.begin(ctx, p)
		for _, claim := range claims.All {
			if _, claimed := claim.Look(c.Discovery); claimed {
				o.Claims = append(o.Claims, claim.ID)
			}
		}
		o.Met = map[string]int{}
		d := newDrawing(p, o.Settings, canGiveUp(ctx, p))
		d.wilder(ctx)
		for range c.Draw(histories) {
			d.byModel = d.models() && p.Rand.IntN(4) == 0
			if !o.history(ctx, p, d.wild(), d.byModel) {
				break
			}
		}
	},
}

// history plays a program. If that shows a violation, it makes the program smaller and returns false.
func (o *Observation) history(ctx context.Context, p *host.Plugin, program model.Program, byModel bool) bool {
	play := func(ctx context.Context, program model.Program, late func() bool) (played Played, sound bool) {
		played.Runs = program.Runs
		played.Turns, _ = o.on(p, program, byModel).play(ctx, late)
		return played, scenarios.Conclude(questions, host.Ledger(), o.alone(played)).Verdict != scenarios.Failed
	}
	played, sound := play(ctx, program, func() bool { return false })
	for _, t := range o.alone(played).tell() {
		since := "since it is a start"
		if t.Rule != nil {
			since = t.Rule.Since
		}
		o.Met[since+": "+string(t.seen.Did)]++
	}
	if !sound {
		o.Shrunk = len(played.Turns)
		s := &shrinking{Plugin: p, least: played, more: p.Soon()}
		s.play = func(ctx context.Context, program model.Program) (Played, bool) {
			played, sound := play(ctx, program, func() bool { return !s.more() })
			return played, !sound
		}
		s.shrink(ctx)
		played = s.least
	}
	o.Programs = append(o.Programs, played)
	return sound
}

// alone returns the observation of a single program.
func (o Observation) alone(p Played) Observation {
	o.Programs, o.Turns, o.Shrunk = []Played{p}, nil, 0
	for _, t := range p.all() {
		o.Turns = append(o.Turns, *t)
	}
	return o
}

// judgeHistories asks the questions that hang on no claim that the plugin does not make, about each program by itself.
func judgeHistories(o Observation, j *scenarios.Judge) {
	host.GivenReached(j, len(o.Programs) > 0)
	j.Tell(o.picture)
	came := false
	for _, p := range o.Programs {
		alone := o.alone(p)
		for _, s := range Suite().Scenarios {
			if slices.Contains(o.Claims, s.Claim.ID) {
				came = j.Take(s, alone) || came
			}
		}
	}
	if !came {
		j.Block("setup failed: no program came to a turn that can be judged", "see the turns of its transcript")
	}
}

// picture tells the program in which a check failed, a line a move, and what would have been allowed where it did.
func (o Observation) picture(failed check.Result) string {
	for _, p := range o.Programs {
		at := slices.IndexFunc(p.Turns, func(t Taken) bool {
			refs := slices.Concat(t.Turn.Exit.Refs(), t.Files.Refs())
			if t.Lost != nil {
				refs = append(refs, t.Lost.Exit.Refs()...)
			}
			return slices.ContainsFunc(refs, func(at wire.Ref) bool { return at.Exchange == failed.Where.Exchange })
		})
		if at < 0 {
			continue
		}
		var b strings.Builder
		for i, t := range o.alone(p).tell() {
			switch {
			case i < at:
				fmt.Fprintf(&b, "  %s\n", t.line())
			case i == at:
				fmt.Fprintf(&b, "x %s\n  allowed: %s\n", t.line(), t.allowed())
			}
		}
		return b.String()
	}
	return "  the turn is no move of a program\n"
}

// line tells what a turn was handed and what it did.
func (t told) line() string {
	what := fmt.Sprintf("run %d: %s", t.Move.Run+1, t.Move.Kind)
	if t.Rule != nil {
		what += fmt.Sprintf(", step %d, %s, %s", t.Delivery.Step, t.Delivery.Tool, cmp.Or(t.Delivery.Status, "neither ok nor error"))
	}
	for _, more := range []struct {
		is   bool
		what string
	}{
		{t.Rule == nil || t.Move.Budget > 0, fmt.Sprintf("max_steps %d", t.Budget)},
		{t.Move.Allowed != nil, "allowed_plugins " + strings.Join(t.Move.Allowed, " ")},
		{t.Move.Own, "as an event of the tool's own"},
		{t.Move.Left, "with what another step left in the context"},
		{t.Plans > 0, fmt.Sprintf("%d plans are to be given up", t.Plans)},
		{t.Decision != nil, t.toDecide()},
		{t.lost != nil, "for the second time, since the answer was lost"},
	} {
		if more.is {
			what += ", " + more.what
		}
	}
	return what + " -> " + t.did()
}

// toDecide tells what the planner is to decide.
func (t told) toDecide() string {
	if t.Decision == nil {
		return ""
	}
	return strings.TrimSpace("the planner is to say " + t.Decision.Kind + " " + t.Decision.Tool)
}

// did tells what a turn did.
func (t told) did() string {
	switch t.seen.Did {
	case model.Asked, model.Retried, model.Repeated:
		asked := t.host.Requests().Last().Key("payload")
		return fmt.Sprintf("%s: step %s, %s", t.seen.Did, asked.Key("step").JSON(), t.seen.Tool)
	}
	return string(t.seen.Did)
}

// allowed tells what a turn may do.
func (t told) allowed() string {
	switch {
	case t.Rule == nil && t.MayEnd:
		return "a run of its own that asks for step 1, or ends at once"
	case t.Rule == nil:
		return "a run of its own that asks for step 1"
	case t.MustEnd:
		return "escalated, since its budget or its retries are used up"
	case t.Over:
		return "escalated, since it has given up as many plans as it may"
	}
	may := make([]string, len(t.Rule.May))
	for i, o := range t.Rule.May {
		may[i] = string(o)
	}
	return strings.Join(may, " or ") + ", " + t.Rule.Since
}
