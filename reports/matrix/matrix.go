// Package matrix lays certifications side by side: targets across, families of requirements down. It writes that as Markdown
// and as a page, and tells what changed between two certifications of one target.
package matrix

import (
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/conformance"
	"github.com/openassay/assay/scenarios"
)

// Certification is one column: a results document and where its report is.
type Certification struct {
	Results results.Results
	Link    string // relative URL of its report, "" where there is none
}

// Matrix is what all formats show.
type Matrix struct {
	AsOf   time.Time // ages count from here
	Tables []Table   // one a protocol
	Told   []*conformance.Bundle
}

// OldAfter is the age after which a certification is marked as old.
const OldAfter = 90 * 24 * time.Hour

// New makes the matrix of certifications, and of bundles of another suite beside them. ledgers has the ledger of each
// protocol, by its id; they say which family a requirement belongs to and what evidence it demands. A requirement that its
// ledger does not know is a family of its own. Ages count from now.
func New(ledgers map[string]*scenarios.Ledger, now time.Time, all []Certification, told ...*conformance.Bundle) *Matrix {
	m := &Matrix{AsOf: now.UTC(), Told: told}
	var protocols []string
	for _, c := range all {
		if p := c.Results.Target.Protocol; !slices.Contains(protocols, p) {
			protocols = append(protocols, p)
		}
	}
	for _, p := range protocols {
		of := slices.DeleteFunc(slices.Clone(all), func(c Certification) bool { return c.Results.Target.Protocol != p })
		ledger := ledgers[p]
		if ledger == nil {
			ledger = scenarios.NewLedger(nil)
		}
		m.Tables = append(m.Tables, newTable(p, ledger, of, m.AsOf))
	}
	return m
}

// Table is one protocol.
type Table struct {
	Protocol string
	Columns  []Column
	Rows     []Row
	Sets     []Set // of questions; with two of them, columns of different sets cannot be compared
}

// Column is one certification.
type Column struct {
	Number        int // from 1
	Name, Version string
	Address       string
	At            time.Time
	Age           Age
	Assay         string // version of the Assay that asked
	Set           string // letter of its set of questions
	Other         bool   // asked other questions than the first column
	Part          bool   // asked a selection
	Link          string
	Seen          []results.Sighting // what it does and does not claim
}

// Set is one set of questions, with the columns that were asked them.
type Set struct {
	Letter  string
	Columns []int
	Assays  []string // versions
	Part    bool     // a selection of the questions there are

	digest string // what it is really known by
}

// Kind of a row.
type Kind string

// Kinds of rows.
const (
	Family  Kind = "family"
	Profile Kind = "profile"
	Totals  Kind = "totals"
)

// Row is a family of requirements, a profile, or how all scenarios ended.
type Row struct {
	Kind  Kind
	Head  string // of a family, its source text and section
	Cells []Cell // one a column

	Section string // Head without the source text
	Begins  string // the source text, where it is another one than that of the row above
}

func newTable(protocol string, ledger *scenarios.Ledger, all []Certification, now time.Time) Table {
	t := Table{Protocol: protocol}
	for i, c := range all {
		t.Columns = append(t.Columns, t.column(i+1, c, now))
	}
	for _, id := range profiles(all) {
		t.Rows = append(t.Rows, row(Profile, id, all, func(c Certification) Cell { return profileCell(id, c.Results) }))
	}
	t.Rows = append(t.Rows, row(Totals, "scenarios", all, func(c Certification) Cell { return Cell{Totals: totals(c.Results.Totals)} }))
	of := families{ledger: ledger, all: all, source: map[string]string{}}
	before := ""
	for _, f := range of.list() {
		r := row(Family, f, all, func(c Certification) Cell { return of.cell(f, c.Results) })
		if source := of.source[f]; source != "" {
			r.Section = strings.TrimSpace(strings.TrimPrefix(f, source))
			if source != before {
				r.Begins, before = source, source
			}
		} else if before != "" {
			r.Begins, before = "not in the ledger of this Assay", ""
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

func row(kind Kind, head string, all []Certification, cell func(Certification) Cell) Row {
	r := Row{Kind: kind, Head: head}
	for _, c := range all {
		r.Cells = append(r.Cells, cell(c))
	}
	return r
}

// column also counts it among those that were asked the same.
func (t *Table) column(number int, c Certification, now time.Time) Column {
	doc := c.Results
	out := Column{
		Number: number, Name: deref(doc.Target.Name), Version: deref(doc.Target.Version), Address: doc.Target.Address,
		At: doc.StartedAt.UTC(), Age: age(doc.StartedAt, now), Assay: doc.Assay.Version, Part: doc.Filter != nil,
		Link: c.Link, Seen: doc.NotClaimed,
	}
	i := slices.IndexFunc(t.Sets, func(s Set) bool { return s.digest == doc.Assay.SuiteDigest })
	if i < 0 {
		i = len(t.Sets)
		t.Sets = append(t.Sets, Set{Letter: letters(i), Part: out.Part, digest: doc.Assay.SuiteDigest})
	}
	s := &t.Sets[i]
	s.Columns = append(s.Columns, number)
	if !slices.Contains(s.Assays, out.Assay) {
		s.Assays = append(s.Assays, out.Assay)
	}
	out.Set, out.Other = s.Letter, i > 0
	return out
}

// letters are A to Z, then AA.
func letters(i int) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if i < len(alphabet) {
		return alphabet[i : i+1]
	}
	return letters(i/len(alphabet)-1) + letters(i%len(alphabet))
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
