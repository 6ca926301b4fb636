package openwop

import (
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// What a host can say of forks, at any version of the execution model or without one.
var (
	forkReplay = as("fork-replay", "forks in mode replay", finishedReplay)
	forkBranch = scenarios.Claim{
		ID: "fork-branch", Title: "forks in mode branch",
		Pointer: `/replay/modes has "branch"`,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v, modes := family(d, "replay").Key("supported"), family(d, "replay").Key("modes")
			if on, _ := v.Bool(); !on {
				return v, false
			}
			return modes, slices.ContainsFunc(modes.Items(), func(m wire.Value) bool { return m.String() == string(openwopv1.ForkModeBranch) })
		},
	}
	forkBranchLoop = with(executionModel, as("fork-branch-loop", "branches off a loop", forkBranch))
)
