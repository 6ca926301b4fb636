package fault

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var loopFaults = []Fault{
	// ---- the counter ---------------------------------------------------------------------------
	{
		ID:     "loop.iteration-resets-on-resume",
		Title:  "after a suspension the loop counts its turns from 1 again",
		Looks:  "the decided event after an answered interrupt carries iteration 1",
		Breaks: []string{openwop.OWP0061D1, openwop.OWP0061B2},
		Spots:  []int{2},
		Replace: func(s *rules.Set) {
			recounts(s, func(p rules.Past) bool { return p.Suspended }, func(int) int { return 1 })
		},
	},
	{
		ID:     "loop.iteration-skips-after-second-answer",
		Title:  "when a loop is resumed for the second time its counter skips a turn",
		Looks:  "iteration goes on two higher after the second answer",
		Breaks: []string{openwop.OWP0061D1, openwop.OWP0061B2},
		Spots:  []int{2, 3},
		Replace: func(s *rules.Set) {
			recounts(s, func(p rules.Past) bool { return p.Again }, func(n int) int { return n + 2 })
		},
	},
	{
		ID:     "loop.iteration-skips-after-late-answer",
		Title:  "behind a question of the eighth turn or a later one the counter of a loop skips a turn",
		Looks:  "iteration goes on two higher after the answer to a question of turn 8 or later",
		Breaks: []string{openwop.OWP0061D1, openwop.OWP0061B2, openwop.OWP0061E2, openwop.OWP0061E3},
		Spots:  []int{2, 3},
		Depth:  "standard", // loops that ask are shorter at quick
		Twin:   "it shows only in longer loops, as drawn programs are from depth standard on",
		Replace: func(s *rules.Set) {
			recounts(s, func(p rules.Past) bool { return p.Suspended }, func(n int) int {
				if n < 8 {
					return n + 1
				}
				return n + 2
			})
		},
	},
	{
		ID:     "loop.held-turn-counts-twice",
		Title:  "a decision that was held counts as another turn when it is carried out",
		Looks:  "iteration goes on two higher after a decision below the floor",
		Breaks: []string{openwop.OWP0061D1, openwop.OWP0061B2},
		Spots:  []int{2, 3},
		Replace: func(s *rules.Set) {
			recounts(s, func(p rules.Past) bool { return p.Held }, func(n int) int { return n + 2 })
		},
	},
	{
		ID:     "loop.last-turn-uncounted",
		Title:  "the decision to terminate carries no iteration",
		Looks:  "iteration is missing in the last decided event",
		Breaks: []string{openwop.OWP0061B1, openwop.OWP0061B2, openwop.OWP0061D1},
		Spots:  []int{3},
		Event:  lastDecided(func(p *event.DecidedPayload) { p.Iteration = nil }),
	},
	{
		ID:     "loop.replay-counts-resumed-turn-twice",
		Title:  "a replay counts the turn behind a suspension as one more",
		Looks:  "iteration in the replay of a resumed loop is one higher than in its source",
		Breaks: []string{openwop.OWP0061M1},
		Spots:  []int{29},
		Replace: func(s *rules.Set) {
			next := s.Loop.Next
			s.Loop.Next = func(previous int, past rules.Past) int {
				if past.Recorded > 0 && past.Suspended {
					return past.Recorded + 1
				}
				return next(previous, past)
			}
		},
	},

	{
		ID:     "loop.counter-shared-with-workers",
		Title:  "the runs of its workers move the counter of a loop as well",
		Looks:  "iteration counts 1, 3, 5 where every turn but the last dispatches a worker",
		Breaks: []string{openwop.OWP0061B4, openwop.OWP0061B2, openwop.OWP0061D1, openwop.OWP0061M1},
		Spots:  []int{3},
		Remembers: func() mutate.Changes {
			var workers counts // by the id of the run that dispatched them
			return mutate.Changes{Events: []mutate.EventFunc{
				stepOf(event.DispatchSucceeded, func(e *mutate.Event) { workers.add(e.RunID, 1) }),
				mutate.OfType(string(event.Decided), func(e *mutate.Event) {
					mutate.Object(e.Payload, func(p *event.DecidedPayload) {
						if p.Iteration != nil {
							*p.Iteration += workers.add(e.RunID, 0)
						}
					})
				}),
			}}
		},
	},

	// ---- the loop ------------------------------------------------------------------------------
	{
		ID:     "loop.repeated-decision-passed-over",
		Title:  "a loop that nobody bounded and that is to decide the same every turn decides it once less",
		Looks:  "the loop takes a turn fewer than its plan has, and terminates",
		Breaks: []string{openwop.OWP0037A6, openwop.OWP0061B2, openwop.OWP0061B4},
		Spots:  []int{4},
		Request: func(r *mutate.Request) {
			mutate.Asked("POST /v1/runs", mutate.Body(func(run map[string]any) {
				options, _ := run["configurable"].(map[string]any)
				inputs, _ := run["inputs"].(map[string]any)
				plan, _ := inputs["plan"].([]any)
				others := func(d any) bool { return !reflect.DeepEqual(d, plan[0]) }
				if options["maxLoopIterations"] == nil && len(plan) >= 3 && !slices.ContainsFunc(plan[:len(plan)-1], others) {
					inputs["plan"] = plan[1:]
				}
			}))(r)
			mutate.Asked(loopRun, mutate.Body(func(body map[string]any) {
				mutate.Object(body, func(ask *openwopv1.AgentloopRequest) {
					const most = 1000 // turns that the seam takes
					if ask.MaxLoopIterations == nil && ask.SuspendAtTurn == nil && ask.Turns >= 3 && ask.Turns <= most {
						ask.Turns--
					}
				})
			}))(r)
		},
	},
	{
		ID:     "loop.child-served-as-parent",
		Title:  "the snapshot of a run that another dispatched and that leaves nothing behind names that other",
		Looks:  "runId in the snapshot of a completed child without variables is its parent's",
		Breaks: []string{openwop.OWP0037A3, openwop.OWPDSP12, openwop.OWPCTL1},
		Reply: snapshots(func(run *openwopv1.RunSnapshot) {
			if run.ParentRunID != nil && run.Status == openwopv1.RunStatusCompleted && len(run.Variables) == 0 {
				run.RunID = *run.ParentRunID
			}
		}),
	},
	{
		ID:     "loop.reason-lost",
		Title:  "the supervisor's reason to terminate is not put on the log",
		Looks:  "the last decided event has a decision without the reason that its script holds",
		Breaks: []string{openwop.OWP0037A2},
		Event: mutate.OfType(string(event.Decided), func(e *mutate.Event) {
			if d, ok := e.Payload["decision"].(map[string]any); ok && d["kind"] == terminate {
				delete(d, "reason")
			}
		}),
	},
	{
		ID:     "loop.last-decision-unsigned",
		Title:  "the decision to terminate does not say which agent made it",
		Looks:  "agentId is empty in the last decided event",
		Breaks: []string{openwop.OWP0061B5, openwop.OWPDSP2},
		Event:  lastDecided(func(p *event.DecidedPayload) { p.AgentID = "" }),
	},
	{
		ID:     "loop.turn-begins-after-the-end",
		Title:  "another turn begins when the loop has ended",
		Looks:  "node.started of the supervisor stands behind run.completed",
		Breaks: []string{openwop.OWP0061E1, openwop.OWPEVT10},
		Spots:  []int{4, 9},
		Replace: func(s *rules.Set) {
			lingering(s, func(log []event.Event) []event.Event {
				decided := func(e event.Event) bool { return e.Type == event.Decided }
				i := slices.IndexFunc(log, decided)
				if i < 0 || log[len(log)-1].Type != event.RunCompleted {
					return nil
				}
				return starts(log, log[i].NodeID)
			})
			flawless(s, func(a rules.ForkAsk) bool { return a.FromSeq != nil && *a.FromSeq == a.Next+1 }) // behind that turn
		},
		Remembers: func() mutate.Changes {
			var asked sync.Map
			c := replies(mutate.On(forking, mutate.Succeeded(func(r *mutate.Reply) {
				mutate.At("", func(fork *openwopv1.ForkRunResponse) {
					if from, _ := asked.Load(r.Request.URL.Path); fork.FromSeq != nil && from == *fork.FromSeq+1 {
						*fork.FromSeq++
					}
				})(r)
			})))
			c.Requests = []mutate.RequestFunc{places(&asked)}
			return c
		},
	},

	// ---- answers -------------------------------------------------------------------------------
	{
		ID:      "loop.answer-astray-counts",
		Title:   "an answer to a node that a loop does not have answers the question that is open",
		Looks:   "a suspended loop goes on when another node is answered",
		Breaks:  []string{openwop.OWPINT4},
		Replace: takingRefused(func(a rules.Answer) bool { return !a.Gate && a.Astray }),
	},
	{
		ID:     "loop.second-answer-taken",
		Title:  "who answers a loop that was answered before is told that the answer was taken",
		Looks:  "a second answer is answered 200, as are all that come at once",
		Breaks: []string{openwop.OWPINT2, openwop.OWPINT3},
		Spots:  []int{25},
		Replace: func(s *rules.Set) {
			late := s.Answers.Late
			s.Answers.Late = func(l rules.Late) string {
				if code := late(l); l.Gate || code != rules.InterruptResolved {
					return code
				}
				return ""
			}
		},
	},

	{
		ID:     "loop.late-answer-taken-after-several",
		Title:  "who answers a loop that has asked twice and was answered is told that the answer was taken",
		Looks:  "an answer behind the end of a loop with two questions is answered 200",
		Breaks: []string{openwop.OWPINT2},
		Twin:   "there every loop takes it, here one that asked several times",
		Replace: func(s *rules.Set) {
			late := s.Answers.Late
			s.Answers.Late = func(l rules.Late) string {
				if code := late(l); l.Gate || l.Asked < 2 || code != rules.InterruptResolved {
					return code
				}
				return ""
			}
		},
	},

	// ---- the seam ------------------------------------------------------------------------------
	{
		ID:     "loop.seam-constant",
		Title:  "the seam names no run and says of every loop that it took three turns",
		Looks:  "three iterations, however many turns were asked for",
		Breaks: []string{openwop.OWP0061B2, openwop.OWP0061B4},
		Spots:  []int{1},
		Reply: loopSeam(func(r *openwopv1.AgentloopReply) {
			if !plain(r) {
				return
			}
			r.RunID, r.Decisions = "", slices.Repeat(r.Decisions[:1], 3)
			for i := range r.Decisions {
				r.Decisions[i].Iteration = new(int64(i + 1))
			}
		}),
	},
	{
		ID:     "loop.seam-names-another-run",
		Title:  "the seam names a run that it did not drive",
		Looks:  "there is no run of the id in the reply",
		Breaks: []string{openwop.OWP0061B2},
		Spots:  []int{1},
		Reply: loopSeam(func(r *openwopv1.AgentloopReply) {
			if plain(r) {
				r.RunID = strings.ToUpper(r.RunID)
			}
		}),
	},
	{
		ID:     "loop.seam-resumes-a-turn-later",
		Title:  "the seam says that a loop was resumed in the turn behind the one that was suspended",
		Looks:  "resumedIteration is one higher than suspendAtTurn",
		Breaks: []string{openwop.OWP0061D1},
		Spots:  []int{2},
		Reply: loopSeam(func(r *openwopv1.AgentloopReply) {
			if r.ResumedIteration != nil {
				*r.ResumedIteration++
			}
		}),
	},
	{
		ID:     "loop.seam-resumes-what-cannot-be",
		Title:  "the seam resumes a loop in a turn behind its last one",
		Looks:  "resumedIteration is there for a suspendAtTurn above the turns",
		Breaks: []string{openwop.OWP0061B4},
		Request: mutate.Asked(loopRun, mutate.Body(func(body map[string]any) {
			mutate.Object(body, func(ask *openwopv1.AgentloopRequest) {
				if at := ask.SuspendAtTurn; at != nil && *at >= ask.Turns && ask.Resume != nil && *ask.Resume {
					*at, ask.Turns = ask.Turns, ask.Turns+1
				}
			})
		})),
	},
}

