package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
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

// WriteTranscript writes a drive as it is kept on disk, entry by entry: encoded, a transcript takes a multiple of what
// the target sent.
func WriteTranscript(w io.Writer, d DriveRecord) error {
	f := transcriptFile{Schema: TranscriptSchema, Drive: d.ID, Seconds: d.Seconds, Stop: d.Stop}
	if d.Observation != nil && d.Stop == nil {
		raw, err := json.Marshal(d.Observation)
		if err != nil {
			return fmt.Errorf("transcript of %s: encoding the observation: %w", d.ID, err)
		}
		f.Observation = raw
	}
	head, err := indented("", f)
	if err != nil {
		return fmt.Errorf("transcript of %s: %w", d.ID, err)
	}
	// The entries are the last member, and empty so far.
	head, closed := bytes.CutSuffix(head, []byte("null\n}"))
	if !closed {
		return fmt.Errorf("transcript of %s: the entries do not stand last", d.ID)
	}
	if _, err := w.Write(append(head, '[')); err != nil {
		return err
	}
	separator := "\n  "
	for _, e := range d.Transcript.Entries {
		entry, err := indented("  ", e)
		if err != nil {
			return fmt.Errorf("transcript of %s: %w", d.ID, err)
		}
		if _, err := io.WriteString(w, separator); err != nil {
			return err
		}
		if _, err := w.Write(entry); err != nil {
			return err
		}
		separator = ",\n  "
	}
	_, err = io.WriteString(w, "\n ]\n}\n")
	return err
}

// MarshalTranscript is what [WriteTranscript] writes.
func MarshalTranscript(d DriveRecord) ([]byte, error) {
	var out bytes.Buffer
	err := WriteTranscript(&out, d)
	return out.Bytes(), err
}

// indented is v as JSON that people read: <secret:1>, not \u003csecret:1\u003e.
func indented(prefix string, v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, " ")
	err := e.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// TranscriptName is the file name of a drive's transcript.
func TranscriptName(drive string) string { return strings.ReplaceAll(drive, "/", ".") + ".json" }

// Rejudge derives the outcomes of a certification again from the transcripts
// in dir, without the target. selection is the one it was made with. A
// selected scenario whose transcript is missing is an error.
func Rejudge(dir string, selection Selection, suites ...Suite) ([]Outcome, error) {
	picked, err := selection.Pick(suites...)
	if err != nil {
		return nil, err
	}
	discovery, err := readDiscovery(dir)
	if err != nil {
		return nil, err
	}
	drives := map[string]*drive{discoveryDrive: discovery}
	out := make([]Outcome, 0, len(picked))
	for _, sel := range picked {
		o := newOutcome(sel, selection, discovery.observation.(Discovery))
		if reason := notClaimed(sel.Scenario.Claim, discovery.observation.(Discovery), selection.ExpectClaims); reason != "" {
			o.fixed = &Outcome{Scenario: sel.Scenario, Verdict: Inapplicable, Reason: reason}
		} else if o.drive, err = reviveFor(dir, sel.Scenario, drives); err != nil {
			return nil, err
		}
		out = append(out, o.decide(sel.Suite.Protocol.Ledger, nothingSecret))
	}
	return out, nil
}

// nothingSecret is for what was cleaned when it was written.
func nothingSecret(text string) string { return text }

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
	if err != nil {
		return nil, fmt.Errorf("judging %s again: %w", s.ID, err)
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
