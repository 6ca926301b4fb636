package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/openassay/assay/scenarios/pairs"
)

// Draws is the randomness of a drive. It notes what it draws, so that whoever has the seed, the run id and the notes can draw
// the same again. Only one goroutine may use it.
type Draws struct {
	random *rand.Rand
	names  names
	noted  []Draw
	cover  *pairs.Cover // of the dimensions of a drive; nil where values do not depend on one another
}

// Draw is one draw, as the transcript of the drive has it.
type Draw struct {
	Of string          `json:"of"` // the kind of draw and its arguments, as "between 3 7"
	Is json.RawMessage `json:"is"` // a number, a list of numbers, an id or a name

	For      string `json:"for,omitempty"`      // the name of a [Dimension]
	Narrowed string `json:"narrowed,omitempty"` // the limit of the target that narrowed its range
}

// MostDraws is how many draws of a drive are noted, the first ones.
const MostDraws = 4096

// Bounds of orders that are drawn again: the length of one, and all that [Redraw] draws together. Those of a certification have
// some thousand elements.
const (
	mostOrdered = 1 << 16
	mostRedrawn = 1 << 20
)

// NewDraws derives a drive's randomness from the seed, so that a scenario sends the same values alone as among others, and
// its names from the run id.
func NewDraws(seed uint64, run, drive string) *Draws {
	h := fnv.New64a()
	h.Write([]byte(drive))
	d := &Draws{random: rand.New(rand.NewPCG(seed, h.Sum64())), names: names{run: run, drive: drive}}
	d.random.Uint64() // a name space took it once: what a seed asks stays as it was
	return d
}

func (d *Draws) note(value any, kind string, numbers ...int) {
	if len(d.noted) == MostDraws {
		return
	}
	for _, n := range numbers {
		kind += " " + strconv.Itoa(n)
	}
	is, _ := json.Marshal(value) // numbers and texts always encode
	d.noted = append(d.noted, Draw{Of: kind, Is: is})
}

// Between draws an integer from least to most, inclusive.
func (d *Draws) Between(least, most int) int {
	n := least + d.random.IntN(most-least+1)
	d.note(n, "between", least, most)
	return n
}

// IntN draws an integer from 0 to below n.
func (d *Draws) IntN(n int) int { return d.Between(0, n-1) }

// Perm draws an order of the numbers from 0 to below n.
func (d *Draws) Perm(n int) []int {
	order := d.random.Perm(n)
	d.note(order, "order", n)
	return order
}

// Shuffle brings n elements into another order, by swaps.
func (d *Draws) Shuffle(n int, swap func(i, j int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	d.random.Shuffle(n, func(i, j int) {
		order[i], order[j] = order[j], order[i]
		swap(i, j)
	})
	d.note(order, "shuffle", n)
}

// Float64 draws a number from 0 to below 1.
func (d *Draws) Float64() float64 {
	f := d.random.Float64()
	d.note(f, "share")
	return f
}

// Uint64 draws 64 bits.
func (d *Draws) Uint64() uint64 {
	n := d.random.Uint64()
	d.note(n, "bits")
	return n
}

// ID draws a UUID of version 4.
func (d *Draws) ID() string {
	var b [16]byte
	for i := range b {
		b[i] = byte(d.random.UintN(256)) //nolint:gosec // below 256
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	id := fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	d.note(id, "id")
	return id
}

// name draws a name, which the run id alone chooses.
func (d *Draws) name() string {
	d.random.Uint64() // as in NewDraws
	name := d.names.next()
	d.note(name, "name")
	return name
}

// again makes the draw that a note describes. It returns false if no drive writes such a note. work is the number of elements
// that orders may still have, and is lowered.
func (d *Draws) again(noted Draw, work *int) bool {
	kind, rest, _ := strings.Cut(noted.Of, " ")
	var numbers []int
	for _, word := range strings.Fields(rest) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return false
		}
		numbers = append(numbers, n)
	}
	if kind == "order" || kind == "shuffle" {
		if len(numbers) != 1 || numbers[0] < 0 || numbers[0] > mostOrdered {
			return false
		}
		if *work -= numbers[0]; *work < 0 {
			return true
		}
	}
	switch {
	case kind == "between" && len(numbers) == 2 && numbers[1]-numbers[0] >= 0 && numbers[1]-numbers[0] < 1<<62:
		d.Between(numbers[0], numbers[1])
	case kind == "of" && len(numbers) >= 2 && len(numbers) < 64 && numbers[1] >= numbers[0] && numbers[1] < 1<<62 && numbers[0] > -1<<61:
		d.of(noted.For, numbers[0], numbers[1], numbers[2:], "")
	case kind == "order":
		d.Perm(numbers[0])
	case kind == "shuffle":
		d.Shuffle(numbers[0], func(int, int) {})
	case len(numbers) > 0:
		return false
	case kind == "program":
		var wanted [][2]string
		if json.Unmarshal(noted.Is, &wanted) != nil {
			return false
		}
		d.program(wanted)
	case kind == "share":
		d.Float64()
	case kind == "bits":
		d.Uint64()
	case kind == "id":
		d.ID()
	case kind == "name":
		d.name()
	default:
		return false
	}
	return true
}

// follow makes the draws that an earlier part of the drive noted, so that the next ones differ from them.
func (d *Draws) follow(noted []Draw) {
	work := mostRedrawn
	for _, n := range noted {
		d.again(n, &work)
	}
}

// ErrManyDraws means that drives noted orders of more elements than any certification draws. They are not drawn again.
var ErrManyDraws = fmt.Errorf("orders of more than %d elements in all", mostRedrawn)

// Redraw draws again what drives noted that they drew, and returns an error for the first value that differs, with the drive.
func Redraw(drives []DriveRecord, seed uint64, run string) (drive string, err error) {
	work := mostRedrawn
	for _, d := range drives {
		if err := d.redraw(seed, run, &work); err != nil {
			return d.ID, err
		}
	}
	return "", nil
}

func (d DriveRecord) redraw(seed uint64, run string, work *int) error {
	again := NewDraws(seed, run, d.ID)
	for i, noted := range d.Drawn[:min(len(d.Drawn), MostDraws)] {
		known := again.again(noted, work)
		switch {
		case *work < 0:
			return fmt.Errorf("the drive %s noted %q: %w", d.ID, noted.Of, ErrManyDraws)
		case !known || again.noted[i].Of != noted.Of:
			return fmt.Errorf("the drive %s noted that it drew %q, which is no draw", d.ID, noted.Of)
		}
		if want := again.noted[i].Is; !bytes.Equal(want, noted.Is) {
			return fmt.Errorf("the drive %s noted %s as its draw %d, of %q, and it is %s", d.ID, noted.Is, i+1, noted.Of, want)
		}
	}
	return nil
}
