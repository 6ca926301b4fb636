package openwop

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// watch holds everything that drives read to what holds for all of its kind, whatever it was read for: logs, their pages and
// streams, snapshots, forks, goals and files. A log counts from its first event on: one that was only read from a cursor on is held
// to the rules of pages alone. So are forks, and to their sources: part of their log is another run's.
func watch(paths func() paths, d *dialect.Dialect) func(scenarios.Discovery, []scenarios.DriveRecord, func(scenarios.Sight)) {
	return watchBy(paths, d, Invariants, false)
}

// watchRecorded is watch for what others did, which no scenario has asked for.
func watchRecorded(paths func() paths, d *dialect.Dialect) func(scenarios.Discovery, []scenarios.DriveRecord, func(scenarios.Sight)) {
	return watchBy(paths, d, rulesOfRecordings, true)
}

var rulesOfRecordings = sync.OnceValue(func() []Invariant { return append(Invariants(), Recorded()...) })

// watchBy is watch with these rules of runs, and those of single documents, too, if that is said.
func watchBy(known func() paths, d *dialect.Dialect, rules func() []Invariant, documents bool,
) func(scenarios.Discovery, []scenarios.DriveRecord, func(scenarios.Sight)) {
	return func(discovery scenarios.Discovery, drives []scenarios.DriveRecord, see func(scenarios.Sight)) {
		paths, rules := known(), rules()
		version := int64(0)
		if _, claimed := claims.ExecutionModel.Look(discovery); claimed {
			version, _ = claims.Model(discovery).Key("version").Int()
		}
		for _, record := range drives {
			r := reader{dialect: d, paths: paths, runs: map[string]*reading{}, goals: map[string]*goal{}, files: map[string]*file{},
				documents: documents, sights: sights{drive: record.ID, see: see}}
			for n := 1; n <= record.Transcript.Len(); n++ {
				r.entry(record.Transcript, n)
			}
			for _, id := range r.order {
				run := r.runs[id]
				if stop := record.Stop; stop != nil && stop.Verdict == scenarios.Inconclusive { // perhaps before the last page was read
					run.late = false
				}
				run.judge(Standing{Version: int(version), Advertised: discovery}, rules)
				r.judgeCopy(run)
			}
			if documents {
				trafficOf(&r, discovery, record.Transcript).judge()
			}
			record.Transcript.Forget()
		}
	}
}

