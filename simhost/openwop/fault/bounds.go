package fault

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

const (
	turns    = event.LoopIterations
	nodes    = event.NodeExecutions
	duration = event.RunDuration

	// The codes of runs that crossed a bound.
	nodeLimit = "recursion_limit_exceeded"
	turnLimit = "loop_limit_exceeded"
	timeLimit = "run_timeout"

	hostsNodes = 250 // the bound on nodes that the host advertises, unless it is given another one
)

var boundFaults = []Fault{
	// ---- nodes ---------------------------------------------------------------------------------
	{
		ID:     "bounds.node-too-many",
		Title:  "a run starts one node more than its recursionLimit",
		Looks:  "n+1 node.started with a recursionLimit of n, and a breach at n+1 behind them",
		Breaks: []string{openwop.OWPBND1},
		Replace: func(s *rules.Set) {
			uses(s, nodes, func(u *rules.Use, b rules.Bound) { u.N -= owned(b) })
		},
		Event: breachTells(nodes, func(p *event.BreachedPayload) { p.Observed = p.Limit + 1 }),
	},
	{
		ID:      "bounds.dispatch-not-counted",
		Title:   "the start of a loop's dispatch node is not held against its recursionLimit",
		Looks:   "n+1 node.started of a loop with a recursionLimit of n, the last of them of the dispatch node",
		Breaks:  []string{openwop.OWPBND1},
		Twin:    "there any node is one too many, here that which dispatches",
		Replace: uncounted(nodes, func(u rules.Use) bool { return u.Hands }),
	},
	{
		ID:     "bounds.node-breach-tells-hosts-limit",
		Title:  "a breach of a recursionLimit tells the limit of the host in place of the caller's",
		Looks:  "limit in cap.breached is not the recursionLimit of the run",
		Breaks: []string{openwop.OWPBND2},
		Event:  breachTells(nodes, func(p *event.BreachedPayload) { p.Limit = hostsNodes }),
	},
	{
		ID:     "bounds.node-failure-named-otherwise",
		Title:  "a run over its own recursionLimit fails with another code than one over the host's",
		Looks:  "run.failed and the snapshot say node_limit_exceeded",
		Breaks: []string{openwop.OWPBND3},
		Event:  failureLogged(nodeLimit, ownNodeLimit),
		Reply:  failureShown(nodeLimit, ownNodeLimit),
	},
	{
		ID:     "bounds.last-node-refused",
		Title:  "a run that needs exactly as many nodes as its recursionLimit is refused the last one",
		Looks:  "a breach at the last node, which is no further than the bound",
		Breaks: []string{openwop.OWPBND4},
		Spots:  []int{10},
		Replace: func(s *rules.Set) {
			uses(s, nodes, func(u *rules.Use, b rules.Bound) {
				if u.Last {
					u.N += owned(b)
				}
			})
		},
	},
	{
		ID:      "bounds.nodes-not-clamped",
		Title:   "a recursionLimit above the advertised maxNodeExecutions is taken as it is",
		Looks:   "a run that asks for more starts more nodes than the host advertises",
		Breaks:  []string{openwop.OWPBND5},
		Replace: func(s *rules.Set) { takesAsked(s, nodes) },
	},
	{
		ID:     "bounds.limit-of-no-options",
		Title:  "the host bounds a run by its own limits on nodes and turns only where the request has no run options at all",
		Looks:  "a run that sets an escalationThreshold or a runTimeoutMs alone starts more nodes, or takes more turns, than the host advertises",
		Breaks: []string{openwop.OWPBND5, openwop.OWP0061E5},
		Replace: func(s *rules.Set) {
			for _, kind := range []event.Bound{nodes, turns} {
				wants(s, kind, func(w *rules.Wanted) {
					if w.Options && w.Requested == 0 {
						w.Advertised = 0
					}
				})
			}
		},
	},
	{
		ID:     "bounds.refused-node-begins-after-failure",
		Title:  "the node that a recursionLimit refused begins after the run has failed",
		Looks:  "node.started stands behind run.failed",
		Breaks: []string{openwop.OWPBND12, openwop.OWPBND1, openwop.OWP0061E3, openwop.OWPEVT10},
		Spots:  []int{9},
		Replace: func(s *rules.Set) {
			refusedBegin(s, nodes, nodeLimit)
		},
	},
	{
		ID:     "bounds.node-failure-without-cause",
		Title:  "the failure of a run that crossed its bound on nodes does not name the breach",
		Looks:  "run.failed has no causationId",
		Breaks: []string{openwop.OWPBND13},
		Event:  blamesNothing(nodeLimit),
	},
	{
		ID:      "bounds.node-breach-not-recalled",
		Title:   "a replay of a run that crossed its bound on nodes is not bounded",
		Looks:   "the replay does not breach where its source did, and fails as one that left it",
		Breaks:  []string{openwop.OWPBND15},
		Replace: func(s *rules.Set) { forgets(s, nodes) },
	},

	// ---- time ----------------------------------------------------------------------------------
	{
		ID:      "bounds.time-ignored",
		Title:   "a run goes on when its runTimeoutMs has passed",
		Looks:   "the run is still running long after its time",
		Breaks:  []string{openwop.OWPBND6},
		Spots:   []int{8},
		Replace: func(s *rules.Set) { uses(s, duration, func(u *rules.Use, _ rules.Bound) { u.N = 0 }) },
	},
	{
		ID:     "bounds.time-in-full-seconds",
		Title:  "a runTimeoutMs is rounded down to full seconds",
		Looks:  "the run is stopped up to a second too early, and the breach tells another limit",
		Breaks: []string{openwop.OWPBND6, openwop.OWPBND7, openwop.OWPBND11},
		Spots:  []int{8},
		Replace: func(s *rules.Set) {
			inForce := s.Bounds.InForce
			s.Bounds.InForce = func(w rules.Wanted) int64 {
				bound := inForce(w)
				if w.Kind == duration {
					bound -= bound % 1000
				}
				return bound
			}
		},
	},
	{
		ID:     "bounds.time-breach-without-limit",
		Title:  "the breach of a bound on time does not tell the bound",
		Looks:  "limit in cap.breached is 0",
		Breaks: []string{openwop.OWPBND7},
		Event:  breachTells(duration, func(p *event.BreachedPayload) { p.Limit = 0 }),
	},
	{
		ID:     "bounds.time-stands-while-paused",
		Title:  "the time for which a run is paused does not count towards its runTimeoutMs",
		Looks:  "a run that was paused until its time had passed goes on, and its breach observes less than had passed before it went on",
		Breaks: []string{openwop.OWPBND7, openwop.OWPBND6},
		Replace: func(s *rules.Set) {
			uses(s, duration, func(u *rules.Use, _ rules.Bound) {
				if u.N -= u.Stood; u.Paused {
					u.N = 0
				}
			})
		},
	},
	{
		ID:      "bounds.time-stands-while-asking",
		Title:   "the time for which a run waits for a person does not end it",
		Looks:   "a run that nobody answers waits on when its runTimeoutMs has passed",
		Breaks:  []string{openwop.OWPBND6},
		Twin:    "there time does not count at all, here not while somebody is asked",
		Replace: uncounted(duration, func(u rules.Use) bool { return u.Asks }),
	},
	{
		ID:     "bounds.time-failure-named-otherwise",
		Title:  "a run over its time fails with a code of the host's own",
		Looks:  "run.failed and the snapshot say timeout",
		Breaks: []string{openwop.OWPBND8},
		Event:  failureLogged(timeLimit, namedOtherwise("timeout")),
		Reply:  failureShown(timeLimit, namedOtherwise("timeout")),
	},
	{
		ID:     "bounds.time-counted-too-fast",
		Title:  "the time that a run took is counted in hundredths of a millisecond when a node ends",
		Looks:  "a run that waits for some 200 ms crosses a runTimeoutMs of more than ten seconds",
		Breaks: []string{openwop.OWPBND9},
		Spots:  []int{8},
		Replace: func(s *rules.Set) {
			uses(s, duration, func(u *rules.Use, _ rules.Bound) { u.N *= 100 })
		},
	},
	{
		ID:     "bounds.time-failure-untimed",
		Title:  "the failure of a run over its time does not say how long it took",
		Looks:  "run.failed has no details.elapsedMs",
		Breaks: []string{openwop.OWPBND11},
		Event:  failureLogged(timeLimit, func(e *openwopv1.RunError) { e.Details = nil }),
		Reply:  failureShown(timeLimit, func(e *openwopv1.RunError) { e.Details = nil }),
	},
	{
		ID:      "bounds.late-node-begins-anew",
		Title:   "the node that was cut off when its run was over its time begins anew after the run has failed",
		Looks:   "node.started stands behind run.failed",
		Breaks:  []string{openwop.OWPBND12, openwop.OWP0061E3, openwop.OWPEVT10},
		Spots:   []int{9},
		Replace: func(s *rules.Set) { refusedBegin(s, duration, timeLimit) },
	},
	{
		ID:     "bounds.time-failure-without-cause",
		Title:  "the failure of a run over its time does not name the breach",
		Looks:  "run.failed has no causationId",
		Breaks: []string{openwop.OWPBND13},
		Event:  blamesNothing(timeLimit),
	},
	{
		ID:     "bounds.time-breach-of-a-node",
		Title:  "the breach of a bound on time is told of a node",
		Looks:  "cap.breached of kind run-duration has a nodeId",
		Breaks: []string{openwop.OWPBND14},
		Event:  breachTells(duration, func(p *event.BreachedPayload) { p.NodeID = new("wait") }),
	},
	{
		ID:      "bounds.time-measured-anew",
		Title:   "a replay of a run that was over its time measures its own",
		Looks:   "the breach of the replay tells another time than that of its source",
		Breaks:  []string{openwop.OWPBND15},
		Replace: func(s *rules.Set) { forgets(s, duration) },
	},

	// ---- turns ---------------------------------------------------------------------------------
	{
		ID:     "bounds.inner-turns-count",
		Title:  "a worker that is a loop counts as a turn of the loop that dispatches it",
		Looks:  "a loop of loops crosses a bound that its own turns keep",
		Breaks: []string{openwop.OWPBND16},
		Replace: func(s *rules.Set) {
			uses(s, turns, func(u *rules.Use, _ rules.Bound) { u.N += int64(u.Loops) })
		},
	},
	{
		ID:      "bounds.turns-without-model",
		Title:   "a host without an execution model bounds turns all the same",
		Looks:   "a loop on such a host breaches at maxLoopIterations",
		Breaks:  []string{openwop.OWPBND17},
		Under:   Under{Without: []string{"executionModel"}},
		Replace: func(s *rules.Set) { wants(s, turns, func(w *rules.Wanted) { w.Version = max(w.Version, 1) }) },
	},
	{
		ID:     "bounds.turn-breach-at-the-bound",
		Title:  "a breach of a bound on turns tells the last turn that ran as the one that was refused",
		Looks:  "observed in cap.breached is the limit",
		Breaks: []string{openwop.OWP0061E2, openwop.OWPVER8},
		Remembers: func() mutate.Changes {
			var own sync.Map // ids of runs that began here: a branch is bounded by what its source was asked for
			return mutate.Changes{Events: []mutate.EventFunc{
				mutate.OfType(string(event.RunStarted), func(e *mutate.Event) { own.Store(e.RunID, true) }),
				func(e *mutate.Event) {
					if _, began := own.Load(e.RunID); began {
						breachTells(turns, func(p *event.BreachedPayload) { p.Observed = p.Limit })(e)
					}
				},
			}}
		},
	},
	{
		ID:     "bounds.turn-failure-named-otherwise",
		Title:  "a loop over its bound fails with a code of the host's own",
		Looks:  "run.failed says max_iterations",
		Breaks: []string{openwop.OWP0061E3},
		Event:  failureLogged(turnLimit, namedOtherwise("max_iterations")),
		Reply:  failureShown(turnLimit, namedOtherwise("max_iterations")),
	},
	{
		ID:     "bounds.turn-too-many",
		Title:  "a loop takes one turn more than its maxLoopIterations",
		Looks:  "n+1 decisions with a bound of n",
		Breaks: []string{openwop.OWP0061E3, openwop.OWP0061E4, openwop.OWPVER8},
		Spots:  []int{7},
		Replace: func(s *rules.Set) {
			uses(s, turns, func(u *rules.Use, b rules.Bound) { u.N -= owned(b) })
		},
	},
	{
		ID:     "bounds.turns-unbounded-below-5",
		Title:  "turns are bounded from version 5 on only",
		Looks:  "a loop on a host at version 4 takes more turns than its bound",
		Breaks: []string{openwop.OWP0061E4, openwop.OWP0061E5, openwop.OWPRPL12},
		Spots:  []int{7},
		Under:  Under{Version: 4},
		Replace: func(s *rules.Set) {
			wants(s, turns, func(w *rules.Wanted) {
				if w.Version < 5 {
					w.Version = 0
				}
			})
		},
	},
	{
		ID:     "bounds.last-turn-refused",
		Title:  "a loop takes one turn fewer than its maxLoopIterations",
		Looks:  "a breach at turn n with a bound of n",
		Breaks: []string{openwop.OWP0061E6, openwop.OWP0061E3, openwop.OWPVER8},
		Spots:  []int{7},
		Replace: func(s *rules.Set) {
			uses(s, turns, func(u *rules.Use, b rules.Bound) { u.N += owned(b) })
		},
	},
	{
		ID:      "bounds.turns-not-clamped",
		Title:   "a maxLoopIterations above the advertised one is taken as it is",
		Looks:   "a loop that asks for more takes more turns than the host advertises",
		Breaks:  []string{openwop.OWP0061E5},
		Spots:   []int{7},
		Replace: func(s *rules.Set) { takesAsked(s, turns) },
	},
	{
		ID:      "bounds.turn-breach-not-recalled",
		Title:   "a replay of a loop that crossed its bound is not bounded",
		Looks:   "the replay does not breach where its source did, and fails as one that left it",
		Breaks:  []string{openwop.OWP0061M1},
		Replace: func(s *rules.Set) { forgets(s, turns) },
	},
	{
		ID:      "bounds.refused-turn-begins-after-failure",
		Title:   "the turn that a bound refused begins after the loop has failed",
		Looks:   "node.started of the supervisor stands behind run.failed",
		Breaks:  []string{openwop.OWP0061E3, openwop.OWPEVT10},
		Spots:   []int{4, 9},
		Twin:    "what follows the failure is another mistake than what the failure says",
		Replace: func(s *rules.Set) { refusedBegin(s, turns, turnLimit) },
	},
}

