// Package param says what may be set of a fault, beside that it is committed: from which chance on it shows, and on whom.
package param

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/internal/nearest"
)

// Param is what may be set of a fault: a whole number within a range, of which the least is the default, as the fault is proved;
// or, where Most is 0, a name.
type Param struct {
	Name, About string
	Least, Most int
}

// The parameters that most faults have.
var (
	From   = Param{Name: "from", About: "the chance to show from which on it does", Least: 1, Most: 5}
	Tenant = Param{Name: "tenant", About: "in whose name a request comes on which it acts"}
)

// Range says which values there are.
func (p Param) Range() string {
	if p.Most == 0 {
		return "any name"
	}
	return fmt.Sprintf("%d to %d", p.Least, p.Most)
}

// Values are what was set, by the name of the parameter.
type Values map[string]string

// Number returns the value of a parameter that is a number.
func (v Values) Number(p Param) int {
	if n, err := strconv.Atoi(v[p.Name]); err == nil {
		return n
	}
	return p.Least
}

// String is what was set, as [Set] reads it.
func (v Values) String() string {
	var set []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		set = append(set, name+"="+v[name])
	}
	return strings.Join(set, ",")
}

// Split takes what names a fault apart: its id, and what is set of it behind a colon: "loop.counts-twice:from=3".
func Split(spec string) (id, set string) {
	id, set, _ = strings.Cut(spec, ":")
	return id, set
}

// Set reads "name=value,name=value" as values of parameters. Its errors say what could be set.
func Set(id, set string, params []Param) (Values, error) {
	values := Values{}
	if set == "" {
		return values, nil
	}
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	for pair := range strings.SplitSeq(set, ",") {
		name, value, ok := strings.Cut(pair, "=")
		var p *Param
		for i := range params {
			if params[i].Name == name {
				p = &params[i]
			}
		}
		switch {
		case len(params) == 0:
			return nil, fmt.Errorf("fault %s has no parameters: leave off %q", id, ":"+set)
		case p == nil:
			hint := "it has " + strings.Join(names, ", ")
			if near := nearest.Name(name, names); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			return nil, fmt.Errorf("fault %s has no parameter %q: %s", id, name, hint)
		case !ok || !p.takes(value):
			return nil, fmt.Errorf("fault %s: %s=%s: give %s", id, name, value, p.Range())
		}
		if _, twice := values[name]; twice {
			return nil, fmt.Errorf("fault %s: %s is set twice", id, name)
		}
		values[name] = value
	}
	return values, nil
}

func (p Param) takes(value string) bool {
	n, err := strconv.Atoi(value)
	return p.Most == 0 && value != "" || err == nil && p.Least <= n && n <= p.Most
}

// Join is the reverse of Split.
func Join(id, set string) string { return strings.TrimSuffix(id+":"+set, ":") }

// Joined puts back together what a list with commas between its members took apart: "a:x=1,y=2,b" is "a:x=1,y=2" and "b".
func Joined(pieces []string) (specs []string) {
	for _, piece := range pieces {
		if last := len(specs) - 1; last >= 0 && strings.Contains(specs[last], ":") && !strings.Contains(piece, ":") &&
			strings.Contains(piece, "=") {
			specs[last] += "," + piece
			continue
		}
		specs = append(specs, piece)
	}
	return specs
}

// Drawn returns what a seed sets of a fault, as [Set] reads it: the same for the same seed, whatever else is drawn. No name is
// drawn.
func Drawn(id string, params []Param, seed uint64) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // it never fails
	random := rand.New(rand.NewPCG(seed, h.Sum64()))
	var set []string
	for _, p := range params {
		if p.Most > 0 {
			set = append(set, fmt.Sprintf("%s=%d", p.Name, p.Least+random.IntN(p.Most-p.Least+1)))
		}
	}
	return strings.Join(set, ",")
}
