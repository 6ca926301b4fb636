package fault

import (
	oi "github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openintent/suspension"
)

// drawnFaults show in routes beside the usual ones, and in policies that say little.
var drawnFaults = []Fault{
	{
		ID: "openintent.graph-shows-waiting-active", Title: "the nodes of a graph show an intent that waits as active",
		Looks: "a node of GET intents/{id}/graph is active, and the intent is suspended", Breaks: []string{oi.OIPREAD16, oi.OIP0026R4},
		Reply: mutate.On("GET /api/v1/intents/{intentId}/graph", mutate.Succeeded(mutate.JSON(func(graph map[string]any) {
			nodes, _ := graph["nodes"].([]any)
			for _, n := range nodes {
				if node, is := n.(map[string]any); is && node["status"] == suspended {
					node["status"] = active
				}
			}
		}))),
	},
	{
		ID: "openintent.ready-over-waiting", Title: "a child that waits for one that waits for a person is listed as ready, and not as blocked",
		Looks: "GET intents/{id}/blocked has no child that depends on a suspended intent", Breaks: []string{oi.OIPREAD17},
		Reply: mutate.On("GET /api/v1/intents/{intentId}/blocked", mutate.Succeeded(mutate.JSON(func(list map[string]any) {
			list["blocked"] = []any{}
		}))),
	},
	{
		ID: "openintent.member-portfolios-blind", Title: "the portfolios of an intent have no suspended members where they are listed",
		Looks: "GET intents/{id}/portfolios says 0 where GET portfolios/{id} says 1", Breaks: []string{oi.OIP0026R4B, oi.OIP0026R4C},
		Reply: mutate.On("GET /api/v1/intents/{intentId}/portfolios", mutate.Succeeded(mutate.Objects(func(o map[string]any) {
			if _, portfolio := o["has_suspended_members"]; portfolio {
				o["has_suspended_members"], o["suspended_member_count"] = false, 0
			}
		}))),
	},
	{
		ID: "openintent.unlimited-policy-reminds", Title: "a policy that names no max_attempts has three attempts, as in the SDK",
		Looks: "a reminder comes of a policy without max_attempts", Breaks: []string{oi.OIP0026H1, oi.OIP0026N7, oi.OIP0026N6},
		Replace: courses(func(c *suspension.Course, r suspension.Record) {
			if r.RetryPolicy != nil && r.RetryPolicy.MaxAttempts == nil && c.Interval > 0 {
				c.Attempts = 3
				ends(c, 3*c.Interval)
			}
		}),
	},
}
