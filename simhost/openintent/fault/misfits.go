package fault

import (
	"net/http"
	"strings"

	oi "github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openintent/rules"
)

// misfitFaults are about requests that do not fit, and about paths whose ids do not belong together.
var misfitFaults = []Fault{
	{
		ID: "openintent.assignment-without-body-falls", Title: "the server falls over an assignment without a body",
		Looks: "POST of an agent without a body is 500", Breaks: []string{oi.OIPREAD13},
		Reply: falling(http.MethodPost, "/agents", func(r *mutate.Reply, _ problem) bool { return r.Request.ContentLength == 0 }),
	},
	{
		ID: "openintent.odd-task-falls", Title: "the server falls over a task of an intent of which a member has another type, at any depth",
		Looks: "a task with a list as its name is 500", Breaks: []string{oi.OIPREAD13},
		Twin: "there nothing is sent, here something of another type",
		Reply: falling(http.MethodPost, "/tasks", func(r *mutate.Reply, p problem) bool {
			return strings.Contains(r.Request.URL.Path, "/intents/") && p.pointer != "" && !strings.HasSuffix(p.keyword, "/required")
		}),
	},
	{
		ID: "openintent.offset-falls", Title: "the server falls over an offset that is no number",
		Looks: "a list of tasks with a word as its offset is 500", Breaks: []string{oi.OIPREAD13},
		Twin:  "it is the query that is wrong",
		Reply: falling(http.MethodGet, "/tasks", func(r *mutate.Reply, _ problem) bool { return r.Request.URL.Query().Has("offset") }),
	},
	doneBehind(Fault{
		ID: "openintent.refused-task-kept", Title: "a task is kept before it is looked at whether all its members can be",
		Looks: "a task with max_attempts of 0 is 422, and is listed", Breaks: []string{oi.OIPREAD14},
	}, "/tasks", mutate.Mend(func(task map[string]any) bool {
		name, isText := task["name"].(string)
		odd := false
		for _, member := range task { // a right one has texts alone
			_, fits := member.(string)
			odd = odd || !fits
		}
		if !isText || !odd {
			return false
		}
		clear(task)
		task["name"] = name
		return true
	})),
	doneBehind(Fault{
		ID: "openintent.refused-form-assigned", Title: "an agent is assigned before anybody looks at what its body is written in",
		Looks: "an assignment as text/plain is 422, and the agent is listed", Breaks: []string{oi.OIPREAD14},
		Twin: "the body is right, and its header is not",
	}, "/agents", func(r *mutate.Request) bool {
		odd := r.Header.Get("Content-Type") == "text/plain"
		if odd {
			r.Header.Set("Content-Type", "application/json")
		}
		return odd
	}),
	{
		ID: "openintent.lease-released-by-any-intent", Title: "a lease is looked for by its id alone when it is released, as in release 0.17.0",
		Looks: "DELETE of a lease below another intent is 200, and the lease is released", Breaks: []string{oi.OIPREAD15},
		Replace: func(s *rules.Set) {
			s.Leases.Found = func(operation string, ofIntent bool) bool { return ofIntent || operation == "releaseLease" }
		},
	},
	{
		ID: "openintent.lease-renewed-by-any-intent", Title: "a lease is looked for by its id alone when it is renewed, as in release 0.17.0",
		Looks: "PATCH of a lease below another intent is 200, and the lease lasts longer", Breaks: []string{oi.OIPREAD15},
		Twin: "it is there and lasts longer, there it is gone",
		Replace: func(s *rules.Set) {
			s.Leases.Found = func(operation string, ofIntent bool) bool { return ofIntent || operation == "renewLease" }
		},
	},
	{
		ID: "openintent.dependency-without-version", Title: "a dependency is added without a version of its intent: it is no member of it",
		Looks: "POST of a dependency without If-Match is 200", Breaks: []string{oi.OIP00011},
		Twin: "one operation of those that take a version, there all",
		Replace: func(s *rules.Set) {
			s.Requests.NeedsMatch = func(operation string) bool { return operation != "addIntentDependency" }
		},
	},
}

// problem is what is wrong first with a body: JSON pointers to the member and to the keyword.
type problem struct{ pointer, keyword string }

// falling answers refusals of an operation with 500, those that are meant.
func falling(method, suffix string, meant func(*mutate.Reply, problem) bool) mutate.ReplyFunc {
	return refusals(func(r *mutate.Reply, refusal map[string]any) {
		if r.Request.Method != method || !strings.HasSuffix(r.Request.URL.Path, suffix) || r.Status >= http.StatusInternalServerError {
			return
		}
		var first problem
		if list, _ := refusal["problems"].([]any); len(list) > 0 {
			said, _ := list[0].(map[string]any)
			first.pointer, _ = said["pointer"].(string)
			first.keyword, _ = said["keyword"].(string)
		}
		if r.Status != http.StatusNotFound && r.Status != http.StatusUnauthorized && meant(r, first) {
			r.Status, refusal["error"] = http.StatusInternalServerError, "internal_error"
		}
	})
}

// doneBehind has a server carry out requests by POST to something of an intent that it refuses; mend makes them fit.
func doneBehind(f Fault, suffix string, mend func(*mutate.Request) bool) Fault {
	meant := func(r *http.Request) bool {
		return r.Method == http.MethodPost && strings.Contains(r.URL.Path, "/intents/") && strings.HasSuffix(r.URL.Path, suffix)
	}
	f.Request, f.Reply = mutate.Behind(meant, mend, func(r *mutate.Reply) {
		r.Status, r.Body = http.StatusUnprocessableEntity, []byte(`{"error":"validation_error","detail":"the request does not fit"}`)
	})
	return f
}
