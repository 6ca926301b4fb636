package fault

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/rules"
)

// goalFaults are violations of what is said of standing goals: of how they are made, shown, driven and ended.
var goalFaults = slices.Concat(goalsMade, goalsShown, goalsChanged, goalsGoing, goalsEnding, goalsTold)

var goalsMade = []Fault{
	{
		ID:     "goal.mode-of-its-own",
		Title:  "discovery lists a mode of continuation that the protocol does not know",
		Looks:  "agents.goals.continuation holds cron where it should hold schedule",
		Breaks: []string{openwopv1.OWP0097A1},
		Replace: func(s *rules.Set) {
			s.Goals.Advertised = func(c openwopv1.GoalsCapability) openwopv1.GoalsCapability {
				c.Continuation = slices.Clone(c.Continuation)
				for i, mode := range c.Continuation {
					if mode == openwopv1.GoalsCapabilityContinuationItemSchedule {
						c.Continuation[i] = "cron"
					}
				}
				return c
			}
		},
	},
	{
		ID:     "goal.without-claim",
		Title:  "a host that does not claim goals serves them all the same",
		Looks:  "goals are listed and made where discovery has no agents.goals",
		Breaks: []string{openwopv1.OWP0097G3},
		Under:  Under{Without: []string{"goals"}},
		Replace: func(s *rules.Set) {
			s.Goals.Kept = func(bool) bool { return true }
		},
	},
	{
		ID:     "goal.bounds-not-required",
		Title:  "bounds are advertised as required and are not",
		Looks:  "a goal without bounds is made with 200, is active and runs for ever",
		Breaks: []string{openwopv1.OWP0097A2, openwopv1.OWP0097C1, openwopv1.OWP0097E3},
		Replace: func(s *rules.Set) {
			s.Goals.Bounded = func(openwopv1.GoalBounds) bool { return true }
		},
	},
	{
		ID:     "goal.unbounded-is-malformed",
		Title:  "a goal without bounds is refused like a body that cannot be read",
		Looks:  "a create without bounds is answered 400",
		Breaks: []string{openwopv1.OWP0097C1},
		Replace: func(s *rules.Set) {
			s.Goals.Unbounded = func() int { return http.StatusBadRequest }
		},
	},
	{
		ID:      "goal.judge-of-any-name",
		Title:   "a goal is made with whatever judge it is asked for",
		Looks:   "a goal whose completion.check nobody knows is made and served",
		Breaks:  []string{openwopv1.OWP0097B2},
		Replace: func(s *rules.Set) { takes(s, "completion.check", "/completion/check") },
	},
	{
		ID:      "goal.mode-of-any-name",
		Title:   "a goal is made with whatever mode it is asked for",
		Looks:   "a goal whose continuation.mode nobody knows is made and served",
		Breaks:  []string{openwopv1.OWP0097B3},
		Replace: func(s *rules.Set) { takes(s, "continuation.mode", "/continuation/mode") },
	},
	{
		ID:      "goal.no-run-at-all",
		Title:   "a goal is made with a bound of no runs, or of fewer",
		Looks:   "a goal is served with bounds.maxLoopIterations 0 or below",
		Breaks:  []string{openwopv1.OWP0097B5},
		Replace: func(s *rules.Set) { takes(s, "bounds.maxLoopIterations", "/bounds/maxLoopIterations") },
	},
	{
		ID:     "goal.secret-in-edit",
		Title:  "an objective is looked through for secrets when a goal is made, not when it is edited",
		Looks:  "the credential in an edited objective is served with the goal",
		Breaks: []string{openwopv1.OWP0097E11},
		Replace: func(s *rules.Set) {
			s.Goals.Redacts = func(edited bool) bool { return !edited }
		},
	},
}

// takes lets everything pass in one member of a goal that is created.
func takes(s *rules.Set, field, member string) {
	honest, minds := s.Goals.Takes, s.Requests.Minds
	s.Goals.Takes = func(f string, offered bool) bool { return f == field || honest(f, offered) }
	s.Requests.Minds = func(operation, m string) bool {
		return (operation != "createGoal" || m != member) && minds(operation, m)
	}
}

