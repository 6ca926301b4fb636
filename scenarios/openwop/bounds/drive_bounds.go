package bounds

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// BoundsObservation is the same loop run three times, with its bound one below, at
// and one above the turns it needs.
type BoundsObservation struct {
	Way    string      `json:"way"`
	Chosen bool        `json:"chosen"`
	Turns  int         `json:"turns"`
	Below  host.RunLog `json:"below"` // bound Turns-1
	At     host.RunLog `json:"at"`    // bound Turns
	Above  host.RunLog `json:"above"` // bound Turns+1
	// BelowLater is the log of Below, read again after the other two ended and
	// after a window in which the host could have continued.
	BelowLater host.RunLog   `json:"belowLater"`
	Window     time.Duration `json:"windowNs"`
}

// LoopAroundItsBound runs one loop under three bounds.
var LoopAroundItsBound = &scenarios.Drive[BoundsObservation]{
	ID:    "openwop/loop-around-its-bound",
	Title: "runs a loop of random length with maxLoopIterations one below, at and one above its turns",
	Sends: []string{"{create run} with configurable.maxLoopIterations, three times", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *BoundsObservation) {
		h := host.Host{Conn: c}
		way := h.LoopOf(3, 6, 1)
		*o = BoundsObservation{Way: way.Fixture, Chosen: way.Chosen, Turns: way.Turns()}
		var below *host.Run
		for i, l := range []*host.RunLog{&o.Below, &o.At, &o.Above} {
			bound := int64(way.Turns() - 1 + i)
			r := h.Create(ctx, fmt.Sprintf("create the loop with bound %d", bound), way.Request(&bound))
			*l = r.Finish(ctx, fmt.Sprintf("log with bound %d", bound))
			if i == 0 {
				below = r
			}
		}
		o.Window = h.Quiet(ctx, o.At.Pace())
		o.BelowLater = below.ReadLog(ctx, "log of the bounded loop, again")
	},
}

// LimitObservation is a run that needs more than the host's own limit, made once without run options, once with other ones
// alone, once with a bound above the limit, and branched with such a one.
type LimitObservation struct {
	Limit    int         `json:"limit"` // as advertised
	Unasked  host.RunLog `json:"unasked"`
	Beside   host.RunLog `json:"beside"`
	Overdone host.RunLog `json:"overdone"`
	// Branched is a branch off the first that asks for a higher bound. Zero at quick, or where the host makes none.
	Branched host.RunLog `json:"branched,omitzero"`
	// Inner is such a loop as the worker of Outer. Zero at quick, or where the host has no loop whose own plan is longer than the limit.
	Inner host.RunLog `json:"inner,omitzero"`
	Outer host.RunLog `json:"outer,omitzero"`
}

// Runs returns its runs without the branch.
func (o LimitObservation) Runs() []host.RunLog { return []host.RunLog{o.Unasked, o.Beside, o.Overdone} }

// branch forks a run that ended at the limit from its first event, with these options, if the host claims branches. No text says whether
// what a branch inherits counts, so it inherits one event.
func (o *LimitObservation) branch(ctx context.Context, source *host.Run, options dialect.Configurable) {
	_, claimed := claims.ForkBranch.Look(source.Discovery)
	slow := o.Unasked.Ended.Took > 5*time.Second && source.Depth < scenarios.Deep // it would take as long once more
	if source.Depth == scenarios.Quick || slow || !claimed || !o.Unasked.Ended.Reached || len(o.Unasked.Events) == 0 {
		return
	}
	from := host.Sequence(o.Unasked.Events[0])
	fork := source.ForkFrom(ctx, source, dialect.ForkRunRequest{Mode: dialect.ForkModeBranch, FromSeq: &from,
		RunOptionsOverlay: &dialect.RunOptions{Configurable: &options}})
	o.Branched = fork.Log
}

// nest starts a loop whose worker is a loop with a plan longer than the limit. It returns nil at quick, and where the host offers no such
// worker.
func nest(ctx context.Context, h host.Host, limit int) *host.Run {
	long, _ := host.ScriptOf(h, fixture.ScriptedLong)
	if h.Depth == scenarios.Quick || !h.Offers(fixture.Loop) || !host.OffersScripted(h, fixture.ScriptedLong) || long.Turns() <= limit {
		return nil
	}
	plan := host.Plan{host.NextWorker(fixture.ScriptedLong), host.Terminate(h.Name("done"))}
	way := host.Scripted{Fixture: fixture.Loop, Plan: plan, Chosen: true}
	return h.Create(ctx, "create a loop over the loop, no bound asked", way.Request(nil))
}

// unbounded draws run options that bound neither nodes nor turns.
func unbounded(h host.Host) *dialect.Configurable {
	if threshold := h.Share(1, 999); h.Rand.IntN(2) == 0 {
		return &dialect.Configurable{EscalationThreshold: &threshold}
	}
	return &dialect.Configurable{RunTimeoutMs: new(int64(hugeTimeout))}
}

