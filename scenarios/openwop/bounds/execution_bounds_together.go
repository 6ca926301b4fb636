package bounds

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
)

var nodesTogether = scenarios.Scenario{
	ID: "openwop/execution-bounds/nodes-beside-others",
	Title: "a bound on nodes strikes at its own number whatever other bounds the run has, behind an answer as well; a run that keeps all " +
		"of its bounds ends by itself",
	Proves: scenarios.IDs{openwop.OWPBND1, openwop.OWPBND2, openwop.OWPBND3, openwop.OWPBND4},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(boundsTogether, func(o TogetherObservation, j *scenarios.Judge) {
		if kept := o.Nodes[1].Log; len(starts(kept).Values) == 0 {
			given(kept, j)
			j.Block("setup failed: the log of a run does not show its nodes started", "write node.started for every node of a run")
		}
		for _, b := range o.Nodes {
			if b.Held != nil {
				b.Held.Given(j)
				b.Pause.Given(j, b.What)
				b.Held.CheckAnswered(j)
				b.Held.CheckPassed(j, b.Log)
			}
			given(b.Log, j)
			if b.Crosses == 0 {
				b.Log.CheckUntouched(j, openwop.OWPBND4)
				continue
			}
			if b.Held == nil {
				j.Require(j.Check(openwop.OWPBND1, starts(b.Log)).To(check.Len(b.Crosses), "nodes started with a bound of %d", b.Crosses))
			}
			b.Log.CheckBreach(j, openwop.OWPBND2, dialect.CapKindNodeExecutions, b.Crosses, check.Equal(b.Crosses+1))
			checkFailed(b.Log, j, openwop.OWPBND3, dialect.RecursionLimitExceeded)
		}
	}),
}

var turnsTogether = scenarios.Scenario{
	ID:     "openwop/execution-bounds/turns-beside-others",
	Title:  "a bound on turns strikes at its own number whatever other bounds a loop has; one that keeps all of its bounds ends by itself",
	Proves: scenarios.IDs{openwop.OWP0061E2, openwop.OWP0061E3, openwop.OWP0061E4, openwop.OWP0061E6},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(boundsTogether, func(o TogetherObservation, j *scenarios.Judge) {
		if len(o.Loops) == 0 {
			j.Block("no loop whose plan can be chosen is on offer, or none takes enough turns",
				"offer assay-loop, and let loops take three turns")
		}
		for _, b := range o.Loops {
			given(b.Log, j)
			b.Log.Decides(j)
			if b.Crosses == 0 {
				b.Log.CheckUntouched(j, openwop.OWP0061E6)
				continue
			}
			CheckTurnBreach(b.Log, j, b.Crosses)
			j.Check(openwop.OWP0061E3, b.Log.Decided()).To(check.Len(b.Crosses), "turns of a loop bounded to %d", b.Crosses)
			checkFailed(b.Log, j, openwop.OWP0061E3, dialect.LoopLimitExceeded)
		}
	}),
}

var optionsTogether = scenarios.Scenario{
	ID:     "openwop/execution-bounds/options-kept-together",
	Title:  "a run that has every bound at once shows each as it was given, whatever became of the run",
	Proves: scenarios.IDs{openwop.OWPBND22},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(boundsTogether, func(o TogetherObservation, j *scenarios.Judge) {
		for _, b := range append(o.Nodes, o.Loops...) {
			given(b.Log, j)
			for _, o := range []struct {
				option dialect.Option
				given  *int64
			}{{dialect.RecursionLimit, b.Options.RecursionLimit}, {dialect.RunTimeoutMs, b.Options.RunTimeoutMs}} {
				j.Check(openwop.OWPBND22, dialect.OptionOf(b.Log.Ended.Last, o.option)).To(check.Equal(*o.given), "%s of %s", o.option, b.What)
			}
			j.Check(openwop.OWPBND22, dialect.OptionOf(b.Log.Ended.Last, dialect.EscalationThreshold)).
				To(host.About(*b.Options.EscalationThreshold), "%s of %s", dialect.EscalationThreshold, b.What)
		}
	}),
}
