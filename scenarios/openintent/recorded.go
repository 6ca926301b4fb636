package openintent

import (
	"net/http"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// record holds what others did to the rules of watch and to further ones. In a certification scenarios ask the same, with plans that
// they know.
func record(_ scenarios.Discovery, drives []scenarios.DriveRecord, see func(scenarios.Sight)) {
	for _, of := range drives {
		r := newReader(of, see)
		r.recorded = &recorded{things: map[string]*thing{}, ladders: map[string]ladder{}, expired: map[string]expired{},
			written: spans(of.Transcript), children: map[string][]*intent{}}
		r.read(of.Transcript)
		r.judgeNowhere()
		of.Transcript.Forget()
	}
}

// further returns the requirements that only record checks.
func further() scenarios.IDs {
	return scenarios.IDs{
		openintent.OIP0001200, openintent.OIP00021, openintent.OIP00023, openintent.OIP0025A3, openintent.OIP0025A7, openintent.OIP0025A8,
		openintent.OIP0025A9, openintent.OIP0025A12, openintent.OIP0025A15, openintent.OIP0025F3, openintent.OIP0026E3,
		openintent.OIP0026E4, openintent.OIP0026L1, openintent.OIP0026N4, openintent.OIP0026N5, openintent.OIP0026R1B,
		openintent.OIP0026R1C, openintent.OIP0026R2B, openintent.OIP0026R3B, openintent.OIP0026R4C, openintent.OIP0026R4F,
		openintent.OIP0026R5C, openintent.OIP0026R5D, openintent.OIP0026V1, openintent.OIP0026V2, openintent.OIP0026V3,
		openintent.OIP0026X3, openintent.OIPREAD3, openintent.OIPREAD16, openintent.OIPREAD17, openintent.OIPREAD18,
	}
}

// recorded is what the further rules need.
type recorded struct {
	things  map[string]*thing  // tasks, plans and portfolios, by path
	ladders map[string]ladder  // of records that were read, by the id of the suspension
	written map[string][]span  // the writes of each intent
	told    []nowhere          // the answers to intents that nobody has read
	answers bool               // the server has the route for answers
	looks   bool               // a claim was refused since its upstream waits
	expired map[string]expired // suspensions that ended by the log, by id
	// children are the intents that were read, by their parent.
	children map[string][]*intent
}

// judged passes on what the checks of a judge say, as a scenario would make them.
func (r *reader) judged(alone bool, proves scenarios.IDs, judge func(*scenarios.Judge)) {
	scenarios.Hold("openintent/recorded", proves, func(_ struct{}, j *scenarios.Judge) { judge(j) }, host.Ledger, struct{}{}).
		Sights(host.Ledger, r.drive, r.about, alone, r.pass)
}

// span is the time that a write took.
type span struct{ began, ended time.Time }

func spans(t *wire.Transcript) map[string][]span {
	all := map[string][]span{}
	for n := 1; n <= t.Len(); n++ {
		e := t.Entry(n)
		if e.Kind != "http" || e.Request == nil || e.Request.Method == http.MethodGet {
			continue
		}
		if m := anyPath.FindStringSubmatch(e.Request.URL); m != nil {
			all[m[1]] = append(all[m[1]], span{e.At, e.Ended()})
		}
	}
	return all
}

// anyPath is that of anything of an intent, with a query or without.
var anyPath = lazyregexp.New(`/intents/([^/?]+)(?:[/?]|$)`)

// undisturbed reports whether no write of an intent was under way at some time since it was last read, but one of the exchange itself.
// Those that were over by then are known.
func (r *reader) undisturbed(i *intent, x exchange) bool {
	return !slices.ContainsFunc(r.recorded.written[i.id], func(s span) bool {
		if s.began.Equal(x.began) && s.ended.Equal(x.ended) {
			return false
		}
		return s.ended.After(i.settled) && s.began.Before(x.ended)
	})
}

// waits reports whether an intent is known to wait when an exchange begins. A read that is behind may still show a question that was
// answered.
func (r *reader) waits(i *intent, x exchange) bool {
	return i.status == host.Suspended && !i.settled.IsZero() && x.after(i.settled) && i.sid != "" && i.answers[i.sid] == nil &&
		i.doc.At("/state/_suspension/resolution").String() == "" && r.undisturbed(i, x)
}

// gate is a request that was granted although an intent waited. The window of a question may end by itself, so it counts only where a
// later read shows that the intent waits on.
type gate struct {
	id       scenarios.RequirementID
	about    string
	at       wire.Value
	expected string
	ended    time.Time
}

// gated notes what an intent that waits kept from happening, or did not.
func (r *reader) gated(upstream *intent, id scenarios.RequirementID, x exchange, kept bool, at wire.Value, expected string) {
	if kept {
		r.alone(id, true, at, "")
		return
	}
	upstream.gates = append(upstream.gates, gate{id, r.about, at, expected, x.ended})
}

// judgeGates sees whether an intent that was read again still waits, as before.
func (r *reader) judgeGates(i *intent, earlier intent, x exchange) {
	if x.method == http.MethodGet && earlier.sid == i.sid && i.status == host.Suspended &&
		i.doc.At("/state/_suspension/resolution").String() == "" {
		r.confirm(i, x)
		return
	}
	i.gates = nil
}

// confirm sees what was granted before an exchange that shows that an intent waits.
func (r *reader) confirm(i *intent, x exchange) {
	about := r.about
	i.gates = slices.DeleteFunc(i.gates, func(g gate) bool {
		if x.after(g.ended) {
			r.about = g.about
			r.alone(g.id, false, g.at, g.expected)
		}
		return x.after(g.ended)
	})
	r.about = about
}

// intentsOf are the intents of a list.
func intentsOf(doc wire.Value, name string) wire.Values {
	if name == "intents" && !doc.Key(name).Present() {
		return doc.Items()
	}
	return doc.Key(name).Items()
}

var (
	listPath  = lazyregexp.New(`/intents/([^/]+)/(children|descendants|ancestors|dependencies|dependents|ready|blocked)$`)
	membPath  = lazyregexp.New(`/portfolios/[^/]+/(intents)$`)
	leasePath = lazyregexp.New(`/intents/([^/]+)/leases$`)
	workPath  = lazyregexp.New(`/(tasks|plans)/[^/]+$`)
	wordPath  = lazyregexp.New(`(/(?:portfolios|plans|tasks)/[^/]+)(?:/status)?$`)
)

// further takes an exchange for the further rules, before the others see it.
func (r *reader) further(x exchange) {
	if r.recorded == nil {
		return
	}
	if m := wordPath.FindStringSubmatch(x.path); m != nil && x.method != http.MethodGet {
		r.thing(m[1]).asked = append(r.thing(m[1]).asked, x.sent)
	}
	switch m := listPath.FindStringSubmatch(x.path); {
	case m != nil && x.method == http.MethodGet && x.ok():
		r.list(m[2], x)
	case x.method == http.MethodGet && x.ok() && membPath.MatchString(x.path):
		r.list("intents", x)
	case x.method == http.MethodPost && leasePath.MatchString(x.path):
		r.claim(r.of(leasePath.FindStringSubmatch(x.path)[1]), x)
	case workPath.MatchString(x.path):
		r.work(x)
	case x.method == http.MethodGet && x.refuses(http.StatusNotFound) && intentPath.MatchString(x.path):
		r.of(intentPath.FindStringSubmatch(x.path)[1]).missed = true
	}
	if m := anyPath.FindStringSubmatch(x.path); m != nil && x.ok() && !respondPath.MatchString(x.path) && !logPathOf(x.path) {
		r.of(m[1]).there = true
	}
}

// logPathOf reports whether a path is that of a log, which some servers show for intents that are not there.
func logPathOf(path string) bool {
	m := belowPath.FindStringSubmatch(path)
	return m != nil && m[2] == "events"
}

var respondPath = lazyregexp.New(`/suspend/respond$`)

// nowhere is an answer to an intent that may not be there.
type nowhere struct {
	of     *intent
	status wire.Value
	missed bool // the intent had been looked for before
}

// judgeNowhere sees whether answers to intents that are not there were refused. No reply shows such an intent.
func (r *reader) judgeNowhere() {
	for _, t := range r.recorded.told {
		n, _ := t.status.Int()
		r.about = t.of.id
		switch {
		case t.of.there, !r.recorded.answers:
		case n == http.StatusNotFound:
			r.alone(openintent.OIP0025A3, true, t.status, "")
		case t.missed && (n/100 == 2 || n == http.StatusConflict):
			r.alone(openintent.OIP0025A3, false, t.status, "404, for the intent is not there")
		}
	}
}

// thing is a task, a plan or a portfolio.
type thing struct {
	version wire.Value // the highest that was seen
	seen    time.Time
	asked   []map[string]any // what was asked to be changed of it
}

func (r *reader) thing(path string) *thing {
	if r.recorded.things[path] == nil {
		r.recorded.things[path] = &thing{}
	}
	return r.recorded.things[path]
}

// owned reports whether a client asked for something that has this word: then it is not the server that says it.
func (t *thing) owned(word string) bool {
	return slices.ContainsFunc(t.asked, func(sent map[string]any) bool { return sent != nil && host.Mentions(sent, word) })
}
