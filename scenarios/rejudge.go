package scenarios

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios/wire"
)

// TranscriptSchema names the format of the files under transcripts/.
const TranscriptSchema = "assay.transcript/1"

// transcriptFile is a drive on disk: its exchanges, and an observation that refers to them.
type transcriptFile struct {
	transcriptHead
	Observation json.RawMessage `json:"observation,omitempty"`
	Entries     []wire.Entry    `json:"entries"`
}

type transcriptHead struct {
	Schema  string  `json:"schema"`
	Drive   string  `json:"drive"`
	Seconds float64 `json:"seconds"`
	Stop    *Stop   `json:"stop,omitempty"`
	Drawn   []Draw  `json:"drawn,omitempty"`
}

// WriteTranscript writes a drive as it is kept on disk, entry by entry, since a whole transcript takes a multiple of
// what the target sent. It is for people to read: indented, with <secret:1>, not \u003csecret:1\u003e.
func WriteTranscript(w io.Writer, d DriveRecord) error {
	t := TranscriptWriter{To: w}
	if err := t.Begin(d); err != nil {
		return err
	}
	for i := range d.Transcript.Entries {
		if err := t.Add(&d.Transcript.Entries[i]); err != nil {
			return fmt.Errorf("transcript of %s: %w", d.ID, err)
		}
	}
	_, err := io.WriteString(w, TranscriptEnd)
	return err
}

// TranscriptEnd is what stands behind the last entry of a transcript on disk.
const TranscriptEnd = "\n ]\n}\n"

// TranscriptWriter writes a transcript in parts: what Begin writes, then what Add writes for each entry, and then [TranscriptEnd]. It
// holds the buffers that the parts pass through.
type TranscriptWriter struct {
	To io.Writer

	compact  bytes.Buffer
	indented []byte
	entries  int
}

// Begin writes all of a transcript but its entries.
func (t *TranscriptWriter) Begin(d DriveRecord) error {
	head, err := t.encode(transcriptHead{Schema: TranscriptSchema, Drive: d.ID, Seconds: d.Seconds, Stop: d.Stop, Drawn: d.Drawn})
	if err != nil {
		return fmt.Errorf("transcript of %s: %w", d.ID, err)
	}
	head = bytes.TrimSuffix(head, []byte("}"))
	if d.Observation != nil && d.Stop == nil {
		raw, err := json.Marshal(d.Observation)
		if err != nil {
			return fmt.Errorf("transcript of %s: encoding the observation: %w", d.ID, err)
		}
		head = append(append(head, `,"observation":`...), raw...)
	}
	return t.write("", head, 0, ",\n \"entries\": [")
}

// Add writes the next entry.
func (t *TranscriptWriter) Add(e *wire.Entry) error {
	entry, err := t.encode(e)
	if err != nil {
		return err
	}
	separator := ",\n  "
	if t.entries == 0 {
		separator = "\n  "
	}
	t.entries++
	return t.write(separator, entry, 2, "")
}

// encode returns v as compact JSON, valid until the next call.
func (t *TranscriptWriter) encode(v any) ([]byte, error) {
	t.compact.Reset()
	e := json.NewEncoder(&t.compact)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(t.compact.Bytes(), []byte("\n")), err
}

// write writes compact JSON, indented from a depth on, between two texts.
func (t *TranscriptWriter) write(before string, compact []byte, depth int, after string) error {
	t.indented = append(appendIndented(append(t.indented[:0], before...), compact, depth), after...)
	_, err := t.To.Write(t.indented)
	return err
}

// MarshalTranscript returns what [WriteTranscript] writes.
func MarshalTranscript(d DriveRecord) ([]byte, error) {
	var out bytes.Buffer
	err := WriteTranscript(&out, d)
	return out.Bytes(), err
}

// TranscriptName returns the file name of a drive's transcript.
func TranscriptName(drive string) string { return strings.ReplaceAll(drive, "/", ".") + ".json" }

// Rejudge judges the transcripts of a certification again, without the target. depth and selection are those of the certification.
// The error wraps a [MissingError] for each drive whose transcript is missing.
func Rejudge(transcripts fs.FS, depth Depth, selection Selection, suites ...Suite) ([]Outcome, error) {
	r, err := revive(transcripts, depth, selection, suites)
	if err != nil {
		return nil, err
	}
	return r.outcomes, nil
}

// MissingError says that a transcript is missing, and which scenario cannot be judged without it.
type MissingError struct {
	Scenario ScenarioID // the first that needs it; "" for the discovery document and the probes
	Drive    string
	cause    error
}

func (e *MissingError) Error() string {
	about := "reading the discovery document again"
	switch {
	case e.Scenario != "":
		about = "judging " + string(e.Scenario) + " again"
	case e.Drive == probesDrive:
		about = "looking for what is not claimed again"
	}
	return fmt.Sprintf("%s: the transcript of %s is missing", about, e.Drive)
}

func (e *MissingError) Unwrap() error { return e.cause }

// nothingSecret cleans texts that were cleaned when they were written.
func nothingSecret(text string) string { return text }

// revived holds drives that were read from disk, and the outcomes of their scenarios.
type revived struct {
	transcripts fs.FS
	discovery   *drive
	drives      map[string]*drive
	order       []string // drive ids in the order of their first scenario
	outcomes    []Outcome
}

func (r *revived) declared() Discovery { return r.discovery.observation.(Discovery) }

