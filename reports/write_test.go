package reports_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// tree is every file below a folder with its content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "out")
	if err := write(dir, loopReport(t), stamp); err != nil {
		t.Fatal(err)
	}
	want := []string{"badges/badge-goals-v1.json", "badges/badge-goals-v1.svg", "badges/badge-loop-v5.json",
		"badges/badge-loop-v5.svg", "ctrf.json", "junit.xml", "matrix.md", "report.html", "results.json", "results.sarif",
		"transcripts/demo.loop.json", "transcripts/discovery.json"}
	if got := slices.Sorted(maps.Keys(tree(t, dir))); !slices.Equal(got, want) {
		t.Errorf("files are %q, want %q", got, want)
	}
	doc, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Scenarios) != 9 || doc.ExitCode != 6 {
		t.Errorf("results.json holds %d scenarios and exit code %d", len(doc.Scenarios), doc.ExitCode)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 8 {
		t.Errorf("the folder holds %v: something was left over", entries)
	}
}

// What a reader has to know of a certification stands in each report that people see.
func TestWhatHasToBeKnown(t *testing.T) {
	r := loopReport(t)
	r.ExtraHeaders = []string{"X-Examiner"}
	r.Paced = &scenarios.Paced{Turn: 2 * time.Second, Asked: 10 * time.Second, Patience: 16 * time.Second, MaxPatience: time.Minute}
	r.Load = &wire.Load{Refused: 3, Waited: 4 * time.Second, Rate: 2.5, AtOnce: 2}
	dir := t.TempDir()
	if err := write(dir, r, stamp); err != nil {
		t.Fatal(err)
	}
	files := tree(t, dir)
	for name, words := range map[string][]string{
		"badges/badge-loop-v5.svg": {"<title>assay loop-v5: ", "; every request to the target carried X-Examiner, which"},
		"matrix.md":                {"- target 1: ", "carried X-Examiner, which"},
		"results.json":             {`"turn": 2`, `"patience": 16,`, `"maxPatience": 60`, `"refused": 3,`, `"waited": 4`, `"rate": 2.5,`, `"atOnce": 2`},
		"report.html": {"The target took 0s a reply, 2s a turn: patience grew from 10s to 16s, at most 1m0s.",
			"The target refused 3 requests for load and was obeyed: 4s waited, down to 2.5 requests a second and 2 at once."},
	} {
		for _, w := range words {
			if !strings.Contains(files[name], w) {
				t.Errorf("%s does not say %q", name, w)
			}
		}
	}
	var text strings.Builder
	if err := reports.Text(&text, r, reports.TextOptions{Stamp: stamp}); err != nil {
		t.Fatal(err)
	}
	for _, w := range []string{"\nthe target took 0s a reply, 2s a turn: ", "\nthe target refused 3 requests for load"} {
		if !strings.Contains(text.String(), w) {
			t.Errorf("the text does not say %q", w)
		}
	}
}

// A second run replaces the first whole; what is not Assay's stays.
func TestWriteAgain(t *testing.T) {
	dir := t.TempDir()
	r := loopReport(t)
	r.Drives = append(r.Drives, scenarios.DriveRecord{ID: "demo/gone", Transcript: r.Drives[0].Transcript})
	r.Profiles = append(r.Profiles, scenarios.ProfileStatus{ID: "gone", Status: "certified"},
		scenarios.ProfileStatus{ID: "../" + evil, Status: "certified"})
	if err := write(dir, r, stamp); err != nil {
		t.Fatal(err)
	}
	foreign := map[string]string{
		"notes.md": "mine", "transcripts/notes.json": `{"schema":"mine/1"}`, "transcripts/demo.gone.txt": "mine",
		"transcripts/deep/x.json": "mine",
		"badges/badge-mine.svg":   "<svg/>", "badges/badge-mine.json": "{}", "badges/notes.svg": "mine",
	}
	for name, content := range foreign {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	again := stamp
	again.Version = "v0.0.2"
	if err := write(dir, loopReport(t), again); err != nil {
		t.Fatal(err)
	}
	files := tree(t, dir)
	for name, content := range foreign {
		if files[name] != content {
			t.Errorf("%s is %q: a file that is not Assay's was touched", name, files[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.Contains(name, "gone.json") || strings.HasPrefix(name, "badges/badge-") && !strings.Contains(name, "v1") &&
			!strings.Contains(name, "v5") && !strings.Contains(name, "mine") {
			t.Errorf("%s of an earlier run is still there", name)
		}
	}
	if !strings.Contains(files["results.json"], "v0.0.2") || !strings.Contains(files["junit.xml"], "v0.0.2") {
		t.Error("the second run's results are not in place")
	}
}

// A write that fails leaves what was there before.
func TestWriteFails(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
	}{
		{"a folder stands where the last file belongs", func(t *testing.T, dir string) {
			t.Helper()
			if err := os.Remove(filepath.Join(dir, "results.json")); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, "results.json"), 0o755); err != nil {
				t.Fatal(err)
			}
		}},
		{"a file stands where the transcripts belong", func(t *testing.T, dir string) {
			t.Helper()
			if err := os.RemoveAll(filepath.Join(dir, "transcripts")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "transcripts"), []byte("mine"), 0o644); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := write(dir, loopReport(t), stamp); err != nil {
				t.Fatal(err)
			}
			c.spoil(t, dir)
			before := tree(t, dir)
			again := loopReport(t)
			again.Seed = 8
			again.Drives = append(again.Drives, scenarios.DriveRecord{ID: "demo/new", Transcript: again.Drives[0].Transcript})
			err := write(dir, again, stamp)
			if err == nil {
				t.Fatal("it was written")
			}
			if !strings.HasPrefix(err.Error(), "write the reports: ") || !strings.HasSuffix(err.Error(), "--out") {
				t.Errorf("the error does not say what was done and what would mend it: %v", err)
			}
			if after := tree(t, dir); !maps.Equal(before, after) {
				t.Errorf("the folder changed from %q to %q", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
			}
		})
	}
}

func TestWriteIntoAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(path, loopReport(t), stamp); err == nil {
		t.Fatal("it was written")
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "mine" {
		t.Errorf("the file now holds %q (%v)", content, err)
	}
}

// write leaves a report in a folder, as a command does.
func write(dir string, r *scenarios.Report, stamp reports.Stamp) error {
	return reports.Write(dir, r, reports.Results(r, stamp))
}
