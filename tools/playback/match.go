package playback

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/textsafe"
)

// asked is a request of the client.
type asked struct {
	method, path, address, way string
	who                        caller
	key                        string
	content                    content
	body                       string
	large                      bool // the body is larger than a recording keeps
}

// read reports whether what is asked changes nothing, so that it may be asked again and again.
func (q *asked) read() bool { return q.method == http.MethodGet || q.method == http.MethodHead }

// match is the exchange that answers a request.
type match struct {
	exchange *exchange
	row      *row
	places   []int // of texts in the body that differ
	again    bool  // its last reply is given again
	loose    bool  // only one of the two has an Idempotency-Key
	fitting  fitting
}

// mostDiffering bounds how many differences of a body are said.
const mostDiffering = 8

// find returns the exchange that answers a request, and marks it as asked; nil if the recording has none.
func (h *Host) find(q *asked) *match {
	at := h.recorded.places[(&place{method: q.method, address: q.address, way: q.way}).id()]
	if at != nil {
		if m := h.best(at, q, fitting{known: h.secrets}); m != nil {
			return h.take(m, q)
		}
	}
	var best *match
	for _, p := range h.recorded.hidden {
		f := fitting{known: h.secrets}
		if p == at || p.method != q.method || p.way != q.way || !f.within(p.address, q.address, "/?&=") {
			continue
		}
		if m := h.best(p, q, f); m != nil {
			best = better(best, m)
		}
	}
	if best == nil {
		return nil
	}
	return h.take(best, q)
}

// take has an exchange asked, and what the client sent stand for what was recorded from now on.
func (h *Host) take(m *match, q *asked) *match {
	m.exchange.asked++
	if !m.again {
		m.row.next++
	}
	m.fitting.add()
	if q.key != "" && m.row.key != "" && q.key != m.row.key {
		key := fitting{known: h.keys, more: []pair{{m.row.key, q.key}}}
		key.add()
	}
	return m
}

// best returns the exchange of a place that fits best: an equal one that was not asked yet, or the last of them again; else one whose
// body differs least; else one whose body is not in the recording.
func (h *Host) best(p *place, q *asked, f fitting) *match {
	var best *match
	spent := false
	if !q.large {
		for _, r := range p.byWhole[string(q.content.whole[:])] {
			if m := h.fit(r, q, f); m != nil {
				best = better(best, m)
			} else {
				by := f.copied()
				spent = spent || r.next == len(r.exchanges) && by.caller(r.who, q.who)
			}
		}
		switch {
		case spent && best != nil && best.loose:
			return nil
		case spent, best != nil && !best.again && !best.loose:
			return best
		}
		for _, r := range p.byShape[string(q.content.shape[:])] {
			if m := h.fit(r, q, f); m != nil {
				best = better(best, m)
			}
		}
	}
	if best == nil && q.body != "" {
		for _, r := range p.rows {
			if by := f.copied(); r.unread && r.next < len(r.exchanges) && by.caller(r.who, q.who) {
				best = better(best, &match{exchange: r.exchanges[r.next], row: r, fitting: by})
			}
		}
	}
	return best
}

// better returns the better of two: one that differs less, one that was not asked yet, the earlier one; of those that are given again, the
// later one.
func better(a, b *match) *match {
	switch {
	case a == nil:
		return b
	case len(a.places) != len(b.places):
		if len(b.places) < len(a.places) {
			return b
		}
	case a.loose != b.loose:
		if a.loose {
			return b
		}
	case a.again != b.again:
		if a.again {
			return b
		}
	case (b.exchange.number < a.exchange.number) != a.again:
		return b
	}
	return a
}

// fit returns the exchange of a row that a request gets; nil if it gets none.
func (h *Host) fit(r *row, q *asked, f fitting) *match {
	f = f.copied()
	if !f.caller(r.who, q.who) {
		return nil
	}
	known, fits := h.sameKey(r, q)
	if !fits {
		return nil
	}
	m := &match{row: r, loose: (q.key == "") != (r.key == "")}
	switch {
	case r.next < len(r.exchanges):
		m.exchange = r.exchanges[r.next]
	case q.read() || known:
		m.exchange, m.again = r.last(), true
	default:
		return nil
	}
	m.places = f.differences(r.content, q.content, mostDiffering)
	if len(m.places) > 0 && (!q.content.json || m.again && !known) {
		return nil
	}
	m.fitting = f
	return m
}

