package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
)

var mine = Owner{Tenant: "t1"}

func TestPaths(t *testing.T) {
	h := startHost(t, Options{})
	for _, path := range []string{"a", "9", "a/b", "notes/2026/a-b_c.md", "a..b", "a/...", "a/.hidden", strings.Repeat("a", 256)} {
		if f := h.mustPut(t, mine, path, path); f.Path != path {
			t.Errorf("%q became %q", path, f.Path)
		}
	}
	for _, path := range []string{
		"", "/a", ".", "..", "../a", ".hidden", "-a", "_a", "a/", "a//b", "a/../b", "a/..", "a/./b", "a/.", "a b", "a\\b", "a:b",
		"a%2Fb", "ä", "a\n", "a\x00", strings.Repeat("a", 257),
	} {
		_, put := h.Put(t.Context(), mine, Put{Path: path})
		_, get := h.Get(t.Context(), mine, path, 0)
		for call, err := range map[string]error{"put": put, "get": get, "delete": h.Delete(t.Context(), mine, path, "")} {
			if e := wantRefusal(t, err, "validation_error"); e.Details["field"] != "path" {
				t.Errorf("%s %q: the refusal has %v", call, path, e.Details)
			}
		}
	}
}

func TestRefusedWrites(t *testing.T) {
	long := strings.Repeat("secret", 4)
	h := startHost(t, Options{MaxFileBytes: 20, MaxFiles: 2, Secrets: []string{secret, long}})
	a := h.mustPut(t, mine, "a", "one")
	h.mustPut(t, mine, "b", "one")
	h.mustPut(t, mine, "b", "two")
	for name, test := range map[string]struct {
		put    Put
		code   string
		detail string
		value  any
	}{
		"too large":                {Put{Path: "a", Content: strings.Repeat("x", 21)}, codeTooLarge, "maxFileBytes", 20},
		"too large in bytes":       {Put{Path: "a", Content: strings.Repeat("ä", 11)}, codeTooLarge, "maxFileBytes", 20},
		"too large when redacted":  {Put{Path: "a", Content: secret + " and more"}, codeTooLarge, "maxFileBytes", 20},
		"too large until redacted": {Put{Path: "a", Content: long}, codeTooLarge, "maxFileBytes", 20},
		"too large before that": {Put{Path: "a", Content: strings.Repeat("x", 21), IfMatch: new("stale")}, codeTooLarge,
			"maxFileBytes", 20},
		"one file too many":           {Put{Path: "c", Content: "one"}, codeTooLarge, "maxFiles", 2},
		"stale":                       {Put{Path: "b", IfMatch: new(`"1-7692c3ad"`)}, codeConflict, "currentVersion", int64(2)},
		"weak":                        {Put{Path: "a", IfMatch: new("W/" + *a.Etag)}, codeConflict, "currentVersion", int64(1)},
		"not quoted":                  {Put{Path: "a", IfMatch: new(strings.Trim(*a.Etag, `"`))}, codeConflict, "currentVersion", int64(1)},
		"empty":                       {Put{Path: "a", IfMatch: new("")}, codeConflict, "currentVersion", int64(1)},
		"any, of no file":             {Put{Path: "c", IfMatch: new("*")}, codeConflict, "currentVersion", int64(0)},
		"an etag, of no file":         {Put{Path: "c", IfMatch: a.Etag}, codeConflict, "currentVersion", int64(0)},
		"not UTF-8":                   {Put{Path: "a", Content: "\xff"}, "validation_error", "field", "content"},
		"a content type of two lines": {Put{Path: "a", ContentType: "text/plain\r\nX: y"}, "validation_error", "field", "contentType"},
		"an endless content type":     {Put{Path: "a", ContentType: strings.Repeat("x", 256)}, "validation_error", "field", "contentType"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.Put(t.Context(), mine, test.put)
			if e := wantRefusal(t, err, test.code); e.Details[test.detail] != test.value {
				t.Errorf("the refusal has %v, want %s %v", e.Details, test.detail, test.value)
			}
		})
	}
	if f, err := h.Get(t.Context(), mine, "a", 0); err != nil || f.Version != 1 || f.Content != "one" {
		t.Errorf("after all that a is %+v, error %v", f, err)
	}
	_, err := h.Get(t.Context(), mine, "a", -1)
	wantRefusal(t, err, "validation_error")
}

