// Package conformance reads the certification bundles, versions 1 and 2, that a protocol's own conformance suite writes about a host.
//
// A bundle is somebody else's word. Whoever ran that suite wrote it, nothing in it can be judged again, and its questions
// are not Assay's. It is therefore shown beside our results and never mixed with them.
package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Disposition is how one of their scenarios ended, in our words.
type Disposition string

// What a row of a bundle can say. The order is that of [Dispositions].
const (
	// Failed: executed-fail, or a name in the list failed.
	Failed Disposition = "failed"
	// Blocked: blocked; the host claims it, and it could not be looked at.
	Blocked Disposition = "blocked"
	// Uncounted: said to have passed, without saying that anything was asserted. It is no pass: a scenario that gives up
	// early and a scenario that looked look the same.
	Uncounted Disposition = "uncounted"
	// Skipped: skipped; somebody did not want it asked. In version 1 also what the host does not claim.
	Skipped Disposition = "skipped"
	// Inapplicable: inapplicable; the host does not claim it.
	Inapplicable Disposition = "inapplicable"
	// Passed: executed-pass, and at least one assertion was counted.
	Passed Disposition = "passed"
)

// Dispositions are all of them, the worst first: of several rows about one scenario the first of these counts.
var Dispositions = []Disposition{Failed, Blocked, Uncounted, Skipped, Inapplicable, Passed}

// Bundle is one certification by the other suite. Its texts are as they came: whoever shows them escapes them.
type Bundle struct {
	By               string // the title of the suite
	Version          string // of the format: 1 or 2
	GeneratedAt      time.Time
	Suite            string // package and version
	Host             string
	HostVersion      string
	URL              string // of the discovery document
	ClaimedProfiles  []string
	Rows             []Row // by scenario, each once
	TotalsContradict bool  // its totals are not what its rows add up to
}

// Row is one of their scenarios.
type Row struct {
	Scenario    string
	Disposition Disposition
	Assertions  int64 // how many expectations were looked at; 0 where it does not say
}

// Bounds of what is read.
const (
	// MostBytes is the size of a bundle, its discovery document included.
	MostBytes = 8 << 20
	mostDepth = 64
	mostDigit = 64
)

// Is tells a bundle from other JSON documents: it is an object with a member bundleVersion.
func Is(raw []byte) bool {
	var head map[string]json.RawMessage
	if json.Unmarshal(raw, &head) != nil {
		return false
	}
	_, is := head["bundleVersion"]
	return is
}

// Parse reads a bundle of version 1 or 2 that a suite wrote. It refuses other versions, documents that are too large or
// too deep, and those that the schema of their version does not allow.
func Parse(raw []byte, own *scenarios.OwnSuite) (*Bundle, error) {
	if len(raw) > MostBytes {
		return nil, fmt.Errorf("it is larger than %d MiB, which no bundle is: give the bundle that the suite wrote", MostBytes>>20)
	}
	if _, err := wire.Vet(raw, mostDepth, mostDigit); err != nil {
		return nil, fmt.Errorf("%w: give the bundle that the suite wrote", err)
	}
	var head map[string]json.RawMessage
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("it is no JSON object (%w): give the bundle that the suite wrote", err)
	}
	switch string(bytes.TrimSpace(head["bundleVersion"])) {
	case `"1"`:
		return parse(raw, "ConformanceBundleV1", own, lists)
	case `"2"`:
		return parse(raw, "ConformanceBundleV2", own, func(r object) ([]Row, bool) { return rows(r, own.Prefix) })
	}
	return nil, fmt.Errorf("its bundleVersion is %.40s, and this Assay reads \"1\" and \"2\": have the suite write one of these",
		head["bundleVersion"])
}

func parse(raw []byte, component string, own *scenarios.OwnSuite, rowsOf func(object) ([]Row, bool)) (*Bundle, error) {
	set, err := schemas()
	if err != nil {
		return nil, err
	}
	schema, err := set.Component(component)
	if err != nil {
		return nil, err
	}
	if problems := schema.Validate(raw); len(problems) > 0 {
		words := make([]string, 0, 3)
		for _, p := range problems[:min(len(problems), 3)] {
			words = append(words, p.String())
		}
		return nil, fmt.Errorf("it is not a valid certification bundle: %s: give the bundle as the suite wrote it", strings.Join(words, "; "))
	}
	// Names are taken as they are spelled: encoding/json would also fill a field from another spelling of its name.
	var doc object
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	at, err := time.Parse(time.RFC3339, doc.text("generatedAt"))
	if err != nil {
		return nil, fmt.Errorf("generatedAt: %w: give the bundle as the suite wrote it", err)
	}
	b := &Bundle{
		By:          own.Title,
		Version:     doc.text("bundleVersion"),
		GeneratedAt: at,
		Suite:       strings.TrimSpace(doc.in("suite").text("package") + " " + doc.in("suite").text("version")),
		Host:        doc.in("host").text("name"), HostVersion: doc.in("host").text("version"),
		URL:             doc.in("discovery").text("url"),
		ClaimedProfiles: doc.texts("claimedProfiles"),
	}
	found, agree := rowsOf(doc.in("results"))
	b.Rows, b.TotalsContradict = once(found), !agree
	return b, nil
}

