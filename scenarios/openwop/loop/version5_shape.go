package loop

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/bounds"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Version5Suite tests the advertised version and the shape of the counter it
// promises.
func Version5Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "version5-shape", Title: "what a host at version 5 advertises, and the shape of its iteration counter",
		Scenarios: []scenarios.Scenario{
			modelWellFormed, resumeFlag, causationBlock, replayBlock, experimentalDated,
			iterationOnDecided, iterationAbsentBelow5, limitHonoured,
		},
	}
}

// RFC 0037 C, RFC 0061 A. Version 6 is the highest known rung.
var modelWellFormed = scenarios.Scenario{
	ID:     "openwop/version5-shape/model-well-formed",
	Title:  "the advertised execution model says whether it is supported, and at which version",
	Proves: scenarios.IDs{openwop.OWP0037C1, openwop.OWP0061A2},
	Claim:  claims.ExecutionModelBlock,
	Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
		version := claims.Model(d).Key("version")
		j.Check(openwop.OWP0037C1, claims.Model(d).Key("supported")).To(check.Boolean())
		j.Check(openwop.OWP0061A2, version).To(check.Integer(1, 0))
		if n, ok := version.Int(); ok && n > 6 {
			j.Find("", "version %d is higher than any rung known (6): OWP-R6", n)
		}
	}),
}

// RFC 0061 A: a sub-claim of the version-5 contract.
var resumeFlag = scenarios.Scenario{
	ID:     "openwop/version5-shape/resume-flag",
	Title:  "statefulResume is a boolean, and true from version 5 on only",
	Proves: scenarios.IDs{openwop.OWP0061A3, openwop.OWP0061A4},
	Claim:  claims.ResumeAdvertised,
	Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
		flag := claims.Model(d).Key("statefulResume")
		j.Check(openwop.OWP0061A3, flag).To(check.Boolean())
		if on, _ := flag.Bool(); on {
			j.Check(openwop.OWP0061A4, claims.Model(d).Key("version")).To(check.Integer(5, 0), "the version of a host that claims statefulResume")
		} else { // false claims nothing, at any version
			j.Check(openwop.OWP0061A4, flag).NotTo(check.Equal(true))
		}
	}),
}

// RFC 0040 makes the block part of rung 3; RFC 0061 A requires rung 3 of all
// higher ones.
var causationBlock = scenarios.Scenario{
	ID:     "openwop/version5-shape/causation-block",
	Title:  "from version 3 on the host names itself for cross-host causation",
	Proves: scenarios.IDs{openwop.OWP0061A1},
	Claim:  claims.ExecutionModel3,
	Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
		block := claims.Model(d).Key("crossHostCausation")
		j.Check(openwop.OWP0061A1, block.Key("supported")).To(check.Equal(true), "crossHostCausation.supported")
		j.Check(openwop.OWP0061A1, block.Key("hostId")).To(check.Text(), "crossHostCausation.hostId")
	}),
}

// RFC 0041 makes the block part of rung 4.
var replayBlock = scenarios.Scenario{
	ID:     "openwop/version5-shape/replay-block",
	Title:  "from version 4 on the host declares replay determinism",
	Proves: scenarios.IDs{openwop.OWP0061A1},
	Claim:  claims.ExecutionModel4,
	Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
		block := claims.Model(d).Key("replayDeterminism")
		j.Check(openwop.OWP0061A1, block.Key("supported")).To(check.Equal(true), "replayDeterminism.supported")
		j.Check(openwop.OWP0061A1, block.Key("refusalDivergenceEmission")).To(check.Equal(true), "replayDeterminism.refusalDivergenceEmission")
	}),
}

// The capability schema: an experimental promise has an end date.
var experimentalDated = scenarios.Scenario{
	ID:     "openwop/version5-shape/experimental-dated",
	Title:  "an experimental execution model carries a date, at most twelve months ahead",
	Proves: scenarios.IDs{openwop.OWPCAP1},
	Claim:  claims.ExperimentalModel,
	Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
		j.Check(openwop.OWPCAP1, claims.Model(d).Key("experimentalUntil")).To(check.Date(d.At, d.At.AddDate(1, 0, 0)))
	}),
}

