// Package progress tells a person how far long work is, such as a certification: one line that is written over again on a terminal, a
// line now and then elsewhere.
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

	of    string   // what is counted
	order []string // the words that it can end with, as they are told

	mu    sync.Mutex
	eta   bool // say when it will be over
	began time.Time
	total int
	n     map[string]int
	said  time.Time // when a count was last written
	shown bool      // a live line stands on the terminal
}

// every is how often a count is written where lines cannot be written over.
const every = 5 * time.Second

// New writes to w. live means that w is a terminal. It counts things of a kind by the words that they end with, and tells
// these in the order given.
func New(w io.Writer, live bool, now func() time.Time, of string, order ...string) *Printer {
	return &Printer{w: w, live: live, now: now, of: of, order: order, n: map[string]int{}}
}

// Say writes a line of its own.
func (p *Printer) Say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line(fmt.Sprintf(format, args...))
}

// Estimate has every count say how long the rest will take, once a tenth is done.
func (p *Printer) Estimate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eta = true
}

// Begin says how many there will be.
func (p *Printer) Begin(total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total, p.said, p.began = total, p.now(), p.now()
	p.count("")
}

// Ended takes note of one that ended with a word. alarm is told at once, in a line of its own; "" for none.
func (p *Printer) Ended(name, word, alarm string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n[word]++
	if alarm != "" {
		p.line(fmt.Sprintf("%s  %s: %s", word, name, textsafe.Clip(alarm, 120)))
	}
	if p.total > 0 { // some end before it is known how many there are
		p.count(name)
	}
}

// End takes the live line away.
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
	for _, word := range p.order {
		if p.n[word] > 0 {
			done += p.n[word]
			words = append(words, fmt.Sprintf("%d %s", p.n[word], word))
		}
	}
	state := fmt.Sprintf("%d of %d %s", done, p.total, p.of)
	if len(words) > 0 {
		state += ": " + strings.Join(words, ", ")
	}
	state += p.left(done)
	switch {
	case p.live:
		p.clear()
		if latest != "" {
			state += "  " + latest
		}
		io.WriteString(p.w, textsafe.Clip(state, 78)) // a line that wraps could not be taken back
		p.shown = true
	case done > 0 && p.now().Sub(p.said) >= every:
		p.said = p.now()
		p.line(state)
	}
}

// left is how long the rest will take at the pace so far, "" where that cannot be told yet.
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
