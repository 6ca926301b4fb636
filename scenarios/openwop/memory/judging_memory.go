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

// recollections are what the turns of a run noted of their memory.
type recollections struct {
	host.Notes
	who string
}

// recalled reads the notes of a run that has ended, and blocks a scenario where
// they are not what the fixture promises.
func recalled(l host.RunLog, j *scenarios.Judge, who string, turns int) (r recollections, ok bool) {
	l.Given(j, openwop.OWP0037A6, openwop.OWP0037A1)
	r = recollections{host.ReadSeen(l, "memory"), who}
	for turn := range int64(turns) {
		for _, at := range []host.Look{{Turn: turn + 1, At: host.AtBegin}, {Turn: turn + 1, At: host.AtEnd}} {
			if flaw := r.flaw(at); flaw != "" {
				j.Block("the variable seen of "+who+" is not what the fixture promises: "+flaw,
					"have the supervisor note what each turn reads in its memory, as the fixture "+fixture.Memory+" says (docs/seams.md)")
			}
		}
	}
	return r, true
}

// flaw says what is wrong with a look, "" if nothing is.
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

// check checks the contents that a look showed.
func (r recollections) check(j *scenarios.Judge, id scenarios.RequirementID, at host.Look, m check.Matcher) bool {
	return j.Check(id, r.contents(at)).To(m, "what %s of %s read", at, r.who)
}

func (r recollections) contents(at host.Look) wire.Found { return r.Entries(at).Each("/content") }

// has says whether a look showed all of these.
func (r recollections) has(at host.Look, contents ...string) bool {
	seen := contentsIn(r.contents(at).Actual())
	return !slices.ContainsFunc(contents, func(c string) bool { return !slices.Contains(seen, c) })
}

// idsOf are the ids under which an entry was read.
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

// allOf expects that these are among what was read.
func allOf(contents ...string) check.Matcher {
	return check.That("all of "+wire.Compact(contents), func(v any) bool {
		seen := contentsIn(v)
		return !slices.ContainsFunc(contents, func(c string) bool { return !slices.Contains(seen, c) })
	})
}

// noneOf expects that these are not among what was read.
func noneOf(contents ...string) check.Matcher {
	return check.That("none of "+wire.Compact(contents), func(v any) bool {
		seen := contentsIn(v)
		return !slices.ContainsFunc(contents, func(c string) bool { return slices.Contains(seen, c) })
	})
}

// nothingBut expects these, in any order, and no others.
func nothingBut(contents ...string) check.Matcher {
	want := slices.Sorted(slices.Values(contents))
	return check.That("nothing but "+wire.Compact(contents), func(v any) bool {
		return slices.Equal(slices.Compact(slices.Sorted(slices.Values(contentsIn(v)))), want)
	})
}

// comesBefore expects that one was read before the other.
func comesBefore(first, second string) check.Matcher {
	return check.That(fmt.Sprintf("%s before %s", first, second), func(v any) bool {
		seen := contentsIn(v)
		at := slices.Index(seen, first)
		return at >= 0 && at < slices.Index(seen, second)
	})
}

// contentsIn are the elements of a list; what is no text is "".
func contentsIn(v any) []string {
	list, _ := v.([]any)
	out := make([]string, len(list))
	for i, e := range list {
		out[i], _ = e.(string)
	}
	return out
}

// entryMembers are those that an entry can have.
var entryMembers = []string{"content", "createdAt", "expiresAt", "id", "tags"}

// anEntry expects what the schema of an entry asks, with this one tag.
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

// shares stops a judge where a run that reads afterwards does not find what
// nobody doubts is there: what else is not there then says nothing.
func shares(l host.RunLog, j *scenarios.Judge, who string, contents ...string) (r recollections, ok bool) {
	if r, ok = recalled(l, j, who, 1); !ok {
		return r, false
	}
	if !r.has(host.Look{Turn: 1, At: host.AtBegin}, contents...) {
		j.Block(fmt.Sprintf("setup failed: %s does not find %s, so that nothing follows from what else it does not find", who,
			wire.Compact(contents)),
			"have runs whose agents name the same memoryRef share their memory")
	}
	return r, true
}
