package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	for src, want := range map[string]int{
		"":                                     0,
		"package p":                            2,
		"package p // with a comment\n":        2,
		"package p\nvar x = 1\n":               6,
		"package p\nfunc f() { a(); b() }\n":   15,
		"package p\nfunc f() {\n a()\n b()\n}": 14,
	} {
		if got := tokens([]byte(src)); got != want {
			t.Errorf("%q has %d tokens, not %d", src, want, got)
		}
	}
}

func TestWhatCounts(t *testing.T) {
	dir := t.TempDir()
	for path, src := range map[string]string{
		"a/a.go": "package a\nvar x = \"äää\"\n", "a/a_test.go": "package a", "a/testdata/b.go": "package b",
		"fault/f.go": "package fault", "a/hosttest/h.go": "package hosttest",
	} {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := counts(dir)
	if err != nil {
		t.Fatal(err)
	}
	if c := got[filepath.ToSlash(filepath.Join(dir, "a"))]; len(got) != 1 || c != (count{1, 6, 13}) {
		t.Errorf("%+v", got)
	}
	var table strings.Builder
	if err := run(&table, dir); err != nil || !strings.Contains(table.String(), dir+" in all") {
		t.Errorf("%v: %s", err, table.String())
	}
	if err := run(&table, filepath.Join(dir, "nowhere")); err == nil {
		t.Error("a folder that is not there is counted")
	}
}
