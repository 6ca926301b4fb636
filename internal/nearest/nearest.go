// Package nearest suggests names for typos.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// Name returns the known name that is the fewest edits away from typed, "" if none is near. It ignores case. A name
// that starts with typed is near, however long it is.
func Name(typed string, known []string) string {
	best, most := "", max(2, len(typed)/2)
	typed = strings.ToLower(typed)
	for _, k := range known {
		d := edits(typed, strings.ToLower(k))
		if len(typed) >= 3 && strings.HasPrefix(strings.ToLower(k), typed) {
			d = 1
		}
		if d < most {
			best, most = k, d
		}
	}
	return best
}

// Names returns at most so many known names that are near to typed, the nearest first. A name whose beginning is near is near,
// too.
func Names(typed string, known []string, most int) []string {
	type near struct {
		name string
		far  int
	}
	var all []near
	typed = strings.ToLower(typed)
	for _, k := range known {
		lower := strings.ToLower(k)
		far := min(edits(typed, lower), edits(typed, lower[:min(len(lower), len(typed))])+1)
		if typed != "" && far <= max(1, len(typed)/2) {
			all = append(all, near{k, far})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(a.far, b.far) })
	var names []string
	for _, n := range all[:min(len(all), most)] {
		names = append(names, n.name)
	}
	return names
}

// edits returns the Levenshtein distance in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
