package control

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// What drives draw that control a run more than once.
var (
	waitsOf  = &scenarios.Dimension{Name: "questions of a loop that is paused", Least: 2, Most: [3]int{2, 3, 6}}
	pausesOf = &scenarios.Dimension{Name: "pauses of a loop while it waits", Least: 1, Most: [3]int{2, 3, 9}, Edges: []int{2}}
	attempts = &scenarios.Dimension{Name: "times that a run is controlled which has ended", Least: 2, Most: [3]int{2, 3, 5}}
)

// PausedAgainObservation is a loop that asked several times and was paused several times while it waited.
type PausedAgainObservation struct {
	host.SuspendedLoop
	Waits []PausedWait `json:"waits"` // one for each question
}

// PausedWait is a question that waited, was paused, waited again and so on, and was answered.
type PausedWait struct {
	host.Suspension
	Pauses []PauseOfMany `json:"pauses"`
}

// PauseOfMany is a pause and what ended it.
type PauseOfMany struct {
	Reason  string        `json:"reason"`
	Paused  host.Answered `json:"paused"`
	Still   wire.Wait     `json:"still"`
	Again   host.Answered `json:"again"` // a pause while it is paused
	During  host.RunLog   `json:"during"`
	Resumed host.Answered `json:"resumed"`
	Waits   wire.Wait     `json:"waits"` // until it waits again
	After   host.RunLog   `json:"after"`
}

// pausedAgain pauses and resumes a loop, again and again, at each of its questions.
var pausedAgain = &scenarios.Drive[PausedAgainObservation]{
	ID: "openwop/paused-again",
	Title: "holds a loop by drawn questions; at each of them pauses it, pauses it once more, and resumes it, again and again, and answers " +
		"the question",
	Sends:      []string{host.SendsLoop, "{pause run}", "{resume run}", "{answer node}", "{read run} and its events"},
	Replies:    50,
	Dimensions: []*scenarios.Dimension{waitsOf, pausesOf},
	Run: func(ctx context.Context, c *scenarios.Conn, o *PausedAgainObservation) {
		h := host.Host{Conn: c}
		policy := host.MustDrain(h, afterNode, atOnce)
		way, err := scenarios.Attempt(func() host.Suspending {
			ceiling, _ := h.Ceiling()
			return h.AskingLoop(max(1, min(h.Draw(waitsOf), ceiling-3)))
		})
		if host.IsBlocked(err) {
			unlessPauses(ctx, h, err)
		}
		scenarios.End(err)
		r := h.Create(ctx, "create the loop that asks", way.Request(nil))
		o.SuspendedLoop = host.SuspendedLoop{Way: way.Fixture, Turns: way.Turns(), Kinds: way.Kinds()}
		for i, turn := range way.At {
			w := PausedWait{Suspension: r.Held(ctx, turn, turn)}
			goesOn := w.Suspended.Reached
			for n := h.Draw(pausesOf); n > 0 && goesOn; n-- {
				p := PauseOfMany{Reason: h.Marker()}
				if h.Depth > scenarios.Quick && len(w.Pauses)%2 == 1 { // the reason of the pause before must not be told again
					p.Reason = ""
				}
				goesOn = p.pause(ctx, r, policy, turn)
				w.Pauses = append(w.Pauses, p)
			}
			goesOn = goesOn && r.Resolves(ctx, &w.Suspension)
			if o.Waits = append(o.Waits, w); i == 0 {
				o.Held = w.Suspension
			}
			if !goesOn {
				return
			}
		}
		o.Log = r.Finish(ctx, "log of the loop that was paused again and again")
	},
}

// pause pauses a run, twice, and resumes it. It reports whether the run waits as before.
func (p *PauseOfMany) pause(ctx context.Context, r *host.Run, policy dialect.DrainPolicy, turn int) bool {
	if p.Paused = r.Pause(ctx, policy, p.Reason, "to pause the loop"); !host.Succeeded(p.Paused.Status) {
		return false
	}
	if p.Still = r.IsPaused(ctx); !p.Still.Reached && !host.IsWaiting(p.Still.Last.Key("status").String()) { // OWP-R110
		return false
	}
	p.Again = r.Pause(ctx, policy, "", "to pause it while it is paused")
	p.During = r.Stands(ctx, "the loop while it is paused")
	if p.Resumed = r.GoOn(ctx, "to resume the loop"); !host.Succeeded(p.Resumed.Status) {
		return false
	}
	p.Waits = r.AwaitSuspended(ctx, turn)
	p.After = r.Stands(ctx, "the loop when it was resumed")
	return p.Waits.Reached
}

// EndedObservation is runs that ended in every way, and were controlled again when they had.
type EndedObservation struct {
	Ends []EndOf `json:"ends"`
}

