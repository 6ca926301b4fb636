package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	case dialect.Breached:
		e.detail = p.Key("kind").String() + " " + p.Key("limit").JSON() + " " + p.Key("observed").JSON()
	}
	return e, ok
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
			sum := sha256.Sum256([]byte(wire.Compact(v.Actual())))
			e.whole = hex.EncodeToString(sum[:8])
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

// end is the status in which the log says that the run ended, "" if it does not.
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
	c := counting{Run: r, at: s.Out.Status, words: s.Out.Words}
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
	}
	return openwop.OWPINT1
}

// counting goes through a log from its beginning.
type counting struct {
	Run
	at             wire.Value
	words          string
	misses         []history.Miss
	decided, began int
	done, steps    int
	breaches       int
	paused         bool
	end            string
}

func (c *counting) miss(id scenarios.RequirementID, format string, args ...any) {
	c.misses = append(c.misses, missOf(id, c.at, format, args...))
}

func (c *counting) take(e event) {
	if isStep(e.kind) {
		if c.steps++; c.end != "" {
			c.miss(openwop.OWPEVT10, "no %s behind the end of the run", e.kind)
		}
	}
	switch e.kind {
	case dialect.Decided:
		c.decides(e)
	case dialect.HandedOver:
		c.hands(e)
	case dialect.Breached:
		c.breaches++
		if most, breached := c.Loop.turns(); !breached {
			c.miss(openwop.OWP0061E6, "no breach: the loop needs no more turns than its bound")
		} else if c.decided < most {
			c.miss(openwop.OWP0061E3, "all %d turns that the bound allows, before the breach", most)
		} else if want := fmt.Sprintf("loop-iterations %d %d", most, most+1); e.detail != want || c.breaches > 1 {
			c.miss(openwop.OWP0061E2, "one breach %s, and not %s", want, e.detail)
		}
	case dialect.RunCompleted, dialect.RunFailed, dialect.RunCancelled:
		c.ends(e)
	}
}

func (c *counting) decides(e event) {
	most, breached := c.Loop.turns()
	hold, waits := c.Loop.hold(c.Leg)
	n := c.decided
	c.decided++
	switch {
	case n >= most && breached:
		c.miss(openwop.OWP0061E3, "no decision beyond the bound of %d turns", most)
		return
	case c.Loop.Gate:
		c.miss(openwop.OWPINT16, "no decision: there is no loop")
		return
	case n >= most:
		c.miss(openwop.OWPDSP5, "no decision behind the one to end")
		return
	case waits && n > hold:
		c.miss(openwop.OWPINT1, "no decision before turn %d was answered", hold+1)
		return
	}
	t := c.Loop.Turns[n]
	part := strings.SplitN(e.detail, " ", 4)
	if want, is := t.kind()+" "+strings.Join(c.Loop.names(t), ","), part[0]+" "+part[1]; is != want {
		c.miss(openwop.OWP0037A2, "in turn %d the decision %s, and not %s", n+1, want, is)
	}
	planned := c.Loop.Program(c.words).Turns[n]
	if want := planned.Prompt + planned.Reason; c.words != "" && part[3] != want {
		c.miss(openwop.OWP0037A2, "in turn %d the words %q, and not %q", n+1, want, part[3])
	}
	iteration := part[2]
	if c.Claims.Counts && iteration != strconv.Itoa(n+1) {
		id := scenarios.RequirementID(openwop.OWP0061B2)
		if c.Leg > 0 {
			id = openwop.OWP0061D1
		}
		c.miss(id, "the iteration %d, and not %s", n+1, iteration)
	}
	if before := len(c.Loop.before(n)); c.done > 0 && c.done < before && !c.doubted() {
		c.miss(openwop.OWP0037A5, "no turn %d before all %d workers of the turns before had settled", n+1, before)
	}
}

func (c *counting) hands(e event) {
	phase, worker, _ := strings.Cut(e.detail, " ")
	switch phase {
	case string(dialect.ChainPhaseChildCompleted):
		if c.done++; c.done > c.began {
			c.miss(openwop.OWP0037B3, "no worker that completes without having begun")
		}
	case string(dialect.ChainPhaseDispatchBegan):
		n := c.began
		c.began++
		if c.doubted() { // a held decision need not be carried out (OWP-R102)
			return
		}
		hold, waits := c.Loop.hold(c.Leg)
		if most, _ := c.Loop.turns(); !waits {
			hold = most
		}
		switch may := c.Loop.before(hold); {
		case n >= len(may) && waits:
			c.miss(openwop.OWPINT5, "no worker before turn %d was answered", hold+1)
		case n >= len(may) || may[n] != worker:
			c.miss(openwop.OWPDSP3, "the workers %s, in this order, each as often as it is named", strings.Join(may, ", "))
		case n >= len(c.Loop.before(min(c.decided, c.Loop.N))):
			c.miss(openwop.OWPDSP1, "no worker %d before the decision for it", n+1)
		case c.done > 0 && c.done < n:
			c.miss(openwop.OWPDSP14, "no worker %d before the one before it has settled", n+1)
		}
	}
}

func (c *counting) ends(e event) {
	status := ends[e.kind]
	if c.end != "" {
		c.miss(openwop.OWPEVT9, "one event that ends the run")
		return
	}
	c.end = status
	most, breached := c.Loop.turns()
	switch {
	case c.End == "" && !c.mayEnd(status):
		c.miss(c.endBy(), "no end %s", status)
	case status == "completed" && !c.doubted() && !c.Loop.Gate && c.decided < most:
		c.miss(openwop.OWP0037A2, "%d decisions before the end, not %d", most, c.decided)
	case status == "completed" && !c.doubted() && c.began > 0 && c.began < len(c.Loop.before(most)):
		c.miss(openwop.OWPDSP3, "%d workers before the end, not %d", len(c.Loop.before(most)), c.began)
	case status == "failed" && breached && c.breaches == 0:
		c.miss(openwop.OWP0061E2, "the breach of the bound before the run fails")
	}
}

// endBy is the sentence that an end which the run may not have violates.
func (r Run) endBy() scenarios.RequirementID {
	turn, waits := r.Loop.hold(r.Leg)
	_, breached := r.Loop.turns()
	switch {
	case waits && r.Loop.Turns[turn].Doubt && r.Loop.Turns[turn].kind() == string(dialect.TerminateDecisionKindTerminate):
		return openwop.OWPCNF7
	case waits && r.Loop.Turns[turn].Doubt:
		return openwop.OWPINT5
	case waits:
		return openwop.OWPINT1
	case breached:
		return openwop.OWP0061E3
	}
	return openwop.OWPCTL3
}
