package prove_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop"
)

// blindSpot is a violation of a row of docs/blind-spots.md, and what is seen of it.
type blindSpot struct {
	row   int
	what  string
	host  openwop.Options
	wrap  wrapper
	finds map[string]string // suite/name of a scenario: the requirement that it finds violated, or the verdict "blocked"
	// seen is the claim under which the report shows what the host does without claiming it, "" where that is not asked.
	seen string
	// honest is the host that keeps what this one breaks, where it is not the one of the zero options.
	honest openwop.Options
}

func blindSpots() []blindSpot {
	return slices.Concat(spotsOfLoops(), spotsOfFiles(), spotsOfBounds(), spotsOfGoals(), spotsOfHandoffs(), spotsOfConfidence(), spotsOfAnswers(), spotsOfForks(), spotsOfLogs())
}

func spotsOfLoops() []blindSpot {
	return []blindSpot{
		{row: 1, what: "the seam answers with a constant", wrap: seamSays(http.StatusOK, func(_, reply object) {
			clear(reply)
			reply["decisions"] = []any{object{"iteration": 1}, object{"iteration": 2}, object{"iteration": 3}}
		}), finds: map[string]string{"iteration-monotonic/seam-random-turns": "OWP-0061-B2"}},
		{row: 1, what: "the seam counts, and real runs do not", wrap: logged(every(decided, func(e object) { delete(in(e, "payload"), "iteration") })),
			finds: map[string]string{"iteration-monotonic/one-per-turn": "OWP-0061-B1"}},
		{row: 2, what: "the counter begins again after a resume", host: openwop.Options{Faults: []string{"loop.iteration-resets-on-resume"}},
			finds: map[string]string{"stateful-resume/ask-user": "OWP-0061-D1", "stateful-resume/below-floor": "OWP-0061-D1"}},
		{row: 3, what: "a number is left out", wrap: renumbered(func(_ object, n int) any { return n + n/2 }),
			finds: map[string]string{"iteration-monotonic/one-per-turn": "OWP-0061-B2"}},
		{row: 3, what: "a number is there twice", wrap: renumbered(func(_ object, n int) any { return max(n-1, 1) }),
			finds: map[string]string{"iteration-monotonic/one-per-turn": "OWP-0061-B2"}},
		{row: 3, what: "a run counts on from those before it", wrap: sharedCounter(), finds: map[string]string{"iteration-monotonic/nothing-shared": "OWP-0061-B4"}},
		{row: 4, what: "a turn of the plan is left out", wrap: logged(withoutSecondTurn), finds: map[string]string{"iteration-monotonic/as-planned": "OWP-0037-A6"}},
		{row: 4, what: "a turn after terminate", wrap: logged(after(terminates, func(e object) []object { return []object{forged(e, "again", nil)} })),
			finds: map[string]string{"execution-loop/nothing-after-terminate": "OWP-DSP-5", "iteration-monotonic/as-planned": "OWP-0037-A6"}},
		{row: 37, what: "each fixture as it was published, whatever is put into it", wrap: heard(theRuns, func(body object) { delete(body, "inputs") }),
			finds: map[string]string{"iteration-monotonic/as-planned": "OWP-0037-A6", "iteration-monotonic/one-per-turn": "OWP-0061-B2"}},
		{row: 39, what: "HTTP 500 with the right body", wrap: seamSays(http.StatusInternalServerError, func(_, _ object) {}),
			finds: map[string]string{"iteration-monotonic/seam-random-turns": "blocked", "stateful-resume/seam-suspends": "blocked"}},
	}
}

// withoutSecondTurn leaves out all that comes between the second decision and the third.
func withoutSecondTurn(events []object) (out []object) {
	turn := 0
	for _, e := range events {
		if decided(e) {
			turn++
		}
		if turn != 2 || kindOf(e) == "terminate" || ends(e) {
			out = append(out, e)
		}
	}
	return out
}

