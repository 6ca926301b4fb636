package specgen

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openassay/assay/tools/specgen/internal/golang"
)

// tree reads a folder: name -> content, folders ending in a slash.
func tree(t rapid.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			files[name+"/"] = ""
			return nil
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestWriteMakesTheFolder(t *testing.T) {
	into := filepath.Join(t.TempDir(), "not", "there", "yet")
	out := parcel(t, into)
	stale, err := out.Stale()
	if err != nil || len(stale) != len(out.Files) || !strings.HasSuffix(stale[0], ": missing") {
		t.Errorf("before: %v, %v; want every file missing", stale, err)
	}
	if err := out.Write(); err != nil {
		t.Fatal(err)
	}
	if stale, err := out.Stale(); len(stale) > 0 || err != nil {
		t.Errorf("after: %v, %v", stale, err)
	}
	written := tree(t, into)
	for name := range written {
		if _, made := out.Files[name]; !made && !strings.HasSuffix(name, "/") {
			t.Errorf("left behind: %s", name)
		}
	}
}

func TestStaleNamesEachFile(t *testing.T) {
	into := t.TempDir()
	out := parcel(t, into)
	if err := out.Write(); err != nil {
		t.Fatal(err)
	}
	models, err := os.ReadFile(filepath.Join(into, "models.gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(into, "models.gen.go"), string(models)+"// by hand\n")
	writeFile(t, filepath.Join(into, "old.gen.go"), "package parcel\n")
	writeFile(t, filepath.Join(into, "fixtures", "extra.json"), "{}")
	writeFile(t, filepath.Join(into, "written_by_hand.go"), "package parcel\n") // none of ours
	writeFile(t, filepath.Join(into, "sub", "x.gen.go"), "package sub\n")
	if err := os.Remove(filepath.Join(into, "fixtures", "small.json")); err != nil {
		t.Fatal(err)
	}
	want := []string{
		into + "/fixtures/extra.json: not made by the spec",
		into + "/fixtures/small.json: missing",
		into + "/models.gen.go: differs from what the spec gives",
		into + "/old.gen.go: not made by the spec",
	}
	stale, err := out.Stale()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, stale); diff != "" {
		t.Errorf("stale (-want +got):\n%s", diff)
	}
	if err := out.Write(); err != nil {
		t.Fatal(err)
	}
	if stale, err := out.Stale(); len(stale) > 0 || err != nil {
		t.Errorf("after writing: %v, %v", stale, err)
	}
	after := tree(t, into)
	for _, kept := range []string{"written_by_hand.go", "sub/x.gen.go"} {
		if _, ok := after[kept]; !ok {
			t.Errorf("%s was removed", kept)
		}
	}
}

func TestWriteLeavesGoodFilesAlone(t *testing.T) {
	into := t.TempDir()
	out := parcel(t, into)
	if err := out.Write(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(into, "client.gen.go")
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Write(); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Error("a file that was right has been written again")
	}
}

func TestWriteRefusesAFolderOfOthers(t *testing.T) {
	into := t.TempDir()
	writeFile(t, filepath.Join(into, "fixtures", "precious.json"), "{}")
	writeFile(t, filepath.Join(into, "main.go"), "package main\n")
	before := tree(t, into)
	err := parcel(t, into).Write()
	if err == nil || !strings.Contains(err.Error(), "fixtures/precious.json there was not made by assay generate") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, tree(t, into)); diff != "" {
		t.Errorf("the folder changed (-before +after):\n%s", diff)
	}
}

// Whatever file cannot be put in its place, the folder is as it was before.
func TestWriteIsAllOrNothing(t *testing.T) {
	whole := parcel(t, "unused")
	names := sortedKeys(whole.Files)
	rapid.Check(t, func(t *rapid.T) {
		into, err := os.MkdirTemp("", "specgen") //nolint:usetesting // one folder a draw, not a test
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(into)
		put := func(name, text string) {
			file := filepath.Join(into, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		put("older.gen.go", golang.Header+"package parcel\n")
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(t, "there already") {
			put(name, "older "+name)
		}
		// A folder where a file must go stops the writing at that file.
		blocked := filepath.Join(into, rapid.SampledFrom(names).Draw(t, "blocked"))
		if err := os.RemoveAll(blocked); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(blocked, "inside"), 0o755); err != nil {
			t.Fatal(err)
		}
		before := tree(t, into)
		if err := (&Output{Into: into, Files: whole.Files}).Write(); err == nil {
			t.Fatal("no error")
		}
		if diff := cmp.Diff(before, tree(t, into)); diff != "" {
			t.Fatalf("the folder changed (-before +after):\n%s", diff)
		}
	})
}

func TestMistakeLeavesFolderAlone(t *testing.T) {
	into := t.TempDir()
	if err := parcel(t, into).Write(); err != nil {
		t.Fatal(err)
	}
	before := tree(t, into)
	spec := t.TempDir()
	writeFile(t, filepath.Join(spec, "a.schema.json"), `{"$ref": "nowhere.schema.json"}`)
	if _, err := Generate(t.Context(), Options{Spec: spec, Into: into, Package: "parcel"}); err == nil {
		t.Error("no error")
	}
	if diff := cmp.Diff(before, tree(t, into)); diff != "" {
		t.Errorf("the folder changed (-before +after):\n%s", diff)
	}
}

func TestOwnedNames(t *testing.T) {
	for name, want := range map[string]bool{
		"models.gen.go": true, "openapi.bundled.json": true, "fixtures/a.json": true, "fixtures/deep/b.txt": true,
		"doc.go": false, "sub/models.gen.go": false, "fixtures.go": false, "README.md": false,
	} {
		if got := isOwned(name); got != want {
			t.Errorf("isOwned(%s) = %v", name, got)
		}
	}
}
