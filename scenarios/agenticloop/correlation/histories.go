package correlation

import (
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

const (
	mostHistories   = 20
	fewestHistories = 4
	historiesTime   = 8 * time.Second // for those beyond the fewest
	shrinkingTime   = 30 * time.Second
)

// Delivery.departs is the model that each turn is held against.
var histories = scenarios.Scenario{
	ID:     "agenticloop/correlation/histories",
	Title:  "whatever the order in which the results of several runs come, each goes the way that it goes alone",
	Proves: scenarios.IDs{agenticloopv2.RFC103READ5, agenticloopv2.RFC103I5},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(RandomHistories, func(o HistoriesObservation, j *scenarios.Judge) {
		if len(o.Histories) == 0 || len(o.Histories[0]) == 0 {
			host.Given(j, host.Turn{})
			return
		}
		first := o.Histories[0][0].Turn
		host.GivenRequest(j, first)
		if o.Shrunk > 0 {
			j.Find(agenticloopv2.RFC103READ5, "the history was shrunk from %d deliveries to %d", o.Shrunk, len(o.Histories[0]))
		}
		for _, h := range o.Histories {
			for _, d := range h {
				host.Given(j, d.Turn)
				d.byOthers(j, h)
				j.Check(agenticloopv2.RFC103READ5, d.Turn.Output).To(d.What.Keeps(d.Turn), "%s", d.Turn.Name)
				if w := host.StandingOf(d.Turn.RunsBefore()[d.What.Run]); d.What.Run != "" && (d.What.Step != w.Step || d.What.Tool != w.Tool) {
					j.Check(agenticloopv2.RFC103I5, d.Turn.Requests()).To(d.Turn.NoRequestBut(d.What.Run), "%s: requests for tools", d.Turn.Name)
				}
			}
		}
	}),
}

// byOthers stops a judge where a run goes another way although no other run is there to lead it: other scenarios ask how
// each kind of delivery is to be taken.
func (d Delivered) byOthers(j *scenarios.Judge, history []Delivered) {
	why := d.What.Departs(d.Turn)
	if why == "" || d.What.Touches(d.Turn) != "" {
		return
	}
	if d.What.Run == "" {
		j.BlockOn(agenticloopv2.RFC103M1, "set-up: a start goes another way: "+why)
	}
	starts := 0
	for _, other := range history {
		if other.What.Run == "" {
			starts++
		}
	}
	if starts <= 1 {
		j.BlockOn(agenticloopv2.RFC103I5, "set-up: a run goes another way also by itself: "+why)
	}
}
