package variation

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
)

// paths are the variations of where things are (OIP-R1, OIP-R26, OIP-R32).
var paths = []Variation{
	{
		ID: "prefix-v1", Title: "everything is below /v1, and nothing below /api/v1",
		About: "which prefix the paths have: the texts say either",
		Vary: func(s *Set) {
			s.asks = append(s.asks, func(r *http.Request) bool {
				rest, ok := strings.CutPrefix(r.URL.Path, "/v1/")
				if ok {
					r.URL.Path, r.URL.RawPath = "/api/v1/"+rest, ""
				}
				return ok || strings.HasPrefix(r.URL.Path, "/.well-known/")
			})
			s.objects = append(s.objects, func(o object) {
				if at, ok := o["advance"].(string); ok {
					o["advance"] = strings.TrimPrefix(at, "/api")
				}
			})
		},
	},
	{
		ID: "tasks-at-the-root", Title: "a task is made at /tasks, and not below its intent",
		About: "where a task is made",
		Vary:  func(s *Set) { s.lacks(http.MethodPost, `^/api/v1/intents/[^/]+/tasks$`) },
	},
	{
		ID: "streams-below", Title: "a stream is at /intents/ID/subscribe, and not at /subscribe/intents/ID",
		About: "where streams are: the guide and the server differ",
		Vary:  func(s *Set) { s.lacks(http.MethodGet, `^/api/v1/subscribe/`) },
	},
}

func (s *Set) lacks(method, path string) {
	gone := regexp.MustCompile(path)
	s.asks = append(s.asks, func(r *http.Request) bool { return r.Method != method || !gone.MatchString(r.URL.Path) })
}

// statuses are the variations of how replies are told (OIP-R2, OIP-R3, OIP-R4, OIP-R5, OIP-R6).
var statuses = []Variation{
	{
		ID: "made-is-201", Title: "what was made is answered with 201",
		About: "with which of the two a server answers what it made",
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(r *reply) {
				for _, pattern := range []string{
					"intents", "intents/*/children", "intents/*/events", "intents/*/agents", "intents/*/leases", "intents/*/tasks",
					"intents/*/dependencies", "tasks", "plans", "portfolios", "portfolios/*/intents", "coordinators",
				} {
					if r.Status == http.StatusOK && r.to(http.MethodPost, pattern) {
						r.Status = http.StatusCreated
					}
				}
			})
		},
	},
	{
		ID: "conflict-is-412", Title: "a write that means an old version is answered with 412",
		About: "how an old version is refused",
		Vary:  func(s *Set) { s.restates("version_conflict", http.StatusPreconditionFailed) },
	},
	{
		ID: "missing-match-is-400", Title: "a write without If-Match is answered with 400",
		About: "how a missing version is refused: one server does it in two ways",
		Vary:  func(s *Set) { s.restates("if_match_required", http.StatusBadRequest) },
	},
	{
		ID: "no-etag", Title: "no reply has an ETag",
		About: "whether the version is in a header, too",
		Slips: []string{"OIP-0001-3"},
		Vary:  func(s *Set) { s.replies = append(s.replies, func(r *reply) { r.Header().Del("ETag") }) },
	},
	{
		ID: "errors-under-detail", Title: "the code of a refusal and what belongs to it stand in detail",
		About: "whether error and valid_choices stand at the root or below detail",
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(r *reply) {
				doc := r.Object()
				if r.Status < http.StatusBadRequest || doc == nil {
					return
				}
				doc["message"] = doc["detail"]
				delete(doc, "detail")
				r.Document = object{"detail": doc}
			})
		},
	},
	{
		ID: "choices-as-values", Title: "valid_choices are the values alone",
		About: "whether valid_choices are texts or objects",
		Vary: func(s *Set) {
			s.objects = append(s.objects, func(o object) {
				list, _ := o["valid_choices"].([]any)
				for i, c := range list {
					if choice, ok := c.(object); ok {
						list[i] = choice["value"]
					}
				}
			})
		},
	},
}

func (s *Set) restates(code string, status int) {
	s.replies = append(s.replies, func(r *reply) {
		if r.refused() == code {
			r.Status = status
		}
	})
}