// owned is 1 for a bound that the caller asked for.
func owned(b rules.Bound) int64 {
	if b.Own {
		return 1
	}
	return 0
}

// breachTells changes what a breach of this kind says.
func breachTells(kind event.Bound, change func(*event.BreachedPayload)) mutate.EventFunc {
	return mutate.OfType(string(event.Breached), func(e *mutate.Event) {
		mutate.Object(e.Payload, func(p *event.BreachedPayload) {
			if p.Kind != kind {
				return
			}
			if change(p); p.NodeID != nil {
				e.NodeID = *p.NodeID
			}
		})
	})
}

// blamesNothing has runs fail without a cause that fail with this code.
func blamesNothing(code string) mutate.EventFunc {
	return mutate.OfType(string(event.RunFailed), func(e *mutate.Event) {
		mutate.Object(e.Payload, func(p *event.RunFailedPayload) {
			if p.Error.Code == code {
				e.CausationID = ""
			}
		})
	})
}

// failureLogged changes what the log says of a failure with this code.
func failureLogged(code string, change func(*openwopv1.RunError)) mutate.EventFunc {
	return mutate.OfType(string(event.RunFailed), func(e *mutate.Event) {
		if why, ok := e.Payload["error"].(map[string]any); ok {
			mutate.Object(why, failedWith(code, change))
		}
	})
}

