// Package listed looks things up in a catalogue by their ids.
package listed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/simhost/param"
)

// By sorts the rows of a catalogue's themes by id. It sorts their places: a program that sorts large rows themselves has the
// code of sorting once for each type of row.
func By[T any](id func(T) string, themes ...[]T) []T {
	all := slices.Concat(themes...)
	places := make([]int, len(all))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return strings.Compare(id(all[a]), id(all[b])) })
	sorted := make([]T, len(all))
	for i, place := range places {
		sorted[i] = all[place]
	}
	return sorted
}

// IDs are the ids of rows, in their order.
func IDs[T any](id func(T) string, rows []T) []string {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = id(row)
	}
	return ids
}

// Find is the fault that a spec names, of an owner in words, or "", and what the spec sets of it (see package param). The error of an
// id that no row has names the nearest one; that of what cannot be set, what can.
func Find[T any](id func(T) string, rows []T, params func(T) []param.Param, spec, owner string) (row T, values param.Values, err error) {
	name, set := param.Split(spec)
	if i := slices.IndexFunc(rows, func(r T) bool { return id(r) == name }); i >= 0 {
		values, err = param.Set(name, set, params(rows[i]))
		return rows[i], values, err
	}
	hint := "see assay list faults"
	if near := nearest.Name(name, IDs(id, rows)); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return row, nil, fmt.Errorf("there is no fault %q%s: %s", name, owner, hint)
}

// Applied is a set of honest rules in which the rows with these ids have replaced theirs, one after another. The error is find's.
func Applied[S, T any](honest S, ids []string, find func(string) (T, error), replace func(T, *S)) (S, error) {
	s := honest
	for _, id := range ids {
		row, err := find(id)
		if err != nil {
			return *new(S), err
		}
		replace(row, &s)
	}
	return s, nil
}
