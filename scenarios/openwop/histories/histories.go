// Package histories holds what several clients saw of an object, whatever they did to it, against the model.
package histories

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
)

// Suite makes histories that nobody thought of.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "histories", Title: "drawn histories of several clients, against all that the texts let an object show",
		Scenarios: []scenarios.Scenario{
			{
				ID:     "openwop/histories/files",
				Title:  "workspace files show what clients did to them, in some order, whatever they do at once",
				Proves: scenarios.IDs{openwop.OWPWSP1}, Watches: files.Watched(),
				Claim: claims.WorkspaceFiles, Ask: scenarios.Ask(filesAtOnce, files.Judge),
			},
			{
				ID:     "openwop/histories/runs",
				Title:  "a loop goes on as it was planned, and shows what clients did to it, in some order, whatever they do at once",
				Proves: scenarios.IDs{openwop.OWPEVT12}, Watches: runs.Watched(),
				Claim: claims.ExecutionModel, Ask: scenarios.Ask(runsAtOnce, runs.Judge),
			},
		},
	}
}
