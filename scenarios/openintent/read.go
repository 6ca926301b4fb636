package openintent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// watch holds everything that drives read to what holds for all of its kind, whatever it was read for: intents and their
// versions, answers, logs, streams, and the documents in which a suspension shows.
func watch(_ scenarios.Discovery, drives []scenarios.DriveRecord, see func(scenarios.Sight)) {
	for _, record := range drives {
		newReader(record, see).read(record.Transcript)
		record.Transcript.Forget()
	}
}

func newReader(record scenarios.DriveRecord, see func(scenarios.Sight)) *reader {
	return &reader{drive: record.ID, intents: map[string]*intent{}, said: map[scenarios.RequirementID]bool{}, written: map[string]bool{},
		pass: see}
}

func (r *reader) read(t *wire.Transcript) {
	for n := 1; n <= t.Len(); n++ {
		r.entry(t, n)
	}
	r.judgeLogs()
	r.judgeLate()
}

// watched returns the requirements that watch checks.
func watched() scenarios.IDs {
	return scenarios.IDs{
		openintent.OIP00011, openintent.OIP00012, openintent.OIP00014, openintent.OIP0025A1, openintent.OIP0025A2,
		openintent.OIP0025A4, openintent.OIP0025A5, openintent.OIP0025A11, openintent.OIP0025A13, openintent.OIP0025A14,
		openintent.OIP0025L1, openintent.OIP0025L2, openintent.OIP0026D4, openintent.OIP0026D5, openintent.OIP0026E1,
		openintent.OIP0026E2, openintent.OIP0026E5, openintent.OIP0026H1, openintent.OIP0026K4, openintent.OIP0026L4,
		openintent.OIP0026N1, openintent.OIP0026N3, openintent.OIP0026R3C, openintent.OIP0026R3D, openintent.OIP0026R4,
		openintent.OIP0026R4B, openintent.OIP0026R4H, openintent.OIP0026R4J, openintent.OIPREAD1, openintent.OIPREAD4,
		openintent.OIPREAD7,
	}
}

// reader puts together what one drive read.
type reader struct {
	drive    string
	intents  map[string]*intent
	order    []*intent
	logs     []log
	written  map[string]bool // the types of events that the drive wrote itself
	platform wire.Value      // the default policy in the first read of the configuration
	pass     func(scenarios.Sight)
	about    string    // what is looked at: the path of a resource, or the id of an intent
	recorded *recorded // what further rules need; nil without them
	said     map[scenarios.RequirementID]bool
}

// see notes whether a rule is kept. One violation of each requirement is enough.
func (r *reader) see(id scenarios.RequirementID, held bool, at wire.Value, expected string) {
	r.seen(id, held, false, at, expected)
}

// alone is see for a rule that holds only if nobody else is at work.
func (r *reader) alone(id scenarios.RequirementID, held bool, at wire.Value, expected string) {
	r.seen(id, held, true, at, expected)
}

func (r *reader) seen(id scenarios.RequirementID, held, alone bool, at wire.Value, expected string) {
	sight := scenarios.Sight{Held: held, Alone: alone, Of: r.about, Breach: scenarios.Breach{Requirement: id, Drive: r.drive, Where: at.Ref()}}
	if !held {
		if r.said[id] {
			return
		}
		r.said[id] = true
		sight.Expected, sight.Actual = expected, at.JSON()
	}
	r.pass(sight)
}

// exchange is one exchange as readers take it.
type exchange struct {
	path         string
	method       string
	body         wire.Value // of the reply
	status       wire.Value
	sent         map[string]any
	header       map[string]string
	began, ended time.Time
}

// names returns the version that the request names.
func (x exchange) names() (version int64, isNumber, given bool) {
	match := ""
	for name, value := range x.header {
		if strings.EqualFold(name, "If-Match") {
			match = value
		}
	}
	version, err := strconv.ParseInt(match, 10, 64)
	return version, err == nil, match != ""
}

func (x exchange) ok() bool { n, _ := x.status.Int(); return n/100 == 2 }

// refuses reports whether the server refused the request with one of these.
func (x exchange) refuses(with ...int64) bool {
	n, _ := x.status.Int()
	return slices.Contains(with, n)
}

// after reports whether x was sent when another exchange had ended.
func (x exchange) after(ended time.Time) bool { return !x.began.Before(ended) }

