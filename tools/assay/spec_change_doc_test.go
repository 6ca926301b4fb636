package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const specChangePage = "../../docs/spec-change.md"

// The walk-through of docs/spec-change.md is run as it stands, in a copy of the checkout: each command, and what it must print.
// ASSAY_UPDATE=1 writes into the page what they print.
func TestSpecChangeWalkThrough(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command twice")
	}
	t.Parallel()
	for _, tool := range []string{"bash", "git", "sed", "grep"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the walk-through needs %s", tool)
		}
	}
	doc, err := os.ReadFile(specChangePage)
	if err != nil {
		t.Fatal(err)
	}
	steps := consoleSteps(string(doc))
	if len(steps) < 12 {
		t.Fatalf("the page has %d commands", len(steps))
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", scriptOf(steps))
	cmd.Dir = copyOfCheckout(t)
	// What is compiled without its paths is compiled once for all copies.
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath -ldflags=-s -buildvcs=false")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	printed := printedBy(t, steps, string(out))
	if os.Getenv("ASSAY_UPDATE") != "" {
		writeSteps(t, string(doc), printed)
		return
	}
	for i, s := range steps {
		// Where in a file a compile error stands is for today.
		if places.ReplaceAllString(printed[i], ":") != places.ReplaceAllString(s.prints, ":") {
			t.Errorf("%s\nprints\n%s\nthe page says\n%s", s.command, printed[i], s.prints)
		}
	}
}

var places = regexp.MustCompile(`:\d+:\d+:`)

// copyOfCheckout is a repository with the files that git knows, or would take, as they are now.
func copyOfCheckout(t *testing.T) string {
	t.Helper()
	const root = "../.."
	list := exec.CommandContext(t.Context(), "git", "ls-files", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		t.Skipf("list the files of the checkout: %v", err)
	}
	into := readableFolder(t)
	for name := range strings.Lines(string(names)) {
		name = strings.TrimSuffix(name, "\n")
		content, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) { // removed, and not committed
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(into, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=walker", "-c", "user.email=walker@example.test",
		"commit", "-q", "-m", "As it is"}} {
		git := exec.CommandContext(t.Context(), "git", args...)
		git.Dir = into
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	return into
}

// writeSteps writes what the commands print behind them.
func writeSteps(t *testing.T, doc string, printed []string) {
	t.Helper()
	var b strings.Builder
	in, n := false, 0
	for line := range strings.Lines(doc) {
		switch {
		case strings.HasPrefix(line, "```"):
			in = line == "```console\n"
			b.WriteString(line)
		case !in:
			b.WriteString(line)
		case strings.HasPrefix(line, "$ "):
			b.WriteString(line + printed[n])
			n++
		}
	}
	if err := os.WriteFile(specChangePage, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