// failureShown changes what the snapshot says of such a failure.
func failureShown(code string, change func(*openwopv1.RunError)) mutate.ReplyFunc {
	return mutate.On("GET /v1/runs/{runId}", mutate.Succeeded(mutate.At("/error", failedWith(code, change))))
}

func failedWith(code string, change func(*openwopv1.RunError)) func(*openwopv1.RunError) {
	return func(e *openwopv1.RunError) {
		if e.Code == code {
			change(e)
		}
	}
}

func namedOtherwise(code string) func(*openwopv1.RunError) {
	return func(e *openwopv1.RunError) { e.Code = code }
}

// ownNodeLimit names the failure of a run over its own bound on nodes otherwise. That over the host's tells the host's.
func ownNodeLimit(e *openwopv1.RunError) {
	if !isHostsBound(event.Error{Message: e.Message}) {
		e.Code = "node_limit_exceeded"
	}
}

// refusedBegin has what a bound of this kind has refused, or cut off, begin when its run has failed with this code.
func refusedBegin(s *rules.Set, kind event.Bound, code string) {
	lingering(s, func(log []event.Event) []event.Event {
		var failed event.RunFailedPayload
		if json.Unmarshal(log[len(log)-1].Payload, &failed) != nil || failed.Error.Code != code || isHostsBound(failed.Error) {
			return nil
		}
		of := map[event.Bound]event.Type{
			nodes: event.Breached, duration: event.NodeCancelled,
			turns: event.Decided,
		}[kind]
		if i := slices.IndexFunc(log, func(e event.Event) bool { return e.Type == of && e.NodeID != "" }); i >= 0 {
			return starts(log, log[i].NodeID)
		}
		return nil
	})
}

