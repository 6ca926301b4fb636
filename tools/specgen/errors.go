package specgen

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// SpecError is one mistake in a spec folder: its place, the problem, and the mend.
type SpecError struct {
	File    string // path of the file, below Options.Spec as given
	Pointer string // JSON pointer into the file; "" for the whole file
	Line    int    // line from 1; 0 if only the pointer is known
	Problem string // what is wrong
	Mend    string // what to do about it
}

// Error formats the mistake as file#pointer: problem: mend. A mistake with only a line, like a syntax error, reads
// file:line: problem: mend.
func (e *SpecError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		b.WriteString(":" + strconv.Itoa(e.Line))
	}
	if e.Pointer != "" {
		b.WriteString("#" + e.Pointer)
	}
	b.WriteString(": " + e.Problem)
	if e.Mend != "" {
		b.WriteString(": " + e.Mend)
	}
	return b.String()
}

// problems collects mistakes, so that one run reports as many as it can.
type problems struct{ found []*SpecError }

func (p *problems) add(e *SpecError) { p.found = append(p.found, e) }

// take collects the mistakes inside an error, joined or alone, and returns the first error that is not a mistake.
func (p *problems) take(err error) error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			if err := p.take(e); err != nil {
				return err
			}
		}
		return nil
	}
	var mistake *SpecError
	if !errors.As(err, &mistake) {
		return err
	}
	p.add(mistake)
	return nil
}

// err joins the distinct mistakes, sorted by file, line and pointer; nil if there are none.
func (p *problems) err() error {
	var joined []error
	for _, e := range p.distinct() {
		joined = append(joined, e)
	}
	return errors.Join(joined...)
}

// distinct returns the mistakes, each once, sorted by file, line and pointer.
func (p *problems) distinct() []*SpecError {
	found := slices.Clone(p.found)
	slices.SortStableFunc(found, func(a, b *SpecError) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Problem, b.Problem))
	})
	return slices.CompactFunc(found, func(a, b *SpecError) bool { return *a == *b })
}
