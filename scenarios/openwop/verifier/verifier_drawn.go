package verifier

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// RFC 0090 A and B.
var inAnyOrder = scenarios.Scenario{
	ID:     "openwop/verifier/in-any-order",
	Title:  "each verdict applies to its own result or end, whatever the earlier verdicts were",
	Proves: scenarios.IDs{openwop.OWPVER1, openwop.OWPVER2, openwop.OWPVER7, openwop.OWPVER9},
	Claim:  claims.VerifierGating,
	Ask: scenarios.Ask(drawnVerdicts, func(o DrawnVerdicts, j *scenarios.Judge) {
		for _, r := range o.Runs {
			if host.IsWaiting(r.Log.Status().String()) {
				j.Block("setup failed: the run waits, and its plan asks for nothing", "hold no decision of a run that has nothing to ask about")
			}
			r.givenVerdict(j, verdictPass)
			r.givenVerdict(j, verdictRevise)
			told := r.Log.OfType(dialect.Verified)
			if len(told.Values) == len(r.Verdicts) {
				if !j.Check(openwop.OWPVER7, r.Log.Decided()).To(check.Len(len(r.Plan)), "turns") { // it is a SHOULD
					j.Block("the loop took other turns than its plan has", "have a turn for each result that is to be revised, and no more")
				}
			}
			j.Require(j.Check(openwop.OWPVER1, told).To(check.Len(r.judged()), "verdicts on the results and ends that its log has decisions for"))
			var verdicts, criteria []any
			for _, v := range r.Verdicts {
				verdicts, criteria = append(verdicts, v.Verdict), append(criteria, v.Criteria)
			}
			j.Require(j.Check(openwop.OWPVER2, told.Each("/payload/verdict")).To(check.Equal(verdicts), "verdicts, in order"))
			j.Check(openwop.OWPVER2, told.Each("/payload/criteria")).To(check.Equal(criteria), "criteria of each verdict")
			r.checkEffects(j)
		}
	}),
}

// judged is how many results and ends there are to be verified, by the decisions on the log.
func (v DrawnRun) judged() (n int) {
	for _, d := range v.Log.Decided().Each("/payload/decision").Values {
		if d.Key("kind").String() == string(dialect.TerminateDecisionKindTerminate) {
			n++
		}
		for _, worker := range d.Key("nextWorkerIds").Items() {
			if worker.String() == fixture.Echo {
				n++
			}
		}
	}
	return n
}

// checkEffects expects that what counts stands behind each verdict that is a pass, and another verdict behind each of the others.
func (v DrawnRun) checkEffects(j *scenarios.Judge) {
	order := steps(v.Log)
	before, passed, revised := wire.Found{In: order.In}, wire.Found{In: order.In}, wire.Found{In: order.In}
	var verdicts, effects, others []dialect.Event
	n := 0
	for i, step := range order.Values {
		switch {
		case dialect.TypeOf(step) != dialect.Verified:
			before.Values, verdicts = append(before.Values, order.Values[max(0, i-1)]), append(verdicts, dialect.Verified)
			continue
		case n >= len(v.Verdicts) || i+1 >= len(order.Values):
		case v.Verdicts[n].Verdict != verdictPass:
			revised.Values, others = append(revised.Values, order.Values[i+1]), append(others, dialect.Verified)
		default:
			counts := harvested
			if n >= len(v.Verdicts)-v.Ends {
				counts = dialect.RunCompleted
			}
			passed.Values, effects = append(passed.Values, order.Values[i+1]), append(effects, counts)
		}
		n++
	}
	j.Check(openwop.OWPVER1, before).To(dialect.Types(verdicts...), "what stands before each result or end that counts")
	j.Check(openwop.OWPVER9, passed).To(dialect.Types(effects...), "what stands behind each verdict that is a pass")
	j.Check(openwop.OWPVER7, revised).To(dialect.Types(others...), "what stands behind each verdict that is to revise")
}
