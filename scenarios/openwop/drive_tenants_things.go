package openwop

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// TenantAsks are runs that are asked for under another tenant's key and name.
type TenantAsks struct {
	Tenants Tenants  `json:"tenants"`
	Key     KeyedRun `json:"key"`   // by the first tenant
	Same    KeyedRun `json:"same"`  // the same request under the same idempotency key, by the other
	Again   KeyedRun `json:"again"` // by the first tenant once more
	// Named is a run that the other tenant asks for in the name of the first.
	Name  string   `json:"name"` // the tenant that the body names
	Named Answered `json:"named"`
	Mine  Answered `json:"mine"` // the run, read by who asked for it; zero where none was made
	Yours Answered `json:"yours"`
}

// tenantsAsk has two tenants ask under one idempotency key, and one in the name of the other.
var tenantsAsk = &scenarios.Drive[TenantAsks]{
	ID:    "openwop/tenants-ask",
	Title: "has two tenants ask for the same run under one idempotency key, and one of them for a run whose body names the other",
	Sends: []string{sendsTenants, "POST /v1/runs with Idempotency-Key, by each", "POST /v1/runs {tenantId: the other's}", "GET /v1/runs/{runId}, by each"},
	Run: func(ctx context.Context, c *scenarios.Conn) (TenantAsks, error) {
		h := host{c}
		var o TenantAsks
		t, made, err := h.twoTenants(ctx)
		if o.Tenants = made; err != nil {
			return o, err
		}
		simple, err := h.simple()
		if err != nil {
			return o, err
		}
		key, body := h.Name("key"), fmt.Appendf(nil, `{"workflowId":%q,"metadata":{"assay":%q}}`, simple.WorkflowID, h.marker())
		if o.Key, err = t.first.keyedRun(ctx, "a run under a key, by "+theFirst, key, body); err != nil {
			return o, err
		}
		if o.Same, err = t.other.keyedRun(ctx, "the same under the same key, by "+theOther, key, body); err != nil {
			return o, err
		}
		if o.Again, err = t.first.keyedRun(ctx, "the same once more, by "+theFirst, key, body); err != nil {
			return o, err
		}
		if o.Name = made.First.owner().Key("tenant").String(); o.Name == "" {
			o.Name = h.Name("tenant")
		}
		return o, t.impersonate(ctx, &o, simple.WorkflowID)
	},
}

// impersonate has the other tenant ask for a run in the name of the first.
func (t tenants) impersonate(ctx context.Context, o *TenantAsks, workflow string) error {
	reply, err := t.other.Do(ctx, wire.Call{Method: http.MethodPost, Path: "/v1/runs", Body: map[string]any{"workflowId": workflow, "tenantId": o.Name},
		Label: "a run in the name of " + theFirst, Secrets: interruptTokens})
	if err != nil {
		return err
	}
	o.Named = answered("a run in the name of "+theFirst, reply)
	r := t.other.adopt(reply)
	if r.ID == "" {
		return nil
	}
	for _, read := range []struct {
		by   host
		what string
		into *Answered
	}{{t.other, "that run, by who asked for it", &o.Mine}, {t.first, "that run, by whom its body names", &o.Yours}} {
		reply, err := read.by.Do(ctx, wire.Call{Method: http.MethodGet, Path: runPath(r.ID), Label: read.what, Secrets: interruptTokens})
		if err != nil {
			return err
		}
		*read.into = answered(read.what, reply)
	}
	return nil
}

// TenantFiles are the files of two tenants at one path.
type TenantFiles struct {
	Tenants Tenants    `json:"tenants"`
	Path    string     `json:"path"`
	Mine    string     `json:"mine"`   // content of the first tenant's
	Theirs  string     `json:"theirs"` // content of the other's
	Before  TenantCall `json:"before"` // by the other, who has written none
	Own     FileReply  `json:"own"`    // the list of the first tenant, which has the file
	Others  FileReply  `json:"others"` // the list of the other, before it wrote
	Put     FileReply  `json:"put"`    // by the other
	Got     FileReply  `json:"got"`    // by the other
	Kept    FileReply  `json:"kept"`   // by the first, after that
	Deleted FileReply  `json:"deleted"`
	After   FileReply  `json:"after"` // by the first, after that
}

// tenantsWrite has two tenants use one path.
var tenantsWrite = &scenarios.Drive[TenantFiles]{
	ID:    "openwop/tenants-write",
	Title: "writes a workspace file, and has another tenant read, list, write and delete the same path",
	Sends: []string{sendsTenants, "PUT /v1/host/workspace/files/{path}, as both tenants", "GET .../{path} and GET /v1/host/workspace/files, as both", "DELETE .../{path}, as the other"},
	Run: withFiles(func(ctx context.Context, mine *files) (TenantFiles, error) {
		var o TenantFiles
		t, made, err := mine.twoTenants(ctx)
		if o.Tenants = made; err != nil {
			return o, err
		}
		theirs := &files{host: t.other, prefix: mine.prefix, left: map[string]func(){}}
		o.Path, o.Mine, o.Theirs = mine.path("plan"), mine.marker(), mine.marker()
		if _, err := mine.put(ctx, o.Path, o.Mine); err != nil {
			return o, err
		}
		o.Before, err = theirs.intrude(ctx, theOther, "the file", true, o.Path, mine.path("never"), func(path string) wire.Call {
			return wire.Call{Method: http.MethodGet, Path: fileURL(path)}
		})
		if err != nil {
			return o, err
		}
		if err := theirs.useOf(ctx, mine, &o); err != nil {
			return o, err
		}
		return o, theirs.tidy(ctx)
	}),
}