func spotsOfFiles() []blindSpot {
	return []blindSpot{
		{row: 5, what: "a turn sees at its end what was written meanwhile", wrap: noted(func(looks []any) []any {
			for i := 1; i+1 < len(looks); i += 2 {
				looks[i] = looks[i+1]
			}
			return looks
		}), finds: map[string]string{"workspace-snapshot/write-in-turn": "OWP-0061-C6", "workspace-snapshot/write-from-outside": "OWP-0061-D2"}},
		{row: 5, what: "a host below version 5 reads what is there now", wrap: told(wellKnown, func(doc object) { in(doc, "multiAgent", "executionModel")["version"] = 4 }),
			honest: openwop.Options{Version: 4}, finds: map[string]string{"workspace-files/reads-as-of-run-start": "OWP-WSP-29"}},
		{row: 6, what: "a write never becomes visible", wrap: noted(func(looks []any) []any { return slices.Repeat(looks[:1], len(looks)) }),
			finds: map[string]string{"workspace-snapshot/write-in-turn": "OWP-0061-C6", "workspace-snapshot/write-from-outside": "OWP-0061-C3"}},
		{row: 6, what: "a write becomes visible two turns later", wrap: noted(func(looks []any) []any { return slices.Concat(looks[:2], looks)[:len(looks)] }),
			finds: map[string]string{"workspace-snapshot/write-in-turn": "OWP-0061-C6"}},
	}
}

// configured changes a bound that a run is made with, or takes it away: 0.
func configured(name string, bound func(asked float64) float64) wrapper {
	return heard(theRuns, func(body object) {
		options := in(body, "configurable")
		asked, ok := options[name].(float64)
		if !ok {
			return
		}
		if options[name] = bound(asked); bound(asked) == 0 {
			delete(options, name)
		}
	})
}

func spotsOfBounds() []blindSpot {
	return []blindSpot{
		{row: 7, what: "the bound on turns is ignored", wrap: configured("maxLoopIterations", func(float64) float64 { return 0 }),
			finds: map[string]string{"iteration-monotonic/bound-below": "OWP-0061-E4"}},
		{row: 7, what: "one turn too many", wrap: configured("maxLoopIterations", func(n float64) float64 { return n + 1 }),
			finds: map[string]string{"iteration-monotonic/bound-below": "OWP-0061-E4"}},
		{row: 7, what: "one turn too few", wrap: configured("maxLoopIterations", func(n float64) float64 { return n - 1 }),
			finds: map[string]string{"iteration-monotonic/bound-below": "OWP-0061-E3", "iteration-monotonic/bound-leaves-alone": "OWP-0061-E6"}},
		{row: 7, what: "the advertised limit does not clamp", wrap: told(wellKnown, func(doc object) { in(doc, "limits")["maxLoopIterations"] = 5 }),
			honest: openwop.Options{MaxLoopIterations: 5}, finds: map[string]string{"version5-shape/limit-honoured": "OWP-0061-E5"}},
		{row: 8, what: "every bound on time strikes at once", wrap: configured("runTimeoutMs", func(float64) float64 { return 1 }),
			finds: map[string]string{"execution-bounds/time-bounded": "OWP-BND-6", "execution-bounds/time-leaves-alone": "OWP-BND-9"}},
		{row: 8, what: "no bound on time strikes", wrap: configured("runTimeoutMs", func(float64) float64 { return 0 }),
			finds: map[string]string{"execution-bounds/time-bounded": "OWP-BND-6"}},
		{row: 9, what: "a node begins after the run has failed", wrap: goesOn("failed"),
			finds: map[string]string{"execution-bounds/nodes-bounded": "OWP-BND-12", "iteration-monotonic/bound-below": "OWP-0061-E3"}},
		{row: 9, what: "a node begins after the run was cancelled", wrap: goesOn("cancelled"),
			finds: map[string]string{"handoff/cancelled-tree-rests": "OWP-DSP-23"}},
		{row: 10, what: "one node too few", wrap: configured("recursionLimit", func(n float64) float64 { return n - 1 }),
			finds: map[string]string{"execution-bounds/nodes-bounded": "OWP-BND-1", "execution-bounds/nodes-leave-alone": "OWP-BND-4"}},
	}
}

// goesOn has one more node begin in a run that has ended like this.
func goesOn(how string) wrapper {
	return logged(after(func(e object) bool { return string(typeOf(e)) == "run."+how }, func(e object) []object {
		late := forged(e, "late", object{"nodeId": "late", "typeId": "core.noop"})
		late["type"], late["nodeId"] = string(openwopv1.RunEventTypeNodeStarted), "late"
		return []object{late}
	}))
}