// revive reads the drives of a selection and judges them.
func revive(transcripts fs.FS, depth Depth, selection Selection, suites []Suite) (*revived, error) {
	picked, err := selection.PickAt(depth, suites...)
	if err != nil {
		return nil, err
	}
	r := &revived{transcripts: transcripts}
	if r.discovery, err = readDiscovery(transcripts, suites[0].Protocol); err != nil {
		return nil, err
	}
	r.drives = map[string]*drive{discoveryDrive: r.discovery}
	var missing []error
	lacks := map[string]bool{}
	for _, sel := range picked {
		o := newOutcome(sel, selection, r.declared())
		if reason := notClaimed(sel.Scenario.Claim, r.declared(), selection); reason != "" {
			o.fixed = &Outcome{Scenario: sel.Scenario, Verdict: Inapplicable, Reason: reason}
		} else if o.drive, err = r.driveOf(sel); err != nil {
			absent, is := errors.AsType[*MissingError](err)
			if !is {
				return nil, err
			}
			if !lacks[absent.Drive] {
				lacks[absent.Drive], missing = true, append(missing, err)
			}
			continue
		}
		r.outcomes = append(r.outcomes, o.decide(sel.Suite.Protocol.Ledger, sel.Suite.Protocol.spell))
	}
	return r, errors.Join(missing...)
}

func (r *revived) driveOf(sel Selected) (*drive, error) {
	s := sel.Scenario
	meta, driven := s.Ask.Drive()
	if !driven {
		return r.discovery, nil
	}
	if d, done := r.drives[meta.ID]; done {
		return d, nil
	}
	f, t, err := readTranscript(r.transcripts, meta.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &MissingError{s.ID, meta.ID, err}
	}
	if err != nil {
		return nil, fmt.Errorf("judging %s again: %w", s.ID, err)
	}
	t.Speech = sel.Suite.Protocol.Speech
	d := &drive{meta: meta, transcript: t, stop: f.Stop, seconds: f.Seconds, drawn: f.Drawn, done: make(chan struct{})}
	close(d.done)
	if d.stop == nil {
		if d.observation, err = s.Ask.revive(f.Observation, t); err != nil {
			return nil, fmt.Errorf("judging %s again: %w", s.ID, err)
		}
	}
	r.drives[meta.ID] = d
	r.order = append(r.order, meta.ID)
	return d, nil
}

func readDiscovery(transcripts fs.FS, p *Protocol) (*drive, error) {
	f, t, err := readTranscript(transcripts, discoveryDrive)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &MissingError{Drive: discoveryDrive, cause: err}
	}
	if err != nil {
		return nil, fmt.Errorf("reading the discovery document again: %w", err)
	}
	var d Discovery
	decoder := json.NewDecoder(bytes.NewReader(f.Observation))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("reading the discovery document again: observation of %s: %w", discoveryDrive, err)
	}
	t.Speech = p.Speech
	if err := wire.Bind(&d, t); err != nil {
		return nil, fmt.Errorf("reading the discovery document again: %w", err)
	}
	if _, isObject := d.Document.Actual().(map[string]any); !isObject {
		return nil, fmt.Errorf("reading the discovery document again: its transcript holds no JSON object where the document stood")
	}
	out := &drive{meta: DriveMeta{ID: discoveryDrive}, transcript: t, observation: d, seconds: f.Seconds, drawn: f.Drawn,
		done: make(chan struct{})}
	close(out.done)
	return out, nil
}

func readTranscript(transcripts fs.FS, drive string) (*transcriptFile, *wire.Transcript, error) {
	name := TranscriptName(drive)
	b, err := fs.ReadFile(transcripts, name)
	if err != nil {
		return nil, nil, err
	}
	return transcriptOf(drive, name, b)
}

// transcriptOf returns the transcript of a drive that a file of that name holds.
func transcriptOf(drive, name string, b []byte) (*transcriptFile, *wire.Transcript, error) {
	f, err := parseTranscript(b)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if f.Drive != drive {
		return nil, nil, fmt.Errorf("%s: it is the transcript of the drive %q", name, f.Drive)
	}
	return f, &wire.Transcript{Drive: f.Drive, Entries: f.Entries}, nil
}

// parseTranscript reads a transcript. Anybody may have written it, so it returns an error if no drive could have.
func parseTranscript(b []byte) (*transcriptFile, error) {
	var f transcriptFile
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, err
	}
	switch {
	case f.Schema != TranscriptSchema:
		return nil, fmt.Errorf("schema is %q, this Assay reads %q", f.Schema, TranscriptSchema)
	case f.Stop == nil && len(f.Observation) == 0 && f.Drive != probesDrive:
		return nil, errors.New("the drive neither stopped nor observed anything")
	case f.Stop != nil && len(f.Observation) > 0:
		return nil, errors.New("the drive stopped, and observed something all the same")
	case f.Stop != nil && !slices.Contains(stopped, f.Stop.Verdict):
		return nil, fmt.Errorf("the drive stopped as %q: a drive that stops passes and fails nothing", f.Stop.Verdict)
	}
	for i := range f.Drawn {
		var plain bytes.Buffer // it is indented on disk
		if err := json.Compact(&plain, f.Drawn[i].Is); err != nil {
			return nil, fmt.Errorf("draw %d: %w", i+1, err)
		}
		f.Drawn[i].Is = plain.Bytes()
	}
	for i, e := range f.Entries {
		if err := e.Check(); err != nil {
			return nil, fmt.Errorf("exchange %d: %w", i+1, err)
		}
	}
	return &f, nil
}

// stopped are the verdicts of drives that stop.
var stopped = []Verdict{Inapplicable, Blocked, Inconclusive, Broken}