// The paths of what is read.
var (
	intentPath = lazyregexp.New(`/intents/([^/]+)$`)
	belowPath  = lazyregexp.New(`/intents/([^/]+)/(status|state|suspend/respond|events|graph|tasks)$`)
	logPath    = lazyregexp.New(`/(portfolios)/([^/]+)/events$`)
	otherPath  = lazyregexp.New(`/(portfolios|plans|tasks)/([^/]+)$`)
	configPath = lazyregexp.New(`/server/config$`)
	streamPath = lazyregexp.New(`/(subscribe/(intents|portfolios)/[^/]+|(intents|portfolios)/[^/]+/subscribe)$`)
)

func (r *reader) entry(t *wire.Transcript, n int) {
	e := t.Entry(n)
	if e.Kind != "http" && e.Kind != "stream" || e.Request == nil {
		return
	}
	at, err := url.Parse(e.Request.URL)
	if err != nil {
		return
	}
	path := at.EscapedPath()
	r.about = path
	if e.Response == nil || e.Kind == "http" && (e.Error != "" || unsure(e.Response.Status)) {
		if m := belowPath.FindStringSubmatch(path); m != nil && e.Request.Method == http.MethodPost {
			r.lost(r.of(m[1]), m[2], e.Request.Body)
		}
		return
	}
	if e.Kind == "stream" {
		if streamPath.MatchString(path) {
			r.stream(t, n)
		}
		return
	}
	x := exchange{path: path, method: e.Request.Method, body: t.Reply(n), status: t.Status(n), header: e.Request.Header, began: e.At,
		ended: e.Ended()}
	x.sent, _ = decoded(e.Request.Body).(map[string]any)
	r.further(x)
	if m := belowPath.FindStringSubmatch(path); m != nil {
		r.below(r.of(m[1]), m[2], x)
		return
	}
	switch {
	case !x.ok():
	case x.method == http.MethodPost && strings.HasSuffix(path, "/intents"):
		if id := x.body.Key("id").String(); id != "" {
			r.intent(r.of(id), x)
		}
	case x.method != http.MethodGet, !x.body.Present(): // of what was too large nothing is known
	case intentPath.MatchString(path):
		id := intentPath.FindStringSubmatch(path)[1]
		plain, err := url.PathUnescape(id)
		if err != nil || x.body.Key("id").String() != plain {
			r.see(openintent.OIP00014, false, x.body.Key("id"), "the intent that was asked for, "+id)
			return
		}
		r.intent(r.of(id), x)
	case logPath.MatchString(path):
		r.log(x)
	case configPath.MatchString(path):
		r.config(x)
	case otherPath.MatchString(path):
		r.document(otherPath.FindStringSubmatch(path)[1], x.body)
	}
}

// config looks at a read of the configuration. Only the operator changes it, so a policy that a drive sends must not show in it. A caller
// without a key may be shown less.
func (r *reader) config(x exchange) {
	p := x.body.At("/suspension/default_retry_policy")
	fits := isObjectOrNull(p)
	r.see(openintent.OIP0026D4, fits, p, "null, or a policy")
	switch {
	case !fits, !keyed(x.header):
	case !r.platform.Present():
		r.platform = p
	default:
		r.alone(openintent.OIP0026D5, same(p.Actual(), r.platform.Actual()), p,
			"the policy of the platform as before, "+r.platform.JSON()+", at "+r.platform.Ref().String())
	}
}

// keyed reports whether a request has a key.
func keyed(header map[string]string) bool {
	return slices.ContainsFunc(sortedNames(header), func(name string) bool { return strings.EqualFold(name, host.KeyHeader) })
}

func decoded(text string) (v any) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// same reports whether two values of JSON are the same, however their numbers are spelled.
func same(a, b any) bool { return reflect.DeepEqual(check.Plain(a), check.Plain(b)) }

func isObjectOrNull(v wire.Value) bool {
	_, isObject := v.Actual().(map[string]any)
	return isObject || v.Present() && v.Actual() == nil
}

func (r *reader) of(id string) *intent {
	if r.intents[id] == nil {
		r.intents[id] = &intent{id: id, answers: map[string]*answer{}, late: map[scenarios.RequirementID]late{}}
		r.order = append(r.order, r.intents[id])
	}
	return r.intents[id]
}

