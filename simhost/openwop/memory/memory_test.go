package memory

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/refusal"
)

func TestMain(m *testing.M) {
	testenv.Draws(30)
	goleak.VerifyTestMain(m)
}

const secret = "sk-1234567"

// wire is the event log, of which an answer can be lost.
type wire struct {
	*eventlog.Store
	deaf error // what an append fails with after it was stored
}

func (w *wire) Append(ctx context.Context, log string, after uint64, data []byte) (uint64, error) {
	revision, err := w.Store.Append(ctx, log, after, data)
	if w.deaf != nil {
		return 0, w.deaf
	}
	return revision, err
}

// host is the memory of a host that can be started again.
type host struct {
	*Store
	t     testing.TB
	o     Options
	log   *wire
	clock *clock.Manual
}

func newHost(t testing.TB, o Options) *host {
	t.Helper()
	store, err := eventlog.Open(context.Background(), eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.FixedZone("east", 3600))
	h := &host{t: t, o: o, log: &wire{Store: store}, clock: clock.NewManual(start)}
	h.o.Log, h.o.Clock = h.log, h.clock
	h.reopen()
	return h
}

func (h *host) reopen() {
	store, err := Open(h.o)
	if err != nil {
		h.t.Fatal(err)
	}
	h.Store = store
}

func (h *host) close() {
	if err := h.log.Close(); err != nil {
		h.t.Error(err)
	}
}

// startHost is a host that ends with the test.
func startHost(t *testing.T, o Options) *host {
	t.Helper()
	h := newHost(t, o)
	t.Cleanup(h.close)
	return h
}

func (h *host) mustWrite(t *testing.T, scope Scope, w Write) Entry {
	t.Helper()
	e, err := h.Write(t.Context(), scope, w)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// wantEntries reads all that a scope has now.
func (h *host) wantEntries(t *testing.T, scope Scope, want ...Entry) {
	t.Helper()
	got, err := h.Entries(t.Context(), scope, 1000, "", h.clock.Now())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q has %+v, error %v; want %+v", scope, got, err, want)
	}
}

// tester is what a *testing.T and a *rapid.T have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

func wantRefusal(t tester, err error, code string) *refusal.Error {
	t.Helper()
	e := (*refusal.Error)(nil)
	if !errors.As(err, &e) || e.Code != code || e.Message == "" {
		t.Fatalf("got error %v, want a refusal with %s", err, code)
	}
	return e
}

var mine = Scope{Tenant: "t1", Ref: "r1"}

func TestMarkHidesWhatCameLater(t *testing.T) {
	h := startHost(t, Options{})
	if mark, err := h.Mark(t.Context(), mine); mark != 0 || err != nil {
		t.Errorf("an empty scope has the mark %d, error %v", mark, err)
	}
	h.wantEntries(t, mine)
	one := h.mustWrite(t, mine, Write{Content: "one", Tags: []string{"x"}})
	two := h.mustWrite(t, mine, Write{Content: "two", Tags: []string{"x", "y"}})
	mark, err := h.Mark(t.Context(), mine)
	if mark != 2 || err != nil {
		t.Errorf("after two writes the mark is %d, error %v", mark, err)
	}
	three := h.mustWrite(t, mine, Write{})
	if one.ID == two.ID || three.Tags == nil || !one.CreatedAt.Equal(h.clock.Now()) || !one.ExpiresAt.IsZero() {
		t.Errorf("written were %+v, %+v, %+v", one, two, three)
	}
	for _, test := range []struct {
		mark int64
		tag  string
		want []Entry
	}{
		{-1, "", nil}, {0, "", nil}, {1, "", []Entry{one}}, {mark, "", []Entry{one, two}}, {3, "", []Entry{one, two, three}},
		{99, "", []Entry{one, two, three}},
		{3, "x", []Entry{one, two}}, {3, "y", []Entry{two}}, {1, "y", nil}, {3, "z", nil},
	} {
		got, err := h.Entries(t.Context(), mine, test.mark, test.tag, h.clock.Now())
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("mark %d, tag %q: got %+v, error %v; want %+v", test.mark, test.tag, got, err, test.want)
		}
	}
}

