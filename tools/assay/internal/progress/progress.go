// Package progress shows a person how far long work is, such as a certification: in one line that is overwritten on a
// terminal, in an occasional line elsewhere.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/internal/textsafe"
)

// Printer writes progress. Its methods may be called from several goroutines.
type Printer struct {
	w    io.Writer
	live bool
	now  func() time.Time

	of    string   // what is counted, such as scenarios
	order []string // results, in the order in which they are shown

	mu    sync.Mutex
	eta   bool // whether to estimate the time left
	began time.Time
	total int
	n     map[string]int // by result
	last  time.Time      // when a count was last written
	shown bool           // whether the terminal shows a live line
}

// interval separates counts where lines cannot be overwritten.
const interval = 5 * time.Second

// New returns a printer that writes to w. live means that w is a terminal. The printer counts items, called of, by
// their results, and shows the results in the given order.
func New(w io.Writer, live bool, now func() time.Time, of string, order ...string) *Printer {
	return &Printer{w: w, live: live, now: now, of: of, order: order, n: map[string]int{}}
}

// Say writes a separate line.
func (p *Printer) Say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line(fmt.Sprintf(format, args...))
}

// Estimate adds the estimated time left to every count, once a tenth is done.
func (p *Printer) Estimate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eta = true
}

// Begin sets the total and shows the first count.
func (p *Printer) Begin(total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total, p.last, p.began = total, p.now(), p.now()
	p.count("")
}

// Ended counts an item by its result, one of those given to New. An alarm that is not empty is written at once, in a
// separate line.
func (p *Printer) Ended(name, result, alarm string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n[result]++
	if alarm != "" {
		p.line(fmt.Sprintf("%s  %s: %s", result, name, textsafe.Clip(alarm, 120)))
	}
	if p.total > 0 { // items may end before Begin sets the total
		p.count(name)
	}
}

// At shows how much of a total is done, with the words for what is done.
func (p *Printer) At(doing string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last.IsZero() {
		p.last = p.now()
	}
	p.show(fmt.Sprintf("%s: %d of %d", doing, done, total), "", done)
}

// End removes the live line.
func (p *Printer) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Printer) line(s string) {
	p.clear()
	fmt.Fprintln(p.w, textsafe.Log(s))
}

func (p *Printer) clear() {
	if p.shown {
		io.WriteString(p.w, "\r\x1b[K")
		p.shown = false
	}
}

func (p *Printer) count(latest string) {
	done := 0
	var words []string
	for _, result := range p.order {
		if p.n[result] > 0 {
			done += p.n[result]
			words = append(words, fmt.Sprintf("%d %s", p.n[result], result))
		}
	}
	state := fmt.Sprintf("%d of %d %s", done, p.total, p.of)
	if len(words) > 0 {
		state += ": " + strings.Join(words, ", ")
	}
	p.show(state+p.left(done), latest, done)
}

// show writes how far the work is. latest is what was done last, for a terminal alone.
func (p *Printer) show(state, latest string, done int) {
	switch {
	case p.live:
		p.clear()
		if latest != "" {
			state += "  " + latest
		}
		io.WriteString(p.w, textsafe.Clip(state, 78)) // a line that wraps could not be cleared
		p.shown = true
	case done > 0 && p.now().Sub(p.last) >= interval:
		p.last = p.now()
		p.line(state)
	}
}

// left returns the estimated time left at the pace so far, or "" if it is too early or too late to estimate.
func (p *Printer) left(done int) string {
	if !p.eta || done == 0 || done*10 < p.total || done >= p.total {
		return ""
	}
	rest := p.now().Sub(p.began) / time.Duration(done) * time.Duration(p.total-done)
	if rest < time.Second {
		return ""
	}
	return fmt.Sprintf(", about %s left", rest.Round(time.Second))
}
