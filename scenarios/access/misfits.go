package access

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/apidoc"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Misfit is a request of a way that does not fit its contract in one place.
type Misfit struct {
	Way  Way
	Miss apidoc.Miss // At is the name of the parameter where that is what is wrong, and Raw its value
}

// Name is how texts call the misfit.
func (m Misfit) Name() string {
	name := m.Way.Operation + ", " + string(m.Miss.Kind)
	if m.Miss.At != "" {
		name += ", " + m.Miss.At
	}
	if m.Miss.Is != "" {
		name += ": " + m.Miss.Is
	}
	return name
}

// Sure reports whether every host refuses the misfit, however much it puts up with: the operation cannot be done.
func (m Misfit) Sure() bool {
	if !m.Way.NeedsBody {
		return false
	}
	switch m.Miss.Kind {
	case apidoc.NoBody, apidoc.NotJSON, apidoc.NotObject:
		return true
	case apidoc.Missing:
		return m.Miss.Bare
	}
	return false
}

// phase is when a misfit is sent: 0 before all that may be let in, 2 where many hosts do not look.
func (m Misfit) phase() int {
	switch {
	case m.Sure():
		return 0
	case m.Miss.Kind == apidoc.Media, m.Miss.Kind == apidoc.BadValue:
		return 2
	}
	return 1
}

// Misfits returns all of a way, in a fixed order. right is a body that fits, nil for none; word stands where any text would do.
func (c *Contract) Misfits(w Way, right any, word string) (out []Misfit) {
	add := func(miss apidoc.Miss) { out = append(out, Misfit{w, miss}) }
	for _, p := range c.checks[w.Operation] {
		if p.In == "path" || p.Name != w.With && !(w.With == "" && p.Required) {
			continue
		}
		for _, value := range []string{"", word, "-1", "0", "1.5", "99999999", strings.Repeat(word, 400/max(1, len(word))+1)} {
			if len(p.Check(value)) > 0 {
				add(apidoc.Miss{Kind: apidoc.BadValue, At: p.Name, Is: clip(value), Raw: []byte(value)})
			}
		}
	}
	if w.With != "" || w.Body == "" {
		return out
	}
	schema, err := c.schemas.At(w.Body)
	if err != nil {
		return out
	}
	misses := c.samples.Misses(w.Body, schema, right, word)
	for _, miss := range misses {
		add(miss)
	}
	if w.NeedsBody {
		add(apidoc.Miss{Kind: apidoc.NoBody})
	}
	add(apidoc.Miss{Kind: apidoc.Media, Is: "text/plain"})
	return out
}

func clip(text string) string {
	if len(text) > 24 {
		return text[:16] + "..."
	}
	return `"` + text + `"`
}

// Into puts what is wrong into a right request of the way.
func (m Misfit) Into(q wire.Call) wire.Call {
	switch m.Miss.Kind {
	case apidoc.BadValue:
	case apidoc.NoBody:
		q.Body = nil
	case apidoc.Media:
		header := maps.Clone(q.Header)
		if header == nil {
			header = map[string]string{}
		}
		header["Content-Type"] = m.Miss.Is
		q.Header = header
	default:
		q.Body = m.Miss.Raw
	}
	q.Label = m.Name()
	return q
}

// Value returns the wrong value of a parameter; ok is false if it is not this one that is wrong.
func (m Misfit) Value(parameter string) (value any, ok bool) {
	return string(m.Miss.Raw), m.Miss.Kind == apidoc.BadValue && m.Miss.At == parameter
}

// MisfitCell says why the misfits of a kind of an operation are not sent, or that they are.
type MisfitCell struct {
	Operation string
	Kind      apidoc.Kind
	Reason    string // "" if they are sent
}

// MisfitTable is every operation with every kind of misfit. excluded says why the misfits of a way are not sent, "" if they are; bodies
// are right bodies by operation, where the contract says less than is needed.
func (c *Contract) MisfitTable(excluded func(Way) string, bodies map[string]any) (cells []MisfitCell) {
	for i := 0; i < len(c.Ways); {
		w := c.Ways[i]
		has := map[apidoc.Kind]bool{}
		for ; i < len(c.Ways) && c.Ways[i].Operation == w.Operation; i++ {
			for _, m := range c.Misfits(c.Ways[i], cmp.Or(bodies[w.Operation], c.Ask(c.Ways[i], nothingLive).Body), "word") {
				has[m.Miss.Kind] = true
			}
		}
		for _, kind := range apidoc.Kinds {
			reason := excluded(w)
			if reason == "" && !has[kind] {
				reason = "the contract allows none that is " + string(kind)
			}
			cells = append(cells, MisfitCell{w.Operation, kind, reason})
		}
	}
	return cells
}