// EndOf is a run that has ended.
type EndOf struct {
	How     string          `json:"how"`
	Way     string          `json:"way"`
	Status  string          `json:"status"` // in which it must have ended
	Held    host.Suspension `json:"held"`
	Log     host.RunLog     `json:"log"`
	Pauses  []host.Answered `json:"pauses"`
	Resumes []host.Answered `json:"resumes"`
	Cancels []host.Answered `json:"cancels"`
	Answers []host.Answered `json:"answers"`
	Later   host.RunLog     `json:"later"`
}

// controlledWhenEnded ends loops in every way, and asks everything of them when they have.
var controlledWhenEnded = &scenarios.Drive[EndedObservation]{
	ID: "openwop/controlled-when-ended",
	Title: "has loops that asked complete, fail by a bound behind the answer, and be cancelled while they wait and while they are paused; " +
		"then pauses, resumes, cancels and answers each several times in a drawn order and reads it again",
	Sends: []string{host.SendsLoop + ", four times", "{answer node}", "{pause run}", "{resume run}", "{cancel run}",
		"{read run} and its events"},
	Dimensions: []*scenarios.Dimension{attempts},
	Run: func(ctx context.Context, c *scenarios.Conn, o *EndedObservation) {
		h := host.Host{Conn: c}
		var calls []func(context.Context)
		_, bounds := claims.ExecutionModel.Look(c.Discovery)
		policy, pauses := host.Drains(h, afterNode, atOnce)
		ends := []string{endsCompleted, endsCancelled}
		if bounds && h.PlansSuspension() {
			ends = append(ends, endsBounded)
		}
		if pauses {
			ends = append(ends, endsPaused)
		}
		o.Ends = make([]EndOf, len(ends))
		for i, how := range ends {
			way, err := scenarios.Attempt(func() host.Suspending { return h.AskingLoop(1) })
			if host.IsBlocked(err) {
				unlessPauses(ctx, h, err)
			}
			scenarios.End(err)
			e := &o.Ends[i]
			*e = EndOf{How: how, Way: way.Fixture, Status: map[string]string{endsCompleted: "completed", endsBounded: "failed"}[how]}
			if e.Status == "" {
				e.Status = "cancelled"
			}
			var order []int
			for range h.Draw(attempts) {
				order = append(order, h.Rand.Perm(4)...)
			}
			marker, late := h.Marker(), h.Marker()
			calls = append(calls, func(ctx context.Context) { e.run(ctx, h, way, policy, marker, late, order) })
		}
		h.AtOnce(ctx, calls...)
	},
}

const (
	endsCompleted = "answered"
	endsBounded   = "answered, and ended by its bound"
	endsCancelled = "cancelled while it waited"
	endsPaused    = "cancelled while it was paused"
)

// run brings a loop to its end and controls it in this order behind that.
func (e *EndOf) run(ctx context.Context, h host.Host, way host.Suspending, policy dialect.DrainPolicy, marker, late string, order []int) {
	var bound *int64
	if e.How == endsBounded {
		bound = new(int64(way.At[0]))
	}
	r := h.Create(ctx, "create the loop that is "+e.How, way.Request(bound))
	e.Held = r.HeldAs(ctx, marker, way.At[0], 0)
	if !e.Held.Suspended.Reached {
		return
	}
	switch e.How {
	case endsPaused:
		if paused := r.Does(ctx, dialect.PauseRun, map[string]any{"drainPolicy": policy}, "to pause the loop"); paused.Success() {
			r.IsPaused(ctx)
		}
		fallthrough
	case endsCancelled:
		r.Stop(ctx, "to cancel the loop")
	default:
		r.Resolves(ctx, &e.Held)
	}
	if e.Log = r.Finish(ctx, "log of the loop that is "+e.How); !e.Log.Ended.Reached {
		return
	}
	asked := host.Pending(e.Held.Suspended.Last, e.Held.Log)
	pausing := map[string]any{}
	if policy != "" {
		pausing["drainPolicy"] = policy
	}
	for _, op := range order {
		what := "of the loop that was " + e.How
		switch op {
		case 0:
			reply := r.Does(ctx, dialect.PauseRun, pausing, "a pause "+what)
			e.Pauses = append(e.Pauses, host.AnsweredBy("a pause "+what, reply))
		case 1:
			reply := r.Does(ctx, dialect.ResumeRun, nil, "a resume "+what)
			e.Resumes = append(e.Resumes, host.AnsweredBy("a resume "+what, reply))
		case 2:
			e.Cancels = append(e.Cancels, r.Stop(ctx, "a cancel "+what))
		default:
			reply := r.Resolve(ctx, asked, late)
			e.Answers = append(e.Answers, host.AnsweredBy("an answer to the question "+what, reply))
		}
	}
	e.Later = r.Stands(ctx, "the loop that was controlled behind its end")
}