// watched returns the requirements that watch checks.
func watched() scenarios.IDs {
	all := scenarios.IDs{
		openwop.OWPCTL1, openwop.OWPCTL2, openwop.OWPCTL3, openwop.OWPCTL4, openwop.OWPCTL8,
		openwop.OWPEVT14, openwop.OWPEVT16, openwop.OWPEVT21, openwop.OWPEVT22, openwop.OWPEVT24, openwop.OWPEVT27, openwop.OWPEVT28,
		openwop.OWPRPL1, openwop.OWP0097C6, openwop.OWP0097G1, openwop.OWPWSP9, openwop.OWPWSP10,
	}
	all = append(all, proved()...)
	for _, rule := range rulesOfRecordings() {
		if rule.Name != "unmapped" { // no log says whether its workflow maps anything
			all = append(all, rule.Proves...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sights passes on checks of rules.
type sights struct {
	drive string
	of    string // what is checked: the id of a run, the path of a goal or a file
	see   func(scenarios.Sight)
	alone bool // see [scenarios.Sight]
}

// about returns the same for something else.
func (s sights) about(of string) sights {
	s.of = of
	return s
}

// held notes that a rule is kept.
func (s sights) held(id scenarios.RequirementID, at wire.Ref) {
	s.see(scenarios.Sight{Held: true, Of: s.of, Alone: s.alone, Breach: scenarios.Breach{Requirement: id, Drive: s.drive, Where: at}})
}

// violated notes that a rule is broken.
func (s sights) violated(id scenarios.RequirementID, at wire.Ref, expected, actual string) {
	s.see(scenarios.Sight{Of: s.of, Alone: s.alone, Breach: scenarios.Breach{
		Requirement: id, Drive: s.drive, Where: at, Expected: expected, Actual: actual}})
}

// once passes on checks of rules, and of each rule no violation but the first.
type once struct {
	sights
	accused map[scenarios.RequirementID]bool
}

func (s once) not(id scenarios.RequirementID, at wire.Ref, expected, actual string) {
	if !s.accused[id] {
		s.accused[id] = true
		s.violated(id, at, expected, actual)
	}
}

// paths are the paths of what is read.
type paths struct {
	create, poll, stream, snapshot, diff, fork, goal, file *lazyregexp.Regexp
	acts                                                   *lazyregexp.Regexp // whose names stand behind the id of the run
	asked                                                  []asking
	list                                                   *lazyregexp.Regexp
	files                                                  string             // what stands before the names of files
	runs                                                   string             // what stands before the ids of runs
	own                                                    *lazyregexp.Regexp // those whose refusals have the form of the protocol (OWP-R25)
}

func pathsOf(d *dialect.Dialect) paths {
	return paths{
		d.Matching(dialect.CreateRun), d.Matching(dialect.PollLog), d.Matching(dialect.StreamLog), d.Matching(dialect.ReadRun),
		d.Matching(dialect.CompareRuns), d.Matching(dialect.ForkRun), d.Matching(dialect.ReadGoal), d.Matching(dialect.ReadFile),
		d.Matching(dialect.PauseRun, dialect.ResumeRun, dialect.CompareRuns),
		askings(d),
		d.Matching(dialect.ListRuns),
		d.Path(dialect.ListFiles),
		d.Path(dialect.ReadRun, ""),
		d.Matching(dialect.CreateRun, dialect.PollLog, dialect.ReadRun, dialect.CompareRuns, dialect.ForkRun),
	}
}

// reader puts together what one drive read.
type reader struct {
	dialect *dialect.Dialect
	paths   paths
	runs    map[string]*reading
	order   []string
	goals   map[string]*goal // by path
	files   map[string]*file // by path and caller
	// documents: single replies are judged, too.
	documents bool
	sights
}

// reading is what one drive read of a run.
type reading struct {
	once
	id     string
	forked bool
	made   bool        // its creation was seen
	copies *copying    // what it is a fork of
	first  host.RunLog // as it was read from its start for the first time
	last   host.RunLog // and for the last time
	end    wire.Value  // the first snapshot of a terminal status
	paused bool        // a snapshot showed it paused
	// late: a request sent after end was received read last to its end. behind: the request for last was sent after first was received.
	late, behind bool
	firstRead    time.Time // when first was received
	lastRead     time.Time // when the last page of last was asked for

	snapshots snapshots
	tellings  []telling
	told      int        // how many events they have
	misframed wire.Value // the first frame whose lines say something else than its data
	framedAs  string
	stray     wire.Value // the first runId of another run
	framed    wire.Value // the last frame whose lines say what its data says
	own       wire.Value // the last runId of this run
}

func (r *reader) of(id string) *reading {
	if r.runs[id] == nil {
		r.runs[id] = &reading{id: id, once: once{r.about(id), map[scenarios.RequirementID]bool{}}}
		r.order = append(r.order, id)
	}
	return r.runs[id]
}

// entry takes note of the n-th exchange.
func (r *reader) entry(t *wire.Transcript, n int) {
	e := t.Entry(n)
	if e.Kind != "http" && e.Kind != "stream" || e.Request == nil || e.Response == nil {
		return
	}
	if r.documents {
		r.document(t, n)
	}
	if e.Response.Status/100 != 2 {
		return
	}
	if e.Kind == "http" && e.Error != "" { // it was not read to its end: what it lacks, the host may have sent
		return
	}
	at, err := url.Parse(e.Request.URL)
	if err != nil {
		return
	}
	path := r.dialect.Below(at.EscapedPath())
	method := e.Request.Method
	switch {
	case e.Kind == "stream":
		if r.paths.stream.MatchString(path) {
			r.of(r.dialect.One(path, dialect.StreamLog)).streamed(t, n, at.Query())
		}
	case method == http.MethodPost && r.paths.create.MatchString(path):
		if id := t.Reply(n).Key("runId").String(); id != "" {
			r.of(id).made = true
		}
	case method == http.MethodPost && r.paths.fork.MatchString(path):
		r.fork(e, r.dialect.One(path, dialect.ForkRun), t.Reply(n))
	case r.paths.file.MatchString(path):
		r.file(method, path, e, t.Reply(n))
	case method != http.MethodGet:
	case r.paths.poll.MatchString(path):
		r.of(r.dialect.One(path, dialect.PollLog)).page(t, n, at.Query(), r.dialect.Cursors)
	case r.paths.snapshot.MatchString(path) && !r.paths.diff.MatchString(path):
		run, body := r.of(r.dialect.One(path, dialect.ReadRun)), t.Reply(n)
		run.paused = run.paused || body.Key("status").String() == "paused"
		if run.snapshot(e, body); host.IsTerminal(body.Key("status").String()) && !run.end.Present() {
			run.end = body
		}
	case r.paths.goal.MatchString(path):
		r.goal(path, e, t.Reply(n))
	}
}

// page adds a page of the log. A page without a cursor begins another reading; one behind what was read goes on with it.
func (r *reading) page(t *wire.Transcript, n int, query url.Values, cursors []string) {
	body := t.Reply(n)
	events := body.Key("events").Items()
	from, by, given := int64(noCursor), "", 0
	for name, values := range query {
		switch {
		case slices.Contains(cursors, name) && len(values) == 1:
			var known bool
			if from, known = number(values[0]); !known {
				return
			}
			by = name
			given++
		case name != "timeout" && name != "limit":
			return // another choice of events
		}
	}
	if given > 1 {
		by = ""
	}
	r.paged(t, n, body, from, by, query.Has("limit"))
	fresh := host.RunLog{RunID: r.id, Read: t.Status(n)}
	fresh.Add(events) // how the page itself orders them is judged on its own
	e := t.Entry(n)
	complete, _ := body.Key("isComplete").Bool()
	over := r.end.Present() && !e.At.Before(r.snapshots.ended) && (complete || len(events) == 0) // else there may be more to read
	switch {
	case from < 0:
		if len(r.first.Events) == 0 {
			r.first, r.firstRead = fresh, e.Ended()
		}
		r.last, r.late, r.behind, r.lastRead = fresh, over, !e.At.Before(r.firstRead), e.At
	case len(r.last.Events) > 0 && from <= host.Sequence(r.last.Last()):
		before := host.Sequence(r.last.Last())
		r.last.Add(events)
		r.lastRead = e.At
		r.late = r.late || over && (len(events) > 0 || from >= before) // a reader may ask for the last event again
	}
}

func number(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// unforked passes on checks of rules that forks need not keep. A run whose creation was not seen may be a fork.
func (r *reading) unforked() once {
	o := r.once
	o.alone = o.alone || !r.made
	return o
}

// judge holds the run to the invariants.
func (r *reading) judge(s Standing, rules []Invariant) {
	r.judgeTellings()
	if r.forked || len(r.last.Events) < host.LeastEvents {
		return
	}
	s.Log, s.ShownPaused = r.last, r.paused
	if r.behind && !begins(r.last.Events, r.first.Events) && hidden(r.last) == hidden(r.first) {
		s.Before = r.first
	}
	ended := len(r.last.Terminals().Values) > 0
	if r.end.Present() && (r.late || ended) {
		s.Log.Ended = wire.Wait{What: "the run has ended", Reached: true, Last: r.end}
		ended = true
	}
	for _, rule := range rules {
		if ended || rule.Anytime {
			of := r.sights
			if !rule.Forks {
				of = r.unforked().sights
			}
			of.judgeBy(rule, s)
		}
	}
}

// hidden counts the placeholders of secrets in a log. A value becomes one only after something has named it a secret.
func hidden(l host.RunLog) (n int) {
	for _, e := range l.Events {
		n += wire.Hidden(e)
	}
	return n
}

// begins reports whether events begin with the very same ones, read once. What was read again is at another place.
func begins(events, first wire.Values) bool {
	return len(first) <= len(events) && slices.EqualFunc(events[:len(first)], first, func(a, b wire.Value) bool { return a.Ref() == b.Ref() })
}

// judgeBy holds what was read to an invariant.
func (s sights) judgeBy(rule Invariant, standing Standing) {
	rule.Judge(standing).Sights(rows, s.drive, s.of, s.alone, s.see)
}
