package memory

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openassay/assay/simhost/refusal"
)

// person is a run as the model has it: where it comes from, what it has written, and what it can read.
type person struct {
	line   Line
	parent int     // -1: none
	read   []Entry // everything, in order
	ended  bool
}

type family struct {
	*host
	runs []*person
}

// TestLinesModel compares lines with lists of entries: each run has a list of its own, which begins as that of the run it
// comes from as it was at some mark, and goes into the parent's when it is merged.
func TestLinesModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := &family{host: newHost(t, Options{})}
		defer f.close()
		f.runs = []*person{{line: Of(mine), parent: -1}}
		rt.Repeat(map[string]func(*rapid.T){
			"write":  f.write,
			"draft":  f.draft,
			"merge":  f.merge,
			"read":   f.reads,
			"wait":   func(*rapid.T) { f.clock.Advance(time.Second) },
			"reopen": func(*rapid.T) { f.reopen() },
			"":       f.agree,
		})
	})
}

func (f *family) any(rt *rapid.T) int { return rapid.IntRange(0, len(f.runs)-1).Draw(rt, "run") }

func (f *family) write(rt *rapid.T) {
	p := f.runs[f.any(rt)]
	if p.ended {
		return
	}
	e, err := f.Add(rt.Context(), p.line, anyWrite(rt))
	if err != nil {
		rt.Fatal(err)
	}
	p.read = append(p.read, e)
}

func (f *family) draft(rt *rapid.T) {
	parent := f.any(rt)
	p := f.runs[parent]
	mark := rapid.IntRange(0, len(p.read)).Draw(rt, "mark")
	id := "run " + strings.Repeat("i", len(f.runs))
	f.runs = append(f.runs, &person{line: p.line.Draft(id, int64(mark)), parent: parent, read: slices.Clone(p.read[:mark])})
}

// merge merges a run, perhaps twice; what its parent has written meanwhile stands before that.
func (f *family) merge(rt *rapid.T) {
	p := f.runs[f.any(rt)]
	if p.parent < 0 || f.runs[p.parent].ended {
		return
	}
	parent := f.runs[p.parent]
	if err := f.Merge(rt.Context(), parent.line.Own(), p.line.Own()); err != nil {
		rt.Fatal(err)
	}
	if !p.ended {
		parent.read = append(parent.read, p.read[p.line[len(p.line)-1].From:]...)
	}
	p.ended = true
}

func (f *family) reads(rt *rapid.T) {
	p := f.runs[f.any(rt)]
	mark := rapid.IntRange(0, len(p.read)).Draw(rt, "mark")
	now := f.clock.Now()
	var want []Entry
	for _, e := range p.read[:mark] {
		if slices.Contains(e.Tags, "x") && (e.ExpiresAt.IsZero() || now.Before(e.ExpiresAt)) {
			want = append(want, e)
		}
	}
	if got, err := f.Read(rt.Context(), p.line, int64(mark), "x", now); err != nil || !reflect.DeepEqual(got, want) {
		rt.Fatalf("%+v below %d: got %+v, error %v; want %+v", p.line, mark, got, err, want)
	}
}

func (f *family) agree(rt *rapid.T) {
	for _, p := range f.runs {
		if mark, err := f.Reach(rt.Context(), p.line); err != nil || mark != int64(len(p.read)) {
			rt.Fatalf("%+v reaches %d, error %v; want %d", p.line, mark, err, len(p.read))
		}
	}
}

func (h *host) wantOldest(t *testing.T, l Line, want int64) {
	t.Helper()
	if got, err := h.Oldest(t.Context(), l); err != nil || got != want {
		t.Errorf("the oldest mark of %+v is %d, error %v; want %d", l, got, err, want)
	}
}

func TestHowFarBackMarksGo(t *testing.T) {
	h := startHost(t, Options{History: 2})
	line := Of(mine)
	for range 3 {
		h.mustWrite(t, mine, Write{})
	}
	h.wantOldest(t, line, 1)
	draft := line.Draft("d", 3)
	h.wantOldest(t, draft, 1)
	h.mustWrite(t, draft.Own(), Write{})
	h.mustWrite(t, draft.Own(), Write{})
	h.mustWrite(t, draft.Own(), Write{})
	h.wantOldest(t, draft, 4)
	h.mustWrite(t, mine, Write{})
	h.mustWrite(t, mine, Write{})
	h.wantOldest(t, line, 3)
	h.wantOldest(t, draft, 4)
	h.mustWrite(t, mine, Write{})
	h.wantOldest(t, draft, math.MaxInt64) // what it stands over is no longer kept
	all := startHost(t, Options{})
	all.mustWrite(t, mine, Write{})
	all.wantOldest(t, line, 0)
}

// An entry that was merged expires when it would have without.
func TestAMergeMovesNoExpiry(t *testing.T) {
	h := startHost(t, Options{})
	draft := Of(mine).Draft("d", 0).Own()
	brief := h.mustWrite(t, draft, Write{Content: "brief", TTL: time.Minute})
	lasting := h.mustWrite(t, draft, Write{Content: "lasting"})
	h.clock.Advance(time.Minute - 1)
	if err := h.Merge(t.Context(), mine, draft); err != nil {
		t.Fatal(err)
	}
	h.wantEntries(t, mine, brief, lasting)
	h.clock.Advance(1)
	h.wantEntries(t, mine, lasting)
}

// A draft has the room that what stands below it leaves, so that a merge is never refused. It may take several appends.
func TestAFullDraft(t *testing.T) {
	const most = 20 * DefaultMaxEntryBytes
	h := startHost(t, Options{MaxBytes: most})
	write := Write{Content: strings.Repeat("x", DefaultMaxEntryBytes)}
	h.mustWrite(t, mine, write)
	child := Of(mine).Draft("child", 1)
	h.mustWrite(t, child.Own(), write)
	grandchild := child.Draft("grandchild", 2)
	want := []Entry{}
	for {
		e, err := h.Add(t.Context(), grandchild, write)
		if err != nil {
			wantRefusal(t, err, refusal.TooLarge)
			break
		}
		if want = append(want, e); len(want) > 20 {
			t.Fatal("there is room for more than all may hold")
		}
	}
	if len(want) < 15 {
		t.Fatalf("there is room for %d entries only", len(want))
	}
	for range 2 {
		if err := h.Merge(t.Context(), child.Own(), grandchild.Own()); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := h.Read(t.Context(), child, 100, "", h.clock.Now()); err != nil || !reflect.DeepEqual(got[2:], want) {
		t.Errorf("the child has %d entries, error %v; want %d", len(got), err, 2+len(want))
	}
	_, err := h.Add(t.Context(), child, write)
	wantRefusal(t, err, refusal.TooLarge)
}
