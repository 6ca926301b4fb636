// Package progress tells a person how far a certification is: one line that is written over again on a terminal, a
// line now and then elsewhere.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
)

// Printer writes progress. Its methods may be called from several goroutines.
type Printer struct {
	w    io.Writer
	live bool
	now  func() time.Time

	mu    sync.Mutex
	total int
	n     map[scenarios.Verdict]int
	said  time.Time // when a count was last written
	shown bool      // a live line stands on the terminal
}

// every is how often a count is written where lines cannot be written over.
const every = 5 * time.Second

// New writes to w. live means that w is a terminal.
func New(w io.Writer, live bool, now func() time.Time) *Printer {
	return &Printer{w: w, live: live, now: now, n: map[scenarios.Verdict]int{}}
}

// Say writes a line of its own.
func (p *Printer) Say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line(fmt.Sprintf(format, args...))
}

// Begin says how many scenarios there will be.
func (p *Printer) Begin(total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total, p.said = total, p.now()
	p.count("")
}

// Ended takes note of an outcome. What speaks against the target or against Assay is told at once.
func (p *Printer) Ended(o scenarios.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n[o.Verdict]++
	if o.Verdict == scenarios.Failed || o.Verdict == scenarios.Broken {
		p.line(fmt.Sprintf("%s  %s: %s", o.Verdict, o.Scenario.ID, textsafe.Clip(o.Reason, 120)))
	}
	p.count(string(o.Scenario.ID))
}

// End takes the live line away.
func (p *Printer) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Printer) line(s string) {
	p.clear()
	fmt.Fprintln(p.w, s)
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
	for _, v := range scenarios.Verdicts {
		if p.n[v] > 0 {
			done += p.n[v]
			words = append(words, fmt.Sprintf("%d %s", p.n[v], v))
		}
	}
	state := fmt.Sprintf("%d of %d scenarios", done, p.total)
	if len(words) > 0 {
		state += ": " + strings.Join(words, ", ")
	}
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