func nothingLive(string) (any, bool) { return nil, false }

// Tried is a misfit and what the target answered.
type Tried struct {
	Way       string      `json:"way"`
	Operation string      `json:"operation"`
	Kind      apidoc.Kind `json:"kind"`
	Sure      bool        `json:"sure"`    // see Misfit.Sure
	Changes   bool        `json:"changes"` // its method is one that may change something
	Answer    Answer      `json:"answer"`
}

// Moves reports whether the target carried out a request that may change something.
func (t Tried) Moves() bool { return t.Changes && t.Answer.Success() }

// Misfitting is how a drive sends misfits of all operations.
type Misfitting struct {
	Contract *Contract
	Word     string                              // stands where any text would do
	Excluded func(Way) string                    // why the misfits of a way are not sent, "" if they are
	Call     func(Misfit) (q wire.Call, ok bool) // the request of a misfit without what is wrong in its body; of none a right one
	Thing    func(Way) string                    // what a way may change, "" for none that is read again
	Costly   func(Way) bool                      // what is made may have to be paid for
	Made     func(*wire.Reply)                   // is called with each reply of success, one after the other
}

// Group is misfits that are sent before what they may change is read again.
type Group struct {
	Thing   string
	Misfits []Misfit

	phase     int
	operation string
}

// Groups draws misfits of each way, in the order in which they are sent: those that no target can do come first.
func (a Misfitting) Groups(c *scenarios.Conn) (groups []Group) {
	for _, w := range a.Contract.Ways {
		if a.Excluded(w) != "" {
			continue
		}
		q, ok := a.Call(Misfit{Way: w})
		if !ok {
			continue
		}
		for _, m := range drawn(c, a.Contract.Misfits(w, q.Body, a.Word), a.Costly(w)) {
			g := Group{Thing: a.Thing(w), phase: m.phase()}
			if g.phase == 1 && c.Depth != scenarios.Quick {
				g.operation = w.Operation // what one lets in is not held against the next
			}
			i := slices.IndexFunc(groups, func(h Group) bool { return g.compare(h) == 0 })
			if i < 0 {
				i, groups = len(groups), append(groups, g)
			}
			groups[i].Misfits = append(groups[i].Misfits, m)
		}
	}
	slices.SortFunc(groups, Group.compare)
	return groups
}

func (g Group) compare(h Group) int {
	return cmp.Or(g.phase-h.phase, strings.Compare(g.Thing, h.Thing), strings.Compare(g.operation, h.operation))
}

// Try sends misfits, some side by side, and stops behind those that are let in where a further one costs.
func (a Misfitting) Try(ctx context.Context, c *scenarios.Conn, misfits []Misfit) (out []Tried) {
	for some := range slices.Chunk(misfits, SideBySide) {
		part := make([]Tried, len(some))
		replies := make([]*wire.Reply, len(some))
		var calls []func(context.Context)
		for i, m := range some {
			if a.Costly(m.Way) && slices.ContainsFunc(out, func(t Tried) bool { return t.Operation == m.Way.Operation && t.Answer.Success() }) {
				continue
			}
			q, ok := a.Call(m)
			if !ok {
				continue
			}
			part[i] = Tried{Way: m.Way.Name(), Operation: m.Way.Operation, Kind: m.Miss.Kind, Sure: m.Sure(),
				Changes: m.Way.Method != http.MethodGet}
			calls = append(calls, func(ctx context.Context) { part[i].Answer, replies[i] = Send(ctx, c, m.Way, m.Into(q)) })
		}
		c.AtOnce(ctx, calls...)
		for _, reply := range replies {
			if reply != nil && reply.Success() {
				a.Made(reply)
			}
		}
		out = append(out, slices.DeleteFunc(part, func(t Tried) bool { return t.Way == "" })...)
	}
	return out
}

// most are how many misfits of a way are sent at each depth where there are more: a few of those that may make what has to be paid for.
var most = map[bool][scenarios.Deep + 1]int{false: {9, 48, 1 << 20}, true: {6, 12, 64}}

// drawn returns some of the misfits of a way: each kind is among them before one is there twice.
func drawn(c *scenarios.Conn, misfits []Misfit, costly bool) []Misfit {
	var out, later []Misfit
	seen := map[apidoc.Kind]bool{}
	for _, k := range c.Rand.Perm(len(misfits)) {
		if m := misfits[k]; seen[m.Miss.Kind] {
			later = append(later, m)
		} else {
			seen[m.Miss.Kind] = true
			out = append(out, m)
		}
	}
	out = append(out, later...)
	return out[:min(len(out), most[costly][c.Depth])]
}
