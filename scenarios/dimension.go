package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios/pairs"
	"github.com/openassay/assay/scenarios/wire"
)

// Depth selects the ranges that drives draw from: how many, how long, how large.
type Depth int

const (
	Quick    Depth = iota // small values, for tests and for a save in the editor
	Standard              // every dimension beyond its small values
	Deep                  // values beyond what an implementer would try
)

var depths = []string{"quick", "standard", "deep"}

func (d Depth) String() string { return depths[d] }

// ParseDepth returns the depth of this name.
func ParseDepth(name string) (Depth, error) {
	if i := slices.Index(depths, name); i >= 0 {
		return Depth(i), nil
	}
	return 0, fmt.Errorf("%q is no depth: give %s", name, strings.Join(depths, ", "))
}

// limits are those of a certification at this depth: what is larger takes more room.
func (d Depth) limits() wire.Limits {
	l := wire.DefaultLimits()
	for _, all := range []*int64{&l.DriveBytes, &l.KeptBytes, &l.OwnBytes} {
		*all *= []int64{Quick: 1, Standard: 2, Deep: 4}[d]
	}
	l.LiveBytes *= []int64{Quick: 1, Standard: 3, Deep: 6}[d] // the larger drives last longer, so that more of them hold theirs at once
	return l
}

// Dimension is a parameter of drives that is drawn from the seed: its range and its edges. A drive declares those that it
// draws, in [Drive.Dimensions].
type Dimension struct {
	Name  string // what it counts or measures, as a noun: turns of a loop
	Least int
	Most  [Deep + 1]int // the largest value at each depth
	Edges []int         // where hosts often go wrong; one draw in two takes an edge
}

// String is the dimension in a line.
func (d *Dimension) String() string {
	most := make([]string, len(d.Most))
	for depth, n := range d.Most {
		most[depth] = fmt.Sprintf("%d at %s", n, Depth(depth))
	}
	line := fmt.Sprintf("%s: %d to %s", d.Name, d.Least, strings.Join(most, ", "))
	if len(d.Edges) > 0 {
		line += fmt.Sprintf("; half of the time one of %v", d.Edges)
	}
	return line
}

// Draw is [Conn.DrawUpTo] without a limit of the target's.
func (c *Conn) Draw(d *Dimension) int { return c.DrawUpTo(d, d.Most[c.Depth], "") }

// DrawUpTo draws a value of a dimension that the drive declares. most is the largest that the target can be asked for, and why
// names the limit; it must not be below the least. Where the range is wide, each order of magnitude is as likely as the next.
func (c *Conn) DrawUpTo(d *Dimension, most int, why string) int {
	if !slices.Contains(c.declared, d) {
		panic("the drive does not declare that it draws the " + d.Name)
	}
	if whole := d.Most[c.Depth]; most >= whole {
		most, why = whole, ""
	}
	edges := slices.DeleteFunc(slices.Clone(d.Edges), func(e int) bool { return e < d.Least || e > most })
	return c.Rand.of(d.Name, d.Least, most, edges, why)
}

// of draws a value of a dimension, between two others, and notes for whom.
func (d *Draws) of(name string, least, most int, edges []int, narrowed string) int {
	n := d.spread(least, most)
	if edge := d.random.IntN(2 * max(1, len(edges))); edge < len(edges) {
		n = edges[edge]
	}
	if d.cover != nil && name != "" {
		if best := d.cover.Best(name, classes(least, most, edges)); len(best) > 0 {
			if n = best[d.random.IntN(len(best))]; n == between {
				n = d.spread(least, most)
				for classOf(n, least, most, edges) != between { // the next that is no edge
					n = least + (n-least+1)%(most-least+1)
				}
			}
		}
		d.cover.Take(name, classOf(n, least, most, edges))
	}
	before := len(d.noted)
	d.note(n, "of", append([]int{least, most}, edges...)...)
	for i := range d.noted[before:] { // none where there are too many
		d.noted[before+i].For, d.noted[before+i].Narrowed = name, narrowed
	}
	return n
}

// between is the class of all values of a dimension that are no edge of it.
const between = math.MinInt

// classes are what counts as another value of a dimension: its ends, its edges, and anything between them.
func classes(least, most int, edges []int) []int {
	out := []int{least}
	for _, n := range append([]int{most}, edges...) {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	if most-least >= len(out) {
		out = append(out, between)
	}
	return out
}

func classOf(n, least, most int, edges []int) int {
	if n == least || n == most || slices.Contains(edges, n) {
		return n
	}
	return between
}

// Program begins what the next draws are about together, such as a program. At depth deep, each value of one dimension that is drawn
// for it soon comes together with each value of every other; at depth standard this holds for [Drive.Interactions].
func (c *Conn) Program() {
	switch c.Depth {
	case Standard:
		if len(c.interactions) > 0 {
			c.Rand.program(interactions(c.interactions))
		}
	case Deep:
		c.Rand.program(nil)
	}
}

// interactions are the names of pairs of dimensions.
func interactions(pairs [][2]*Dimension) [][2]string {
	out := make([][2]string, len(pairs))
	for i, p := range pairs {
		out[i] = [2]string{p[0].Name, p[1].Name}
	}
	return out
}

// program begins a row of pairs, and notes which count; nil: all.
func (d *Draws) program(wanted [][2]string) {
	if d.cover == nil {
		d.cover = &pairs.Cover{Wanted: wanted}
	}
	d.cover.Next()
	d.note(wanted, "program")
}

// spread draws an integer from least to most. Above 32 each length in bits is as likely as the next.
func (d *Draws) spread(least, most int) int {
	const narrow = 32
	if most-least <= narrow || least < 0 {
		return least + d.random.IntN(most-least+1)
	}
	from, to := bits.Len(uint(least)), bits.Len(uint(most))
	size := from + d.random.IntN(to-from+1)
	low, high := max(least, 1<<max(0, size-1)), min(most, 1<<size-1)
	if size == 0 {
		low, high = 0, 0
	}
	return low + d.random.IntN(high-low+1)
}

// misdrawn returns an error if the drive does not note that at this depth.
func misdrawn(noted []Draw, drive DriveMeta, depth Depth) error {
	wanted := map[Depth][][2]string{Standard: interactions(drive.Interactions), Deep: nil}
	for _, n := range noted {
		if n.Of == "program" {
			table, known := wanted[depth]
			if is, err := json.Marshal(table); err != nil || !known || !bytes.Equal(is, n.Is) {
				return fmt.Errorf("it notes pairs %s, and at depth %s the drive has %s", n.Is, depth, is)
			}
		}
		if n.For == "" && n.Narrowed == "" {
			continue
		}
		i := slices.IndexFunc(drive.Dimensions, func(d *Dimension) bool { return d.Name == n.For })
		if i < 0 {
			return fmt.Errorf("it notes what it drew for %q, which the drive does not draw", n.For)
		}
		d := drive.Dimensions[i]
		of := fmt.Sprintf("of %d %d", d.Least, d.Most[depth])
		if n.Narrowed == "" && n.Of != of && !strings.HasPrefix(n.Of, of+" ") {
			return fmt.Errorf("it notes that it drew %q for the %s, and at depth %s that is %q", n.Of, d.Name, depth, of)
		}
	}
	return nil
}
