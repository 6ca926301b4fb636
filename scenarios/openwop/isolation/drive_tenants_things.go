package isolation

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// TenantAsks is requests for runs under another tenant's idempotency key and name.
type TenantAsks struct {
	Tenants host.Tenants  `json:"tenants"`
	Key     host.KeyedRun `json:"key"`   // by the first tenant
	Same    host.KeyedRun `json:"same"`  // the same request under the same idempotency key, by the other
	Again   host.KeyedRun `json:"again"` // by the first tenant once more
	// Named is the other tenant's request for a run in the name of the first.
	Name  string        `json:"name"` // the tenant that the body names
	Named host.Answered `json:"named"`
	Mine  host.Answered `json:"mine"` // the run, read by the tenant that asked; zero if none was made
	Yours host.Answered `json:"yours"`
}

// tenantsAsk has two tenants use one idempotency key, and one ask in the name of the other.
var tenantsAsk = &scenarios.Drive[TenantAsks]{
	ID:    "openwop/tenants-ask",
	Title: "has two tenants ask for the same run under one idempotency key, and one of them for a run whose body names the other",
	Sends: []string{host.SendsTenants, "{create run} with Idempotency-Key, by each", "{create run} {tenantId: the other's}",
		"{read run}, by each"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TenantAsks) {
		h := host.Host{Conn: c}
		t, made := h.TwoTenants(ctx)
		o.Tenants = made
		simple := h.Simple()
		key, body := h.Name("key"), fmt.Appendf(nil, `{"workflowId":%q,"metadata":{"note":%q}}`, simple.WorkflowID, h.Marker())
		o.Key = t.First.KeyedRun(ctx, "a run under a key, by "+host.TheFirst, key, body)
		o.Same = t.Other.KeyedRun(ctx, "the same under the same key, by "+host.TheOther, key, body)
		o.Again = t.First.KeyedRun(ctx, "the same once more, by "+host.TheFirst, key, body)
		if o.Name = made.First.Owner().Key("tenant").String(); o.Name == "" {
			o.Name = h.Name("tenant")
		}
		impersonate(ctx, t, o, simple.WorkflowID)
	},
}

// impersonate has the other tenant request a run in the name of the first.
func impersonate(ctx context.Context, t host.TenantPair, o *TenantAsks, workflow string) {
	reply := t.Other.Do(ctx, wire.Call{Operation: dialect.CreateRun.Of(), Body: map[string]any{"workflowId": workflow, "tenantId": o.Name},
		Label: "a run in the name of " + host.TheFirst, Secrets: host.InterruptTokens})
	o.Named = host.AnsweredBy("a run in the name of "+host.TheFirst, reply)
	r := t.Other.Adopt(reply)
	if r.ID == "" {
		return
	}
	for _, read := range []struct {
		by   host.Host
		what string
		into *host.Answered
	}{{t.Other, "that run, by who asked for it", &o.Mine}, {t.First, "that run, by whom its body names", &o.Yours}} {
		reply := read.by.Do(ctx, wire.Call{Operation: dialect.ReadRun.Of(r.ID), Label: read.what, Secrets: host.InterruptTokens})
		*read.into = host.AnsweredBy(read.what, reply)
	}
}

// TenantFiles is two tenants' files at one path.
type TenantFiles struct {
	Tenants host.Tenants    `json:"tenants"`
	Path    string          `json:"path"`
	Mine    string          `json:"mine"`   // content of the first tenant's
	Theirs  string          `json:"theirs"` // content of the other's
	Before  host.TenantCall `json:"before"` // read by the other, which has none
	Own     host.FileReply  `json:"own"`    // the first tenant's list
	Others  host.FileReply  `json:"others"` // the other's list, before it wrote
	Put     host.FileReply  `json:"put"`    // by the other
	Got     host.FileReply  `json:"got"`    // by the other
	Kept    host.FileReply  `json:"kept"`   // by the first, after that
	Deleted host.FileReply  `json:"deleted"`
	After   host.FileReply  `json:"after"` // by the first, after that
	// Ran holds a run of each tenant that read the path while both had a file there, if the host offers the workflow.
	Ran [2]host.RunLog `json:"ran,omitzero"`
}

