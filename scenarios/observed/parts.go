package observed

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// groups say which entries a protocol judges together: those about the same things, and those about what one of them joins.
type groups struct {
	protocol *scenarios.Protocol
	node     map[string]int32 // thing -> its node
	parent   []int32          // node -> another one of its group, or itself
	of       []int32          // entry -> a node of its group
	finds    []int32          // entries that may have the discovery document
}

func newGroups(p *scenarios.Protocol) *groups { return &groups{protocol: p, node: map[string]int32{}} }

// add adds the next entry. Those about nothing are all judged together.
func (g *groups) add(id int32, e *wire.Entry) {
	if discovers(e, g.protocol.DiscoveryPath) {
		g.finds = append(g.finds, id)
	}
	var things []string
	if g.protocol.Topics != nil {
		things = g.protocol.Topics(e)
	}
	if len(things) == 0 {
		things = []string{""}
	}
	first := g.find(things[0])
	for _, other := range things[1:] {
		g.parent[g.find(other)] = first
	}
	g.of = append(g.of, first)
}

// find returns the node that stands for the group of a thing.
func (g *groups) find(thing string) int32 {
	n, known := g.node[thing]
	if !known {
		n = int32(len(g.parent)) //nolint:gosec // there are fewer than entries, or twice as many
		g.node[thing], g.parent = n, append(g.parent, n)
	}
	return g.root(n)
}

func (g *groups) root(n int32) int32 {
	for g.parent[n] != n {
		g.parent[n] = g.parent[g.parent[n]]
		n = g.parent[n]
	}
	return n
}

// parted is what a protocol makes of a recording.
type parted struct {
	parts [][]int32 // numbers of entries, counted from 1
	finds []int     // those of entries that may have the discovery document
}

// share tells each recording its parts, in the order of their first entries.
func (g *groups) share(all []Recording) {
	found := map[int32]bool{}
	for _, id := range g.finds {
		found[id] = true
	}
	for i := range all {
		r := &all[i]
		var p parted
		at := map[int32]int{} // node -> its part
		for n, e := range r.entries {
			node := g.root(g.of[e.id])
			part, known := at[node]
			if !known {
				part, p.parts = len(p.parts), append(p.parts, nil)
				at[node] = part
			}
			p.parts[part] = append(p.parts[part], int32(n+1)) //nolint:gosec // it has fewer
			if found[e.id] {
				p.finds = append(p.finds, n+1)
			}
		}
		if r.parted == nil {
			r.parted = map[*scenarios.Protocol]parted{}
		}
		r.parted[g.protocol] = p
	}
}

// discovers reports whether an exchange looks as if a discovery document were the reply.
func discovers(e *wire.Entry, path string) bool {
	if path == "" || e.Kind != "http" || e.Request == nil || e.Request.Method != http.MethodGet || e.Error != "" || e.Response == nil ||
		e.Response.Status != http.StatusOK {
		return false
	}
	at, err := url.Parse(e.Request.URL)
	return err == nil && strings.HasSuffix(at.Path, path)
}

// parts returns what is judged together: the numbers of entries. Each log stands behind the entries, and alone.
func (r Recording) parts(p *scenarios.Protocol) [][]int32 {
	parts := slices.Clone(r.parted[p].parts)
	for i := range r.logs[p] {
		parts = append(parts, []int32{int32(len(r.entries) + i + 1)}) //nolint:gosec // there are fewer
	}
	return parts
}

// mostAtHand is the size in bytes up to which entries that are judged together are read once, and kept meanwhile.
const mostAtHand = 4 << 20

// part returns the entries with these numbers.
func (r Recording) part(p *scenarios.Protocol, h *storeReader, numbers []int32) *wire.Transcript {
	size := 0
	for _, n := range numbers {
		if int(n) <= len(r.entries) {
			size += int(r.entries[n-1].size)
		} else {
			size += mostAtHand // a log is one entry, and that is kept in any case
		}
	}
	if size <= mostAtHand {
		t := &wire.Transcript{Drive: scenarios.RecordingDrive, Speech: p.Speech, Entries: make([]wire.Entry, len(numbers))}
		for i, n := range numbers {
			t.Entries[i] = *r.entry(p, h, int(n))
		}
		return t
	}
	return wire.Stored(scenarios.RecordingDrive, p.Speech, len(numbers), func(n int) *wire.Entry { return r.entry(p, h, int(numbers[n-1])) })
}

// whole returns all entries.
func (r Recording) whole(p *scenarios.Protocol, h *storeReader) *wire.Transcript {
	return wire.Stored(scenarios.RecordingDrive, p.Speech, len(r.entries)+len(r.logs[p]), func(n int) *wire.Entry { return r.entry(p, h, n) })
}

func (r Recording) entry(p *scenarios.Protocol, h *storeReader, n int) *wire.Entry {
	if n <= len(r.entries) {
		return h.entry(r.entries[n-1])
	}
	return h.log(r.logs[p][n-1-len(r.entries)], p.Logged)
}

// Discovers reports whether the recording has the discovery document of hosts of a protocol.
func (r Recording) Discovers(p *scenarios.Protocol) bool {
	h := r.store.reader()
	defer h.close()
	_, found := r.discovery(p, r.whole(p, h))
	return found
}

// discovery returns the last discovery document.
func (r Recording) discovery(p *scenarios.Protocol, whole *wire.Transcript) (d scenarios.Discovery, found bool) {
	for _, n := range slices.Backward(r.parted[p].finds) {
		if document := whole.Reply(n); document.Present() {
			return scenarios.Discovery{Document: document, Status: whole.Status(n), At: whole.Entry(n).At}, true
		}
	}
	return d, false
}