func spotsOfGoals() []blindSpot {
	neverEnds := func(state string) wrapper {
		return goalsTold(func(goal object) {
			if goal["state"] == state {
				goal["state"] = "active"
			}
		})
	}
	return []blindSpot{
		{row: 11, what: "no run of a goal is judged", wrap: both(goalsTold(func(goal object) { in(goal, "completion")["lastVerdict"] = nil }),
			untold("goal.evaluated")),
			finds: map[string]string{"goal-completion/every-run-judged": "OWP-0097-E9", "goal-bounds/evaluated-and-closed": "OWP-0097-D1"}},
		{row: 11, what: "a goal that is satisfied does not close", wrap: neverEnds("satisfied"),
			finds: map[string]string{"goal-bounds/satisfied-disarms": "OWP-0097-E1"}},
		{row: 11, what: "a goal is satisfied when its client says so", wrap: believesClients(),
			finds: map[string]string{"goal-bounds/client-cannot-satisfy": "OWP-0097-E2"}},
		{row: 12, what: "the bound on runs is ignored", wrap: boundsIgnored(),
			finds: map[string]string{"goal-bounds/stops-at-bound": "OWP-0097-E4", "goal-bounds/ticked-at-once": "OWP-0097-E4"}},
		{row: 12, what: "a goal beyond its bound stays active", wrap: neverEnds("bound-exceeded"),
			finds: map[string]string{"goal-bounds/stops-at-bound": "OWP-0097-E4"}},
	}
}

// goalsTold edits every goal that is served.
func goalsTold(edit func(goal object)) wrapper {
	return told(anyGoal, func(doc object) {
		goals, _ := doc["goals"].([]any)
		for _, g := range append(goals, doc["goal"], doc) {
			if goal, ok := g.(object); ok && goal["state"] != nil {
				edit(goal)
			}
		}
	})
}

// untold leaves the events of a type out, wherever events are served.
func untold(kind openwopv1.RunEventType) wrapper {
	return edited(func(_ *http.Request, code int, doc map[string]any) int {
		relog(doc, none(func(e object) bool { return typeOf(e) == kind }))
		return code
	})
}

// believesClients takes an edit of the state, and shows it from then on.
func believesClients() wrapper {
	var mu sync.Mutex
	claimed := map[any]any{}
	return func(next http.Handler) http.Handler {
		shows := goalsTold(func(goal object) {
			mu.Lock()
			defer mu.Unlock()
			if state := claimed[goal["id"]]; state != nil {
				goal["state"] = state
			}
		})(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPatch && oneGoal.MatchString(r.URL.Path) && strings.Contains(peek(r), `"state"`) {
				mu.Lock()
				claimed[r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]] = "satisfied"
				mu.Unlock()
				r = with(r, r.URL.Path, []byte("{}"))
			}
			shows.ServeHTTP(w, r)
		})
	}
}

// peek reads a body and leaves it to be read.
func peek(r *http.Request) string {
	raw := bodyOf(r)
	*r = *with(r, r.URL.Path, raw)
	return string(raw)
}

// boundsIgnored keeps goals far beyond the bounds that they are shown with.
func boundsIgnored() wrapper {
	const far = 1000
	return both(goalsTold(func(goal object) {
		if n, ok := in(goal, "bounds")["maxLoopIterations"].(float64); ok && n > far {
			in(goal, "bounds")["maxLoopIterations"] = n - far
		}
	}), heard(theGoals, func(body object) {
		if n, ok := in(body, "bounds")["maxLoopIterations"].(float64); ok {
			in(body, "bounds")["maxLoopIterations"] = n + far
		}
	}))
}