// sameKey reports whether a request may have the Idempotency-Key of a row. known: it has, so that what is sent again is answered again.
func (h *Host) sameKey(r *row, q *asked) (known, fits bool) {
	if q.key == "" || r.key == "" {
		return false, true
	}
	if q.key == r.key || h.recorded.keys[q.key] {
		return q.key == r.key, q.key == r.key
	}
	sent, isRecorded := h.keys.sent[r.key]
	was, isSent := h.keys.recorded[q.key]
	if isRecorded || isSent {
		known = sent == q.key && was == r.key
		return known, known
	}
	return false, true
}

// equal reports whether a request is as it was recorded.
func (m *match) equal(q *asked) bool {
	return len(m.places) == 0 && !m.loose && (!m.again || q.read()) && !m.unread(q)
}

// unread reports whether nobody knows if the body is the recorded one.
func (m *match) unread(q *asked) bool { return m.row.unread && q.body != "" }

// notes says how a request differs from the one that was recorded.
func (m *match) notes(q *asked, clean func(string) string) (notes []string) {
	shown := func(text string) string { return textsafe.Clip(fmt.Sprintf("%q", clean(text)), mostShown) }
	places := m.places[:min(len(m.places), mostDiffering)]
	for i, pointer := range pointers(q.body, places) {
		notes = append(notes, fmt.Sprintf("differs at %s: recorded %s, sent %s", textsafe.Clip(clean(pointer), mostShown),
			shown(m.row.content.texts[places[i]]), shown(q.content.texts[places[i]])))
	}
	if len(m.places) > len(places) {
		notes = append(notes, "differs at more places")
	}
	switch {
	case m.unread(q):
		notes = append(notes, "sent with a body, and that of the recorded request was left out")
	case m.again && !q.read():
		notes = append(notes, "sent again under its "+keyHeader+": the reply is given again")
	case m.loose && q.key == "":
		notes = append(notes, "sent without "+keyHeader+", and recorded with one")
	case m.loose:
		notes = append(notes, "sent with "+keyHeader+", and recorded without one")
	}
	return notes
}

// mostShown is the number of characters of a text that is shown of a request.
const mostShown = 120

// Near is a recorded request that is like one that the recording does not have.
type Near struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Why    string `json:"why"` // why it is another one
}

// mostNear is how many recorded requests are named for one that the recording does not have.
const mostNear = 3

// nearest returns the recorded requests that are most like one, best first: those at the same method and path, then those whose paths have
// most segments in common.
func (h *Host) nearest(q *asked) (all []Near) {
	add := func(p *place, why string) {
		near := Near{textsafe.Clip(p.method, mostShown), textsafe.Clip(p.address, mostShown*2), why}
		if len(all) < mostNear && !slices.Contains(all, near) {
			all = append(all, near)
		}
	}
	same := h.recorded.at[q.method+" "+q.path]
	for _, p := range same {
		if p.address == q.address && p.way == q.way {
			add(p, h.why(p, q))
		}
	}
	for _, p := range same {
		switch {
		case p.address != q.address:
			add(p, "another query")
		case p.way == q.way:
		case p.way == "":
			add(p, "recorded without such headers")
		default:
			add(p, "recorded with "+textsafe.Clip(p.way, mostShown))
		}
	}
	type scored struct {
		place *place
		score int
	}
	var best []scored // the best first
	segments := strings.Split(q.path, "/")
	for _, p := range h.recorded.inOrder {
		score := alike(segments, p.path)
		if score == 0 || p.method == q.method && p.path == q.path {
			continue
		}
		if p.method == q.method {
			score += len(segments) // one path is as good as another method
		}
		at := len(best)
		for at > 0 && best[at-1].score < score {
			at--
		}
		if at < mostNear {
			best = slices.Insert(best, at, scored{p, score})
			best = best[:min(len(best), mostNear)]
		}
	}
	for _, s := range best {
		if s.place.method == q.method {
			add(s.place, "another path")
		} else {
			add(s.place, "another method")
		}
	}
	return all
}

// alike returns how many segments a path has in common with another one of the same length.
func alike(segments []string, path string) (same int) {
	i := 0
	for s := range strings.SplitSeq(path, "/") {
		if i == len(segments) {
			return 0
		}
		if s == segments[i] && s != "" {
			same++
		}
		i++
	}
	if i < len(segments) {
		return 0
	}
	return same
}

// why says why none of the exchanges of a place answers a request that asks there.
func (h *Host) why(p *place, q *asked) string {
	why := "another body"
	for _, r := range p.rows {
		f := fitting{known: h.secrets}
		_, key := h.sameKey(r, q)
		switch {
		case r.content.whole != q.content.whole:
		case !f.caller(r.who, q.who):
			why = "another credential"
		case !key:
			why = "another " + keyHeader
		default:
			return fmt.Sprintf("recorded %s, and asked as often", textsafe.Count(len(r.exchanges), "time"))
		}
	}
	return why
}
