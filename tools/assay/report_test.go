package main

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// scripted is a shell script in an HTML report.
var scripted = regexp.MustCompile(`(?s)aria-label="Shell script"><code>(.*?)</code>`)

// scripts REPORT DIR puts the shell scripts of an HTML report into DIR, as 1.sh, 2.sh and so on.
func scripts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: scripts REPORT DIR")
	}
	found := scripted.FindAllStringSubmatch(ts.ReadFile(args[0]), -1)
	if len(found) == 0 {
		ts.Fatalf("there is no script in %s", args[0])
	}
	dir := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(dir, 0o755))
	for i, script := range found {
		ts.Check(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.sh", i+1)), []byte(html.UnescapeString(script[1])), 0o600))
	}
}
