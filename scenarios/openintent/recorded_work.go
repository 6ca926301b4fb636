package openintent

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// list takes a list of intents.
func (r *reader) list(name string, x exchange) {
	for _, entry := range intentsOf(x.body, name) {
		id, status := entry.Key("id").String(), entry.Key("status")
		if id == "" {
			continue
		}
		i := r.of(id)
		i.there = true
		r.about = id
		if status.String() != "" && entry.Key("version").Present() && len(i.shown) < mostShown {
			i.shown = append(i.shown, shown{status, entry.Key("version"), x})
		}
		if name != "ready" && name != "blocked" {
			continue
		}
		for _, upstream := range r.upstreams(entry) {
			if r.waits(upstream, x) {
				r.gated(upstream, openintent.OIPREAD17, x, name == "blocked", entry.Key("id"), "blocked, for "+upstream.id+" waits")
			}
		}
	}
}

// upstreams are the intents that a document depends on, as far as they were read.
func (r *reader) upstreams(doc wire.Value) (all []*intent) {
	for _, id := range doc.Key("depends_on").Items() {
		if i := r.intents[id.String()]; i != nil {
			all = append(all, i)
		}
	}
	return all
}

// complete holds a request to complete an intent against those of its dependencies and children that wait.
func (r *reader) complete(i *intent, x exchange) {
	asked, _ := x.sent["status"].(string)
	named, isNumber, _ := x.names()
	version, _ := i.version.Int()
	if asked != host.Completed || i.settled.IsZero() || !x.after(i.settled) || !isNumber || named != version || !r.undisturbed(i, x) {
		return
	}
	done := x.ok() && x.body.Key("status").String() == host.Completed
	if !done && !x.refuses(http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity) {
		return
	}
	for _, upstream := range r.upstreams(i.doc) {
		if r.waits(upstream, x) {
			r.gated(upstream, openintent.OIP0026R2B, x, !done, x.status, "a refusal, for "+upstream.id+" waits, which it depends on")
		}
	}
	for _, child := range r.recorded.children[i.id] {
		if r.waits(child, x) {
			r.gated(child, openintent.OIP00021, x, !done, x.status, "a refusal, for its child "+child.id+" waits")
		}
	}
}

func parentOf(doc wire.Value) string {
	if parent := doc.Key("parent_intent_id").String(); parent != "" {
		return parent
	}
	return doc.Key("parent_id").String()
}

// claim takes a claim of an intent.
func (r *reader) claim(i *intent, x exchange) {
	r.about = i.id
	coded := !x.ok() && host.Contains(x.body, host.SuspendedCodes...)
	if upstream := r.input(i); upstream != nil && x.after(i.settled) && r.waits(upstream, x) {
		switch {
		case coded:
			r.alone(openintent.OIP0026V1, true, x.status, "")
			r.alone(openintent.OIP0026V2, true, x.body, "")
		case x.ok() && r.recorded.looks: // some servers look at the inputs of tasks instead (OIP-R28)
			r.gated(upstream, openintent.OIP0026V1, x, false, x.status, "a refusal, for "+upstream.id+" waits, which an input comes from")
		case x.refuses(http.StatusConflict, http.StatusUnprocessableEntity) && host.Contains(x.body, "nresolvable", "io_inputs"):
			r.gated(upstream, openintent.OIP0026V2, x, false, x.body, host.SuspendedCodes[0]+", for "+upstream.id+" waits")
		}
	}
	r.recorded.looks = r.recorded.looks || coded
	if !coded || len(r.order) > mostOthers {
		return
	}
	waiting, named := false, false
	var since time.Time
	for _, other := range r.order {
		if other == i {
			continue
		}
		is := host.Contains(x.body, other.id)
		waiting, named = waiting || other.status == host.Suspended, named || is
		if began, known := other.began(); is && known && (since.IsZero() || began.Before(since)) {
			since = began
		}
	}
	if waiting {
		r.alone(openintent.OIP0026V3, named, x.body, "the id of the intent that waits")
	}
	if at := host.ResumesAt(x.body); !since.IsZero() && at.String() != "" {
		r.judged(false, scenarios.IDs{openintent.OIPREAD18}, func(j *scenarios.Judge) {
			j.Check(openintent.OIPREAD18, at).To(host.NotBefore(since), "expected_resume_at")
		})
	}
}

