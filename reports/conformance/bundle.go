// Package conformance reads the certification bundles, versions 1 and 2, that a protocol's own conformance suite writes
// about a host.
//
// A bundle is hearsay: somebody else ran the suite, nothing in the bundle can be judged again, and the suite's
// questions are not Assay's. Reports therefore show it beside our results and never mix the two.
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

// Disposition is our word for how one of their scenarios ended.
type Disposition string

// Dispositions of a bundle's rows, in the order of [Dispositions].
const (
	// Failed means executed-fail in version 2, or a name in the list failed of version 1.
	Failed Disposition = "failed"
	// Blocked means blocked: the host makes the claim, but the suite could not test it.
	Blocked Disposition = "blocked"
	// Uncounted means a reported pass without a count of assertions. It is no pass: a scenario that gives up early
	// looks the same as one that tests something.
	Uncounted Disposition = "uncounted"
	// Skipped means skipped: somebody excluded the scenario, or in version 1 the host does not make the claim.
	Skipped Disposition = "skipped"
	// Inapplicable means inapplicable: the host does not make the claim.
	Inapplicable Disposition = "inapplicable"
	// Passed means executed-pass with at least one assertion.
	Passed Disposition = "passed"
)

// Dispositions lists all dispositions, the worst first: of several rows about one scenario the first of these counts.
var Dispositions = []Disposition{Failed, Blocked, Uncounted, Skipped, Inapplicable, Passed}

// Bundle is one certification by the other suite. Its texts are unescaped.
type Bundle struct {
	By               string // the title of the suite
	Version          string // of the format: 1 or 2
	GeneratedAt      time.Time
	Suite            string // package and version
	Host             string
	HostVersion      string
	URL              string // discovery document
	ClaimedProfiles  []string
	Rows             []Row // one per scenario
	TotalsContradict bool  // its totals differ from the sums of its rows
}

// Row is one of their scenarios.
type Row struct {
	Scenario    string
	Disposition Disposition
	Assertions  int64 // number of assertions; 0 if not given
}

// Limits on the input.
const (
	// MostBytes bounds the size of a bundle, its discovery document included.
	MostBytes = 8 << 20
	mostDepth = 64
	mostDigit = 64
)

// Is reports whether a JSON document is a bundle: an object with a member bundleVersion.
func Is(raw []byte) bool {
	var head map[string]json.RawMessage
	if json.Unmarshal(raw, &head) != nil {
		return false
	}
	_, is := head["bundleVersion"]
	return is
}

// Parse reads a bundle of version 1 or 2. It refuses input that is too large or too deep, input that the schema
// rejects, and other versions.
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
	// Match names exactly: encoding/json would also fill a struct field from another spelling of its name.
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

// lists returns the rows of version 1, which has names but no counts of assertions.
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

// rows returns the rows of version 2, whose requirement ids begin with prefix.
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

// once keeps the worst row of each scenario, sorted by name.
func once(all []Row) []Row {
	slices.SortStableFunc(all, func(a, b Row) int {
		if c := strings.Compare(a.Scenario, b.Scenario); c != 0 {
			return c
		}
		return slices.Index(Dispositions, a.Disposition) - slices.Index(Dispositions, b.Disposition)
	})
	return slices.CompactFunc(all, func(a, b Row) bool { return a.Scenario == b.Scenario })
}

// Total returns the number of rows with a disposition.
func (b *Bundle) Total(d Disposition) int {
	n := 0
	for _, r := range b.Rows {
		if r.Disposition == d {
			n++
		}
	}
	return n
}

// Find returns the row of a scenario.
func (b *Bundle) Find(scenario string) (Row, bool) {
	i, found := slices.BinarySearchFunc(b.Rows, scenario, func(r Row, name string) int { return strings.Compare(r.Scenario, name) })
	if !found {
		return Row{}, false
	}
	return b.Rows[i], true
}

// object is a JSON object that passed its schema: members that exist have the right type.
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

// number returns a count. It clips counts beyond an int64 to 1<<62.
func (o object) number(name string) int64 {
	n, is := o[name].(json.Number)
	if !is {
		return 0
	}
	i, err := n.Int64()
	if err == nil {
		return i
	}
	f, err := n.Float64() // the schema also accepts 3.0 and 3e0 as integers
	if err != nil || f >= 1<<62 {
		return 1 << 62
	}
	return int64(f)
}

// schemas compiles the schemas when the first bundle is read, not at start.
var schemas = sync.OnceValues(func() (*validate.Set, error) { return validate.Embedded(results.Bundled()) })
