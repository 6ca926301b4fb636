package model

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openwop/dialect"
)

// KillHost kills the host, with whatever is under way, and starts it again.
const KillHost RunDo = "kill its host"

// runKilled are the rules of a host that is killed. No text says that what was under way goes on then: it may go on, fail, or stand
// still for ever. But what the log has told stays, and turns are counted on from there.
var runKilled = []*runRule{
	{
		Name: "the host is killed, and started again",
		When: func(_ Run, in RunAsk) bool { return in.Do == KillHost },
		Ways: []runWay{{Must: true, Shows: whatever, To: Run.killed}},
	},
	{
		Name: "a run that was under way when its host was killed keeps what it told", Of: scenarios.IDs{openwop.OWPEVT12},
		When: func(r Run, in RunAsk) bool {
			return r.Shaken && slices.Contains([]RunDo{Settle, PollRun, StreamRun}, in.Do)
		},
		Bears: Run.bears,
		Ways:  []runWay{{Must: true, Shows: Run.kept, To: Run.keptAs}},
	},
	{
		Name: "a run that was under way when its host was killed is there", Of: scenarios.IDs{openwop.OWPCTL1, openwop.OWPCTL3},
		When: func(r Run, in RunAsk) bool { return r.Shaken && in.Do == LookAt },
		Ways: []runWay{{Must: true, To: Run.seen, Shows: func(r Run, s runStep) []history.Miss {
			if out := success(s.Out.Status, "the run is there"); out != nil {
				return out
			}
			id, status := s.Out.Body.Key("runId"), s.Out.Body.Key("status")
			return append(whether(id.String() == s.Out.RunID, openwop.OWPCTL1, id, "runId %s", s.Out.RunID),
				whether(r.End == "" || status.String() == r.End, openwop.OWPCTL3, status, "the status %s, for good", r.End)...)
		}}},
	},
	{
		Name: "what else becomes of a run that was under way when its host was killed is open",
		When: func(r Run, _ RunAsk) bool { return r.Shaken },
		Ways: []runWay{{Must: true, Shows: whatever, To: Run.same}},
	},
}

func whatever(Run, runStep) []history.Miss { return nil }

// killed returns the run when its host was killed. One that was seen to stand still does so behind it.
func (r Run) killed(runStep) Run {
	r.Shaken = r.Shaken || r.End == "" && !r.stopped()
	return r
}

// kept compares what is read of a run that was under way with what it had told.
func (r Run) kept(s runStep) []history.Miss {
	if s.In.Do != Settle {
		if code, _ := s.Out.Status.Int(); s.In.Do == StreamRun && code != 200 {
			return nil
		}
		if out := success(s.Out.Status, "a page of the log"); out != nil {
			return out
		}
	}
	events, out := told(s)
	l, misses := r.Log.with(events, openwop.OWPEVT12)
	out = append(out, misses...)
	for _, e := range r.Log.events() {
		if s.Out.Whole && s.Out.Cursor < 0 && s.In.Do == Settle && !slices.ContainsFunc(events, func(k event) bool { return k.seq == e.seq }) {
			return append(out, missOf(openwop.OWPEVT12, s.Out.Status, "the event of sequence %d, which was there before the kill", e.seq))
		}
	}
	if len(r.Log) == 0 && s.Out.Cursor >= 0 {
		return out // it does not begin with the first event
	}
	c := counting{Run: r, at: s.Out.Status, words: s.Out.Words}
	most, _ := r.Loop.turns()
	for _, e := range l.events() {
		switch {
		case e.kind != dialect.Decided:
		case r.Loop.Form != Looping || c.decided >= most:
			c.miss(openwop.OWPDSP5, "no decision behind the %d turns that the run takes", most)
		default:
			c.turn(c.decided, e)
			c.decided++
		}
	}
	return append(out, c.misses...)
}

func (r Run) keptAs(s runStep) Run {
	if s.In.Do == Settle {
		r = r.at(s.Out.Settled.Last.Key("status").String())
	}
	return r.read(s)
}

// bears returns the sentences that the log of a loop bears out, by what is on it.
func (r Run) bears(s runStep) (all scenarios.IDs) {
	if r.Loop.Form != Looping || s.Out.Cursor >= 0 {
		return nil
	}
	l := r.read(s).Log
	decided, began, settled := 0, 0, false
	for _, e := range l.events() {
		switch {
		case e.kind == dialect.Decided:
			decided++
		case e.kind == dialect.HandedOver && e.phase() == dialect.ChainPhaseDispatchBegan:
			began++
		}
		settled = settled || e.kind == dialect.Decided && began > 0
	}
	most, breached := r.Loop.turns()
	behind := false // an answer
	for n := range r.Leg {
		turn, ok := r.Loop.hold(n)
		behind = behind || ok && !r.Loop.lasts(r.Loop.Turns[turn]) && decided > turn+1
	}
	for _, b := range []struct {
		is bool
		of scenarios.IDs
	}{
		{r.Claims.Counts && decided > 1, scenarios.IDs{openwop.OWP0061B2}},
		{r.Claims.Counts && behind, scenarios.IDs{openwop.OWP0061D1}},
		{began > 0, scenarios.IDs{openwop.OWPDSP1}},
		{settled, scenarios.IDs{openwop.OWP0037A5}},
		{breached && l.count(dialect.Breached) > 0, scenarios.IDs{openwop.OWP0061E2, openwop.OWP0061E3}},
		{!breached && r.Loop.Bound > 0 && l.end() == "completed", scenarios.IDs{openwop.OWP0061E6}},
		{decided == most && l.end() == "completed", scenarios.IDs{openwop.OWPDSP5}},
	} {
		if b.is {
			all = append(all, b.of...)
		}
	}
	return all
}
