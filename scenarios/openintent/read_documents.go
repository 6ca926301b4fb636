package openintent

import (
	"fmt"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// intentSuspended is why a task is blocked whose intent is suspended.
const intentSuspended = "intent_suspended"

// document holds a portfolio, a plan or a task to what it says itself. Why a task is blocked a client may say, too.
func (r *reader) document(kind string, doc wire.Value) {
	of := func(name string) func(host.Locator) host.Located {
		return func(l host.Locator) host.Located { return host.Locate(l, host.Named(name, doc)) }
	}
	r.furtherDocument(kind, doc)
	switch kind {
	case "portfolios":
		at := of("portfolio")
		flag, isFlag := at(host.PortfolioFlag).Bool()
		count, isCount := at(host.PortfolioCount).Int()
		if isFlag && isCount {
			r.see(openintent.OIP0026R4B, flag == (count > 0), at(host.PortfolioFlag).Value,
				fmt.Sprint(count > 0)+", for suspended_member_count is "+fmt.Sprint(count))
		}
		r.entries(at(host.SuspendedPhases).Value, openintent.OIP0026R4J, "phase_name")
	case "plans":
		r.entries(of("plan")(host.SuspendedTasks).Value, openintent.OIP0026R4H, "task_id")
	case "tasks":
		if doc.Key("blocked_reason").String() != intentSuspended || r.recorded != nil && r.ownOf(kind, doc).owned(intentSuspended) {
			return
		}
		status := doc.Key("status")
		if status.String() == "" {
			status = doc.Key("state")
		}
		switch status.String() {
		case "running":
			r.alone(openintent.OIP0026R3D, false, doc.Key("blocked_reason"), "no word of a suspension, for the task is running")
		case host.Blocked:
			named := of("task")(host.SuspendedIntent)
			r.alone(openintent.OIP0026R3C, named.String() != "", named.Value, "the intent that is suspended")
		}
	}
}

// entries holds what is listed as suspended to the members that an entry has. An intent without a window has no expires_at.
func (r *reader) entries(list wire.Value, id scenarios.RequirementID, name string) {
	for _, entry := range list.Items() {
		for _, member := range []string{name, "intent_id", "suspended_since"} {
			v := entry.Key(member)
			r.see(id, v.String() != "", v, "a text")
		}
	}
}

// graph holds the aggregate of an intent to the nodes beside it.
func (r *reader) graph(doc wire.Value) {
	aggregate := host.Locate(host.ParentAggregate, host.Named("graph", doc))
	if !aggregate.Present() || !aggregate.Key("by_status").Present() {
		return
	}
	r.furtherGraph(aggregate.Value, doc.Key("nodes").Items())
	counted, _ := aggregate.At("/by_status/" + host.Suspended).Int()
	children, any := 0, 0
	for _, node := range doc.Key("nodes").Items() {
		if node.Key("status").String() != host.Suspended {
			continue
		}
		any++
		for _, parent := range []string{"parent_id", "parent_intent_id"} {
			if p := node.Key(parent).String(); p != "" && p == doc.Key("root_id").String() {
				children++
				break
			}
		}
	}
	shown := aggregate.At("/by_status/" + host.Suspended)
	switch {
	case children > 0:
		r.see(openintent.OIP0026R4, counted > 0, shown, fmt.Sprintf("the suspended children, %d by the nodes", children))
	case any == 0 && counted > 0 && len(doc.Key("nodes").Items()) > 0:
		r.see(openintent.OIP0026R4, false, shown, "0, for no node is suspended")
	}
}

// log is a log as it was read.
type log struct {
	path   string
	events wire.Values // oldest first
}

// log takes a log as it was read.
func (r *reader) log(x exchange) {
	l := logOf(x)
	r.furtherLog(l.events, x)
	r.logs = append(r.logs, l)
}

func logOf(x exchange) log {
	list := x.body
	for _, name := range []string{"events", "items"} {
		if v := x.body.Key(name); v.Present() {
			list = v
		}
	}
	return log{x.path, host.OldestFirst(list.Items())}
}

// judgeLogs holds logs to how often an event is told, and to when. What the drive wrote itself is not the server's.
func (r *reader) judgeLogs() {
	for _, l := range r.logs {
		r.about = l.path
		r.judgeEvents(l.events)
	}
}

// once returns the requirement that an event comes once for each of its attempts, or once for each suspension; "" if none says so.
func once(kind openintentv1.EventType) scenarios.RequirementID {
	switch kind {
	case host.EventRenotified:
		return openintent.OIP0026E1
	case host.EventEscalated:
		return openintent.OIP0026E2
	case host.EventExpired:
		return openintent.OIP0026E5
	case host.EventResumed:
		return openintent.OIP0025A14
	case host.EventSuspended:
		return openintent.OIPREAD7
	}
	return ""
}

// told names an event of a suspension, and its attempt if it has one.
type told struct {
	kind    openintentv1.EventType
	sid     string
	attempt int64
	step    string
}

// tell reads an event; ours reports whether it is of a suspension.
func tell(kind openintentv1.EventType, payload wire.Value) (t told, ours bool) {
	t = told{kind: kind, sid: payload.Key("suspension_id").String()}
	t.attempt, _ = payload.Key("attempt").Int()
	if kind == host.EventEscalated { // an attempt may have several steps
		t.step = payload.Key("escalated_to").JSON() + payload.Key("channel_hint").JSON()
	}
	return t, once(kind) != "" && t.sid != ""
}

func (r *reader) judgeEvents(events wire.Values) {
	seen := map[told]wire.Value{}
	answered := map[string]time.Time{}
	highest := map[string]int64{}
	for _, e := range events {
		kind, payload := openintentv1.EventType(e.Key("event_type").String()), e.Key("payload")
		r.furtherEvent(kind, payload)
		t, ours := tell(kind, payload)
		if !ours || r.written[string(kind)] {
			continue
		}
		before, twice := seen[t]
		r.alone(once(kind), !twice, e, "one "+string(kind)+", and not one more beside "+before.Ref().String())
		seen[t] = e
		at, _ := host.TimeOf(e.Key("created_at"))
		switch kind {
		case host.EventResumed:
			answered[t.sid] = at
		case host.EventRenotified, host.EventEscalated, host.EventExpired:
			if when, is := answered[t.sid]; is && at.After(when) {
				r.alone(openintent.OIPREAD4, false, e, "nothing of the suspension behind its answer of "+host.Stamp(when))
			}
		}
		if kind == host.EventRenotified {
			r.judgeAttempt(t, payload, highest)
		}
	}
}

// judgeAttempt holds a reminder to the count of attempts.
func (r *reader) judgeAttempt(t told, payload wire.Value, highest map[string]int64) {
	attempt := payload.Key("attempt")
	most, bounded := payload.Key("max_attempts").Int()
	last := highest[t.sid]
	r.alone(openintent.OIP0026N1, t.attempt != 1, attempt, "2 or more, for the first notification is no reminder")
	if bounded {
		r.alone(openintent.OIP0026H1, t.attempt <= most, attempt, fmt.Sprintf("%d at most", most))
	}
	if last > 0 && t.attempt > 1 && (!bounded || t.attempt <= most) {
		r.alone(openintent.OIP0026N3, t.attempt == last+1 || t.attempt == last, attempt, fmt.Sprint(last+1))
	}
	highest[t.sid] = max(last, t.attempt)
}

// stream holds a stream to how often it tells an event of a suspension.
func (r *reader) stream(t *wire.Transcript, n int) {
	seen := map[told]bool{}
	for _, f := range t.Frames(n) {
		kind, payload := openintentv1.EventType(f.Type.String()), f.Data
		if kind == "" || kind == "message" {
			kind = openintentv1.EventType(f.Data.Key("event_type").String())
		}
		if p := f.Data.Key("payload"); p.Present() {
			payload = p
		}
		one, ours := tell(kind, payload)
		if !ours || r.written[string(kind)] {
			continue
		}
		r.alone(openintent.OIP0026L4, !seen[one], f.Data, "each event once")
		seen[one] = true
	}
}
