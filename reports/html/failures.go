package html

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/timeline"
	"github.com/openassay/assay/scenarios/wire"
)

// failure shows a violated scenario in full.
type failure struct {
	Anchor, Scenario string // element ids
	ID, Title, Suite string
	Broken           []broken
	Readings         []scenarios.Reading
	Exchanges        []exchange
	Drive            string
	Transcript       string // link
	Again            string
	Script           string
	Pictures         []picture
	Signatures       []string // with their requirements
	Known            string   // why it was expected; "" if it was not
}

// broken is one violation: a requirement, or several that rest on the same evidence.
type broken struct {
	Requirements []requirement
	Checks       []compared
	More         int

	seen string // the evidence they share
}

// compared is one expectation that did not hold.
type compared struct {
	Want, Got []part
	Place     string
}

// mostCompared bounds the expectations shown for one violated requirement of a scenario.
const mostCompared = 6

// mostSeen bounds the failed expectations of a scenario that are looked up in its exchanges.
const mostSeen = 24

func (m *maker) failures() (out []failure, more int) {
	for _, s := range m.doc.Scenarios {
		if s.Verdict != results.VerdictFailed {
			continue
		}
		if len(out) == mostFailures {
			more++
			continue
		}
		m.anchors[s.ID] = "f" + strconv.Itoa(len(out)+1)
		out = append(out, m.failure(s))
	}
	return out, more
}

func (m *maker) failure(s results.ScenarioResult) failure {
	f := failure{Anchor: m.anchors[s.ID], Scenario: anchor(s.ID), ID: clip(s.ID, mostWords), Title: s.Title, Suite: clip(s.Suite, mostName)}
	violations := excerpt.Violations(s, m.ledger)
	f.Broken = m.broken(violations)
	f.Readings = m.Protocol.ReadingsBy(scenarios.ScenarioID(s.ID))
	for _, c := range violations {
		if c.Signature != nil {
			f.Signatures = append(f.Signatures, clip(c.Requirement+" "+*c.Signature, mostName))
		}
	}
	if k := s.Known; k != nil {
		f.Known = clip(k.Reason+" ("+k.Issue+")", mostWords)
	}
	if s.Failure != nil {
		f.Again = clip(s.Failure.Again, 4*mostWords)
	}
	if len(s.Drives) == 0 || m.Transcripts[s.Drives[0]] == nil {
		return f
	}
	f.Drive, f.Transcript = s.Drives[0], m.transcript(s.Drives[0])
	t := &replies{Transcript: m.Transcripts[f.Drive]}
	violations = violations[:min(len(violations), mostSeen)]
	f.Exchanges = m.exchanges(violations, t)
	f.Script = scripted{s, m.doc.Target.Address, m.Protocol.KeyHeader, violations, t}.script()
	for i, l := range m.loopsOf(f.Drive) {
		f.Pictures = append(f.Pictures, draw(fmt.Sprintf("%s-loop%d", f.Anchor, i+1), l))
	}
	return f
}

// broken groups violations by requirement, and requirements by evidence.
func (m *maker) broken(violations []results.Check) []broken {
	var ids []string
	by := map[string][]results.Check{}
	for _, c := range violations {
		if by[c.Requirement] == nil {
			ids = append(ids, c.Requirement)
		}
		by[c.Requirement] = append(by[c.Requirement], c)
	}
	var out []broken
	for _, id := range ids {
		var places []string
		for _, c := range by[id] {
			places = append(places, fmt.Sprintf("%q %q %s", c.Expected, c.Actual, excerpt.Place(c)))
		}
		seen := strings.Join(places, "\n")
		if i := slices.IndexFunc(out, func(b broken) bool { return b.seen == seen }); i >= 0 {
			out[i].Requirements = append(out[i].Requirements, m.requirement(id))
			continue
		}
		b := broken{Requirements: []requirement{m.requirement(id)}, seen: seen}
		for _, c := range by[id][:min(len(by[id]), mostCompared)] {
			want, got := difference(c.Expected, c.Actual)
			b.Checks = append(b.Checks, compared{want, got, clip(excerpt.Place(c), mostWords)})
		}
		b.More = max(len(by[id])-mostCompared, 0)
		out = append(out, b)
	}
	return out
}