func TestExpiry(t *testing.T) {
	h := startHost(t, Options{})
	e := h.mustWrite(t, mine, Write{Content: "brief", TTL: time.Minute})
	stays := h.mustWrite(t, mine, Write{Content: "stays"})
	if !e.ExpiresAt.Equal(e.CreatedAt.Add(time.Minute)) {
		t.Errorf("it expires at %s, written at %s", e.ExpiresAt, e.CreatedAt)
	}
	h.clock.Advance(time.Minute - 1)
	h.wantEntries(t, mine, e, stays)
	h.clock.Advance(1)
	h.wantEntries(t, mine, stays)
	if mark, err := h.Mark(t.Context(), mine); mark != 2 || err != nil {
		t.Errorf("an expired entry is no longer counted: %d, error %v", mark, err)
	}
	// A reader of an earlier time still has it.
	if got, err := h.Entries(t.Context(), mine, 2, "", e.CreatedAt); err != nil || len(got) != 2 {
		t.Errorf("as of its write: %+v, error %v", got, err)
	}
}

func TestRefusedWrites(t *testing.T) {
	h := startHost(t, Options{MaxEntryBytes: 20, Secrets: []string{secret}})
	for name, test := range map[string]struct {
		write Write
		code  string
		field string
	}{
		"too large":               {Write{Content: strings.Repeat("x", 21)}, "payload_too_large", "content"},
		"too large in bytes":      {Write{Content: strings.Repeat("ä", 11)}, "payload_too_large", "content"},
		"too large when redacted": {Write{Content: secret + " and more"}, "payload_too_large", "content"},
		"not UTF-8":               {Write{Content: "\xff"}, "validation_error", "content"},
		"negative TTL":            {Write{TTL: -1}, "validation_error", "ttl"},
		"too many tags":           {Write{Tags: slices.Repeat([]string{"x"}, 33)}, "validation_error", "tags"},
		"an empty tag":            {Write{Tags: []string{"x", ""}}, "validation_error", "tags"},
		"a long tag":              {Write{Tags: []string{strings.Repeat("x", 129)}}, "validation_error", "tags"},
		"a tag that is not UTF-8": {Write{Tags: []string{"\xff"}}, "validation_error", "tags"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.Write(t.Context(), mine, test.write)
			if e := wantRefusal(t, err, test.code); e.Details["field"] != test.field {
				t.Errorf("the refusal has %v", e.Details)
			}
		})
	}
	h.wantEntries(t, mine)
	h.mustWrite(t, mine, Write{Content: strings.Repeat("x", 20), Tags: slices.Repeat([]string{strings.Repeat("x", 128)}, 32)})
}

// What a scope holds is bounded as a whole, also after a restart, and other scopes are not concerned.
func TestAFullMemory(t *testing.T) {
	h := startHost(t, Options{MaxBytes: 1000})
	write := Write{Content: strings.Repeat("x", 300), Origin: "o"}
	first := h.mustWrite(t, mine, write)
	for n := 1; ; n++ {
		if n > 4 {
			t.Fatal("1000 bytes take more than 1200")
		}
		if _, err := h.Write(t.Context(), mine, Write{Content: write.Content}); err != nil {
			wantRefusal(t, err, refusal.TooLarge)
			break
		}
	}
	h.reopen()
	_, err := h.Write(t.Context(), mine, Write{Content: write.Content})
	wantRefusal(t, err, refusal.TooLarge)
	if again := h.mustWrite(t, mine, write); again.ID != first.ID {
		t.Errorf("a write that is done again made %s of %s", again.ID, first.ID)
	}
	h.mustWrite(t, Scope{Tenant: mine.Tenant, Ref: "another"}, write)
}

