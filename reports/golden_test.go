package reports_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

var update = flag.Bool("update", false, "write what the reports say now into testdata")

var stamp = reports.Stamp{Version: "v0.0.1", ExitCode: 6}

// golden compares with a file of testdata, byte by byte.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); if that is meant, run go test ./reports -update:\n%s", path, diff)
	}
}

// harmless fails on any byte with which a target could reach beyond its own text.
func harmless(t *testing.T, text []byte) {
	t.Helper()
	for i, r := range string(text) {
		if r != '\n' && r != ' ' && !unicode.IsGraphic(r) || r == unicode.ReplacementChar {
			t.Fatalf("%U at byte %d of %q", r, i, text)
		}
	}
}

func TestText(t *testing.T) {
	var plain, colored bytes.Buffer
	if err := reports.Text(&plain, loopReport(t), reports.TextOptions{Stamp: stamp, Dir: "out"}); err != nil {
		t.Fatal(err)
	}
	harmless(t, plain.Bytes())
	golden(t, "text.txt", plain.Bytes())

	if err := reports.Text(&colored, loopReport(t), reports.TextOptions{Stamp: stamp, Dir: "out", Color: true}); err != nil {
		t.Fatal(err)
	}
	bare := colored.String()
	for _, code := range []string{"0", "1", "2", "32", "33", "1;31"} {
		bare = strings.ReplaceAll(bare, "\x1b["+code+"m", "")
	}
	if diff := cmp.Diff(plain.String(), bare); diff != "" {
		t.Errorf("colours change more than colours (-plain +coloured):\n%s", diff)
	}
	if bare == colored.String() {
		t.Error("nothing is coloured")
	}
}

func TestTextOfAPass(t *testing.T) {
	r := loopReport(t)
	r.Name, r.Version, r.Outcomes, r.Leftovers, r.DiscoveryFindings, r.Profiles = "", "", r.Outcomes[:1], nil, nil, nil
	r.Outcomes[0].Findings, r.Seen, r.Sensitivity = nil, nil, nil
	r.Claims, r.Requirements, r.Breaches = r.Claims[:1], nil, nil
	r.Claims[0].Status = "proved"
	var out bytes.Buffer
	if err := reports.Text(&out, r, reports.TextOptions{Stamp: reports.Stamp{Version: "v0.0.1", ExitCode: r.ExitCode()}}); err != nil {
		t.Fatal(err)
	}
	golden(t, "text_pass.txt", out.Bytes())
}

// Many claims that are proved are names alone; one that is not stands with its pointer.
func TestTextOfManyClaims(t *testing.T) {
	r := loopReport(t)
	one := r.Claims[0]
	r.Claims = nil
	for i := range 20 {
		c := one
		c.ID, c.Status = fmt.Sprintf("claim-of-a-long-name-%d", i), "proved"
		if i == 7 {
			c.Status = "violated"
		}
		r.Claims = append(r.Claims, c)
	}
	var out bytes.Buffer
	if err := reports.Text(&out, r, reports.TextOptions{Stamp: stamp}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  proved     19 claims: claim-of-a-long-name-0, claim-of-a-long-name-1,",
		"\n             claim-of-a-long-name-", "claim-of-a-long-name-19\n", "  violated   claim-of-a-long-name-7  " + one.Pointer} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "claim-of-a-long-name-1,") && len(line) > 120 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

func TestTextOfManyFindings(t *testing.T) {
	r := loopReport(t)
	r.DiscoveryFindings = nil
	for i := range 40 {
		r.DiscoveryFindings = append(r.DiscoveryFindings, scenarios.Finding{Text: fmt.Sprintf("deviation %d", i%30)})
	}
	var out bytes.Buffer
	if err := reports.Text(&out, r, reports.TextOptions{Stamp: stamp}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"31 deviations that changed no verdict", "deviation 9 (2 times)\n", "deviation 19\n",
		"and 11 more, see results.json\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(out.String(), "deviation 20") {
		t.Error("more than twenty are shown")
	}
}

