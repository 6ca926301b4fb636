package variation

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/openwop"
)

func TestVariationsAreWellFormed(t *testing.T) {
	id := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	rows := map[string]bool{}
	for _, r := range openwop.RequirementsV1 {
		rows[r.ID] = true
	}
	seen := map[string]bool{All: true}
	for _, v := range List() {
		if !id.MatchString(v.ID) || seen[v.ID] {
			t.Errorf("variation id %q: words with hyphens between them, once, and not %q", v.ID, All)
		}
		seen[v.ID] = true
		if v.Title == "" || v.About == "" || v.Vary == nil {
			t.Errorf("%s: says too little of itself", v.ID)
		}
		for _, slip := range v.Slips {
			if !rows[slip] {
				t.Errorf("%s: there is no requirement %s", v.ID, slip)
			}
		}
	}
}

func TestWith(t *testing.T) {
	none, err := With()
	if err != nil || none.speaks() {
		t.Errorf("the set without variations is %+v (%v)", none, err)
	}
	host := http.NewServeMux()
	if none.Front(host, nil) != http.Handler(host) {
		t.Error("something stands in front of a host that does not differ")
	}
	all, err := With(All)
	if err != nil || !all.speaks() || all.ChildLag == 0 || len(all.Shapes) != 2 {
		t.Errorf("the set with all variations is %+v (%v)", all, err)
	}
	if each, err := With(Names()...); err != nil || len(each.asks) != len(all.asks) || len(each.replies) != len(all.replies) {
		t.Errorf("all variations by name are not all: %v", err)
	}
	if twice, err := With("poll-both", "poll-both"); err != nil || len(twice.replies) != 1 {
		t.Errorf("a variation that is named twice counts twice (%v)", err)
	}
	for typed, says := range map[string]string{"al": `did you mean "all"?`, "poll-bothh": `did you mean "poll-both"?`,
		"": "there are: run-uuid-ids, "} {
		if _, err := With("poll-both", typed); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", typed, err, says)
		}
	}
}

// In whichever pieces a frame goes out, and whatever stands between them: its own lines arrive as they are.
func TestFramesArriveWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := frame{id: rapid.StringMatching(`[0-9]{1,9}`).Draw(t, "id"), event: rapid.StringMatching(`[a-z.]{1,20}`).Draw(t, "event")}
		f.batch = rapid.Bool().Draw(t, "batch")
		for range rapid.IntRange(1, 4).Draw(t, "documents") {
			f.docs = append(f.docs, object{"text": rapid.String().Draw(t, "text")})
		}
		if !f.batch {
			f.docs = f.docs[:1]
		}
		again, ok := parse(strings.TrimSuffix(f.String(), "\n\n"))
		if !ok || again.String() != f.String() {
			t.Fatalf("read as %q, written as %q", again.String(), f.String())
		}
		set, err := With("sse-comments", "split-frames")
		if err != nil {
			t.Fatal(err)
		}
		block := set.blocks[0](f.String())
		if whole := strings.Join(set.pieces(block), ""); whole != block {
			t.Fatalf("the pieces are %q of %q", whole, block)
		}
		var own []string
		for line := range strings.Lines(block) {
			if !strings.HasPrefix(line, ":") && !strings.HasPrefix(line, "retry:") && line != "\n" {
				own = append(own, line)
			}
		}
		if got := strings.Join(own, "") + "\n"; got != f.String() {
			t.Fatalf("among comments stands %q of %q", got, f.String())
		}
	})
}

// A batch that is cut keeps its events, in order, and each part has the number of its last event.
func TestBatchesAreCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := frame{id: "9", event: frameBatch, batch: true}
		n := rapid.IntRange(1, 9).Draw(t, "events")
		for i := range n {
			f.docs = append(f.docs, object{"sequence": i})
		}
		most := rapid.IntRange(1, 4).Draw(t, "most")
		var got []object
		for _, part := range f.cut(most) {
			if len(part.docs) > most || len(part.docs) == 0 || part.id != encodedSequence(part.docs[len(part.docs)-1]) {
				t.Fatalf("a part of at most %d is %+v", most, part)
			}
			got = append(got, part.docs...)
		}
		if !slices.EqualFunc(got, f.docs, func(a, b object) bool { return a["sequence"] == b["sequence"] }) {
			t.Fatalf("%v was cut into %v", f.docs, got)
		}
	})
}

func encodedSequence(e object) string { return string(encode(e["sequence"])) }
