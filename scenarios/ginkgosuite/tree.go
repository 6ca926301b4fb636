package ginkgosuite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Describe adds suites to the Ginkgo tree that is being built: call it where a
// Describe may stand. Only what o selects is added; a selection that cannot be
// is reported when the tree runs. The target is first talked to when the first
// scenario runs, and is driven for what Ginkgo's filters leave; what was made on
// it is undone after the last.
func Describe(target wire.Target, o scenarios.Options, suites ...scenarios.Suite) bool {
	t := &tree{target: target, options: o, suites: suites, drivenBy: map[scenarios.ScenarioID]*scenarios.Certification{}}
	t.picked, t.wrong = o.Select.PickAt(o.Depth, suites...)
	// Ordered keeps the suites in one process of a parallel run: the target is
	// certified once.
	return ginkgo.Describe("OpenAssay", ginkgo.Ordered, ginkgo.ContinueOnFailure, func() {
		outer := ginkgo.CurrentTreeConstructionNodeReport()
		ginkgo.BeforeAll(func() {
			if t.wrong != nil {
				ginkgo.Fail(fmt.Sprintf("certifying %s: %v", target.URL, t.wrong))
			}
			config, _ := ginkgo.GinkgoConfiguration()
			t.certify(expected(t.picked, outer, config))
		})
		ginkgo.AfterAll(t.finish)
		describe(t.picked, t.certificationOf, t.unproved)
		if t.wrong != nil {
			ginkgo.It("selects scenarios", func() {}) // so that BeforeAll runs and says what is wrong
		}
	})
}

// tree certifies what Ginkgo runs of the suites in a caller's tree.
type tree struct {
	target  wire.Target
	options scenarios.Options
	suites  []scenarios.Suite
	picked  []scenarios.Selected
	wrong   error // with the selection

	certifications []*scenarios.Certification
	drivenBy       map[scenarios.ScenarioID]*scenarios.Certification
}

// certify starts to drive these scenarios.
func (t *tree) certify(these []scenarios.Selected) {
	o := t.options
	if len(these) < len(t.picked) {
		o.Select.Scenarios = nil
		for _, s := range these {
			o.Select.Scenarios = append(o.Select.Scenarios, string(s.Scenario.ID))
		}
	}
	c, err := scenarios.Certify(context.Background(), t.target, o, t.suites...)
	if err != nil {
		ginkgo.Fail(fmt.Sprintf("certifying %s: %v", t.target.URL, err))
	}
	t.certifications = append(t.certifications, c)
	for _, s := range these {
		t.drivenBy[s.Scenario.ID] = c
	}
}

// certificationOf is the certification that a scenario is driven in. Ginkgo may
// run one that was not expected: a filter can go by labels of the caller's
// RunSpecs, which nobody can ask for. Then all that is left is driven.
func (t *tree) certificationOf(id scenarios.ScenarioID) *scenarios.Certification {
	if t.drivenBy[id] == nil {
		t.certify(slices.DeleteFunc(slices.Clone(t.picked), func(s scenarios.Selected) bool { return t.drivenBy[s.Scenario.ID] != nil }))
	}
	return t.drivenBy[id]
}

func (t *tree) finish() {
	for _, c := range t.certifications {
		r := c.Finish(context.Background())
		if len(r.Leftovers) > 0 {
			ginkgo.AddReportEntry("leftovers", strings.Join(r.Leftovers, "\n"))
		}
		if lacks := r.Shortcomings(); len(lacks) > 0 {
			ginkgo.Fail(strings.Join(lacks, "\n"))
		}
	}
}

// unproved fails an It, unless the caller allows it.
func (t *tree) unproved(text string) {
	if why := t.options.AllowUnproved; why != "" {
		ginkgo.Skip(text + " (allowed: " + why + ")")
	}
	ginkgo.Fail(text)
}

// describe makes one container a suite and one It a scenario.
// unproved ends the It of a scenario that leaves its claim unproved.
func describe(picked []scenarios.Selected, certificationOf func(scenarios.ScenarioID) *scenarios.Certification,
	unproved func(text string)) {
	for rest := picked; len(rest) > 0; {
		suite, n := rest[0].Suite, 0
		for n < len(rest) && rest[n].Suite.ID == suite.ID {
			n++
		}
		chosen := rest[:n]
		rest = rest[n:]
		ginkgo.Describe(suite.ID, func() {
			for _, s := range chosen {
				ginkgo.It(nameOf(s), ginkgo.Label(s.FilterLabels()...), func(ctx ginkgo.SpecContext) {
					c := certificationOf(s.Scenario.ID)
					defer context.AfterFunc(ctx, c.Interrupt)()
					report(s, c.Outcome(s.Scenario.ID), c.Transcript(s.Scenario.ID), unproved)
				})
			}
		})
	}
}

// nameOf is the text of an It.
func nameOf(s scenarios.Selected) string { return string(s.Scenario.ID) + ": " + s.Scenario.Title }
