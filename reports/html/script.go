package html

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
)

// Limits of a script.
const (
	mostSteps      = 40
	mostExpected   = 20
	mostScript     = 48 << 10 // bytes
	mostStepBody   = 16 << 10 // bytes of one request's body
	mostCarried    = 2000     // strings from all replies that are tried
	leastCarried   = 6        // minimum length of a value that counts as carried from a reply
	mostCarriedLen = 512
)

// scripted is the input of a script.
type scripted struct {
	scenario  results.ScenarioResult
	address   string
	keyHeader string // header of the credential, "" for a bearer token
	checks    []results.Check
	t         *replies
}

// script returns a shell script that reproduces a violation with curl and jq. It repeats the requests that led to the
// violation and carries the target's ids from replies into later requests. It holds no credential. For an agent, the
// script pipes the recorded input into its command. It is "" if there is nothing to send.
func (s scripted) script() string {
	looks, _ := entriesFor(s.checks, s.t)
	if len(looks) == 0 {
		return ""
	}
	if e := s.t.Entry(looks[len(looks)-1]); e != nil && e.Process != nil {
		return s.turns(looks)
	}
	w := &writer{scripted: s, vars: carriedValues(s.t.Transcript, looks[len(looks)-1]), needed: map[string]string{}}
	w.steps = w.pick(looks)
	if len(w.steps) == 0 {
		return ""
	}
	for i, n := range w.steps {
		if w.body.Len() > mostScript || i == mostSteps {
			fmt.Fprintf(&w.body, "\n# %d more requests are left out: see the transcript\n", len(w.steps)-i)
			break
		}
		w.step(i, n)
	}
	for _, n := range looks {
		if e := s.t.Entry(n); e != nil && e.Kind == "inbound" && e.Request != nil {
			fmt.Fprintf(&w.body, "\n# %d  the target sends this to %s, where somebody has to listen\n", n, comment(e.Request.URL))
		}
	}
	w.expectations(&w.body)
	return w.head() + w.body.String()
}

// turns returns a script that pipes the recorded inputs into the agent's command. Turns need no preparation, because a
// turn's input holds its state.
func (s scripted) turns(looks []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n# %s\nset -u\n", textsafe.Line(s.scenario.ID))
	for _, n := range looks {
		e := s.t.Entry(n)
		if e == nil || e.Process == nil {
			continue
		}
		p := e.Process
		fmt.Fprintf(&b, "\n# %d  %s\n", n, comment(e.Label))
		switch {
		case int64(len(p.Input)) != p.InputBytes || len(p.Input) > mostScript || unprintable(asJSON(p.Input)):
			fmt.Fprintf(&b, "# it was handed %d bytes, which are not all here: see the transcript\n", p.InputBytes)
			continue
		case len(p.Command) == 0:
			b.WriteString("# there was no command: the program was called as a function\n")
			continue
		}
		words := make([]string, len(p.Command))
		for i, c := range p.Command {
			words[i] = textsafe.Shell(textsafe.Line(c))
		}
		fmt.Fprintf(&b, "printf '%%s' %s |\n  %s\n", textsafe.Shell(asJSON(p.Input)), strings.Join(words, " "))
	}
	s.expectations(&b)
	return b.String()
}

// writer writes a script of requests.
type writer struct {
	scripted
	vars   []*carried
	steps  []int
	needed map[string]string // required variable -> its description
	keyed  bool              // the script sends the credential
	body   strings.Builder
}

// pick selects the requests that the looks depend on: those whose replies gave the values in them, and those that acted
// on the same things before. Before each of these it keeps a read, because the target may need the time.
func (w *writer) pick(looks []int) []int {
	picked, names := map[int]bool{}, map[*carried]bool{}
	var add func(n int)
	add = func(n int) {
		if picked[n] {
			return
		}
		picked[n] = true
		for _, v := range w.vars {
			if v.in(w.t.Entry(n)) && v.from < n && !names[v] {
				names[v] = true
				add(v.from)
			}
		}
	}
	last := looks[len(looks)-1]
	for _, n := range looks {
		add(n)
	}
	for n := last - 1; n > 0; n-- {
		e := w.t.Entry(n)
		if e.Request == nil || e.Kind == "inbound" || picked[n] {
			continue
		}
		about := slices.ContainsFunc(w.vars, func(v *carried) bool { return names[v] && v.from < n && v.in(e) })
		if about && (excerpt.Acts(*e) || w.actsNext(picked, n, last)) {
			add(n)
		}
	}
	var out []int
	for n := 1; n <= last; n++ {
		if e := w.t.Entry(n); picked[n] && e.Request != nil && e.Kind != "inbound" {
			out = append(out, n)
		}
	}
	return out
}

