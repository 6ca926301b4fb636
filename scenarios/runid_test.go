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

// A name whose first letters are changed, or that has letters before it, is no name of another run, though the two make a word: b before
// room, and the horn of Thorn. A name of another run is found with each first word all the same.
func TestNamesWithOtherLetters(t *testing.T) {
	list, _ := words()
	left := map[string]bool{}
	for _, w := range list {
		left[w] = true
	}
	inWord := 0
	for i := 0; len(left) > 0 && i < 100000; i++ {
		run := strconv.Itoa(i)
		name := nameOf(run, "drive", 0)
		first, _, _ := strings.Cut(name, "-")
		if !left[first] {
			continue
		}
		delete(left, first)
		texts := []string{name, strings.ToUpper(name[:1]) + name[1:], "а" + name[1:], name[1:], strings.ToUpper(name[:2]) + name[2:]}
		for _, w := range list {
			if before, is := strings.CutSuffix(w, first); is && before != "" {
				texts = append(texts, before+name)
			}
		}
		for _, text := range texts {
			record := func() DriveRecord {
				sent := &wire.Request{Body: fmt.Sprintf("{\"tool\": %q}", text)}
				return DriveRecord{ID: "drive", Transcript: &wire.Transcript{Entries: []wire.Entry{{Kind: "http", Request: sent}}}}
			}
			holds := len(spokenIn(text))
			if n, err := record().Names(run); n != holds || err != nil {
				t.Errorf("%s: %d of its %d names, %v", text, n, holds, err)
			}
			if _, err := record().Names(run + " of another"); (err != nil) != (holds > 0) {
				t.Errorf("%s is taken for a name of another run: %v", text, err)
			}
			if text != name && holds > 0 {
				inWord++
			}
		}
	}
	if len(left) > 0 || inWord < 17 {
		t.Errorf("%d words began no name, %d texts made another of one", len(left), inWord)
	}
}
