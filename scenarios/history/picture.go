package history

import (
	"fmt"
	"slices"
	"strings"
)

// Picture tells a history as far as the model explains it, a line a step, the step that it does not explain (x), others that had
// begun by then and cannot come first either (?), and what would have been allowed in its place.
func (m *Model[S, In, Out]) Picture(steps []Step[In, Out], v Verdict[S, In, Out]) string {
	several := slices.ContainsFunc(steps, func(s Step[In, Out]) bool { return s.Client > 0 })
	line := func(i int) string {
		s, who, after := steps[i], "", ""
		if s.Killed {
			after = "; meanwhile the target was killed, and started again"
		}
		if several {
			who = fmt.Sprintf("client %d: ", s.Client+1)
		}
		if s.Lost {
			return who + m.Tell(s) + ", and the reply was lost" + after
		}
		return who + m.Tell(s) + after
	}
	var b strings.Builder
	for _, i := range v.Order {
		fmt.Fprintf(&b, "  %s\n", line(i))
	}
	if v.Wrong < 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "x %s\n", line(v.Wrong))
	for i := range steps {
		if i != v.Wrong && !slices.Contains(v.Order, i) && steps[i].Began <= steps[v.Wrong].Ended {
			fmt.Fprintf(&b, "? %s\n", line(i))
		}
	}
	for _, want := range Allowed(v) {
		fmt.Fprintf(&b, "  allowed: %s\n", want)
	}
	return b.String()
}

// Allowed tells what would have been allowed in place of the step that is not explained.
func Allowed[S comparable, In, Out any](v Verdict[S, In, Out]) (all []string) {
	for _, t := range v.Closest {
		var wants []string
		for _, miss := range t.Misses {
			wants = append(wants, miss.Want)
		}
		name := t.Rule.Name
		if t.Way != nil && t.Way.Name != "" {
			name += ", " + t.Way.Name
		}
		if line := name + ": " + strings.Join(wants, ", and "); !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	return all
}
