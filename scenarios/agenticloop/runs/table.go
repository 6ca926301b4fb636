package runs

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// table is where a program is played.
type table struct {
	*host.Plugin
	settings model.Settings
	program  model.Program
	byModel  bool // a model takes the decisions
	state    host.Object
	plans    map[int]*host.Plan
	dirs     map[int]string // workspaces
	starts   map[int]host.Job
	taken    map[int]host.Job // the jobs of the results that runs took last
	failed   map[int]host.Job // those of the failures of their pending steps
	turns    int
}

// on returns the table for a program.
func (o *Observation) on(p *host.Plugin, program model.Program, byModel bool) *table {
	return &table{Plugin: p, settings: o.Settings, program: program, byModel: byModel, dirs: map[int]string{}, plans: map[int]*host.Plan{},
		starts: map[int]host.Job{}, taken: map[int]host.Job{}, failed: map[int]host.Job{}}
}

// play makes the moves of the program, from an empty state up to its end, to the first turn that leaves the rules, or until it is late.
func (b *table) play(ctx context.Context, late func() bool) (turns []Taken, departed bool) {
	defer b.close()
	for i, run := range b.program.Runs {
		if run.Filed {
			b.dirs[i] = scenarios.Get(wire.NewFolder("workspace-"))
			defer wire.RemoveFolder(b.dirs[i])
		}
	}
	world, erring := model.Begin(b.program, b.settings), true
	for _, m := range b.program.Moves {
		if late() {
			break
		}
		t, ok := world.Turn(m)
		if !ok || m.Kind == model.Erring && !erring || m.Kind == model.StartAgain && host.RunsOf(b.state)[t.Before.ID] == nil {
			continue // a plugin may let go of a run that is over (AL-R25)
		}
		taken := b.take(ctx, t)
		if m.Kind == model.Erring && taken.Turn.Patience != "" { // it waits for its model for longer than we do, and nothing came of it
			erring = false
			continue
		}
		turns = append(turns, taken)
		if departs(t, taken.Turn) != "" {
			return turns, true
		}
		world = world.After(t, seen(t, taken.Turn))
	}
	return turns, false
}

func (b *table) close() {
	for _, plan := range b.plans {
		plan.Close()
	}
}

// take hands a move to the plugin, twice if its answer is lost the first time.
func (b *table) take(ctx context.Context, t model.Turn) Taken {
	plan := b.steer(ctx, t)
	job := plan.Lay(b.job(t, plan))
	turn, after := b.Turn(ctx, job)
	out := Taken{Move: t.Move, Turn: turn}
	if t.Move.Own && departs(t, turn) != "" { // does a result lead there as well?
		t.Move.Own = false
		t.Move.Left = false
		if turn, _ = b.Turn(ctx, plan.Lay(b.job(t, plan))); departs(t, turn) != "" {
			out = Taken{Move: t.Move, Turn: turn}
		}
	}
	if t.Move.Twice && plan.Model == nil && job.Workspace == "" && departs(t, turn) == "" {
		lost := turn
		out.Lost = &lost
		job.Name += ", once more since its answer was lost"
		out.Turn, after = b.Turn(ctx, job)
	}
	b.state = after
	if job.Workspace != "" {
		out.Files = b.ReadFolder("the workspace after "+job.Name, job.Workspace).Value("")
	}
	again := host.Job{ID: job.ID, Event: job.Event, Context: job.Context}
	switch run := t.Move.Run; {
	case out.Turn.Status() != "ok":
	case t.Move.Kind == model.Result, t.Move.Kind == model.Erring && out.Turn.Moved():
		b.taken[run] = again
	case t.Move.Kind == model.Failure:
		b.failed[run] = again
	}
	return out
}

