package ledgertest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const source = `# A text
## Rules
1. A door must close. It squeaks.
- It is  painted red.
## Notes
It squeaks.
`

// A page converted to text has marks behind its headings.
func TestSectionsOfATextPage(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "b.txt"),
		[]byte("1. Why#\nA door must close.\n2. Rules#\nIt is red.\n2.1 More#\nIt is large.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var sections []string
	_, err := Compare(dir, []Row{{"B1", "b.txt", 2, hashOf("A door must close")}}, func(s Sentence) bool {
		sections = append(sections, s.Section+": "+s.Text)
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1. Why: 1", "1. Why: Why#", "2. Rules: 2", "2. Rules: Rules#", "2. Rules: It is red",
		"2. Rules: 2.1 More#", "2. Rules: It is large"}
	if diff := cmp.Diff(want, sections); diff != "" {
		t.Error(diff)
	}
}

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	closes, squeaks, red := hashOf("A door must close"), hashOf("It squeaks"), hashOf("- It is painted red")
	inRules := func(s Sentence) bool { return s.Section == "Rules" && s.Line[0] == '-' }
	for name, c := range map[string]struct {
		rows     []Row
		demanded func(Sentence) bool
		want     []string
	}{
		"all cited": {[]Row{{"A1", "a.txt", 3, closes}}, Normative, nil},
		"nothing cited": {[]Row{{"A1", "a.txt", 4, red}}, Normative,
			[]string{"a.txt:3: no row cites " + closes + ": A door must close…"}},
		"demanded by section": {[]Row{{"A1", "a.txt", 3, closes}}, inRules,
			[]string{"a.txt:4: no row cites " + red + ": - It is painted red…"}},
		"white space": {[]Row{{"A1", "a.txt", 4, red}}, inRules, nil},
		"twice in the text": {[]Row{{"A1", "a.txt", 3, squeaks}, {"A2", "a.txt", 6, squeaks}, {"A3", "a.txt", 3, closes}},
			Normative, nil},
		"on another line": {[]Row{{"A1", "a.txt", 4, closes}}, Normative, []string{"A1 cites line 4, the sentence is on line 3"}},
		"not there": {[]Row{{"A1", "a.txt", 3, closes}, {"A2", "a.txt", 3, "0123456789ab"}}, Normative,
			[]string{"A2 cites 0123456789ab a.txt:3, which is not there"}},
		"without a file": {[]Row{{ID: "A1"}}, Normative, nil},
	} {
		got, err := Compare(dir, c.rows, c.demanded)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if _, err := Compare(dir, []Row{{File: "b.txt"}}, Normative); err == nil {
		t.Error("a source that is not there is passed over")
	}
}
