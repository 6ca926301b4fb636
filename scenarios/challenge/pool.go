package challenge

import (
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// pool holds what targets sent, as texts to change others into: plausible values turn more than invented ones.
type pool struct {
	words    map[string][]string // name of a member -> scalars that stood there, as JSON
	objects  map[string][]string // name of a member -> objects that stood there
	elements map[string][]sample // name of an array -> one element of each sort
}

type sample struct{ sort, text string }

const (
	mostWords    = 16  // of a member
	mostElements = 120 // sorts of elements of an array
	mostAlike    = 12  // elements of no sort
	mostObjects  = 4   // of a member
)

func newPool() *pool {
	return &pool{map[string][]string{}, map[string][]string{}, map[string][]sample{}}
}

// gather adds all that the transcript of a drive holds.
func (p *pool) gather(d scenarios.DriveRecord) {
	for n := 1; n <= d.Transcript.Len(); n++ {
		if text, ok := d.Transcript.Text(n, ""); ok {
			p.add("", text)
		}
		for k := 1; ; k++ {
			text, ok := d.Transcript.Text(n, eventPart(k))
			if !ok {
				break
			}
			p.add("", text)
		}
	}
}

// add adds a value that stood below a name.
func (p *pool) add(name, text string) {
	list, isObject, ok := items(text)
	if !ok {
		if known := p.words[name]; name != "" && text != "" && len(known) < mostWords && len(text) < 200 && !slices.Contains(known, text) {
			p.words[name] = append(known, text)
		}
		return
	}
	if known := p.objects[name]; isObject && name != "" && len(text) < 1000 && len(known) < mostObjects && !slices.Contains(known, text) {
		p.objects[name] = append(known, text)
	}
	for _, it := range list {
		if isObject {
			p.add(it.name, it.value)
			continue
		}
		p.element(name, it.value)
		p.add(name, it.value)
	}
}

// element adds an element of an array: one of each sort, some of those that are of no sort.
func (p *pool) element(name, text string) {
	if len(p.elements[name]) >= mostElements || len(text) > 4000 {
		return
	}
	sort, alike := sortOf(text), 0
	for _, s := range p.elements[name] {
		if s.sort == sort {
			alike++
		}
	}
	if alike == 0 || sort == "" && alike < mostAlike {
		p.elements[name] = append(p.elements[name], sample{sort, text})
	}
}

// sorting are the members that tell sorts of elements apart.
var sorting = [][]string{{"type"}, {"kind"}, {"event_type"}, {"name"}, {"payload", "phase"}, {"payload", "decision", "kind"}, {"status"}}

// sortOf returns what tells an element from others of its list; "" for a scalar, and for an object without such a member.
func sortOf(text string) string {
	if !strings.HasPrefix(text, "{") {
		return ""
	}
	var words []string
	for _, path := range sorting {
		if word, ok := at(text, path); ok && strings.HasPrefix(word, `"`) {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return ""
	}
	list, _, _ := items(text)
	for _, it := range list { // the same sort may name a member now and then
		words = append(words, it.name)
	}
	return strings.Join(words, " ")
}

// others returns values that stood below a name, of the type of text, other than text.
func (p *pool) others(name, text string) []string {
	var out []string
	for _, w := range p.words[name] {
		if w != text && typeOf(w) == typeOf(text) && w != `""` {
			out = append(out, w)
		}
	}
	return out
}

// nameOf returns the member that a place is in or below, without indexes.
func nameOf(path []string) string {
	for _, s := range slices.Backward(path) {
		if strings.Trim(s, "0123456789-") != "" {
			return s
		}
	}
	return ""
}

func decoded(text string) any {
	v, err := wire.Decode(text)
	if err != nil {
		return nil
	}
	return v
}