func TestSecretsAreNotStored(t *testing.T) {
	h := startHost(t, Options{Secrets: []string{"short", secret}})
	e := h.mustWrite(t, mine, Write{Content: "short, " + secret, Tags: []string{"x", "of-" + secret}})
	if want := "short, [REDACTED:2]"; e.Content != want || !slices.Equal(e.Tags, []string{"x", "of-[REDACTED:2]"}) {
		t.Errorf("stored %+v, want %q", e, want)
	}
	entries, err := h.log.Read(t.Context(), mine.log(), 0)
	if err != nil || len(entries) != 1 {
		t.Fatalf("the log has %d entries, error %v", len(entries), err)
	}
	if data := entries[0].Data; bytes.Contains(data, []byte(secret)) {
		t.Errorf("the log has the secret: %s", data)
	}
}

func TestScopesThatLookAlike(t *testing.T) {
	h := startHost(t, Options{})
	scopes := []Scope{
		{"t1", "r1", ""}, {"t1 r1", "", ""}, {"t1", "", ""}, {"", "t1", ""}, {"t1r1", "", ""}, {"t1\x00r1", "", ""}, {"T1", "r1", ""},
		{"t2", "r1", ""},
		{"t1", "", "r1"}, {"", "t1", "r1"}, {"t1", "r1", "r1"}, {"t1", "r1", "r2"},
	}
	written := map[string]Scope{}
	for _, scope := range scopes {
		h.wantEntries(t, scope)
		e := h.mustWrite(t, scope, Write{Content: "one", Origin: "the same"})
		if other, ok := written[e.ID]; ok {
			t.Errorf("%q and %q both have the id %s", scope, other, e.ID)
		}
		written[e.ID] = scope
		h.wantEntries(t, scope, e)
	}
}

// Writers that come at once all write, each once, and ids stay unique, through whichever store they come.
func TestManyWriters(t *testing.T) {
	h := startHost(t, Options{})
	var stores []*Store
	for range 2 {
		s, err := Open(Options{Log: h.log.Store, Clock: h.clock})
		if err != nil {
			t.Fatal(err)
		}
		stores = append(stores, s)
	}
	var wg sync.WaitGroup
	const writers, each = 8, 10
	for writer := range writers {
		wg.Go(func() {
			for i := range each {
				// Two writers share each origin.
				origin := string(rune('a'+writer/2)) + string(rune('a'+i))
				if e, err := stores[writer%2].Write(t.Context(), mine, Write{Content: origin, Origin: origin}); err != nil || e.Content != origin {
					t.Errorf("%s: got %+v, error %v", origin, e, err)
				}
			}
		})
	}
	wg.Wait()
	got, err := h.Entries(t.Context(), mine, 1000, "", h.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	ids, contents := map[string]bool{}, map[string]bool{}
	for _, e := range got {
		ids[e.ID], contents[e.Content] = true, true
	}
	if want := writers / 2 * each; len(got) != want || len(ids) != want || len(contents) != want {
		t.Errorf("%d entries with %d ids and %d contents, want %d", len(got), len(ids), len(contents), want)
	}
}

func TestADamagedLog(t *testing.T) {
	h := startHost(t, Options{})
	if _, err := h.log.Append(t.Context(), mine.log(), 0, []byte("{")); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Mark(t.Context(), mine); err == nil || !strings.Contains(err.Error(), mine.log()) {
		t.Errorf("got error %v", err)
	}
}

func TestOptions(t *testing.T) {
	h := startHost(t, Options{})
	for name, o := range map[string]Options{
		"no log": {Clock: h.clock}, "no clock": {Log: h.log}, "MaxEntryBytes": {Log: h.log, Clock: h.clock, MaxEntryBytes: -1},
		"History": {Log: h.log, Clock: h.clock, History: -1},
	} {
		if _, err := Open(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	h.mustWrite(t, mine, Write{Content: strings.Repeat("x", DefaultMaxEntryBytes)})
	_, err := h.Write(t.Context(), mine, Write{Content: strings.Repeat("x", DefaultMaxEntryBytes+1)})
	wantRefusal(t, err, "payload_too_large")
}
