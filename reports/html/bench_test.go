package html_test

import (
	"io"
	"testing"

	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

// BenchmarkReport writes the report of all suites against a simulated host that breaks a rule.
func BenchmarkReport(b *testing.B) {
	_, _, report := resetting(b, scenarios.Selection{})
	doc := reports.Results(report, reports.Stamp{Version: "v0.0.1", ExitCode: report.ExitCode()})
	b.ReportAllocs()
	for b.Loop() {
		if err := reports.HTML(io.Discard, report.Protocol, doc, report.Drives); err != nil {
			b.Fatal(err)
		}
	}
}
