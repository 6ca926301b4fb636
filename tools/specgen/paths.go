package specgen

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
)

var pathParameter = lazyregexp.New(`\{[^{}]*\}`)

// checkPaths finds paths that no request reaches: those with a query in them, and those that differ from another only in
// the names of their parameters.
func (b *bundled) checkPaths() {
	if b.folder.root == nil {
		return
	}
	paths := asObject(b.doc["paths"])
	first := map[string]string{} // method and path without names -> the path that has it
	for _, p := range sortedKeys(paths) {
		here := join("/paths", p)
		file, where := b.source(here)
		if strings.ContainsAny(p, "?#") {
			b.findings.add(&SpecError{File: file, Pointer: where, Problem: "a path ends before its query, so that no request reaches this one",
				Mend: "write the query as parameters"})
		}
		for _, method := range httpMethods {
			if asObject(paths[p])[method] == nil {
				continue
			}
			shape := method + " " + pathParameter.ReplaceAllString(p, "{}")
			if other, taken := first[shape]; taken {
				b.findings.add(&SpecError{File: file, Pointer: join(where, method),
					Problem: fmt.Sprintf("differs from %s only in the names of its parameters, so that requests reach that one", other),
					Mend:    "make one operation of the two"})
				continue
			}
			first[shape] = p
		}
	}
}