// below takes an exchange about something below an intent.
func (r *reader) below(i *intent, what string, x exchange) {
	r.about = i.id
	switch what {
	case "status", "state":
		if x.method == http.MethodPost {
			r.write(i, what, x)
		}
	case "suspend/respond":
		if x.method == http.MethodPost {
			r.answer(i, x)
		}
	case "events":
		if x.method == http.MethodPost {
			kind, _ := x.sent["event_type"].(string)
			r.written[kind] = true
		} else if x.ok() {
			r.log(x)
		}
	case "graph":
		if x.ok() && x.method == http.MethodGet {
			r.graph(x.body)
		}
	case "tasks":
		if x.ok() && x.method == http.MethodGet {
			for _, task := range x.body.Items() {
				r.document("tasks", task)
			}
		}
	}
}

// intent is what a drive saw of an intent.
type intent struct {
	id      string
	title   wire.Value
	version wire.Value // the highest that was seen
	seen    time.Time  // when that had been read
	status  string     // as last read
	settled time.Time  // when it had been; zero if the drive has written since
	sid     string     // of the record as last read
	doc     wire.Value // as last read
	answers map[string]*answer
	late    map[scenarios.RequirementID]late // what the last read did not show yet
	shown   []shown                          // in lists, since it was last read by itself
	read    time.Time                        // when that had been
	gates   []gate                           // what was granted while it waited
	there   bool                             // a reply shows it
	missed  bool                             // a reply says that it is not there
	ends    bool                             // a client may have written how its question ended
}

// unsure reports whether a request with such a status may have been carried out all the same.
func unsure(status int) bool {
	return status == http.StatusRequestTimeout || status >= http.StatusInternalServerError
}

// lost forgets what a write may have changed whose outcome is not known.
func (r *reader) lost(i *intent, what, body string) {
	i.settled = time.Time{}
	i.rewritten()
	sent, _ := decoded(body).(map[string]any)
	if kind, _ := sent["event_type"].(string); what == "events" {
		r.written[kind] = true
	}
}

// late is what a read should have shown. Reads may be a little behind writes, so it counts only where no later read shows it.
type late struct {
	at       wire.Value
	expected string
}

// shows notes whether a read shows what it should by now. A reply to a write is never behind.
func (r *reader) shows(i *intent, x exchange, id scenarios.RequirementID, is, alone bool, at wire.Value, expected string) {
	_, before := i.late[id]
	switch {
	case is:
		delete(i.late, id)
		r.seen(id, true, alone, at, "")
	case x.method != http.MethodGet:
		r.seen(id, false, alone, at, expected)
	case !before:
		i.late[id] = late{at, expected}
	}
}

// judgeLate sees what no read showed to the end.
func (r *reader) judgeLate() {
	for _, i := range r.order {
		r.about = i.id
		for _, id := range slices.Sorted(maps.Keys(i.late)) {
			l := i.late[id]
			r.alone(id, false, l.at, l.expected) // a later read may have been another client's
		}
	}
}

// answer is an answer that was taken.
type answer struct {
	value        any
	at           wire.Value
	began, ended time.Time
	kept         bool // the drive wrote no record after it
	resumes      bool // and no status
}

// intent holds a reply with an intent to what was seen of it before.
func (r *reader) intent(i *intent, x exchange) {
	r.about = i.id
	doc := x.body
	if title := doc.Key("title"); title.Present() {
		if i.title.Present() {
			r.alone(openintent.OIP00014, title.JSON() == i.title.JSON(), title, "the title that it was made with, "+i.title.JSON())
		} else {
			i.title = title
		}
	}
	now, known := doc.Key("version").Int()
	before, _ := i.version.Int()
	behind := known && i.version.Present() && now < before
	if i.version.Present() && x.after(i.seen) {
		r.shows(i, x, openintent.OIP00014, !behind, false, doc.Key("version"),
			"a version of at least "+i.version.JSON()+", as at "+i.version.Ref().String())
	}
	if known && (!i.version.Present() || now > before) {
		i.version, i.seen = doc.Key("version"), x.ended
	}
	if behind { // the rest is no newer
		return
	}
	record := doc.At("/state/_suspension")
	earlier := *i
	i.status, i.settled, i.sid, i.doc = doc.Key("status").String(), x.ended, record.Key("id").String(), doc
	r.furtherRead(i, earlier, x)
	if a := i.answers[i.sid]; a != nil && a.kept && x.after(a.ended) {
		is, response := record.Key("resolution"), record.Key("response")
		r.shows(i, x, openintent.OIP0025A13, is.String() == "responded", true, is,
			"responded, for the answer at "+a.at.Ref().String()+" was taken")
		if is.String() == "responded" {
			r.shows(i, x, openintent.OIP0025A13, same(response.Actual(), a.value), true, response,
				"what was answered, "+wire.Compact(a.value))
		}
	}
}

