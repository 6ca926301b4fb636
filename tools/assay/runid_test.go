package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// takeNames notes which drives of a report folder sent names of its run.
func (r *recording) takeNames(dir string) {
	r.Helper()
	doc, err := reports.Load(dir)
	if err != nil {
		r.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, reports.TranscriptsDir, "*.json"))
	if err != nil {
		r.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			r.Fatal(err)
		}
		var t wire.Transcript
		if err := json.Unmarshal(raw, &t); err != nil {
			r.Fatal(err)
		}
		n, err := scenarios.DriveRecord{ID: t.Drive, Transcript: &t}.Names(doc.Run.ID)
		if err != nil {
			r.Error(err)
		}
		r.named[t.Drive] = r.named[t.Drive] || n > 0
	}
}

// nameless returns why drives send no name, by their ids.
func nameless() map[string]string {
	out := map[string]string{}
	for _, suite := range known().Suites {
		for _, s := range suite.Scenarios {
			if d, driven := s.Ask.Drive(); driven && d.Nameless != "" {
				out[d.ID] = d.Nameless
			}
		}
	}
	return out
}

// checkNames holds what drives say of their names to what they sent.
func (r *recording) checkNames() {
	r.Helper()
	why := nameless()
	for _, id := range slices.Sorted(maps.Keys(r.named)) {
		switch sent, reason := r.named[id], why[id]; {
		case sent && reason != "":
			r.Errorf("the drive %s sends names, and says that it does not: %s", id, reason)
		case !sent && reason == "" && id != "discovery" && id != "not-claimed":
			r.Errorf("the drive %s sends no name: have it send Conn.Name or Conn.Label, or say in Nameless why it cannot", id)
		}
	}
	for id := range why {
		if _, ran := r.named[id]; !ran {
			r.Errorf("the drive %s did not run here", id)
		}
	}
}

// docs/verify.md lists the drives that send no name, and why.
func TestNamelessDrivesAreListed(t *testing.T) {
	page, err := os.ReadFile("../../docs/verify.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9/-]+)` \\| (.+) \\|$").FindAllStringSubmatch(string(page), -1) {
		listed[m[1]] = m[2]
	}
	if d := cmp.Diff(nameless(), listed); d != "" {
		t.Errorf("(-drives +docs/verify.md)\n%s", d)
	}
}