// mostOthers bounds how many intents a refusal is searched for.
const mostOthers = 2000

// input returns the one intent that the inputs of another can come from, nil if there is none or several.
func (r *reader) input(i *intent) *intent {
	deps, inputs := i.doc.Key("depends_on").Items(), i.doc.At("/state/_io_inputs")
	named, _ := inputs.Actual().(map[string]any)
	if i.settled.IsZero() || len(deps) != 1 {
		return nil
	}
	for _, from := range named {
		if phase, is := from.(string); is && phase != "" && !strings.HasPrefix(phase, "$") {
			return r.intents[deps[0].String()]
		}
	}
	return nil
}

// began returns a time at which the question of an intent was surely not asked later, by what was last read. The client writes one of
// the two times, and the server the other.
func (i *intent) began() (time.Time, bool) {
	at, is := host.TimeOf(i.doc.At("/state/_suspension/suspended_at"))
	updated, known := host.TimeOf(i.doc.Key("updated_at"))
	if !is || updated.Before(at) {
		at = updated
	}
	return at, known
}

// work takes an exchange about a task or a plan.
func (r *reader) work(x exchange) {
	t := r.thing(x.path)
	r.about = x.path
	named, isNumber, _ := x.names()
	highest, known := t.version.Int()
	if x.method == http.MethodPatch && isNumber && known && named < highest && x.after(t.seen) &&
		(x.ok() || x.refuses(http.StatusConflict, http.StatusPreconditionFailed)) {
		r.see(openintent.OIP0001200, !x.ok(), x.status,
			fmt.Sprintf("a refusal, for the change names version %d and there is version %d", named, highest))
	}
	if now, is := x.body.Key("version").Int(); x.ok() && is && strings.HasSuffix(x.path, "/"+x.body.Key("id").String()) && now > highest {
		t.version, t.seen = x.body.Key("version"), x.ended
	}
}

// furtherDocument holds a portfolio, a plan or a task to what it says itself, and to what nobody wrote into it.
func (r *reader) furtherDocument(kind string, doc wire.Value) {
	if r.recorded == nil {
		return
	}
	at := func(l host.Locator) host.Located {
		return host.Locate(l, host.Named(strings.TrimSuffix(kind, "s"), doc))
	}
	own := r.ownOf(kind, doc)
	switch kind {
	case "portfolios":
		r.portfolio(doc, at, own)
	case "plans":
		state := doc.Key("state")
		if !state.Present() {
			state = doc.Key("status")
		}
		if len(at(host.SuspendedTasks).Items()) > 0 && state.String() != "" && !own.owned("suspended") {
			r.judged(true, scenarios.IDs{openintent.OIP0026R1B}, func(j *scenarios.Judge) {
				j.Check(openintent.OIP0026R1B, state).To(host.NotTakenOver(), "state of a plan with suspended tasks")
			})
		}
	case "tasks":
		status := doc.Key("status")
		if status.String() == "" {
			status = doc.Key("state")
		}
		if status.String() == host.Blocked && at(host.SuspendedIntent).String() != "" && !own.owned("blocked") {
			r.judged(true, scenarios.IDs{openintent.OIP0026R3B}, func(j *scenarios.Judge) {
				j.Check(openintent.OIP0026R3B, doc.Key("blocked_reason")).To(check.Equal(intentSuspended), "blocked_reason of the task")
			})
		}
	}
}

// ownOf is what clients asked to be changed of a thing.
func (r *reader) ownOf(kind string, doc wire.Value) *thing {
	return r.thing("/" + kind + "/" + doc.Key("id").String())
}

