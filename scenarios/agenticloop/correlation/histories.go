package correlation

import (
	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// histories compares each turn with what the RFC allows: see [host.Delivery.Departs].
var histories = scenarios.Scenario{
	ID:     "agenticloop/correlation/histories",
	Title:  "whatever the order in which the results of several runs come, each goes the way that it goes alone",
	Proves: scenarios.IDs{agenticloop.RFC103READ5, agenticloop.RFC103I5},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(RandomHistories, func(o HistoriesObservation, j *scenarios.Judge) {
		host.GivenReached(j, len(o.Histories) > 0 && len(o.Histories[0]) > 0)
		first := o.Histories[0][0].Turn
		host.GivenRequest(j, first)
		if o.Shrunk > 0 {
			j.Find("", "the history was shrunk from %d deliveries to %d", o.Shrunk, len(o.Histories[0]))
		}
		several := false
		for _, h := range o.Histories {
			for _, d := range h {
				host.Given(j, d.Turn)
				d.givenKept(j, h)
				among := d.Turn.AmongRuns()
				several = several || among
				switch {
				case d.What.Departs(d.Turn) != "":
					j.Check(agenticloop.RFC103READ5, d.Turn.Output).To(d.What.Keeps(d.Turn), "%s", d.Turn.Name)
				case among && !d.Turn.Runs().Present():
					j.Check(agenticloop.RFC103READ5, d.Turn.Runs()).To(d.What.Keeps(d.Turn), "%s: runs", d.Turn.Name)
				case among:
					d.What.CheckOthers(j, d.Turn)
				}
				was := host.ProgressOf(d.Turn.RunsBefore()[d.What.Run])
				if d.What.Run != "" && (d.What.Step != was.Step || d.What.Tool != was.Tool) {
					none := d.Turn.NoRequestBut(d.What.Run)
					j.Check(agenticloop.RFC103I5, d.Turn.Requests()).To(none, "%s: requests for tools", d.Turn.Name)
				}
				d.givenSound(j)
			}
		}
		if !several {
			j.Block("setup failed: no two runs were there at once", "let a second start make a run")
		}
	}),
}

// givenKept ends the judge if the turn departs from the RFC although the history has no other run: on the sentence that
// it breaks, whichever scenario judges that kind of delivery by itself. Where other runs are there, it is the reading that
// a run goes the way that it goes alone.
func (d Delivered) givenKept(j *scenarios.Judge, history []Delivered) {
	if d.What.Departs(d.Turn) == "" || d.What.Touches(d.Turn) != "" {
		return
	}
	starts := 0
	for _, other := range history {
		if other.What.Run == "" {
			starts++
		}
	}
	if d.What.Run == "" || starts <= 1 {
		d.givenSound(j)
	}
}

// givenSound ends the judge if the turn departs from the RFC in its own run.
func (d Delivered) givenSound(j *scenarios.Judge) {
	if d.What.Departs(d.Turn) != "" && d.What.Touches(d.Turn) == "" {
		d.What.Breach(d.Turn).Stop(j)
	}
}
