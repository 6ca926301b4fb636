package host

import (
	"context"
	"maps"
	"net/http"
	"strconv"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Portfolio is a portfolio on the target.
type Portfolio struct {
	*Server
	ID   string
	Made Reply
}

// Portfolio makes a portfolio with these members. The policy is sent under both of its names (OIP-R8).
func (s *Server) Portfolio(ctx context.Context, policy map[string]any, members ...*Intent) *Portfolio {
	body := map[string]any{"name": s.Name("portfolio"), "created_by": s.Label()}
	if policy != nil {
		body["governance_policy"], body["governance"] = policy, policy
	}
	id, made := s.create(ctx, "a portfolio", "/portfolios", "/portfolios", body)
	f := &Portfolio{s, id, made}
	for _, m := range members {
		f.Add(ctx, m)
	}
	return f
}

// Roles are those of members.
var Roles = []string{"member", "primary", "dependency"}

// Add makes an intent a member, or ends the drive.
func (f *Portfolio) Add(ctx context.Context, m *Intent) { f.AddAs(ctx, m, Roles[0]) }

// Join makes an intent a member in a role. A refusal does not end the drive.
func (f *Portfolio) Join(ctx context.Context, m *Intent, role string) Reply {
	return f.Ask(ctx, "make it a member", http.MethodPost, At("/portfolios/%s/intents", f.ID), map[string]any{"intent_id": m.ID, "role": role})
}

// Drop has an intent be a member no more. A refusal does not end the drive.
func (f *Portfolio) Drop(ctx context.Context, m *Intent) Reply {
	return f.Ask(ctx, "take it from a portfolio", http.MethodDelete, At("/portfolios/%s/intents/%s", f.ID, m.ID), nil)
}

// AddAs makes an intent a member in a role, or ends the drive.
func (f *Portfolio) AddAs(ctx context.Context, m *Intent, role string) {
	reply := f.Join(ctx, m, role)
	if MissingRoute(reply) {
		scenarios.End(scenarios.NotThere(reply.Status,
			"a way to make an intent a member of a portfolio (POST "+f.Prefix+"/portfolios/{id}/intents)"))
	}
	if !reply.Ok() {
		f.SetUp("make an intent a member of a portfolio", reply)
	}
}

// Read reads the portfolio.
func (f *Portfolio) Read(ctx context.Context, label string) Reply {
	return f.Get(ctx, label, At("/portfolios/%s", f.ID))
}

// Members reads the members of the portfolio.
func (f *Portfolio) Members(ctx context.Context, label string) Reply {
	return f.Get(ctx, label, At("/portfolios/%s/intents", f.ID))
}

// Task is a task on the target.
type Task struct {
	*Server
	ID   string
	Made Reply
}

// Task makes a task of an intent, at the path of RFC-0012 or else at the one that servers use (OIP-R26).
func (s *Server) Task(ctx context.Context, of *Intent, more map[string]any) *Task {
	body := map[string]any{"name": s.Name("task")}
	maps.Copy(body, more)
	path := At("/intents/%s/tasks", of.ID)
	made := s.Ask(ctx, "make a task", http.MethodPost, path, body)
	if MissingRoute(made) {
		path, body["intent_id"] = "/tasks", of.ID
		made = s.Ask(ctx, "make a task", http.MethodPost, path, body)
	}
	switch id := made.Body.Key("id").String(); {
	case MissingRoute(made):
		scenarios.End(scenarios.NotThere(made.Status, "a way to make a task (POST "+s.Prefix+"/tasks)"))
		return nil
	case !made.Ok() || id == "":
		s.SetUp("make a task", made)
		return nil
	default:
		return &Task{s, id, made}
	}
}

// Claim claims the task (RFC-0012).
func (t *Task) Claim(ctx context.Context, label string) Reply {
	return t.Ask(ctx, label, http.MethodPost, At("/tasks/%s/claim", t.ID), map[string]any{"duration_seconds": 60})
}

// Becomes waits until the task has a status.
func (t *Task) Becomes(ctx context.Context, what, status string) wire.Wait {
	return t.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		is := StatusOf(t.Read(ctx, what).Body).Value
		return is, is.String() == status
	})
}

// StatusOf returns the status of a task and where it stands (OIP-R25).
func StatusOf(task wire.Value) Located { return Locate(taskStatus, Named("task", task)) }

// Read reads the task.
func (t *Task) Read(ctx context.Context, label string) Reply {
	return t.Get(ctx, label, At("/tasks/%s", t.ID))
}

