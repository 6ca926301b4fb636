package openwop

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// breaches holds every log that drives polled to the invariants, whatever it was read for. A log counts from its first
// event on: one that was only read from a cursor on is left alone. Forks are too: part of their log is another run's.
func breaches(d *dialect.Dialect) func(scenarios.Discovery, []scenarios.DriveRecord) []scenarios.Breach {
	return func(discovery scenarios.Discovery, drives []scenarios.DriveRecord) []scenarios.Breach {
		poll, snapshot, fork := d.Matching(dialect.PollLog), d.Matching(dialect.ReadRun), d.Matching(dialect.ForkRun)
		var out []scenarios.Breach
		version := int64(0)
		if _, claimed := claims.ExecutionModel.Look(discovery); claimed {
			version, _ = claims.Model(discovery).Key("version").Int()
		}
		for _, record := range drives {
			r := reader{dialect: d, poll: poll, snapshot: snapshot, fork: fork, runs: map[string]*reading{}}
			for n := 1; n <= record.Transcript.Len(); n++ {
				r.entry(record.Transcript, n)
			}
			for _, id := range r.order {
				out = append(out, r.runs[id].breaches(record.ID, int(version))...)
			}
			record.Transcript.Forget()
		}
		return out
	}
}

// reader puts the logs of one drive's runs together.
type reader struct {
	dialect              *dialect.Dialect
	poll, snapshot, fork *lazyregexp.Regexp
	runs                 map[string]*reading
	order                []string
}

// reading is what one drive read of a run.
type reading struct {
	id     string
	forked bool
	first  host.RunLog // as it was read from its start for the first time
	last   host.RunLog // and for the last time
	end    wire.Value  // the first snapshot of a terminal status
	// late: last was read after end.
	late bool
}

func (r *reader) of(id string) *reading {
	if r.runs[id] == nil {
		r.runs[id] = &reading{id: id}
		r.order = append(r.order, id)
	}
	return r.runs[id]
}

// entry takes note of the n-th exchange.
func (r *reader) entry(t *wire.Transcript, n int) {
	e := t.Entry(n)
	if e.Kind != "http" || e.Request == nil || e.Response == nil || e.Response.Status/100 != 2 {
		return
	}
	at, err := url.Parse(e.Request.URL)
	if err != nil {
		return
	}
	path := at.EscapedPath()
	if root := strings.Index(path, r.dialect.Root+"/"); root > 0 {
		path = path[root:] // the target may be below a path of its own
	}
	switch {
	case e.Request.Method == http.MethodPost && r.fork.MatchString(path):
		if id := t.Reply(n).Key("runId").String(); id != "" {
			r.of(id).forked = true
		}
	case e.Request.Method != http.MethodGet:
	case r.poll.MatchString(path):
		r.of(r.id(path, dialect.PollLog)).page(t, n, at.Query(), r.dialect.Cursors)
	case r.snapshot.MatchString(path):
		if body := t.Reply(n); host.IsTerminal(body.Key("status").String()) {
			if run := r.of(r.id(path, dialect.ReadRun)); !run.end.Present() {
				run.end = body
			}
		}
	}
}

// id returns the run in a path of an operation on one run.
func (r *reader) id(path string, op dialect.Operation) string {
	const mark = "~run~" // no version has it in a path
	before, after, _ := strings.Cut(r.dialect.Path(op, mark), mark)
	id := strings.TrimSuffix(strings.TrimPrefix(path, before), after)
	if plain, err := url.PathUnescape(id); err == nil {
		return plain
	}
	return id
}

// page adds a page of the log. A page without a cursor begins another reading; one behind what was read goes on with it.
func (r *reading) page(t *wire.Transcript, n int, query url.Values, cursors []string) {
	events := t.Reply(n).Key("events").Items()
	from := int64(-1)
	for name, values := range query {
		switch {
		case slices.Contains(cursors, name) && len(values) == 1:
			var known bool
			if from, known = number(values[0]); !known {
				return
			}
		case name != "timeout" && name != "limit":
			return // another choice of events
		}
	}
	fresh := host.RunLog{RunID: r.id, Read: t.Status(n), Events: slices.Clone(events)}
	switch {
	case from < 0:
		if len(r.first.Events) == 0 {
			r.first = fresh
		}
		r.last, r.late = fresh, r.end.Present()
	case len(r.last.Events) > 0 && from <= host.Sequence(r.last.Last()):
		before := host.Sequence(r.last.Last())
		r.last.Add(events)
		r.late = r.late || r.end.Present() && from >= before
	}
}

func number(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// breaches returns what of the run violates an invariant.
func (r *reading) breaches(drive string, version int) []scenarios.Breach {
	if r.forked || len(r.last.Events) < host.LeastEvents {
		return nil
	}
	s := Standing{Log: r.last, Version: version, Before: r.first}
	ended := len(r.last.Terminals().Values) > 0
	if r.end.Present() && r.late {
		s.Log.Ended = wire.Wait{What: "the run has ended", Reached: true, Last: r.end}
		ended = true
	}
	var out []scenarios.Breach
	for _, rule := range Invariants() {
		if !ended && !rule.Anytime {
			continue
		}
		for _, c := range rule.Judge(s).Failures(rows) {
			out = append(out, scenarios.Breach{Requirement: scenarios.RequirementID(c.Requirement), Drive: drive, Where: c.Where,
				Expected: c.Expected, Actual: c.Actual})
		}
	}
	return out
}
