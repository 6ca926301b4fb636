package sent

import (
	"slices"
	"strings"
)

// Beyond returns the items that are not among those of others, in the order in which they are shown. It leaves out what another item
// explains: all that is sent with an operation that others never call, and what stands below an object or a list that they never send.
// Requests for no operation of the protocol are always beyond it.
func (s Items) Beyond(others Items) (gaps []Item) {
	called := func(operation string) bool { _, yes := others[Item{Operation: operation, Kind: Called}]; return yes }
	var operation string
	var above []string // places in the body of that operation whose objects and lists are gaps
	for _, i := range s.Sorted() {
		if i.Operation != operation {
			operation, above = i.Operation, nil
		}
		if _, sent := others[i]; sent && i.Kind != Unknown {
			continue
		}
		if i.Kind != Unknown && i.Kind != Called && !called(i.Operation) {
			continue
		}
		switch _, next, _ := strings.Cut(i.What, ", then "); {
		case i.Kind == Then && !called(next):
			continue
		case i.Kind == Body:
			at, kind, _ := strings.Cut(i.What, " ")
			if slices.ContainsFunc(above, func(place string) bool { return below(place, at) }) {
				continue
			}
			if kind == "object" || kind == "array" {
				above = append(above, at)
			}
		}
		gaps = append(gaps, i)
	}
	return gaps
}

// below reports whether a place in a body is inside another.
func below(place, at string) bool {
	rest, inside := strings.CutPrefix(at, place)
	return inside && (strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "[]"))
}
