package model

import (
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// runReads are the rules of what changes nothing.
var runReads = []*runRule{
	{
		Name: "a run is shown as it stands", Of: scenarios.IDs{openwop.OWPCTL3, openwop.OWPCTL1, openwop.OWPCTL2},
		Readings: []string{"OWP-R8"},
		When:     func(_ Run, in RunAsk) bool { return in.Do == LookAt },
		Ways:     []runWay{{Must: true, Shows: Run.looked, To: Run.seen}},
	},
	{
		Name: "a run that waits for a person goes on behind the answer", Of: scenarios.IDs{openwop.OWPINT16, openwop.OWPEVT12},
		When: func(r Run, in RunAsk) bool { return in.Do == Settle && r.Loop.Form.Gated() },
		Ways: []runWay{{Must: true, Shows: Run.settled, To: Run.stood}},
	},
	{
		Name: "a run that is no loop goes on until it ends", Of: scenarios.IDs{openwop.OWPCTL3, openwop.OWPEVT12},
		When: func(r Run, in RunAsk) bool { return in.Do == Settle && r.Loop.Form != Looping },
		Ways: []runWay{{Must: true, Shows: Run.settled, To: Run.stood}},
	},
	{
		Name:     "a run goes on until it ends or waits for somebody",
		Of:       scenarios.IDs{openwop.OWP0037A1, openwop.OWP0037A2, openwop.OWPDSP3, openwop.OWPEVT12},
		Readings: []string{"OWP-R10", "OWP-R102"},
		When:     func(_ Run, in RunAsk) bool { return in.Do == Settle },
		Bears:    Run.bears,
		Ways:     []runWay{{Must: true, Shows: Run.settled, To: Run.stood}},
	},
	{
		Name: "a log is only appended to", Of: scenarios.IDs{openwop.OWPEVT12, openwop.OWPEVT14, openwop.OWPEVT1},
		Readings: []string{"OWP-R20"},
		When:     func(_ Run, in RunAsk) bool { return in.Do == PollRun },
		Bears:    Run.bears,
		Ways:     []runWay{{Must: true, Shows: Run.polled, To: Run.read}},
	},
	{
		Name: "a stream tells what the log holds", Of: scenarios.IDs{openwop.OWPEVT27, openwop.OWPEVT22, openwop.OWPEVT24},
		Readings: []string{"OWP-R22"},
		When:     func(_ Run, in RunAsk) bool { return in.Do == StreamRun },
		Ways:     []runWay{{Must: true, Shows: Run.streamed, To: Run.read}},
	},
	{
		Name: "a run that no run started has no parent", Of: scenarios.IDs{openwop.OWPCAU2, openwop.OWPCAU1},
		When: func(r Run, in RunAsk) bool { return in.Do == Ancestry && r.Claims.Ancestry },
		Ways: []runWay{{Must: true, Shows: Run.descends, To: Run.same}},
	},
	{
		Name: "a host that serves no ancestry finds none", Of: scenarios.IDs{openwop.OWPCAU8},
		When: func(_ Run, in RunAsk) bool { return in.Do == Ancestry },
		Ways: []runWay{{Must: true, To: Run.same, Shows: unlessUnsent(func(_ Run, s runStep) []history.Miss {
			return refusal(s.Out.Status, 404, 403, 405, 501)
		})}},
	},
	{
		Name: "a child is a run of the worker that its parent's log names", Of: scenarios.IDs{openwop.OWPDSP12},
		When: func(_ Run, in RunAsk) bool { return in.Do == ReadChild },
		Ways: []runWay{{Must: true, Shows: Run.childShown, To: Run.same}},
	},
	{
		Name: "a fork begins as its source", Of: scenarios.IDs{openwop.OWPRPL3, openwop.OWPRPL10, openwop.OWPRPL1},
		Readings: []string{"OWP-R108"},
		When:     func(_ Run, in RunAsk) bool { return in.Do == ForkRun },
		Ways:     []runWay{{Must: true, Shows: Run.forked, To: Run.same}},
	},
}

// looked compares a snapshot with the run.
func (r Run) looked(s runStep) []history.Miss {
	if out := success(s.Out.Status, "the run is there"); out != nil {
		return out
	}
	return r.snapshot(s.Out.Body, s)
}

var statuses = []string{
	"pending", "running", "paused", "waiting-approval", "waiting-input", "waiting-external", "completed", "failed", "cancelled", "cancelling",
	waitingClarification,
}

const waitingClarification = "waiting-clarification" // OWP-R8

func isWaiting(status string) bool {
	return slices.Contains([]string{"waiting-input", "waiting-approval", "waiting-external", waitingClarification}, status)
}

func isEnd(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

func (r Run) snapshot(body wire.Value, s runStep) (out []history.Miss) {
	at := body.Key("status")
	status := at.String()
	switch {
	case !slices.Contains(statuses, status):
		out = append(out, missOf(openwop.OWPCTL2, at, "a status that there is"))
	case r.End != "" && status != r.End:
		out = append(out, missOf(openwop.OWPCTL3, at, "the status %s, for good", r.End))
	case isEnd(status) && !r.mayEnd(status):
		out = append(out, missOf(r.endBy(), at, "no end %s", status))
	case isWaiting(status) && !r.asks() && r.Leg == 0:
		out = append(out, missOf(openwop.OWPCNF6, at, "no wait for anybody: nothing in the plan has it wait"))
	case status == "paused" && r.Pause == NeverPaused:
		out = append(out, missOf(openwop.OWPCTL3, at, "no pause: nobody paused it"))
	case r.Pause == Standing && !r.Cancelled && status != "paused" && !isWaiting(status):
		out = append(out, missOf(openwop.OWPCTL20, at, "the status paused, until it is resumed"))
	}
	out = append(out, whether(body.Key("runId").String() == s.Out.RunID, openwop.OWPCTL1, body.Key("runId"), "runId %s", s.Out.RunID)...)
	out = append(out, whether(body.Key("workflowId").String() == r.Loop.Workflow, openwop.OWPCTL1, body.Key("workflowId"),
		"workflowId %s", r.Loop.Workflow)...)
	if label := body.At("/metadata/label"); label.Present() {
		out = append(out, whether(label.String() == s.Out.Label, openwop.OWPCTL7, label, "the label that it was made with")...)
	}
	if status == "failed" {
		out = append(out, whether(body.At("/error/code").String() != "", openwop.OWPCTL4, body.Key("error"), "an error with a code")...)
		out = append(out, whether(body.At("/error/message").String() != "", openwop.OWPCTL4, body.Key("error"), "an error with a message")...)
	}
	if isWaiting(status) {
		node := body.Key("currentNodeId").String() + body.At("/interrupt/nodeId").String()
		out = append(out, whether(node != "", openwop.OWPCTL9, body, "the node that waits, in currentNodeId")...)
	}
	return out
}

// seen returns the run as a read shows it.
func (r Run) seen(s runStep) Run { return r.at(s.Out.Body.Key("status").String()) }

func (r Run) at(status string) Run {
	switch {
	case isEnd(status):
		r.End, r.Held, r.Still = status, false, -1
	case status == "paused" && r.Pause == Pausing:
		r.Pause = Standing
	}
	return r
}

// settled compares the run when it stands still, or what it was until patience was over, with what it has to come to.
func (r Run) settled(s runStep) (out []history.Miss) {
	snapshot := s.Out.Settled.Last
	status := snapshot.Key("status")
	if s.Out.Alone {
		out = append(r.snapshot(snapshot, s), r.stands(s)...)
	}
	now := r
	if s.Out.Alone {
		now = r.at(status.String())
	}
	events, misses := told(s)
	out = append(out, misses...)
	l, misses := r.Log.with(events, openwop.OWPEVT12)
	out = append(out, misses...)
	turn, waits := r.Loop.hold(r.Leg)
	if s.Out.Alone && waits && r.Loop.Form == Looping && isWaiting(status.String()) && l.suspensions() > r.Leg {
		out = append(out, whether(l.count(dialect.Decided) >= turn, openwop.OWPCNF6, s.Out.Status, "no wait before turn %d", turn+1)...)
	}
	for _, e := range r.Log.events() {
		if s.Out.Alone && !slices.ContainsFunc(events, func(k event) bool { return k.seq == e.seq }) {
			out = append(out, missOf(openwop.OWPEVT12, s.Out.Status, "the event of sequence %d, which was there before", e.seq))
			break
		}
	}
	out = append(out, now.agrees(l, s)...)
	if now.End != "" && s.Out.Alone {
		out = append(out, whether(l.end() != "", openwop.OWPEVT9, s.Out.Status, "the event that ends the run, at the end of its log")...)
	}
	return out
}

// stands compares where the run has come to a standstill with where it must.
func (r Run) stands(s runStep) (out []history.Miss) {
	status := s.Out.Settled.Last.Key("status")
	turn, waits := r.Loop.hold(r.Leg)
	is := status.String()
	switch {
	case r.Rejected: // what becomes of it is open
	case !s.Out.Settled.Reached && r.Pause == Pausing && isWaiting(is): // it stands still already (OWP-R110)
	case !s.Out.Settled.Reached && r.Pause == Pausing:
		out = append(out, missOf(openwop.OWPCTL19, status, "the status paused, in time"))
	case !s.Out.Settled.Reached && r.Pause == Resumed:
		out = append(out, missOf(openwop.OWPCTL24, status, "the run goes on where it stood, in time"))
	case !s.Out.Settled.Reached && r.Leg > 0:
		out = append(out, missOf(openwop.OWPINT16, status, "the run goes on behind its answer, in time"))
	case !s.Out.Settled.Reached:
		out = append(out, missOf("", status, "the run ends, or waits, in time"))
	case is == "paused" || isEnd(is) || waits && !r.asks():
	case !waits && !r.Cancelled:
		out = append(out, missOf("", status, "an end"))
	case waits && r.Loop.Turns[turn].Doubt && !isWaiting(is):
		out = append(out, missOf(openwop.OWPINT5, status, "a wait for a person, at turn %d, which is below the floor", turn+1))
	}
	return out
}

// stood returns the run as it stands.
func (r Run) stood(s runStep) Run {
	status := s.Out.Settled.Last.Key("status").String()
	if r = r.read(s); !s.Out.Alone {
		return r
	}
	r = r.at(status)
	if isWaiting(status) && r.asks() && !r.Cancelled && r.Log.suspensions() > r.Leg && (r.Pause == NeverPaused || r.Pause == Resumed) {
		r.Held = true
	}
	if r.stopped() {
		r.Still = r.Log.steps()
	}
	return r
}

// read returns the run as events of it were told.
func (r Run) read(s runStep) Run {
	events, _ := told(s)
	if s.In.Do == StreamRun && !s.Out.Whole {
		return r // what it leaves out nobody knows
	}
	if len(r.Log) == 0 && s.Out.Cursor >= 0 {
		return r // it does not begin with the first event
	}
	r.Log, _ = r.Log.with(events, "")
	return r
}

// polled compares a page with the log.
func (r Run) polled(s runStep) (out []history.Miss) {
	if out = success(s.Out.Status, "a page of the log"); out != nil {
		return out
	}
	events, out := told(s)
	known := r.Log.events()
	if len(events) > 0 && s.Out.Cursor >= 0 {
		first := events[0]
		switch {
		case first.seq <= s.Out.Cursor:
			out = append(out, missOf(openwop.OWPEVT15, first.at, "no event at the cursor %d, or before it", s.Out.Cursor))
		case first.seq != s.Out.Cursor+1:
			out = append(out, missOf(openwop.OWPEVT14, first.at, "the event next to the cursor %d", s.Out.Cursor))
		}
	} else if len(events) > 0 && len(known) > 0 && events[0].seq != known[0].seq {
		out = append(out, missOf(openwop.OWPEVT13, events[0].at, "the first event of the run, of sequence %d", known[0].seq))
	}
	last := s.Out.Cursor
	if len(events) > 0 {
		last = events[len(events)-1].seq
	}
	complete, _ := s.Out.Body.Key("isComplete").Bool()
	terminal, _ := s.Out.Body.Key("isTerminal").Bool()
	beyond := len(known) > 0 && known[len(known)-1].seq > last
	switch {
	case beyond && len(events) == 0:
		out = append(out, missOf(openwop.OWPEVT14, s.Out.Body.Key("events"), "the events behind %d, up to %d", last, known[len(known)-1].seq))
	case beyond && complete:
		out = append(out, missOf(openwop.OWPEVT16, s.Out.Body.Key("isComplete"), "false: there is an event behind %d", last))
	case !beyond && r.Log.end() != "" && len(known) > 0 && last == known[len(known)-1].seq && !complete && !terminal:
		out = append(out, missOf(openwop.OWPEVT17, s.Out.Body.Key("isComplete"), "true: the log ends with %d", last))
	}
	return append(out, r.tells(events, openwop.OWPEVT12, s)...)
}

// tells compares events with the log, and the log with what the run was asked to do.
func (r Run) tells(events []event, id scenarios.RequirementID, s runStep) []history.Miss {
	l, out := r.Log.with(events, id)
	if len(r.Log) > 0 || s.Out.Cursor < 0 {
		out = append(out, r.agrees(l, s)...)
	}
	return out
}

// streamed compares a stream with the log.
func (r Run) streamed(s runStep) (out []history.Miss) {
	switch code, _ := s.Out.Status.Int(); {
	case code/100 == 4 && s.In.Mode != "debug": // a mode, or a list of them, that the host does not know (OWP-ERR-16)
		return nil
	case code == http.StatusNoContent && s.Out.Over: // there is no more to come
		return nil
	}
	if out = success(s.Out.Status, "a stream of the log"); out != nil {
		return out
	}
	events, out := told(s)
	known := r.Log.events()
	for _, e := range events {
		if e.seq <= s.Out.Cursor {
			out = append(out, missOf(openwop.OWPEVT24, e.at, "no event at %d, or before it", s.Out.Cursor))
			break
		}
	}
	if s.Out.Whole {
		for _, k := range known {
			if k.seq > s.Out.Cursor && !slices.ContainsFunc(events, func(e event) bool { return e.seq == k.seq }) {
				id := scenarios.RequirementID(openwop.OWPEVT22)
				if s.Out.Cursor >= 0 && k.seq == s.Out.Cursor+1 {
					id = openwop.OWPEVT24
				}
				out = append(out, missOf(id, s.Out.Status, "the event of sequence %d among those behind %d", k.seq, s.Out.Cursor))
				break
			}
		}
	}
	if s.Out.Over && !s.Out.Closed {
		out = append(out, missOf(openwop.OWPEVT23, s.Out.Status, "the host closes it: the run has ended"))
	}
	if s.Out.Whole {
		return append(out, r.tells(events, openwop.OWPEVT27, s)...)
	}
	for _, e := range events {
		if i := slices.IndexFunc(known, func(k event) bool { return k.seq == e.seq }); i >= 0 && !known[i].same(e) {
			out = append(out, missOf(openwop.OWPEVT27, e.at, "the event %q at sequence %d", known[i].id, e.seq))
		}
	}
	return out
}

func (r Run) descends(s runStep) []history.Miss {
	if out := success(s.Out.Status, "the ancestry of the run"); out != nil {
		return out
	}
	b := s.Out.Body
	out := r.here(b, s.Out.RunID)
	parent := b.Key("parent")
	return append(out, whether(parent.Actual() == nil, openwop.OWPCAU2, parent, "no parent")...)
}

func (r Run) childShown(s runStep) []history.Miss {
	if s.Out.Unsent {
		return nil
	}
	if out := success(s.Out.Status, "the child is there"); out != nil {
		return out
	}
	b := s.Out.Body
	out := whether(b.Key("runId").String() == s.Out.Other, "", b.Key("runId"), "runId %s", s.Out.Other)
	out = append(out, whether(b.Key("workflowId").String() == s.Out.Worker, "", b.Key("workflowId"), "a run of %s", s.Out.Worker)...)
	if s.Out.Phase != "" {
		want := strings.TrimPrefix(s.Out.Phase, "child.")
		out = append(out, whether(b.Key("status").String() == want, "", b.Key("status"), "%s, as its parent's log tells", want)...)
	}
	if p := b.Key("parentRunId"); p.Actual() != nil {
		out = append(out, whether(p.String() == s.Out.RunID, "", p, "its parent %s", s.Out.RunID)...)
	}
	if r.Claims.Ancestry {
		p := s.Out.Parent.At("/parent/runId")
		out = append(out, whether(p.String() == s.Out.RunID, openwop.OWPCAU3, p, "the parent %s", s.Out.RunID)...)
		out = append(out, r.here(s.Out.Parent, s.Out.Other)...)
		if s.Out.Below.RunID != "" {
			p = s.Out.Below.Lineage.At("/parent/runId")
			out = append(out, whether(p.String() == s.Out.Other, openwop.OWPCAU3, p, "the parent %s", s.Out.Other)...)
			out = append(out, r.here(s.Out.Below.Lineage, s.Out.Below.RunID)...)
		}
	}
	return out
}

// here compares whose ancestry it is, and the host that it names, with what they must be.
func (r Run) here(lineage wire.Value, id string) []history.Miss {
	p, h := lineage.Key("runId"), lineage.Key("hostId")
	return append(whether(p.String() == id, openwop.OWPCAU1, p, "the ancestry of %s", id),
		whether(h.String() == r.Claims.Host, openwop.OWPCAU1, h, "hostId %s", r.Claims.Host)...)
}
