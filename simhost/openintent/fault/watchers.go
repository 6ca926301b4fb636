package fault

import (
	"net/http"
	"slices"
	"strings"

	oi "github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openintent/rules"
)

var watcherFaults = []Fault{
	{
		ID: "openintent.suspension-policy-dropped", Title: "a coordinator has isolate whatever it asked for, as in release 0.17.0",
		Looks: "suspension_policy of a lease is isolate", Breaks: []string{oi.OIP0026P1, oi.OIP0026P4, oi.OIP0026P5},
		Request: coordinating(func(asked map[string]any) {
			if isPolicy(asked["suspension_policy"]) {
				delete(asked, "suspension_policy")
			}
		}),
	},
	{
		ID: "openintent.coordinator-escalates-by-default", Title: "a coordinator that asks for no policy has escalate",
		Looks: "suspension_policy of a lease is escalate", Breaks: []string{oi.OIP0026P2},
		Request: coordinating(func(asked map[string]any) {
			if _, named := asked["suspension_policy"]; !named {
				asked["suspension_policy"] = openintentv1.SuspensionPolicyEscalate
			}
		}),
	},
	{
		ID: "openintent.unasked-coordinator-escalates", Title: "a coordinator that asks for no policy shows isolate, and escalates",
		Looks: "coordinator.escalation_required comes under a lease that names no policy", Breaks: []string{oi.OIP0026P3},
		Twin: "isolate that is kept where it is asked for, and not where it is the default",
		Request: coordinating(func(asked map[string]any) {
			if _, named := asked["suspension_policy"]; !named {
				asked["suspension_policy"] = openintentv1.SuspensionPolicyEscalate
				asked["metadata"] = map[string]any{unasked: true}
			}
		}),
		Reply: func(r *mutate.Reply) {
			mutate.On("POST /api/v1/coordinators", mutate.Succeeded(mutate.JSON(showIsolate)))(r)
			mutate.On("GET /api/v1/coordinators/{coordinatorId}", mutate.Succeeded(mutate.JSON(showIsolate)))(r)
		},
	},
	{
		ID: "openintent.isolate-escalates", Title: "a coordinator with isolate escalates",
		Looks: "coordinator.escalation_required comes under isolate", Breaks: []string{oi.OIP0026P3},
		Replace: func(s *rules.Set) {
			s.Watchers.Escalates = func(policy string, _ int) bool { return policy != "block_dependents" }
		},
	},
	{
		ID: "openintent.isolate-pauses", Title: "a coordinator with isolate blocks the phases that are wired to the suspended one",
		Looks: "a wired phase is blocked under isolate", Breaks: []string{oi.OIP0026P3},
		Twin:    "isolate that does too much to the phases, where its twin does too much to the coordinator",
		Replace: func(s *rules.Set) { s.Watchers.Pauses = func(policy string) bool { return policy != "escalate" } },
	},
	{
		ID: "openintent.wired-phases-run-on", Title: "under block_dependents nothing is paused",
		Looks: "a wired phase is active under block_dependents", Breaks: []string{oi.OIP0026P4},
		Replace: func(s *rules.Set) { s.Watchers.Pauses = func(string) bool { return false } },
	},
	{
		ID: "openintent.escalation-inert", Title: "under escalate nothing is escalated",
		Looks: "no coordinator.escalation_required comes", Breaks: []string{oi.OIP0026P5},
		Twin:    "there the second escalation does nothing, here none does anything",
		Replace: func(s *rules.Set) { s.Watchers.Escalates = func(string, int) bool { return false } },
	},
	{
		ID: "openintent.bogus-policy-taken", Title: "a suspension policy that there is not is taken, as in release 0.17.0",
		Looks: "a lease with suspension_policy bogus is 200", Breaks: []string{oi.OIPREAD8},
		Request: coordinating(func(asked map[string]any) {
			if !isPolicy(asked["suspension_policy"]) {
				delete(asked, "suspension_policy")
			}
		}),
	},
}

// coordinating changes what is asked for with the lease of a coordinator.
func coordinating(change func(asked map[string]any)) mutate.RequestFunc {
	return mutate.Asked("POST /api/v1/coordinators", mutate.Body(change))
}

// unasked marks a lease that escalates though nobody asked for it.
const unasked = "unasked"

// showIsolate hides what marks such a lease.
func showIsolate(lease map[string]any) {
	if marks, _ := lease["metadata"].(map[string]any); marks[unasked] == true {
		lease["suspension_policy"] = openintentv1.SuspensionPolicyIsolate
		delete(lease, "metadata")
	}
}

func isPolicy(value any) bool {
	text, ok := value.(string)
	return ok && openintentv1.SuspensionPolicy(text).Valid()
}

var configFaults = []Fault{
	{
		ID: "openintent.config-writable", Title: "the server config is taken from whoever sends one",
		Looks: "PUT server/config is 200", Breaks: []string{oi.OIP0026D5},
		Request: mutate.Asked("PUT /api/v1/server/config", func(r *mutate.Request) { r.Method = http.MethodGet }),
	},
	{
		ID: "openintent.config-behind-key", Title: "the server config is refused, whatever key asks for it",
		Looks: "GET server/config with a key is 403", Breaks: []string{oi.OIP0026D4},
		Reply: mutate.On("GET /api/v1/server/config", func(r *mutate.Reply) { r.Status = http.StatusForbidden }),
	},
	{
		ID: "openintent.config-invalid", Title: "the server config shows a default policy that cannot be",
		Looks: "max_attempts is 0 in server/config", Breaks: []string{oi.OIP0026D4},
		Twin: "a configuration that everybody can read, and nobody can use",
		Reply: mutate.On("GET /api/v1/server/config", mutate.Succeeded(mutate.JSON(func(config map[string]any) {
			config["suspension"].(map[string]any)["default_retry_policy"] = map[string]any{"max_attempts": 0, "strategy": "bogus"}
		}))),
	},
}

var streamFaults = []Fault{
	{
		ID: "openintent.streamed-twice", Title: "the stream of an intent has each event of a suspension twice",
		Looks: "an event comes twice on the stream", Breaks: []string{oi.OIP00061, oi.OIP0026L4},
		Frame: streams(func(kind string) int {
			if strings.HasPrefix(kind, "intent.") {
				return 2
			}
			return 1
		}),
	},
	{
		ID: "openintent.reminders-not-streamed", Title: "the stream has no reminders",
		Looks: "intent.suspension_renotified is on the log and not on the stream", Breaks: []string{oi.OIP0026L4},
		Frame: streams(func(kind string) int {
			if kind == renotified || kind == escalated {
				return 0
			}
			return 1
		}),
	},
	{
		ID: "openintent.answers-not-streamed", Title: "the stream does not have the answer",
		Looks: "intent.resumed is on the log and not on the stream", Breaks: []string{oi.OIP00061},
		Frame: streams(func(kind string) int {
			if kind == "intent.resumed" {
				return 0
			}
			return 1
		}),
	},
}

// streams changes how often an event of a kind goes out on a stream.
func streams(times func(kind string) int) mutate.FrameFunc {
	return func(_ *http.Request, f mutate.Frame) []mutate.Frame {
		return slices.Repeat([]mutate.Frame{f}, times(f.Event))
	}
}
