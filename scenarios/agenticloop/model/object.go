package model

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
)

// Object returns the rules of results for a page. What else a turn shows follows from what it does.
func Object() history.Object {
	o := history.Object{Name: "runs", About: "Runs in one state, by what becomes of a result or a start that a turn is handed"}
	for _, r := range Rules {
		line := history.Line{Rule: r.Since, Of: scenarios.IDs{r.Of}, Readings: r.Readings}
		for _, may := range r.May {
			line.Ways = append(line.Ways, history.WayLine{Way: string(may), Must: len(r.May) == 1})
		}
		o.Rules = append(o.Rules, line)
	}
	return o
}