var goalsShown = []Fault{
	{
		ID:     "goal.cost-in-whole-dollars",
		Title:  "the bound of cost is served without its cents",
		Looks:  "a goal asked for with maxCostUsd 12.25 shows 12",
		Breaks: []string{openwopv1.OWP0097B1},
		Replace: shows(func(g *openwopv1.Goal) {
			if cost := g.Bounds.MaxCostUSD; cost != nil {
				g.Bounds.MaxCostUSD = new(float64(int64(*cost)))
			}
		}),
	},
	{
		ID:      "goal.check-shown-as-verifier",
		Title:   "every goal is served as judged by a verifier",
		Looks:   "completion.check is verifier where host was asked for, and judges",
		Breaks:  []string{openwopv1.OWP0097B2},
		Replace: shows(func(g *openwopv1.Goal) { g.Completion.Check = openwopv1.GoalCheckVerifier }),
	},
	{
		ID:      "goal.mode-shown-as-schedule",
		Title:   "every goal is served as one on a schedule",
		Looks:   "continuation.mode is schedule where manual was asked for, and is kept",
		Breaks:  []string{openwopv1.OWP0097B3},
		Replace: shows(func(g *openwopv1.Goal) { g.Continuation.Mode = openwopv1.GoalContinuationModeSchedule }),
	},
	{
		ID:      "goal.owner-without-tenant",
		Title:   "a goal does not say whose it is",
		Looks:   "owner.tenant of a goal is empty",
		Breaks:  []string{openwopv1.OWP0097B4},
		Replace: shows(func(g *openwopv1.Goal) { g.Owner.Tenant = "" }),
	},
	{
		ID:     "goal.verdict-before-the-first-run",
		Title:  "a goal that was never judged shows a verdict",
		Looks:  "completion.lastVerdict of a new goal says satisfied false, of no run",
		Breaks: []string{openwopv1.OWP0097C3},
		Replace: shows(func(g *openwopv1.Goal) {
			if g.Completion.LastVerdict == nil {
				g.Completion.LastVerdict = &openwopv1.GoalVerdict{Satisfied: new(false)}
			}
		}),
	},
	{
		ID:     "goal.runs-not-shown",
		Title:  "a goal counts its runs and does not name them",
		Looks:  "progress has iterations and no contributingRunIds",
		Breaks: []string{openwopv1.OWP0097C3},
		Replace: shows(func(g *openwopv1.Goal) {
			progress := *g.Progress
			progress.ContributingRunIds = nil
			g.Progress = &progress
		}),
	},
	{
		ID:     "goal.runs-by-other-ids",
		Title:  "a goal names its runs by the ids of jobs, under which the host serves no runs",
		Looks:  "no contributing run can be read under the id that the goal shows",
		Breaks: []string{openwopv1.OWP0097E10},
		Replace: func(s *rules.Set) {
			shows(func(g *openwopv1.Goal) {
				progress := *g.Progress
				progress.ContributingRunIds = nil
				for _, id := range g.Progress.ContributingRunIds {
					progress.ContributingRunIds = append(progress.ContributingRunIds, jobOf(id))
				}
				g.Progress = &progress
				if v := g.Completion.LastVerdict; v != nil {
					g.Completion.LastVerdict = &openwopv1.GoalVerdict{Satisfied: v.Satisfied, Confidence: v.Confidence, RunID: new(jobOf(*v.RunID))}
				}
			})(s)
			tells(openwopv1.GoalEventTypeGoalEvaluated, func(_ string, payload map[string]any) {
				id, _ := payload["runId"].(string)
				payload["runId"] = jobOf(id)
			})(s)
		},
	},
	{
		ID:     "goal.verdict-of-the-first-run",
		Title:  "while a goal goes on, its last verdict names the first run that was judged",
		Looks:  "completion.lastVerdict.runId stays at the first contributing run until the goal has ended",
		Breaks: []string{openwopv1.OWP0097E9},
		Replace: shows(func(g *openwopv1.Goal) {
			if v := g.Completion.LastVerdict; v != nil && g.State == openwopv1.GoalStateActive {
				g.Completion.LastVerdict = &openwopv1.GoalVerdict{Satisfied: v.Satisfied, Confidence: v.Confidence, RunID: &g.Progress.ContributingRunIds[0]}
			}
		}),
	},
	{
		ID:     "goal.exceeded-a-run-early",
		Title:  "a goal with one run left is shown as if it had none",
		Looks:  "the state is bound-exceeded after run N-1 of N, and run N is fired all the same",
		Breaks: []string{openwopv1.OWP0097G2},
		Replace: shows(func(g *openwopv1.Goal) {
			most := g.Bounds.MaxLoopIterations
			if g.State == openwopv1.GoalStateActive && most != nil && *g.Progress.Iterations == *most-1 && *most > 1 {
				g.State = openwopv1.GoalStateBoundExceeded
			}
		}),
	},
	{
		ID:     "goal.list-of-any-state",
		Title:  "the list of goals does not look at the state that is asked for",
		Looks:  "an active goal is among those that are satisfied",
		Breaks: []string{openwopv1.OWP0097C2},
		Replace: func(s *rules.Set) {
			s.Goals.Listed = func(g openwopv1.Goal, _ openwopv1.GoalState) (openwopv1.Goal, bool) { return g, true }
		},
	},
	{
		ID:     "goal.listed-without-bounds",
		Title:  "goals are listed without their bounds",
		Looks:  "an active goal has a bound when it is read, and none in the list",
		Breaks: []string{openwopv1.OWP0097E3, openwopv1.OWP0097B1},
		Replace: func(s *rules.Set) {
			honest := s.Goals.Listed
			s.Goals.Listed = func(g openwopv1.Goal, in openwopv1.GoalState) (openwopv1.Goal, bool) {
				g.Bounds = openwopv1.GoalBounds{}
				return honest(g, in)
			}
		},
	},
}

