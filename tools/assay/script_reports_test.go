package main

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/validate"
)

// eventful FILE... wants events in each file, one a line, the last of them finished.
func eventful(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: eventful FILE...")
	}
	set, err := validate.New(results.Bundled())
	ts.Check(err)
	schema, err := set.Component("Event")
	ts.Check(err)
	for _, name := range args {
		last := ""
		for line := range strings.Lines(ts.ReadFile(name)) {
			if problems := schema.Validate([]byte(line)); len(problems) > 0 {
				ts.Fatalf("%s: %s is no event: %v", name, line, problems)
			}
			last = line
		}
		if !strings.Contains(last, `"event":"finished"`) || !strings.HasSuffix(last, "\n") {
			ts.Fatalf("%s ends with %q", name, last)
		}
	}
}

// commandless FILE... fails on a line that a runner of GitHub Actions takes for a command, but for the errors of
// certify --github.
func commandless(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: commandless FILE...")
	}
	for _, name := range args {
		for line := range strings.Lines(ts.ReadFile(name)) {
			if strings.Contains(line, "##[") || strings.HasPrefix(strings.TrimSpace(line), "::") && !strings.HasPrefix(line,
				"::error title=Assay%3A ") {
				ts.Fatalf("%s holds the command %q", name, line)
			}
		}
	}
}
