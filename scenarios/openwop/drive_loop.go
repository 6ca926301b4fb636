package openwop

import (
	"context"
	"net/http"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// LoopObservation is one loop whose turns were known beforehand, from its
// creation to after its end.
type LoopObservation struct {
	Way      string             `json:"way"` // the fixture, or the seam
	Evidence scenarios.Evidence `json:"evidence"`
	Kinds    []any              `json:"kinds"` // the decisions that were asked for
	Log      RunLog             `json:"log"`
	// Later is the log read again after another run was made and had ended:
	// whatever the host still had to do for the first run, it had the time.
	Later    RunLog      `json:"later"`
	Sentinel wire.Wait   `json:"sentinel"`
	Children wire.Values `json:"children"` // snapshots of the child runs that the log names
	// SeamIterations are the counters of the seam's reply, where a seam is all there is.
	SeamIterations wire.Values `json:"seamIterations,omitempty"`
	SeamStatus     wire.Value  `json:"seamStatus"`
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

// children are the child runs' snapshots; where the log named none, the log is the place to look.
func (o LoopObservation) children() wire.Found {
	return wire.Found{Values: o.Children, In: o.Log.All().In}
}

func (o LoopObservation) turns() int { return len(o.Kinds) }

// loopOfTurns runs a loop of random length to its end.
var loopOfTurns = &scenarios.Drive[LoopObservation]{
	ID:    "openwop/loop-of-turns",
	Title: "runs a loop of random length, then a sentinel run, and reads the log before and after",
	Sends: []string{
		"POST /v1/runs (assay-loop with a random plan; else conformance-multi-agent-handoff; else the seam agentloop/run)",
		"GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "GET /v1/runs/{childRunId}", "POST /v1/runs (sentinel)",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (LoopObservation, error) {
		h := host{c}
		turns := h.between(3, 7)
		way, ok := h.loopOf(turns)
		if !ok {
			return h.seamLoop(ctx, turns)
		}
		r, err := h.create(ctx, "create the loop", way.request(nil))
		if err != nil {
			return LoopObservation{}, err
		}
		return h.watchLoop(ctx, r, LoopObservation{Way: way.Fixture, Evidence: scenarios.Observed, Kinds: way.Kinds}, way)
	},
}

// watchLoop follows a loop that was created to its end and beyond.
func (h host) watchLoop(ctx context.Context, r *run, o LoopObservation, sentinel scripted) (LoopObservation, error) {
	var err error
	if o.Log, err = r.finish(ctx, "log"); err != nil || !o.Log.Ended.Reached {
		return o, err
	}
	for _, e := range o.Log.Phase(openwopv1.ChainPhaseDispatchSucceeded).Values {
		id := e.At("/payload/childRunId").String()
		if id == "" {
			continue
		}
		reply, err := h.Do(ctx, wire.Call{Method: http.MethodGet, Path: runPath(id), Label: "child run"})
		if err != nil {
			return o, err
		}
		o.Children = append(o.Children, reply.Value(""))
	}
	if o.Sentinel, err = h.sentinel(ctx, sentinel); err != nil {
		return o, err
	}
	o.Later, err = r.log(ctx, "log after the sentinel")
	return o, err
}

// sentinel makes another run and waits for its end: a barrier behind which a
// host that still worked on an earlier run would have shown it.
func (h host) sentinel(ctx context.Context, way scripted) (wire.Wait, error) {
	request := way.request(nil)
	if h.offers(fixtureNoop) {
		request = openwopv1.CreateRunRequest{WorkflowID: fixtureNoop}
	}
	r, err := h.create(ctx, "sentinel", request)
	if err != nil || r.ID == "" {
		return wire.Wait{What: "the sentinel run has ended", Last: reply(r)}, err
	}
	return r.ended(ctx)
}

// reply is what a creation answered, if it did.
func reply(r *run) wire.Value {
	if r == nil {
		return wire.Value{}
	}
	return r.Created.StatusValue()
}

// seamLoop has the seam run the loop. Where its reply names the run, the run's
// own log is read and counts as observed; else there is only the seam's word.
func (h host) seamLoop(ctx context.Context, turns int) (LoopObservation, error) {
	seam, err := h.agentLoopSeam(ctx)
	if err != nil {
		return LoopObservation{}, err
	}
	answer, err := seam.ask(ctx, openwopv1.AgentloopRequest{Turns: int64(turns)})
	if err != nil {
		return LoopObservation{}, err
	}
	o := LoopObservation{Way: seam.path, Evidence: scenarios.Attested, SeamStatus: answer.StatusValue(),
		SeamIterations: answer.Value("/decisions").Items().Each("/iteration")}
	for i := range turns {
		kind := string(openwopv1.NextWorkerDecisionKindNextWorker)
		if i == turns-1 {
			kind = string(openwopv1.TerminateDecisionKindTerminate)
		}
		o.Kinds = append(o.Kinds, kind)
	}
	r := h.adopt(answer)
	if r.ID == "" {
		return o, nil
	}
	o.Evidence = scenarios.Observed
	return h.watchLoop(ctx, r, o, scripted{Fixture: fixtureNoop})
}
