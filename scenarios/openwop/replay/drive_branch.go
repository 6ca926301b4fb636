package replay

import (
	"context"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// OverlayObservation is a finished loop and two branches off it before its
// first decision: one with a lower bound on turns, one without.
type OverlayObservation struct {
	Way    string      `json:"way"`
	Turns  int         `json:"turns"`
	Bound  int         `json:"bound"`
	Source host.RunLog `json:"source"`
	Free   host.Forked `json:"free"`
	Capped host.Forked `json:"capped"`
	// Marked is a branch with tags and metadata of its own. Zero at quick, or where the host makes none.
	Marked host.Forked `json:"marked,omitzero"`
}

// branchesOfALoop branches off a loop, with and without other run options.
var branchesOfALoop = &scenarios.Drive[OverlayObservation]{
	ID: "openwop/branches-of-a-loop",
	Title: "branches off a finished loop before its first decision, once as it was and once with a bound that is one turn too low; " +
		"beyond quick, once with tags and metadata of its own",
	Sends: []string{"{create run} (a loop)", "{fork run} {mode: branch, fromSeq, runOptionsOverlay}", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *OverlayObservation) {
		h := host.Host{Conn: c}
		way := h.LoopOf(3, 6, 0)
		*o = OverlayObservation{Way: way.Fixture, Turns: way.Turns(), Bound: way.Turns() - 1}
		r := h.Create(ctx, "create the source", way.Request(nil))
		if o.Source = r.Finish(ctx, "log of the source"); !o.Source.Ended.Reached || len(o.Source.Decided().Values) == 0 {
			return
		}
		first := host.Sequence(o.Source.Events[0])
		from := first + 1 + int64(h.Rand.IntN(int(max(host.Sequence(o.Source.Decided().Values[0])-first, 1))))
		body := dialect.ForkRunRequest{Mode: dialect.ForkModeBranch, FromSeq: &from}
		o.Free = h.ForkFrom(ctx, r, body)
		body.RunOptionsOverlay = &dialect.RunOptions{Configurable: &dialect.Configurable{MaxLoopIterations: new(int64(o.Bound))}}
		o.Capped = h.ForkFrom(ctx, r, body)
		if h.Depth > scenarios.Quick {
			body.RunOptionsOverlay = &dialect.RunOptions{Tags: []string{h.Marker()}, Metadata: map[string]any{"note": h.Marker()}}
			o.Marked = h.ForkFrom(ctx, r, body)
		}
	},
}

// ForkRefusals holds the replies to valid and to invalid forks.
type ForkRefusals struct {
	Source  host.RunLog   `json:"source"`
	Control host.Answered `json:"control"` // from the first event
	Edge    host.Answered `json:"edge"`    // from behind the last event
	Beyond  host.Answered `json:"beyond"`
	Before  host.Answered `json:"before"`
	Unknown host.Answered `json:"unknown"`
	Nowhere host.Answered `json:"nowhere"` // of an unknown run, from beyond any end
	Overlay host.Answered `json:"overlay"`
	Strange host.Answered `json:"strange"`
	NoMode  host.Answered `json:"noMode"`
}

// forksThatCannotBe requests forks that a host must refuse.
var forksThatCannotBe = &scenarios.Drive[ForkRefusals]{
	ID: "openwop/forks-that-cannot-be",
	Title: "asks for replays from outside a log, of a run that never was, with other run options and in no mode; as " +
		"controls from the first event and from behind the last",
	Sends: []string{"{create run}", "{read run}", "{poll log}", "{fork run}, for each"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ForkRefusals) {
		h := host.Host{Conn: c}
		r := ended(ctx, h, &o.Source)
		if !o.Source.Ended.Reached || len(o.Source.Events) == 0 {
			return
		}
		behind, never := host.Sequence(o.Source.Last())+1, host.StrangerOf(r.ID)
		for _, a := range []struct {
			into  *host.Answered
			what  string
			run   string
			body  map[string]any
			unfit string
		}{
			{&o.Control, "a replay from the first event", r.ID, map[string]any{"mode": "replay"}, ""},
			{&o.Edge, "a replay from behind the last event", r.ID, map[string]any{"mode": "replay", "fromSeq": behind}, ""},
			{&o.Beyond, "a replay from beyond that", r.ID, map[string]any{"mode": "replay", "fromSeq": behind + int64(h.Between(1, 1000))}, ""},
			{&o.Before, "a replay from before the first event", r.ID, map[string]any{"mode": "replay", "fromSeq": -h.Between(1, 1000)},
				openwop.OWPRPL6},
			{&o.Unknown, "a replay of a run that never was", never, map[string]any{"mode": "replay"}, ""},
			{&o.Nowhere, "a replay of a run that never was, from far out", never, map[string]any{"mode": "replay",
				"fromSeq": 1_000_000 + h.Between(0, 1000)}, ""},
			{&o.Overlay, "a replay with other run options", r.ID, map[string]any{"mode": "replay",
				"runOptionsOverlay": map[string]any{"tags": []string{h.Marker()}}}, openwop.OWPRPL8},
			{&o.Strange, "a fork in a mode that nobody knows", r.ID, map[string]any{"mode": h.Name("mode"), "fromSeq": 0},
				openwop.OWPRPL9},
			{&o.NoMode, "a fork without a mode", r.ID, map[string]any{"fromSeq": 0}, openwop.OWPRPL9},
		} {
			*a.into = askFork(wire.Misfit(ctx, a.unfit), h, a.what, a.run, a.body)
		}
	},
}

// BranchRefusals holds the replies to invalid branches, and to a valid one as the control.
type BranchRefusals struct {
	Source  host.RunLog   `json:"source"`
	Control host.Answered `json:"control"` // from the first event
	Open    host.Answered `json:"open"`    // without fromSeq
	Beyond  host.Answered `json:"beyond"`
}

// branchesThatCannotBe requests branches that a host must refuse.
var branchesThatCannotBe = &scenarios.Drive[BranchRefusals]{
	ID:    "openwop/branches-that-cannot-be",
	Title: "asks for a branch from nowhere and for one from beyond the log; as the control for one from inside it",
	Sends: []string{"{create run}", "{read run}", "{poll log}", "{fork run} {mode: branch}, for each"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *BranchRefusals) {
		h := host.Host{Conn: c}
		r := ended(ctx, h, &o.Source)
		if !o.Source.Ended.Reached || len(o.Source.Events) == 0 {
			return
		}
		last := host.Sequence(o.Source.Last())
		for _, a := range []struct {
			into *host.Answered
			what string
			body map[string]any
		}{
			{&o.Control, "a branch from inside the log", map[string]any{"mode": "branch", "fromSeq": last}},
			{&o.Open, "a branch that does not say from where", map[string]any{"mode": "branch"}},
			{&o.Beyond, "a branch from beyond the log", map[string]any{"mode": "branch", "fromSeq": last + 1 + int64(h.Between(1, 1000))}},
		} {
			*a.into = askFork(wire.Misfit(ctx, openwop.OWPRPL13), h, a.what, r.ID, a.body)
		}
	},
}

// ended makes a run that ends by itself and reads its log.
func ended(ctx context.Context, h host.Host, into *host.RunLog) *host.Run {
	r := h.SimpleRun(ctx, "create a run")
	*into = r.Finish(ctx, "log of the run")
	return r
}

// askFork requests a fork and ignores the run that it makes.
func askFork(ctx context.Context, h host.Host, what, id string, body map[string]any) host.Answered {
	reply := h.Permitted(ctx, wire.Call{Operation: dialect.ForkRun.Of(id), Label: what, Body: body})
	h.Adopt(reply)
	return host.AnsweredBy(what, reply)
}