func TestWrites(t *testing.T) {
	h := startHost(t, Options{MaxFileBytes: 20})
	first := h.mustPut(t, mine, "a", "step 1")
	if first.Version != 1 || first.Content != "step 1" || *first.ContentType != "text/markdown" || !first.UpdatedAt.Equal(h.clock.Now()) {
		t.Errorf("the first write is %+v, %s", first, *first.ContentType)
	}
	if !regexp.MustCompile(`^"1-[0-9a-f]{8}"$`).MatchString(*first.Etag) {
		t.Errorf("its etag is %s", *first.Etag)
	}
	h.clock.Advance(1234567 * time.Nanosecond)
	second, err := h.Put(t.Context(), mine, Put{Path: "a", Content: "step 1", ContentType: "text/plain", IfMatch: first.Etag})
	if err != nil {
		t.Fatal(err)
	}
	if second.Version != 2 || *second.Etag == *first.Etag || *second.ContentType != "text/plain" {
		t.Errorf("the second write is %+v, %s", second, *second.ContentType)
	}
	if got := second.UpdatedAt.Sub(first.UpdatedAt); got != 1234*time.Microsecond || second.UpdatedAt.Location() != time.UTC {
		t.Errorf("it was updated at %s, %s after the first", second.UpdatedAt, got)
	}
	third, err := h.Put(t.Context(), mine, Put{Path: "a", Content: strings.Repeat("x", 20), IfMatch: new("*")})
	if err != nil || third.Version != 3 {
		t.Errorf("the third write is %+v, error %v", third, err)
	}
	for version, want := range map[int64]openwopv1.WorkspaceFile{0: third, 1: first, 2: second, 3: third} {
		got, err := h.Get(t.Context(), mine, "a", version)
		if err != nil {
			t.Fatal(err)
		}
		wantFile(t, got, want)
	}
	// An empty file is a file.
	if f := h.mustPut(t, mine, "empty", ""); f.Version != 1 || f.Content != "" {
		t.Errorf("an empty file is %+v", f)
	}
}

func TestOldVersions(t *testing.T) {
	h := startHost(t, Options{MaxVersions: 2})
	for i := range 4 {
		h.mustPut(t, mine, "a", fmt.Sprint(i+1))
	}
	wantVersions := func(want ...int64) {
		t.Helper()
		var got []int64
		for version := int64(1); version < 10; version++ {
			f, err := h.Get(t.Context(), mine, "a", version)
			if err != nil {
				wantRefusal(t, err, codeNotFound)
				continue
			}
			if f.Version != version {
				t.Errorf("version %d is %d", version, f.Version)
			}
			got = append(got, version)
		}
		if !slices.Equal(got, want) {
			t.Errorf("versions %v are served, want %v", got, want)
		}
	}
	wantVersions(3, 4)
	if err := h.Delete(t.Context(), mine, "a", ""); err != nil {
		t.Fatal(err)
	}
	wantVersions()
	_, err := h.Get(t.Context(), mine, "a", 0)
	wantRefusal(t, err, codeNotFound)
	wantRefusal(t, h.Delete(t.Context(), mine, "a", ""), codeNotFound)
	if f := h.mustPut(t, mine, "a", "again"); f.Version != 6 {
		t.Errorf("the file is there again with version %d: the delete is version 5", f.Version)
	}
	wantVersions(6)
	for version, want := range map[int64]string{1: "1", 4: "4", 6: "again"} {
		if got, err := h.Content(t.Context(), mine, openwopv1.WorkspaceFileRef{Path: "a", Version: version}); err != nil || got != want {
			t.Errorf("the content of version %d is %q, error %v", version, got, err)
		}
	}
	for _, ref := range []openwopv1.WorkspaceFileRef{{Path: "a"}, {Path: "a", Version: -1}, {Path: "a", Version: 5},
		{Path: "a", Version: 7}, {Path: "b", Version: 1}, {}} {
		_, err := h.Content(t.Context(), mine, ref)
		wantRefusal(t, err, codeNotFound)
	}
}

