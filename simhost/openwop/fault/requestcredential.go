package fault

import (
	"net/http"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// credentialFaults are about credentials that are nearly right, and about ways on which nobody looks at them.
var credentialFaults = []Fault{
	{
		ID:      "request.key-by-its-beginning",
		Title:   "a key is compared as far as the one goes that the host knows",
		Looks:   "a key with a character more creates a run",
		Breaks:  []string{openwop.OWPERR2, openwop.OWPERR3},
		Replace: entering(func(k rules.Knock) bool { return k.Begins() }),
	},
	{
		ID:      "request.empty-key-enters",
		Title:   "the key of the host itself is not set, and so an empty one is right",
		Looks:   "Authorization: Bearer without a key is HTTP 201",
		Breaks:  []string{openwop.OWPERR1, openwop.OWPERR3},
		Replace: entering(func(k rules.Knock) bool { return k.Key && strings.TrimSpace(k.Header.Get("Authorization")) == "Bearer" }),
	},
	{
		ID:      "request.another-scheme-enters",
		Title:   "only a Bearer credential is looked at: one of another scheme is somebody else's to check",
		Looks:   "Authorization: Basic with anything in it is HTTP 200",
		Breaks:  []string{openwop.OWPERR2, openwop.OWPERR3},
		Replace: entering(func(k rules.Knock) bool { return strings.HasPrefix(k.Header.Get("Authorization"), "Basic ") }),
	},
	{
		ID:      "request.files-open",
		Title:   "a workspace file is read by whoever knows its path, as a link to a document is",
		Looks:   "GET of a file is HTTP 200 without a credential",
		Breaks:  []string{openwop.OWPERR1, openwop.OWPERR3},
		Replace: entering(keyless(http.MethodGet, "/v1/host/workspace/files/")),
	},
	{
		ID:      "request.goals-edited-by-anybody",
		Title:   "the operation that was added last, to edit a goal, stands outside of what asks for a key",
		Looks:   "PATCH of a goal is HTTP 200 without a credential",
		Breaks:  []string{openwop.OWPERR1, openwop.OWPERR3},
		Replace: entering(keyless(http.MethodPatch, "/v1/host/sample/goals/")),
	},
	{
		ID:     "request.cursor-opens",
		Title:  "a poll that goes on from a cursor is one that was let in before, and asks for no key",
		Looks:  "the log behind a sequence is HTTP 200 without a credential",
		Breaks: []string{openwop.OWPERR1, openwop.OWPERR2},
		Replace: entering(func(k rules.Knock) bool {
			return below(k, "/events/poll") && (k.Query.Has("lastSequence") || k.Query.Has("since"))
		}),
	},
	{
		ID:     "request.kept-reply-for-anybody",
		Title:  "a reply that is kept under an idempotency key is given before anybody looks at the credential",
		Looks:  "the same request under the same key is HTTP 201 without a credential",
		Breaks: []string{openwop.OWPERR1, openwop.OWPERR2},
		Replace: entering(func(k rules.Knock) bool {
			return creates(k.Method, k.Path) && k.Header.Get("Idempotency-Key") != ""
		}),
	},
	{
		ID:     "request.refusal-tells-the-goal",
		Title:  "who is refused a goal for want of a credential is told what the goal is about",
		Looks:  "HTTP 401 with the objective of the goal in its details",
		Breaks: []string{openwop.OWPERR1, openwop.OWPERR2, openwop.OWPERR3},
		Remembers: func() mutate.Changes {
			var about sync.Map // objectives by the id of their goal
			const one = "/v1/host/sample/goals/{goalId}"
			return replies(
				mutate.On("POST /v1/host/sample/goals", mutate.Succeeded(mutate.At("", func(g *openwopv1.Goal) { about.Store(g.ID, g.Objective) }))),
				mutate.On("GET "+one, func(r *mutate.Reply) {
					path := r.Request.URL.Path
					objective, known := about.Load(path[strings.LastIndexByte(path, '/')+1:])
					if r.Status != http.StatusUnauthorized || !known {
						return
					}
					mutate.JSON(func(body map[string]any) { body["details"] = map[string]any{"objective": objective} })(r)
				}),
			)
		},
	},
}

// keyless are the requests without a credential by a method, of what is below a path.
func keyless(method, path string) func(rules.Knock) bool {
	return func(k rules.Knock) bool { return !k.Key && k.Method == method && strings.HasPrefix(k.Path, path) }
}
