package claims

import (
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// Claims about forks. They need no execution model.
var (
	ForkReplay = as("fork-replay", "forks in mode replay", FinishedReplay)
	ForkBranch = scenarios.Claim{
		ID: "fork-branch", Title: "forks in mode branch",
		Pointer: `/replay/modes has "branch"`,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v, modes := Family(d, "replay").Key("supported"), Family(d, "replay").Key("modes")
			if on, _ := v.Bool(); !on {
				return v, false
			}
			return modes, slices.ContainsFunc(modes.Items(), func(m wire.Value) bool { return m.String() == string(dialect.ForkModeBranch) })
		},
	}
	ForkBranchLoop = with(ExecutionModel, as("fork-branch-loop", "branches off a loop", ForkBranch))
)
