package model

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// Log is what is known of a log: a line an event, in order and without a gap. It is a text so that states can be compared.
type Log string

// event is a line of it.
type event struct {
	seq    int64
	id     string
	kind   dialect.Event
	node   string
	detail string // what the model says something about
	whole  string // all of it, "" where a stream told it, whose frames may leave something out
	at     wire.Value
}

const between = "\x1f"

// eventOf reads an event. ok is false if it has no sequence.
func eventOf(v wire.Value) (e event, ok bool) {
	e = event{id: v.Key("eventId").String(), kind: dialect.EventOf(v), node: v.Key("nodeId").String(), at: v}
	e.seq, ok = v.Key("sequence").Int()
	p := v.Key("payload")
	switch e.kind {
	case dialect.Decided:
		d := p.Key("decision")
		workers := make([]string, 0, 2)
		for _, w := range d.Key("nextWorkerIds").Items() {
			workers = append(workers, w.String())
		}
		kind := d.Key("kind").String()
		if kind == "clarify" || kind == "escalate" { // OWP-R1
			kind = string(dialect.AskUserDecisionKindAskUser)
		}
		e.detail = kind + " " + strings.Join(workers, ",") + " " + p.Key("iteration").JSON() + " " +
			d.Key("prompt").String() + d.Key("reason").String()
	case dialect.HandedOver:
		e.detail = p.Key("phase").String() + " " + p.Key("workerId").String()
	case dialect.NodeDispatched:
		e.detail = p.Key("childWorkflowId").String()
	case dialect.NodeCompleted:
		e.detail = wire.Compact(p.Key("outputs").Actual())
	case dialect.Breached:
		e.detail = p.Key("kind").String() + " " + p.Key("limit").JSON() + " " + p.Key("observed").JSON()
	}
	return e, ok
}

// phase is that of a handoff.
func (e event) phase() dialect.ChainPhase {
	phase, _, _ := strings.Cut(e.detail, " ")
	return dialect.ChainPhase(phase)
}

func (e event) line() string {
	return strings.Join([]string{strconv.FormatInt(e.seq, 10), e.id, string(e.kind), e.node, e.detail, e.whole}, between) + "\n"
}

// same reports whether two tellings are of one event that has not changed.
func (e event) same(other event) bool {
	if e.whole == "" || other.whole == "" {
		e.whole, other.whole = "", ""
	}
	return e.line() == other.line()
}

// events are its lines. The places of the events are not in them.
func (l Log) events() (out []event) {
	for line := range strings.Lines(string(l)) {
		part := strings.SplitN(strings.TrimSuffix(line, "\n"), between, 6)
		seq, _ := strconv.ParseInt(part[0], 10, 64)
		out = append(out, event{seq: seq, id: part[1], kind: dialect.Event(part[2]), node: part[3], detail: part[4], whole: part[5]})
	}
	return out
}

// told are the events of a reply; misses are what none can be.
func told(s runStep) (out []event, misses []history.Miss) {
	for i, v := range s.Out.Events {
		e, ok := eventOf(v)
		switch {
		case !ok:
			misses = append(misses, missOf(openwop.OWPEVT2, v.Key("sequence"), "a sequence"))
			continue
		case i > 0 && len(out) > 0 && e.seq <= out[len(out)-1].seq:
			misses = append(misses, missOf(openwop.OWPEVT1, v.Key("sequence"), "a sequence above %d", out[len(out)-1].seq))
		case i > 0 && len(out) > 0 && s.Out.Whole && e.seq != out[len(out)-1].seq+1:
			misses = append(misses, missOf(openwop.OWPEVT1, v.Key("sequence"), "the sequence %d", out[len(out)-1].seq+1))
		}
		misses = append(misses, whether(v.Key("runId").String() == s.Out.RunID, openwop.OWPEVT4, v.Key("runId"), "an event of this run")...)
		if s.In.Do != StreamRun {
			if wire.Hidden(v) == 0 { // an earlier read may show the value of a placeholder
				sum := sha256.Sum256([]byte(v.JSON()))
				e.whole = hex.EncodeToString(sum[:8])
			}
		}
		out = append(out, e)
	}
	return out, misses
}

