// Package matrix compares certifications side by side: targets across, families of requirements down. It writes
// Markdown and a page, and lists the changes between two certifications of one target.
package matrix

import (
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/conformance"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
)

// Certification is the input of one column.
type Certification struct {
	Results results.Results
	Link    string // relative URL of its report, "" if there is none
}

// Matrix is the content of all formats.
type Matrix struct {
	AsOf   time.Time // reference time of the ages
	Tables []Table   // one per protocol
	Told   []*conformance.Bundle
}

// OldAfter is the age after which a certification is marked as old.
const OldAfter = 90 * 24 * time.Hour

// New builds the matrix of certifications, plus the bundles of another suite. ledgers maps protocol ids to ledgers,
// which assign requirements to families and demand their evidence. A requirement unknown to its ledger forms a family
// of its own. Ages count back from now.
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

// Table holds the certifications of one protocol.
type Table struct {
	Protocol string
	Columns  []Column
	Rows     []Row
	Sets     []Set // sets of questions; columns of different sets cannot be compared
}

// Column is one certification.
type Column struct {
	Number        int // from 1
	Name, Version string
	Address       string
	At            time.Time
	Age           Age
	Assay         string // version of the certifying Assay
	Set           string // letter of its set of questions
	Other         bool   // its questions differ from those of the first column
	Part          bool   // only a selection of the questions
	Sensitivity   string // how many passes were shown able to fail, "" if none was challenged
	Reached       string // how far was asked, "" if the results do not say
	First         bool   // of format 1, which shows less
	Link          string
	Seen          []results.Sighting // unclaimed features
	ExtraHeaders  []string           // that whoever ran Assay had added to every request
}

// Set is one set of questions, with the columns that answered them.
type Set struct {
	Letter  string
	Columns []int
	Assays  []string // versions
	Part    bool     // a selection of all questions

	digest string // identifies the set
}

// Kind is the kind of a row.
type Kind string

// Kinds of rows.
const (
	Family  Kind = "family"
	Profile Kind = "profile"
	Totals  Kind = "totals"
)

// Row is a family of requirements, a profile, or the totals of all scenarios.
type Row struct {
	Kind  Kind
	Head  string // for a family, its source text and section
	Cells []Cell // one per column

	Section string // Head without the source text
	Begins  string // source text, unless the row above has the same
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

// column builds a column and adds it to its set of questions.
func (t *Table) column(number int, c Certification, now time.Time) Column {
	doc := c.Results
	out := Column{
		Number: number, Name: deref(doc.Target.Name), Version: deref(doc.Target.Version), Address: doc.Target.Address,
		At: doc.StartedAt.UTC(), Age: age(doc.StartedAt, now), Assay: doc.Assay.Version, Part: doc.Partial != nil,
		Link: c.Link, Seen: doc.NotClaimed, Sensitivity: excerpt.Sensitivity(doc.Sensitivity), Reached: excerpt.Reached(doc),
		ExtraHeaders: doc.Target.ExtraHeaders, First: doc.Schema == results.ResultsSchemaAssayResults1,
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

// letters counts A to Z, then AA.
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
