package histories

import (
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// Read holds what a transcript tells of objects against the models of them. It knows nothing of what others did to an object that the
// transcript does not tell: an object that anything else in it names is left out.
func Read(d *dialect.Dialect, discovery scenarios.Discovery, t *wire.Transcript) []explore.Told {
	all := explore.Exchanges(t)
	for i := range all {
		all[i].Path = d.Below(all[i].Path)
	}
	return slices.Concat(files.Tell("files", readFiles(d, discovery, t, all)), keys.Tell("keys", readKeys(d, all)),
		goals.Tell("goals", readGoals(discovery, all)))
}
