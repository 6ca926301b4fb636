package scenarios

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios/wire"
)

// TranscriptSchema names the format of the files under transcripts/.
const TranscriptSchema = "assay.transcript/1"

// transcriptFile is one drive on disk: what was seen, and where in it the
// observation stood.
type transcriptFile struct {
	Schema      string          `json:"schema"`
	Drive       string          `json:"drive"`
	Seconds     float64         `json:"seconds"`
	Stop        *Stop           `json:"stop,omitempty"`
	Observation json.RawMessage `json:"observation,omitempty"`
	Entries     []wire.Entry    `json:"entries"`
}

// MarshalTranscript is a drive as it is kept on disk.
func MarshalTranscript(d DriveRecord) ([]byte, error) {
	f := transcriptFile{Schema: TranscriptSchema, Drive: d.ID, Seconds: d.Seconds, Stop: d.Stop, Entries: d.Transcript.Entries}
	if d.Observation != nil && d.Stop == nil {
		raw, err := json.Marshal(d.Observation)
		if err != nil {
			return nil, fmt.Errorf("transcript of %s: encoding the observation: %w", d.ID, err)
		}
		f.Observation = raw
	}
	return json.MarshalIndent(f, "", " ")
}

// TranscriptName is the file name of a drive's transcript.
func TranscriptName(drive string) string { return strings.ReplaceAll(drive, "/", ".") + ".json" }

// Rejudge derives the outcomes of a certification again from the transcripts
// in dir, without the target. expect are the claims that were taken as made.
// Scenarios whose drive left no transcript were not part of it and are left out.
func Rejudge(dir string, expect []string, suites ...Suite) ([]Outcome, error) {
	discovery, err := readDiscovery(dir)
	if err != nil {
		return nil, err
	}
	drives := map[string]*drive{discoveryDrive: discovery}
	var out []Outcome
	for _, suite := range suites {
		for _, s := range suite.Scenarios {
			o := &outcome{sel: Selected{suite, s, s.Labels(suite)}}
			if reason := notClaimed(s.Claim, discovery.observation.(Discovery), expect); reason != "" {
				o.fixed = &Outcome{Scenario: s, Verdict: Inapplicable, Reason: reason}
			} else {
				d, err := reviveFor(dir, s, drives)
				if err != nil {
					return nil, err
				}
				if d == nil {
					continue
				}
				o.drive = d
			}
			out = append(out, o.decide(suite.Protocol.Ledger))
		}
	}
	return slices.Clip(out), nil
}

func reviveFor(dir string, s Scenario, drives map[string]*drive) (*drive, error) {
	meta, driven := s.Ask.Drive()
	if !driven {
		return drives[discoveryDrive], nil
	}
	if d, done := drives[meta.ID]; done {
		return d, nil
	}
	path := filepath.Join(dir, TranscriptName(meta.ID))
	f, t, err := readTranscript(path)
	if os.IsNotExist(err) {
		drives[meta.ID] = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d := &drive{meta: meta, transcript: t, stop: f.Stop, seconds: f.Seconds, done: make(chan struct{})}
	close(d.done)
	if d.stop == nil {
		if d.observation, err = s.Ask.revive(f.Observation, t); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	drives[meta.ID] = d
	return d, nil
}

func readDiscovery(dir string) (*drive, error) {
	path := filepath.Join(dir, TranscriptName(discoveryDrive))
	f, t, err := readTranscript(path)
	if err != nil {
		return nil, err
	}
	var d Discovery
	if err := json.Unmarshal(f.Observation, &d); err != nil {
		return nil, fmt.Errorf("%s: observation: %w", path, err)
	}
	if err := wire.Bind(&d, t); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	out := &drive{meta: DriveMeta{ID: discoveryDrive}, transcript: t, observation: d, seconds: f.Seconds, done: make(chan struct{})}
	close(out.done)
	return out, nil
}

func readTranscript(path string) (*transcriptFile, *wire.Transcript, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var f transcriptFile
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if f.Schema != TranscriptSchema {
		return nil, nil, fmt.Errorf("%s: schema is %q, this Assay reads %q", path, f.Schema, TranscriptSchema)
	}
	return &f, &wire.Transcript{Drive: f.Drive, Entries: f.Entries}, nil
}
