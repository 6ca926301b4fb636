// Package docs_test holds the pages to what they describe. What docs/seams.md says of schemas and fixtures is compared
// with them where they are, in spec/openwop/v1.
package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/simhost/agenticloop/agent"
	"github.com/openassay/assay/simhost/agenticloop/gateway"
	agentvariation "github.com/openassay/assay/simhost/agenticloop/variation"
	intentvariation "github.com/openassay/assay/simhost/openintent/variation"
	"github.com/openassay/assay/simhost/openwop/variation"
)

// A maintainer finds what each suite needs from the host.
func TestSeamsPageHasEverySuite(t *testing.T) {
	page, err := os.ReadFile("seams.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, suite := range openwop.Suites() {
		if !strings.Contains(string(page), "\n| `"+suite.ID+"` |") {
			t.Errorf("seams.md has no row for the suite %s", suite.ID)
		}
	}
}

// A link of a page leads to a file, and the index of the docs to every page.
func TestLinksLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	suites, err := filepath.Glob("suites/README.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#: ]+)(#[^)]*)?\)`)
	for _, page := range append(append(pages, suites...), "../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md") {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(content), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
	index, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if page != "README.md" && !strings.Contains(string(index), "("+page+")") {
			t.Errorf("README.md does not list %s", page)
		}
	}
}

// Whoever reads the page reads what the command says.
func TestVariationsPageHasEveryVariation(t *testing.T) {
	page, err := os.ReadFile("variations.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	row := func(id, title, about string, slips []string) {
		want = append(want, strings.ReplaceAll(fmt.Sprintf("| `%s` | %s | %s | %s |", id, title, about, strings.Join(slips, " ")), "|  |", "| |"))
	}
	for _, v := range variation.List() {
		row(v.ID, v.Title, v.About, v.Slips)
	}
	for _, v := range agentvariation.List() {
		row(v.ID, v.Title, v.About, v.Slips)
	}
	for _, v := range intentvariation.List() {
		row(v.ID, v.Title, v.About, v.Slips)
	}
	var got []string
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| `") {
			got = append(got, strings.TrimRight(line, "\n"))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the rows of variations.md (-the command +the page):\n%s", diff)
	}
}

// Who turns a knob finds what it does.
func TestGatewayPageHasEveryKnob(t *testing.T) {
	page, err := os.ReadFile("gateway.md")
	if err != nil {
		t.Fatal(err)
	}
	for knob, positions := range gateway.Knobs() {
		_, row, found := strings.Cut(string(page), "\n| `--"+knob+"` | `"+positions[0]+"` |")
		if !found {
			t.Errorf("gateway.md has no row for --%s, with %s first", knob, positions[0])
		}
		for _, p := range positions[1:] {
			_, rest, found := strings.Cut(row, "\n| | `"+p+"` |")
			if !found {
				t.Errorf("gateway.md does not say what --%s %s does", knob, p)
			}
			row = rest
		}
	}
	for _, point := range gateway.CrashPoints() {
		if !strings.Contains(string(page), "`"+string(point)) {
			t.Errorf("gateway.md does not say what a crash %s costs", point)
		}
	}
}

// Who sets up the agent finds every setting that its manifest has.
func TestAgentPageHasEverySetting(t *testing.T) {
	page, err := os.ReadFile("agent.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := agent.Export(dir, agent.Profile{}, "assay"); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, agent.ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Keys struct{ Optional []string } `yaml:"config_keys"`
	}
	if err := yaml.Unmarshal(raw, &manifest); err != nil || len(manifest.Keys.Optional) == 0 {
		t.Fatalf("settings %v: %v", manifest.Keys.Optional, err)
	}
	_, settings, _ := strings.Cut(string(page), "## Settings")
	settings, _, _ = strings.Cut(settings, "## ")
	for _, key := range manifest.Keys.Optional {
		if !strings.Contains(settings, "`"+key+"`") {
			t.Errorf("agent.md does not tell of the setting %s", key)
		}
	}
}
