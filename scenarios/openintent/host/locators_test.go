package host

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// documentation is the table of locators in docs/openintent-servers.md.
func documentation() string {
	var b strings.Builder
	for _, l := range Locators {
		places := make([]string, len(l.Places))
		for i, p := range l.Places {
			places[i] = "`" + p.String() + "`"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", l.What, strings.Join(places, ", "))
	}
	return b.String()
}

func TestLocatorsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/openintent-servers.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), documentation()) {
		t.Errorf("docs/openintent-servers.md has another table of places than:\n%s", documentation())
	}
}

func TestLocate(t *testing.T) {
	object := func(v any) documents { return Named("portfolio", wiretest.Value(t, v)) }
	for _, c := range []struct {
		name  string
		l     Locator
		docs  documents
		place string
		want  string
		first bool
	}{
		{"at the first place", PortfolioAggregate,
			object(map[string]any{"aggregate_status": map[string]any{"status": "failed"}, "status": "active"}),
			"portfolio /aggregate_status/status", `"failed"`, true},
		{"the word itself", PortfolioAggregate, object(map[string]any{"aggregate_status": "failed"}),
			"portfolio /aggregate_status", `"failed"`, false},
		{"an object is no word", PortfolioAggregate,
			object(map[string]any{"aggregate_status": map[string]any{"total": 1}, "status": "completed"}), "portfolio /status",
			`"completed"`, false},
		{"nowhere", PortfolioFlag, object(map[string]any{}), "portfolio /has_suspended_members", "absent", true},
		{"no document", PortfolioFlag, documents{}, "portfolio /has_suspended_members", "absent", true},
		{"a list that is none", SuspendedPhases,
			object(map[string]any{"progress": map[string]any{"suspended_phases": "x"}, "suspended_phases": []any{}}),
			"portfolio /suspended_phases", "[]", false},
		{"the second document", SuspendedPhases,
			object(map[string]any{}).And("workflow", wiretest.Value(t, map[string]any{"suspended_phases": []any{1}})),
			"workflow /suspended_phases", "[1]", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Locate(c.l, c.docs)
			if got.Place.String() != c.place || got.JSON() != c.want || got.First != c.first {
				t.Errorf("%s at %s, first %v", got.JSON(), got.Place, got.First)
			}
		})
	}
}

func TestTimes(t *testing.T) {
	for text, want := range map[string]bool{
		"2026-11-22T10:00:00Z": true, "2026-11-22T10:00:00": true, "2026-11-22T10:00:00.190265": true,
		"2026-11-22T11:00:00+01:00": true, "2026-11-22 10:00:00": true,
		"": false, "today": false, "10:00": false, "2026-13-40T10:00:00Z": false,
	} {
		got, ok := ReadTime(text)
		if ok != want || ok && (got.Hour() != 10 || got.Location().String() != "UTC") {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
}

func TestEventsAreSorted(t *testing.T) {
	at := func(id, when string) any { return map[string]any{"id": id, "created_at": when} }
	for name, list := range map[string][]any{
		"newest first, with ties": {at("d", "2026-11-22T10:00:02"), at("c", "2026-11-22T10:00:01"),
			at("b", "2026-11-22T10:00:01"), at("a", "2026-11-22T10:00:00Z")},
		"oldest first, with ties": {at("a", "2026-11-22T10:00:00"), at("b", "2026-11-22T10:00:01"),
			at("c", "2026-11-22T10:00:01"), at("d", "2026-11-22T10:00:02")},
		"in no order": {at("b", "2026-11-22T10:00:01"), at("d", "2026-11-22T10:00:03"),
			at("a", "2026-11-22T10:00:00"), at("c", "2026-11-22T10:00:02")},
	} {
		got := ""
		for _, e := range OldestFirst(wiretest.Value(t, list).Items()) {
			got += e.Key("id").String()
		}
		if got != "abcd" {
			t.Errorf("%s: %s", name, got)
		}
	}
}
