package bounds

import (
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// OWP-R14 leaves open with which 4xx.
var optionsRefused = scenarios.Scenario{
	ID:     "openwop/execution-bounds/options-refused",
	Title:  "a run with an option that cannot be is refused when it is asked for",
	Proves: scenarios.IDs{openwop.OWPBND21},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(optionsThatCannotBe, func(o OptionsObservation, j *scenarios.Judge) {
		for _, t := range o.Possible {
			if code, _ := t.Status.Int(); code/100 != 2 {
				j.Block("setup failed: a run with "+t.Option+" was not created either: HTTP "+t.Status.JSON(),
					"make a run with options that are in range, and clamp them to the limits")
			}
		}
		var otherwise, taken []string
		for _, t := range o.Impossible {
			if t.Either {
				j.Check(openwop.OWPBND21, t.Status).To(check.Status(2, 4), "a run with %s", t.Option)
				if host.Succeeded(t.Status) {
					taken = append(taken, t.Option)
				}
				continue
			}
			if code, _ := t.Status.Int(); j.Check(openwop.OWPBND21, t.Status).To(check.Status(4), "a run with %s", t.Option) && code != 400 {
				otherwise = append(otherwise, t.Option)
			}
		}
		if len(otherwise) > 0 {
			j.Find("", "options refused, but not with HTTP 400 (OWP-R14): %s", strings.Join(otherwise, ", "))
		}
		if len(taken) > 0 {
			j.Find("", "options taken that are out of their range (OWP-R14): %s", strings.Join(taken, ", "))
		}
	}),
}

var optionsKept = scenarios.Scenario{
	ID:     "openwop/execution-bounds/options-kept",
	Title:  "a run shows the options it was made with, at its beginning and after its end",
	Proves: scenarios.IDs{openwop.OWPBND22, openwop.OWPBND23},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(optionsOfARun, func(o EchoObservation, j *scenarios.Judge) {
		o.Log.Exists(j, openwop.OWPCAP19)
		j.Reach(o.Log.Ended, "have runs end by themselves")
		shown := o.shown(dialect.OptionsOf)
		option := func(name dialect.Option) wire.Values {
			return o.shown(func(snapshot wire.Value) wire.Value { return dialect.OptionOf(snapshot, name) })
		}
		j.Check(openwop.OWPBND22, shown[0]).NotTo(check.Absent(), "configurable in the first snapshot")
		j.Check(openwop.OWPBND22, shown[1]).NotTo(check.Absent(), "configurable in the last snapshot")
		if !shown[0].Present() || !shown[1].Present() {
			j.Block("the first or the last snapshot lacks the run options, so they cannot be compared", "show configurable in {read run}")
		}
		j.Check(openwop.OWPBND23, option(dialect.RecursionLimit)).To(check.Equal([]any{o.RecursionLimit, o.RecursionLimit}),
			"recursionLimit, early and late")
		j.Check(openwop.OWPBND23, option(dialect.RunTimeoutMs)).To(check.Equal([]any{o.RunTimeoutMs, o.RunTimeoutMs}),
			"runTimeoutMs, early and late")
		j.Check(openwop.OWPBND23, option(dialect.EscalationThreshold)).To(check.Each(host.About(o.Threshold)),
			"escalationThreshold, early and late")
		if o.Temperature != nil {
			j.Check(openwop.OWPBND23, option(dialect.Temperature)).To(check.Each(host.About(*o.Temperature)), "temperature, early and late")
		}
		if o.Later.Present() {
			j.Check(openwop.OWPBND23, dialect.OptionsOf(o.Later)).To(check.SameAs(shown[1]),
				"configurable, when a branch with other options was made")
		}
	}),
}