// RFC 0061 B.
var iterationOnDecided = scenarios.Scenario{
	ID:     "openwop/version5-shape/iteration-on-decided",
	Title:  "every orchestrator turn of a run carries an integer iteration of at least 1",
	Proves: scenarios.IDs{openwop.OWP0061B1},
	Claim:  claims.ExecutionModel5,
	Ask: scenarios.Ask(loopOfTurns, func(o LoopObservation, j *scenarios.Judge) {
		o.given(j)
		j.Check(openwop.OWP0061B1, o.iterations()).To(check.Each(check.Integer(1, 0)))
		o.tell(j)
	}),
}

// RFC 0061 B says so without a normative word.
var iterationAbsentBelow5 = scenarios.Scenario{
	ID:     "openwop/version5-shape/iteration-absent-below-5",
	Title:  "below version 5 no orchestrator turn carries an iteration",
	Proves: scenarios.IDs{openwop.OWP0061B3},
	Claim:  claims.ExecutionModelBelow5,
	Ask: scenarios.Ask(loopOfTurns, func(o LoopObservation, j *scenarios.Judge) {
		o.given(j)
		if o.Evidence != scenarios.Attested {
			o.Log.Decides(j)
		} else if len(o.iterations().Values) == 0 {
			j.Block("the reply of the seam shows no turn", "have the seam answer with the decisions of its turns (docs/seams.md)")
		}
		CheckUncounted(j, o.iterations())
	}),
}

// CheckUncounted expects turns without a counter.
func CheckUncounted(j *scenarios.Judge, iterations wire.Found) {
	j.Check(openwop.OWP0061B3, iterations).To(check.Absent())
}

// RFC 0061 E with RFC 0058: the smaller of request and limit is the bound.
var limitHonoured = scenarios.Scenario{
	ID:     "openwop/version5-shape/limit-honoured",
	Title:  "a loop ends at the advertised limit, whether it asked for no bound or for a higher one",
	Proves: scenarios.IDs{openwop.OWP0061E5}, Watches: scenarios.IDs{openwop.OWP0037B3},
	Claim: claims.LoopLimit,
	Ask: scenarios.Ask(bounds.LoopToTheLimit, func(o bounds.LimitObservation, j *scenarios.Judge) {
		for _, l := range o.Runs() {
			l.Over(j) // the limit may be far off, and the host slow
			if kinds := l.Breaches().Each("/payload/kind").Values; len(kinds) > 0 && kinds[0].String() != string(dialect.CapKindLoopIterations) {
				j.Block("another bound of the host struck first: "+kinds[0].JSON(), "raise that bound while the host is certified")
			}
			j.Check(openwop.OWP0061E5, l.Decided()).To(check.Len(o.Limit), "orchestrator turns")
			j.Check(openwop.OWP0061E5, l.Breaches().Each("/payload/limit")).To(check.Equal([]any{int64(o.Limit)}), "limit of the breach")
			j.Check(openwop.OWP0061E5, l.Status()).To(check.Equal("failed"), "status of the run")
		}
		if o.Branched.Ended.Reached {
			j.Check(openwop.OWP0061E5, o.Branched.Decided()).To(host.NoMoreThan(o.Limit), "orchestrator turns of a branch that asks for more")
		}
		if o.Inner.Ended.Reached {
			j.Check(openwop.OWP0061E5, o.Inner.Decided()).To(host.NoMoreThan(o.Limit), "orchestrator turns of a loop that is a worker")
			if o.Outer.Ended.Reached && o.Inner.Status().String() == "failed" {
				j.Check(openwop.OWP0037B3, o.Outer.Phase(dialect.ChainPhaseChildFailed)).To(check.Len(1),
					"child.failed of a worker that its bound failed")
			}
		}
	}),
}
