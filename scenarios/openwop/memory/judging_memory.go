package memory

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// recollections holds the notes that the turns of a run took of their memory.
type recollections struct {
	host.Notes
	who string
}

// recalled reads the notes of an ended run, and blocks the judge unless
// they have the form that the fixture specifies.
func recalled(l host.RunLog, j *scenarios.Judge, who string, turns int) (r recollections, ok bool) {
	l.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
	r = recollections{host.ReadSeen(l, "memory"), who}
	for turn := range int64(turns) {
		for _, at := range []host.Look{{Turn: turn + 1, At: host.AtBegin}, {Turn: turn + 1, At: host.AtEnd}} {
			if flaw := r.flaw(at); flaw != "" {
				j.Block("the variable seen of "+who+" does not follow the fixture: "+flaw,
					"have the supervisor note what each turn reads in its memory, as the fixture "+fixture.Memory+" says (docs/seams.md)")
			}
		}
	}
	return r, true
}

// flaw describes the defect of a look, or returns "".
func (r recollections) flaw(at host.Look) string {
	entries, noted := r.ByLook[at]
	if !noted {
		return at.String() + " noted nothing of its memory"
	}
	for _, e := range entries {
		if _, ok := e.Key("content").Actual().(string); !ok {
			return at.String() + " noted " + e.JSON()
		}
	}
	return ""
}

// check checks the contents of a look.
func (r recollections) check(j *scenarios.Judge, id scenarios.RequirementID, at host.Look, m check.Matcher) bool {
	return j.Check(id, r.contents(at)).To(m, "what %s of %s read", at, r.who)
}

func (r recollections) contents(at host.Look) wire.Found { return r.Entries(at).Each("/content") }

// has reports whether a look showed all of these contents.
func (r recollections) has(at host.Look, contents ...string) bool {
	seen := contentsIn(r.contents(at).Actual())
	return !slices.ContainsFunc(contents, func(c string) bool { return !slices.Contains(seen, c) })
}

// idsOf returns the ids under which an entry was read.
func (r recollections) idsOf(content string) (out []string) {
	for _, entries := range r.ByLook {
		for _, e := range entries {
			if e.Key("content").String() == content {
				out = append(out, e.Key("id").String())
			}
		}
	}
	return out
}

// allOf expects all of these contents, among others.
func allOf(contents ...string) check.Matcher {
	return check.That("all of "+wire.Compact(contents), func(v any) bool {
		seen := contentsIn(v)
		return !slices.ContainsFunc(contents, func(c string) bool { return !slices.Contains(seen, c) })
	})
}

// noneOf expects none of these contents.
func noneOf(contents ...string) check.Matcher {
	return check.That("none of "+wire.Compact(contents), func(v any) bool {
		seen := contentsIn(v)
		return !slices.ContainsFunc(contents, func(c string) bool { return slices.Contains(seen, c) })
	})
}

// nothingBut expects exactly these contents, in any order.
func nothingBut(contents ...string) check.Matcher {
	want := slices.Sorted(slices.Values(contents))
	return check.That("nothing but "+wire.Compact(contents), func(v any) bool {
		return slices.Equal(slices.Compact(slices.Sorted(slices.Values(contentsIn(v)))), want)
	})
}

// comesBefore expects first to be read before second.
func comesBefore(first, second string) check.Matcher {
	return check.That(fmt.Sprintf("%s before %s", first, second), func(v any) bool {
		seen := contentsIn(v)
		at := slices.Index(seen, first)
		return at >= 0 && at < slices.Index(seen, second)
	})
}

// contentsIn returns the elements of a list, with "" for those that are no text.
func contentsIn(v any) []string {
	list, _ := v.([]any)
	out := make([]string, len(list))
	for i, e := range list {
		out[i], _ = e.(string)
	}
	return out
}

// entryMembers lists the members that an entry may have.
var entryMembers = []string{"content", "createdAt", "expiresAt", "id", "tags"}

// anEntry expects an entry that satisfies the schema and has this tag only.
func anEntry(tag string) check.Matcher {
	return check.That("an entry with an id, its content, the tag "+tag+", createdAt, perhaps expiresAt, and nothing else", func(v any) bool {
		e, ok := v.(map[string]any)
		if !ok {
			return false
		}
		for _, member := range slices.Sorted(maps.Keys(e)) {
			if !slices.Contains(entryMembers, member) {
				return false
			}
		}
		id, _ := e["id"].(string)
		_, given := e["expiresAt"]
		return id != "" && slices.Equal(contentsIn(e["tags"]), []string{tag}) && isTime(e["createdAt"]) && (!given || isTime(e["expiresAt"]))
	})
}

func isTime(v any) bool {
	s, _ := v.(string)
	_, err := time.Parse(time.RFC3339, strings.ToUpper(s))
	return err == nil
}

// givenShared blocks the judge unless a later run reads these contents, which it should in any case. Without
// them, the absence of other contents proves nothing.
func givenShared(l host.RunLog, j *scenarios.Judge, who string, contents ...string) (r recollections, ok bool) {
	if r, ok = recalled(l, j, who, 1); !ok {
		return r, false
	}
	if !r.has(host.Look{Turn: 1, At: host.AtBegin}, contents...) {
		j.Block(fmt.Sprintf("setup failed: %s does not read %s, so its missing entries prove nothing", who,
			wire.Compact(contents)),
			"have runs whose agents name the same memoryRef share their memory")
	}
	return r, true
}
