package surface

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/refusal"
)

func TestParseModes(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want streamModes // nil: refused
	}{
		{"values", streamModes{"values"}},
		{"updates", streamModes{"updates"}},
		{"updates,messages", streamModes{"updates", "messages"}},
		{"debug, updates ,debug", streamModes{"debug", "updates"}},
		{"values,updates", nil},
		{"updates,values", nil},
		{"", nil},
		{"updates,", nil},
		{"UPDATES", nil},
		{"everything", nil},
	} {
		got, err := parseModes(c.raw)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q gives %v, want %v", c.raw, got, c.want)
		}
		var refused *refusal.Error
		if c.want == nil && (!errors.As(err, &refused) || refused.Code != codeStreamMode || refused.Details["supported"] == nil) {
			t.Errorf("%q is refused with %v, want %s and the supported modes", c.raw, err, codeStreamMode)
		}
	}
}

func TestModesCarry(t *testing.T) {
	for _, c := range []struct {
		modes string
		event string
		want  bool
	}{
		{"updates", "run.started", true},
		{"updates", "runOrchestrator.decided", true},
		{"updates", "node.started", false},
		{"updates", "variable.changed", false},
		{"updates", "log.appended", false},
		{"updates", "lease.renewed", false},
		{"updates", "version.pinned", false},
		{"debug", "node.started", true},
		{"updates,debug", "lease.lost", true},
		{"messages", "run.completed", false},
		{"messages", "ai.message.chunk", true},
		{"updates,messages", "run.completed", true},
		{"values", "run.completed", false},
	} {
		if got := must(parseModes(c.modes)).carry(c.event); got != c.want {
			t.Errorf("mode %s carries %s: %v, want %v", c.modes, c.event, got, c.want)
		}
	}
}

func TestPrefersJSON(t *testing.T) {
	for _, c := range []struct {
		accept string
		want   bool
	}{
		{"", false},
		{"*/*", false},
		{"text/event-stream", false},
		{"application/json", true},
		{"Application/JSON; charset=utf-8", true},
		{"application/json, text/event-stream", false}, // both alike: the stream is what the endpoint is for
		{"application/json, text/event-stream;q=0.5", true},
		{"application/json;q=0.2, text/event-stream;q=0.5", false},
		{"application/json;q=0", false},
		{"application/*, */*;q=0.1", true},
		{"text/html, application/json;q=nonsense", true},
	} {
		if got := prefersJSON(strings.Split(c.accept, "|")); got != c.want {
			t.Errorf("Accept %q prefers JSON: %v, want %v", c.accept, got, c.want)
		}
	}
}

func TestACursorIsASequence(t *testing.T) {
	for raw, want := range map[string]int64{"0": 0, "7": 7, "9223372036854775807": math.MaxInt64} {
		if got, ok := cursor(raw); !ok || got != want {
			t.Errorf("%q gives %d, %v", raw, got, ok)
		}
	}
	for _, raw := range []string{"", "-1", "+1", "1.0", "x", " 1", "9223372036854775808", "0x1"} {
		if got, ok := cursor(raw); ok {
			t.Errorf("%q gives %d, and is none", raw, got)
		}
	}
}

// What a client sends ends in an answer or a refusal, never in a panic or in modes that nothing matches.
func FuzzStreamOptions(f *testing.F) {
	f.Add("updates,debug", "3")
	f.Add("values", "-1")
	f.Fuzz(func(t *testing.T, mode, last string) {
		if modes, err := parseModes(mode); err == nil && (len(modes) == 0 || modes.snapshots() && len(modes) > 1) {
			t.Errorf("%q gives the modes %v", mode, modes)
		}
		if after, ok := cursor(last); ok && itoa(after) != strings.TrimLeft(last, "0") && after != 0 {
			t.Errorf("%q gives the cursor %d", last, after)
		}
	})
}
