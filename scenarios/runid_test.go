package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios/wire"
)

// The names that a text holds are those that a regular expression finds in it, whatever stands around them.
func TestSpokenIn(t *testing.T) {
	form := regexp.MustCompile(`([a-z]{3,5})-([a-z]{3,5})-([a-z]{3,5})-[0-9]{6}`)
	list, known := words()
	parts := append(slices.Clone(list[:9]), "-", "-", "-", "-", "-", "-", "-", "-", "123456", "654321", "1", "a", "xyz", "zzzzzzz", " ", "Ä")
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(parts), rapid.Custom(func(t *rapid.T) string {
			return spoken(rapid.String().Draw(t, "of"))
		})), 0, 20).Draw(t, "pieces")
		text := strings.Join(pieces, rapid.SampledFrom([]string{"", "-"}).Draw(t, "between"))
		var want []string
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			if known[m[1]] && known[m[2]] && known[m[3]] {
				want = append(want, m[0])
			}
		}
		found += len(want)
		if got := spokenIn(text); !slices.Equal(got, want) {
			t.Fatalf("%q holds %q, want %q", text, got, want)
		}
	})
	if found == 0 {
		t.Error("no text held a name")
	}
}

// A letter before a name is no other name, though the two make one word: b before room.
func TestNamesAfterALetter(t *testing.T) {
	list, known := words()
	for i := range 10000 {
		run := strconv.Itoa(i)
		name := nameOf(run, "drive", 0)
		first, _, _ := strings.Cut(name, "-")
		w := slices.IndexFunc(list, func(w string) bool { return len(w) == len(first)+1 && w[1:] == first })
		if w < 0 {
			continue
		}
		letter := list[w][:1]
		if !known[letter+first] {
			t.Fatal(letter + first)
		}
		record := func() DriveRecord {
			sent := &wire.Request{Body: fmt.Sprintf("{\"tool\": %q}", letter+name)}
			return DriveRecord{ID: "drive", Transcript: &wire.Transcript{Entries: []wire.Entry{{Kind: "http", Request: sent}}}}
		}
		if n, err := record().Names(run); n != 1 || err != nil {
			t.Errorf("%s: %d of its names, %v", letter+name, n, err)
		}
		if _, err := record().Names(run + " of another"); err == nil {
			t.Errorf("%s is taken for a name of another run", letter+name)
		}
		return
	}
	t.Error("no name becomes another one")
}
