package goapi

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Consequence is what became of one exported name, or of one that has another name now.
type Consequence struct {
	Kind   string `json:"kind"`   // type, field, method, function, constant or variable
	Change string `json:"change"` // removed, renamed, changed or added
	Before string `json:"before"` // Run.State, "" if it was added
	After  string `json:"after"`  // Run.Status, "" if it was removed
	// Breaks reports whether programs that use it no longer compile.
	Breaks bool   `json:"breaks"`
	Text   string `json:"text"` // what happened to it
	Do     string `json:"do"`   // what a Go programmer must do, "" for nothing
	// Causes are JSON pointers of the changes of the contract that it comes from, where that is known.
	Causes []string `json:"causes"`

	// JSON is the member that a field is, for finding causes.
	JSON string `json:"-"`
}

// Renamed is something that has another name now: a part of Go names, in lower case, letters and digits alone.
type Renamed struct{ Old, New string }

// Letters is a name as all its spellings share it.
func Letters(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name))
}

// Compare lists what became of the exported names of a package: those that break programs first. What is known to be
// renamed helps to tell names that changed from names that are gone.
func Compare(before, after map[string][]byte, renamed []Renamed) ([]Consequence, error) {
	a, err := read(before)
	if err != nil {
		return nil, err
	}
	b, err := read(after)
	if err != nil {
		return nil, err
	}
	c := &comparison{a: a, b: b, known: renamed}
	c.types()
	c.others()
	slices.SortFunc(c.found, func(x, y Consequence) int {
		if x.Breaks != y.Breaks {
			if x.Breaks {
				return -1
			}
			return 1
		}
		return cmp.Or(strings.Compare(cmp.Or(x.Before, x.After), cmp.Or(y.Before, y.After)), strings.Compare(x.Kind, y.Kind))
	})
	return c.found, nil
}

type comparison struct {
	a, b  map[string]decl
	known []Renamed
	found []Consequence
}

func (c *comparison) tell(k Consequence) {
	k.Causes = []string{}
	c.found = append(c.found, k)
}

// types finds the types that have another name and else are the same, and gives the old package the new names: nothing
// that only mentions them is a change of its own.
func (c *comparison) types() {
	isType := func(d decl) bool { return d.kind == typeDecl }
	pairs := c.pair(isType, func(d decl) string {
		if !strings.Contains(d.shape, "\n") { // type ID string says too little
			return ""
		}
		return d.shape
	})
	if len(pairs) == 0 {
		return
	}
	renamed := map[string]string{}
	for _, p := range pairs {
		renamed[p[0].name] = p[1].name
		c.tell(c.called(p[0], p[1]))
	}
	old := map[string]decl{}
	for _, d := range c.a {
		if to := renamed[d.name]; to != "" && d.kind == typeDecl {
			d.name = to
		}
		of, rest, _ := strings.Cut(d.owner, ".")
		if to := renamed[of]; to != "" {
			d.owner = strings.TrimSuffix(to+"."+rest, ".")
		}
		d.text = identifier.ReplaceAllStringFunc(d.text, func(name string) string { return cmp.Or(renamed[name], name) })
		old[d.key()] = d
	}
	c.a = old
}

var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

var words sync.Map

// word matches a name as a whole word.
func word(name string) *regexp.Regexp {
	if re, ok := words.Load(name); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	words.Store(name, re)
	return re
}

// called says that a declaration has another name: for sure if the contract says so, or if JSON does.
func (c *comparison) called(was, now decl) Consequence {
	out := Consequence{Kind: was.kind, Change: "renamed", Before: was.full(), After: now.full(), Breaks: true, JSON: now.json,
		Text: fmt.Sprintf("%s %s is now called %s", was.kind, was.full(), now.full()), Do: "use the new name"}
	if (was.kind != fieldDecl || was.json == "" || was.json != now.json) && !c.knows(was, now) {
		out.Text = fmt.Sprintf("%s %s is gone; %s is new, and the same but for its name", was.kind, was.full(), now.full())
		out.Do = fmt.Sprintf("use %s, if that is what it became", now.full())
	}
	return out
}

// knows reports whether a name is known to have become another.
func (c *comparison) knows(was, now decl) bool {
	return slices.ContainsFunc(c.known, func(r Renamed) bool {
		old := Letters(was.full())
		return strings.Contains(old, r.Old) && strings.Replace(old, r.Old, r.New, 1) == Letters(now.full())
	})
}

// pair pairs what is gone with what is new: what is known to be renamed, and what has the same shape, where only one of
// each has it.
func (c *comparison) pair(open func(decl) bool, shape func(decl) string) [][2]decl {
	var out [][2]decl
	paired := map[string]bool{}
	lost := func(all, others map[string]decl) []decl {
		var list []decl
		for _, k := range slices.Sorted(maps.Keys(all)) {
			if _, there := others[k]; !there && open(all[k]) {
				list = append(list, all[k])
			}
		}
		return list
	}
	gone, came := lost(c.a, c.b), lost(c.b, c.a)
	if len(c.known) > 0 {
		for _, was := range gone {
			for _, now := range came {
				if was.kind == now.kind && !paired[now.key()] && !paired[was.key()] && c.knows(was, now) {
					paired[was.key()], paired[now.key()] = true, true
					out = append(out, [2]decl{was, now})
				}
			}
		}
	}
	by := map[string][2][]decl{}
	for i, list := range [][]decl{gone, came} {
		for _, d := range list {
			if s := shape(d); s != "" && !paired[d.key()] {
				lists := by[s]
				lists[i] = append(lists[i], d)
				by[s] = lists
			}
		}
	}
	for _, s := range slices.Sorted(maps.Keys(by)) {
		if l := by[s]; len(l[0]) == 1 && len(l[1]) == 1 {
			out = append(out, [2]decl{l[0][0], l[1][0]})
		}
	}
	return out
}