// with returns the log with the events of a reply, as far as they join on to it, and in what they differ from it.
func (l Log) with(events []event, id scenarios.RequirementID) (Log, []history.Miss) {
	var misses []history.Miss
	known := l.events()
	for _, e := range events {
		i := slices.IndexFunc(known, func(k event) bool { return k.seq == e.seq })
		last := int64(-1)
		if len(known) > 0 {
			last = known[len(known)-1].seq
		}
		switch {
		case i >= 0 && !known[i].same(e):
			misses = append(misses, missOf(id, e.at, "the event %q of type %s at sequence %d, as before", known[i].id, known[i].kind, e.seq))
		case i < 0 && slices.ContainsFunc(known, func(k event) bool { return k.id == e.id }):
			misses = append(misses, missOf(openwop.OWPEVT3, e.at.Key("eventId"), "an id of its own"))
		case i < 0 && len(known) > 0 && e.seq < known[0].seq:
			misses = append(misses, missOf(openwop.OWPEVT13, e.at, "no event before the first one, of sequence %d", known[0].seq))
		case i < 0 && (len(known) == 0 || e.seq == last+1):
			known = append(known, e)
			l += Log(e.line())
		}
	}
	return l, misses
}

// steps counts those that advance the run.
func (l Log) steps() (n int) {
	for _, e := range l.events() {
		if isStep(e.kind) {
			n++
		}
	}
	return n
}

func isStep(kind dialect.Event) bool {
	return slices.Contains([]dialect.Event{
		dialect.Decided, dialect.HandedOver, dialect.NodeStarted, dialect.NodeDispatched, dialect.NodeCompleted, dialect.NodeFailed,
		dialect.Breached, dialect.RunCompleted, dialect.RunFailed, dialect.RunCancelled,
	}, kind)
}

var ends = map[dialect.Event]string{
	dialect.RunCompleted: "completed", dialect.RunFailed: "failed", dialect.RunCancelled: "cancelled",
}

// count counts the events of a type.
func (l Log) count(kind dialect.Event) (n int) {
	for _, e := range l.events() {
		if e.kind == kind {
			n++
		}
	}
	return n
}

// suspensions is how often a log tells that something waits, by the kind of event that does so most often.
func (l Log) suspensions() int {
	count := map[dialect.Event]int{}
	for _, e := range l.events() {
		count[e.kind]++
	}
	most := 0
	for _, kind := range []dialect.Event{
		dialect.NodeSuspended, dialect.InterruptRequested, dialect.ApprovalRequested, dialect.ClarificationRequested,
	} {
		most = max(most, count[kind])
	}
	return most
}

// end is the status in which the log says that the run ended, "" if it does not.
func (l Log) end() string {
	for _, e := range l.events() {
		if ends[e.kind] != "" {
			return ends[e.kind]
		}
	}
	return ""
}

// agrees holds a log that begins with the first event to what the run was asked to do.
func (r Run) agrees(l Log, s runStep) (out []history.Miss) {
	c := counting{Run: r, at: s.Out.Status, words: s.Out.Words, completed: map[string]int{}, by: map[string]int{}}
	for _, e := range l.events() {
		c.take(e)
	}
	if r.Still >= 0 && c.steps > r.Still {
		c.miss(r.standsBy(), "no step while it stands still: %d steps", r.Still)
	}
	if r.End != "" && c.end != "" && c.end != r.End {
		c.miss(openwop.OWPEVT11, "the end %s, which its snapshot shows", r.End)
	}
	return c.misses
}

// standsBy is the sentence by which the run stands still.
func (r Run) standsBy() scenarios.RequirementID {
	switch turn, ok := r.Loop.hold(r.Leg); {
	case r.Pause == Standing:
		return openwop.OWPCTL20
	case ok && r.Loop.Turns[turn].Doubt:
		return openwop.OWPINT5
	case ok && r.Loop.lasts(r.Loop.Turns[turn]):
		return openwop.OWPDSP14
	}
	return openwop.OWPINT1
}