func TestResults(t *testing.T) {
	encoded, err := reports.MarshalResults(reports.Results(loopReport(t), stamp))
	if err != nil {
		t.Fatal(err)
	}
	harmless(t, bytes.ReplaceAll(encoded, []byte("�"), nil)) // bytes that are not UTF-8 cannot be kept in JSON
	golden(t, "results.json", encoded)
	doc, err := reports.ParseResults(encoded)
	if err != nil {
		t.Fatalf("what is written must be readable: %v", err)
	}
	if want, got := "Acme "+strings.ToValidUTF8(evil, "�"), *doc.Target.Name; got != want {
		t.Errorf("the name is %q, want %q: escaping must not change it", got, want)
	}
	if got, want := string(doc.Claims[1].Value), `"a\u001bb"`; got != want {
		t.Errorf("claim value is %s, want %s", got, want)
	}
}

func TestHTML(t *testing.T) {
	var out bytes.Buffer
	r := loopReport(t)
	if err := reports.HTML(&out, r.Protocol, reports.Results(r, stamp), r.Drives); err != nil {
		t.Fatal(err)
	}
	harmless(t, out.Bytes())
	golden(t, "report.html", out.Bytes())
}

func TestResultsOfNothing(t *testing.T) {
	r := loopReport(t)
	*r = scenarios.Report{Protocol: r.Protocol, Address: r.Address, DiscoveryDigest: digest, SuiteDigest: digest, Started: startedAt}
	encoded, err := reports.MarshalResults(reports.Results(r, reports.Stamp{Version: "v0.0.1"}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reports.ParseResults(encoded); err != nil {
		t.Errorf("an empty report must be readable too: %v", err)
	}
}

func TestJUnit(t *testing.T) {
	var out bytes.Buffer
	if err := reports.JUnit(&out, reports.Results(loopReport(t), stamp)); err != nil {
		t.Fatal(err)
	}
	golden(t, "junit.xml", out.Bytes())

	var back struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
		Suites   []struct {
			Tests int `xml:"tests,attr"`
			Cases []struct {
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Error   *struct{} `xml:"error"`
				Skipped *struct {
					Message string `xml:"message,attr"`
				} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatalf("it cannot be read back: %v", err)
	}
	if back.Tests != 10 || back.Failures != 2 || back.Errors != 1 || back.Skipped != 5 || len(back.Suites) != 2 || back.Suites[0].Tests != 9 {
		t.Errorf("counts are %+v", back)
	}
	for _, c := range back.Suites[0].Cases {
		ends := map[bool]int{c.Failure != nil: 1, c.Error != nil: 2, c.Skipped != nil: 4}[true]
		want := map[string]int{"fails": 1, "broken": 2, "passes": 0, "attested": 0}
		if w, plain := want[c.Name]; plain && ends != w || !plain && ends != 4 {
			t.Errorf("%s ends as %d", c.Name, ends)
		}
		if c.Skipped != nil && c.Skipped.Message == "" {
			t.Errorf("%s is skipped without a reason", c.Name)
		}
	}
	var text struct {
		All string `xml:",innerxml"`
	}
	if err := xml.Unmarshal(out.Bytes(), &text); err != nil {
		t.Fatal(err)
	}
	harmless(t, []byte(text.All))
}

func TestAgain(t *testing.T) {
	s := stamp
	s.Again = func(id scenarios.ScenarioID) string { return "run " + string(id) }
	doc := reports.Results(loopReport(t), s)
	if got := doc.Scenarios[1].Failure.Again; got != "run demo/loop/fails" {
		t.Errorf("again is %q", got)
	}
	raw, err := json.Marshal(doc)
	if err != nil || !bytes.Contains(raw, []byte("run demo/loop/fails")) {
		t.Errorf("the document does not carry it (%v)", err)
	}
}
