package observed

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/wire"
)

// Judge judges recordings of a protocol that has rules for them.
type Judge struct {
	Protocol *scenarios.Protocol
	Suites   []scenarios.Suite // their scenarios about the discovery document are asked
	// Tell compares what a transcript shows of objects with models of them; nil for no models.
	Tell func(scenarios.Discovery, *wire.Transcript) []explore.Told
	// Expected are claims, by id or pattern, that the host makes though the recording does not show it.
	Expected []string
	// Alone: the recording has everything that was asked of the host. Otherwise rules that need that are left out.
	Alone bool
}

// Report is what a recording says of a host.
type Report struct {
	Origin    string
	Exchanges int
	Events    int // of a log
	// Discovery: the recording has the discovery document. Without it nobody knows what the host claims.
	Discovery   bool
	Transcript  *wire.Transcript
	Rows        []Row    // the requirements that were checked, in the order of the ledger
	Panicked    string   // the panic that ended the judging; "" for none
	Left        []string // what could not be read, and why
	Undecidable int      // histories that a model could not decide
}

// Row counts the checks of one requirement.
type Row struct {
	Requirement scenarios.RequirementID
	Times       int             // how often it was checked
	Of          int             // how many runs, files, intents and the like were checked
	Violations  int             // how many of the checks failed
	First       scenarios.Sight // the first check that failed, else the first of all
	Pictures    []string        // of histories that a model does not explain
}

// Violated reports whether the requirement was seen violated.
func (r Row) Violated() bool { return r.Violations > 0 }

// recordID is the id of the only record.
const recordID = "recording"

// Judge judges a recording.
func (j Judge) Judge(r Recording) (report *Report) {
	entries := append(slices.Clone(r.Entries), r.replies(j.Protocol)...)
	t := &wire.Transcript{Drive: recordID, Entries: entries, Speech: j.Protocol.Speech}
	d, found := discovered(t, j.Protocol.DiscoveryPath)
	report = &Report{Origin: r.Origin, Exchanges: len(r.Entries), Events: len(r.Events), Discovery: found, Transcript: t, Left: r.Left}
	rows := map[scenarios.RequirementID]*tally{}
	defer func() {
		if p := recover(); p != nil {
			report.Panicked = fmt.Sprint(p)
		}
		report.Rows = inOrder(rows, j.Protocol.Ledger)
	}()
	// A log may go on behind the last page that somebody read.
	records := []scenarios.DriveRecord{{ID: recordID, Transcript: t, Stop: &scenarios.Stop{Verdict: scenarios.Inconclusive}}}
	picture := "" // of the history that is looked at
	count := j.Protocol.Counting(d, j.Expected, records, func(s scenarios.Sight) {
		if s.Alone && !j.Alone {
			return
		}
		if rows[s.Requirement] == nil {
			rows[s.Requirement] = &tally{Row: Row{Requirement: s.Requirement}, of: map[string]bool{}}
		}
		rows[s.Requirement].add(s, picture)
	})
	if found {
		for _, suite := range j.Suites {
			suite.HoldAdvertised(d, recordID, count)
		}
	}
	rules := j.Protocol.Recorded
	if rules == nil {
		rules = j.Protocol.Invariants
	}
	rules(d, records, count)
	if j.Tell == nil || !j.Alone {
		return report
	}
	for _, told := range j.Tell(d, t) {
		if told.GaveUp {
			report.Undecidable++
		}
		picture = told.Picture
		for _, h := range told.Held {
			count(scenarios.Sight{Held: true, Alone: true, Of: told.Of, Breach: scenarios.Breach{
				Requirement: h.Of, Drive: recordID, Where: h.Where}})
		}
		for _, id := range told.Violates {
			count(scenarios.Sight{Alone: true, Of: told.Of, Breach: scenarios.Breach{Requirement: id, Drive: recordID,
				Where: told.Where, Expected: "what the model of " + told.Kind + " allows"}})
		}
	}
	return report
}

// Watched returns the requirements that recordings can show: by the rules of the protocol, and by its discovery document.
func Watched(p *scenarios.Protocol, suites []scenarios.Suite) scenarios.IDs {
	all := p.Watched()
	for _, suite := range suites {
		for _, s := range suite.Advertised() {
			all = append(all, s.Proves...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// tally counts the checks of a requirement while a recording is judged.
type tally struct {
	Row
	of map[string]bool
}

func (t *tally) add(s scenarios.Sight, picture string) {
	if t.Times == 0 || !s.Held && t.Violations == 0 {
		t.First = s
	}
	t.Times++
	t.of[s.Of] = true
	if s.Held {
		return
	}
	t.Violations++
	if picture != "" {
		t.Pictures = append(t.Pictures, picture)
	}
}

func inOrder(rows map[scenarios.RequirementID]*tally, l *scenarios.Ledger) (all []Row) {
	for _, said := range l.Rows {
		if t := rows[scenarios.RequirementID(said.ID)]; t != nil {
			t.Of = len(t.of)
			all = append(all, t.Row)
		}
	}
	return all
}

// Discovers reports whether the recording has the discovery document of hosts of a protocol.
func (r Recording) Discovers(p *scenarios.Protocol) bool {
	_, found := discovered(&wire.Transcript{Entries: r.Entries}, p.DiscoveryPath)
	return found
}

// discovered returns the last discovery document of a recording.
func discovered(t *wire.Transcript, path string) (d scenarios.Discovery, found bool) {
	for n := t.Len(); n > 0; n-- {
		e := t.Entry(n)
		if e.Kind != "http" || e.Request == nil || e.Request.Method != http.MethodGet || e.Error != "" || e.Response == nil ||
			e.Response.Status != http.StatusOK {
			continue
		}
		if at, err := url.Parse(e.Request.URL); err != nil || path == "" || !strings.HasSuffix(at.Path, path) {
			continue
		}
		if document := t.Reply(n); document.Present() {
			return scenarios.Discovery{Document: document, Status: t.Status(n), At: e.At}, true
		}
	}
	return d, false
}
