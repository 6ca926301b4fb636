package agenticloop

import (
	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

var (
	// plugin is the claim of every executable that is offered for certification.
	plugin = scenarios.Claim{
		ID: "plugin", Title: "an agent that is a plugin of protocol 2",
		Pointer: "/profile/revision present",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := d.Document.At("/profile/revision")
			return v, v.Present()
		},
	}
	revision202602 = scenarios.Claim{
		ID: "revision-2026-02", Title: "the protocol's revision of 2026-02, with workspaces",
		Pointer: `/profile/revision == "2026-02"`,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := d.Document.At("/profile/revision")
			return v, v.String() == string(agenticloopv2.ProtocolRevisionN202602)
		},
	}
	revision202606 = scenarios.Claim{
		ID: "revision-2026-06", Title: "the protocol's revision of 2026-06",
		Pointer: `/profile/revision == "2026-06"`,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := d.Document.At("/profile/revision")
			return v, v.String() == string(agenticloopv2.ProtocolRevisionN202606)
		},
	}
	manifested = scenarios.Claim{
		ID: "manifest", Title: "a manifest beside the executable",
		Pointer: "/manifest present",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := d.Document.Key("manifest")
			return v, v.Present()
		},
	}

	redelivery     = capability(agenticloopv2.CapabilityRedelivery, "a start that is delivered again starts nothing")
	contextResumes = capability(agenticloopv2.CapabilityContextDelivery, "a tool's own event resumes the run that the context names")
	contextBudget  = capability(agenticloopv2.CapabilityContextBudget, "a start can lower its budget")
	retries        = capability(agenticloopv2.CapabilityRetry, "a step that failed is asked for again")
	reframes       = capability(agenticloopv2.CapabilityReframe, "a plan can be given up for another")
	workspaces     = capability(agenticloopv2.CapabilityWorkspace, "the run's files are written")
	completedSteps = capability(agenticloopv2.CapabilityCompletedSteps, "the state lists the steps that are done")
)

var claims = []scenarios.Claim{plugin, revision202602, revision202606, manifested, redelivery, contextResumes, contextBudget, retries, reframes, workspaces, completedSteps}

// capability is the claim of a profile that lists it.
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