// takesAsked has a bound that was asked for stand above the advertised one.
func takesAsked(s *rules.Set, of event.Bound) {
	wants(s, of, func(w *rules.Wanted) {
		if w.Requested > w.Advertised {
			w.Advertised = 0
		}
	})
}

// isHostsBound reports whether a run has crossed the bound on nodes that the host has, and none of its own.
func isHostsBound(e event.Error) bool {
	return strings.HasSuffix(e.Message, fmt.Sprintf("bound of %d", hostsNodes))
}

// wants has bounds of this kind come about as if something else were wanted.
func wants(s *rules.Set, of event.Bound, change func(*rules.Wanted)) {
	inForce := s.Bounds.InForce
	s.Bounds.InForce = func(w rules.Wanted) int64 {
		if w.Kind == of {
			change(&w)
		}
		return inForce(w)
	}
}

// uses has a bound of this kind held against something else than what a run makes of it.
func uses(s *rules.Set, of event.Bound, change func(*rules.Use, rules.Bound)) {
	crosses := s.Bounds.Crosses
	s.Bounds.Crosses = func(u rules.Use, b rules.Bound) bool {
		if b.Kind == of {
			change(&u, b)
		}
		return crosses(u, b)
	}
}

// uncounted has some uses not held against a bound of this kind.
func uncounted(of event.Bound, which func(rules.Use) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		uses(s, of, func(u *rules.Use, _ rules.Bound) {
			if which(*u) {
				u.N = 0
			}
		})
	}
}

// forgets has replays count breaches of this kind anew.
func forgets(s *rules.Set, of event.Bound) {
	s.Bounds.Recalls = func(kind event.Bound) bool { return kind != of }
}
