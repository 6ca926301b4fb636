package openwop

import (
	"net/http"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// answer is an answer to a node of a run.
type answer struct {
	asked
	over    *ending  // how the run had ended before
	again   bool     // the node had taken an answer before
	waits   []string // the nodes at which the run ever waited, if its log tells of each
	told    bool     // it does
	offered []any    // the actions that every interrupt of the node offers; nil if nobody knows
}

// answered is the rule about answers. One under an idempotency key may be answered as before.
var answered = rule[answer]{"answered", scenarios.IDs{openwop.OWPINT2, openwop.OWPINT14, openwop.OWPINT20, openwop.OWPINT46},
	func(a answer, j *scenarios.Judge) {
		members, _ := a.members()
		value, _ := members["resumeValue"].(map[string]any)
		action, acts := value["action"].(string)
		switch {
		case a.keyed():
		case a.over != nil && a.again:
			j.Check(openwop.OWPINT2, a.Status).To(check.Status(4), "another answer to an interrupt that was resolved, of a run that has ended")
		case a.over != nil && a.over.status.String() == "cancelled":
			j.Check(openwop.OWPINT46, a.Status).To(check.Status(4), "an answer to a run that was cancelled")
		case a.told && !slices.Contains(a.waits, a.ids[1]) && (a.Ok() || a.Code == http.StatusNotFound):
			j.Check(openwop.OWPINT14, a.Status).To(check.Status(4), "an answer to a node at which the run never waited")
		case acts && len(a.offered) > 0 && !slices.Contains(a.offered, any(action)):
			j.Check(openwop.OWPINT20, a.Status).To(check.Status(4), "an answer by an action that is not offered")
		}
	}}

// token is a use of the token of an interrupt.
type token struct {
	asked
	spent bool // it was used before, and its run has ended since
}

// tokens is the rule about tokens.
var tokens = rule[token]{"token", scenarios.IDs{openwop.OWPINT36, openwop.OWPINT38}, func(u token, j *scenarios.Judge) {
	switch {
	case u.op == dialect.ReadToken && u.Code == http.StatusOK:
		j.Check(openwop.OWPINT36, u.Body.Key("kind")).To(check.Text(), "kind that a token shows")
		j.Check(openwop.OWPINT36, u.Body.Key("key")).To(check.Text(), "key that a token shows")
		j.Check(openwop.OWPINT36, u.Body.Key("expiresAt")).To(host.Timestamp(), "when a token ends")
	case u.op == dialect.UseToken && u.spent && !u.keyed():
		j.Check(openwop.OWPINT38, u.Status).To(check.Status(4), "a token that was used and whose run has ended")
	}
}}

func (t *traffic) judgeAnswers() {
	taken, spent := t.taken()
	offers := map[string][]any{}
	for _, x := range t.all {
		if !x.decided() {
			continue
		}
		key := useOf(x)
		switch x.op {
		case dialect.AnswerNode:
			a := answer{asked: x}
			if end, over := t.over(x.id(), x); over {
				a.over = &end
			}
			since, again := taken[key]
			a.again = again && since <= x.Began
			if l, whole := t.whole(x.id()); whole {
				a.waits, a.told = t.logs[x.id()].waits, t.logs[x.id()].told
				if _, known := offers[key]; !known {
					offers[key] = offered(l, x.ids[1])
				}
				a.offered = offers[key]
			}
			answered.hold(t.sights, x.id(), a)
		case dialect.ReadToken, dialect.UseToken:
			since, again := spent[key]
			u := token{asked: x, spent: again && since <= x.Began}
			tokens.hold(t.sights, "a token", u)
		}
	}
}

// useOf names what answers are for: a node, or a token.
func useOf(x asked) string { return x.Origin + x.Path }

// taken returns since when each node has taken an answer, and since when the run is over that each token was used for.
func (t *traffic) taken() (taken, spent map[string]time.Duration) {
	taken, spent = map[string]time.Duration{}, map[string]time.Duration{}
	note := func(into map[string]time.Duration, x asked, at time.Duration) {
		if before, known := into[useOf(x)]; !known || at < before {
			into[useOf(x)] = at
		}
	}
	for _, x := range t.of(dialect.AnswerNode, dialect.UseToken) {
		end, over := t.ends[x.Body.Key("runId").String()]
		switch {
		case !x.Ok():
		case x.op == dialect.AnswerNode:
			note(taken, x, x.Ended)
		case over:
			note(spent, x, max(x.Ended, end.Ended))
		}
	}
	return taken, spent
}

// waits returns the nodes at which a run waited. told is false if that may not be all of them, or a child may have waited.
func waits(l host.RunLog) (nodes []string, told bool) {
	if len(l.OfType(dialect.HandedOver, dialect.NodeDispatched).Values) > 0 {
		return nil, false
	}
	for _, e := range l.Events {
		node := host.NodeOf(e)
		if suspends(e) && node == "" {
			return nil, false
		}
		if suspends(e) {
			nodes = append(nodes, node)
		}
	}
	return nodes, true
}

// offered returns the actions that the interrupts of a node offer, if each offers the same ones.
func offered(l host.RunLog, node string) (actions []any) {
	var first wire.Value
	for _, e := range l.OfType(dialect.InterruptRequested).Values {
		if host.NodeOf(e) != node {
			continue
		}
		list := e.At("/payload/data/actions")
		if !host.IsList(list) || first.Present() && first.JSON() != list.JSON() {
			return nil
		}
		first = list
	}
	for _, action := range first.Items() {
		actions = append(actions, action.Actual())
	}
	return actions
}

// showing is a snapshot, and what else is known of its run.
type showing struct {
	asked
	node  string // where it waits, for a run that is no loop
	waits []string
	made  map[string]any // the options that it was asked for with
	first wire.Value     // the options that an earlier snapshot shows
	most  map[string]int64
}

// showings is the rule about snapshots beside the rest of a recording.
var showings = rule[showing]{"shown", scenarios.IDs{openwop.OWPINT7, openwop.OWPBND23}, func(s showing, j *scenarios.Judge) {
	if s.node != "" && len(s.waits) > 0 {
		j.Check(openwop.OWPINT7, s.Body.Key("currentNodeId")).To(check.That("one at which the log has the run wait", func(v any) bool {
			node, _ := v.(string)
			return slices.Contains(s.waits, node)
		}), "currentNodeId of a run that waits")
	}
	options := dialect.OptionsOf(s.Body)
	if !options.Present() || wire.Hidden(options) > 0 {
		return
	}
	for _, name := range dialect.Options {
		given, isNumber := host.AsNumber(s.made[string(name)])
		most, limited := s.most[string(name)]
		if shown := options.Key(string(name)); isNumber && given > 0 && shown.Present() && (!limited || given <= float64(most)) {
			j.Check(openwop.OWPBND23, shown).To(host.About(given), "%s, as it was asked for", name)
		}
		if before := s.first.Key(string(name)); before.Present() {
			j.Check(openwop.OWPBND23, options.Key(string(name))).To(check.SameAs(before), "%s, as it was shown before", name)
		}
	}
}}

// untouched is a run that completed, and the bounds that it was asked for with.
type untouched struct {
	log    host.RunLog
	bounds map[string]any
}

// leftAlone is the rule about runs that needed no more than their bounds allow.
var leftAlone = rule[untouched]{"left-alone", scenarios.IDs{openwop.OWPBND4, openwop.OWPBND9, openwop.OWP0061E6},
	func(u untouched, j *scenarios.Judge) {
		for _, b := range []struct {
			option dialect.Option
			kind   dialect.CapKind
			id     scenarios.RequirementID
		}{
			{dialect.RecursionLimit, dialect.CapKindNodeExecutions, openwop.OWPBND4},
			{dialect.RunTimeoutMs, dialect.CapKindRunDuration, openwop.OWPBND9},
			{dialect.MaxLoopIterations, dialect.CapKindLoopIterations, openwop.OWP0061E6},
		} {
			if _, given := host.AsNumber(u.bounds[string(b.option)]); given &&
				(b.option != dialect.MaxLoopIterations || len(u.log.Decided().Values) > 0) {
				j.Check(b.id, u.log.Breaches().Where(func(e wire.Value) bool { return e.At("/payload/kind").String() == string(b.kind) })).
					To(check.Len(0), "breaches of %s of a run that completed", b.option)
			}
		}
	}}

func (t *traffic) judgeShown() {
	limits, most := t.discovery.Document.Key("limits"), map[string]int64{}
	for option, name := range map[dialect.Option]string{dialect.RecursionLimit: "maxNodeExecutions", dialect.RunTimeoutMs: "maxRunDurationMs",
		dialect.MaxLoopIterations: "maxLoopIterations"} {
		if n, known := limits.Key(name).Int(); known {
			most[string(option)] = n
		}
	}
	made, first := map[string]map[string]any{}, map[string]wire.Value{}
	for _, x := range t.of(dialect.CreateRun) {
		if members, ok := x.members(); ok && x.Ok() && !x.keyed() {
			made[x.Body.Key("runId").String()], _ = members["configurable"].(map[string]any)
		}
	}
	for _, x := range t.of(dialect.ReadRun) {
		id := x.Body.Key("runId").String()
		if x.Code != http.StatusOK || id != x.id() {
			continue
		}
		s := showing{asked: x, made: made[id], first: first[id], most: most}
		if l, isWhole := t.whole(id); isWhole && host.IsWaiting(x.Body.Key("status").String()) && len(l.Decided().Values) == 0 {
			s.node = x.Body.Key("currentNodeId").String()
			s.waits = t.logs[id].waits
		}
		showings.hold(t.sights, id, s)
		if options := dialect.OptionsOf(x.Body); options.Present() && wire.Hidden(options) == 0 && !first[id].Present() {
			first[id] = options
		}
	}
	for _, id := range t.order {
		if l, whole := t.whole(id); whole && len(made[id]) > 0 && host.IsA(dialect.RunCompleted)(l.Terminals().Last()) {
			leftAlone.hold(t.sights, id, untouched{l, made[id]})
		}
	}
}
