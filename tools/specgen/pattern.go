package specgen

import (
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

// rewritePattern replaces a lookahead of s by equivalent keywords, and leaves other patterns alone.
func rewritePattern(s object) {
	p, ok := s["pattern"].(string)
	if !ok || isRE2(p) {
		return
	}
	must, mustNot, ok := splitLookahead(p)
	if !ok {
		return
	}
	not := object{"pattern": mustNot}
	s["pattern"] = must
	if _, taken := s["not"]; taken {
		s["allOf"] = append(asList(s["allOf"]), object{"not": not})
		return
	}
	s["not"] = not
}
