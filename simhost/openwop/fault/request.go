package fault

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var requestFaults = slices.Concat(accessFaults, credentialFaults, bodyFaults, misfitFaults, wordFaults, keyFaults)

// accessFaults are about who is let in, and what is there for them.
var accessFaults = []Fault{
	{
		ID:      "request.keyless-creates",
		Title:   "whoever comes without a key can create runs",
		Looks:   "POST /v1/runs without a credential is HTTP 201",
		Breaks:  []string{openwop.OWPERR1},
		Replace: entering(func(k rules.Knock) bool { return !k.Key && creates(k.Method, k.Path) }),
	},
	{
		ID:      "request.any-key-creates",
		Title:   "a key is asked for to create a run, and not looked up",
		Looks:   "POST /v1/runs with a key of nobody's is HTTP 201",
		Breaks:  []string{openwop.OWPERR2},
		Replace: entering(func(k rules.Knock) bool { return k.Key && creates(k.Method, k.Path) }),
	},
	{
		ID:      "request.streams-open",
		Title:   "streams ask for no key, since a browser's event source cannot send one",
		Looks:   "the stream of a run is HTTP 200 without a credential",
		Breaks:  []string{openwop.OWPERR1, openwop.OWPERR3},
		Replace: entering(func(k rules.Knock) bool { return !k.Key && below(k, "/events") }),
	},
	{
		ID:      "request.any-key-reads",
		Title:   "whoever has some key can read a run",
		Looks:   "GET of a run with a key of nobody's is HTTP 200, and of one that never was HTTP 404",
		Breaks:  []string{openwop.OWPERR2, openwop.OWPERR3},
		Replace: entering(func(k rules.Knock) bool { return k.Key && k.Method == http.MethodGet && below(k, "") }),
	},
	{
		ID:     "request.looks-before-the-key",
		Title:  "a poll looks for the run before it looks at the key",
		Looks:  "without a credential a run that never was is HTTP 404, and one that is there HTTP 401",
		Breaks: []string{openwop.OWPERR3},
		Replace: func(s *rules.Set) {
			admits := s.Access.Admits
			s.Access.Admits = func(k rules.Knock) rules.Admission {
				a := admits(k)
				if below(k, "/events/poll") && k.Never() {
					a.Code = rules.NotFound
				}
				return a
			}
		},
	},
	{
		ID:     "request.refused-cancel-done",
		Title:  "the key of who cancels is looked at when the run is cancelled",
		Looks:  "a cancellation without a credential is HTTP 401, and the run has ended",
		Breaks: []string{openwop.OWPERR25},
		Replace: func(s *rules.Set) {
			admits := s.Access.Admits
			s.Access.Admits = func(k rules.Knock) rules.Admission {
				a := admits(k)
				a.Late = below(k, "/cancel")
				return a
			}
		},
	},
	{
		ID:     "request.unknown-run-falls",
		Title:  "for the host's own tenant nobody looks whose a run is, and the host falls over a cancellation of one that never was",
		Looks:  "to cancel an id that was never given out is HTTP 500",
		Breaks: []string{openwop.OWPERR8},
		Replace: func(s *rules.Set) {
			visits := s.Tenants.Visits
			s.Tenants.Visits = func(v rules.Visit) string {
				if v.Owner == "" && v.Tenant == "local" && v.Operation == "cancelRun" {
					return internalError
				}
				return visits(v)
			}
		},
	},
	{
		ID:     "request.unknown-workflow-runs",
		Title:  "a workflow that nobody has stands for one that does nothing",
		Looks:  "a run of a workflow that is not there is HTTP 201",
		Breaks: []string{openwop.OWPERR9},
		Remembers: func() mutate.Changes {
			var runnable atomic.Pointer[[]string] // as discovery has told; nil as long as nobody has asked
			c := replies(discovered(mutate.At("", func(d *struct{ Fixtures []string }) { runnable.Store(&d.Fixtures) })))
			c.Requests = []mutate.RequestFunc{mutate.Asked("POST /v1/runs", mutate.Body(func(run map[string]any) {
				known := runnable.Load()
				if workflow, named := run["workflowId"].(string); named && known != nil && !slices.Contains(*known, workflow) {
					run["workflowId"] = "conformance-noop"
				}
			}))}
			return c
		},
	},
	{
		ID:     "request.cancel-tells-before",
		Title:  "the reply to a cancellation has the status that the run had before it",
		Looks:  "status is running when a run under way was cancelled",
		Breaks: []string{openwop.OWPERR23},
		Remembers: cancelSaying(func(before openwopv1.RunSnapshot, c *openwopv1.CancelRunResponse) {
			underWay := before.Status == openwopv1.RunStatusRunning || before.Status == openwopv1.RunStatusPending || before.RunID == ""
			if underWay && c.Status == openwopv1.RunStatusCancelled {
				c.Status = openwopv1.RunStatusRunning
			}
		}),
	},
	{
		ID:     "request.cancel-of-completed-says-cancelled",
		Title:  "the reply to a cancellation says cancelled of a run that had completed and has nothing to show",
		Looks:  "status is cancelled in the reply, and completed in the snapshot",
		Breaks: []string{openwop.OWPERR24},
		Remembers: cancelSaying(func(before openwopv1.RunSnapshot, c *openwopv1.CancelRunResponse) {
			if c.Status == openwopv1.RunStatusCompleted && len(before.Variables) == 0 {
				c.Status = openwopv1.RunStatusCancelled
			}
		}),
	},
}