// useOf writes and deletes at the path where another tenant has a file.
func (f *files) useOf(ctx context.Context, mine *files, o *TenantFiles) (err error) {
	for _, list := range []struct {
		by   *files
		into *FileReply
	}{{mine, &o.Own}, {f, &o.Others}} {
		if *list.into, err = list.by.list(ctx, mine.prefix); err != nil {
			return err
		}
	}
	put, err := f.text(ctx, o.Path, o.Theirs)
	if err != nil {
		return err
	}
	o.Put = fileReply(put)
	if o.Got, err = f.look(ctx, o.Path, ""); err != nil {
		return err
	}
	if o.Kept, err = mine.look(ctx, o.Path, ""); err != nil {
		return err
	}
	if o.Deleted, err = f.drop(ctx, o.Path); err != nil {
		return err
	}
	o.After, err = mine.look(ctx, o.Path, "")
	return err
}

// TenantGoals are the goals of two tenants.
type TenantGoals struct {
	Tenants Tenants      `json:"tenants"`
	Mine    GoalMade     `json:"mine"`
	Theirs  GoalMade     `json:"theirs"` // the control: the other tenant can make and read one
	Calls   []TenantCall `json:"calls"`  // on the first one's, by the other
	Own     GoalReply    `json:"own"`    // the list of the first tenant
	Others  GoalReply    `json:"others"` // the list of the other
	After   GoalReply    `json:"after"`
}

// tenantsGoals has a tenant ask for the goal of another.
var tenantsGoals = &scenarios.Drive[TenantGoals]{
	ID:    "openwop/tenants-goals",
	Title: "has two tenants make a goal each, and one read, list, edit, pause and abandon the other's, and one that never was",
	Sends: []string{sendsTenants, "POST {goals}, as both tenants", "as the other: GET, PATCH {goals}/{goalId}", "POST {goals}/{goalId}/pause, abandon", "GET {goals}, as both"},
	Run: func(ctx context.Context, c *scenarios.Conn) (TenantGoals, error) {
		h := host{c}
		var o TenantGoals
		t, made, err := h.twoTenants(ctx)
		if o.Tenants = made; err != nil {
			return o, err
		}
		home, err := h.standingGoals(ctx)
		if err != nil {
			return o, err
		}
		theirs := goalHome{t.other, home.path}
		mine, first, err := home.begin(ctx, boundedTo(3))
		if o.Mine = first; err != nil || first.ID == "" {
			return o, err
		}
		own, err := theirs.createAs(ctx, "a goal of its own", "", theirs.goalRequest(boundedTo(3)))
		if err != nil {
			return o, err
		}
		if o.Theirs = (GoalMade{Path: home.path, ID: own.ID, Created: own.Created}); own.ID == "" {
			return o, nil
		}
		if o.Theirs.Fresh, err = answerOf(own.Do(ctx, wire.Call{Method: http.MethodGet, Path: own.at(""), Label: "its own goal"})); err != nil {
			return o, err
		}
		if o.Calls, err = theirs.callsOn(ctx, mine.ID, h.objective()); err != nil {
			return o, err
		}
		if o.Own, err = home.list(ctx, ""); err != nil {
			return o, err
		}
		if o.Others, err = theirs.list(ctx, ""); err != nil {
			return o, err
		}
		o.After, err = mine.read(ctx, "the goal, after the other tenant had come")
		return o, err
	},
}

// callsOn asks for everything that can be done with a goal of another tenant.
func (g goalHome) callsOn(ctx context.Context, id, objective string) ([]TenantCall, error) {
	var out []TenantCall
	for _, op := range []struct {
		what, method, suffix string
		body                 any
		needed               bool
	}{
		{"the goal", http.MethodGet, "", nil, true},
		{"to edit the goal", http.MethodPatch, "", openwopv1.EditGoalRequest{Objective: objective}, false}, // facts C27
		{"to pause the goal", http.MethodPost, "/pause", nil, true},
		{"to abandon the goal", http.MethodPost, "/abandon", nil, true},
	} {
		call, err := g.intrude(ctx, theOther, op.what, op.needed, id, strangerOf(id), func(id string) wire.Call {
			return wire.Call{Method: op.method, Path: g.path + "/" + url.PathEscape(id) + op.suffix, Body: op.body}
		})
		if err != nil {
			return out, err
		}
		out = append(out, call)
	}
	return out, nil
}
