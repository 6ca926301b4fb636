package hostile

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// checkSaid looks at what a person saw, and at what it took beside an honest host.
func checkSaid(t *testing.T, c hostileCase, honest, e ended) {
	t.Helper()
	if e.peak > timesHonest*honest.peak {
		t.Errorf("it took %d MiB, and an honest host %d MiB", e.peak>>20, honest.peak>>20)
	}
	if !slices.Contains(c.exit, e.exit) {
		t.Errorf("exit code %d, want one of %v\n%s", e.exit, c.exit, shortened(e.said))
	}
	for _, crash := range []string{"panic:", "goroutine ", "fatal error:", "runtime error"} {
		if strings.Contains(e.said, crash) {
			t.Errorf("it crashed:\n%s", shortened(e.said))
		}
	}
	if !utf8.ValidString(e.said) {
		t.Error("what it printed is not UTF-8")
	}
	if i := strings.IndexFunc(e.said, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r <= 0x9f }); i >= 0 {
		t.Errorf("it printed %q", e.said[max(0, i-40):min(len(e.said), i+40)])
	}
	noSecret(t, "the terminal", e.said)
}

// transcript is the part of a file of transcripts/ that is looked at.
type transcript struct {
	Schema  string       `json:"schema"`
	Drive   string       `json:"drive"`
	Entries []wire.Entry `json:"entries"`
}

// readReports parses every file back. doc is nil where nothing was written, since nothing was asked.
func readReports(t *testing.T, e ended) (doc *results.Results, transcripts map[string]transcript) {
	t.Helper()
	err := filepath.WalkDir(e.out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !utf8.Valid(content) {
			t.Errorf("%s is not UTF-8", path)
		}
		if !noSecret(t, path, string(content)) {
			return fs.SkipAll // one such file is enough
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) && e.exit == scenarios.ExitUnreachable {
		return nil, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	read, err := reports.Load(e.out)
	if err != nil {
		t.Fatal(err)
	}
	checkJUnit(t, filepath.Join(e.out, reports.JUnitName), read)
	checkMatrix(t, filepath.Join(e.out, reports.MatrixName))
	return &read, readTranscripts(t, filepath.Join(e.out, reports.TranscriptsDir))
}

func readTranscripts(t *testing.T, dir string) map[string]transcript {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]transcript{}
	for _, entry := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		var read transcript
		if err := json.Unmarshal(raw, &read); err != nil || read.Schema != scenarios.TranscriptSchema {
			t.Fatalf("%s: schema %q, %v", entry.Name(), read.Schema, err)
		}
		out[read.Drive] = read
	}
	return out
}

func checkJUnit(t *testing.T, path string, doc results.Results) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases := 0
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "testcase" {
				cases++
			}
		case xml.Directive, xml.Comment:
			t.Errorf("%s holds %q", path, token)
		}
	}
	if want := len(doc.Scenarios) + len(excerpt.Elsewhere(doc)); cases != want {
		t.Errorf("%s has %d cases, want %d", path, cases, want)
	}
}

// rawMarkup is a tag, a comment, a link or an image.
var rawMarkup = regexp.MustCompile("<[A-Za-z/!?]|\\]\\(|[\x00-\x09\x0b-\x1f\x7f]")

func checkMatrix(t *testing.T, path string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	outside := codeSpan.ReplaceAllString(string(page), "`code`")
	outside = strings.ReplaceAll(outside, "]("+reports.ReportName+")", "]") // our own, to the page beside it
	if found := rawMarkup.FindString(outside); found != "" {
		t.Errorf("%s holds %q outside code", path, found)
	}
	if bytes.ContainsAny(page, "\x1b\x07\x9b") {
		t.Errorf("%s holds control characters", path)
	}
}

// codeSpan is what a reader of Markdown takes as code, by the longest fences first.
var codeSpan = regexp.MustCompile("````[^\n]*?````|```[^\n]*?```|``[^\n]*?``|`[^`\n]*`")

// checkVerdicts holds the verdicts to what the host has touched.
func checkVerdicts(t *testing.T, c hostileCase, doc results.Results, transcripts map[string]transcript) {
	t.Helper()
	for _, s := range doc.Scenarios {
		switch s.Verdict {
		case results.VerdictPassed:
			if s.Reason != "" {
				t.Errorf("%s passed, and says %s", s.ID, s.Reason)
			}
			if how := touchedBy(c, s, transcripts); how != "" {
				t.Errorf("%s passed, though %s", s.ID, how)
			}
		case results.VerdictBroken:
			t.Errorf("%s is broken: %s", s.ID, s.Reason)
		default:
			if s.Reason == "" || len(s.Reason) > 3000 {
				t.Errorf("%s is %s with a reason of %d bytes", s.ID, s.Verdict, len(s.Reason))
			}
		}
	}
	if doc.ExitCode == scenarios.ExitProved && c.touched == nil {
		t.Error("a host that is hostile throughout is certified")
	}
}

// touchedBy says what the host had to do with what a scenario looked at; "" for nothing.
func touchedBy(c hostileCase, s results.ScenarioResult, transcripts map[string]transcript) string {
	drive := "discovery"
	if len(s.Drives) > 0 {
		drive = s.Drives[0]
	}
	entries := transcripts[drive].Entries
	for _, check := range s.Checks {
		if n := int(check.Exchange); check.Ok && n > 0 && n <= len(entries) && c.isTouched(entries[n-1], check) {
			return fmt.Sprintf("%s (%s %s) of %s was hostile: expected %s, got %s", check.Requirement, check.Part, check.Pointer, drive,
				check.Expected, check.Actual)
		}
	}
	return ""
}

// noSecret looks for the keys in every spelling that a reader would undo.
func noSecret(t *testing.T, where, text string) bool {
	t.Helper()
	plain := decoded(text)
	for _, s := range secrets {
		for _, text := range []string{text, plain} {
			if i := strings.Index(text, s); i >= 0 {
				t.Errorf("%s holds the key %s: …%q…", where, s, text[max(0, i-60):min(len(text), i+60)])
				return false
			}
		}
	}
	return true
}

// decoded is text with every \u00XX and %XX, behind any number of backslashes, as the character it stands for.
func decoded(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); i++ {
		digits := 0 // where they begin
		switch {
		case text[i] == '%':
			digits = i + 1
		case text[i] == '\\' && strings.HasPrefix(text[i+1:], "u00"):
			digits = i + 4
		case text[i] == '\\' && strings.HasPrefix(text[i+1:], `\`):
			continue
		}
		if digits > 0 && digits+2 <= len(text) {
			if c, err := strconv.ParseUint(text[digits:digits+2], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i = digits + 1
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// tells says whether a report, or the terminal where there is none, has the sentence that it must have.
func tells(c hostileCase, e ended, written bool, t *testing.T) bool {
	t.Helper()
	if !written {
		return strings.Contains(e.said, c.telling)
	}
	raw, err := os.ReadFile(filepath.Join(e.out, reports.ResultsName))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(raw), c.telling)
}
