package conformance_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/reports/conformance"
	"github.com/openassay/assay/scenarios/openwop"
)

func parse(raw []byte) (*conformance.Bundle, error) {
	return conformance.Parse(raw, openwop.Protocol.OwnSuite)
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A bundle of version 1 has names only: what it says passed is no pass.
func TestVersion1(t *testing.T) {
	got, err := parse(read(t, "v1.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := &conformance.Bundle{
		By: "OpenWOP's own conformance suite", Version: "1", GeneratedAt: time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC),
		Suite: "@openwop/openwop-conformance 1.98.0", Host: "Harbour <b>One</b>", HostVersion: "3.1.0",
		URL: "https://harbour.example/.well-known/openwop", ClaimedProfiles: []string{"openwop-core", "openwop-stream-sse"},
		Rows: []conformance.Row{
			{Scenario: "discovery", Disposition: conformance.Uncounted},
			{Scenario: "idempotency", Disposition: conformance.Failed},
			{Scenario: "replay-fork-basic", Disposition: conformance.Skipped},
			{Scenario: "runs-lifecycle", Disposition: conformance.Uncounted},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got.Total(conformance.Passed) != 0 || got.Total(conformance.Uncounted) != 2 {
		t.Errorf("%d passed, %d uncounted", got.Total(conformance.Passed), got.Total(conformance.Uncounted))
	}
}

// A row of version 2 without an assertion is no pass either.
func TestVersion2(t *testing.T) {
	got, err := parse(read(t, "v2.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := []conformance.Row{
		{Scenario: "agentloop-resume", Disposition: conformance.Blocked},
		{Scenario: "auth", Disposition: conformance.Uncounted},
		{Scenario: "discovery", Disposition: conformance.Passed, Assertions: 14},
		{Scenario: "idempotency", Disposition: conformance.Failed, Assertions: 1},
		{Scenario: "replay-fork-basic", Disposition: conformance.Inapplicable},
		{Scenario: "runs-lifecycle", Disposition: conformance.Uncounted},
		{Scenario: "webhook-negative", Disposition: conformance.Skipped},
	}
	if diff := cmp.Diff(want, got.Rows); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got.TotalsContradict {
		t.Error("its totals are right")
	}
	if r, found := got.Find("auth"); !found || r.Disposition != conformance.Uncounted {
		t.Errorf("auth is %+v", r)
	}
	if _, found := got.Find("authentication"); found {
		t.Error("there is no such scenario")
	}
}

// edited is an example after one change.
func edited(t testing.TB, name string, edit func(doc map[string]any)) []byte {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(read(t, name), &doc); err != nil {
		t.Fatal(err)
	}
	edit(doc)
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func member(doc map[string]any, name string) map[string]any { return doc[name].(map[string]any) }

func rowOf(doc map[string]any, i int) map[string]any {
	return member(doc, "results")["requirements"].([]any)[i].(map[string]any)
}

// Of several rows about one scenario the worst counts, and totals that are wrong are told.
func TestContradictions(t *testing.T) {
	got, err := parse(edited(t, "v2.json", func(doc map[string]any) {
		rows := member(doc, "results")["requirements"].([]any)
		again := map[string]any{"requirementId": "openwop.scenario.discovery", "scenarioId": "discovery", "disposition": "blocked"}
		member(doc, "results")["requirements"] = append(rows, again)
	}))
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := got.Find("discovery"); r.Disposition != conformance.Blocked || !got.TotalsContradict || len(got.Rows) != 7 {
		t.Errorf("discovery is %s, contradicts %t, %d rows", r.Disposition, got.TotalsContradict, len(got.Rows))
	}
	got, err = parse(edited(t, "v1.json", func(doc map[string]any) {
		member(doc, "results")["failed"] = []any{"idempotency", "discovery"}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := got.Find("discovery"); r.Disposition != conformance.Failed || !got.TotalsContradict {
		t.Errorf("discovery is %s, contradicts %t", r.Disposition, got.TotalsContradict)
	}
}

// Another spelling of a member is another member: version 2 is open, and passes over it.
func TestSpellings(t *testing.T) {
	got, err := parse(edited(t, "v2.json", func(doc map[string]any) {
		doc["HOST"] = map[string]any{"name": "Impostor", "version": "9"}
		rowOf(doc, 1)["AssertionCount"] = 50
		rowOf(doc, 0)["assertionCount"] = json.RawMessage("1e300")
		rowOf(doc, 3)["assertionCount"] = json.RawMessage("3.0")
	}))
	if err != nil {
		t.Fatal(err)
	}
	lifecycle, _ := got.Find("runs-lifecycle")
	discovery, _ := got.Find("discovery")
	idempotency, _ := got.Find("idempotency")
	if got.Host != "Lantern" || lifecycle.Disposition != conformance.Uncounted || discovery.Assertions <= 0 || idempotency.Assertions != 3 {
		t.Errorf("host %s, %+v, %+v, %+v", got.Host, lifecycle, discovery, idempotency)
	}
}

func TestRefusals(t *testing.T) {
	v1, v2 := "v1.json", "v2.json"
	for _, c := range []struct {
		name, want string
		raw        []byte
	}{
		{"not JSON", "no JSON object", []byte("<html>")},
		{"a list", "no JSON object", []byte("[]")},
		{"version 3", `bundleVersion is "3", and this Assay reads "1" and "2"`,
			edited(t, v2, func(d map[string]any) { d["bundleVersion"] = "3" })},
		{"a number for a version", `bundleVersion is 1,`, edited(t, v1, func(d map[string]any) { d["bundleVersion"] = 1 })},
		{"no version", `bundleVersion is ,`, edited(t, v1, func(d map[string]any) { delete(d, "bundleVersion") })},
		{"more in version 1", "extra", edited(t, v1, func(d map[string]any) { d["extra"] = 1 })},
		{"rows in version 1", "requirements", edited(t, v1, func(d map[string]any) { member(d, "results")["requirements"] = []any{} })},
		{"no host", "host", edited(t, v2, func(d map[string]any) { delete(d, "host") })},
		{"an unknown disposition", "results.requirements[0].disposition",
			edited(t, v2, func(d map[string]any) { rowOf(d, 0)["disposition"] = "pass" })},
		{"a negative count", "assertionCount", edited(t, v2, func(d map[string]any) { rowOf(d, 0)["assertionCount"] = -1 })},
		{"a count in words", "assertionCount", edited(t, v2, func(d map[string]any) { rowOf(d, 0)["assertionCount"] = "many" })},
		{"a missing total", "blocked", edited(t, v2, func(d map[string]any) { delete(member(member(d, "results"), "totals"), "blocked") })},
		{"no date", "generatedAt", edited(t, v2, func(d map[string]any) { d["generatedAt"] = "yesterday" })},
		{"a member named twice", "twice", []byte(`{"bundleVersion":"1","bundleVersion":"2"}`)},
		{"too deep", "nested deeper", []byte(`{"bundleVersion":"2","x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`)},
		{"too large", "larger than 8 MiB", edited(t, v2, func(d map[string]any) { d["x"] = strings.Repeat("x", conformance.MostBytes) })},
		{"too many rows", "requirements", edited(t, v2, func(d map[string]any) {
			rows := make([]any, 10001)
			for i := range rows {
				rows[i] = rowOf(d, 0)
			}
			member(d, "results")["requirements"] = rows
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse(c.raw)
			if err == nil {
				t.Fatal("it was read")
			}
			if !strings.Contains(err.Error(), c.want) || len(err.Error()) > 2000 {
				t.Errorf("the error is %q, want %q in it", err, c.want)
			}
		})
	}
}

func TestIs(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"bundleVersion":"9"}`: true, `{"schema":"assay.results/1"}`: false, `{"BundleVersion":"1"}`: false, `[]`: false, `x`: false,
		`null`: false,
	} {
		if conformance.Is([]byte(raw)) != want {
			t.Errorf("Is(%s) is not %t", raw, want)
		}
	}
}

// Whatever a file holds, reading it ends in a bundle that can be shown, or in an error.
func FuzzParse(f *testing.F) {
	f.Add(read(f, "v1.json"))
	f.Add(read(f, "v2.json"))
	f.Add([]byte(`{"bundleVersion":"2","results":{"requirements":[{"assertionCount":1e400}]}}`))
	f.Add([]byte(`{"bundleVersion":"1"`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := parse(raw)
		if err != nil {
			return
		}
		if !conformance.Is(raw) {
			t.Error("it is read, and not told from other documents")
		}
		n := 0
		for _, d := range conformance.Dispositions {
			n += b.Total(d)
		}
		if n != len(b.Rows) {
			t.Errorf("%d rows, %d with a disposition", len(b.Rows), n)
		}
		for i, r := range b.Rows {
			if found, ok := b.Find(r.Scenario); !ok || found != r || i > 0 && b.Rows[i-1].Scenario >= r.Scenario {
				t.Errorf("%q is not found again, or not in order", r.Scenario)
			}
			if r.Disposition == conformance.Passed && r.Assertions <= 0 {
				t.Errorf("%q passes without an assertion", r.Scenario)
			}
		}
	})
}
