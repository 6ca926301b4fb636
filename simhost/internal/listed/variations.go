package listed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/nearest"
)

// All names every variation of a catalogue at once.
const All = "all"

// Chosen are the rows of a catalogue of variations with these ids, or with [All] each, in the catalogue's order. The error of an
// id that no row has is [NoVariation].
func Chosen[T any](id func(T) string, rows []T, ids []string) ([]T, error) {
	known := append(IDs(id, rows), All)
	for _, name := range ids {
		if !slices.Contains(known, name) {
			return nil, NoVariation(name, "", known)
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r T) bool { return !slices.Contains(ids, id(r)) && !slices.Contains(ids, All) }), nil
}

// NoVariation says that an owner, in words, has no variation of this name, and which was probably meant or which there are.
func NoVariation(name, owner string, known []string) error {
	if near := nearest.Name(name, known); near != "" {
		return fmt.Errorf("vary %q: there is no such variation%s; did you mean %q?", name, owner, near)
	}
	return fmt.Errorf("vary %q: there is no such variation%s; there are: %s", name, owner, strings.Join(known, ", "))
}
