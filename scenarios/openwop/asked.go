package openwop

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// asked is a request that somebody sent to a host, and its reply.
type asked struct {
	explore.Exchange
	op   dialect.Operation
	base string   // what stands before its path: hosts may tell tenants apart by that
	ids  []string // in its path
}

// id returns the first id in the path.
func (a asked) id() string {
	if len(a.ids) == 0 {
		return ""
	}
	return a.ids[0]
}

// decided reports whether the host took the request, or refused it for what it asks. Other replies may be a proxy's, or be about load or
// credentials.
func (a asked) decided() bool { return a.Answered() && (a.Ok() || a.Code/100 == 4) }

// keyed reports whether the reply may be one that was given before.
func (a asked) keyed() bool {
	_, keyed := a.Get(dialect.IdempotencyKey)
	return keyed
}

// plain reports whether the body is there as the host got it: all of it, not packed, and without a secret.
func (a asked) plain() bool {
	_, packed := a.Get("Content-Encoding")
	return a.Whole && !packed && !strings.Contains(a.Sent, "secret:") // encoders may escape what stands before it
}

// members returns the JSON object that was sent. ok is false if hosts may read it in several ways.
func (a asked) members() (members map[string]any, ok bool) {
	if members, ok = a.Object(); !ok || !a.plain() {
		return nil, false
	}
	for name := range members { // some parsers do not tell capitals from small letters
		if slices.ContainsFunc(knownMembers, func(known string) bool { return known != name && strings.EqualFold(known, name) }) {
			return nil, false
		}
	}
	return members, true
}

// knownMembers are the members of bodies that rules look at.
var knownMembers = []string{"workflowId", "configurable", "runIds", "mode", "fromSeq", "runOptionsOverlay", "content", "contentType",
	"objective", "completion", "bounds", "state"}

// traffic is all that a recording has of what was asked of a host, in the order in which it was sent. Pages and streams of logs are
// left out: of those there are many, and a reader puts them together.
type traffic struct {
	*reader
	discovery scenarios.Discovery
	all       []asked
	ends      map[string]ending // of runs
	began     time.Time
	read      *wire.Transcript
	snapshots map[string][]asked // of runs
	logs      map[string]wholeLog
}

// ending is the end of a run, as a snapshot first showed it.
type ending struct {
	asked
	status wire.Value
}

// asking is an operation by which requests are known.
type asking struct {
	op     dialect.Operation
	method string
	path   *lazyregexp.Regexp
}

// askings lists the operations that rules look at. Of two that share paths the narrower one comes first.
func askings(d *dialect.Dialect) (all []asking) {
	for _, op := range []dialect.Operation{
		dialect.Discover, dialect.ReadContract, dialect.CreateRun, dialect.CompareRuns, dialect.ReadLineage, dialect.ReadRun,
		dialect.CancelRuns, dialect.CancelRun, dialect.PauseRun, dialect.ResumeRun, dialect.ForkRun, dialect.StreamLog,
		dialect.AnswerNode, dialect.ReadToken, dialect.UseToken, dialect.ListFiles, dialect.ReadFile, dialect.WriteFile,
		dialect.DeleteFile, dialect.ListGoals, dialect.CreateGoal, dialect.ReadGoal, dialect.ReadTrail,
	} {
		all = append(all, asking{op, d.Method(op), d.Matching(op)})
	}
	return all
}

// trafficOf reads what was asked of a host.
func trafficOf(r *reader, discovery scenarios.Discovery, t *wire.Transcript) *traffic {
	all := &traffic{reader: r, discovery: discovery, ends: map[string]ending{}, read: t,
		snapshots: map[string][]asked{}, logs: map[string]wholeLog{}}
	known := r.paths.asked
	for n := 1; n <= t.Len(); n++ {
		if at := t.Entry(n).At; dated(at) && (all.began.IsZero() || at.Before(all.began)) {
			all.began = at
		}
	}
	for n := 1; n <= t.Len(); n++ {
		e := t.Entry(n)
		if e.Request == nil || !dated(e.At) {
			continue
		}
		at, err := url.Parse(e.Request.URL)
		if err != nil {
			continue
		}
		path := r.dialect.Below(at.EscapedPath())
		for _, one := range known {
			if ids := one.path.FindStringSubmatch(path); e.Request.Method == one.method && ids != nil {
				if x, ok := explore.ExchangeOf(t, n, all.began); ok {
					x.Path = path
					all.all = append(all.all, asked{x, one.op, strings.TrimSuffix(at.EscapedPath(), path), unescaped(ids[2:])})
				}
				break
			}
		}
	}
	slices.SortStableFunc(all.all, func(a, b asked) int { return cmp.Compare(a.Began, b.Began) })
	for _, x := range all.of(dialect.ReadRun) {
		status, known := x.Body.Key("status"), all.ends[x.id()]
		if x.Code == http.StatusOK {
			all.snapshots[x.id()] = append(all.snapshots[x.id()], x)
		}
		if x.Code == http.StatusOK && host.IsTerminal(status.String()) && x.Body.Key("runId").String() == x.id() &&
			(known.op == dialect.Operation{} || x.Ended < known.Ended) {
			all.ends[x.id()] = ending{x, status}
		}
	}
	return all
}

