package programs

import (
	"context"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// What programs that doubt draw.
var (
	steps    = &scenarios.Dimension{Name: "turns of a loop that doubts", Least: 5, Most: [3]int{7, 20, 60}, Edges: []int{9, 10, 11}}
	doubts   = &scenarios.Dimension{Name: "decisions of a loop below the floor", Least: 2, Most: [3]int{2, 3, 6}}
	unsure   = &scenarios.Dimension{Name: "kind of a confidence below the floor", Least: 1, Most: [3]int{3, 3, 3}}
	sure     = &scenarios.Dimension{Name: "kind of a confidence that is no doubt", Least: 0, Most: [3]int{4, 4, 4}}
	doubting = []*scenarios.Dimension{steps, doubts, unsure, sure, workers, beyond}
)

// DoubtsObservation is some programs with decisions below the floor.
type DoubtsObservation struct {
	Floor    float64   `json:"floor"`
	Programs []Doubted `json:"programs"`
}

// Doubted is a program whose decisions state confidences.
type Doubted struct {
	Program model.Program     `json:"program"`
	Held    []host.Suspension `json:"held"` // by each decision below the floor, and answered
	Log     host.RunLog       `json:"log"`  // at the end
}

// doubtedPrograms is how many programs are drawn at each depth.
var doubtedPrograms = [scenarios.Deep + 1]int{1, 2, 4}

// drawnDoubts runs programs with decisions below the floor and at it or above, and accepts what is held.
var drawnDoubts = &scenarios.Drive[DoubtsObservation]{
	ID: "openwop/drawn-doubts",
	Title: "runs loops of drawn length whose decisions state drawn confidences, several of them below the floor and one of these 0, " +
		"and accepts each that is held",
	Sends: []string{
		"{create run} (assay-loop-mapped, assay-loop or assay-loop-ask-user with a drawn plan; else assay-scripted-doubt)",
		"{read run}", "{poll log}", "{answer node}",
	},
	Dimensions: doubting,
	Run: func(ctx context.Context, c *scenarios.Conn, o *DoubtsObservation) {
		h := host.Host{Conn: c}
		o.Floor = h.Floor()
		var calls []func(context.Context)
		ceiling, why := most(h, steps)
		o.Programs = make([]Doubted, doubtedPrograms[c.Depth])
		for i := range o.Programs {
			d := &o.Programs[i]
			switch workflow, staff := planned(h); {
			case workflow == "" && host.OffersScripted(h, fixture.ScriptedDoubt):
				d.Program = scripted(h, fixture.ScriptedDoubt, false)
			case workflow == "":
				h.Lacks("no loop whose plan can be chosen is on offer", append([]string{fixture.Loop, fixture.Mapped}, staff...)...)
			case ceiling < steps.Least:
				host.TooFewTurns(why)
			default:
				d.Program = doubtful(h, workflow, staff, o.Floor, ceiling, why)
			}
			for turn, t := range d.Program.Turns {
				if t.Doubted(o.Floor) {
					d.Held = append(d.Held, host.Suspension{Turn: turn + 1, Marker: h.Marker()})
				}
			}
			calls = append(calls, func(ctx context.Context) { d.run(ctx, h) })
		}
		c.AtOnce(ctx, calls...)
	},
}

// planned returns a loop on offer whose plan can be chosen, "" if there is none, and its workers.
func planned(h host.Host) (workflow string, workers []string) {
	for _, workflow := range []string{fixture.Mapped, fixture.Loop} {
		if h.Offers(append(slices.Clone(staff), workflow)...) {
			return workflow, staff
		}
	}
	for _, workflow := range []string{fixture.Loop, fixture.LoopAskUser} {
		if h.Offers(workflow, fixture.Noop) {
			return workflow, []string{fixture.Noop}
		}
	}
	return "", nil
}

// doubtful draws a program. No two turns that are held follow one another: a host may show for a while that a run waits which has been
// answered, so the decisions in between tell the second from the first.
func doubtful(h host.Host, workflow string, staff []string, floor float64, ceiling int, why string) model.Program {
	p := model.Program{Workflow: workflow, Inputs: model.Values{}}
	n := h.DrawUpTo(steps, ceiling, why)
	for i := range n - 1 {
		p.Turns = append(p.Turns, model.Turn{Workers: team(h, staff, i), Confidence: confident(h, floor)})
	}
	p.Turns = append(p.Turns, model.Turn{Reason: "the end of " + h.Marker(), Confidence: confident(h, floor)})
	first := h.Rand.IntN(2)
	places := (n - first) / 2 // first, first+2 and so on, and never the last turn
	held := h.Rand.Perm(places)
	doubted := h.DrawUpTo(doubts, places, "no two of them follow one another")
	for k, i := range held[:doubted] {
		kind := 0 // there is one of 0, whatever is drawn
		if k > 0 {
			kind = h.Draw(unsure)
		}
		t := &p.Turns[first+2*i]
		if k == 0 && h.Depth > scenarios.Quick && len(t.Workers) == 1 { // what is held may be for several
			t.Workers = append(t.Workers, staff[h.Rand.IntN(len(staff))])
		}
		t.Confidence = new([]float64{0, 0.001, floor / 2, floor - 0.001}[kind])
	}
	if h.Depth > scenarios.Quick && doubted < places { // a decision that was held comes again, word for word
		p.Turns[first+2*held[doubted]] = p.Turns[first+2*held[h.Rand.IntN(doubted)]]
	}
	for range h.Draw(beyond) {
		p.Turns = append(p.Turns, model.Turn{Workers: team(h, staff, 0)})
	}
	return p
}

// confident draws a confidence that is no doubt: none, the floor, a little more, halfway to 1, or 1.
func confident(h host.Host, floor float64) *float64 {
	if kind := h.Draw(sure); kind > 0 {
		return new([]float64{floor, min(1, floor+0.001), (floor + 1) / 2, 1}[kind-1])
	}
	return nil
}

// run follows the program to its end.
func (d *Doubted) run(ctx context.Context, h host.Host) {
	r := h.Create(ctx, "create the loop that doubts", request(d.Program))
	for i := range d.Held {
		s := &d.Held[i]
		*s = r.HeldAs(ctx, s.Marker, s.Turn, s.Turn-1)
		if s.Suspended.Reached && !reaches(s.Log, s.Turn, i+1) { // a snapshot may be that of the suspension before
			r.Await(ctx, "the decision is held", func(ctx context.Context) (wire.Value, bool) {
				s.Log = r.ReadLog(ctx, "log, until the decision is held")
				return s.Log.Last(), reaches(s.Log, s.Turn, i+1)
			})
		}
		if !s.Suspended.Reached && host.IsTerminal(s.Suspended.Last.Key("status").String()) {
			d.Log = s.Log // OWP-R102: a host may end without what was held
			d.Log.Ended = s.Suspended
			d.Log.Ended.Reached = true
			return
		}
		if taken := r.Resolves(ctx, s); !taken {
			return
		}
	}
	d.Log = r.Finish(ctx, "log of the loop that doubted")
}

// reaches reports whether a log tells of a decision that it is held, as the nth one, or has the decision (OWP-R9).
func reaches(l host.RunLog, turn, n int) bool {
	return len(l.Decided().Values) >= turn || len(l.OfType(dialect.ConfidenceEscalated).Values) >= n
}