// write takes a write of the status or the state.
func (r *reader) write(i *intent, what string, x exchange) {
	named, isNumber, given := x.names()
	highest, known := i.version.Int()
	stale := isNumber && known && named < highest && x.after(i.seen)
	switch {
	case !given && (x.ok() || x.refuses(http.StatusPreconditionRequired, http.StatusPreconditionFailed, http.StatusConflict)):
		r.see(openintent.OIP00011, !x.ok(), x.status, "a refusal, for the write names no version")
	case stale && (x.ok() || x.refuses(http.StatusPreconditionFailed, http.StatusConflict)):
		r.see(openintent.OIP00012, !x.ok(), x.status,
			fmt.Sprintf("a refusal, for the write names version %d and the intent has %d", named, highest))
	}
	r.furtherWrite(i, what, x)
	if !x.ok() {
		return
	}
	was, settled := i.status, i.settled
	asked, _ := x.sent["status"].(string)
	became := x.body.Key("status")
	if what == "status" && !settled.IsZero() && x.after(settled) && became.String() == asked {
		switch {
		case asked == host.Suspended && (was == host.Draft || was == host.Completed):
			r.alone(openintent.OIP0025L1, false, became, "a refusal, for the intent was "+was)
		case asked == host.Completed && was == host.Suspended && !resolved(x.body):
			r.alone(openintent.OIP0025L2, false, became, "a refusal, for the intent is suspended and was not answered")
		}
	}
	if asked == host.Suspended || host.Mentions(x.sent, "_suspension") { // it may be another suspension from here on
		i.rewritten()
	}
	r.intent(i, x)
}

// rewritten forgets what the record of an intent has to show.
func (i *intent) rewritten() {
	for _, a := range i.answers {
		a.kept, a.resumes = false, false
	}
	i.gates = nil
	delete(i.late, openintent.OIP0025A15)
	delete(i.late, openintent.OIP0025F3)
}

func resolved(doc wire.Value) bool { return doc.At("/state/_suspension/resolution").String() != "" }

// answer takes an answer to a suspension.
func (r *reader) answer(i *intent, x exchange) {
	was, settled, sid := i.status, i.settled, i.sid
	named, _ := x.sent["suspension_id"].(string)
	r.furtherAnswer(i, named, x)
	i.settled = time.Time{}
	switch {
	case !keyed(x.header) && (x.ok() || x.refuses(http.StatusUnauthorized)):
		r.see(openintent.OIP0025A1, !x.ok(), x.status, "401, for the answer has no key")
	case named == "" && x.refuses(http.StatusUnprocessableEntity):
		r.see(openintent.OIP0025A2, true, x.status, "")
	}
	if !x.ok() {
		return
	}
	fresh := !settled.IsZero() && x.after(settled)
	switch {
	case named == "":
		r.see(openintent.OIP0025A2, false, x.status, "422, for the answer names no suspension")
		return
	case fresh && was != host.Suspended && was != "" && i.answers[named] == nil:
		r.alone(openintent.OIP0025A4, false, x.status, "409, for the intent is "+was)
	case fresh && was == host.Suspended && sid != "" && sid != named:
		r.alone(openintent.OIP0025A5, false, x.status, "409, for the intent waits for another answer")
	}
	for member, want := range map[string]any{"intent_id": i.id, "suspension_id": named, "resolution": "responded", "value": x.sent["value"]} {
		got := x.body.Key(member)
		r.see(openintent.OIP0025A11, same(got.Actual(), want), got, member+" "+wire.Compact(want))
	}
	switch first := i.answers[named]; {
	case first == nil || !first.kept:
		i.answers[named] = &answer{x.sent["value"], x.status, x.began, x.ended, true, true}
	case x.after(first.ended):
		r.alone(openintent.OIP0026K4, false, x.status, "a refusal, for the answer at "+first.at.Ref().String()+" was taken")
	default:
		r.alone(openintent.OIPREAD1, false, x.status, "a refusal, for the answer at "+first.at.Ref().String()+" was taken")
		first.kept = false // either may be the one that is recorded
	}
}

func sortedNames(header map[string]string) (names []string) {
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