// exchange is an entry of a transcript as shown on the page.
type exchange struct {
	Number     int
	Label      string
	Sent, Came string
	Body       []line
	Reply      []line
	ReplyIs    string // heading of the reply, if it needs one
	Answered   bool   // the entry can have an answer
	Notes      []excerpt.Note
	Marked     []string // pointers of the marks, for readers who cannot see them
}

func (m *maker) exchanges(violations []results.Check, t *replies) []exchange {
	numbers, places := entriesFor(violations, t)
	var out []exchange
	for _, n := range numbers {
		if e := t.Entry(n); e != nil {
			out = append(out, m.exchange(n, *e, violations, places))
		}
	}
	return out
}

// entriesFor returns the entries that show the violations, and the places to mark in them. It adds entries after the
// one a check names if the difference is there.
func entriesFor(violations []results.Check, t *replies) ([]int, []place) {
	numbers := excerpt.Exchanges(violations, t.Transcript)
	var places []place
	for _, c := range violations {
		places = append(places, marked(c, t)...)
	}
	for _, p := range places {
		if p.class == differs && !slices.Contains(numbers, p.exchange) && len(numbers) < mostShown {
			numbers = append(numbers, p.exchange)
		}
	}
	slices.Sort(numbers)
	return numbers, places
}

// mostShown bounds the exchanges shown with a failure.
const mostShown = 4

func (m *maker) exchange(n int, e wire.Entry, violations []results.Check, places []place) exchange {
	told := excerpt.Tell(n, e, m.doc.Target.Address)
	x := exchange{Number: n, Label: clip(told.Label, mostWords), Sent: clip(told.Sent, mostWords), Came: clip(told.Came, mostWords)}
	x.Answered = e.Process != nil || e.Request != nil && e.Kind != "inbound"
	if x.Label == x.Sent {
		x.Label = ""
	}
	for _, note := range told.Notes {
		x.Notes = append(x.Notes, excerpt.Note{About: note.About, Text: clip(note.Text, mostWords)})
	}
	marks := map[string]string{}
	reply, event := told.Reply, ""
	for _, p := range places {
		if p.exchange == n && marks[p.pointer] != differs {
			marks[p.pointer] = p.class
			if p.class == differs && len(x.Marked) < mostShown {
				x.Marked = append(x.Marked, clip(p.pointer, mostValue))
			}
		}
	}
	for _, c := range violations {
		if int(c.Exchange) == n && event == "" {
			if number, isEvent := strings.CutPrefix(c.Part, "event:"); isEvent {
				event = number
			}
		}
	}
	if event != "" {
		if data, ok := eventOf(e, event); ok {
			reply, x.ReplyIs = data, "event "+clip(event, mostName)+" of the stream"
		}
	}
	sent := map[string]string{}
	if e.Kind == "inbound" { // the target's words are in the request
		sent = marks
	}
	x.Body, x.Reply = body(told.Body, sent), body(reply, marks)
	return x
}

// eventOf returns the data of the event with this number in a stream, counted from 1.
func eventOf(e wire.Entry, number string) (string, bool) {
	n, err := strconv.Atoi(number)
	if err != nil {
		return "", false
	}
	var parser wire.StreamParser
	for _, c := range e.Chunks {
		for _, event := range parser.Feed(c.Text) {
			if n--; n == 0 {
				return event.Data, true
			}
		}
	}
	return "", false
}

// loopsOf returns the loops that a drive saw, and caches them.
func (m *maker) loopsOf(drive string) []timeline.Loop {
	if found, done := m.drawn[drive]; done {
		return found
	}
	var found []timeline.Loop
	if t := m.Transcripts[drive]; t != nil && m.Protocol.Timeline != nil {
		found = m.Protocol.Timeline(t)
	}
	m.drawn[drive] = found
	return found
}