func jobOf(runID string) string { return "job-" + runID }

// shows has every goal served otherwise than it is.
func shows(otherwise func(*openwopv1.Goal)) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Shown
		s.Goals.Shown = func(g openwopv1.Goal) openwopv1.Goal {
			g = honest(g)
			otherwise(&g)
			return g
		}
	}
}

var goalsChanged = []Fault{
	{
		ID:     "goal.only-objective-edited",
		Title:  "of an active goal nothing can be edited but its objective",
		Looks:  "an edit of completion and continuation is refused",
		Breaks: []string{openwopv1.OWP0097C4},
		Replace: func(s *rules.Set) {
			honest := s.Goals.Edits
			s.Goals.Edits = func(state openwopv1.GoalState, reworded bool) bool { return reworded && honest(state, reworded) }
		},
	},
	{
		ID:      "goal.abandoned-edited",
		Title:   "a goal that was given up can be edited",
		Looks:   "an edit after abandon changes the objective",
		Breaks:  []string{openwopv1.OWP0097C4},
		Replace: edits(openwopv1.GoalStateAbandoned),
	},
	{
		ID:      "goal.exceeded-edited",
		Title:   "a goal that has exceeded its bound can be edited",
		Looks:   "an edit after bound-exceeded changes the objective",
		Breaks:  []string{openwopv1.OWP0097C4},
		Replace: edits(openwopv1.GoalStateBoundExceeded),
	},
	{
		ID:     "goal.edit-of-state-ignored",
		Title:  "an edit of the state is taken, and dropped without a word",
		Looks:  "PATCH {state: satisfied} is answered 200",
		Breaks: []string{openwopv1.OWP0097E2},
		Replace: func(s *rules.Set) {
			minds := s.Requests.Minds
			s.Requests.Minds = func(operation, member string) bool { return operation != "editGoal" && minds(operation, member) }
		},
	},
	{
		ID:     "goal.completed-by-a-call",
		Title:  "a client can complete a goal",
		Looks:  "POST .../complete makes a goal satisfied that nobody has judged",
		Breaks: []string{openwopv1.OWP0097C7},
		Spots:  []int{11},
		Replace: func(s *rules.Set) {
			s.Goals.Endings = func() map[string]openwopv1.GoalState {
				return map[string]openwopv1.GoalState{"complete": openwopv1.GoalStateSatisfied}
			}
		},
	},
	{
		ID:      "goal.abandoned-resumed",
		Title:   "resume brings back a goal that was given up",
		Looks:   "the state is active again after abandon and resume",
		Breaks:  []string{openwopv1.OWP0097C6},
		Replace: resumes(openwopv1.GoalStateAbandoned),
	},
	{
		ID:      "goal.exceeded-resumed",
		Title:   "resume brings back a goal that has exceeded its bound, for one run more",
		Looks:   "the state is active again after bound-exceeded and resume; one more run, and it is closed once more",
		Breaks:  []string{openwopv1.OWP0097E4, openwopv1.OWP0097D3},
		Spots:   []int{12},
		Replace: resumes(openwopv1.GoalStateBoundExceeded),
	},
	{
		ID:     "goal.exceeded-resumed-for-ever",
		Title:  "resume brings back a goal that has exceeded its bound, which is never looked at again",
		Looks:  "the state is active again after bound-exceeded and resume, and stays so, run after run",
		Breaks: []string{openwopv1.OWP0097E4},
		Spots:  []int{12},
		Replace: func(s *rules.Set) {
			resumes(openwopv1.GoalStateBoundExceeded)(s)
			exceeds(s, func(spent rules.Spent, honest bool) bool { // as by == in place of >=
				return honest && (spent.Bounds.MaxLoopIterations == nil || spent.Runs <= *spent.Bounds.MaxLoopIterations)
			})
		},
	},
}

