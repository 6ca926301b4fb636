package operations

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/access"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// things are what a drive made, whose operations others ask for.
type things struct {
	*host.Server
	values  map[string]any            // by the place in a path, the parameter or the member of a body
	bodies  map[string]map[string]any // by operation, where more is needed than the contract says
	never   map[string]any            // ids of ours that nothing has, by parameter; of the server's ids, a neighbour serves
	strange string                    // a text that only callers who may not ask have sent
	version string                    // of the intent
}

// Made tells what was there.
type Made struct {
	Intent     host.Reply      `json:"intent"`
	Suspension host.Suspension `json:"suspension"`
	Marks      []string        `json:"marks"`   // texts that who may not read what is there does not learn
	Strange    string          `json:"strange"` // the text that the others would write
}

// feature is something that not every server has.
type feature struct {
	claim   scenarios.Claim
	lacking *scenarios.Dimension
	make    func(context.Context, *things, *host.Intent)
}

var features = []feature{
	{claims.Graph, lack("dependencies"), func(ctx context.Context, t *things, i *host.Intent) {
		first := t.NewIntent(ctx, "before", host.Active, nil)
		if reply := i.DependOn(ctx, first); !reply.Ok() {
			t.SetUp("let an intent wait for another", reply)
		}
		t.values["dependencyId"] = first.ID
		other := t.NewIntent(ctx, "besides", host.Active, nil)
		t.bodies["addIntentDependency"] = map[string]any{"dependency_id": other.ID}
		t.bodies["addPortfolioMember"] = map[string]any{"intent_id": other.ID, "role": "member"}
	}},
	{claims.Lifecycle, lack("leases"), func(ctx context.Context, t *things, i *host.Intent) {
		lease, seconds := i.AnyLease(ctx, "a lease on the intent")
		t.values["leaseId"] = lease.Body.Key("id").String()
		t.bodies["renewLease"] = map[string]any{"duration_seconds": seconds}
	}},
	{claims.Portfolio, lack("portfolios"), func(ctx context.Context, t *things, i *host.Intent) {
		t.values["portfolioId"] = t.Portfolio(ctx, nil, i).ID
		t.bodies["setPortfolioStatus"] = map[string]any{"status": "archived"}
	}},
	{claims.Plan, lack("tasks and plans"), func(ctx context.Context, t *things, i *host.Intent) {
		task := t.Task(ctx, i, nil)
		t.values["taskId"], t.values["planId"] = task.ID, t.Plan(ctx, i, task).ID
		t.bodies["updatePlan"] = map[string]any{"metadata": map[string]any{"by": t.strange}}
		status := host.StatusOf(task.Made.Body).Place.Pointer[1:]
		t.bodies["updateTask"] = map[string]any{status: "ready", "output": map[string]any{"by": t.strange}}
	}},
	{claims.Coordinator, lack("coordinators"), func(ctx context.Context, t *things, i *host.Intent) {
		reply := t.Coordinate(ctx, i, nil)
		if id := reply.Body.Key("id").String(); reply.Ok() && id != "" {
			t.values["coordinatorId"] = id
			return
		}
		t.SetUp("coordinate", reply)
	}},
}

func lack(of string) *scenarios.Dimension {
	return &scenarios.Dimension{Name: of + " whose operations are asked for", Least: 0, Most: [scenarios.Deep + 1]int{1, 1, 1}}
}

func lacks() (all []*scenarios.Dimension) {
	for _, f := range features {
		all = append(all, f.lacking)
	}
	return all
}

// prepare makes an intent that waits for an answer, and one thing of each kind as far as the server has it.
func prepare(ctx context.Context, c *scenarios.Conn) (*things, Made) {
	s := host.Open(ctx, c)
	t := &things{Server: s, strange: s.Name("strange"), values: map[string]any{}, bodies: map[string]map[string]any{}}
	title := s.Name("kept")
	i := s.NewIntent(ctx, "", host.Active, map[string]any{"title": title})
	o := Made{Intent: i.Made, Strange: t.strange}
	t.values = map[string]any{
		"intentId": i.ID, "intent_id": i.ID, "agentId": s.Name("agent"), "title": t.strange, "name": t.strange, "actor": t.strange,
		"created_by": t.strange, "agent_id": t.strange, "scope": t.strange, "event_type": "comment.added", "since": "2020-01-01T00:00:00Z",
	}
	assigned := s.Ask(ctx, "assign an agent", http.MethodPost, host.At("/intents/%s/agents", i.ID),
		map[string]any{"agent_id": t.values["agentId"]})
	if !assigned.Ok() {
		delete(t.values, "agentId")
	}
	for _, f := range features {
		_, claimed := f.claim.Look(c.Discovery)
		if !claimed && !f.claim.Open(c.Discovery) {
			t.DrawUpTo(f.lacking, 0, "the server does not list it")
			continue
		}
		if err := scenarios.Try(func() { f.make(ctx, t, i) }); host.IsBlocked(err) || host.Lacking(err) {
			t.DrawUpTo(f.lacking, 0, "the server makes none")
		} else {
			scenarios.End(err)
		}
	}
	o.Suspension = i.Suspend(ctx, s.Question("text"))
	o.Marks = []string{title, o.Suspension.ID}
	t.bodies["respondToSuspension"] = map[string]any{"suspension_id": o.Suspension.ID, "value": t.strange}
	t.bodies["setIntentStatus"] = map[string]any{"status": host.Abandoned, "reason": t.strange}
	t.bodies["patchIntentState"] = map[string]any{"patches": []any{map[string]any{"op": "set", "path": "/" + t.strange, "value": true}}}
	t.never = map[string]any{"agentId": s.Name("agent")}
	version, _ := i.Read(ctx, "version of the intent").Body.Key("version").Int()
	t.values["If-Match"] = strconv.FormatInt(version, 10)
	return t, o
}

// call returns the request of a way, about what is there or about what never was; ok is false if it names what could not be made.
func (t *things) call(contract *access.Contract, w access.Way, missing bool) (q wire.Call, ok bool) {
	return t.callWith(contract, w, func(string) (any, bool) { return nil, false }, missing)
}

// callWith is call with other values for what more has.
func (t *things) callWith(contract *access.Contract, w access.Way, more access.Live, missing bool) (q wire.Call, ok bool) {
	live := func(name string) (any, bool) {
		if value, ok := more(name); ok {
			return value, true
		}
		value, ok := t.values[name]
		if id, isText := value.(string); isText && missing && w.In(name) {
			if value, ok = t.never[name]; !ok {
				value, ok = wire.Neighbour(id), true
			}
		}
		return value, ok
	}
	if w.Needs(live) != "" || missing && (w.With != "" || !named(w)) {
		return q, false
	}
	ask := contract.Ask(w, live)
	path := ask.Path[len(host.Prefixes[0]):]
	for i, p := range ask.Query {
		path += string("?&"[min(i, 1)]) + p.Name + "=" + url.QueryEscape(p.Value)
	}
	q = t.Call("", ask.Method, path, ask.Body)
	q.Header = ask.Header
	if body := t.bodies[w.Operation]; body != nil {
		q.Body = body
	}
	return q, true
}
