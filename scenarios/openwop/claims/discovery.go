package claims

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Claims about the advertisement itself, and about what a host says it lacks.
var (
	// AnyHost is made by every host that answers. The requirements on the document itself hang on it, such as
	// naming a version.
	AnyHost = scenarios.Claim{ID: "host", Title: "a discovery document", Pointer: "/ present",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			return d.Document, true
		}}
	FixturesListed = present("fixtures", "a list of fixture workflows", "/fixtures", familyAt("fixtures"))
	AgentsBlock    = present("agents-block", "a block about agents in the advertisement", "/agents", familyAt("agents"))
	WorkspaceBlock = present("workspace-block", "a block about workspace files in the advertisement", "/workspace", familyAt("workspace"))
	MemoryBlock    = present("memory-block", "a block about memory in the advertisement", "/memory", familyAt("memory"))
	HeartbeatBlock = present("heartbeat-block", "a block about heartbeats in the advertisement", "/heartbeat", familyAt("heartbeat"))
	BodyLimit      = present("body-limit", "a limit on the bodies of requests", "/limits/maxRequestBodyBytes",
		FamilyField("limits", "maxRequestBodyBytes"))

	// Prose and schema put the flag in two places, and either counts (OWP-R30). A loop is a supervisor that
	// dispatches, so the execution model implies both.
	NoSupervisors = neither("no-supervisors", "a host without supervisors", "/agents/orchestrator",
		FamilyField("agents", "orchestrator"), FamilyField("orchestrator", "supported"), modelField("supported"))
	NoDispatch = neither("no-dispatch", "a host without dispatch", "/agents/dispatch",
		FamilyField("agents", "dispatch"), FamilyField("dispatch", "supported"), modelField("supported"))
	// An absent flag decides nothing: some hosts map without advertising it.
	NoDispatchMapping = scenarios.Claim{
		ID: "no-dispatch-mapping", Title: "a host that says it maps nothing in a dispatch",
		Pointer: "/agents/dispatchMapping == false", Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := Family(d, "agents").Key("dispatchMapping")
			on, given := v.Bool()
			return v, given && !on
		},
	}
)

func familyAt(name string) func(scenarios.Discovery) wire.Value {
	return func(d scenarios.Discovery) wire.Value { return Family(d, name) }
}

// neither returns the claim that none of these flags is set. A set flag decides.
func neither(id, title, pointer string, flags ...func(scenarios.Discovery) wire.Value) scenarios.Claim {
	c := scenarios.Claim{ID: id, Title: title, Pointer: pointer + " != true", Choice: true}
	c.Look = func(d scenarios.Discovery) (wire.Value, bool) {
		for _, at := range flags {
			if v := at(d); v.Actual() == true {
				return v, false
			}
		}
		return flags[0](d), true
	}
	return c
}
