package control

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Diffed is a comparison of two runs.
type Diffed struct {
	A     host.RunLog   `json:"a"`
	B     host.RunLog   `json:"b"`
	Reply host.Answered `json:"reply"`
	// Within, if it is not 0, is the last place that is compared: more may stand behind it by now.
	Within int64 `json:"-"`
}

// DiffObservation holds comparisons of runs with each other, with themselves and
// with a run that never existed.
type DiffObservation struct {
	Self  Diffed `json:"self"`  // a run with itself
	Alike Diffed `json:"alike"` // two runs of one workflow
	Other Diffed `json:"other"` // two runs with different outcomes
	// Back compares these two the other way round: what the one has beyond the other is missing then. Zero at quick.
	Back Diffed `json:"back,omitzero"`
	// Replay compares a run with its replay if the host can replay it.
	Replay *Diffed         `json:"replay,omitempty"`
	Never  []host.Answered `json:"never"` // against a run that never existed, in both directions
}

func diffOf(a, b string) wire.Operation { return dialect.CompareRuns.Of(a).With("against", b) }

var comparedRuns = &scenarios.Drive[DiffObservation]{
	ID:    "openwop/diff",
	Title: "compares a run with itself, with another of its workflow, with one that fails, with a replay of it and with one that never was",
	Sends: []string{"{create run} (assay-random, assay-steps or a run that ends), twice",
		"{create run} (conformance-dispatch-deterministic-fail-child)", "{fork run}, where replay is claimed",
		"{compare runs}?against=", "{read run} and its events"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *DiffObservation) {
		h := host.Host{Conn: c}
		request := comparableWorkflow(h)
		first := comparableRun(ctx, h, request, &o.Self.A)
		if first == nil {
			return
		}
		o.Self.B = o.Self.A
		reply := first.Send(ctx, wire.Call{Operation: diffOf(first.ID, first.ID), Label: "the run with itself"})
		o.Self.Reply = host.AnsweredBy("the run with itself", reply)
		first.IsOffered(ctx, "{compare runs}", reply)
		comparedWith(ctx, first, request, "the run with another of its workflow", o.Self.A, &o.Alike)
		if failing, ok := host.Failing(h, fixture.Fail); ok {
			comparedWith(ctx, first, failing, "the run with one that fails", o.Self.A, &o.Other)
			comparedBack(ctx, h, o)
		}
		comparedWithReplay(ctx, first, o)
		comparedWithNone(ctx, first, o)
	},
}

// comparableWorkflow requests a run of a workflow whose runs differ, if one is on
// offer.
func comparableWorkflow(h host.Host) dialect.CreateRunRequest {
	if h.Offers(fixture.Random) {
		return dialect.CreateRunRequest{WorkflowID: fixture.Random}
	}
	return h.Simple()
}

// comparableRun makes a run and follows it to its end. It returns nil if none is
// made.
func comparableRun(ctx context.Context, h host.Host, request dialect.CreateRunRequest, l *host.RunLog) *host.Run {
	r := h.Create(ctx, "create a run to compare", request)
	if *l = r.Finish(ctx, "log of a run to compare"); r.ID == "" || !l.Ended.Reached {
		return nil
	}
	return r
}

// comparedWith makes another run and compares r with it.
func comparedWith(ctx context.Context, r *host.Run, request dialect.CreateRunRequest, what string, own host.RunLog, d *Diffed) {
	d.A = own
	other := comparableRun(ctx, r.Host, request, &d.B)
	if other == nil {
		return
	}
	diff(ctx, r, other.ID, what, d)
}

// comparedBack compares the run that fails with the other.
func comparedBack(ctx context.Context, h host.Host, o *DiffObservation) {
	if h.Depth == scenarios.Quick || o.Other.Reply.Asked == "" {
		return
	}
	const what = "the run that fails with the other"
	reply := h.Send(ctx, wire.Call{Operation: diffOf(o.Other.B.RunID, o.Other.A.RunID), Label: what})
	o.Back = Diffed{A: o.Other.B, B: o.Other.A, Reply: host.AnsweredBy(what, reply)}
}

func diff(ctx context.Context, r *host.Run, other, what string, d *Diffed) {
	reply := r.Send(ctx, wire.Call{Operation: diffOf(r.ID, other), Label: what})
	d.Reply = host.AnsweredBy(what, reply)
}

// comparedWithReplay compares the run with its replay.
func comparedWithReplay(ctx context.Context, r *host.Run, o *DiffObservation) {
	if _, claimed := claims.FinishedReplay.Look(r.Discovery); !claimed {
		return
	}
	fork := r.Fork(ctx, r)
	if fork.ID == "" {
		return
	}
	d := &Diffed{A: o.Self.A}
	if d.B = fork.Finish(ctx, "log of the replay"); !d.B.Ended.Reached {
		return
	}
	o.Replay = d
	diff(ctx, r, fork.ID, "the run with a replay of it", d)
}

// comparedWithNone compares the run with one that never existed.
func comparedWithNone(ctx context.Context, r *host.Run, o *DiffObservation) {
	never := host.StrangerOf(r.ID)
	for _, op := range []struct{ what, a, b string }{{"the run with one that never was", r.ID, never},
		{"one that never was with the run", never, r.ID}} {
		reply := r.Do(ctx, wire.Call{Operation: diffOf(op.a, op.b), Label: op.what})
		o.Never = append(o.Never, host.AnsweredBy(op.what, reply))
	}
}
