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
func (s *server) portfolio(ctx context.Context, policy map[string]any, members ...*intent) (*folder, error) {
	body := map[string]any{"name": s.Name("portfolio"), "created_by": "assay"}
	if policy != nil {
		body["governance_policy"], body["governance"] = policy, policy
	}
	id, made, err := s.make(ctx, "a portfolio", "/portfolios", "/portfolios", body)
	if err != nil {
		return nil, err
	}
	f := &folder{s, id, made}
	for _, m := range members {
		if err := f.add(ctx, m); err != nil {
			return f, err
		}
	}
	return f, nil
}

// add makes an intent a member.
func (f *folder) add(ctx context.Context, m *intent) error {
	said, err := f.ask(ctx, "make it a member", http.MethodPost, at("/portfolios/%s/intents", f.ID), map[string]any{"intent_id": m.ID, "role": "member"})
	if err == nil && missingRoute(said) {
		return scenarios.NotThere(said.Status, "a way to make an intent a member of a portfolio (POST "+f.prefix+"/portfolios/{id}/intents)")
	}
	if err == nil && !said.ok() {
		return f.setUp("make an intent a member of a portfolio", said)
	}
	return err
}

func (f *folder) read(ctx context.Context, label string) (Reply, error) {
	return f.get(ctx, label, at("/portfolios/%s", f.ID))
}

func (f *folder) members(ctx context.Context, label string) (Reply, error) {
	return f.get(ctx, label, at("/portfolios/%s/intents", f.ID))
}

// work is a task on the target.
type work struct {
	*server
	ID   string
	Made Reply
}

// task makes a task of an intent, at the path of RFC-0012 or, where that is not there, of servers (C26).
func (s *server) task(ctx context.Context, of *intent, more map[string]any) (*work, error) {
	body := map[string]any{"name": s.Name("task")}
	maps.Copy(body, more)
	path := at("/intents/%s/tasks", of.ID)
	made, err := s.ask(ctx, "make a task", http.MethodPost, path, body)
	if err == nil && missingRoute(made) {
		path, body["intent_id"] = "/tasks", of.ID
		made, err = s.ask(ctx, "make a task", http.MethodPost, path, body)
	}
	switch id := made.Body.Key("id").String(); {
	case err != nil:
		return nil, err
	case missingRoute(made):
		return nil, scenarios.NotThere(made.Status, "a way to make a task (POST "+s.prefix+"/tasks)")
	case !made.ok() || id == "":
		return nil, s.setUp("make a task", made)
	default:
		return &work{s, id, made}, nil
	}
}

// becomes waits until the task has a status.
func (t *work) becomes(ctx context.Context, what, status string) (wire.Wait, error) {
	return t.Await(ctx, what, func(ctx context.Context) (wire.Value, bool, error) {
		now, err := t.read(ctx, what)
		is := statusOf(now.Body).Value
		return is, err == nil && is.String() == status, err
	})
}

// statusOf is where a task says what it is (C25).
func statusOf(task wire.Value) Located { return locate(taskStatus, named("task", task)) }

func (t *work) read(ctx context.Context, label string) (Reply, error) {
	return t.get(ctx, label, at("/tasks/%s", t.ID))
}

// run has the task running: on some servers it has to be ready and claimed first.
func (t *work) run(ctx context.Context) (err error) {
	if err = t.set(ctx, "running", nil); !isBlocked(err) {
		return err
	}
	refused := err
	for _, status := range []string{"ready", "claimed"} {
		if err := t.set(ctx, status, nil); err != nil && !isBlocked(err) {
			return err
		}
	}
	if err = t.set(ctx, "running", nil); isBlocked(err) {
		return refused
	}
	return err
}

// set moves the task to a status, under whichever name the server has for it (C25), or stops the drive.
func (t *work) set(ctx context.Context, status string, more map[string]any) error {
	now, err := t.read(ctx, "version of the task")
	if err != nil {
		return err
	}
	body := map[string]any{statusOf(now.Body).Place.Pointer[1:]: status}
	maps.Copy(body, more)
	version, _ := now.Body.Key("version").Int()
	call := t.call("have the task "+status, http.MethodPatch, at("/tasks/%s", t.ID), body)
	call.Header = map[string]string{"If-Match": strconv.FormatInt(version, 10)}
	said, err := t.send(ctx, call)
	if err == nil && (!said.ok() || statusOf(said.Body).String() != status) {
		return t.setUp("have a task "+status, said)
	}
	return err
}

// scheme is a plan on the target.
type scheme struct {
	*server
	ID   string
	Made Reply
}

// plan makes a plan on an intent that lists tasks.
func (s *server) plan(ctx context.Context, on *intent, tasks ...*work) (*scheme, error) {
	list := []string{}
	for _, t := range tasks {
		list = append(list, t.ID)
	}
	id, made, err := s.make(ctx, "a plan", "/plans", "/plans", map[string]any{"intent_id": on.ID, "tasks": list})
	if err != nil {
		return nil, err
	}
	return &scheme{s, id, made}, nil
}

func (p *scheme) read(ctx context.Context, label string) (Reply, error) {
	return p.get(ctx, label, at("/plans/%s", p.ID))
}

// progress is where some server may have the progress of a plan.
func (p *scheme) progress(ctx context.Context, label string) (Reply, error) {
	return p.get(ctx, label, at("/plans/%s/progress", p.ID))
}

// coordinate takes the lease of a coordinator. A refusal is an answer.
func (s *server) coordinate(ctx context.Context, of *intent, more map[string]any) (Reply, error) {
	body := map[string]any{"agent_id": s.Name("coordinator"), "intent_id": of.ID, "role": "coordinator", "scope": "intent"}
	maps.Copy(body, more)
	return s.ask(ctx, "coordinate", http.MethodPost, "/coordinators", body)
}

// lease claims a part of an intent. A refusal is an answer.
func (i *intent) lease(ctx context.Context, label, scope string, seconds int) (Reply, error) {
	return i.ask(ctx, label, http.MethodPost, at("/intents/%s/leases", i.ID), map[string]any{"scope": scope, "duration_seconds": seconds})
}
