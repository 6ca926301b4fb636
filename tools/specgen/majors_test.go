package specgen

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// versions writes a protocol of two versions, whose ledgers hold one requirement each.
func versions(t *testing.T, first, second string) string {
	t.Helper()
	dir := t.TempDir()
	for version, id := range map[string]string{"v1": first, "v2": second} {
		writeFile(t, filepath.Join(dir, version, "turn.schema.json"),
			`{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.test/`+version+
				`/turn.schema.json", "type": "object"}`)
		writeFile(t, filepath.Join(dir, version, "requirements.yaml"),
			"sources:\n  RFC-1: {title: One}\nrequirements:\n  - {id: "+id+", level: MUST, source: RFC-1, section: A, text: Turns end.}\n")
	}
	writeFile(t, filepath.Join(dir, "v1", "readings.yaml"),
		"readings:\n  - {id: T-R1, title: Ends, sentences: ["+first+
			"], open: When., accept: Soon., refuse: Never., why: It ends., unused: Nothing asks.}\n")
	return dir
}

// The package without a version has the ids of every version, and that of a version leaves them out.
func TestMajors(t *testing.T) {
	dir := versions(t, "T-A1", "T-B1")
	out, err := Generate(t.Context(), Options{Spec: dir, Into: t.TempDir(), Package: "turns", House: true, Majors: true})
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, file := range out.Files {
		all += string(file)
	}
	for _, part := range []string{`TA1 = "T-A1"`, `TB1 = "T-B1"`, "var RequirementsV1 = ", "var RequirementsV2 = ",
		"var ReadingsV1 = ", "var ReadingsV2 = ", `"T-R1"`} {
		if strings.Count(all, part) != 1 {
			t.Errorf("%q stands %d times, want once:\n%s", part, strings.Count(all, part), all)
		}
	}
	compile(t, out)

	one, err := Generate(t.Context(), Options{Spec: filepath.Join(dir, "v1"), Into: t.TempDir(), Package: "turnsv1", House: true,
		Ledgerless: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"models.gen.go", "schemas.bundled.json", "schemas.gen.go", "support.gen.go"}
	if got := sortedKeys(one.Files); !slices.Equal(got, want) {
		t.Errorf("files of a version: got %v, want %v", got, want)
	}
}

func TestMajorsThatDoNotFit(t *testing.T) {
	for name, c := range map[string]struct{ dir, want string }{
		"an id of both": {versions(t, "T-A1", "T-A1"), "v2: the id T-A1 is taken by v1: choose the next free one"},
		"no version":    {t.TempDir(), "holds no version"},
		"a bad row":     {versions(t, "T-A1", "nonsense"), `"nonsense" is no requirement id`},
	} {
		_, err := Generate(t.Context(), Options{Spec: c.dir, Into: t.TempDir(), Package: "turns", House: true, Majors: true})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