func TestListAndSnapshot(t *testing.T) {
	h := startHost(t, Options{})
	empty, err := h.Snapshot(t.Context(), mine)
	if err != nil || len(empty) != 0 {
		t.Errorf("the first snapshot is %v, error %v", empty, err)
	}
	for _, path := range []string{"b", "a/z", "a.md", "a/y"} {
		h.mustPut(t, mine, path, "")
	}
	h.mustPut(t, mine, "b", "2")
	for prefix, want := range map[string][]string{"": {"a.md", "a/y", "a/z", "b"}, "a": {"a.md", "a/y", "a/z"}, "a/": {"a/y", "a/z"},
		"b/": {}, "../": {}} {
		files, err := h.List(t.Context(), mine, prefix)
		if err != nil || files == nil {
			t.Fatalf("%q lists %v, error %v", prefix, files, err)
		}
		got := []string{}
		for _, f := range files {
			got = append(got, f.Path)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q lists %v, want %v", prefix, got, want)
		}
	}
	one, err := h.Snapshot(t.Context(), mine)
	if err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(one)
	if want := (openwopv1.WorkspaceFileRef{Path: "b", Version: 2}); len(one) != 4 || one[3] != want {
		t.Errorf("the snapshot is %v", one)
	}
	two, err := h.Snapshot(t.Context(), mine)
	if err != nil || &two[0] != &one[0] {
		t.Errorf("nothing was written, and the snapshot was made anew; error %v", err)
	}
	h.mustPut(t, mine, "b", "3")
	if !slices.Equal(one, before) {
		t.Errorf("a snapshot changed after it was taken: %v", one)
	}
}

