package model

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// watching has rules hold the stream that is open while a step is taken to what the log held then, whatever comes of the step.
func watching(rules []*runRule) []*runRule {
	for _, r := range rules {
		for i, w := range r.Ways {
			r.Ways[i].Shows = func(is Run, s runStep) []history.Miss {
				return append(w.Shows(is, s), heard(s)...)
			}
		}
	}
	return rules
}

// heard compares what the stream told with the log as it was read behind the step.
func heard(s runStep) (out []history.Miss) {
	if !s.In.Watch || !s.Out.Watched {
		return nil
	}
	for _, e := range s.Out.Events {
		is, ok := eventOf(e)
		if !ok || is.seq <= s.Out.Cursor {
			continue
		}
		i := slices.IndexFunc(s.Out.Heard, func(h wire.Value) bool {
			other, _ := eventOf(h)
			return other.seq == is.seq
		})
		if i < 0 {
			return append(out, missOf(openwop.OWPEVT26, s.Out.Status, "on the stream that was open, the %s of sequence %d", is.kind, is.seq))
		}
		if other, _ := eventOf(s.Out.Heard[i]); !is.same(other) {
			return append(out, missOf(openwop.OWPEVT27, other.at, "the event %q at sequence %d", is.id, is.seq))
		}
	}
	if s.Out.Over && !s.Out.Closed {
		out = append(out, missOf(openwop.OWPEVT23, s.Out.Status, "the host closes the stream: the run has ended"))
	}
	return out
}

// childLasts reports whether the worker that was cancelled is the one that the run waits for.
func (r Run) childLasts(s runStep) bool {
	if s.Out.Unsent || r.End != "" || r.Cancelled || !r.waits() || r.asks() {
		return false
	}
	before := 0
	for n := range r.Leg {
		if turn, _ := r.Loop.hold(n); r.Loop.lasts(r.Loop.Turns[turn]) {
			before++
		}
	}
	return s.Out.Round == before
}

// childGone returns the run when the worker that it waits for is cancelled.
func (r Run) childGone(s runStep) Run {
	if r.childLasts(s) {
		r.Leg++
	}
	return r
}

// runForeign is the rule of what another tenant can do.
var runForeign = []*runRule{{
	Name: "another tenant sees nothing of a run, and does nothing to it", Of: scenarios.IDs{openwop.OWPISO3},
	When: func(_ Run, in RunAsk) bool { return in.Do == ForeignRun },
	Ways: []runWay{{Must: true, To: Run.same, Shows: unlessUnsent(func(_ Run, s runStep) []history.Miss {
		id := scenarios.RequirementID(openwop.OWPISO3)
		switch i := slices.Index(Foreigns, s.In.Mode); {
		case Foreigns[max(0, i)] == "read its child":
			id = openwop.OWPISO7
		case i < 3:
			id = openwop.OWPISO1
		}
		if out := under(id, refusal(s.Out.Status)); out != nil {
			return out
		}
		return whether(s.Out.Status.JSON() == s.Out.Never.JSON(), openwop.OWPISO2, s.Out.Status, "HTTP %s, as of a run that never was",
			s.Out.Never.JSON())
	})}},
}}
