package hostile

import (
	"context"
	"encoding/json"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
)

// written is what one drive wrote down, as it stands on disk.
type written struct {
	Schema      string          `json:"schema"`
	Drive       string          `json:"drive"`
	Seconds     float64         `json:"seconds"`
	Stop        json.RawMessage `json:"stop,omitempty"`
	Observation json.RawMessage `json:"observation,omitempty"`
	Entries     []wire.Entry    `json:"entries"`
}

// Whatever stands at any one place of any one reply, no judge falls over it. The replies are those of an honest host, to
// all that is asked.
func FuzzJudges(f *testing.F) {
	all := honestTranscripts(f)
	asked := map[string][]string{} // scenarios by drive
	for _, suite := range suites.Suites() {
		for _, s := range suite.Scenarios {
			if meta, driven := s.Ask.Drive(); driven && len(all[meta.ID].Entries) > 0 && all[meta.ID].Stop == nil {
				asked[meta.ID] = append(asked[meta.ID], string(s.ID))
			}
		}
	}
	drives := slices.Sorted(maps.Keys(asked))
	for i := range drives {
		f.Add(i, i, 3*i, []string{`null`, `7`, `"x"`, `[]`, `{}`, `[{}]`, `-1`, `1e400`, ``}[i%9])
	}
	f.Fuzz(func(t *testing.T, drive, entry, place int, value string) {
		d := all[drives[index(drive, len(drives))]]
		d.Entries = slices.Clone(d.Entries)
		if !replace(&d.Entries[index(entry, len(d.Entries))], place, value) {
			return
		}
		dir := t.TempDir()
		write(t, dir, all["discovery"])
		write(t, dir, d)
		outcomes, err := scenarios.Rejudge(os.DirFS(dir), scenarios.Quick, scenarios.Selection{Scenarios: asked[d.Drive]}, suites.Suites()...)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			if o.Verdict == scenarios.Broken && strings.Contains(o.Reason, "panicked") {
				t.Errorf("%s: %s", o.Scenario.ID, o.Reason)
			}
		}
	})
}

// index is any number as an index of n.
func index(i, n int) int { return int(uint(i) % uint(n)) }

// honestTranscripts are those of a certification of an honest host, by drive.
func honestTranscripts(f *testing.F) map[string]written {
	f.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = simulated(f, "http://"+server.Listener.Addr().String()).Handler()
	server.Start()
	defer server.Close()
	target := wire.Target{URL: server.URL, Key: key, OtherKey: otherKey, LowScopeKey: lowScopeKey, HostSecret: hostSecret,
		VoterKeys: []string{voterKeyOne, voterKeyTwo}}
	c, err := scenarios.Certify(f.Context(), target, scenarios.Options{Seed: 1}, suites.Suites()...)
	if err != nil {
		f.Fatal(err)
	}
	out := map[string]written{}
	for _, d := range c.Finish(context.Background()).Drives {
		raw, err := scenarios.MarshalTranscript(d)
		if err != nil {
			f.Fatal(err)
		}
		var w written
		if err := json.Unmarshal(raw, &w); err != nil {
			f.Fatal(err)
		}
		if len(raw) < 100<<10 { // a large one takes long, and has little that a small one has not
			out[d.ID] = w
		}
	}
	return out
}

func write(t *testing.T, dir string, w written) {
	raw, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, scenarios.TranscriptName(w.Drive)), raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// replace puts a value at a place of a reply, counted through the document, or in the place of all of it where there is no
// such; "" takes away what stands there. Place 0 is the status.
func replace(e *wire.Entry, place int, value string) bool {
	if e.Response == nil {
		return false
	}
	response := *e.Response
	e.Response = &response
	if place == 0 {
		status, err := strconv.Atoi(value)
		response.Status = status
		*e.Response = response
		return err == nil
	}
	var doc, v any
	if json.Unmarshal([]byte(response.Body), &doc) != nil || value != "" && json.Unmarshal([]byte(value), &v) != nil {
		return false
	}
	left := index(place, count(doc))
	raw, err := json.Marshal(with(doc, &left, v, value == ""))
	if err != nil {
		return false
	}
	e.Response.Body = string(raw)
	return true
}

// count is how many values a document has.
func count(doc any) int {
	n := 1
	switch doc := doc.(type) {
	case map[string]any:
		for _, v := range doc {
			n += count(v)
		}
	case []any:
		for _, v := range doc {
			n += count(v)
		}
	}
	return n
}

// with is a document with another value at a place; left counts down to it.
func with(doc any, left *int, v any, gone bool) any {
	if *left--; *left == -1 {
		return v
	}
	switch doc := doc.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(doc)) {
			if *left == 0 && gone {
				delete(doc, name)
				*left = -1
				return doc
			}
			if doc[name] = with(doc[name], left, v, gone); *left < 0 {
				return doc
			}
		}
	case []any:
		for i := range doc {
			if doc[i] = with(doc[i], left, v, gone); *left < 0 {
				return doc
			}
		}
	}
	return doc
}
