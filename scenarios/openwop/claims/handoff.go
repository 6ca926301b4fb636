package claims

import (
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/wire"
)

// RemoteDispatch is made by every host that lists the fixture whose workers run on another host.
var RemoteDispatch = with(ExecutionModel3, scenarios.Claim{
	ID: "remote-dispatch", Title: "workers on another host, in the provisional way of docs/seams.md",
	Pointer: "/fixtures has " + fixture.Remote,
	Look: func(d scenarios.Discovery) (wire.Value, bool) {
		listed := Family(d, "fixtures")
		return listed, slices.ContainsFunc(listed.Items(), func(v wire.Value) bool { return v.String() == fixture.Remote })
	},
})

var Attestation = with(HandoffMapping, On("sub-run-attestation", "a checksum of what a worker put out",
	"/agents/subRunAttestation", func(d scenarios.Discovery) wire.Value {
		return Family(d, "agents").Key("subRunAttestation")
	}))
