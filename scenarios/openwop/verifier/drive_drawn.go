package verifier

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// What drawn verdicts draw.
var (
	results = &scenarios.Dimension{Name: "results of a run that are verified", Least: 3, Most: [3]int{4, 10, 40}, Edges: []int{3, 9, 10, 11}}
	finding = &scenarios.Dimension{Name: "verdict on a result: pass, revise", Least: 0, Most: [3]int{1, 1, 1}}
	revised = &scenarios.Dimension{Name: "ends of a run that are to be revised", Least: 1, Most: [3]int{2, 3, 6}}
	shared  = &scenarios.Dimension{Name: "a result of the same decision as the one before: no, yes", Least: 0, Most: [3]int{1, 1, 1}}
	idle    = &scenarios.Dimension{Name: "turns between two results", Least: 0, Most: [3]int{1, 2, 3}}
)

// DrawnVerdicts holds runs with verdicts in any order.
type DrawnVerdicts struct {
	Runs []DrawnRun `json:"runs"`
}

// DrawnRun is a run with verdicts in any order, on its results and then on its ends.
type DrawnRun struct {
	VerifiedRun
	Ends int `json:"ends"`
}

// drawnRuns is how many runs have their verdicts drawn at each depth.
var drawnRuns = [scenarios.Deep + 1]int{1, 2, 3}

// drawnVerdicts runs loops whose results and ends pass or are to be revised in any order.
var drawnVerdicts = &scenarios.Drive[DrawnVerdicts]{
	ID: "openwop/drawn-verdicts",
	Title: "runs loops with many results that pass or must be revised; the last result and at least one other must be revised, and " +
		"so must the end before it passes",
	Sends:      []string{"{create run} (assay-loop-verified with drawn verdicts and values)", "{read run}", "{poll log}"},
	Dimensions: []*scenarios.Dimension{results, finding, revised, shared, idle},
	Run: func(ctx context.Context, c *scenarios.Conn, o *DrawnVerdicts) {
		h := host.Host{Conn: c}
		if !h.Offers(fixture.Verified, fixture.Echo, fixture.Noop) {
			h.Lacks("no workflow is on offer with a verifier that follows a script", fixture.Verified)
		}
		ceiling, why := h.Ceiling()
		if ceiling < results.Least+2 {
			host.TooFewTurns(why)
		}
		o.Runs = make([]DrawnRun, drawnRuns[c.Depth])
		var runs []func(context.Context)
		for i := range o.Runs {
			o.Runs[i] = drawVerdicts(h, ceiling, why)
			runs = append(runs, func(ctx context.Context) { verify(ctx, h, &o.Runs[i].VerifiedRun) })
		}
		h.AtOnce(ctx, runs...)
	},
}

// drawVerdicts draws the turns of a run within a ceiling, and the verdicts on them.
func drawVerdicts(h host.Host, ceiling int, why string) DrawnRun {
	v := DrawnRun{VerifiedRun: VerifiedRun{Said: h.Marker(), Kept: h.Marker()}}
	n := h.DrawUpTo(results, ceiling-2, why)
	v.Ends = h.DrawUpTo(revised, ceiling-n-1, why) + 1
	spare := ceiling - n - v.Ends
	other := 1 + h.Rand.IntN(n-2)
	inDecision, revise := 0, false // results of the last decision; one was to be revised
	for i := range n {
		found := verdictPass
		if i == other || i == n-1 || i > 0 && h.Draw(finding) == 1 {
			found = verdictRevise
		}
		v.Verdicts = append(v.Verdicts, verdict(h, found))
		// Behind a result that passes, the next may be one of the same decision; the first that is to be revised always is.
		first := found == verdictRevise && !revise
		revise = revise || first
		if i > 0 && v.Verdicts[i-1].Verdict == verdictPass && (first || h.Draw(shared) == 1) {
			v.Plan[len(v.Plan)-1] = host.NextWorker(repeated(fixture.Echo, inDecision+1)...)
			inDecision++
			continue
		}
		inDecision = 1
		pause := h.DrawUpTo(idle, spare, why)
		spare -= pause
		v.Plan = append(v.Plan, repeated(host.NextWorker(fixture.Noop), pause)...)
		v.Plan = append(v.Plan, host.NextWorker(fixture.Echo))
	}
	for i := range v.Ends {
		v.Plan = append(v.Plan, host.Terminate(h.Name("done")))
		found := verdictRevise
		if i == v.Ends-1 {
			found = verdictPass
		}
		v.Verdicts = append(v.Verdicts, verdict(h, found))
	}
	return v
}
