package openwop

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Claims about the advertisement itself, and about what a host says it lacks.
var (
	// anyHost is the claim of whoever answers at all: what the document has to be, a version of the protocol in it included.
	anyHost = scenarios.Claim{ID: "host", Title: "a discovery document", Pointer: "/ present", Look: func(d scenarios.Discovery) (wire.Value, bool) {
		return d.Document, true
	}}
	fixturesListed = present("fixtures", "a list of fixture workflows", "/fixtures", familyAt("fixtures"))
	agentsBlock    = present("agents-block", "a block about agents in the advertisement", "/agents", familyAt("agents"))
	workspaceBlock = present("workspace-block", "a block about workspace files in the advertisement", "/workspace", familyAt("workspace"))
	memoryBlock    = present("memory-block", "a block about memory in the advertisement", "/memory", familyAt("memory"))
	heartbeatBlock = present("heartbeat-block", "a block about heartbeats in the advertisement", "/heartbeat", familyAt("heartbeat"))
	bodyLimit      = present("body-limit", "a limit on the bodies of requests", "/limits/maxRequestBodyBytes", familyField("limits", "maxRequestBodyBytes"))

	// Prose and schema put the flag in two places, and either counts (facts C30).
	// A loop is a supervisor that dispatches, so the execution model claims both.
	noSupervisors = neither("no-supervisors", "a host without supervisors", "/agents/orchestrator",
		familyField("agents", "orchestrator"), familyField("orchestrator", "supported"), modelField("supported"))
	noDispatch = neither("no-dispatch", "a host without dispatch", "/agents/dispatch",
		familyField("agents", "dispatch"), familyField("dispatch", "supported"), modelField("supported"))
	// Without the flag nothing is said: hosts map and do not advertise it.
	noDispatchMapping = scenarios.Claim{
		ID: "no-dispatch-mapping", Title: "a host that says it maps nothing in a dispatch", Pointer: "/agents/dispatchMapping == false",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := family(d, "agents").Key("dispatchMapping")
			on, given := v.Bool()
			return v, given && !on
		},
	}
)

func familyAt(name string) func(scenarios.Discovery) wire.Value {
	return func(d scenarios.Discovery) wire.Value { return family(d, name) }
}

// neither is the claim of a host that sets none of these flags. Where one is
// set, it is what decides.
func neither(id, title, pointer string, flags ...func(scenarios.Discovery) wire.Value) scenarios.Claim {
	return scenarios.Claim{ID: id, Title: title, Pointer: pointer + " != true", Look: func(d scenarios.Discovery) (wire.Value, bool) {
		for _, at := range flags {
			if v := at(d); v.Actual() == true {
				return v, false
			}
		}
		return flags[0](d), true
	}}
}