// edits lets goals in one more state be edited.
func edits(in openwopv1.GoalState) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Edits
		s.Goals.Edits = func(state openwopv1.GoalState, reworded bool) bool { return state == in || honest(state, reworded) }
	}
}

// resumes has goals in one more state go on when they are resumed.
func resumes(in openwopv1.GoalState) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Resumes
		s.Goals.Resumes = func(state openwopv1.GoalState) bool { return state == in || honest(state) }
	}
}

// exceeds has the bounds of goals looked at otherwise.
func exceeds(s *rules.Set, otherwise func(spent rules.Spent, honest bool) bool) {
	honest := s.Goals.Exceeds
	s.Goals.Exceeds = func(spent rules.Spent) bool { return otherwise(spent, honest(spent)) }
}

var goalsGoing = []Fault{
	{
		ID:      "goal.schedule-never-fires",
		Title:   "a goal on a schedule waits for somebody to tick it",
		Looks:   "a goal of mode schedule shows no run, however long one waits",
		Breaks:  []string{openwopv1.OWP0097A3},
		Replace: recurs(openwopv1.GoalContinuationModeSchedule, 0),
	},
	{
		ID:      "goal.heartbeat-never-fires",
		Title:   "a heartbeat fires its own run, and none of the goals that go on by it",
		Looks:   "a goal of mode heartbeat shows no run after a change",
		Breaks:  []string{openwopv1.OWP0097A4},
		Replace: recurs(openwopv1.GoalContinuationModeHeartbeat, 0),
	},
	{
		ID:      "goal.commitment-fires-once",
		Title:   "a commitment is not made anew when its run was judged",
		Looks:   "a goal of mode commitment shows one run, however often its commitment is fired",
		Breaks:  []string{openwopv1.OWP0097A5},
		Replace: recurs(openwopv1.GoalContinuationModeCommitment, 1),
	},
	{
		ID:      "goal.paused-and-ticked",
		Title:   "a pause is not looked at when a goal is ticked",
		Looks:   "a paused goal shows another run after a tick",
		Breaks:  []string{openwopv1.OWP0097C5},
		Replace: unhalted(openwopv1.GoalContinuationModeManual),
	},
	{
		ID:      "goal.paused-on-schedule",
		Title:   "a pause does not stop the schedule of a goal",
		Looks:   "a paused goal of mode schedule shows further runs",
		Breaks:  []string{openwopv1.OWP0097C5},
		Replace: unhalted(openwopv1.GoalContinuationModeSchedule),
	},
	{
		ID:      "goal.paused-by-heartbeat",
		Title:   "a heartbeat fires the runs of paused goals",
		Looks:   "a paused goal of mode heartbeat shows another run after a change",
		Breaks:  []string{openwopv1.OWP0097C5},
		Replace: unhalted(openwopv1.GoalContinuationModeHeartbeat),
	},
	{
		ID:      "goal.paused-by-commitment",
		Title:   "a commitment fires the runs of paused goals",
		Looks:   "a paused goal of mode commitment shows another run when its commitment is fired",
		Breaks:  []string{openwopv1.OWP0097C5},
		Replace: unhalted(openwopv1.GoalContinuationModeCommitment),
	},
	{
		ID:      "goal.abandoned-on-schedule",
		Title:   "a goal that was given up keeps its schedule",
		Looks:   "an abandoned goal of mode schedule shows further runs",
		Breaks:  []string{openwopv1.OWP0097C8},
		Replace: fires(openwopv1.GoalStateAbandoned, openwopv1.GoalContinuationModeSchedule),
	},
	{
		ID:      "goal.satisfied-on-schedule",
		Title:   "a goal that is satisfied keeps its schedule",
		Looks:   "a satisfied goal of mode schedule shows further runs",
		Breaks:  []string{openwopv1.OWP0097G1},
		Replace: fires(openwopv1.GoalStateSatisfied, openwopv1.GoalContinuationModeSchedule),
	},
	{
		ID:      "goal.satisfied-ticked",
		Title:   "a goal that is satisfied fires a run when it is ticked",
		Looks:   "a satisfied goal shows further runs after further ticks",
		Breaks:  []string{openwopv1.OWP0097G1},
		Replace: fires(openwopv1.GoalStateSatisfied, openwopv1.GoalContinuationModeManual),
	},
	{
		ID:      "goal.escalated-ticked",
		Title:   "a goal goes on while its stuck run waits for a person",
		Looks:   "an escalated goal shows further runs before anybody has answered",
		Breaks:  []string{openwopv1.OWP0097E8},
		Replace: fires(openwopv1.GoalStateEscalated, openwopv1.GoalContinuationModeManual),
	},
	{
		ID:     "goal.escalated-for-good",
		Title:  "a goal that was escalated cannot be resumed, whatever was answered",
		Looks:  "the state stays escalated after the stuck run was answered",
		Breaks: []string{openwopv1.OWP0097E12},
		Replace: func(s *rules.Set) {
			honest := s.Goals.Resumes
			s.Goals.Resumes = func(state openwopv1.GoalState) bool {
				return state != openwopv1.GoalStateEscalated && honest(state)
			}
		},
	},
	{
		ID:     "goal.forgets-when-answered",
		Title:  "a goal that goes on after an answer begins its list of runs anew",
		Looks:  "the runs that contributed before the stuck one are gone when that was answered",
		Breaks: []string{openwopv1.OWP0097E9},
		Replace: func(s *rules.Set) {
			honest := s.Goals.Contributes
			s.Goals.Contributes = func(runs []string, judged string, stuck bool) []string {
				if stuck {
					return []string{judged}
				}
				return honest(runs, judged, stuck)
			}
		},
	},
	{
		ID:     "goal.replay-judged",
		Title:  "the replay of a contributing run is judged like a run of the goal",
		Looks:  "a goal shows one run and one verdict more when a run of it was replayed",
		Breaks: []string{openwopv1.OWPGOAL1},
		Replace: func(s *rules.Set) {
			s.Goals.Adopts = func(mode openwopv1.ForkMode) bool { return mode == openwopv1.ForkModeReplay }
		},
	},
	{
		ID:     "goal.ticks-do-not-wait",
		Title:  "ticks that come together get hold of the same run, and each has it judged",
		Looks:  "a goal that is ticked all at once shows the same contributing run twice",
		Breaks: []string{openwopv1.OWP0097E4},
		Replace: func(s *rules.Set) {
			s.Goals.Queues = func() bool { return false }
		},
	},
}