// actsNext reports whether the next picked request after n acts.
func (w *writer) actsNext(picked map[int]bool, n, last int) bool {
	for m := n + 1; m <= last; m++ {
		if picked[m] {
			return excerpt.Acts(*w.t.Entry(m))
		}
	}
	return false
}

func (w *writer) head() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n# %s\n", textsafe.Line(w.scenario.ID))
	b.WriteString("# needs curl and jq; what is carried from one reply into the next request is a variable\nset -eu\n")
	fmt.Fprintf(&b, "BASE=${BASE:-%s}\n", safeDefault(w.address))
	if w.keyed {
		b.WriteString(": \"${ASSAY_KEY:?the key of the target}\"\n")
	}
	names := make([]string, 0, len(w.needed))
	for name := range w.needed {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, ": \"${%s:?%s}\"\n", name, w.needed[name])
	}
	b.WriteString("reply=$(mktemp)\ntrap 'rm -f \"$reply\"' EXIT\n")
	return b.String()
}

// step writes one request, and extracts from its reply the values that later requests need.
func (w *writer) step(i, n int) {
	e := w.t.Entry(n)
	fmt.Fprintf(&w.body, "\n# %d  %s\n", n, comment(e.Label))
	if i > 0 {
		if gap := w.gap(w.steps[i-1], n); gap > 0 {
			fmt.Fprintf(&w.body, "sleep %d\n", gap)
		}
	}
	body := asJSON(e.Request.Body)
	if len(body) > mostStepBody || unprintable(body) {
		fmt.Fprintf(&w.body, "# its body of %d bytes is not for a script: see the transcript\n", len(e.Request.Body))
		return
	}
	fmt.Fprintf(&w.body, "curl -sS -o \"$reply\" -w '%%{http_code}\\n'")
	if e.Kind == "stream" {
		w.body.WriteString(" -N --max-time 3")
	}
	if m := e.Request.Method; m != http.MethodGet {
		fmt.Fprintf(&w.body, " -X %s", textsafe.Shell(textsafe.Line(m)))
	}
	fmt.Fprintf(&w.body, " %s", w.url(e.Request.URL, n))
	for _, name := range headers(e.Request.Header) {
		fmt.Fprintf(&w.body, " \\\n  -H %s", w.header(name, e.Request.Header[name], n))
	}
	if body != "" {
		fmt.Fprintf(&w.body, " \\\n  --data-binary %s", w.word(body, n))
	}
	if e.Kind == "stream" {
		w.body.WriteString(" || true")
	}
	w.body.WriteByte('\n')
	for _, v := range w.vars {
		if v.from == n && w.used(v) {
			fmt.Fprintf(&w.body, "%s=$(jq -r %s \"$reply\")\n", v.name, textsafe.Shell(path(v.pointer)))
		}
	}
	w.shown(n)
}

// used reports whether a later step sends the value of a variable.
func (w *writer) used(v *carried) bool {
	return slices.ContainsFunc(w.steps, func(n int) bool { return n > v.from && v.in(w.t.Entry(n)) })
}

// gap returns the whole seconds between two entries of the transcript, which the target may have needed.
func (w *writer) gap(before, n int) int {
	a, b := w.t.Entry(before), w.t.Entry(n)
	seconds := b.At.Sub(a.At).Seconds() - float64(a.Micros)/1e6
	if seconds < 0.1 {
		return 0
	}
	return min(int(math.Ceil(seconds)), 60)
}

// shown prints the checked values of this reply.
func (w *writer) shown(n int) {
	var done []string
	for _, c := range w.checks {
		if int(c.Exchange) != n || c.Part != "" {
			continue
		}
		filter := path(c.Pointer)
		if places := marked(c, w.t); len(places) > 1 {
			filter = gatherFilter(c.Pointer, kindOf(c, w.t))
		}
		if !slices.Contains(done, filter) {
			done = append(done, filter)
			fmt.Fprintf(&w.body, "jq -c %s \"$reply\"\n", textsafe.Shell(filter))
		}
	}
}

// expectations ends a script with the expected and the actual values.
func (s scripted) expectations(b *strings.Builder) {
	for _, c := range s.checks[:min(len(s.checks), mostExpected)] {
		fmt.Fprintf(b, "\n# %s expected %s\n#   in %s\n", comment(c.Requirement), comment(c.Expected), comment(excerpt.Place(c)))
		fmt.Fprintf(b, "#   it was %s\n", comment(c.Actual))
	}
	if more := len(s.checks) - mostExpected; more > 0 {
		fmt.Fprintf(b, "\n# %d more expectations are left out: see results.json\n", more)
	}
}