// places are the variations of where a document has what (OIP-R9, OIP-R23, OIP-R24, OIP-R25).
var places = []Variation{
	{
		ID: "aggregate-at-the-intent", Title: "the aggregate of a parent stands at the intent, not at its graph",
		About: "where aggregate_status of a parent is",
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(r *reply) {
				if r.to(http.MethodGet, "intents/*/graph") && r.Object() != nil {
					delete(r.Object(), "aggregate_status")
				}
			})
		},
	},
	{
		ID: "flags-below-the-aggregate", Title: "the flags of a portfolio stand below aggregate_status, whose word is overall",
		About: "where the flags and the aggregate of a portfolio are",
		Vary: func(s *Set) {
			s.portfolios(func(o object) {
				aggregate, ok := o["aggregate_status"].(object)
				if !ok {
					return
				}
				for _, flag := range []string{"has_suspended_members", "suspended_member_count"} {
					aggregate[flag] = o[flag]
					delete(o, flag)
				}
				aggregate["overall"] = aggregate["status"]
				delete(aggregate, "status")
			})
		},
	},
	{
		ID: "lists-at-the-root", Title: "suspended_tasks and suspended_phases stand at the root of the plan and the portfolio",
		About: "where the lists of what is suspended are: no text defines a progress object",
		Vary: func(s *Set) {
			s.objects = append(s.objects, func(o object) {
				progress, ok := o["progress"].(object)
				if !ok {
					return
				}
				maps.Copy(o, progress)
				delete(o, "progress")
			})
		},
	},
	{
		ID: "abandonment-in-the-event", Title: "why an intent was abandoned stands in its event alone",
		About: "where abandonment_reason is",
		Vary: func(s *Set) {
			s.objects = append(s.objects, func(o object) {
				if _, intent := o["title"]; intent {
					delete(o, "abandonment_reason")
				}
			})
		},
	},
	{
		ID: "task-state", Title: "a task says where it stands in state, and has task_metadata",
		About: "how a task calls its status and its metadata",
		Vary: func(s *Set) {
			s.objects = append(s.objects, func(o object) {
				if _, task := o["max_attempts"]; !task || o["intent_id"] == nil || o["name"] == nil {
					return
				}
				rename(o, "status", "state")
				rename(o, "metadata", "task_metadata")
			})
		},
	},
	{
		ID: "parent-id", Title: "a parent is called parent_id, and not parent_intent_id",
		About: "how an intent calls its parent",
		Vary:  func(s *Set) { s.objects = append(s.objects, func(o object) { delete(o, "parent_intent_id") }) },
	},
	{
		ID: "further-members", Title: "every document has members that no text knows",
		About: "what servers add",
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(r *reply) {
				if doc := r.Object(); doc != nil {
					doc["x_vendor"] = object{"since": "always"}
				}
			})
		},
	},
}

func rename(o object, from, to string) {
	if v, ok := o[from]; ok {
		o[to] = v
		delete(o, from)
	}
}

// portfolios has the set change every portfolio of a reply.
func (s *Set) portfolios(change func(object)) {
	s.objects = append(s.objects, func(o object) {
		if _, ok := o["has_suspended_members"]; ok {
			change(o)
		}
	})
}

// serverTime is a time as the server itself writes it.
var serverTime = lazyregexp.New(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z$`)

// times has every time that the server wrote told with another zone.
func (s *Set) times(zone string) {
	s.objects = append(s.objects, func(o object) {
		for key, v := range o {
			if text, ok := v.(string); ok && serverTime.MatchString(text) {
				o[key] = strings.TrimSuffix(text, "Z") + zone
			}
		}
	})
}

// words are the variations of how values are written (OIP-R15, OIP-R23, OIP-R34).
var words = []Variation{
	{
		ID: "naive-times", Title: "times have no zone, and are in UTC",
		About: "whether times have a zone: those of real servers have none",
		Vary:  func(s *Set) { s.times("") },
	},
	{
		ID: "offset-times", Title: "times have the offset +00:00",
		About: "how the zone of a time is written",
		Vary:  func(s *Set) { s.times("+00:00") },
	},
	{
		ID: "empty-for-null", Title: "channels and recipients that are not named are empty texts",
		About: "how a channel or a recipient is told that is not named",
		Vary: func(s *Set) {
			s.objects = append(s.objects, func(o object) {
				for _, key := range []string{"channel_hint", "notify_to", "escalated_to"} {
					if v, ok := o[key]; ok && v == nil {
						o[key] = ""
					}
				}
			})
		},
	},
	{
		ID: "nothing-for-null", Title: "what is null is left out of payloads",
		About: "whether what is not there is null or absent",
		Vary: func(s *Set) {
			s.objects = append(s.objects, func(o object) {
				payload, ok := o["payload"].(object)
				for key, v := range payload {
					if ok && v == nil && key != "value" {
						delete(payload, key)
					}
				}
			})
		},
	},
	{
		ID: "no-zero-counts", Title: "by_status has no statuses that nobody has",
		About: "whether a count of nothing is 0 or absent",
		Vary: func(s *Set) {
			s.objects = append(s.objects, func(o object) {
				counts, _ := o["by_status"].(object)
				maps.DeleteFunc(counts, func(_ string, n any) bool { return n == json.Number("0") })
			})
		},
	},
}
