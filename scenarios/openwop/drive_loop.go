package openwop

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// LoopObservation is one loop whose turns were known beforehand, from its
// creation to after its end.
type LoopObservation struct {
	Way       string             `json:"way"`    // the fixture, or the seam
	Chosen    bool               `json:"chosen"` // its turns were chosen at random
	Evidence  scenarios.Evidence `json:"evidence"`
	Decisions []any              `json:"decisions"` // that were asked for, as the log should show them; nil of a seam
	Turns     int                `json:"turns"`
	Log       RunLog             `json:"log"`
	// Later is the log read again after another run was made and had ended, and
	// after a window in which the host could have gone on.
	Later    RunLog        `json:"later"`
	Sentinel wire.Wait     `json:"sentinel"`
	Window   time.Duration `json:"windowNs"`
	Children []Child       `json:"children"`
	Stranger wire.Value    `json:"stranger"` // HTTP status of a run id that was never given out
	// SeamIterations are the counters of the seam's reply, where a seam is all there is.
	SeamIterations wire.Values `json:"seamIterations,omitempty"`
	SeamStatus     wire.Value  `json:"seamStatus"`
}

// Child is a run that the parent's log names as a child.
type Child struct {
	ID       string     `json:"id"`
	Snapshot wire.Value `json:"snapshot"` // as the host serves it under that id
}

// SeenAs implements [scenarios.Seer].
func (o LoopObservation) SeenAs() scenarios.Evidence { return o.Evidence }

// iterations are the counters, of the log where there is one.
func (o LoopObservation) iterations() wire.Found {
	if o.Evidence == scenarios.Attested {
		return wire.Found{Values: o.SeamIterations, In: o.SeamStatus.Ref()}
	}
	return o.Log.Iterations()
}

// snapshots are the children's; where the log named none, the log is the place to look.
func (o LoopObservation) snapshots() wire.Found {
	f := wire.Found{In: o.Log.All().In}
	for _, c := range o.Children {
		f.Values = append(f.Values, c.Snapshot)
	}
	return f
}

// loopOfTurns runs a loop of random length to its end.
var loopOfTurns = &scenarios.Drive[LoopObservation]{
	ID:    "openwop/loop-of-turns",
	Title: "runs a loop of random length, then a sentinel run, waits a window, and reads the log before and after",
	Sends: []string{
		"POST /v1/runs (assay-loop with a random plan; else conformance-multi-agent-handoff; else the seam agentloop/run)",
		"GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "GET /v1/runs/{childRunId}", "GET /v1/runs/{an id never given out}", "POST /v1/runs (sentinel)",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (LoopObservation, error) {
		h := host{c}
		way, err := h.loopOf(3, 7, 0)
		if err != nil {
			if o, seamErr := h.seamLoop(ctx); seamErr == nil {
				return o, nil
			} else if !isBlocked(seamErr) {
				return LoopObservation{}, seamErr
			}
			return LoopObservation{}, err // fixtures are the better way to unblock it
		}
		r, err := h.create(ctx, "create the loop", way.request(nil))
		if err != nil {
			return LoopObservation{}, err
		}
		o := LoopObservation{Way: way.Fixture, Chosen: way.Chosen, Evidence: scenarios.Observed, Decisions: way.decisions(), Turns: way.turns()}
		return h.watchLoop(ctx, r, o, func() (*run, error) { return h.create(ctx, "sentinel", h.sentinel(way)) })
	},
}

func isBlocked(err error) bool {
	var stop *scenarios.Stop
	return errors.As(err, &stop) && stop.Verdict == scenarios.Blocked
}

// watchLoop follows a loop that was created to its end and beyond.
func (h host) watchLoop(ctx context.Context, r *run, o LoopObservation, sentinel func() (*run, error)) (LoopObservation, error) {
	var err error
	if o.Log, err = r.finish(ctx, "log"); err != nil || !o.Log.Ended.Reached {
		return o, err
	}
	if o.Children, err = h.children(ctx, o.Log); err != nil {
		return o, err
	}
	// Not h.do: a host may answer 403 for a run that is not ours, and 404 alike.
	stranger, err := h.Do(ctx, wire.Call{Method: http.MethodGet, Path: runPath(strangerOf(r.ID)), Label: "a run that never was"})
	if err != nil {
		return o, err
	}
	o.Stranger = stranger.StatusValue()
	other, err := sentinel()
	if err != nil || other.ID == "" {
		return o, err
	}
	if o.Sentinel, err = other.ended(ctx); err != nil {
		return o, err
	}
	if o.Window, err = h.Quiet(ctx, o.Log.Pace()); err != nil {
		return o, err
	}
	o.Later, err = r.log(ctx, "log after the sentinel and a quiet window")
	return o, err
}

// children reads every run that the log names as a child.
func (h host) children(ctx context.Context, l RunLog) ([]Child, error) {
	var out []Child
	for _, e := range l.Phase(openwopv1.ChainPhaseDispatchSucceeded).Values {
		c := Child{ID: e.At("/payload/childRunId").String()}
		if c.ID != "" {
			reply, err := h.do(ctx, wire.Call{Method: http.MethodGet, Path: runPath(c.ID), Label: "child run"})
			if err != nil {
				return nil, err
			}
			c.Snapshot = reply.Value("")
		}
		out = append(out, c)
	}
	return out, nil
}

// strangerOf is an id of the same form that the host has not given out: the
// control of reading a child, which a host that answers to any id would pass.
func strangerOf(id string) string {
	b := []byte(id)
	for i := len(b) - 1; i >= 0 && i >= len(b)-6; i-- {
		switch {
		case b[i] >= '0' && b[i] <= '8', b[i] >= 'a' && b[i] <= 'y':
			b[i]++
		case b[i] == '9':
			b[i] = '0'
		case b[i] == 'z':
			b[i] = 'a'
		}
	}
	return string(b)
}

// sentinel is another run, whose end is a barrier: a host that still worked on
// an earlier one had the time to show it.
func (h host) sentinel(way scripted) openwopv1.CreateRunRequest {
	if h.offers(fixtureNoop) {
		return openwopv1.CreateRunRequest{WorkflowID: fixtureNoop}
	}
	return way.request(nil)
}

// seamLoop has the seam run the loop. Where its reply names the run, the run's
// own log is read and counts as observed; else there is only the seam's word.
func (h host) seamLoop(ctx context.Context) (LoopObservation, error) {
	seam, err := h.agentLoopSeam(ctx)
	if err != nil {
		return LoopObservation{}, err
	}
	ceiling, _ := h.ceiling()
	turns := h.between(min(3, ceiling), min(7, ceiling))
	answer, err := seam.ask(ctx, openwopv1.AgentloopRequest{Turns: int64(turns)})
	if err != nil {
		return LoopObservation{}, err
	}
	o := LoopObservation{Way: seam.path, Chosen: true, Evidence: scenarios.Attested, Turns: turns, SeamStatus: answer.StatusValue(),
		SeamIterations: answer.Value("/decisions").Items().Each("/iteration")}
	r := h.adopt(answer)
	if r.ID == "" {
		return o, nil
	}
	o.Evidence = scenarios.Observed
	return h.watchLoop(ctx, r, o, func() (*run, error) {
		reply, err := seam.ask(ctx, openwopv1.AgentloopRequest{Turns: 1})
		if err != nil {
			return nil, err
		}
		return h.adopt(reply), nil
	})
}