// others compares all names, after the types got theirs.
func (c *comparison) others() {
	paired := map[string]bool{}
	for _, shape := range []func(decl) string{
		func(d decl) string { // one member of JSON
			if d.kind != fieldDecl || d.json == "" || d.json == "-" {
				return ""
			}
			return d.owner + " " + d.json
		},
		func(d decl) string {
			if d.asks { // whoever implements it has to write another method, however much it is like the old one
				return ""
			}
			return d.kind + " " + d.owner + " " + d.text
		},
	} {
		open := func(d decl) bool { return !paired[d.key()] && d.kind != typeDecl && !c.lonely(d) }
		for _, p := range c.pair(open, shape) {
			paired[p[0].key()], paired[p[1].key()] = true, true
			c.renamed(p[0], p[1])
		}
	}
	for _, k := range slices.Sorted(maps.Keys(c.a)) {
		was := c.a[k]
		now, still := c.b[k]
		switch {
		case paired[k]:
		case !still && !c.lonely(was):
			c.tell(Consequence{Kind: was.kind, Change: "removed", Before: was.full(), Breaks: true, JSON: was.json,
				Text: fmt.Sprintf("%s %s is gone", was.kind, was.full()), Do: "remove what uses it"})
		case still && (was.text != now.text || was.json != now.json || was.omit != now.omit):
			c.changed(was, now)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(c.b)) {
		now := c.b[k]
		if _, was := c.a[k]; was || paired[k] || c.lonely(now) {
			continue
		}
		to := Consequence{Kind: now.kind, Change: "added", After: now.full(), Breaks: now.asks, JSON: now.json,
			Text: fmt.Sprintf("%s %s is new", now.kind, now.full())}
		if now.asks {
			to.Do = "add it to what implements " + now.owner
		}
		c.tell(to)
	}
}

// lonely reports whether the type of a field or method is gone, or is new: it is told, and all of it with it.
func (c *comparison) lonely(d decl) bool {
	of, _, _ := strings.Cut(d.owner, ".")
	if of == "" {
		return false
	}
	key := decl{kind: typeDecl, name: of}.key()
	_, was := c.a[key]
	_, is := c.b[key]
	return was != is
}

func (c *comparison) renamed(was, now decl) {
	to := c.called(was, now)
	if was.json != now.json {
		to.Text += fmt.Sprintf(" (%q in JSON, which was %q)", now.json, was.json)
	}
	if was.text != now.text {
		kind, do := retyped(was, now)
		to.Text += fmt.Sprintf(": %s -> %s: %s", was.text, now.text, kind)
		to.Do += ", and " + do
	}
	c.tell(to)
}

func (c *comparison) changed(was, now decl) {
	to := Consequence{Kind: was.kind, Change: "changed", Before: was.full(), After: now.full(), Breaks: was.text != now.text, JSON: now.json}
	kind, do := retyped(was, now)
	to.Do = do
	switch {
	case was.text == now.text && was.json == now.json && now.omit:
		to.Text = fmt.Sprintf("%s: need not be there any more: JSON leaves it out when it is empty", was.full())
		to.Do = "expect it empty where you read it"
	case was.text == now.text && was.json == now.json:
		to.Text = fmt.Sprintf("%s: must be there: JSON has it even when it is empty", was.full())
		to.Do = "set it wherever you send it"
	case was.text == now.text:
		to.Text = fmt.Sprintf("%s: %q in JSON, which was %q", was.full(), now.json, was.json)
		to.Do = "nothing, unless you write its JSON yourself"
	case was.kind == constDecl && sameType(was.text, now.text):
		to.Breaks = false
		to.Text = fmt.Sprintf("%s: %s -> %s: another value", was.full(), was.text, now.text)
		to.Do = "see whether the old value stands somewhere else"
	default:
		to.Text = fmt.Sprintf("%s: %s -> %s: %s", was.full(), was.text, now.text, kind)
	}
	c.tell(to)
}

func sameType(a, b string) bool {
	x, _, _ := strings.Cut(a, " = ")
	y, _, _ := strings.Cut(b, " = ")
	return x == y
}

// wider lists the types that hold every value of a type, and more.
var wider = map[string][]string{
	"int32": {"int64", "int", "float64"}, "int": {"int64"}, "int64": {"float64", "json.Number"}, "float32": {"float64"},
	"float64": {"json.Number"},
}

// retyped says what another type means, and what to do about it.
func retyped(was, now decl) (kind, do string) {
	if was.kind == methodDecl || was.kind == funcDecl {
		if was.asks {
			return "another signature", "change what implements and what calls it"
		}
		return "another signature", "change its callers"
	}
	a, b := strings.TrimPrefix(was.text, "*"), strings.TrimPrefix(now.text, "*")
	pointed, points := a != was.text, b != now.text
	pointing := ""
	switch {
	case pointed && !points:
		pointing = "always there now"
	case !pointed && points:
		pointing = "may be absent now"
	}
	anything := func(s string) bool { return s == "any" || s == "interface{}" || s == "json.RawMessage" }
	switch {
	case a == b && pointing == "always there now":
		return pointing, "set the value, not a pointer; drop the test for nil"
	case a == b:
		return pointing, "set a pointer; test for nil before you read"
	case anything(b) || slices.Contains(wider[a], b):
		kind, do = "widened", "convert where you set and read it"
	case anything(a) || slices.Contains(wider[b], a):
		kind, do = "narrowed", "convert where you set and read it, and see that the values fit"
	default:
		kind, do = "another type", "change where you set and read it"
	}
	if pointing != "" {
		kind += ", " + pointing
	}
	return kind, do
}
