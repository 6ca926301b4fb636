package variation

import (
	"net/http"
	"strings"
)

const headerReplay = "Openwop-Idempotent-Replay"

// answers are the variations of the status and the headers of replies.
var answers = []Variation{
	{
		ID: "made-is-200", Title: "a run and a fork that were made are answered with 200, not 201",
		About: "with which of the two a host answers what it made",
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(x *exchange) {
				if x.status == http.StatusCreated {
					x.status = http.StatusOK
				}
			})
		},
	},
	{
		ID: "goal-is-201", Title: "a goal that was made is answered with 201, not 200",
		About: "with which of the two a host answers what it made",
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(x *exchange) {
				if x.posts(createGoal) && x.status == http.StatusOK {
					x.status = http.StatusCreated
				}
			})
		},
	},
	{
		ID: "replay-header-false", Title: "a first answer under an idempotency key says that it is none given before: " +
			"openwop-Idempotent-Replay is false",
		About: "what the header says of a first answer",
		Vary:  func(s *Set) { s.marksFirst("false") },
	},
	{
		ID: "replay-header-empty", Title: "a first answer under an idempotency key has the header openwop-Idempotent-Replay without a value",
		About: "what the header says of a first answer",
		Vary:  func(s *Set) { s.marksFirst("") },
	},
	{
		ID: "raw-bodies", Title: "the members of a body in another order make another body, and its idempotency key is refused",
		About: "whether a key is bound to the bytes of a body or to what they mean",
		Vary:  func(s *Set) { s.RawBodies = true },
	},
	{
		ID: "goal-edit-by-post", Title: "a goal is edited by POST on its path, and PATCH is 405",
		About: "by which method a goal is edited",
		Vary: func(s *Set) {
			s.asks = append(s.asks, func(x *exchange) {
				switch {
				case !x.to(oneGoal):
				case x.r.Method == http.MethodPatch:
					x.refuse(http.StatusMethodNotAllowed, "method_not_allowed", "edit by POST")
				case x.r.Method == http.MethodPost:
					x.r.Method = http.MethodPatch
				}
			})
		},
	},
	{
		ID: "no-head", Title: "HEAD is 404 everywhere",
		About: "whether there is a HEAD to each GET",
		Vary: func(s *Set) {
			s.asks = append(s.asks, func(x *exchange) {
				if x.r.Method == http.MethodHead {
					x.refuse(http.StatusNotFound, "not_found", "nothing is here")
				}
			})
		},
	},
	{
		ID: "plain-discovery", Title: "discovery says 60 seconds to caches, and has no Capabilities-Etag",
		About: "what is said about discovery to caches",
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(x *exchange) {
				if x.to(discovery) {
					x.header.Del("Capabilities-Etag")
					x.header.Set("Cache-Control", "public, max-age=60")
				}
			})
		},
	},
	{
		ID: "no-challenge", Title: "a refused key is told without WWW-Authenticate",
		About: "whether 401 comes with a challenge; of the hosts that were looked at with none",
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(x *exchange) { x.header.Del("WWW-Authenticate") })
		},
	},
	{
		ID: "strict-bearer", Title: "the name of the scheme must be written Bearer, and bearer is 401",
		About: "whether the case of the scheme's name counts; on most hosts it does",
		Vary: func(s *Set) {
			s.asks = append(s.asks, func(x *exchange) {
				if sent := x.r.Header.Get("Authorization"); sent != "" && !strings.HasPrefix(sent, "Bearer ") {
					x.r.Header.Del("Authorization")
				}
			})
		},
	},
}

// marksFirst has the first answer under an idempotency key marked as such.
func (s *Set) marksFirst(as string) {
	s.replies = append(s.replies, func(x *exchange) {
		if x.asked.Header.Get("Idempotency-Key") != "" && x.succeeded() && x.header.Get(headerReplay) != "true" {
			x.header[headerReplay] = []string{as}
		}
	})
}