func (r *reader) portfolio(doc wire.Value, at func(host.Locator) host.Located, own *thing) {
	count := at(host.PortfolioCount)
	waiting, isCount := count.Int()
	flag, _ := at(host.PortfolioFlag).Bool()
	phases := map[string]bool{}
	for _, entry := range at(host.SuspendedPhases).Items() {
		if id := entry.Key("intent_id").String(); id != "" {
			phases[id] = true
		}
	}
	if count.Present() && (flag || len(phases) > 0) {
		r.judged(false, scenarios.IDs{openintent.OIP0026R4C}, func(j *scenarios.Judge) {
			j.Check(openintent.OIP0026R4C, count.Value).
				To(check.Integer(int64(max(1, len(phases))), 0), "%s, as many as suspended_phases or more", count.Label("suspended_member_count"))
		})
	}
	if !flag && (!isCount || waiting < 1) {
		return
	}
	if status := doc.Key("status"); status.String() != "" && !own.owned("suspended") { // its owner sets it
		r.judged(true, scenarios.IDs{openintent.OIP0026R1C}, func(j *scenarios.Judge) {
			j.Check(openintent.OIP0026R1C, status).To(host.NotTakenOver(), "status of a portfolio with suspended members")
		})
	}
	aggregate := at(host.PortfolioAggregate)
	if !aggregate.Present() || aggregate.Place.Pointer == "/status" {
		return
	}
	r.judged(false, scenarios.IDs{openintent.OIP0026R1C, openintent.OIP0026R4F}, func(j *scenarios.Judge) {
		j.Check(openintent.OIP0026R1C, aggregate.Value).To(host.NotTakenOver(), "%s", aggregate.Label("the aggregate"))
		j.Check(openintent.OIP0026R4F, aggregate.Value).
			To(check.OneOf("in_progress", "failed"), "%s of a portfolio with suspended members", aggregate.Label("aggregate status"))
	})
}

// furtherGraph holds the aggregate of a graph with a suspended intent to the completed nodes beside it.
func (r *reader) furtherGraph(aggregate wire.Value, nodes wire.Values) {
	if r.recorded == nil {
		return
	}
	completed, waiting := int64(0), false
	for _, node := range nodes {
		switch node.Key("status").String() {
		case host.Completed:
			completed++
		case host.Suspended:
			waiting = true
		}
	}
	total, known := aggregate.Key("total").Int()
	counted, is := aggregate.At("/by_status/completed").Int()
	if waiting && is && known && total <= int64(len(nodes)) {
		r.see(openintent.OIP00023, counted <= completed, aggregate.At("/by_status/completed"),
			fmt.Sprintf("%d at most, as many as nodes are completed", completed))
	}
}

// ladder is the retry policy of a record, as far as it says whom to notify when.
type ladder struct {
	most    int64 // attempts; 0 where the record does not say
	steps   map[int64]wire.Value
	unclear bool // an attempt has several steps, or the record was read with different ones
	said    string
}

// ladder notes the ladder of a record.
func (r *reader) ladder(record wire.Value) {
	sid, list := record.Key("id").String(), record.At("/retry_policy/escalation_ladder")
	if _, isList := list.Actual().([]any); sid == "" || !isList {
		return
	}
	l := ladder{steps: map[int64]wire.Value{}, said: record.Key("retry_policy").JSON()}
	l.most, _ = record.At("/retry_policy/max_attempts").Int()
	for _, step := range list.Items() {
		n, isNumber := step.Key("attempt").Int()
		l.unclear = l.unclear || !isNumber || n < 1 || l.steps[n].Present()
		l.steps[n] = step
	}
	if before, known := r.recorded.ladders[sid]; known {
		l.unclear = l.unclear || before.unclear || before.said != l.said
	}
	r.recorded.ladders[sid] = l
}

// expired is an event that says that a suspension ended.
type expired struct {
	at    wire.Value
	ended time.Time // when that had been read
}