func TestSecretsAreNotStored(t *testing.T) {
	h := startHost(t, Options{Secrets: []string{"short", secret, "another-secret"}})
	f, err := h.Put(t.Context(), mine, Put{Path: "a", Content: "short " + secret + " another-secret", ContentType: "x/" + secret,
		IfMatch: nil, Origin: "o"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "short [REDACTED:2] [REDACTED:3]"; f.Content != want || *f.ContentType != "x/[REDACTED:2]" {
		t.Errorf("stored %q as %s, want %q", f.Content, *f.ContentType, want)
	}
	for log, err := range h.log.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		entries, err := h.log.Read(t.Context(), log, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if bytes.Contains(e.Data, []byte(secret)) {
				t.Errorf("log %s has the secret: %s", log, e.Data)
			}
		}
	}
}

func TestOrigins(t *testing.T) {
	h := startHost(t, Options{MaxFiles: 1})
	put := func(owner Owner, p Put) openwopv1.WorkspaceFile {
		t.Helper()
		f, err := h.Put(t.Context(), owner, p)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first := put(mine, Put{Path: "a", Content: "one", Origin: "o1"})
	put(mine, Put{Path: "a", Content: "two", Origin: "o2"})
	h.clock.Advance(time.Second)
	// What was written then stands, whatever would be refused now.
	wantFile(t, put(mine, Put{Path: "a", Content: "one", Origin: "o1", IfMatch: new("stale")}), first)
	wantFile(t, put(mine, Put{Path: "b", Content: "one", Origin: "o1"}), first)
	if err := h.Delete(t.Context(), mine, "a", ""); err != nil {
		t.Fatal(err)
	}
	wantFile(t, put(mine, Put{Path: "a", Content: "one", Origin: "o1"}), first)
	// Another owner's origin is another one, and a refused write has none.
	other := Owner{Tenant: "t2"}
	_, err := h.Put(t.Context(), other, Put{Path: "a", Origin: "o1", IfMatch: new("*")})
	wantRefusal(t, err, codeConflict)
	if f := put(other, Put{Path: "a", Content: "other", Origin: "o1"}); f.Content != "other" || f.Version != 1 {
		t.Errorf("the other owner's write is %+v", f)
	}
}

// Of many writers with the same etag one wins, through whichever files they come; writes without one all count.
func TestManyWriters(t *testing.T) {
	h := startHost(t, Options{MaxVersions: 100})
	store := h.log.Store
	var sets []*Files
	for range 2 {
		files, err := Open(Options{Log: store, Clock: h.clock, MaxVersions: 100})
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, files)
	}
	first := h.mustPut(t, mine, "guarded", "")
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		wins int
	)
	const writers, each = 8, 5
	for writer := range writers {
		wg.Go(func() {
			files := sets[writer%len(sets)]
			_, err := files.Put(t.Context(), mine, Put{Path: "guarded", Content: fmt.Sprint(writer), IfMatch: first.Etag})
			if err == nil {
				mu.Lock()
				wins++
				mu.Unlock()
			}
			for i := range each {
				if _, err := files.Put(t.Context(), mine, Put{Path: "free", Content: fmt.Sprintf("%d-%d", writer, i)}); err != nil {
					t.Error(err)
				}
				if _, err := files.Snapshot(t.Context(), mine); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	h.reopen()
	if wins != 1 {
		t.Errorf("%d writers won with the same etag", wins)
	}
	contents := map[string]bool{}
	for version := int64(1); version <= writers*each; version++ {
		f, err := h.Get(t.Context(), mine, "free", version)
		if err != nil {
			t.Fatal(err)
		}
		contents[f.Content] = true
	}
	if len(contents) != writers*each {
		t.Errorf("%d writes are there, want %d", len(contents), writers*each)
	}
}

func TestOwnersThatLookAlike(t *testing.T) {
	h := startHost(t, Options{})
	owners := []Owner{{"t1", "w1"}, {"t1 w1", ""}, {"t1", ""}, {"", "t1"}, {"t1w1", ""}, {"t1/w1", ""}, {"t1\x00w1", ""}, {"T1", "w1"}}
	for i, owner := range owners {
		if files, err := h.List(t.Context(), owner, ""); err != nil || len(files) != 0 {
			t.Errorf("%q already has %v, error %v", owner, files, err)
		}
		h.mustPut(t, owner, "a", fmt.Sprint(i))
	}
	for i, owner := range owners {
		if f, err := h.Get(t.Context(), owner, "a", 0); err != nil || f.Version != 1 || f.Content != fmt.Sprint(i) {
			t.Errorf("%q has %+v, error %v", owner, f, err)
		}
	}
}

func TestADamagedLog(t *testing.T) {
	h := startHost(t, Options{})
	for name, data := range map[string]string{"no JSON": "{", "a version too far": `{"path":"a","version":2,"etag":"x"}`} {
		owner := Owner{Tenant: name}
		if _, err := h.log.Append(t.Context(), LogName(owner), 0, []byte(data)); err != nil {
			t.Fatal(err)
		}
		_, err := h.List(t.Context(), owner, "")
		if err == nil || !strings.Contains(err.Error(), LogName(owner)) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

func TestAFaultOfTheLogIsNoRefusal(t *testing.T) {
	h := newHost(t, Options{})
	h.mustPut(t, mine, "a", "one")
	h.close()
	_, put := h.Put(t.Context(), mine, Put{Path: "a"})
	_, get := h.Get(t.Context(), mine, "a", 0)
	_, list := h.List(t.Context(), Owner{Tenant: "t2"}, "")
	for _, err := range []error{put, get, list, h.Delete(t.Context(), mine, "a", "")} {
		if !errors.Is(err, eventlog.ErrClosed) {
			t.Errorf("got error %v", err)
		}
	}
}

func TestOptions(t *testing.T) {
	h := startHost(t, Options{})
	for name, o := range map[string]Options{
		"no log": {Clock: clock.Real()}, "no clock": {Log: h.log},
		"MaxFiles": {Log: h.log, Clock: clock.Real(), MaxFiles: -1}, "MaxFileBytes": {Log: h.log, Clock: clock.Real(), MaxFileBytes: -1},
		"MaxVersions": {Log: h.log, Clock: clock.Real(), MaxVersions: -1},
	} {
		if _, err := Open(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	h.mustPut(t, mine, "a", strings.Repeat("x", 65536))
	_, err := h.Put(t.Context(), mine, Put{Path: "a", Content: strings.Repeat("x", 65537)})
	wantRefusal(t, err, codeTooLarge)
	for i := range 63 {
		h.mustPut(t, mine, fmt.Sprintf("f%d", i), "")
	}
	_, err = h.Put(t.Context(), mine, Put{Path: "one-more"})
	wantRefusal(t, err, codeTooLarge)
	for range 10 {
		h.mustPut(t, mine, "a", "")
	}
	_, err = h.Get(t.Context(), mine, "a", 1)
	wantRefusal(t, err, codeNotFound)
	if _, err := h.Get(t.Context(), mine, "a", 2); err != nil {
		t.Error(err)
	}
}