// job makes the job of a move.
func (b *table) job(t model.Turn, plan *host.Plan) host.Job {
	run := t.Move.Run
	job := host.Job{ID: b.NewID(), Event: b.event(t, plan)}
	if t.Move.Own {
		job.Context = host.Object{"run_id": t.Delivery.Run, "step": t.Delivery.Step, "tool": t.Delivery.Tool}
	}
	if t.Move.Left && t.Move.Kind != model.Start {
		job.Context = left(t, job.Event, job.Context)
	}
	switch t.Move.Kind {
	case model.Start:
		if b.starts[run] = job; len(t.Payload) > 0 {
			job.Context = host.Clone(t.Payload)
		}
	case model.StartAgain:
		job.ID, job.Event = b.starts[run].ID, b.starts[run].Event
	case model.SameAgain:
		job = b.taken[run]
	case model.FailedAgain:
		job = b.failed[run]
	}
	b.turns++
	job.Name = fmt.Sprintf("delivery %d (%s, run %d)", b.turns, t.Move.Kind, run+1)
	job.State, job.Quiet = b.state, true
	job.Workspace = b.dirs[run]
	job.Config = host.Object{"max_steps": t.Budget}
	if b.settings.Reframe {
		job.Config["max_reframes"] = b.program.Runs[run].Reframes
	}
	if job.Config["allowed_plugins"] = b.settings.Tools; t.Move.Allowed != nil {
		job.Config["allowed_plugins"] = t.Move.Allowed
	}
	return job
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
	switch {
	case plan == nil && b.byModel:
		plan = b.ServeModel(ctx, decisions...)
	case plan == nil:
		plan, _ = b.TrySteer(ctx, scriptOf(decisions)...) // what no seam can say, the plugin decides
	}
	if plan.Model != nil && (t.Before.Taken > 0 || t.Before.Known) {
		plan.Close()
		if due := decisions[min(t.Before.Taken+1, len(decisions)-1):]; len(t.Move.Wishes) > 0 {
			plan = b.ServeModel(ctx, t.Move.Wishes...)
			if plan.Model.Misbehave(nil, true); t.Move.Pick%2 == 0 {
				plan.Model.CallNatively()
			}
		} else {
			plan = b.ServeModel(ctx, due...)
		}
		if t.Move.Kind == model.Erring && len(t.Move.Wishes) == 0 {
			plan.Model.Misbehave(spoiled[t.Move.Pick%len(spoiled)], false)
		}
	}
	b.plans[run] = plan
	return plan
}

// spoiled are ways in which a model fails to send a decision. None asks to be asked again later: a plugin may wait for that.
var spoiled = []host.Sending{host.SendsError(500), host.SendsHalf, host.SendsError(400), host.SendsError(401)}

// scriptOf returns decisions in their order, with a reframe before each for which a plan is given up.
func scriptOf(decisions []model.Decision) (script []host.Decision) {
	for _, d := range decisions {
		script = append(script, slices.Repeat([]host.Decision{host.Reframe}, d.Plans())...)
		script = append(script, d)
	}
	return script
}

// models reports whether a model can be served that takes the decisions of a program, and that wants several at once.
func (d *drawing) models() bool {
	if !d.settings.Steered || !d.HasModel() {
		return false
	}
	words := d.Profile.Seams.MockLlm.Decisions
	return !slices.ContainsFunc([]string{model.Call, model.Done, model.Refuse, model.Garbage}, func(kind string) bool {
		_, err := host.Worded(words, model.Decision{Kind: kind})
		return err != nil
	})
}

// event makes the event of a move.
func (b *table) event(t model.Turn, plan *host.Plan) host.Object {
	if t.Move.Kind == model.Start {
		of := b.program.Runs[t.Move.Run]
		start := b.Start(of.Goal, host.Clone(with(of.Context, plan.Context)))
		if of.Trigger {
			start["type"] = host.Trigger
		}
		switch {
		case of.Keyless:
			delete(start, "dedupe_key")
		case of.Key != "":
			start["dedupe_key"] = of.Key
		}
		return start
	}
	due := host.Pending{Run: t.Delivery.Run, Step: t.Delivery.Step, Tool: t.Delivery.Tool}
	body := host.Clone(t.Move.Body)
	members, isObject := body.(host.Object)
	if isObject {
		body = plan.Body(t.Before.Taken+1, members)
	}
	if t.Move.Own {
		return b.Event(ownTypes[t.Move.Pick%len(ownTypes)], members, "")
	}
	event := b.Result(due, body)
	if t.Delivery.Status == "error" {
		event = b.Failure(due)
	}
	payload := event["payload"].(host.Object)
	maps.Copy(payload, t.Move.Says)
	maps.Copy(payload, t.Payload)
	maps.DeleteFunc(payload, func(_ string, value any) bool { return value == model.Absent })
	return event
}

// left returns the context of a request that other steps have left. A tool's own event says itself that it went well.
func left(t model.Turn, event, context host.Object) host.Object {
	if t.Move.Own {
		event["payload"].(host.Object)["status"] = "ok"
		return with(context, host.Object{"status": "error", "error": "the tool was out of order"})
	}
	step := int64(len(t.Before.Tools)) // that is pending, or was last
	if t.Delivery.Step == step {
		step--
	}
	if step == 0 {
		return nil
	}
	return host.Object{"run_id": t.Before.ID, "step": step, "tool": t.Before.Tools[step-1]}
}

// ownTypes are types of events of tools' own. A careless agent writes the last one into a file of JSON without escaping it.
var ownTypes = []string{"content_ready", "page.fetched", "text_summarised", "agents_listed", `page "one\two" read`}

func with(first, second host.Object) host.Object {
	out := maps.Clone(host.OrEmpty(first))
	maps.Copy(out, second)
	return out
}