// credentialFaults are about credentials that are nearly right, and about ways on which nobody looks at them.
var credentialFaults = []Fault{
	{
		ID:      "request.key-by-its-beginning",
		Title:   "a key is compared as far as the one goes that the host knows",
		Looks:   "a key with a character more creates a run",
		Breaks:  []string{openwop.OWPERR2, openwop.OWPERR3},
		Twin:    "the credential has the right form and a right beginning, there it has another form",
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
		Twin:    "there the header is there and empty, here one operation asks for none",
		Replace: entering(keyless(http.MethodGet, "/v1/host/workspace/files/")),
	},
	{
		ID:      "request.goals-edited-by-anybody",
		Title:   "the operation that was added last, to edit a goal, stands outside of what asks for a key",
		Looks:   "PATCH of a goal is HTTP 200 without a credential",
		Breaks:  []string{openwop.OWPERR1, openwop.OWPERR3},
		Twin:    "an operation that writes, where that one reads",
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
		Twin:   "the key is not asked for by what the request repeats, there by where it goes on",
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

// The codes of the protocol that refusals are told by.
const (
	internalError   = "internal_error"
	validationError = "validation_error"
)

// creates reports whether a request is for a run.
func creates(method, path string) bool { return method == http.MethodPost && path == "/v1/runs" }

// below tells a knock at this place below a run.
func below(k rules.Knock, place string) bool {
	at, ok := k.Run()
	return ok && at == place
}

// entering lets in who has no key that the host knows.
func entering(meant func(rules.Knock) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		admits := s.Access.Admits
		s.Access.Admits = func(k rules.Knock) rules.Admission {
			a := admits(k)
			a.In = a.In || meant(k)
			return a
		}
	}
}

// cancelSaying changes what the reply to a cancellation tells, given the run as it was shown last: the zero snapshot
// where it was not.
func cancelSaying(says func(before openwopv1.RunSnapshot, c *openwopv1.CancelRunResponse)) func() mutate.Changes {
	return func() mutate.Changes {
		var shown sync.Map // snapshots by the id of their run
		return replies(
			snapshots(func(run *openwopv1.RunSnapshot) { shown.Store(run.RunID, *run) }),
			mutate.On("POST /v1/runs/{runId}/cancel", mutate.Succeeded(mutate.At("", func(c *openwopv1.CancelRunResponse) {
				run, _ := shown.Swap(c.RunID, openwopv1.RunSnapshot{RunID: c.RunID, Status: c.Status})
				before, _ := run.(openwopv1.RunSnapshot)
				says(before, c)
			}))),
		)
	}
}

// refused is a reply that says no.
type refused struct {
	*mutate.Reply
	openwopv1.ErrorEnvelope
}

// refusing changes the refusals that are meant.
func refusing(meant func(refused) bool, change mutate.ReplyFunc) mutate.ReplyFunc {
	return func(r *mutate.Reply) {
		var e openwopv1.ErrorEnvelope
		if r.Status >= http.StatusBadRequest && json.Unmarshal(r.Body, &e) == nil && meant(refused{r, e}) {
			change(r)
		}
	}
}

// misfit returns what is wrong first with a body: a JSON pointer to the member, and one to the keyword, or "json". The
// keyword is "" where something else is refused.
func (r refused) misfit() (member, keyword string) {
	problems, _ := r.Details["problems"].([]any)
	if len(problems) == 0 {
		return "", ""
	}
	first, _ := problems[0].(map[string]any)
	member, _ = first["pointer"].(string)
	keyword, _ = first["keyword"].(string)
	return member, keyword
}

// misfits matches the bodies of requests for a run that are wrong first by a keyword that ends so.
func misfits(keyword string) func(refused) bool {
	return func(r refused) bool {
		_, by := r.misfit()
		return creates(r.Request.Method, r.Request.URL.Path) && by != "" && strings.HasSuffix(by, keyword)
	}
}

// misfit is misfits for what is wrong first in this member.
func misfit(member, keyword string) func(refused) bool {
	return func(r refused) bool {
		at, _ := r.misfit()
		return at == member && misfits(keyword)(r)
	}
}

// coded matches the refusals with this code.
func coded(code string) func(refused) bool {
	return func(r refused) bool { return r.Error == code }
}

// reworded changes what a refusal says.
func reworded(change func(*openwopv1.ErrorEnvelope)) mutate.ReplyFunc { return mutate.At("", change) }

// falls is the refusal of a host that fell over the request.
func falls(r *mutate.Reply) {
	r.Status = http.StatusInternalServerError
	reworded(func(e *openwopv1.ErrorEnvelope) {
		*e = openwopv1.ErrorEnvelope{Error: internalError, Message: "unexpected end of handler"}
	})(r)
}

// failing refuses with another status and code. At 500 and above clients find a correlation id.
func failing(status int, code string) mutate.ReplyFunc {
	return func(r *mutate.Reply) {
		r.Status = status
		reworded(func(e *openwopv1.ErrorEnvelope) {
			if e.Error = code; e.Details == nil {
				e.Details = map[string]any{}
			}
			e.Details["correlationId"] = "req-0"
		})(r)
	}
}

// plainly refuses with a text, as a server in front of the host would.
func plainly(r *mutate.Reply) {
	r.Header.Set("Content-Type", "text/plain; charset=utf-8")
	r.Header.Set("X-Content-Type-Options", "nosniff")
	r.Body = []byte(http.StatusText(r.Status) + "\n")
}

// wordlessly refuses with a code and no message.
func wordlessly(r *mutate.Reply) { reworded(func(e *openwopv1.ErrorEnvelope) { e.Message = "" })(r) }

// asCode refuses with another code.
func asCode(code string) mutate.ReplyFunc {
	return reworded(func(e *openwopv1.ErrorEnvelope) { e.Error = code })
}
