package fault

import (
	"net/http"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var pauseFaults = []Fault{
	{
		ID:      "control.pause-at-once-forgotten",
		Title:   "a pause that is to be immediate is taken and forgotten",
		Looks:   "it is answered 202, and the run goes on to its end",
		Breaks:  []string{openwop.OWPCTL19},
		Replace: func(s *rules.Set) { s.Control.Pauses = func(drain, working, _ bool) bool { return drain && !working } },
	},
	{
		ID:     "control.drain-forgotten",
		Title:  "a pause that drains is forgotten when the node under way ends",
		Looks:  "it is answered 202, and the run begins the next node and goes on to its end",
		Breaks: []string{openwop.OWPCTL19},
		Replace: func(s *rules.Set) {
			s.Control.Pauses = func(drain, _, suspended bool) bool { return !drain || suspended }
		},
	},
	{
		ID:      "control.paused-wait-ends",
		Title:   "a node that waits for a time ends while its run is paused",
		Looks:   "node.completed stands behind run.paused before anybody has resumed the run",
		Breaks:  []string{openwop.OWPCTL20},
		Replace: unheld(func(s rules.Standing) bool { return !s.Answer && s.Waiting }),
	},
	{
		ID:      "control.drained-begins-the-next",
		Title:   "a run that was paused when its node had ended begins the next one all the same",
		Looks:   "a node.started stands behind run.paused",
		Breaks:  []string{openwop.OWPCTL20, openwop.OWPCTL21},
		Replace: unheld(func(s rules.Standing) bool { return !s.Answer && !s.Waiting && s.Behind <= 0 }),
	},
	{
		ID:     "control.pause-does-not-drain-unasked",
		Title:  "a pause without a policy does not let the node under way end",
		Looks:  "run.paused comes before the node.completed of the node under way",
		Breaks: []string{openwop.OWPCTL21},
		Request: pauses(func(ask *openwopv1.PauseRunRequest) {
			if ask.DrainPolicy == "" {
				ask.DrainPolicy = openwopv1.PauseRunRequestDrainPolicyImmediate
			}
		}),
	},
	{
		ID:      "control.immediate-drains",
		Title:   "an immediate pause lets the node under way end first",
		Looks:   "run.paused comes behind the node.completed of the node under way",
		Breaks:  []string{openwop.OWPCTL22},
		Request: pauses(func(ask *openwopv1.PauseRunRequest) { ask.DrainPolicy = "" }),
	},
	{
		ID:     "control.second-pause-taken",
		Title:  "a paused run can be paused again",
		Looks:  "the second pause is answered 202",
		Breaks: []string{openwop.OWPCTL23},
		Reply: pausing(refusing(coded("run_paused"), func(r *mutate.Reply) {
			r.Status = http.StatusAccepted
			mutate.JSON(func(told map[string]any) {
				run, _ := told["details"].(map[string]any)
				clear(told)
				told["runId"], told["status"] = run["runId"], openwopv1.RunStatusPaused
			})(r)
		})),
	},
	{
		ID:     "control.cancelled-run-pauses",
		Title:  "a pause of a run that was cancelled is taken, and does nothing",
		Looks:  "it is answered 202 where that of a completed run is answered 409",
		Breaks: []string{openwop.OWPCTL23},
		Reply: pausing(refusing(func(r refused) bool {
			return r.Error == "run_terminal" && r.Details["runStatus"] == string(openwopv1.RunStatusCancelled)
		}, func(r *mutate.Reply) {
			r.Status = http.StatusAccepted
			mutate.JSON(func(told map[string]any) {
				run, _ := told["details"].(map[string]any)
				clear(told)
				told["runId"], told["status"] = run["runId"], openwopv1.RunStatusCancelled
			})(r)
		})),
	},
	{
		ID:     "control.pause-refusal-without-words",
		Title:  "a pause of what stands still already is refused without words",
		Looks:  "the message of its 409 is empty",
		Breaks: []string{openwop.OWPERR4},
		Reply:  pausing(refusing(coded("run_paused"), wordlessly)),
	},
	{
		ID:    "control.result-lost-by-a-pause",
		Title: "a run that was paused puts out nothing",
		Looks: "outputs in run.completed is empty where the run was paused",
		Breaks: []string{
			openwop.OWPCTL24,
		},
		Remembers: func() mutate.Changes {
			var paused sync.Map // ids of runs
			return mutate.Changes{Events: []mutate.EventFunc{
				mutate.OfType(string(event.RunPaused), func(e *mutate.Event) { paused.Store(e.RunID, true) }),
				mutate.OfType(string(event.RunCompleted), func(e *mutate.Event) {
					if _, was := paused.Load(e.RunID); was {
						e.Payload["outputs"] = map[string]any{}
					}
				}),
			}}
		},
	},
	{
		ID:      "control.resume-unlogged",
		Title:   "that a paused run goes on is not put on its log",
		Looks:   "run.paused stands on the log, and no run.resumed behind it",
		Breaks:  []string{openwop.OWPCTL25},
		Replace: untold(func(e event.Event) bool { return e.Type == event.RunResumed }),
	},
	{
		ID:     "control.pause-reason-lost",
		Title:  "the reason of a pause is not written down",
		Looks:  "run.paused has no reason",
		Breaks: []string{openwop.OWPCTL26},
		Event: mutate.OfType(string(event.RunPaused), mutate.Payload(func(p *event.RunPausedPayload) {
			p.Reason = nil
		})),
	},
	{
		ID:     "control.paused-not-cancelled",
		Title:  "a paused run must be resumed before it can be cancelled",
		Looks:  "the cancel of a paused run is refused with 409",
		Breaks: []string{openwop.OWPCTL27},
		Replace: func(s *rules.Set) {
			s.Control.Cancels = func(status openwopv1.RunStatus) bool { return status != openwopv1.RunStatusPaused }
		},
	},
	{
		ID:      "control.paused-loses-answer",
		Title:   "an answer to a paused run is taken and lost",
		Looks:   "the answer is answered 200, and the run still waits for one when it was resumed",
		Breaks:  []string{openwop.OWPCTL28},
		Replace: unheld(func(s rules.Standing) bool { return s.Answer }),
	},
}

// pauses changes what a pause asks for.
func pauses(change func(*openwopv1.PauseRunRequest)) mutate.RequestFunc {
	return mutate.Asked("POST /v1/runs/{runId}:pause", mutate.Body(func(body map[string]any) { mutate.Object(body, change) }))
}

// unheld has paused runs do what is meant.
func unheld(meant func(rules.Standing) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		holds := s.Control.Holds
		s.Control.Holds = func(standing rules.Standing) bool { return !meant(standing) && holds(standing) }
	}
}

// pausing limits a change to the replies of a pause.
func pausing(change mutate.ReplyFunc) mutate.ReplyFunc {
	return mutate.On("POST /v1/runs/{runId}:pause", change)
}
