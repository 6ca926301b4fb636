package variation

import "net/http"

// refusals are the variations of refusals.
var refusals = []Variation{
	{
		ID: "answered-is-gone", Title: "an interrupt that was answered before, or that nobody waits for, is 410, not 409",
		About: "with which of 404, 409 and 410 a second answer is refused", Slips: []string{"OWP-INT-38"},
		Vary: func(s *Set) { s.answeredIs(http.StatusGone, "interrupt_gone") },
	},
	{
		ID: "answered-is-missing", Title: "an interrupt that was answered before, or that nobody waits for, is 404, not 409 nor 410",
		About: "with which of 404, 409 and 410 a second answer is refused", Slips: []string{"OWP-INT-38"},
		Vary: func(s *Set) { s.answeredIs(http.StatusNotFound, "interrupt_not_found") },
	},
	{
		ID: "workflow-is-400", Title: "a run of a workflow that there is not is 400, not 404",
		About: "with which of the two it is refused",
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(x *exchange) {
				if x.posts(createRun) && x.status == http.StatusNotFound {
					x.restate(http.StatusBadRequest, "validation_error")
				}
			})
		},
	},
	{
		ID: "large-is-400", Title: "a body that is too large is 400, not 413",
		About: "with which of the two it is refused",
		Slips: []string{"OWP-WSP-23", "OWP-WSP-25"},
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(x *exchange) {
				if x.status == http.StatusRequestEntityTooLarge {
					x.status = http.StatusBadRequest
				}
			})
		},
	},
	{
		ID: "foreign-is-403", Title: "a run, a goal or a file that is not there for who reads it is 403, not 404",
		About: "how a host hides what belongs to somebody else",
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(x *exchange) {
				switch {
				case x.r.Method != http.MethodGet || x.status != http.StatusNotFound:
				case x.to(anyRun):
					x.restate(http.StatusForbidden, "run_forbidden")
				case x.to(oneGoal), x.to(files) && x.r.URL.RawQuery == "": // a version that there is not is nobody else's
					x.restate(http.StatusForbidden, "forbidden")
				}
			})
		},
	},
	{
		ID: "error-spellings", Title: "refusals in the words of other hosts: invalid_credential, invalid_request, " +
			"run_not_found and so on, with the same status",
		About: "how codes are spelled",
		Slips: []string{"OWP-ERR-5"},
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(x *exchange) {
				if code, is := x.refused(); is {
					x.doc["error"] = x.spelled(code)
				}
			})
		},
	},
}

// answeredIs has an answer that comes too late refused so.
func (s *Set) answeredIs(status int, code string) {
	s.replies = append(s.replies, func(x *exchange) {
		switch got, _ := x.refused(); got {
		case "interrupt_already_resolved", "interrupt_gone":
			if x.posts(runAnswer) {
				x.restate(status, code)
			}
		}
	})
}

// spelled is a code as other hosts spell it.
func (x *exchange) spelled(code string) string {
	switch {
	case code == "unauthenticated" && x.asked.Header.Get("Authorization") != "":
		return "invalid_credential"
	case code == "validation_error":
		return "invalid_request"
	case code == "not_found" && x.posts(createRun):
		return "workflow_not_found"
	case code == "not_found" && x.to(anyRun):
		return "run_not_found"
	case code == "interrupt_not_found" && x.to(tokens):
		return "invalid_interrupt_token"
	case code == "idempotency_key_mismatch":
		return "idempotency_key_conflict"
	}
	return code
}
