// Package histories holds what several clients saw of an object, whatever they did to it, against the model.
package histories

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openwop/model"
)

// Models returns what the histories are held against.
func Models() []history.Object {
	return []history.Object{
		model.FilesModel.Object("files", "Files of a workspace whose paths are near one another, whoever writes, deletes and reads them at once"),
		model.GoalsModel.Object("goals", "A goal that is ticked, edited, paused, resumed and ended, by several clients"),
		model.KeysModel.Object("keys", "Idempotency keys that are near one another, and the runs that requests with them make"),
		model.RunModel.Object("runs",
			"A run of a loop with a drawn plan, or of another form, which goes on by itself while clients answer, pause, cancel and read"),
	}
}

// Suite makes histories that nobody thought of.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: explore.SuiteID, Title: "drawn histories of several clients, against all that the texts let an object show",
		Scenarios: []scenarios.Scenario{filesExplained, goalsExplained, keysExplained, runsExplained},
	}
}
