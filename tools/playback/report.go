package playback

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/internal/textsafe"
)

// Request says what became of equal requests of the client.
type Request struct {
	Method  string   `json:"method"`
	Path    string   `json:"path"`           // with the query, without credentials
	With    string   `json:"with,omitempty"` // headers that make it another request, such as Last-Event-ID
	Times   int      `json:"times"`
	Says    []string `json:"says,omitempty"`    // how it differs from what was recorded, or why there is no reply
	Nearest []Near   `json:"nearest,omitempty"` // recorded requests that are like it
}

// Never is what was recorded and not asked.
type Never struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Times  int    `json:"times"`
}

// Report says how a client did beside a recording. Requests that differ in nothing that is said of them are one row.
type Report struct {
	Host       string `json:"host"`
	Exchanges  int    `json:"exchanges"`  // of the recording
	Asked      int    `json:"asked"`      // requests in all
	AsRecorded int    `json:"asRecorded"` // answered as they were recorded
	WithNotes  int    `json:"withNotes"`  // answered, though they differ from what was recorded
	Left       int    `json:"left"`       // that the recording does not have
	Unkept     int    `json:"unkept"`     // whose replies are not in the recording

	LeftRequests   []Request `json:"leftRequests"`
	UnkeptRequests []Request `json:"unkeptRequests"`
	Notes          []Request `json:"notes"`
	Unlisted       int       `json:"unlisted"` // requests that stand in none of these lists, which are full
	NeverAsked     []Never   `json:"neverAsked"`
}

// outcome is what became of a request.
type outcome int

const (
	played outcome = iota
	left
	unkept
	outcomes
)

// tally counts the requests of a client.
type tally struct {
	times    [outcomes]int
	plain    int                  // of those that were played without notes
	rows     [outcomes][]*Request // in the order in which they came first
	known    [outcomes]map[string]*Request
	unlisted int
}

// mostRows bounds each list of a report.
const mostRows = 1000

// count counts a request. It reports whether nothing like it was counted before.
func (h *Host) count(o outcome, q Request) (first bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &h.tally
	t.times[o]++
	if o == played && len(q.Says) == 0 {
		t.plain++
		return false
	}
	id := fmt.Sprint(q.Method, " ", q.Path, " ", q.With, q.Says, q.Nearest)
	known := t.known[o][id]
	switch {
	case known != nil:
		known.Times++
		return false
	case len(t.rows[o]) == mostRows:
		t.unlisted++
		return false
	case t.known[o] == nil:
		t.known[o] = map[string]*Request{}
	}
	q.Times = 1
	t.known[o][id] = &q
	t.rows[o] = append(t.rows[o], &q)
	return true
}

// Report returns what came of the requests so far.
func (h *Host) Report() Report {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &h.tally
	listed := func(o outcome) []Request {
		out := []Request{}
		for _, q := range t.rows[o] {
			out = append(out, *q)
		}
		return out
	}
	r := Report{Host: h.origin, Exchanges: len(h.recorded.exchanges), AsRecorded: t.plain, WithNotes: t.times[played] - t.plain,
		Left: t.times[left], Unkept: t.times[unkept], LeftRequests: listed(left), UnkeptRequests: listed(unkept), Notes: listed(played),
		Unlisted: t.unlisted, NeverAsked: []Never{}}
	r.Asked = t.times[played] + r.Left + r.Unkept
	at := map[[2]string]int{} // method and address -> place
	for _, p := range h.recorded.inOrder {
		for _, row := range p.rows {
			for _, x := range row.exchanges {
				if x.asked > 0 {
					continue
				}
				id := [2]string{p.method, p.address}
				if _, known := at[id]; !known {
					at[id] = len(r.NeverAsked)
					r.NeverAsked = append(r.NeverAsked, Never{textsafe.Clip(p.method, mostShown), textsafe.Clip(p.address, mostShown*2), 0})
				}
				r.NeverAsked[at[id]].Times++
			}
		}
	}
	return r
}

// mostPrinted bounds each list of a report for people.
const mostPrinted = 20

// String says it in words.
func (r Report) String() string {
	t := &strings.Builder{}
	fmt.Fprintf(t, "%s: %d answered as recorded, %d with differences, %d not in the recording, %d without a reply there\n",
		textsafe.Count(r.Asked, "request"), r.AsRecorded, r.WithNotes, r.Left, r.Unkept)
	for _, part := range []struct {
		title string
		rows  []Request
	}{{"not in the recording", r.LeftRequests}, {"reply left out of the recording", r.UnkeptRequests},
		{"answered with differences", r.Notes}} {
		section(t, part.title, part.rows, func(q Request) string {
			line := fmt.Sprintf("%s %s, %s", q.Method, q.Path, textsafe.Count(q.Times, "time"))
			if q.With != "" {
				line += "\n      with " + q.With
			}
			for _, says := range q.Says {
				line += "\n      " + says
			}
			for _, n := range q.Nearest {
				line += "\n      near: " + n.Method + " " + n.Path + ": " + n.Why
			}
			return line
		})
	}
	never := 0
	for _, n := range r.NeverAsked {
		never += n.Times
	}
	section(t, fmt.Sprintf("never asked, %d of %s", never, textsafe.Count(r.Exchanges, "exchange")), r.NeverAsked, func(n Never) string {
		return fmt.Sprintf("%s %s, %s", n.Method, n.Path, textsafe.Count(n.Times, "time"))
	})
	return t.String()
}

func section[R any](t *strings.Builder, title string, rows []R, line func(R) string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(t, "%s:\n", title)
	for _, row := range rows[:min(len(rows), mostPrinted)] {
		fmt.Fprintf(t, "  %s\n", line(row))
	}
	if more := len(rows) - mostPrinted; more > 0 {
		fmt.Fprintf(t, "  and %d more\n", more)
	}
}