// recurs has goals of this mode not go on by themselves after so many runs.
func recurs(until openwopv1.GoalContinuationMode, runs int) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Recurs
		s.Goals.Recurs = func(mode openwopv1.GoalContinuationMode, had int) bool {
			return (mode != until || had < runs) && honest(mode, had)
		}
	}
}

// unhalted has a pause not hold back what is fired in this mode.
func unhalted(by openwopv1.GoalContinuationMode) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Halts
		s.Goals.Halts = func(mode openwopv1.GoalContinuationMode) bool { return mode != by && honest(mode) }
	}
}

// fires has goals of this mode fire runs in one more state.
func fires(in openwopv1.GoalState, of openwopv1.GoalContinuationMode) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Fires
		s.Goals.Fires = func(state openwopv1.GoalState, mode openwopv1.GoalContinuationMode) bool {
			return state == in && mode == of || honest(state, mode)
		}
	}
}

var goalsEnding = []Fault{
	{
		ID:     "goal.verdict-ignored",
		Title:  "a goal goes on when its judge has found it satisfied",
		Looks:  "no verdict makes a goal satisfied",
		Breaks: []string{openwopv1.OWP0097E1, openwopv1.OWP0097G1},
		Spots:  []int{11},
		Replace: func(s *rules.Set) {
			s.Goals.Satisfies = func(bool, *float64) bool { return false }
		},
	},
	{
		ID:     "goal.satisfied-by-confidence",
		Title:  "a judge that is quite sure is taken to be satisfied",
		Looks:  "a verdict of satisfied false with confidence 1 makes a goal satisfied",
		Breaks: []string{openwopv1.OWP0097E1},
		Replace: func(s *rules.Set) {
			s.Goals.Satisfies = func(satisfied bool, confidence *float64) bool {
				return satisfied || confidence != nil && *confidence == 1
			}
		},
	},
	{
		ID:     "goal.satisfied-by-doubt",
		Title:  "a verdict without any confidence is turned round",
		Looks:  "a verdict of satisfied false with confidence 0 makes a goal satisfied",
		Breaks: []string{openwopv1.OWP0097E1},
		Replace: func(s *rules.Set) {
			s.Goals.Satisfies = func(satisfied bool, confidence *float64) bool {
				return satisfied || confidence != nil && *confidence == 0
			}
		},
	},
	{
		ID:     "goal.bound-ignored",
		Title:  "a goal goes on beyond the number of runs that it may have",
		Looks:  "a goal is active, and fires runs, after run N of N",
		Breaks: []string{openwopv1.OWP0097E4},
		Spots:  []int{12},
		Replace: func(s *rules.Set) {
			exceeds(s, func(spent rules.Spent, honest bool) bool {
				return honest && (spent.Late || spent.Bounds.MaxLoopIterations == nil)
			})
		},
	},
	{
		ID:      "goal.schedule-one-run-more",
		Title:   "the schedule of a goal fires one run more than the bound says",
		Looks:   "a goal of mode schedule shows N+1 runs at its end",
		Breaks:  []string{openwopv1.OWP0097E4},
		Replace: oneMore(openwopv1.GoalContinuationModeSchedule),
	},
	{
		ID:      "goal.heartbeat-one-run-more",
		Title:   "a heartbeat fires one run of a goal more than the bound says",
		Looks:   "a goal of mode heartbeat shows N+1 runs at its end",
		Breaks:  []string{openwopv1.OWP0097E4},
		Replace: oneMore(openwopv1.GoalContinuationModeHeartbeat),
	},
	{
		ID:      "goal.commitment-one-run-more",
		Title:   "a commitment fires one run of a goal more than the bound says",
		Looks:   "a goal of mode commitment shows N+1 runs at its end",
		Breaks:  []string{openwopv1.OWP0097E4},
		Replace: oneMore(openwopv1.GoalContinuationModeCommitment),
	},
	{
		ID:     "goal.cost-not-added-up",
		Title:  "the bound of cost is never reached",
		Looks:  "a goal is active, and fires runs, when its runs have cost more than they may",
		Breaks: []string{openwopv1.OWP0097E5},
		Replace: func(s *rules.Set) {
			honest := s.Goals.Exceeds
			s.Goals.Exceeds = func(spent rules.Spent) bool {
				spent.Bounds.MaxCostUSD = nil
				return honest(spent)
			}
		},
	},
	{
		ID:     "goal.deadline-in-minutes",
		Title:  "a bound of time is taken for minutes",
		Looks:  "a goal goes on, and fires runs, when its deadline has passed",
		Breaks: []string{openwopv1.OWP0097E6},
		Replace: func(s *rules.Set) {
			honest := s.Goals.Lasts
			s.Goals.Lasts = func(bound *int64) (int64, bool) {
				ms, ends := honest(bound)
				return ms * time.Minute.Milliseconds(), ends
			}
		},
	},
}

