package memory

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openassay/assay/simhost/eventlog"
)

// TestModel compares the memory with slices, over random sequences of what callers can do and of what can happen to the
// host.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := newHost(t, Options{Secrets: []string{secret}})
		defer h.close()
		m := &model{host: h, entries: map[Scope][]Entry{}, origins: map[Scope]map[string]int{}, ids: map[string]bool{}}
		rt.Repeat(map[string]func(*rapid.T){
			"write":  m.write,
			"crash":  m.crash,
			"read":   m.read,
			"wait":   func(*rapid.T) { h.clock.Advance(time.Second) },
			"reopen": func(*rapid.T) { h.reopen() },
			"":       m.agree,
		})
	})
}

type model struct {
	*host
	entries map[Scope][]Entry
	origins map[Scope]map[string]int // place of what an origin wrote
	ids     map[string]bool
	crashes int
}

var (
	scopes = []Scope{{"t1", "r1", ""}, {"t1", "", ""}, {"t1 r1", "", ""}, {"t1", "r1", "d1"}}
	tags   = []string{"x", "y", "z"}
)

func anyScope(rt *rapid.T) Scope { return rapid.SampledFrom(scopes).Draw(rt, "scope") }

func anyWrite(rt *rapid.T) Write {
	return Write{
		Content: rapid.SampledFrom([]string{"", "one", "<ä\u2028\x00>", "key " + secret}).Draw(rt, "content"),
		Tags:    rapid.SliceOfN(rapid.SampledFrom(tags), 0, 2).Draw(rt, "tags"),
		TTL:     time.Duration(rapid.IntRange(0, 3).Draw(rt, "ttl")) * time.Second,
	}
}

func (m *model) write(rt *rapid.T) {
	w := anyWrite(rt)
	w.Origin = rapid.SampledFrom([]string{"", "", "o1", "o2"}).Draw(rt, "origin")
	m.writeAndCompare(rt, anyScope(rt), w)
}

func (m *model) writeAndCompare(rt *rapid.T, scope Scope, w Write) {
	got, err := m.Write(rt.Context(), scope, w)
	if err != nil {
		rt.Fatal(err)
	}
	if place, ok := m.origins[scope][w.Origin]; ok {
		if want := m.entries[scope][place]; !reflect.DeepEqual(got, want) {
			rt.Fatalf("the same origin again: got %+v, want %+v", got, want)
		}
		return
	}
	want := Entry{
		ID: got.ID, Content: strings.ReplaceAll(w.Content, secret, "[REDACTED:1]"), Tags: append([]string{}, w.Tags...),
		CreatedAt: m.clock.Now().UTC(),
	}
	if w.TTL > 0 {
		want.ExpiresAt = want.CreatedAt.Add(w.TTL)
	}
	if !reflect.DeepEqual(got, want) || got.ID == "" || m.ids[got.ID] {
		rt.Fatalf("wrote %+v, want %+v with an id of its own", got, want)
	}
	m.ids[got.ID] = true
	if w.Origin != "" {
		if m.origins[scope] == nil {
			m.origins[scope] = map[string]int{}
		}
		m.origins[scope][w.Origin] = len(m.entries[scope])
	}
	m.entries[scope] = append(m.entries[scope], want)
}

// crash writes, loses the answer, and does the same again, after a restart or without one.
func (m *model) crash(rt *rapid.T) {
	scope, w := anyScope(rt), anyWrite(rt)
	w.Origin = fmt.Sprintf("crash-%d", m.crashes)
	m.crashes++
	m.log.deaf = eventlog.ErrUnwritable
	_, err := m.Write(rt.Context(), scope, w)
	m.log.deaf = nil
	if !errors.Is(err, eventlog.ErrUnwritable) {
		rt.Fatalf("the answer was lost: got error %v", err)
	}
	if rapid.Bool().Draw(rt, "restart") {
		m.reopen()
	}
	m.writeAndCompare(rt, scope, w)
}

func (m *model) read(rt *rapid.T) {
	scope := anyScope(rt)
	mark := rapid.IntRange(0, len(m.entries[scope])).Draw(rt, "mark")
	tag := rapid.SampledFrom(append([]string{""}, tags...)).Draw(rt, "tag")
	now := m.clock.Now().Add(time.Duration(rapid.IntRange(-5, 5).Draw(rt, "seconds")) * time.Second)
	var want []Entry
	for _, e := range m.entries[scope][:mark] {
		if (tag == "" || slices.Contains(e.Tags, tag)) && (e.ExpiresAt.IsZero() || e.ExpiresAt.After(now)) {
			want = append(want, e)
		}
	}
	got, err := m.Entries(rt.Context(), scope, int64(mark), tag, now)
	if err != nil || !reflect.DeepEqual(got, want) {
		rt.Fatalf("%q below %d with tag %q at %s: got %+v, error %v; want %+v", scope, mark, tag, now, got, err, want)
	}
}

// agree holds after every step.
func (m *model) agree(rt *rapid.T) {
	for _, scope := range scopes {
		if mark, err := m.Mark(rt.Context(), scope); err != nil || mark != int64(len(m.entries[scope])) {
			rt.Fatalf("the mark of %q is %d, error %v; want %d", scope, mark, err, len(m.entries[scope]))
		}
	}
}
