package reports

import (
	"io"
	"path"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/html"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// HTML writes report.html, one self-contained page. The results, the transcripts and the ledger determine its content,
// so it can be written again from them.
func HTML(w io.Writer, protocol *scenarios.Protocol, doc results.Results, drives []scenarios.DriveRecord) error {
	transcripts := make(map[string]*wire.Transcript, len(drives))
	for _, d := range drives {
		transcripts[d.ID] = d.Transcript
	}
	return html.Write(w, html.Certification{
		Results: doc, Protocol: protocol, Transcripts: transcripts, Meaning: Conclusion(doc),
		TranscriptPath: func(drive string) string { return path.Join(TranscriptsDir, scenarios.TranscriptName(drive)) },
	})
}