// lists are the rows of version 1: names, and no word of what was asserted.
func lists(r object) (out []Row, agree bool) {
	agree = true
	for member, d := range map[string]Disposition{"passed": Uncounted, "failed": Failed, "skipped": Skipped} {
		names := r.texts(member)
		for _, name := range names {
			out = append(out, Row{Scenario: name, Disposition: d})
		}
		agree = agree && r.in("totals").number(member) == int64(len(names))
	}
	return out, agree
}

// rows are those of version 2, whose requirement ids begin with prefix.
func rows(r object, prefix string) (out []Row, agree bool) {
	n := map[string]int64{}
	for _, each := range r.list("requirements") {
		row := object(each.(map[string]any))
		theirs := row.text("disposition")
		n[theirs]++
		ours := map[string]Disposition{"executed-pass": Passed, "executed-fail": Failed, "inapplicable": Inapplicable,
			"blocked": Blocked, "skipped": Skipped}[theirs]
		count := row.number("assertionCount")
		if ours == Passed && count == 0 {
			ours = Uncounted
		}
		name := strings.TrimPrefix(row.text("requirementId"), prefix)
		if name == "" {
			name = row.text("scenarioId")
		}
		out = append(out, Row{Scenario: name, Disposition: ours, Assertions: count})
	}
	agree = true
	for member, theirs := range map[string]string{
		"executedPass": "executed-pass", "executedFail": "executed-fail", "inapplicable": "inapplicable", "blocked": "blocked",
		"skipped": "skipped",
	} {
		agree = agree && r.in("totals").number(member) == n[theirs]
	}
	return out, agree
}

// once keeps one row a scenario, the worst, in the order of their names.
func once(all []Row) []Row {
	slices.SortStableFunc(all, func(a, b Row) int {
		if c := strings.Compare(a.Scenario, b.Scenario); c != 0 {
			return c
		}
		return slices.Index(Dispositions, a.Disposition) - slices.Index(Dispositions, b.Disposition)
	})
	return slices.CompactFunc(all, func(a, b Row) bool { return a.Scenario == b.Scenario })
}

// Total counts rows by how they ended.
func (b *Bundle) Total(d Disposition) int {
	n := 0
	for _, r := range b.Rows {
		if r.Disposition == d {
			n++
		}
	}
	return n
}

// Find is the row of a scenario.
func (b *Bundle) Find(scenario string) (Row, bool) {
	i, found := slices.BinarySearchFunc(b.Rows, scenario, func(r Row, name string) int { return strings.Compare(r.Scenario, name) })
	if !found {
		return Row{}, false
	}
	return b.Rows[i], true
}

// object is a JSON object that its schema has been looked at with: what is there has its type.
type object map[string]any

func (o object) in(name string) object {
	inner, _ := o[name].(map[string]any)
	return inner
}

func (o object) text(name string) string {
	s, _ := o[name].(string)
	return s
}

func (o object) list(name string) []any {
	l, _ := o[name].([]any)
	return l
}

func (o object) texts(name string) []string {
	var out []string
	for _, v := range o.list(name) {
		s, _ := v.(string)
		out = append(out, s)
	}
	return out
}

// number is a count; one that no int64 holds is as many as an int64 can hold.
func (o object) number(name string) int64 {
	n, is := o[name].(json.Number)
	if !is {
		return 0
	}
	i, err := n.Int64()
	if err == nil {
		return i
	}
	f, err := n.Float64() // the schema takes 3.0 and 3e0 for integers too
	if err != nil || f >= 1<<62 {
		return 1 << 62
	}
	return int64(f)
}

// schemas are compiled when a bundle is first read, not at start.
var schemas = sync.OnceValues(func() (*validate.Set, error) { return validate.Embedded(results.Bundled()) })