// dated reports whether a recording says when something was sent.
func dated(at time.Time) bool { return at.Year() >= 1970 && at.Year() < 2200 }

func unescaped(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id
		if plain, err := url.PathUnescape(id); err == nil {
			out[i] = plain
		}
	}
	return out
}

// of returns the requests for these operations.
func (t *traffic) of(ops ...dialect.Operation) (out []asked) {
	for _, x := range t.all {
		if slices.Contains(ops, x.op) {
			out = append(out, x)
		}
	}
	return out
}

// over returns how a run had ended before a request was sent. over is false if nobody saw it before.
func (t *traffic) over(run string, x asked) (end ending, over bool) {
	end, known := t.ends[run]
	return end, known && end.Ended <= x.Began
}

// later returns the first snapshot of a run that was asked for behind a reply, and that shows the run as want asks. It is absent if
// there is none.
func (t *traffic) later(run string, x asked, want func(status string) bool) (snapshot wire.Value) {
	all := t.snapshots[run]
	first, _ := slices.BinarySearchFunc(all, x.Ended, func(y asked, at time.Duration) int { return cmp.Compare(y.Began, at) })
	for _, y := range all[first:] {
		if want(y.Body.Key("status").String()) {
			return y.Body
		}
	}
	return snapshot
}

// whole returns the log of a run that has ended, if it was read from its first event to the one that ends it.
func (t *traffic) whole(run string) (l host.RunLog, ok bool) {
	w, known := t.logs[run]
	if !known {
		w.log, w.ok = t.runs[run].whole()
		if w.ok {
			w.waits, w.told = waits(w.log)
		}
		t.logs[run] = w
	}
	return w.log, w.ok
}

// wholeLog is a log, and at which nodes its run waited.
type wholeLog struct {
	log   host.RunLog
	ok    bool
	waits []string
	told  bool
}

func (r *reading) whole() (l host.RunLog, ok bool) {
	if r == nil || len(r.last.Events) < host.LeastEvents || r.last.HasGap() || len(r.last.Terminals().Values) != 1 {
		return l, false
	}
	first := r.last.Events[0]
	l = r.last
	if r.end.Present() {
		l.Ended = wire.Wait{What: "the run has ended", Reached: true, Last: r.end}
	}
	return l, host.Sequence(first) == 0 || dialect.EventOf(first) == dialect.RunStarted
}

// since reports whether the log of a run was read once more behind a reply, to the event that ends the run and that is the last of it.
func (t *traffic) since(x asked, l host.RunLog) bool {
	r := t.runs[l.RunID]
	return r != nil && r.lastRead.Sub(t.began) >= x.Ended && len(l.Terminals().Values) > 0 && l.Terminals().Last().Ref() == l.Last().Ref()
}

// before reports whether something was shown before a request was sent.
func (t *traffic) before(shown wire.Value, x asked) bool {
	e := t.read.Entry(shown.Ref().Exchange)
	return dated(e.At) && e.Ended().Sub(t.began) <= x.Began
}

// into reads what was sent into a document. It reports whether that is a JSON object that fits.
func (a asked) into(document any) bool {
	_, ok := a.members()
	return ok && json.Unmarshal([]byte(a.Sent), document) == nil
}

// rule is one about anything but a run's log.
type rule[T any] struct {
	name   string
	proves scenarios.IDs
	judge  func(T, *scenarios.Judge)
}

// hold holds something to the rule.
func (r rule[T]) hold(s sights, of string, thing T) {
	scenarios.Hold("openwop/recorded/"+r.name, r.proves, r.judge, rows, thing).Sights(rows, s.drive, of, s.alone, s.see)
}

// judge holds all that was asked to the rules.
func (t *traffic) judge() {
	t.judgeCreations()
	t.judgeRepetitions()
	t.judgeControls()
	t.judgeDiffs()
	t.judgeForkings()
	t.judgeReplays()
	t.judgeFilings()
	t.judgeAims()
	t.judgeKin()
	t.judgeAnswers()
	t.judgeShown()
	t.judgePolls()
	t.judgeStreams()
}

// proved returns the requirements of the rules about anything but a run's log.
func proved() (all scenarios.IDs) {
	for _, ids := range []scenarios.IDs{
		documents.snapshot.proves, documents.goal.proves, documents.refusal.proves,
		creations.misfits.proves, creations.options.proves, creations.large.proves, creations.listed.proves, repetitions.proves,
		controls.cancelled.proves, controls.ended.proves, controls.paused.proves, bulks.told.proves, bulks.refused.proves, diffs.proves,
		forkings.made.proves, forkings.refused.proves, replays.proves,
		filings.paths.proves, filings.writes.proves, filings.conflicts.proves, filings.reads.proves, filings.lists.proves,
		aimings.made.proves, aimings.listed.proves, aims.proves, kins.child.proves, kins.ancestry.proves, answered.proves, tokens.proves,
		showings.proves, leftAlone.proves, kins.none.proves, streams.proves, opened.proves,
		{openwop.OWPEVT13, openwop.OWPEVT15, openwop.OWPEVT19},
	} {
		all = append(all, ids...)
	}
	return all
}
