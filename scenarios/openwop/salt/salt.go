// Package salt draws the names of fixtures, so that no host can know beforehand what it is asked about. A salt gives each workflow,
// node, variable, agent and text of the published fixtures a name of its own, the same wherever the salt is the same.
package salt

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/openassay/assay/scenarios"
)

// Names are a bijection between published names and drawn ones. A nil Names changes nothing.
type Names struct {
	salt string
	// drawn holds the drawn name of each published one; published is its inverse.
	drawn, published map[string]string
	// ids are the published ids of workflows. They are swapped with theirs: a target that says a published id does not say the drawn one.
	ids map[string]bool
	// inside are the published ids of nodes, which are ordinary words: they are swapped where a member names a node.
	inside map[string]bool
	// anywhere are published names that are no ordinary words, and so are replaced wherever a request has them.
	anywhere map[string]bool
	files    fs.FS // the fixtures with drawn names
}

// New draws the names of fixtures, <id>.json each. An error means that a fixture cannot be read.
func New(fixtures fs.FS, salt string) (*Names, error) {
	n := &Names{salt: salt, drawn: map[string]string{}, published: map[string]string{}, ids: map[string]bool{}, inside: map[string]bool{},
		anywhere: map[string]bool{}}
	entries, err := fs.ReadDir(fixtures, ".")
	if err != nil {
		return nil, fmt.Errorf("draw the names of fixtures: %w", err)
	}
	documents := make([]map[string]any, len(entries))
	for i, e := range entries {
		raw, err := fs.ReadFile(fixtures, e.Name())
		if err == nil {
			decoder := json.NewDecoder(bytes.NewReader(raw))
			decoder.UseNumber()
			err = decoder.Decode(&documents[i])
		}
		if err != nil {
			return nil, fmt.Errorf("draw the names of the fixture %s: %w", e.Name(), err)
		}
		n.ids[strings.TrimSuffix(e.Name(), path.Ext(e.Name()))] = true
	}
	g := &gathered{n: n, kinds: map[string]kind{}, seen: map[string]bool{}}
	for _, d := range documents {
		g.definition(d)
	}
	n.draw(g)
	written := map[string][]byte{}
	for _, d := range documents {
		renamed := rename{n}.definition(d)
		raw, err := json.MarshalIndent(renamed, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("write the fixture %v: %w", d["id"], err)
		}
		written[textOf(renamed["id"])] = append(raw, '\n')
	}
	n.files, err = files(written)
	return n, err
}

// Salt returns what the names follow from.
func (n *Names) Salt() string { return n.salt }

// Published returns the published name of a drawn one, or the name itself.
func (n *Names) Published(name string) string {
	if is, ok := n.published[name]; ok {
		return is
	}
	return name
}

// Drawn returns the drawn name of a published one, or the name itself.
func (n *Names) Drawn(name string) string {
	if n == nil {
		return name
	}
	if is, ok := n.drawn[name]; ok {
		return is
	}
	return name
}

// kind says how a name is drawn.
type kind int

const (
	workflow kind = iota // two words
	inner                // of a node or a variable: two words, the second with a capital
	text                 // a sentence
	word                 // of the shape of the published one
	nodeType             // of ours, which an engine knows by a name without ours in it as well
)

// neutralTypes begins the second names of the types of nodes that are none of the protocol's (docs/seams.md).
const neutralTypes = "vendor.sample."

// draw draws a name for each that was gathered. Each name follows from the salt and the published one alone, so that a new fixture
// leaves the others as they are; the few that meet one that is taken are drawn again, in the order of the published names.
func (n *Names) draw(g *gathered) {
	for _, published := range slices.Sorted(maps.Keys(g.kinds)) {
		for again := 0; ; again++ {
			name := n.of(g.kinds[published], published, again)
			if _, taken := n.published[name]; !taken && !g.seen[name] {
				n.drawn[published], n.published[name] = name, published
				break
			}
		}
	}
}

var list = sync.OnceValue(scenarios.Words)

// of returns a drawn name. Up to eight words follow from one digest.
func (n *Names) of(k kind, published string, again int) string {
	at, sum := 0, [32]byte{}
	next := func() string {
		if at%8 == 0 {
			sum = sha256.Sum256(fmt.Appendf(nil, "fixture\x00%s\x00%s\x00%d\x00%d", n.salt, published, again, at))
		}
		words := list()
		w := words[binary.BigEndian.Uint32(sum[4*(at%8):])%uint32(len(words))]
		at++
		return w
	}
	switch k {
	case workflow:
		return next() + "-" + next()
	case inner:
		return next() + capital(next())
	case nodeType:
		return neutralTypes + published[strings.LastIndexByte(published, '.')+1:]
	case text:
		return capital(next()) + " " + next() + " " + next() + " " + next() + "."
	}
	var out strings.Builder
	inside := false
	for _, r := range published {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		switch {
		case !letter:
			out.WriteRune(r)
		case !inside:
			out.WriteString(next())
		}
		inside = letter
	}
	if again > 0 || !strings.ContainsAny(published, "-._/") { // one word alone is no name
		out.WriteString("-" + next())
	}
	return out.String()
}

func capital(w string) string { return strings.ToUpper(w[:1]) + w[1:] }

// Files returns the fixtures with drawn names, <drawn id>.json each.
func (n *Names) Files() fs.FS { return n.files }

// Pairs returns the published and the drawn ids of workflows, in the order of the published ones.
func (n *Names) Pairs() (pairs [][2]string) {
	for _, id := range slices.SortedFunc(maps.Keys(n.ids), cmp.Compare[string]) {
		pairs = append(pairs, [2]string{id, n.drawn[id]})
	}
	return pairs
}
