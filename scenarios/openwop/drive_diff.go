package openwop

import (
	"context"
	"net/http"
	"net/url"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Diffed is two runs that were compared.
type Diffed struct {
	A     RunLog   `json:"a"`
	B     RunLog   `json:"b"`
	Reply Answered `json:"reply"`
}

// DiffObservation is runs that were compared with each other, with themselves
// and with one that never was.
type DiffObservation struct {
	Self  Diffed `json:"self"`  // a run with itself
	Alike Diffed `json:"alike"` // two runs of one workflow
	Other Diffed `json:"other"` // two runs that ended otherwise
	// Replay is a run with a replay of it, where it can be replayed.
	Replay *Diffed    `json:"replay,omitempty"`
	Never  []Answered `json:"never"` // against one that never was, and the other way round
}

func diffPath(a, b string) string { return runPath(a) + ":diff?against=" + url.QueryEscape(b) }

// comparedRuns compares runs.
var comparedRuns = &scenarios.Drive[DiffObservation]{
	ID:    "openwop/diff",
	Title: "compares a run with itself, with another of its workflow, with one that fails, with a replay of it and with one that never was",
	Sends: []string{"POST /v1/runs (assay-random, assay-steps or a run that ends), twice", "POST /v1/runs (conformance-dispatch-deterministic-fail-child)", "POST /v1/runs/{runId}:fork, where replay is claimed",
		"GET /v1/runs/{runId}:diff?against=", "GET /v1/runs/{runId} and its events"},
	Run: func(ctx context.Context, c *scenarios.Conn) (DiffObservation, error) {
		h := host{c}
		var o DiffObservation
		request, err := h.comparableWorkflow()
		if err != nil {
			return o, err
		}
		first, err := h.comparable(ctx, request, &o.Self.A)
		if err != nil || first == nil {
			return o, err
		}
		o.Self.B = o.Self.A
		reply, err := first.does(ctx, http.MethodGet, ":diff?against="+url.QueryEscape(first.ID), nil, "the run with itself")
		if err != nil {
			return o, err
		}
		o.Self.Reply = answered("the run with itself", reply)
		if err := first.isOffered(ctx, "GET /v1/runs/{runId}:diff", reply); err != nil {
			return o, err
		}
		if err := first.comparedWith(ctx, request, "the run with another of its workflow", o.Self.A, &o.Alike); err != nil {
			return o, err
		}
		if h.offers(fixtureFail) {
			if err := first.comparedWith(ctx, openwopv1.CreateRunRequest{WorkflowID: fixtureFail}, "the run with one that fails", o.Self.A, &o.Other); err != nil {
				return o, err
			}
		}
		if err := first.comparedWithReplay(ctx, &o); err != nil {
			return o, err
		}
		return o, first.comparedWithNone(ctx, &o)
	},
}

// comparableWorkflow asks for a run of a workflow whose runs differ from each other, if there is one.
func (h host) comparableWorkflow() (openwopv1.CreateRunRequest, error) {
	if h.offers(fixtureRandom) {
		return openwopv1.CreateRunRequest{WorkflowID: fixtureRandom}, nil
	}
	return h.simple()
}

// comparable makes a run and follows it to its end; nil where there is none.
func (h host) comparable(ctx context.Context, request openwopv1.CreateRunRequest, l *RunLog) (*run, error) {
	r, err := h.create(ctx, "create a run to compare", request)
	if err != nil {
		return nil, err
	}
	if *l, err = r.finish(ctx, "log of a run to compare"); err != nil || r.ID == "" || !l.Ended.Reached {
		return nil, err
	}
	return r, nil
}

// comparedWith makes another run and compares the run with it.
func (r *run) comparedWith(ctx context.Context, request openwopv1.CreateRunRequest, what string, own RunLog, d *Diffed) error {
	d.A = own
	other, err := r.comparable(ctx, request, &d.B)
	if err != nil || other == nil {
		return err
	}
	return r.diff(ctx, other.ID, what, d)
}

func (r *run) diff(ctx context.Context, other, what string, d *Diffed) error {
	reply, err := r.does(ctx, http.MethodGet, ":diff?against="+url.QueryEscape(other), nil, what)
	if err != nil {
		return err
	}
	d.Reply = answered(what, reply)
	return nil
}

// comparedWithReplay compares the run with a replay of it.
func (r *run) comparedWithReplay(ctx context.Context, o *DiffObservation) error {
	if _, claimed := finishedReplay.Look(r.Discovery); !claimed {
		return nil
	}
	fork, err := r.fork(ctx, r)
	if err != nil || fork.ID == "" {
		return err
	}
	d := &Diffed{A: o.Self.A}
	if d.B, err = fork.finish(ctx, "log of the replay"); err != nil || !d.B.Ended.Reached {
		return err
	}
	o.Replay = d
	return r.diff(ctx, fork.ID, "the run with a replay of it", d)
}

// comparedWithNone compares the run with one that never was.
func (r *run) comparedWithNone(ctx context.Context, o *DiffObservation) error {
	never := strangerOf(r.ID)
	for _, op := range []struct{ what, a, b string }{{"the run with one that never was", r.ID, never}, {"one that never was with the run", never, r.ID}} {
		reply, err := r.Do(ctx, wire.Call{Method: http.MethodGet, Path: diffPath(op.a, op.b), Label: op.what})
		if err != nil {
			return err
		}
		o.Never = append(o.Never, answered(op.what, reply))
	}
	return nil
}
