package hosttest

import (
	"testing"

	"github.com/openassay/assay/scenarios/agenticloop/correlation"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// HonestResults is the observation of an honest plugin to which every kind of result came.
func HonestResults(t *testing.T) correlation.ResultsObservation {
	matching := Ok(RunR2, Request("R", 2, "fabric"))
	o := correlation.ResultsObservation{
		Start: StartR.Turn(t), Pending: host.Pending{Run: "R", Step: 1, Tool: "fetch"}, Stranger: "S",
		Matching: Handed(t, "the result", matching), Twin: Handed(t, "the same request", matching),
		Again:      Turn(t, "again", RunR2, Ok(nil)),
		Stale:      Turn(t, "stale", host.Object{"R": Running(3, "fetch")}, Ok(nil)),
		Old:        Turn(t, "old", host.Object{"R": Running(3, "fetch")}, Ok(nil)),
		StaleWrong: Turn(t, "stale and wrong", host.Object{"R": Running(3, "fetch")}, Ok(nil)),
		Wrong:      Handed(t, "wrong tool", GaveUp), Unknown: Handed(t, "unknown run", Logged(Ok(nil), "warn")),
		Zero: Handed(t, "zero time", matching),
	}
	o.Late = []host.Turn{o.Again}
	o.Later = []host.Turn{Handed(t, "later", GaveUp), Handed(t, "far above", GaveUp)}
	o.Finished = []host.Turn{
		Turn(t, "done", host.Object{"R": Over("done", 1)}, Logged(Ok(nil), "info")),
		Turn(t, "escalated", host.Object{"R": Over("escalated", 1)}, Logged(Ok(nil), "info")),
	}
	o.Misshapen = []host.Turn{Handed(t, "no run", Refusal(false)), Handed(t, "step 0", Ok(nil))}
	o.Unmatched = []host.Turn{Handed(t, "no step", Refusal(false)), Handed(t, "no tool", GaveUp)}
	o.Rounded = []host.Turn{Handed(t, "step 1.9", Ok(nil))}
	o.Statuses = []host.Turn{Handed(t, "no status", Refusal(false)),
		Handed(t, "status pending", Ok(host.Object{"R": Running(1, "fetch")}, Request("R", 1, "fetch")))}
	o.Turns = host.Turns{o.Start, o.Matching, o.Wrong, o.Unknown}
	return o
}

// Ended is the observation of an honest run that is done after two results.
func Ended(t *testing.T) host.EndObservation {
	o := host.EndObservation{Way: "scripted_config", Goal: "g", Run: "R", Taken: 2, Start: StartR.Turn(t),
		Steps: []host.Turn{
			Handed(t, "the result of step 1", Ok(RunR2, Request("R", 2, "fabric"))),
			Turn(t, "the result of step 2", RunR2, Ok(host.Object{"R": Over("done", 2)}, Completion("R", 2))),
		}}
	for range 3 {
		o.Again = append(o.Again, Turn(t, "again", host.Object{"R": Over("done", 2)}, Ok(nil)))
	}
	o.Turns = append(host.Turns{o.Start}, o.Steps...)
	return o
}