// oneMore has goals of this mode end a run late.
func oneMore(of openwopv1.GoalContinuationMode) func(*rules.Set) {
	return func(s *rules.Set) {
		exceeds(s, func(spent rules.Spent, honest bool) bool {
			most := spent.Bounds.MaxLoopIterations
			return honest && (spent.Mode != of || most == nil || spent.Runs > *most)
		})
	}
}

var goalsTold = []Fault{
	{
		ID:     "goal.evaluated-as-never-satisfied",
		Title:  "every evaluation tells that the objective is not reached",
		Looks:  "goal.evaluated of the run that satisfied the judge says satisfied false",
		Breaks: []string{openwopv1.OWP0097D1},
		Replace: tells(openwopv1.GoalEventTypeGoalEvaluated, func(_ string, payload map[string]any) {
			payload["satisfied"] = false
		}),
	},
	{
		ID:     "goal.evaluations-counted-anew",
		Title:  "evaluations are counted from 1 again when a goal was edited or resumed",
		Looks:  "two goal.evaluated of a goal carry iterations 1",
		Breaks: []string{openwopv1.OWP0097D1},
		Replace: func(s *rules.Set) {
			honest := s.Goals.Counts
			s.Goals.Counts = func(judged int64, changed bool) int64 {
				if changed {
					return 1
				}
				return honest(judged, changed)
			}
		},
	},
	{
		ID:     "goal.evaluations-name-nothing",
		Title:  "evaluations name the goal where they should name the run that was judged",
		Looks:  "the runId of goal.evaluated is the id of the goal",
		Breaks: []string{openwopv1.OWP0097E9},
		Replace: tells(openwopv1.GoalEventTypeGoalEvaluated, func(_ string, payload map[string]any) {
			payload["runId"] = payload["goalId"]
		}),
	},
	{
		ID:     "goal.objective-in-events",
		Title:  "evaluations say what the objective was",
		Looks:  "the payload of goal.evaluated holds words of the objective",
		Breaks: []string{openwopv1.OWP0097D2},
		Replace: tells(openwopv1.GoalEventTypeGoalEvaluated, func(objective string, payload map[string]any) {
			payload["summary"] = "not yet: " + objective
		}),
	},
	{
		ID:     "goal.closed-as-satisfied",
		Title:  "a goal that stops at its bound is told to be satisfied",
		Looks:  "finalState of goal.closed is satisfied where the state is bound-exceeded",
		Breaks: []string{openwopv1.OWP0097E7},
		Replace: tells(openwopv1.GoalEventTypeGoalClosed, func(_ string, payload map[string]any) {
			if payload["finalState"] == string(openwopv1.GoalStateBoundExceeded) {
				payload["finalState"] = string(openwopv1.GoalStateSatisfied)
			}
		}),
	},
	{
		ID:      "goal.closed-without-event",
		Title:   "nobody is told that a goal is satisfied",
		Looks:   "a satisfied goal has no goal.closed",
		Breaks:  []string{openwopv1.OWP0097D3},
		Replace: closes(openwopv1.GoalStateSatisfied, 0),
	},
	{
		ID:      "goal.closed-twice",
		Title:   "the end of a goal at its bound is told twice",
		Looks:   "a goal that has exceeded its bound has two goal.closed",
		Breaks:  []string{openwopv1.OWP0097D3},
		Replace: closes(openwopv1.GoalStateBoundExceeded, 2),
	},
}

// tells has the payloads of events of one type told otherwise.
func tells(of openwopv1.GoalEventType, otherwise func(objective string, payload map[string]any)) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Told
		s.Goals.Told = func(objective string, e openwopv1.GoalEvent) []openwopv1.GoalEvent {
			if e.Type == of {
				e.Payload = maps.Clone(e.Payload)
				otherwise(objective, e.Payload)
			}
			return honest(objective, e)
		}
	}
}

// closes has a goal that ends in this state told so many times that it does.
func closes(as openwopv1.GoalState, times int) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Told
		s.Goals.Told = func(objective string, e openwopv1.GoalEvent) (told []openwopv1.GoalEvent) {
			if e.Payload["finalState"] != string(as) {
				return honest(objective, e)
			}
			for n := range times {
				again := e
				again.EventID += strings.Repeat("-again", n)
				told = append(told, honest(objective, again)...)
			}
			return told
		}
	}
}
