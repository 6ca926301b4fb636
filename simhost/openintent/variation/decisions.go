package variation

import (
	"net/http"

	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/openintent/suspension"
)

type ruleSet = rules.Set

// tells has the log tell an event otherwise.
func (s *Set) tells(change func(rules.Told) []rules.Told) {
	s.Rules = append(s.Rules, func(to *ruleSet) {
		before := to.Log.Tells
		to.Log.Tells = func(e rules.Told) (out []rules.Told) {
			for _, told := range before(e) {
				out = append(out, change(told)...)
			}
			return out
		}
	})
}

// events are the variations of the log (OIP-R14, OIP-R19, OIP-R110, OIP-R123) and of streams (OIP-R121).
var events = []Variation{
	{
		ID: "escalated-first", Title: "intent.suspension_escalated comes before the reminder of its attempt",
		About: "in which order the two events of an attempt come: the SDK and the timeline differ",
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(r *reply) {
				list, ok := r.Document.([]any)
				if !ok || !r.to(http.MethodGet, "intents/*/events") {
					return
				}
				for i := 1; i < len(list); i++ { // newest first
					later, _ := list[i-1].(object)
					earlier, _ := list[i].(object)
					if later["event_type"] == "intent.suspension_escalated" && earlier["event_type"] == "intent.suspension_renotified" {
						later["created_at"], earlier["created_at"] = earlier["created_at"], later["created_at"]
						list[i-1], list[i] = list[i], list[i-1]
					}
				}
			})
		},
	},
	{
		ID: "suspended-untold", Title: "the server tells no intent.suspended: that is for the agent",
		About: "who emits intent.suspended",
		Vary: func(s *Set) {
			s.tells(func(e rules.Told) []rules.Told {
				if e.Type == "intent.suspended" {
					return nil
				}
				return []rules.Told{e}
			})
		},
	},
	{
		ID: "answer-is-one-event", Title: "an answer leaves intent.resumed and no status_changed",
		About: "whether an answer is told as a change of status, too",
		Vary: func(s *Set) {
			s.tells(func(e rules.Told) []rules.Told {
				if e.Type == "status_changed" && e.Payload["reason"] == "responded" {
					return nil
				}
				return []rules.Told{e}
			})
		},
	},
	{
		ID: "status-without-from", Title: "status_changed says the new status alone",
		About: "whether status_changed says from and to",
		Vary: func(s *Set) {
			s.tells(func(e rules.Told) []rules.Told {
				if e.Type == "status_changed" {
					payload := object{}
					for key, v := range e.Payload {
						if key != "from" && key != "to" {
							payload[key] = v
						}
					}
					e.Payload = payload
				}
				return []rules.Told{e}
			})
		},
	},
	{
		ID: "payload-in-frames", Title: "a frame of intent.resumed carries the payload alone",
		About: "what a frame of a stream carries",
		Vary: func(s *Set) {
			s.frames = append(s.frames, func(kind string, doc object) object {
				payload, ok := doc["payload"].(object)
				if ok && kind == "intent.resumed" {
					return payload
				}
				return doc
			})
		},
	},
}

// decisions are the variations of what an honest server may decide otherwise (OIP-R12, OIP-R27, OIP-R108, OIP-R117, OIP-R122,
// OIP-R125, OIP-R128).
var decisions = []Variation{
	{
		ID: "config-behind-key", Title: "the configuration is read with a key alone",
		About: "whether clients need a key to read the configuration",
		Vary: func(s *Set) {
			s.Rules = append(s.Rules, func(to *ruleSet) {
				before := to.Requests.LetsIn
				to.Requests.LetsIn = func(k rules.Knock) bool {
					k.Public = k.Public && k.Operation != "getServerConfig"
					return before(k)
				}
			})
		},
	},
	{
		ID: "fail-stays-suspended", Title: "a suspension that nobody answers, whose fallback is fail, expires and the intent stays suspended",
		About: "what fallback fail does: RFC-0025 says abandoned in section 2, and either in section 6",
		Vary: func(s *Set) {
			s.Rules = append(s.Rules, func(to *ruleSet) {
				before := to.Expiry.Ends
				to.Expiry.Ends = func(fallback string) string {
					if !suspension.Continues(fallback) {
						return "suspended_awaiting_input"
					}
					return before(fallback)
				}
			})
		},
	},
	{
		ID: "refuses-claims-as-422", Title: "a claim over a suspended phase is refused with 422 UpstreamIntentSuspendedError",
		About: "how a claim is refused: the text names an exception and no status",
		Vary: func(s *Set) {
			const usual, other = "upstream_intent_suspended", "UpstreamIntentSuspendedError"
			s.objects = append(s.objects, func(o object) { // the refusal, and the event of it
				if o["error"] == usual {
					o["error"] = other
				}
			})
			s.restates(other, http.StatusUnprocessableEntity)
		},
	},
	{
		ID: "expires-at-untold", Title: "the server leaves expires_at to who writes the record",
		About: "who writes expires_at",
		Vary: func(s *Set) {
			s.Rules = append(s.Rules, func(to *ruleSet) { to.Lifecycle.Fills = func(member string) bool { return member != "expires_at" } })
		},
	},
	{
		ID: "gate-over-abandoned", Title: "an abandoned child does not keep its parent from being completed",
		About: "whether an abandoned child holds its parent up",
		Vary: func(s *Set) {
			s.Rules = append(s.Rules, func(to *ruleSet) {
				before := to.Graph.Completes
				to.Graph.Completes = func(dependencies, children []string) bool {
					var left []string
					for _, c := range children {
						if c != "abandoned" {
							left = append(left, c)
						}
					}
					return before(dependencies, left)
				}
			})
		},
	},
	{
		ID: "notifies-through-allowlist", Title: "a recipient who is not on the allowlist is taken, and never notified",
		About: "whether the allowlist is looked at when the record is written or when it is carried out",
		Vary: func(s *Set) {
			s.Rules = append(s.Rules, func(to *ruleSet) { to.Reminders.Takes = func(bool) bool { return true } })
		},
	},
	{
		ID: "default-retry-policy", Title: "the configuration has a retry policy, and a record without one inherits it",
		About: "whether a record without a policy has one attempt, or the policy of the platform",
		Vary: func(s *Set) {
			s.Policy = &suspension.Policy{MaxAttempts: new(3), IntervalSeconds: new(1), Strategy: new(suspension.StrategyFixed)}
		},
	},
}
