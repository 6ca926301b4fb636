package ginkgosuite

import (
	"io"
	"math"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/extensions/globals"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/openassay/assay/scenarios"
)

// one keeps Ginkgo's package-wide tree to one certification at a time.
var one sync.Mutex

// Show runs a Ginkgo suite over the scenarios of a certification that is under
// way and returns Ginkgo's own report. out takes what Ginkgo prints; nil
// silences it. Show returns when every scenario has its verdict.
func Show(c *scenarios.Certification, out io.Writer) ginkgo.Report {
	one.Lock()
	defer one.Unlock()
	globals.Reset()
	defer globals.Reset()

	var got ginkgo.Report
	ginkgo.Describe(c.Protocol.ID, ginkgo.Ordered, ginkgo.ContinueOnFailure, func() {
		describe(c.Selected(), func(scenarios.ScenarioID) *scenarios.Certification { return c }, func(text string) { ginkgo.Skip(text) })
	})
	ginkgo.ReportAfterSuite("keep the report", func(r ginkgo.Report) { got = r })

	if out == nil {
		out = io.Discard
	}
	before := formatter.ColorableStdOut
	formatter.ColorableStdOut = out
	defer func() { formatter.ColorableStdOut = before }()
	suiteConfig := types.NewDefaultSuiteConfig()
	suiteConfig.RandomSeed = int64(c.Options.Seed & math.MaxInt64) // masked; the default is the clock
	suiteConfig.Timeout = 0                                        // the certification has its own deadline
	reporterConfig := types.NewDefaultReporterConfig()
	reporterConfig.NoColor, reporterConfig.Succinct = true, true
	ginkgo.RunSpecs(quiet{}, "assay certify "+c.Protocol.ID, suiteConfig, reporterConfig)
	return got
}

// quiet is the testing.T of a program that is no test: the verdicts say what failed.
type quiet struct{}

func (quiet) Fail() {}
