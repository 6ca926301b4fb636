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

// runKilled are the rules for a host that is killed. No text says that a run under way continues after that: it may continue, fail, or
// hang for ever. But its log keeps what it had, and the turns are counted on from there.
var runKilled = []*runRule{
	{
		Name: "the host is killed, and started again",
		When: func(_ Run, in RunAsk) bool { return in.Do == KillHost },
		Ways: []runWay{{Must: true, Shows: whatever, To: Run.killed}},
	},
	{
		Name: "a run that was under way when its host was killed keeps what it told", Of: scenarios.IDs{openwop.OWPEVT12},
		When:  func(r Run, in RunAsk) bool { return r.Shaken && (in.Do == Settle || in.Do == PollRun) },
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

// killed returns the run after a kill of its host. A run that was seen to have stopped is not shaken.
func (r Run) killed(runStep) Run {
	r.Shaken = r.Shaken || r.End == "" && !r.stopped()
	return r
}

// kept checks that the log of a shaken run has what was read of it before, and that its turns follow the plan.
func (r Run) kept(s runStep) []history.Miss {
	if out := success(s.Out.Status, "a page of the log"); out != nil {
		return out
	}
	events, out := told(s)
	l, misses := r.Log.with(events, openwop.OWPEVT12)
	out = append(out, misses...)
	for _, e := range r.Log.events() {
		if e.seq <= s.Out.Cursor || s.In.Do == PollRun && len(events) > 0 { // the next page may have it
			continue
		}
		if !slices.ContainsFunc(events, func(k event) bool { return k.seq == e.seq }) {
			return append(out, missOf(openwop.OWPEVT12, s.Out.Status, "the event of sequence %d, which was there before the kill", e.seq))
		}
	}
	if len(r.Log) == 0 && s.Out.Cursor >= 0 {
		return out // it does not begin with the first event
	}
	c := counting{Run: r, at: s.Out.Status, words: s.Out.Words}
	for _, e := range l.events() {
		if e.kind == dialect.Decided && c.planned(c.decided) {
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

// bears returns the sentences that the log of a loop bears out, read from its first event. For a shaken run kept compares only the
// turns, so only their sentences count.
func (r Run) bears(s runStep) (all scenarios.IDs) {
	if r.Loop.Form != Looping || s.Out.Cursor >= 0 || !s.Out.Whole {
		return nil
	}
	events, _ := told(s)
	decided, began, done, breaches := 0, 0, 0, 0
	first, settled, end := false, false, ""
	for _, e := range events {
		switch phase := e.phase(); {
		case e.kind == dialect.Decided:
			decided++
			settled = settled || done > 0 && done >= began
		case e.kind == dialect.HandedOver && phase == dialect.ChainPhaseDispatchBegan:
			began++
			first = decided > 0
		case e.kind == dialect.HandedOver && slices.Contains(settledBy, phase):
			done++
		case e.kind == dialect.Breached:
			breaches++
		case ends[e.kind] != "":
			end = ends[e.kind]
		}
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
		{!r.Shaken && first, scenarios.IDs{openwop.OWPDSP1}},
		{!r.Shaken && settled, scenarios.IDs{openwop.OWP0037A5}},
		{!r.Shaken && breached && breaches > 0, scenarios.IDs{openwop.OWP0061E2, openwop.OWP0061E3}},
		{!r.Shaken && !breached && r.Loop.Bound > 0 && breaches == 0 && end == "completed", scenarios.IDs{openwop.OWP0061E6}},
		{!r.Shaken && decided == most && end == "completed", scenarios.IDs{openwop.OWPDSP5}},
	} {
		if b.is {
			all = append(all, b.of...)
		}
	}
	return all
}