// tenantsWrite has two tenants use one path.
var tenantsWrite = &scenarios.Drive[TenantFiles]{
	ID: "openwop/tenants-write",
	Title: "writes a workspace file, and has another tenant read, list, write and delete the same path; beyond quick, has a run of each " +
		"read it while both have a file there",
	Sends: []string{host.SendsTenants, "{write file}, as both tenants", "{read file} and {list files}, as both",
		"{create run} (assay-loop-workspace), as both", "{delete file}, as the other"},
	Uses: []string{host.WorkspaceFiles},
	Run: host.WithFiles(func(ctx context.Context, mine *host.Files, o *TenantFiles) {
		t, made := mine.TwoTenants(ctx)
		o.Tenants = made
		theirs := &host.Files{Host: t.Other, Prefix: mine.Prefix, Left: map[string]func(){}}
		o.Path, o.Mine, o.Theirs = mine.Path("plan"), mine.Marker(), mine.Marker()
		mine.Put(ctx, o.Path, o.Mine)
		o.Before = theirs.Intrude(ctx, host.TheOther, "the file", true, o.Path, mine.Path("never"), func(path string) wire.Call {
			return wire.Call{Operation: dialect.ReadFile.Of(path)}
		})
		useSamePath(ctx, theirs, mine, o)
		theirs.Tidy(ctx)
	}),
}

// useSamePath writes and deletes a file at a path where another tenant has one.
func useSamePath(ctx context.Context, f *host.Files, mine *host.Files, o *TenantFiles) {
	for _, list := range []struct {
		by   *host.Files
		into *host.FileReply
	}{{mine, &o.Own}, {f, &o.Others}} {
		*list.into = list.by.List(ctx, mine.Prefix)
	}
	put := f.Text(ctx, o.Path, o.Theirs)
	o.Put = host.FileReplyOf(put)
	o.Got = f.LookAt(ctx, o.Path, "")
	o.Kept = mine.LookAt(ctx, o.Path, "")
	if f.Depth > scenarios.Quick && put.Success() && mine.Offers(fixture.LoopWorkspace) {
		for i, h := range []host.Host{mine.Host, f.Host} {
			o.Ran[i] = h.Create(ctx, "create a run that reads the file", dialect.CreateRunRequest{WorkflowID: fixture.LoopWorkspace,
				Inputs: map[string]any{"plan": host.Plan{host.Terminate(h.Name("done"))},
					"reads": map[string]any{"workspace": []string{o.Path}}, "writes": []any{}}}).Finish(ctx, "log of the run that reads the file")
		}
	}
	o.Deleted = f.Drop(ctx, o.Path)
	o.After = mine.LookAt(ctx, o.Path, "")
}

// TenantGoals is two tenants' goals.
type TenantGoals struct {
	Tenants host.Tenants      `json:"tenants"`
	Mine    host.GoalMade     `json:"mine"`
	Theirs  host.GoalMade     `json:"theirs"` // the control: the other tenant can make and read its own
	Calls   []host.TenantCall `json:"calls"`  // by the other, on the first tenant's goal
	Own     host.GoalReply    `json:"own"`    // the first tenant's list
	Others  host.GoalReply    `json:"others"` // the other's list
	After   host.GoalReply    `json:"after"`
	Runs    []GoalRun         `json:"runs"` // of the goal of each, if it can be ticked
}

// GoalRun is a run of a goal, read by the tenant of the goal and then by the other.
type GoalRun struct {
	Own  host.Answered   `json:"own"`
	Read host.TenantCall `json:"read"`
}

