package refusals

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// SoleObservation is runs that ask to be the only ones of their scopes.
type SoleObservation struct {
	Way     string        `json:"way"` // the fixture
	First   host.Answered `json:"first"`
	Live    wire.Value    `json:"live"`   // snapshot of the first
	Second  host.Answered `json:"second"` // of the same scope
	Apart   host.Answered `json:"apart"`  // of another scope
	AtOnce  []Rivals      `json:"atOnce"` // of scopes of their own
	Theirs  host.Answered `json:"theirs"` // of the first scope, by another tenant; zero if there is none
	Control host.Answered `json:"control"`
	Held    HeldScope     `json:"held"`
	Ended   wire.Wait     `json:"ended"`
	Again   host.Answered `json:"again"` // of the first scope, when its run had ended
	Over    []OverScope   `json:"over,omitempty"`
}

// HeldScope is a scope whose run waits for somebody.
type HeldScope struct {
	First   host.Answered `json:"first"`
	Waiting wire.Wait     `json:"waiting"`
	Second  host.Answered `json:"second"` // of the same scope, while the first waits
}

// OverScope is a scope whose run ended by itself, in one way or another.
type OverScope struct {
	How   string        `json:"how"`
	First host.Answered `json:"first"`
	Ended wire.Wait     `json:"ended"`
	Again host.Answered `json:"again"` // of the same scope, when the first had ended
}

// Rivals are creates of one scope that came at once.
type Rivals []host.Answered

var (
	rivals = &scenarios.Dimension{Name: "creates of a scope at once", Least: 2, Most: [3]int{4, 8, 32}, Edges: []int{8}}
	heats  = &scenarios.Dimension{Name: "scopes that several creates come for at once", Least: 4, Most: [3]int{4, 16, 48}, Edges: []int{16}}
)

// soleRuns asks for runs that are to be the only ones of their scopes.
var soleRuns = &scenarios.Drive[SoleObservation]{
	ID: "openwop/sole-runs",
	Title: "creates a run that must be the only one in its scope; while that runs, asks for a second one, one in another scope and one as " +
		"another tenant; asks for several at once in one scope, for drawn scopes; asks for a second one where the first waits; " +
		"and asks for one more in the first scope when its run has ended; beyond quick, also where the run completes or fails by itself",
	Sends: []string{
		"{create run} with X-Dedup (conformance-cancellable, conformance-delay or assay-loop-ask-user; assay-approval)", "{read run}",
		"{create run} with X-Dedup, as another tenant", "{cancel run}"},
	Dimensions: []*scenarios.Dimension{rivals, heats},
	Run: func(ctx context.Context, c *scenarios.Conn, o *SoleObservation) {
		h := host.Host{Conn: c}
		request := h.Lasting()
		o.Way = request.WorkflowID
		scope := h.Name("scope")
		o.AtOnce = make([]Rivals, h.Draw(heats))
		for i := range o.AtOnce {
			o.AtOnce[i] = make(Rivals, h.Draw(rivals))
		}
		first := sole(ctx, h, "a run that is to be the only one of its scope", request, scope)
		if o.First = host.AnsweredBy("a run that is to be the only one of its scope", first.Created); first.ID == "" {
			return
		}
		o.Live = first.Seen(ctx, "the run, under way")
		ask := func(h host.Host, what, scope string) host.Answered {
			return host.AnsweredBy(what, sole(ctx, h, what, request, scope).Created)
		}
		if o.Second = ask(h, "a second run of that scope", scope); host.Succeeded(o.Second.Status) {
			return // the host does not look at scopes
		}
		o.Apart = ask(h, "a run of another scope", h.Name("scope"))
		if other, ok := h.Other(); ok {
			theirs := host.Host{Conn: other}
			o.Control = ask(theirs, "a run of another tenant, of a scope of its own", h.Name("scope"))
			o.Theirs = ask(theirs, "a run of another tenant, of a scope by the same name", scope)
		}
		for _, heat := range o.AtOnce {
			its := h.Name("scope")
			calls, runs := make([]func(context.Context), len(heat)), make([]*host.Run, len(heat))
			for i := range calls {
				calls[i] = func(ctx context.Context) {
					what := fmt.Sprintf("a run of another scope, request %d of those at once", i+1)
					runs[i] = sole(ctx, h, what, request, its)
					heat[i] = host.AnsweredBy(what, runs[i].Created)
				}
			}
			h.AtOnce(ctx, calls...)
			for _, r := range runs {
				if r.ID != "" {
					r.Stop(ctx, "to cancel a run of those at once")
				}
			}
		}
		o.Held = heldScope(ctx, h)
		first.Stop(ctx, "to cancel the first run")
		if o.Ended = first.AwaitEnd(ctx); o.Ended.Reached {
			o.Again = ask(h, "a run of the first scope, when its run had ended", scope)
		}
		if h.Depth > scenarios.Quick {
			o.Over = overScopes(ctx, h)
		}
	},
}

// overScopes asks for a second run of a scope whose first one has completed, and of one whose first one has failed.
func overScopes(ctx context.Context, h host.Host) (over []OverScope) {
	failing, fails := host.Failing(h, fixture.Fail)
	if !fails {
		failing, fails = host.Bounded(h)
	}
	for _, end := range []struct {
		how     string
		request dialect.CreateRunRequest
		ok      bool
	}{{"completes", h.Simple(), true}, {"fails", failing, fails}} {
		if !end.ok {
			continue
		}
		scope, o := h.Name("scope"), OverScope{How: end.how}
		first := sole(ctx, h, "a run that "+end.how+", of a scope of its own", end.request, scope)
		o.First = host.AnsweredBy("a run that "+end.how+", of a scope of its own", first.Created)
		if first.ID != "" {
			o.Ended = first.AwaitEnd(ctx)
		}
		if o.Ended.Reached {
			what := "a run of the scope whose run " + end.how + ", when it had ended"
			o.Again = host.AnsweredBy(what, sole(ctx, h, what, end.request, scope).Created)
		}
		over = append(over, o)
	}
	return over
}

// heldScope asks for a second run of a scope while its first one waits for somebody, if a workflow is on offer that does.
func heldScope(ctx context.Context, h host.Host) (o HeldScope) {
	way := h.AnyOf(fixture.Approval, fixture.UpstreamApproval)
	if way == "" {
		return o
	}
	scope, request := h.Name("scope"), dialect.CreateRunRequest{WorkflowID: way}
	first := sole(ctx, h, "a run that waits, of a scope of its own", request, scope)
	if o.First = host.AnsweredBy("a run that waits, of a scope of its own", first.Created); first.ID == "" {
		return o
	}
	if o.Waiting = first.AwaitSuspended(ctx, 0); o.Waiting.Reached {
		const what = "a second run of the scope whose run waits"
		second := sole(ctx, h, what, request, scope)
		if o.Second = host.AnsweredBy(what, second.Created); second.ID != "" {
			second.Stop(ctx, "to cancel the second run of the scope whose run waits")
		}
	}
	first.Stop(ctx, "to cancel the run that waits")
	return o
}

// sole asks for a run that is to be the only one of its scope.
func sole(ctx context.Context, h host.Host, what string, request dialect.CreateRunRequest, scope string) *host.Run {
	request.ScopeID = &scope
	reply := h.Permitted(ctx, wire.Call{Operation: dialect.CreateRun.Of(), Body: request, Label: what, Secrets: host.InterruptTokens,
		Header: map[string]string{dialect.Dedup: "enforce"}})
	return h.Adopt(reply)
}
