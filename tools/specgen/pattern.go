package specgen

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
)

// lookahead matches a leading negative lookahead: ^(?!A)B, with at most one level of groups in A.
var lookahead = lazyregexp.New(`^\^\(\?!((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*)\)(.*)$`)

// splitLookahead splits ^(?!A)B into ^B, which must match, and ^(?:A), which must not. It is the only construct of
// published patterns that RE2 lacks; both halves must be RE2.
func splitLookahead(pattern string) (must, mustNot string, ok bool) {
	g := lookahead.FindStringSubmatch(pattern)
	if g == nil {
		return "", "", false
	}
	must, mustNot = "^"+strings.TrimPrefix(g[2], "^"), "^(?:"+g[1]+")"
	return must, mustNot, isRE2(must) && isRE2(mustNot)
}

func isRE2(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil
}

// rewritePatterns replaces a lookahead of s by equivalent keywords. In specs of others a pattern that Go cannot match
// stays under a name that no validator reads, and is told as a finding.
func (b *bundled) rewritePatterns(d *document, s object, pointer string) {
	p, ok := s["pattern"].(string)
	if ok && !isRE2(p) {
		if must, mustNot, ok := splitLookahead(p); ok {
			not := object{"pattern": mustNot}
			s["pattern"] = must
			if _, taken := s["not"]; taken {
				s["allOf"] = append(asList(s["allOf"]), object{"not": not})
			} else {
				s["not"] = not
			}
		} else if !b.folder.house {
			b.unmatched(d, join(pointer, "pattern"), p)
			delete(s, "pattern")
			s["x-pattern"] = p
		}
	}
	if b.folder.house {
		return
	}
	patterns := asObject(s["patternProperties"])
	for _, p := range sortedKeys(patterns) {
		if !isRE2(p) {
			b.unmatched(d, join(pointer+"/patternProperties", p), p)
			childObject(s, "x-patternProperties")[p] = patterns[p]
			delete(patterns, p)
		}
	}
}

func (b *bundled) unmatched(d *document, pointer, pattern string) {
	b.findings.add(&SpecError{File: d.file, Pointer: pointer, Problem: fmt.Sprintf("pattern %s is not RE2, and is not checked", pattern),
		Mend: "rewrite it without lookaround and back-references"})
}
