package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workflow is what matters here of one of GitHub Actions.
type workflow struct {
	On   map[string]any
	Jobs map[string]struct {
		Steps []struct{ Name, Uses, Run string }
		Env   map[string]string
	}
}

// fenced are the blocks of a page in this language.
func fenced(t *testing.T, page, language string) []string {
	t.Helper()
	raw, err := os.ReadFile("../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(raw), -1) {
		out = append(out, m[1])
	}
	return out
}

// understood parses a command line as the command would, and runs nothing.
func understood(line string) error {
	line, _, _ = strings.Cut(line, " #")
	words := strings.Fields(strings.ReplaceAll(line, `"`, ""))
	if len(words) == 0 || words[0] != "assay" {
		return nil
	}
	cmd, rest, err := newRoot().Find(words[1:])
	if err != nil {
		return err
	}
	if !cmd.HasParent() {
		return fmt.Errorf("there is no command %s", words[1])
	}
	return cmd.ParseFlags(rest)
}

// What people paste is a workflow, and the command knows what stands in it.
func TestCIPage(t *testing.T) {
	blocks := fenced(t, "ci.md", "yaml")
	if len(blocks) != 1 {
		t.Fatalf("%d workflows", len(blocks))
	}
	var w workflow
	d := yaml.NewDecoder(strings.NewReader(blocks[0]))
	if err := d.Decode(&w); err != nil {
		t.Fatal(err)
	}
	job := w.Jobs["certify"]
	if len(w.On) == 0 || job.Env[keyVariable] == "" {
		t.Errorf("the workflow runs on %v with %v", w.On, job.Env)
	}
	ours := 0
	for _, s := range job.Steps {
		if (s.Uses == "") == (s.Run == "") {
			t.Errorf("step %q has to use an action or to run something", s.Name)
		}
		for line := range strings.Lines(s.Run) {
			if strings.HasPrefix(line, "assay ") {
				ours++
			}
			if err := understood(strings.TrimSpace(line)); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	if ours < 2 {
		t.Errorf("only %d commands of ours", ours)
	}
}

// A page that names a command or a flag that is not there is found out.
func TestUnderstoodFails(t *testing.T) {
	for _, line := range []string{"assay certfy x", "assay certify x --githb"} {
		if understood(line) == nil {
			t.Errorf("%q was understood", line)
		}
	}
}