// Run brings the task to running, or ends the drive. Some servers want it ready and claimed first.
func (t *Task) Run(ctx context.Context) {
	refused := t.trySet(ctx, "running")
	if refused == nil {
		return
	}
	t.trySet(ctx, "ready")
	t.trySet(ctx, "claimed")
	if t.trySet(ctx, "running") != nil {
		scenarios.End(refused)
	}
}

// trySet moves the task to a status, and returns why the server refused.
func (t *Task) trySet(ctx context.Context, status string) (refused error) {
	refused = scenarios.Try(func() { t.Set(ctx, status, nil) })
	if !IsBlocked(refused) {
		scenarios.End(refused)
	}
	return refused
}

// Set moves the task to a status, or ends the drive.
func (t *Task) Set(ctx context.Context, status string, more map[string]any) {
	if reply := t.Patch(ctx, "have the task "+status, status, more); !reply.Ok() || StatusOf(reply.Body).String() != status {
		t.SetUp("have a task "+status, reply)
	}
}

// Patch asks for a status, under the member that the server uses for it (OIP-R25). A refusal does not end the drive.
func (t *Task) Patch(ctx context.Context, label, status string, more map[string]any) Reply {
	now := t.Read(ctx, "version of the task")
	body := map[string]any{StatusOf(now.Body).Place.Pointer[1:]: status}
	maps.Copy(body, more)
	version, _ := now.Body.Key("version").Int()
	call := t.Call(label, http.MethodPatch, At("/tasks/%s", t.ID), body)
	call.Header = map[string]string{"If-Match": strconv.FormatInt(version, 10)}
	return t.Send(ctx, call)
}

// Plan is a plan on the target.
type Plan struct {
	*Server
	ID   string
	Made Reply
}

// Plan makes a plan of an intent that lists these tasks.
func (s *Server) Plan(ctx context.Context, on *Intent, tasks ...*Task) *Plan {
	list := []string{}
	for _, t := range tasks {
		list = append(list, t.ID)
	}
	id, made := s.create(ctx, "a plan", "/plans", "/plans", map[string]any{"intent_id": on.ID, "tasks": list})
	return &Plan{s, id, made}
}

// Read reads the plan.
func (p *Plan) Read(ctx context.Context, label string) Reply {
	return p.Get(ctx, label, At("/plans/%s", p.ID))
}

// Progress reads the progress of a plan where some servers have a resource for it.
func (p *Plan) Progress(ctx context.Context, label string) Reply {
	return p.Get(wire.Misfit(ctx, "OIP-R24"), label, At("/plans/%s/progress", p.ID))
}

// Coordinate takes the lease of a coordinator. A refusal does not end the drive.
func (s *Server) Coordinate(ctx context.Context, of *Intent, more map[string]any) Reply {
	body := map[string]any{
		"agent_id": s.Name("coordinator"), "intent_id": of.ID, "role": "coordinator", "scope": "intent",
	}
	maps.Copy(body, more)
	return s.Ask(ctx, "coordinate", http.MethodPost, "/coordinators", body)
}

// Lease claims a part of an intent. A refusal does not end the drive.
func (i *Intent) Lease(ctx context.Context, label, scope string, seconds int) Reply {
	return i.Send(ctx, i.leaseCall(label, scope, seconds))
}

// LeaseIfTaken is Lease, but its reply is zero if the server also refuses the same lease on an intent without inputs: some servers have a
// least time for leases.
func (i *Intent) LeaseIfTaken(ctx context.Context, label, scope string, seconds int) Reply {
	r := i.Lease(ctx, label, scope, seconds)
	if code, _ := r.Status.Int(); code != http.StatusBadRequest && code != http.StatusUnprocessableEntity {
		return r
	}
	control := i.NewIntent(ctx, "free", Active, nil).Lease(ctx, "the same lease on an intent without inputs", scope, seconds)
	if control.Code()/100 == 4 {
		return Reply{}
	}
	return r
}

// LeaseAs has another agent claim the usual part of an intent.
func (i *Intent) LeaseAs(ctx context.Context, other *scenarios.Conn, label string, seconds int) Reply {
	return i.LeaseOf(ctx, other, label, Scope, seconds)
}

// LeaseOf has another agent claim a part of an intent.
func (i *Intent) LeaseOf(ctx context.Context, other *scenarios.Conn, label, scope string, seconds int) Reply {
	return SendAs(ctx, other, i.leaseCall(label, scope, seconds))
}

func (i *Intent) leaseCall(label, scope string, seconds int) wire.Call {
	return i.Call(label, http.MethodPost, At("/intents/%s/leases", i.ID), map[string]any{"scope": scope, "duration_seconds": seconds})
}
