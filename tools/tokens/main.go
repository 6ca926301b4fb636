// Command tokens counts the Go tokens of folders, and the files and the longest line of each package: how much there is to
// read, whatever it looks like. Comments, tests, what only tests use, generated code and catalogues of faults do not count.
//
//	go run ./tools/tokens scenarios simhost
package main

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "tokens: name the folders to count: go run ./tools/tokens scenarios")
		os.Exit(2)
	}
	if err := run(os.Stdout, os.Args[1:]...); err != nil {
		fmt.Fprintln(os.Stderr, "tokens:", err)
		os.Exit(1)
	}
}

// count is what a package or a folder holds.
type count struct{ files, tokens, longest int }

// run writes a row for each package below the folders, and one for each folder.
func run(w io.Writer, folders ...string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "tokens\tfiles\tlongest line\t\t")
	for _, folder := range folders {
		packages, err := counts(folder)
		if err != nil {
			return err
		}
		var all count
		for _, p := range slices.SortedFunc(maps.Keys(packages),
			func(a, b string) int { return cmp.Compare(packages[b].tokens, packages[a].tokens) }) {
			c := packages[p]
			all = count{all.files + c.files, all.tokens + c.tokens, max(all.longest, c.longest)}
			fmt.Fprintf(table, "%d\t%d\t%d\t\t%s\n", c.tokens, c.files, c.longest, p)
		}
		fmt.Fprintf(table, "%d\t%d\t%d\t\t%s in all\n", all.tokens, all.files, all.longest, folder)
	}
	return table.Flush()
}

// counts are those of the packages below a folder, by their path.
func counts(folder string) (map[string]count, error) {
	packages := map[string]count{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !counted(path, d) {
			if err == nil && d.IsDir() && skipped(d.Name()) {
				return fs.SkipDir
			}
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		p := filepath.ToSlash(filepath.Dir(path))
		c := packages[p]
		c.files++
		c.tokens += tokens(src)
		for line := range strings.Lines(string(src)) {
			c.longest = max(c.longest, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
		}
		packages[p] = c
		return nil
	})
	return packages, err
}

// skipped are folders of tests and of catalogues.
func skipped(name string) bool {
	return name == "testdata" || name == "fault" || strings.HasSuffix(name, "test") && name != "test"
}

func counted(path string, d fs.DirEntry) bool {
	return !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, "_gen.go")
}

// tokens counts those of a file. Semicolons that only stand for the end of a line are none.
func tokens(src []byte) (n int) {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", files.Base(), len(src)), src, nil, 0)
	for {
		_, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return n
		case tok != token.SEMICOLON || text == ";":
			n++
		}
	}
}