// furtherLog notes what a log says that ended by itself.
func (r *reader) furtherLog(events wire.Values, x exchange) {
	if r.recorded == nil || r.written[string(host.EventExpired)] {
		return
	}
	for _, e := range events {
		sid := e.At("/payload/suspension_id").String()
		if e.Key("event_type").String() != string(host.EventExpired) || sid == "" ||
			strings.Contains(e.At("/payload/reason").String(), "portfolio") {
			continue // the record of an intent whose portfolio ended need not say so
		}
		if _, known := r.recorded.expired[sid]; !known {
			r.recorded.expired[sid] = expired{e, x.ended}
		}
	}
}

// furtherEvent holds one event of a log to its form, and to the ladder of its record.
func (r *reader) furtherEvent(kind openintentv1.EventType, payload wire.Value) {
	if r.recorded == nil || r.written[string(kind)] {
		return
	}
	l, known := r.recorded.ladders[payload.Key("suspension_id").String()]
	known = known && !l.unclear
	attempt, _ := payload.Key("attempt").Int()
	step := l.steps[attempt]
	switch kind {
	case host.EventRenotified:
		r.judged(true, scenarios.IDs{openintent.OIP0026E3}, func(j *scenarios.Judge) { checkReminder(j, payload, attempt) })
		if known && step.Present() {
			r.judged(true, scenarios.IDs{openintent.OIP0026N5}, func(j *scenarios.Judge) {
				if channel := step.Key("channel_hint").String(); channel != "" {
					j.Check(openintent.OIP0026N5, payload.Key("channel_hint")).To(check.Equal(channel), "channel_hint of reminder %d", attempt)
				}
				if to := step.Key("notify_to").String(); to != "" { // a server may leave a stranger out (OIP-R117)
					j.Check(openintent.OIP0026N5, payload.Key("notify_to")).To(check.OneOf(to, nil, ""), "notify_to of reminder %d", attempt)
				}
			})
		}
	case host.EventEscalated:
		r.judged(true, scenarios.IDs{openintent.OIP0026E4}, func(j *scenarios.Judge) {
			j.Check(openintent.OIP0026E4, payload.Key("suspension_id")).To(check.Text(), "suspension_id")
			j.Check(openintent.OIP0026E4, payload.Key("attempt")).To(check.Integer(1, 0), "attempt")
			for _, m := range []string{"escalated_to", "channel_hint"} {
				j.Check(openintent.OIP0026E4, payload.Key(m)).To(host.TextOrNull(), "%s of step %d", m, attempt)
			}
		})
		if known {
			r.alone(openintent.OIP0026N4, step.Present() && (l.most == 0 || attempt <= l.most), payload.Key("attempt"),
				"the attempt of a step of the ladder, and none behind max_attempts")
		}
	case host.EventExpired:
		if reason := payload.Key("reason"); strings.HasPrefix(reason.String(), "portfolio_deadline") {
			r.alone(openintent.OIP0026R5D, reason.String() == "portfolio_deadline", reason, "portfolio_deadline")
		}
	}
}

// checkReminder checks the form of a reminder. After the last one no attempt may follow (OIP-R109).
func checkReminder(j *scenarios.Judge, payload wire.Value, attempt int64) {
	j.Check(openintent.OIP0026E3, payload.Key("suspension_id")).To(check.Text(), "suspension_id")
	j.Check(openintent.OIP0026E3, payload.Key("attempt")).To(check.Integer(2, 0), "attempt")
	j.Check(openintent.OIP0026E3, payload.Key("max_attempts")).To(check.Integer(1, 0), "max_attempts")
	for _, m := range []string{"channel_hint", "notify_to"} {
		j.Check(openintent.OIP0026E3, payload.Key(m)).To(host.TextOrNull(), "%s of attempt %d", m, attempt)
	}
	if most, _ := payload.Key("max_attempts").Int(); attempt < most {
		j.Check(openintent.OIP0026E3, payload.Key("next_attempt_at")).To(host.Moment(), "next_attempt_at of attempt %d", attempt)
	}
}
