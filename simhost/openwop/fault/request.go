package fault

import (
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var requestFaults = slices.Concat(accessFaults, bodyFaults, wordFaults, keyFaults)

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
			honest := s.Access.TurnedAway
			s.Access.TurnedAway = func(k rules.Knock) string {
				if below(k, "/events/poll") && k.Never() {
					return rules.NotFound
				}
				return honest(k)
			}
		},
	},
	{
		ID:     "request.refused-cancel-done",
		Title:  "the key of who cancels is looked at when the run is cancelled",
		Looks:  "a cancellation without a credential is HTTP 401, and the run has ended",
		Breaks: []string{openwop.OWPERR25},
		Replace: func(s *rules.Set) {
			s.Access.LooksLast = func(k rules.Knock) bool { return below(k, "/cancel") }
		},
	},
	{
		ID:     "request.unknown-run-falls",
		Title:  "for the host's own tenant nobody looks whose a run is, and the host falls over a cancellation of one that never was",
		Looks:  "to cancel an id that was never given out is HTTP 500",
		Breaks: []string{openwop.OWPERR8},
		Replace: func(s *rules.Set) {
			honest := s.Requests.Absent
			s.Requests.Absent = func(operation, code string, own bool) string {
				if own && operation == "cancelRun" {
					return internalError
				}
				return honest(operation, code, own)
			}
		},
	},
	{
		ID:     "request.unknown-workflow-runs",
		Title:  "a workflow that nobody has stands for one that does nothing",
		Looks:  "a run of a workflow that is not there is HTTP 201",
		Breaks: []string{openwop.OWPERR9},
		Replace: func(s *rules.Set) {
			honest := s.Requests.Made
			s.Requests.Made = func(workflow string, known bool) string {
				if !known {
					return "conformance-noop"
				}
				return honest(workflow, known)
			}
		},
	},
	{
		ID:     "request.cancel-tells-before",
		Title:  "the reply to a cancellation has the status that the run had before it",
		Looks:  "status is running when a run under way was cancelled",
		Breaks: []string{openwop.OWPERR23},
		Replace: cancelSaying(func(before openwopv1.RunSnapshot, after openwopv1.RunStatus) openwopv1.RunStatus {
			if before.Status == openwopv1.RunStatusRunning {
				return before.Status
			}
			return after
		}),
	},
	{
		ID:     "request.cancel-of-completed-says-cancelled",
		Title:  "the reply to a cancellation says cancelled of a run that had completed and has nothing to show",
		Looks:  "status is cancelled in the reply, and completed in the snapshot",
		Breaks: []string{openwop.OWPERR24},
		Replace: cancelSaying(func(before openwopv1.RunSnapshot, after openwopv1.RunStatus) openwopv1.RunStatus {
			if before.Status == openwopv1.RunStatusCompleted && len(before.Variables) == 0 {
				return openwopv1.RunStatusCancelled
			}
			return after
		}),
	},
}

const internalError = "internal_error"

// creates tells the requests for a run.
func creates(method, path string) bool { return method == http.MethodPost && path == "/v1/runs" }

// below tells a knock at this place below a run.
func below(k rules.Knock, place string) bool {
	at, ok := k.Run()
	return ok && at == place
}

// entering lets in who has no key that the host knows.
func entering(meant func(rules.Knock) bool) func(*rules.Set) {
	return func(s *rules.Set) { s.Access.Enters = meant }
}

// cancelSaying changes what the reply to a cancellation tells.
func cancelSaying(says func(before openwopv1.RunSnapshot, after openwopv1.RunStatus) openwopv1.RunStatus) func(*rules.Set) {
	return func(s *rules.Set) { s.Requests.CancelSays = says }
}

// refusing changes the refusals that are meant.
func refusing(meant func(rules.Refusal) bool, change func(*rules.Refusal)) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Requests.Refuses
		s.Requests.Refuses = func(r rules.Refusal) rules.Refusal {
			if meant(r) {
				change(&r)
			}
			return honest(r)
		}
	}
}

// misfit tells the bodies of requests for a run that are wrong first in this member, by a keyword that ends so.
func misfit(member, keyword string) func(rules.Refusal) bool {
	return func(r rules.Refusal) bool {
		return creates(r.Method, r.Path) && r.Member == member && r.Keyword != "" && strings.HasSuffix(r.Keyword, keyword)
	}
}

// coded tells the refusals with this code.
func coded(code string) func(rules.Refusal) bool {
	return func(r rules.Refusal) bool { return r.Code == code }
}

// falls is the refusal of a host that fell over the request.
func falls(r *rules.Refusal) {
	r.Status, r.Code, r.Message, r.Details = http.StatusInternalServerError, internalError, "unexpected end of handler", nil
}

// plainly refuses with a text, as a server in front of the host would.
func plainly(r *rules.Refusal) { r.Plain, r.Message = true, http.StatusText(r.Status) }

// wordlessly refuses with a code and no message.
func wordlessly(r *rules.Refusal) { r.Message = "" }

// asCode refuses with a code of the host's own.
func asCode(code string) func(*rules.Refusal) { return func(r *rules.Refusal) { r.Code = code } }
