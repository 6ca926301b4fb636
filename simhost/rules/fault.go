package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/nearest"
)

// Fault is a named violation. It replaces rules of a set; everything else stays honest.
type Fault struct {
	ID      string
	Title   string   // how it looks from outside
	Breaks  []string // ids of the requirements it violates
	Replace func(*Set)
}

// Adding a fault is adding a row here. Ids are never reused.
var faults = []Fault{
	{
		ID:     "loop.iteration-resets-on-resume",
		Title:  "after a suspension the loop counts its turns from 1 again",
		Breaks: []string{"OWP-0061-D1", "OWP-0061-B2"},
		Replace: func(s *Set) {
			next := s.NextIteration
			s.NextIteration = func(previous int, resumed bool) int {
				if resumed {
					return 1
				}
				return next(previous, resumed)
			}
		},
	},
}

// Faults lists every fault there is, by id.
func Faults() []Fault {
	sorted := slices.Clone(faults)
	slices.SortFunc(sorted, func(a, b Fault) int { return strings.Compare(a.ID, b.ID) })
	return sorted
}

// With is the honest set with these faults, applied in the order given. An id that no fault has is an error that names
// the nearest one.
func With(ids ...string) (Set, error) {
	s := Honest()
	for _, id := range ids {
		i := slices.IndexFunc(faults, func(f Fault) bool { return f.ID == id })
		if i < 0 {
			return Set{}, fmt.Errorf("put in fault %q: there is no such fault%s", id, meant(id))
		}
		faults[i].Replace(&s)
	}
	return s, nil
}

// meant says which fault was probably meant, or which there are.
func meant(id string) string {
	var ids []string
	for _, f := range Faults() {
		ids = append(ids, f.ID)
	}
	if near := nearest.Name(id, ids); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; there are: " + strings.Join(ids, ", ")
}
