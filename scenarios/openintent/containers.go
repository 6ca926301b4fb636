package openintent

import (
	"context"
	"maps"
	"net/http"
	"strconv"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// folder is a portfolio on the target.
type folder struct {
	*server
	ID   string
	Made Reply
}

// portfolio makes a portfolio. A policy goes out under both names (C8).
func (s *server) portfolio(ctx context.Context, policy map[string]any, members ...*intent) *folder {
	body := map[string]any{"name": s.Name("portfolio"), "created_by": "assay"}
	if policy != nil {
		body["governance_policy"], body["governance"] = policy, policy
	}
	id, made := s.make(ctx, "a portfolio", "/portfolios", "/portfolios", body)
	f := &folder{s, id, made}
	for _, m := range members {
		f.add(ctx, m)
	}
	return f
}

// add makes an intent a member.
func (f *folder) add(ctx context.Context, m *intent) {
	said := f.ask(ctx, "make it a member", http.MethodPost, at("/portfolios/%s/intents", f.ID), map[string]any{"intent_id": m.ID, "role": "member"})
	if missingRoute(said) {
		scenarios.End(scenarios.NotThere(said.Status, "a way to make an intent a member of a portfolio (POST "+f.prefix+"/portfolios/{id}/intents)"))
	}
	if !said.ok() {
		f.setUp("make an intent a member of a portfolio", said)
	}
}

func (f *folder) read(ctx context.Context, label string) Reply {
	return f.get(ctx, label, at("/portfolios/%s", f.ID))
}

func (f *folder) members(ctx context.Context, label string) Reply {
	return f.get(ctx, label, at("/portfolios/%s/intents", f.ID))
}

// work is a task on the target.
type work struct {
	*server
	ID   string
	Made Reply
}

// task makes a task of an intent, at the path of RFC-0012 or, where that is not there, of servers (C26).
func (s *server) task(ctx context.Context, of *intent, more map[string]any) *work {
	body := map[string]any{"name": s.Name("task")}
	maps.Copy(body, more)
	path := at("/intents/%s/tasks", of.ID)
	made := s.ask(ctx, "make a task", http.MethodPost, path, body)
	if missingRoute(made) {
		path, body["intent_id"] = "/tasks", of.ID
		made = s.ask(ctx, "make a task", http.MethodPost, path, body)
	}
	switch id := made.Body.Key("id").String(); {
	case missingRoute(made):
		scenarios.End(scenarios.NotThere(made.Status, "a way to make a task (POST "+s.prefix+"/tasks)"))
		return nil
	case !made.ok() || id == "":
		s.setUp("make a task", made)
		return nil
	default:
		return &work{s, id, made}
	}
}

// becomes waits until the task has a status.
func (t *work) becomes(ctx context.Context, what, status string) wire.Wait {
	return t.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		is := statusOf(t.read(ctx, what).Body).Value
		return is, is.String() == status
	})
}

// statusOf is where a task says what it is (C25).
func statusOf(task wire.Value) Located { return locate(taskStatus, named("task", task)) }

func (t *work) read(ctx context.Context, label string) Reply {
	return t.get(ctx, label, at("/tasks/%s", t.ID))
}

// run has the task running: on some servers it has to be ready and claimed first.
func (t *work) run(ctx context.Context) {
	refused := t.tries(ctx, "running")
	if refused == nil {
		return
	}
	t.tries(ctx, "ready")
	t.tries(ctx, "claimed")
	if t.tries(ctx, "running") != nil {
		scenarios.End(refused)
	}
}

// tries moves the task to a status, and returns why the server would not have it.
func (t *work) tries(ctx context.Context, status string) (refused error) {
	refused = scenarios.Try(func() { t.set(ctx, status, nil) })
	if !isBlocked(refused) {
		scenarios.End(refused)
	}
	return refused
}

// set moves the task to a status, under whichever name the server has for it (C25), or stops the drive.
func (t *work) set(ctx context.Context, status string, more map[string]any) {
	now := t.read(ctx, "version of the task")
	body := map[string]any{statusOf(now.Body).Place.Pointer[1:]: status}
	maps.Copy(body, more)
	version, _ := now.Body.Key("version").Int()
	call := t.call("have the task "+status, http.MethodPatch, at("/tasks/%s", t.ID), body)
	call.Header = map[string]string{"If-Match": strconv.FormatInt(version, 10)}
	said := t.send(ctx, call)
	if !said.ok() || statusOf(said.Body).String() != status {
		t.setUp("have a task "+status, said)
	}
}

// scheme is a plan on the target.
type scheme struct {
	*server
	ID   string
	Made Reply
}

// plan makes a plan on an intent that lists tasks.
func (s *server) plan(ctx context.Context, on *intent, tasks ...*work) *scheme {
	list := []string{}
	for _, t := range tasks {
		list = append(list, t.ID)
	}
	id, made := s.make(ctx, "a plan", "/plans", "/plans", map[string]any{"intent_id": on.ID, "tasks": list})
	return &scheme{s, id, made}
}

func (p *scheme) read(ctx context.Context, label string) Reply {
	return p.get(ctx, label, at("/plans/%s", p.ID))
}

// progress is where some server may have the progress of a plan.
func (p *scheme) progress(ctx context.Context, label string) Reply {
	return p.get(ctx, label, at("/plans/%s/progress", p.ID))
}

// coordinate takes the lease of a coordinator. A refusal is an answer.
func (s *server) coordinate(ctx context.Context, of *intent, more map[string]any) Reply {
	body := map[string]any{"agent_id": s.Name("coordinator"), "intent_id": of.ID, "role": "coordinator", "scope": "intent"}
	maps.Copy(body, more)
	return s.ask(ctx, "coordinate", http.MethodPost, "/coordinators", body)
}

// lease claims a part of an intent. A refusal is an answer.
func (i *intent) lease(ctx context.Context, label, scope string, seconds int) Reply {
	return i.ask(ctx, label, http.MethodPost, at("/intents/%s/leases", i.ID), map[string]any{"scope": scope, "duration_seconds": seconds})
}