// LoopToTheLimit runs a loop into the host's advertised ceiling.
var LoopToTheLimit = &scenarios.Drive[LimitObservation]{
	ID: "openwop/loop-to-the-limit",
	Title: "runs a loop that is longer than the advertised limits.maxLoopIterations without run options, with other ones, and with a " +
		"higher bound; beyond quick, branches off the first with a higher bound, and runs one as the worker of another loop",
	Sends: []string{"{create run} (assay-loop, two turns more than the limit; else a long scripted loop)",
		"{create run} (the same, with options that do not bound turns)", "{create run} (the same, asking for a higher bound)",
		"{fork run} {mode: branch, fromSeq, runOptionsOverlay}", "{create run} (assay-loop over assay-scripted-long)", "{read run}",
		"{poll log}"},
	Timeout: 5 * time.Minute, // its logs are long, and pages may be short
	Run: func(ctx context.Context, c *scenarios.Conn, o *LimitObservation) {
		h := host.Host{Conn: c}
		limit, ok := claims.Family(c.Discovery, "limits").Key("maxLoopIterations").Int()
		switch {
		case !ok || limit < 1:
			scenarios.End(scenarios.Block("the advertised limits.maxLoopIterations is not a number of turns", "advertise an integer of at least 1"))
		case limit > host.MostTurns:
			scenarios.End(scenarios.Block(fmt.Sprintf("the advertised limit of %d turns takes too long to reach", limit),
				fmt.Sprintf("advertise a limits.maxLoopIterations of at most %d while the host is certified", host.MostTurns)))
		case time.Duration(limit)*h.Pace.Turn() > c.MaxPatience:
			scenarios.End(scenarios.Block(fmt.Sprintf("the advertised limit of %d turns, each of which takes %s, takes too long to reach",
				limit, h.Pace.Turn().Round(time.Second)), "be more patient with --max-patience, or advertise a lower limits.maxLoopIterations"))
		case nodeLimited(h, int(limit)):
			scenarios.End(scenarios.Block("the host's own limits.maxNodeExecutions ends a loop before limits.maxLoopIterations does",
				"advertise a limits.maxNodeExecutions of more than twice limits.maxLoopIterations while the host is certified"))
		}
		way := longLoop(h, int(limit)+2)
		*o = LimitObservation{Limit: int(limit)}
		const unasked, beside, overdone = "no bound asked", "another option asked", "a higher bound asked"
		other := way.Request(nil)
		other.Configurable = unbounded(h)
		first := h.Create(ctx, "create the loop, "+unasked, way.Request(nil)) // all take their turns meanwhile
		second := h.Create(ctx, "create the loop, "+beside, other)
		third := h.Create(ctx, "create the loop, "+overdone, way.Request(new(limit+int64(h.Between(1, 9)))))
		outer := nest(ctx, h, int(limit))
		o.Unasked = first.Finish(ctx, "log, "+unasked)
		o.Beside = second.Finish(ctx, "log, "+beside)
		o.Overdone = third.Finish(ctx, "log, "+overdone)
		o.branch(ctx, first, dialect.Configurable{MaxLoopIterations: new(limit + int64(h.Between(1, 9)))})
		if outer != nil {
			o.Outer = outer.Finish(ctx, "log of the loop over the loop")
			for _, e := range o.Outer.Phase(dialect.ChainPhaseDispatchSucceeded).Values {
				o.Inner = inner(ctx, h, e.At("/payload/childRunId").String())
			}
		}
	},
}

// longLoop returns a loop with a plan of this many turns, or with a longer script.
func longLoop(h host.Host, turns int) host.Scripted {
	if h.Offers(fixture.Loop, fixture.Noop) {
		return host.Scripted{Fixture: fixture.Loop, Plan: h.LoopPlan(turns), Chosen: true}
	}
	if host.OffersScripted(h, fixture.ScriptedLong) {
		if way, _ := host.ScriptOf(h, fixture.ScriptedLong); way.Turns() >= turns {
			return way
		}
	}
	h.Lacks("no loop fixture of chosen length is on offer", fixture.Loop)
	return host.Scripted{}
}

// nodeLimited reports whether turns, plus one node, exceed the host's limit on
// node executions.
func nodeLimited(h host.Host, turns int) bool {
	n, ok := nodeLimit(h)
	return ok && n <= int64(2*turns)
}

// nodeLimit returns the host's own limit on node executions; ok is false if it advertises none.
func nodeLimit(h host.Host) (n int64, ok bool) {
	return claims.Family(h.Discovery, "limits").Key("maxNodeExecutions").Int()
}

// atMost draws a bound no higher than the host's own limit, so that the requested
// bound and the bound in force are the same.
func atMost(h host.Host, limit string, least, most int) int {
	n := h.Between(least, most)
	if own, ok := claims.Family(h.Discovery, "limits").Key(limit).Int(); ok && own < int64(n) {
		return max(1, int(own))
	}
	return n
}
