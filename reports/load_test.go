package reports_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openassay/assay/reports"
)

func TestLoadRefuses(t *testing.T) {
	valid, err := reports.MarshalResults(reports.Results(loopReport(t), stamp))
	if err != nil {
		t.Fatal(err)
	}
	edited := func(edit func(map[string]any)) string {
		var doc map[string]any
		if err := json.Unmarshal(valid, &doc); err != nil {
			t.Fatal(err)
		}
		edit(doc)
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for _, c := range []struct{ name, content, want string }{
		{"not JSON", "<html>", "it is not the JSON that assay certify writes"},
		{"a list", "[]", "it is not the JSON that assay certify writes"},
		{"another document", `{"hello":1}`, `its schema is ""`},
		{"a later version", edited(func(d map[string]any) { d["schema"] = "assay.results/3" }),
			`its schema is "assay.results/3", and this Assay reads "assay.results/1" and "assay.results/2"`},
		{"an unknown verdict", edited(func(d map[string]any) {
			d["scenarios"].([]any)[0].(map[string]any)["verdict"] = "great"
		}), "scenarios[0].verdict"},
		{"a failure of a pass", edited(func(d map[string]any) {
			s := d["scenarios"].([]any)
			s[0].(map[string]any)["failure"] = s[1].(map[string]any)["failure"]
		}), "scenarios[0]"},
		{"a missing part", edited(func(d map[string]any) { delete(d, "totals") }), "totals"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.json")
			if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := reports.Load(path)
			if err == nil {
				t.Fatal("it was read")
			}
			if !strings.HasPrefix(err.Error(), "read results "+path+": ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %q, want %q in it", err, c.want)
			}
		})
	}
}

func TestLoadNothing(t *testing.T) {
	_, err := reports.Load(filepath.Join(t.TempDir(), "none.json"))
	if err == nil || !strings.Contains(err.Error(), "assay certify TARGET --out DIR") {
		t.Errorf("the error is %v: it does not say how to get one", err)
	}
}

// Results of format 1 are still read: their verdicts stand. A part of theirs that was certified is not any more.
func TestFormat1(t *testing.T) {
	for _, c := range []struct {
		file      string
		failed    int64
		scenarios int
		certified int
	}{{"part.json", 0, 27, 0}, {"violated.json", 4, 9, 0}, {"whole.json", 0, 100, 4}} {
		path := filepath.Join("testdata", "format1", c.file)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if c.file == "part.json" && !strings.Contains(string(raw), `"certified"`) {
			t.Error("it never was certified, so the test shows nothing")
		}
		doc, err := reports.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if doc.Violations != nil {
			t.Errorf("%s lists violations, which format 1 does not", c.file)
		}
		if doc.Totals.Failed != c.failed || len(doc.Scenarios) != c.scenarios || len(doc.Profiles) != c.certified ||
			(doc.Partial == nil) != (c.certified > 0) {
			t.Errorf("%s: %d failed of %d, profiles %+v, partial %+v", c.file, doc.Totals.Failed, len(doc.Scenarios), doc.Profiles, doc.Partial)
		}
	}
}