func spotsOfHandoffs() []blindSpot {
	began, failed := inPhase(openwopv1.ChainPhaseDispatchBegan), inPhase(openwopv1.ChainPhaseChildFailed)
	cancelled, unmade := inPhase(openwopv1.ChainPhaseChildCancelled), inPhase(openwopv1.ChainPhaseDispatchFailed)
	return []blindSpot{
		{row: 13, what: "the child of a handoff is no run", wrap: childless(),
			finds: map[string]string{"handoff/child-is-a-run": "OWP-DSP-12", "iteration-monotonic/as-planned": "OWP-0037-A3"}},
		{row: 14, what: "a worker that failed is harvested", wrap: logged(after(failed, func(e object) []object {
			return []object{step(e, openwopv1.ChainPhaseOutputHarvested, object{"harvestedKeys": []any{"outcome"}})}
		})), finds: map[string]string{"handoff/failed-not-harvested": "OWP-0037-B2"}},
		{row: 14, what: "a worker that failed is told of as completed", wrap: logged(every(failed, func(e object) {
			in(e, "payload")["phase"] = string(openwopv1.ChainPhaseChildCompleted)
		})), finds: map[string]string{"handoff/failed-worker": "OWP-0037-B3"}},
		{row: 14, what: "a worker that was cancelled is harvested", wrap: logged(after(cancelled, func(e object) []object {
			return []object{step(e, openwopv1.ChainPhaseOutputHarvested, object{"harvestedKeys": []any{"outcome"}})}
		})), finds: map[string]string{"handoff/cancelled-not-harvested": "OWP-0037-B2"}},
		{row: 14, what: "a worker that was cancelled is told of as completed", wrap: logged(every(cancelled, func(e object) {
			in(e, "payload")["phase"] = string(openwopv1.ChainPhaseChildCompleted)
		})), finds: map[string]string{"handoff/cancelled-worker": "OWP-0037-B3"}},
		{row: 14, what: "a worker that could not be made is told of as made", wrap: logged(every(unmade, func(e object) {
			in(e, "payload")["phase"], in(e, "payload")["childRunId"] = string(openwopv1.ChainPhaseDispatchSucceeded), "run-that-never-was"
		})), finds: map[string]string{"handoff/uncreatable-worker": "OWP-0037-B4"}},
		{row: 15, what: "every handoff is caused by the first decision", wrap: logged(func(events []object) []object {
			first := slices.IndexFunc(events, decided)
			return every(began, func(e object) { e["causationId"] = events[first]["eventId"] })(events)
		}), finds: map[string]string{"handoff/chain-of-causes": "OWP-0037-B3"}},
		{row: 15, what: "the log is listed against its numbers", wrap: told(runLog, func(doc object) {
			list, _ := doc["events"].([]any)
			slices.Reverse(list)
		}), finds: map[string]string{"event-log/numbered-without-gap": "OWP-EVT-1"}},
		{row: 18, what: "a worker is dispatched after terminate", wrap: logged(func(events []object) []object {
			first := slices.IndexFunc(events, began)
			return after(terminates, func(object) []object {
				if first < 0 {
					return nil
				}
				return []object{forged(events[first], "again", nil)}
			})(events)
		}), finds: map[string]string{"execution-loop/nothing-after-terminate": "OWP-DSP-5"}},
		{row: 19, what: "the second worker of a decision begins while the first is at work", wrap: logged(dispatchedAtOnce),
			finds: map[string]string{"handoff/second-waits-for-first": "OWP-DSP-14"}},
		{row: 28, what: "a cancel reaches the child and not the grandchild", wrap: grandchildrenGoOn(),
			finds: map[string]string{"handoff/cancel-reaches-all": "OWP-DSP-21"}},
		{row: 34, what: "no run has a parent", wrap: told(ancestryOf, func(doc object) { doc["parent"] = nil }),
			finds: map[string]string{"ancestry/child-names-parent": "OWP-CAU-3"}},
	}
}

// dispatchedAtOnce begins the handoffs of a decision for several workers all together.
func dispatchedAtOnce(events []object) []object {
	for i, e := range events {
		workers, _ := in(e, "payload", "decision")["nextWorkerIds"].([]any)
		if !decided(e) || len(workers) < 2 {
			continue
		}
		from := slices.IndexFunc(events[i:], inPhase(openwopv1.ChainPhaseDispatchBegan))
		if from < 0 {
			return events
		}
		first := events[i+from]
		rest := slices.DeleteFunc(slices.Clone(events[i+from+1:]), func(e object) bool {
			return phaseOf(e) == openwopv1.ChainPhaseDispatchBegan && in(e, "payload")["workerId"] == workers[1]
		})
		second := step(first, openwopv1.ChainPhaseDispatchBegan, object{"workerId": workers[1]})
		return slices.Concat(events[:i+from+1], []object{second}, rest)
	}
	return events
}

