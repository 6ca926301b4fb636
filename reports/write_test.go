package reports_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
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
