// Package claims holds what a plugin can claim, in its profile and by its manifest.
package claims

import (
	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

var (
	// Plugin is the claim of every executable under certification.
	Plugin = scenarios.Claim{
		ID: "plugin", Title: "a plugin of protocol 2",
		Pointer: "/profile/revision present",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := d.Document.At("/profile/revision")
			return v, v.Present()
		},
	}
	Revision202602 = scenarios.Claim{
		ID: "revision-2026-02", Title: "the protocol's revision of 2026-02, with workspaces",
		Pointer: `/profile/revision == "2026-02"`, Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := d.Document.At("/profile/revision")
			return v, v.String() == string(agenticloopv2.ProtocolRevisionN202602)
		},
	}
	Revision202606 = scenarios.Claim{
		ID: "revision-2026-06", Title: "the protocol's revision of 2026-06",
		Pointer: `/profile/revision == "2026-06"`, Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := d.Document.At("/profile/revision")
			return v, v.String() == string(agenticloopv2.ProtocolRevisionN202606)
		},
	}
	Manifested = scenarios.Claim{
		ID: "manifest", Title: "a manifest beside the executable",
		Pointer: "/manifest present",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := d.Document.Key("manifest")
			return v, v.Present()
		},
	}
	// Model is a claim unless the profile denies it: the text runs a model for the phases that need one, and a written plan needs none.
	Model = scenarios.Claim{
		ID: "model", Title: "a model takes decisions",
		Pointer: "/profile/asks_model != false",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := d.Document.At("/profile/asks_model")
			return v, v.Actual() != false && d.Document.At("/profile/revision").Present()
		},
	}

	Redelivery     = capability(agenticloopv2.CapabilityRedelivery, "a start that is delivered again starts nothing")
	ContextResumes = capability(agenticloopv2.CapabilityContextDelivery,
		"a tool's own event resumes the run that the context names")
	ContextBudget  = capability(agenticloopv2.CapabilityContextBudget, "a start can lower its budget")
	Retries        = capability(agenticloopv2.CapabilityRetry, "a step that failed is asked for again")
	Reframes       = capability(agenticloopv2.CapabilityReframe, "a plan can be given up for another")
	Workspaces     = capability(agenticloopv2.CapabilityWorkspace, "the run's files are written")
	CompletedSteps = capability(agenticloopv2.CapabilityCompletedSteps, "the state lists the steps that are done")
)

// All lists the claims in the order in which they are shown.
var All = []scenarios.Claim{Plugin, Revision202602, Revision202606, Manifested, Model, Redelivery, ContextResumes,
	ContextBudget, Retries, Reframes, Workspaces, CompletedSteps}

// capability makes the claim of a capability that the profile lists.
func capability(name agenticloopv2.Capability, title string) scenarios.Claim {
	return scenarios.Claim{
		ID: string(name), Title: title, Pointer: `/profile/capabilities has "` + string(name) + `"`,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			list := d.Document.At("/profile/capabilities")
			for _, v := range list.Items() {
				if v.String() == string(name) {
					return v, true
				}
			}
			return list, false
		},
	}
}
