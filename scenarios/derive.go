package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// Given holds what the transcripts of a certification do not show.
type Given struct {
	Address   string
	Second    string
	Started   time.Time
	Seconds   float64
	Seed      uint64
	Depth     Depth
	RunID     RunID
	Select    Selection
	Leftovers []string
	Fault     string // see [Report]
	// Interrupted: by its operator, so drives need not have been driven to their end, and probes not been sent.
	Interrupted bool
	Repetitions []Repetition // whose transcripts are not among those of the certification
	Unprompted  []Unprompted // likewise
}

// Derive makes the report of a certification from its transcripts, without the target. All suites must be of one
// protocol. The report has the drives whose transcripts were read. Transcripts may come from anybody: the error says
// what no certification could have written, and wraps a [MissingError] for each drive that it must have driven.
func Derive(transcripts fs.FS, given Given, suites ...Suite) (report *Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			report, err = nil, fmt.Errorf("judging the transcripts again: it panicked: %v", p)
		}
	}()
	again, err := revive(transcripts, given.Depth, given.Select, suites)
	if err != nil {
		return nil, err
	}
	suiteDigest, err := given.Select.Digest(suites...)
	if err != nil {
		return nil, err
	}
	protocol := suites[0].Protocol
	r := &Report{
		Protocol: protocol, Address: given.Address, Second: given.Second, SuiteDigest: suiteDigest,
		Started: given.Started, Seconds: given.Seconds,
		Seed: given.Seed, Depth: given.Depth, RunID: given.RunID, Select: given.Select, Leftovers: given.Leftovers, Fault: given.Fault,
		Outcomes: again.outcomes, Repetitions: given.Repetitions, Unprompted: given.Unprompted,
		DiscoveryFindings: again.findings(protocol), Scenarios: len(scenariosAt(suites, given.Depth)),
	}
	r.Drives = append(r.Drives, again.discovery.record())
	for _, id := range again.order {
		d := again.drives[id]
		if err := misdrawn(d.drawn, d.meta, given.Depth); err != nil {
			return nil, fmt.Errorf("%s: %w", TranscriptName(id), err)
		}
		r.Drives = append(r.Drives, d.record())
	}
	for _, d := range r.Drives {
		if err := checkWritten(transcripts, d); err != nil {
			return nil, err
		}
	}
	signs := protocol.unclaimed(again.declared())
	seen := look(signs, r.Drives, given.Address)
	switch f, t, err := readTranscript(transcripts, probesDrive); {
	case err == nil:
		probes := DriveRecord{ID: probesDrive, Transcript: t, Seconds: f.Seconds}
		lookAgain(signs, seen, probes, given.Address)
		r.Drives = append(r.Drives, probes)
		if err := checkWritten(transcripts, probes); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case !given.Interrupted && protocol.probed(given.Select, signs, seen, r.Drives):
		return nil, &MissingError{Drive: probesDrive, cause: err}
	}
	r.Seen = shown(seen)
	r.sumUp(again.declared(), protocol.spell)
	return r, nil
}

// checkWritten returns an error unless the transcript is the same when it is written again: one that holds a member
// twice, say, is not.
func checkWritten(transcripts fs.FS, d DriveRecord) error {
	name := TranscriptName(d.ID)
	content, err := fs.ReadFile(transcripts, name)
	if err != nil {
		return err
	}
	again, err := MarshalTranscript(d)
	if err != nil {
		return err
	}
	if !bytes.Equal(content, again) {
		return fmt.Errorf("%s: it is not written as certify writes it: it was edited", name)
	}
	return nil
}

// findings returns the findings about the discovery document.
func (r *revived) findings(p *Protocol) []Finding {
	var out []Finding
	at := r.declared().Document.Ref().Exchange
	if text, ok := Said(r.discovery.record()); ok && p.CheckDiscovery != nil {
		out = boundFindings(p.CheckDiscovery([]byte(text)), nothingSecret)
	}
	if e := r.discovery.transcript.Entry(at); e != nil && e.Response != nil {
		out = append(out, clock(e.Response.Header["Date"], r.declared().At)...)
	}
	return out
}

// Said returns the discovery document as recorded by the drive that fetched it, which is the first of a report.
func Said(d DriveRecord) (text string, ok bool) {
	declared, ok := d.Observation.(Discovery)
	if !ok {
		return "", false
	}
	return d.Transcript.Document(declared.Document.Ref().Exchange)
}