func spotsOfConfidence() []blindSpot {
	return []blindSpot{
		{row: 16, what: "every decision with a confidence is held", wrap: weighedAs(0),
			finds: map[string]string{"confidence/floor-passes": "OWP-CNF-5"}},
		{row: 16, what: "no confidence is compared with the floor", wrap: weighedAs(1),
			finds: map[string]string{"confidence/held-and-told": "OWP-INT-5"}},
		{row: 17, what: "the held decision is carried out twice", wrap: logged(afterAnswer(func(step object) []object { return []object{step, forged(step, "again", nil)} })),
			finds: map[string]string{"confidence/carried-out-once": "OWP-CNF-10"}},
		{row: 17, what: "another worker is dispatched in its place", wrap: logged(afterAnswer(func(step object) []object {
			in(step, "payload")["workerId"] = "assay-echo"
			return []object{step}
		})), finds: map[string]string{"confidence/carried-out-once": "OWP-CNF-10"}},
	}
}

// weighedAs has every confidence that a run is given count as this one.
func weighedAs(confidence float64) wrapper {
	return heard(theRuns, func(body object) {
		for _, name := range slices.Sorted(maps.Keys(in(body, "inputs"))) {
			plan, _ := in(body, "inputs")[name].([]any)
			for _, d := range plan {
				if decision, ok := d.(object); ok && decision["confidence"] != nil {
					decision["confidence"] = confidence
				}
			}
		}
	})
}

// afterAnswer edits the first handoff, and what the dispatch node tells of it, behind the answer to an interrupt.
func afterAnswer(edit func(step object) []object) func([]object) []object {
	return func(events []object) (out []object) {
		answered := false
		left := map[any]bool{openwopv1.ChainPhaseDispatchBegan: true, openwopv1.RunEventTypeNodeDispatched: true}
		for _, e := range events {
			answered = answered || typeOf(e) == openwopv1.RunEventTypeInterruptResolved
			mark := any(phaseOf(e))
			if phaseOf(e) == "" {
				mark = typeOf(e)
			}
			if answered && left[mark] {
				left[mark] = false
				out = append(out, edit(e)...)
				continue
			}
			out = append(out, e)
		}
		return out
	}
}

func spotsOfForks() []blindSpot {
	return []blindSpot{
		{row: 29, what: "a fork is a new run of its source's workflow", wrap: forksAnew(),
			finds: map[string]string{"replay/prefix-kept": "OWP-RPL-3", "replay/drawn-once": "OWP-RPL-4"}},
		{row: 30, what: "every branch begins at the first event", wrap: heard(forkOfRun, func(body object) {
			if body["mode"] == "branch" {
				body["fromSeq"] = 0
			}
		}), finds: map[string]string{"replay/branch-draws": "OWP-RPL-10"}},
		{row: 31, what: "a replay draws anew", wrap: both(told(forkOfRun, func(doc object) { doc["mode"] = "replay" }), heard(forkOfRun, func(body object) {
			body["mode"], body["fromSeq"] = "branch", 0
		})), finds: map[string]string{"replay/drawn-once": "OWP-RPL-4"}},
		{row: 33, what: "a branch keeps the options of its source", wrap: heard(forkOfRun, func(body object) { delete(body, "runOptionsOverlay") }),
			finds: map[string]string{"replay/branch-bounded": "OWP-RPL-12"}},
	}
}

func spotsOfLogs() []blindSpot {
	return []blindSpot{
		{row: 38, what: "a host with goals does not claim them", wrap: told(wellKnown, func(doc object) { delete(in(doc, "agents"), "goals") }),
			honest: openwop.Options{Without: []string{"goals"}}, seen: "goals", finds: map[string]string{"goal-completion/absent-without-claim": "OWP-0097-G3"}},
		{row: 35, what: "every log is empty", wrap: logged(func([]object) []object { return []object{} }),
			finds: map[string]string{"event-log/numbered-without-gap": "OWP-EVT-1", "event-log/ends-once": "OWP-EVT-9", "iteration-monotonic/as-planned": "OWP-0037-A6"}},
		{row: 40, what: "a second event ends the run", wrap: logged(after(ends, func(e object) []object { return []object{forged(e, "again", nil)} })),
			finds: map[string]string{"event-log/ends-once": "OWP-EVT-9"}},
		{row: 40, what: "the end comes before the last steps", wrap: logged(func(events []object) []object {
			i := slices.IndexFunc(events, ends)
			if i < 2 {
				return events
			}
			return slices.Concat(events[:i-2], events[i:], events[i-2:i])
		}), finds: map[string]string{"event-log/ends-once": "OWP-EVT-10"}},
	}
}
