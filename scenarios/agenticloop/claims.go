package agenticloop

import (
	"slices"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// The claims of a plugin are read from its profile, which stands in the place of a discovery document. Rows that hang on
// none of them are asked of every plugin.
var (
	redelivery      = capability(agenticloopv2.CapabilityRedelivery, "a start that comes again starts nothing")
	contextDelivery = capability(agenticloopv2.CapabilityContextDelivery, "a tool's own event resumes the run that the context names")
	contextBudget   = capability(agenticloopv2.CapabilityContextBudget, "a start can lower the budget of its run")
	retry           = capability(agenticloopv2.CapabilityRetry, "a step that failed is asked for again")
	reframe         = capability(agenticloopv2.CapabilityReframe, "a plan can be given up for another")
	workspace       = capability(agenticloopv2.CapabilityWorkspace, "the files of a run are written")
	completedSteps  = capability(agenticloopv2.CapabilityCompletedSteps, "the state lists the steps that are done")

	// revision202606 is the claim of whoever speaks the later revision of the protocol.
	revision202606 = scenarios.Claim{
		ID: "revision-" + string(agenticloopv2.ProtocolRevisionN202606), Title: "the later revision of the plugin protocol",
		Pointer: `/revision == "` + string(agenticloopv2.ProtocolRevisionN202606) + `"`,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := d.Document.Key("revision")
			return v, v.String() == string(agenticloopv2.ProtocolRevisionN202606)
		},
	}

	claims = []scenarios.Claim{redelivery, contextDelivery, contextBudget, retry, reframe, workspace, completedSteps, revision202606}
)

// capability is the claim of whoever lists c in its profile. Its value is the entry, or the list that has none.
func capability(c agenticloopv2.Capability, title string) scenarios.Claim {
	return scenarios.Claim{
		ID: string(c), Title: title, Pointer: `/capabilities has "` + string(c) + `"`,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			list := d.Document.Key("capabilities")
			entries := list.Items()
			i := slices.IndexFunc(entries, func(v wire.Value) bool { return v.String() == string(c) })
			if i < 0 {
				return list, false
			}
			return entries[i], true
		},
	}
}
