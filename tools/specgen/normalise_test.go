package specgen

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files instead of comparing them")

// Each pass has a folder in testdata/normalise with what goes in and what comes out of this pass alone.
func TestPasses(t *testing.T) {
	folders := map[string]bool{}
	for _, p := range passes() {
		folders[p.name] = true
		t.Run(p.name, func(t *testing.T) {
			dir := filepath.Join("testdata", "normalise", p.name)
			doc := readTree(t, filepath.Join(dir, "in.json"))
			z := &normaliser{doc: doc, comps: asObject(asObject(doc["components"])["schemas"])}
			if err := p.run(z); err != nil {
				t.Fatal(err)
			}
			goldenFile(t, filepath.Join(dir, "out.json"), mustEncode(t, doc))
		})
	}
	for _, dir := range mustGlob(t, "testdata/normalise/*") {
		if !folders[filepath.Base(dir)] {
			t.Errorf("%s belongs to no pass", dir)
		}
	}
}

// Every pass leaves what is normal already as it is, so that the passes together settle in one go.
func TestPassesSettle(t *testing.T) {
	for _, p := range passes() {
		doc := readTree(t, filepath.Join("testdata", "normalise", p.name, "out.json"))
		z := &normaliser{doc: doc, comps: asObject(asObject(doc["components"])["schemas"])}
		before := mustEncode(t, doc)
		if err := p.run(z); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(before), string(mustEncode(t, doc))); diff != "" {
			t.Errorf("pass %s changes its own output (-before +after):\n%s", p.name, diff)
		}
	}
}

func TestNormaliseLeavesTheBundleAlone(t *testing.T) {
	f, err := load("testdata/parcel")
	if err != nil {
		t.Fatal(err)
	}
	c, err := read(f, true)
	if err != nil {
		t.Fatal(err)
	}
	before := mustEncode(t, c.doc)
	if _, err := normalise(c.bundled); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(before), string(mustEncode(t, c.doc))); diff != "" {
		t.Errorf("the validation copy changed (-before +after):\n%s", diff)
	}
}

func readTree(t *testing.T, file string) object {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	v, err := parse(file, data)
	if err != nil {
		t.Fatal(err)
	}
	return asObject(v)
}

func mustEncode(t *testing.T, v any) []byte {
	t.Helper()
	b, err := encode(v)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b) {
		t.Fatalf("not JSON: %s", b)
	}
	return b
}

func mustGlob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: found nothing (%v)", pattern, err)
	}
	return found
}

func goldenFile(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
