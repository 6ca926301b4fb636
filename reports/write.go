package reports

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/reports/matrix"
	"github.com/openassay/assay/scenarios"
)

// Names of the files that [Write] puts beside results.json.
const (
	MatrixName     = "matrix.md"
	ReportName     = "report.html"
	JUnitName      = "junit.xml"
	CTRFName       = "ctrf.json"
	SARIFName      = "results.sarif"
	TranscriptsDir = "transcripts"
)

// Write writes doc, the [Results] of the report, into dir as results.json, together with report.html, matrix.md,
// junit.xml, ctrf.json, results.sarif, badges and a transcript of each drive. It creates dir if necessary. Write stages all
// files first and then moves them, so that a failure keeps the output of an earlier run. It removes an earlier run's
// transcripts and badges that this run does not replace, and what [SetAside] set aside, and touches no other file.
func Write(dir string, r *scenarios.Report, doc results.Results) error {
	files, err := render(r, doc)
	if err != nil {
		return fmt.Errorf("write the reports: %w", err)
	}
	if err := install(dir, files); err != nil {
		return fmt.Errorf("write the reports: %w: give another folder with --out", err)
	}
	return nil
}

// install puts the files into dir, all or none.
func install(dir string, files []file) error {
	if err := os.MkdirAll(filepath.Join(dir, TranscriptsDir), 0o755); err != nil {
		return err
	}
	// On the same file system as dir, a move is a single step.
	staged, err := os.MkdirTemp(dir, ".assay-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staged)
	swap := swap{dir: dir, staged: staged, buffer: bufio.NewWriterSize(nil, bufferSize), folders: map[string]bool{}}
	for _, f := range files {
		if err := swap.stage(f); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := swap.move(f.name); err != nil {
			return errors.Join(err, swap.back())
		}
	}
	return errors.Join(removeStale(filepath.Join(dir, TranscriptsDir), files), removeStaleBadges(dir, files), removeEarlier(dir))
}

// file is one file of a report; name is its path below the folder. write produces the content on demand: all
// transcripts at once take several times the bytes that the target sent.
type file struct {
	name  string
	write func(io.Writer) error
}

// made returns a writer of existing content.
func made(content []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}
}

// render returns the files. results.json comes last: a new one implies that the others are new.
func render(r *scenarios.Report, doc results.Results) ([]file, error) {
	encoded, err := MarshalResults(doc)
	if err != nil {
		return nil, err
	}
	var families, junit bytes.Buffer
	if err := alone(r, doc).Markdown(&families); err != nil {
		return nil, err
	}
	if err := JUnit(&junit, doc); err != nil {
		return nil, err
	}
	files, err := badges(doc.Profiles, excerpt.ExtraHeaders(doc.Target.ExtraHeaders))
	if err != nil {
		return nil, err
	}
	for _, d := range r.Drives {
		files = append(files, file{transcriptPath(d.ID), func(w io.Writer) error { return scenarios.WriteTranscript(w, d) }})
	}
	return append(files,
		file{ReportName, func(w io.Writer) error { return HTML(w, r.Protocol, doc, r.Drives) }},
		file{MatrixName, made(families.Bytes())},
		file{JUnitName, made(junit.Bytes())},
		file{CTRFName, func(w io.Writer) error { return CTRF(w, doc) }},
		file{SARIFName, func(w io.Writer) error { return SARIF(w, doc) }},
		file{ResultsName, made(encoded)},
	), nil
}

// alone returns the matrix of one certification, as of its end.
func alone(r *scenarios.Report, doc results.Results) *matrix.Matrix {
	over := r.Started.Add(time.Duration(r.Seconds * float64(time.Second)))
	return matrix.New(map[string]*scenarios.Ledger{r.Protocol.ID: r.Protocol.Ledger}, over,
		[]matrix.Certification{{Results: doc, Link: ReportName}})
}

// transcriptPath returns the path of a drive's transcript below the report folder.
// That of a repetition lies in the folder of the repetition.
func transcriptPath(drive string) string {
	if parts := strings.SplitN(drive, "/", 3); len(parts) == 3 && scenarios.IsRepetitionDir(parts[0]+"/"+parts[1]) {
		return filepath.Join(parts[0], parts[1], transcriptPath(parts[2]))
	}
	return filepath.Join(TranscriptsDir, scenarios.TranscriptName(drive))
}

// swap moves staged files to their places and can undo the moves.
type swap struct {
	dir, staged string
	buffer      *bufio.Writer
	folders     map[string]bool // known to exist
	moved       []string        // names already in place
	replaced    []string        // names with an earlier file set aside
}

// bufferSize is the write buffer's size in bytes.
const bufferSize = 64 << 10

func (s *swap) new(name string) string { return filepath.Join(s.staged, "new", name) }
func (s *swap) old(name string) string { return filepath.Join(s.staged, "old", name) }

func (s *swap) stage(f file) error {
	for _, path := range []string{s.new(f.name), s.old(f.name)} {
		if err := s.folder(filepath.Dir(path)); err != nil {
			return err
		}
	}
	out, err := os.OpenFile(s.new(f.name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) //nolint:gosec // a report is for others to read
	if err != nil {
		return err
	}
	s.buffer.Reset(out)
	return errors.Join(f.write(s.buffer), s.buffer.Flush(), out.Close())
}

// folder creates each folder only once: most files share theirs.
func (s *swap) folder(path string) error {
	if s.folders[path] {
		return nil
	}
	s.folders[path] = true
	return os.MkdirAll(path, 0o755)
}

func (s *swap) move(name string) error {
	path := filepath.Join(s.dir, name)
	if err := s.folder(filepath.Dir(path)); err != nil {
		return err
	}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	default:
		if err := os.Rename(path, s.old(name)); err != nil {
			return err
		}
		s.replaced = append(s.replaced, name)
	}
	if err := os.Rename(s.new(name), path); err != nil {
		return err
	}
	s.moved = append(s.moved, name)
	return nil
}

// back undoes every move.
func (s *swap) back() error {
	var problems []error
	for _, name := range s.moved {
		if !slices.Contains(s.replaced, name) {
			problems = append(problems, os.Remove(filepath.Join(s.dir, name)))
		}
	}
	for _, name := range s.replaced {
		problems = append(problems, os.Rename(s.old(name), filepath.Join(s.dir, name)))
	}
	return errors.Join(problems...)
}

// removeStale removes the transcripts of drives outside this run. It recognises a transcript by its content.
func removeStale(dir string, files []file) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(TranscriptsDir, e.Name())
		path := filepath.Join(dir, e.Name())
		if slices.ContainsFunc(files, func(f file) bool { return f.name == name }) || !isTranscript(path, e) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

func isTranscript(path string, e fs.DirEntry) bool {
	if !e.Type().IsRegular() || filepath.Ext(path) != ".json" {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := f.Read(head) // an unreadable file is none of ours
	start := strings.Join(strings.Fields(string(head[:n])), "")
	name, _, _ := strings.Cut(scenarios.TranscriptSchema, "/")
	return strings.HasPrefix(start, `{"schema":"`+name+"/")
}