// recounts has the turns that follow such a turn be numbered otherwise, but for those of a replay.
func recounts(s *rules.Set, behind func(rules.Past) bool, number func(previous int) int) {
	next := s.Loop.Next
	s.Loop.Next = func(previous int, past rules.Past) int {
		if past.Recorded == 0 && behind(past) {
			return number(previous)
		}
		return next(previous, past)
	}
}

// counts are numbers by name, from 0. They may be used concurrently.
type counts struct {
	mu sync.Mutex
	by map[string]int64
}

// add adds to the number of this name, and returns it.
func (c *counts) add(name string, n int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[string]int64{}
	}
	c.by[name] += n
	return c.by[name]
}

// lastDecided changes what the log says of decisions that end their loop.
func lastDecided(change func(*event.DecidedPayload)) mutate.EventFunc {
	tell := func(p *event.DecidedPayload) {
		if isOfKind(p.Decision, terminate) {
			change(p)
		}
	}
	return mutate.OfType(string(event.Decided), mutate.Payload(tell))
}

const loopRun = "POST /v1/host/sample/agentloop/run"

// loopSeam changes what the seam says of a loop.
func loopSeam(change func(*openwopv1.AgentloopReply)) mutate.ReplyFunc {
	return mutate.On(loopRun, mutate.Succeeded(mutate.At("", change)))
}

func isOfKind(decision json.RawMessage, kind string) bool {
	var said struct{ Kind string }
	return json.Unmarshal(decision, &said) == nil && said.Kind == kind
}

// plain reports whether the seam speaks of a loop that nothing held and that wrote nothing.
func plain(r *openwopv1.AgentloopReply) bool {
	asks := func(d openwopv1.RunOrchestratorDecidedPayload) bool {
		_, asked := d.Decision.(openwopv1.AskUserDecision)
		return asked
	}
	return r.Bound == nil && r.WorkspaceVisible == nil && !slices.ContainsFunc(r.Decisions, asks)
}
