package validate

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// MaxProblems is the number of problems reported of a document.
const MaxProblems = 100

// Problem is one reason why a document is not valid.
type Problem struct {
	Instance string // JSON pointer into the document; empty for its root
	Keyword  string // JSON pointer of the violated keyword in the bundled contract, or "json" or "depth"
	Message  string // what is wrong, without the place: expected array, but got string
	Near     string // the known name nearest to an unknown one, or ""
}

// Hint is like String, with the nearest known name, for documents written by hand.
func (p Problem) Hint() string {
	if p.Near == "" {
		return p.String()
	}
	return fmt.Sprintf("%s (did you mean %q?)", p, p.Near)
}

// String returns the place and the message, such as inputs.plan: expected array, but got string.
func (p Problem) String() string {
	if path := dotted(p.Instance); path != "" {
		return path + ": " + p.Message
	}
	return p.Message
}

// dotted returns a pointer as in code, such as nodes[0].id. A number is taken for an index.
func dotted(pointer string) string {
	var b strings.Builder
	for _, token := range tokens(pointer) {
		token = jsonpointer.Unescape(token)
		switch _, err := strconv.ParseUint(token, 10, 32); {
		case err == nil:
			b.WriteString("[" + token + "]")
		case strings.ContainsAny(token, ".[]\" \t\n") || token == "":
			b.WriteString("[" + clip(strconv.Quote(token)) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(clip(token))
		}
	}
	return b.String()
}

func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	return strings.Split(pointer[1:], "/")
}

// problems returns the library's tree of errors, which has a random order, as a sorted list.
func (s *Set) problems(failed *jsonschema.ValidationError, document any) []Problem {
	w := &walker{set: s, document: document}
	found := w.leaves(failed)
	slices.SortFunc(found, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Instance, b.Instance), cmp.Compare(a.Keyword, b.Keyword),
			cmp.Compare(a.Message, b.Message))
	})
	// Branches of a union, or a schema that is referenced twice, can report the same problem.
	seen := map[[2]string]bool{}
	found = slices.DeleteFunc(found, func(p Problem) bool {
		key := [2]string{p.Instance, p.Message}
		twice := seen[key]
		seen[key] = true
		return twice
	})
	return found[:min(len(found), MaxProblems)]
}

// walker walks a tree of errors.
type walker struct {
	set      *Set
	document any // the document that was validated
}

func (w *walker) leaves(e *jsonschema.ValidationError) []Problem {
	if len(e.Causes) == 0 {
		return w.describe(e)
	}
	if (e.Message == "oneOf failed" || e.Message == "anyOf failed") && len(e.Causes) > 1 {
		return w.union(e)
	}
	var out []Problem
	for _, c := range e.Causes {
		out = append(out, w.leaves(c)...)
	}
	return out
}

// union reports a failed union by the branch that was meant, the one whose const matches. If no const matches, that is
// the problem. If there is no const, the branches with the fewest problems are reported.
func (w *walker) union(e *jsonschema.ValidationError) []Problem {
	instance := instanceOf(e)
	var meant [][]Problem
	var tags []Problem
	for _, branch := range e.Causes {
		found := w.leaves(branch)
		tag := slices.IndexFunc(found, func(p Problem) bool {
			return strings.HasSuffix(p.Keyword, "/const") && parent(p.Instance) == instance && p.Instance != instance
		})
		if tag < 0 {
			meant = append(meant, found)
		} else {
			tags = append(tags, found[tag])
		}
	}
	if len(meant) == 0 {
		return w.mergeTags(tags)
	}
	fewest := slices.MinFunc(meant, func(a, b []Problem) int { return cmp.Compare(len(a), len(b)) })
	var out []Problem
	for _, found := range meant {
		if len(found) == len(fewest) {
			out = append(out, found...)
		}
	}
	return out
}

// mergeTags merges the problems of the branches' consts into one: the property must be one of these.
func (w *walker) mergeTags(tags []Problem) []Problem {
	byPlace := map[string][]string{}
	for _, t := range tags {
		byPlace[t.Instance] = append(byPlace[t.Instance], strings.TrimPrefix(t.Message, mustBe))
	}
	var out []Problem
	for place, values := range byPlace {
		slices.Sort(values)
		values = slices.Compact(values)
		i := slices.IndexFunc(tags, func(t Problem) bool { return t.Instance == place })
		out = append(out, Problem{Instance: place, Keyword: tags[i].Keyword, Message: mustBeOneOf(values)})
	}
	return out
}

func parent(pointer string) string { return pointer[:max(strings.LastIndexByte(pointer, '/'), 0)] }

// keyword returns the keyword of an error.
func keyword(e *jsonschema.ValidationError) string {
	return e.AbsoluteKeywordLocation[strings.LastIndexByte(e.AbsoluteKeywordLocation, '/')+1:]
}

// instanceOf returns the JSON pointer of an error. The library percent-encodes the tokens.
func instanceOf(e *jsonschema.ValidationError) string { return decodePercent(e.InstanceLocation) }

func keywordPointer(e *jsonschema.ValidationError) string {
	_, fragment, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	return decodePercent(fragment)
}

func decodePercent(s string) string {
	if decoded, err := url.PathUnescape(s); err == nil {
		return decoded
	}
	return s
}
