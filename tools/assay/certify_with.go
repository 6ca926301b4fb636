package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/observed"
	"github.com/openassay/assay/tools/internal/protocols"
)

// recordingFlag is the flag for a recording of the target, which is judged beside what Assay asks.
type recordingFlag struct {
	folder string
	all    []observed.Recording
}

// read reads the folder before anything is asked of a target that may speak any of these protocols.
func (w *recordingFlag) read(rows []*protocols.Row, plan bool) (err error) {
	if w.folder == "" {
		return nil
	}
	if plan {
		return usage("certify --with: --plan judges nothing: leave it out")
	}
	if w.all, err = observed.Read(os.DirFS(w.folder), spoken(rows)...); err != nil {
		return usage("certify --with %s: %w: give a folder of assay record, or another that assay observe --help names", w.folder, err)
	}
	if len(w.all) == 0 {
		return usage("certify --with %s: it holds no exchange with a host", w.folder)
	}
	return nil
}

// of returns the recording of the target: the one with its address, or the only one.
func (w *recordingFlag) of(address string) (r observed.Recording, found bool) {
	for _, r := range w.all {
		if strings.HasPrefix(address+"/", r.Origin+"/") {
			return r, true
		}
	}
	return w.all[0], len(w.all) == 1
}

// observe adds what the recording says of the target to the report. What was asked of the target stands in any case.
func (w *recordingFlag) observe(report *scenarios.Report, d scenarios.Discovery, suites []scenarios.Suite, say io.Writer) {
	if w.folder == "" {
		return
	}
	recording, found := w.of(report.Address)
	if !found {
		fmt.Fprintf(say, "assay: certify --with %s: it holds %d recordings, and none of %s: nothing of it is judged\n", w.folder, len(w.all),
			report.Address)
		return
	}
	fmt.Fprintf(say, "judging what %s did for others: %s\n", textsafe.Line(recording.Origin), textsafe.Count(recording.Len(), "exchange"))
	seen := observed.Judge{Protocol: report.Protocol, Suites: suites, Discovery: d, Expected: report.Select.ExpectClaims}.Judge(recording)
	if seen.Panicked != "" {
		report.Fault = cmp.Or(report.Fault, "judging the recording: "+seen.Panicked)
	}
	for _, left := range seen.Left {
		fmt.Fprintf(say, "left out of the recording: %s\n", textsafe.Line(left))
	}
	if len(seen.Rows) == 0 {
		fmt.Fprintf(say, "assay: certify --with %s: nothing in it could be judged: assay observe says why\n", w.folder)
		return
	}
	report.Observed(seen.Unprompted())
}
