// Package histories holds what several clients saw of an object, whatever they did to it, against the model.
package histories

import "github.com/openassay/assay/scenarios"

// Suite makes histories that nobody thought of.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "histories", Title: "drawn histories of several clients, against all that the texts let an object show",
		Scenarios: []scenarios.Scenario{filesExplained, goalsExplained, keysExplained, runsExplained},
	}
}
