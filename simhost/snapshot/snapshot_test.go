package snapshot

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openassay/assay/simhost/eventlog"
)

func store(t testing.TB, dir string) *eventlog.Store {
	t.Helper()
	s, err := eventlog.Open(t.Context(), eventlog.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// filled is a store with two logs of which one is pending, a secret one, and data that is no text.
func filled(t testing.TB) *eventlog.Store {
	t.Helper()
	s := store(t, "")
	last := map[string]uint64{}
	if err := s.MarkPending(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct{ log, data string }{
		{"a", `{"n":1}`}, {"keys", "s3cret"}, {"b", "\xff\x00"}, {"a", "the key is password1, <&> \u2028"},
	} {
		revision, err := s.Append(t.Context(), e.log, last[e.log], []byte(e.data))
		if err != nil {
			t.Fatal(err)
		}
		last[e.log] = revision
	}
	return s
}

var leftOut = Secrets{Logs: []string{"keys"}, Texts: []*regexp.Regexp{regexp.MustCompile(`tok-\d+`)}, Values: []string{"password1"}}

func saved(t testing.TB, s *eventlog.Store, o Options) []byte {
	t.Helper()
	taken, err := Take(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := taken.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// contents are all entries of a store, log by log, with their revisions.
func contents(t testing.TB, s *eventlog.Store) map[string][]eventlog.Entry {
	t.Helper()
	all := map[string][]eventlog.Entry{}
	for log, err := range s.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if all[log], err = s.Read(t.Context(), log, 0); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestASnapshotIsLoadedAsItWas(t *testing.T) {
	raw := saved(t, filled(t), Options{Release: "1.2", Start: []string{"--key=password1"}, Secrets: leftOut})
	to := store(t, "")
	h, err := Load(t.Context(), bytes.NewReader(raw), to)
	if err != nil || h.Release != "1.2" || !slices.Equal(h.Start, []string{"--key=<secret:1>"}) || h.Last != 4 {
		t.Fatalf("%+v %v", h, err)
	}
	want := map[string][]eventlog.Entry{
		"a": {{Revision: 1, Data: []byte(`{"n":1}`)}, {Revision: 4, Data: []byte("the key is <secret:1>, <&> \u2028")}},
		"b": {{Revision: 3, Data: []byte("\xff\x00")}},
		gap: {{Revision: 2, Data: []byte("{}")}},
	}
	if diff := cmp.Diff(want, contents(t, to)); diff != "" {
		t.Error(diff)
	}
	if pending, err := to.Pending(t.Context()); err != nil || !slices.Equal(pending, []string{"b"}) {
		t.Errorf("pending are %q, %v", pending, err)
	}
}

// Whatever is in a store comes back the same, with its revisions, also where more is appended while it is written.
func TestAnyStoreComesBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		from, to := store(t, ""), store(t, "")
		last := map[string]uint64{}
		add := func() {
			log := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "log")
			revision, err := from.Append(t.Context(), log, last[log], rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(rt, "data"))
			if err != nil {
				rt.Fatal(err)
			}
			last[log] = revision
		}
		for range rapid.IntRange(0, 12).Draw(rt, "appends") {
			add()
		}
		want := contents(t, from)
		taken, err := Take(t.Context(), from, Options{})
		if err != nil {
			rt.Fatal(err)
		}
		for range rapid.IntRange(0, 3).Draw(rt, "later") {
			add()
		}
		var b bytes.Buffer
		if err := taken.Write(t.Context(), &b); err != nil {
			rt.Fatal(err)
		}
		if _, err := Load(t.Context(), &b, to); err != nil {
			rt.Fatal(err)
		}
		got := contents(t, to)
		for _, entries := range got {
			for i := range entries {
				if len(entries[i].Data) == 0 {
					entries[i].Data = nil
				}
			}
		}
		for _, entries := range want {
			for i := range entries {
				if len(entries[i].Data) == 0 {
					entries[i].Data = nil
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// unpacked returns what a gzip file holds, as far as it can be read.
func unpacked(raw []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return content
}

// A file of which any byte was changed, or which ends anywhere else, is told from a whole one.
func TestDamage(t *testing.T) {
	raw := saved(t, filled(t), Options{Secrets: leftOut})
	for at := range raw {
		// Bytes 4 to 9 of gzip say when and where it was written: nothing that the snapshot goes by.
		if at >= 4 && at <= 9 {
			continue
		}
		broken := slices.Clone(raw)
		broken[at] ^= 0x10
		if _, err := Check(bytes.NewReader(broken)); err == nil {
			if bytes.Equal(unpacked(broken), unpacked(raw)) {
				continue // a bit that fills up a byte between two blocks of deflate
			}
			t.Errorf("byte %d of %d was changed, and nobody noticed", at, len(raw))
		} else if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
			t.Errorf("byte %d: %v", at, err)
		}
		if _, err := Check(bytes.NewReader(raw[:at])); err == nil {
			t.Errorf("only %d bytes of %d, and nobody noticed", at, len(raw))
		}
	}
	text := unzipped(t, raw)
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	for name, changed := range map[string]string{
		"a line less":      strings.Join(slices.Delete(slices.Clone(lines), 2, 3), ""),
		"lines swapped":    strings.Join([]string{lines[0], lines[2], lines[1], lines[3], lines[4], lines[5]}, ""),
		"a word changed":   strings.Replace(text, `\"n\":1`, `\"n\":2`, 1),
		"something behind": text + "{}\n",
		"no end":           strings.Join(lines[:5], ""),
		"nothing":          "",
		"another thing":    "{\"format\":\"else\"}\n",
		"a later version":  strings.Replace(text, "snapshot/1", "snapshot/2", 1),
		"a word more":      strings.Replace(text, `"log":"a"`, `"log":"a","more":1`, 1),
	} {
		if changed == text {
			t.Fatalf("%s: nothing was changed", name)
		}
		var b bytes.Buffer
		zip := gzip.NewWriter(&b)
		if _, err := io.WriteString(zip, changed); err != nil || zip.Close() != nil {
			t.Fatal(err)
		}
		if _, err := Check(&b); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func unzipped(t *testing.T, raw []byte) string {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSecretsAreLeftOut(t *testing.T) {
	h := newHider(Secrets{Values: []string{"long-secret/1", "abc", "long-secret/1", ""}, Texts: leftOut.Texts})
	for text, want := range map[string]string{
		`"x long-secret/1y"`:   `"x <secret:1>y"`,
		`"long-secret%2F1"`:    `"<secret:1>"`,
		`{"k":"abc"}`:          `{"k":"<secret:2>"}`,
		`abcd xabc abc-d`:      `abcd xabc abc-d`,
		`abc abc,abcabc (abc)`: `<secret:2> <secret:2>,abcabc (<secret:2>)`,
		`a tok-123 b`:          `a <secret> b`,
		"abc":                  "<secret:2>",
	} {
		if got := string(h.clean([]byte(text))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "one.snapshot")
	raw := saved(t, filled(t), Options{})
	write := func(w io.Writer) error { _, err := w.Write(raw); return err }
	if _, err := SaveFile(file, write); err != nil {
		t.Fatal(err)
	}
	if _, err := SaveFile(file, write); !errors.Is(err, os.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	cut := filepath.Join(dir, "cut.snapshot")
	if _, err := SaveFile(cut, func(w io.Writer) error { _, err := w.Write(raw[:len(raw)/2]); return err }); !errors.Is(err, ErrDamaged) {
		t.Errorf("half of one: %v", err)
	}
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil { // empty, so it may be there
		t.Fatal(err)
	}
	if _, err := LoadFile(t.Context(), file, data); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, store(t, data)); len(got["a"]) != 2 {
		t.Errorf("loaded %v", got)
	}
	if _, err := LoadFile(t.Context(), file, data); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a folder that is in use: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LoadFile(gone, file, filepath.Join(dir, "never")); err == nil {
		t.Error("loaded although nobody waits")
	}
	names, err := os.ReadDir(dir)
	if err != nil || fmt.Sprint(names) != fmt.Sprint(must(os.ReadDir(dir))) || len(names) != 2 {
		t.Errorf("left behind are %v, %v", names, err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func FuzzCheck(f *testing.F) {
	f.Add(saved(f, filled(f), Options{}))
	f.Add([]byte("no snapshot"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := Check(bytes.NewReader(raw)); err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
			t.Errorf("neither damaged nor foreign: %v", err)
		}
	})
}
