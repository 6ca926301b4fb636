package observed

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/wire"
)

// Judge is what recordings of a protocol are judged with.
type Judge struct {
	Protocol *scenarios.Protocol
	// Tell holds the objects that a transcript tells of against models; nil where none does.
	Tell func(scenarios.Discovery, *wire.Transcript) []explore.Told
	// Alone: the recording has all that anybody asked of the host. Rules that rest on that are left out otherwise.
	Alone bool
}

// Report is what a recording says of a host.
type Report struct {
	Origin    string
	Exchanges int
	// Discovery: the recording has the discovery document. Without it nothing is known of the claims of the host.
	Discovery   bool
	Transcript  *wire.Transcript
	Rows        []Row    // of what was judged, in the order of the ledger
	Panicked    string   // why a judge ended too early; "" if none did
	Left        []string // what of the recording could not be read
	Undecidable int      // histories of objects that a model could not decide
}

// Row is what was seen of a requirement.
type Row struct {
	Requirement scenarios.RequirementID
	Times       int // that something was held to it
	Of          int // runs, files, intents, ... of which
	Violations  int
	First       scenarios.Sight // the first violation, or the first time that it was borne out
	Pictures    []string        // of histories that a model does not explain
}

// Violated reports whether the requirement was seen violated.
func (r Row) Violated() bool { return r.Violations > 0 }

// recordID is the id of the only record.
const recordID = "recording"

// Judge judges a recording.
func (j Judge) Judge(r Recording) (report *Report) {
	t := &wire.Transcript{Drive: recordID, Entries: r.Entries, Speech: j.Protocol.Speech}
	d, found := discovered(t, j.Protocol.DiscoveryPath)
	report = &Report{Origin: r.Origin, Exchanges: len(r.Entries), Discovery: found, Transcript: t, Left: r.Left}
	rows := map[scenarios.RequirementID]*tally{}
	defer func() {
		if p := recover(); p != nil {
			report.Panicked = fmt.Sprint(p)
		}
		report.Rows = inOrder(rows, j.Protocol.Ledger)
	}()
	// Nobody knows whether what was read of a log was all that there was to read.
	records := []scenarios.DriveRecord{{ID: recordID, Transcript: t, Stop: &scenarios.Stop{Verdict: scenarios.Inconclusive}}}
	count := func(s scenarios.Sight, picture string) {
		if s.Alone && !j.Alone {
			return
		}
		if rows[s.Requirement] == nil {
			rows[s.Requirement] = &tally{Row: Row{Requirement: s.Requirement}, of: map[string]bool{}}
		}
		rows[s.Requirement].add(s, picture)
	}
	j.Protocol.Observe(d, records, func(s scenarios.Sight) { count(s, "") })
	if j.Tell == nil || !j.Alone {
		return report
	}
	for _, told := range j.Tell(d, t) {
		if told.GaveUp {
			report.Undecidable++
		}
		counts := j.Protocol.Counting(d, records, func(s scenarios.Sight) { count(s, told.Picture) })
		for _, h := range told.Held {
			counts(scenarios.Sight{Held: true, Alone: true, Of: told.Of, Breach: scenarios.Breach{
				Requirement: h.Of, Drive: recordID, Where: h.Where}})
		}
		for _, id := range told.Violates {
			counts(scenarios.Sight{Alone: true, Of: told.Of, Breach: scenarios.Breach{Requirement: id, Drive: recordID,
				Where: told.Where, Expected: "what the model of " + told.Kind + " allows"}})
		}
	}
	return report
}

// tally counts what is seen of a requirement.
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

func inOrder(rows map[scenarios.RequirementID]*tally, l *scenarios.Ledger) []Row {
	at := func(id scenarios.RequirementID) int {
		return slices.IndexFunc(l.Rows, func(r scenarios.Requirement) bool { return r.ID == string(id) })
	}
	ids := slices.SortedFunc(maps.Keys(rows), func(a, b scenarios.RequirementID) int { return at(a) - at(b) })
	all := make([]Row, len(ids))
	for i, id := range ids {
		all[i] = rows[id].Row
		all[i].Of = len(rows[id].of)
	}
	return all
}

// discovered returns the discovery document that a recording shows last.
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