// tenantsGoals has a tenant read and change another's goal.
var tenantsGoals = &scenarios.Drive[TenantGoals]{
	ID: "openwop/tenants-goals",
	Title: "has two tenants make a goal each, and one read, list, edit, pause and abandon the other's, and one that never was; beyond " +
		"quick, ticks both, and has each read the run of the other's, and the first one a run that a goal of the other's fired by itself",
	Sends: []string{host.SendsTenants, "{create goal}, as both tenants", "as the other: {read goal}", "{edit goal}", "{pause goal}",
		"{abandon goal}", "{list goals}, as both", "{tick goal} and {read run}, as both",
		"{create goal} {continuation: {mode: schedule, armRef: every:50ms}}, as the other"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TenantGoals) {
		h := host.Host{Conn: c}
		t, made := h.TwoTenants(ctx)
		o.Tenants = made
		home := h.StandingGoals(ctx)
		theirs := host.GoalHome{Host: t.Other, Prefix: home.Prefix}
		mine, first := home.Begin(ctx, host.BoundedTo(3))
		if o.Mine = first; first.ID == "" {
			return
		}
		own := theirs.CreateAs(ctx, "a goal of its own", "", theirs.GoalRequest(host.BoundedTo(3)))
		if o.Theirs = (host.GoalMade{Path: home.Path(), ID: own.ID, Created: own.Created}); own.ID == "" {
			return
		}
		o.Theirs.Fresh = host.AnswerOf(own.Do(ctx, wire.Call{Operation: own.To(dialect.ReadGoal), Label: "its own goal"}))
		o.Calls = tryGoal(ctx, theirs, mine.ID, h.DrawObjective())
		o.Own = home.List(ctx, "")
		o.Others = theirs.List(ctx, "")
		o.After = mine.Read(ctx, "the goal, after the other tenant had come")
		if h.Depth > scenarios.Quick {
			o.Runs = append(readGoalRun(ctx, mine, t.Other, host.TheOther), readGoalRun(ctx, own, t.First, host.TheFirst)...)
			if h.Round == 0 { // it takes a schedule's time, and nothing of it is drawn
				o.Runs = append(o.Runs, readScheduledRun(ctx, theirs, t.First, host.TheFirst)...)
			}
		}
	},
}

// readGoalRun ticks a goal, and has its own tenant and then a stranger read the run that the tick names, if it names one.
func readGoalRun(ctx context.Context, g *host.Goal, stranger host.Host, name string) []GoalRun {
	ask := dialect.GoalTickRequest{Verdict: &dialect.ScriptedVerdict{}}
	id := g.Do(ctx, wire.Call{Operation: g.To(dialect.TickGoal), Body: ask, Label: "tick of a tenant's goal"}).Text("/runId")
	return readRunOf(ctx, g, id, stranger, name)
}

// readScheduledRun has a goal fire a run on its schedule, and has its tenant and then a stranger read that run. No request starts it, so
// no credential tells the host which tenant owns it.
func readScheduledRun(ctx context.Context, home host.GoalHome, stranger host.Host, name string) []GoalRun {
	if _, on := claims.GoalsSchedule.Look(home.Discovery); !on {
		return nil
	}
	ask, every := home.GoalRequest(host.BoundedTo(2)), "every:50ms"
	ask.Continuation = dialect.GoalContinuation{Mode: dialect.GoalContinuationModeSchedule, ArmRef: &every}
	g := home.CreateAs(ctx, "a goal on a schedule", ask.Objective, ask)
	if g.ID == "" { // a host may have schedules of its own alone
		return nil
	}
	const what = "a goal on a schedule shows a run"
	shown := g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		reply := g.Do(ctx, wire.Call{Operation: g.To(dialect.ReadGoal), Label: what})
		id := reply.Value("/progress/contributingRunIds/0")
		return id, id.String() != ""
	})
	return readRunOf(ctx, g, shown.Last.String(), stranger, name)
}

// readRunOf has the tenant of a goal and then a stranger read a run of it.
func readRunOf(ctx context.Context, g *host.Goal, id string, stranger host.Host, name string) []GoalRun {
	if id == "" {
		return nil
	}
	read := func(id string) wire.Call { return wire.Call{Operation: dialect.ReadRun.Of(id)} }
	own := read(id)
	own.Label, own.Secrets = "the run of its own goal", host.InterruptTokens
	return []GoalRun{{
		Own:  host.AnsweredBy("the run of a goal, by the tenant of the goal", g.Do(ctx, own)),
		Read: stranger.Intrude(ctx, name, "the run of the goal", true, id, host.StrangerOf(id), read),
	}}
}

// tryGoal tries every operation on another tenant's goal.
func tryGoal(ctx context.Context, g host.GoalHome, id, objective string) []host.TenantCall {
	var out []host.TenantCall
	for _, op := range []struct {
		what   string
		asks   dialect.Operation
		body   any
		needed bool
	}{
		{"the goal", dialect.ReadGoal, nil, true},
		{"to edit the goal", dialect.EditGoal, dialect.EditGoalRequest{Objective: objective}, false}, // OWP-R27
		{"to pause the goal", dialect.PauseGoal, nil, true},
		{"to abandon the goal", dialect.AbandonGoal, nil, true},
	} {
		call := g.Intrude(ctx, host.TheOther, op.what, op.needed, id, host.StrangerOf(id), func(id string) wire.Call {
			return wire.Call{Operation: op.asks.Of(g.Prefix, id), Body: op.body}
		})
		out = append(out, call)
	}
	return out
}
