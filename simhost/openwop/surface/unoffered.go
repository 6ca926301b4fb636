package surface

import (
	"net/http"

	"github.com/openassay/assay/simhost/refusal"
	"github.com/openassay/assay/simhost/serving"
)

// unoffered are the operations of the protocol that this host never offers and that are refused with 501 where their capability is
// not advertised, by that. Of all others nothing is at their paths.
var unoffered = map[string]string{
	"/v1/runs/{runId}/annotations":                    "feedback",
	"/v1/content/pages":                               "content",
	"/v1/content/pages/{slug}":                        "content",
	"/v1/content/pages/{pageId}/sections/{sectionId}": "content",
	"/v1/content/settings":                            "content",
	"/v1/prompts":                                     "prompts",
	"/v1/prompts/{templateId}":                        "prompts",
	"/v1/prompts:render":                              "prompts",
	"/v1/trigger-subscriptions":                       "triggerBridge",
	"/v1/host/sample/a2a/tasks/{taskId}":              "a2a",
}

// refuseUnoffered registers them.
func (h *Host) refuseUnoffered(router *serving.Router) {
	for path, capability := range unoffered {
		router.Plain(path, func(w http.ResponseWriter, r *http.Request) {
			h.refuse(w, r, refusal.New(codeCapability, "this host does not do this: discovery has no "+capability,
				"requiredCapability", capability))
		})
	}
}
