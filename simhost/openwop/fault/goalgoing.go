package fault

import (
	"path"
	"slices"
	"sync"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var goalsGoing = []Fault{
	{
		ID:      "goal.schedule-never-fires",
		Title:   "a goal on a schedule waits for somebody to tick it",
		Looks:   "a goal of mode schedule shows no run, however long one waits",
		Breaks:  []string{openwop.OWP0097A3},
		Replace: recurs(openwopv1.GoalContinuationModeSchedule, 0),
	},
	{
		ID:      "goal.heartbeat-never-fires",
		Title:   "a heartbeat fires its own run, and none of the goals that go on by it",
		Looks:   "a goal of mode heartbeat shows no run after a change",
		Breaks:  []string{openwop.OWP0097A4},
		Replace: recurs(openwopv1.GoalContinuationModeHeartbeat, 0),
	},
	{
		ID:      "goal.commitment-fires-once",
		Title:   "a commitment is not made anew when its run was judged",
		Looks:   "a goal of mode commitment shows one run, however often its commitment is fired",
		Breaks:  []string{openwop.OWP0097A5},
		Replace: recurs(openwopv1.GoalContinuationModeCommitment, 1),
	},
	{
		ID:      "goal.paused-and-ticked",
		Title:   "a pause is not looked at when a goal is ticked",
		Looks:   "a paused goal shows another run after a tick",
		Breaks:  []string{openwop.OWP0097C5},
		Replace: unhalted(openwopv1.GoalContinuationModeManual),
	},
	{
		ID:      "goal.paused-on-schedule",
		Title:   "a pause does not stop the schedule of a goal",
		Looks:   "a paused goal of mode schedule shows further runs",
		Breaks:  []string{openwop.OWP0097C5},
		Replace: unhalted(openwopv1.GoalContinuationModeSchedule),
	},
	{
		ID:      "goal.paused-by-heartbeat",
		Title:   "a heartbeat fires the runs of paused goals",
		Looks:   "a paused goal of mode heartbeat shows another run after a change",
		Breaks:  []string{openwop.OWP0097C5},
		Replace: unhalted(openwopv1.GoalContinuationModeHeartbeat),
	},
	{
		ID:      "goal.paused-by-commitment",
		Title:   "a commitment fires the runs of paused goals",
		Looks:   "a paused goal of mode commitment shows another run when its commitment is fired",
		Breaks:  []string{openwop.OWP0097C5},
		Replace: unhalted(openwopv1.GoalContinuationModeCommitment),
	},
	{
		ID:      "goal.abandoned-on-schedule",
		Title:   "a goal that was given up keeps its schedule",
		Looks:   "an abandoned goal of mode schedule shows further runs",
		Breaks:  []string{openwop.OWP0097C8},
		Replace: fires(openwopv1.GoalStateAbandoned, openwopv1.GoalContinuationModeSchedule),
	},
	{
		ID:      "goal.satisfied-on-schedule",
		Title:   "a goal that is satisfied keeps its schedule",
		Looks:   "a satisfied goal of mode schedule shows further runs",
		Breaks:  []string{openwop.OWP0097G1},
		Replace: fires(openwopv1.GoalStateSatisfied, openwopv1.GoalContinuationModeSchedule),
	},
	{
		ID:      "goal.satisfied-ticked",
		Title:   "a goal that is satisfied fires a run when it is ticked",
		Looks:   "a satisfied goal shows further runs after further ticks",
		Breaks:  []string{openwop.OWP0097G1},
		Replace: fires(openwopv1.GoalStateSatisfied, openwopv1.GoalContinuationModeManual),
	},
	{
		ID:      "goal.escalated-ticked",
		Title:   "a goal goes on while its stuck run waits for a person",
		Looks:   "an escalated goal shows further runs before anybody has answered",
		Breaks:  []string{openwop.OWP0097E8},
		Replace: fires(openwopv1.GoalStateEscalated, openwopv1.GoalContinuationModeManual),
	},
	{
		ID:     "goal.escalated-for-good",
		Title:  "a goal that was escalated cannot be resumed, whatever was answered",
		Looks:  "the state stays escalated after the stuck run was answered",
		Breaks: []string{openwop.OWP0097E12},
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
		Breaks: []string{openwop.OWP0097E9},
		Remembers: func() mutate.Changes {
			var stuck, first sync.Map // by the id of the goal: the run that waits for an answer, and the first one that is remembered
			return replies(shows(func(g *openwopv1.Goal) {
				runs := g.Progress.ContributingRunIds
				if g.State == openwopv1.GoalStateEscalated && len(runs) > 0 {
					stuck.Store(g.ID, runs[len(runs)-1])
				} else if answered, was := stuck.LoadAndDelete(g.ID); was {
					first.Store(g.ID, answered)
				}
				begin, _ := first.Load(g.ID)
				g.Progress.ContributingRunIds = runs[max(0, slices.IndexFunc(runs, func(id string) bool { return id == begin })):]
			}))
		},
	},
	{
		ID:     "goal.replay-judged",
		Title:  "the replay of a contributing run is judged like a run of the goal",
		Looks:  "a goal shows one run and one verdict more when a run of it was replayed",
		Breaks: []string{openwop.OWPGOAL1},
		Replace: func(s *rules.Set) {
			s.Goals.Adopts = func(mode openwopv1.ForkMode) bool { return mode == openwopv1.ForkModeReplay }
		},
	},
	{
		ID:     "goal.ticks-do-not-wait",
		Title:  "ticks that come together get hold of the same run, and each has it judged",
		Looks:  "a goal that is ticked all at once shows the same contributing run twice",
		Breaks: []string{openwop.OWP0097E4},
		Remembers: func() mutate.Changes {
			var pairs meeting
			var together sync.Map // ids of goals
			c := replies(shows(func(g *openwopv1.Goal) {
				runs := g.Progress.ContributingRunIds
				if _, were := together.Load(g.ID); were && len(runs) > 1 {
					runs[len(runs)-1] = runs[len(runs)-2]
				}
			}))
			c.Requests = []mutate.RequestFunc{mutate.Asked("POST "+theGoal+"/tick", func(r *mutate.Request) {
				if !pairs.alone(r.URL.Path) {
					together.Store(path.Base(path.Dir(r.URL.Path)), true)
				}
			})}
			return c
		},
	},
}

// recurs has goals of this mode not go on by themselves after so many runs.
func recurs(until openwopv1.GoalContinuationMode, runs int) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Fires
		s.Goals.Fires = func(f rules.Firing) bool { return (!f.ByItself || f.Mode != until || f.Runs < runs) && honest(f) }
	}
}

// unhalted has a pause not hold back what is fired in this mode.
func unhalted(by openwopv1.GoalContinuationMode) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Fires
		s.Goals.Fires = func(f rules.Firing) bool {
			f.Paused = f.Paused && f.Mode != by
			return honest(f)
		}
	}
}

// fires has goals of this mode fire runs in one more state.
func fires(in openwopv1.GoalState, of openwopv1.GoalContinuationMode) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Fires
		s.Goals.Fires = func(f rules.Firing) bool { return f.State == in && f.Mode == of && !f.Paused || honest(f) }
	}
}

var goalsEnding = []Fault{
	{
		ID:     "goal.verdict-ignored",
		Title:  "a goal goes on when its judge has found it satisfied",
		Looks:  "no verdict makes a goal satisfied",
		Breaks: []string{openwop.OWP0097E1, openwop.OWP0097G1},
		Spots:  []int{11},
		Replace: func(s *rules.Set) {
			s.Goals.Satisfies = func(bool, *float64) bool { return false }
		},
	},
	{
		ID:     "goal.satisfied-by-confidence",
		Title:  "a judge that is quite sure is taken to be satisfied",
		Looks:  "a verdict of satisfied false with confidence 1 makes a goal satisfied",
		Breaks: []string{openwop.OWP0097E1},
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
		Breaks: []string{openwop.OWP0097E1},
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
		Breaks: []string{openwop.OWP0097E4},
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
		Breaks:  []string{openwop.OWP0097E4},
		Replace: oneMore(openwopv1.GoalContinuationModeSchedule),
	},
	{
		ID:      "goal.heartbeat-one-run-more",
		Title:   "a heartbeat fires one run of a goal more than the bound says",
		Looks:   "a goal of mode heartbeat shows N+1 runs at its end",
		Breaks:  []string{openwop.OWP0097E4},
		Replace: oneMore(openwopv1.GoalContinuationModeHeartbeat),
	},
	{
		ID:      "goal.commitment-one-run-more",
		Title:   "a commitment fires one run of a goal more than the bound says",
		Looks:   "a goal of mode commitment shows N+1 runs at its end",
		Breaks:  []string{openwop.OWP0097E4},
		Replace: oneMore(openwopv1.GoalContinuationModeCommitment),
	},
	{
		ID:     "goal.cost-not-added-up",
		Title:  "the bound of cost is never reached",
		Looks:  "a goal is active, and fires runs, when its runs have cost more than they may",
		Breaks: []string{openwop.OWP0097E5},
		Replace: func(s *rules.Set) {
			honest := s.Goals.Exceeds
			s.Goals.Exceeds = func(spent rules.Spent) bool {
				spent.Bounds.MaxCostUSD = nil
				return honest(spent)
			}
		},
	},
	{
		ID:      "goal.paused-outlives-deadline",
		Title:   "the deadline of a paused goal passes without effect",
		Looks:   "a goal that was paused is active when its deadline has passed",
		Breaks:  []string{openwop.OWP0097E6},
		Twin:    "there the deadline has another unit, here a pause holds it off",
		Replace: exceedsNot(func(spent rules.Spent) bool { return spent.Late && spent.Paused }),
	},
	{
		ID:      "goal.answered-run-unbounded",
		Title:   "a run that got stuck and was answered is judged without a look at the bounds of its goal",
		Looks:   "a goal whose last run was answered goes on, with one run more than its bound",
		Breaks:  []string{openwop.OWP0097E4},
		Replace: exceedsNot(func(spent rules.Spent) bool { return spent.Stuck }),
	},
	{
		ID:     "goal.deadline-in-minutes",
		Title:  "a bound of time is taken for minutes",
		Looks:  "a goal goes on, and fires runs, when its deadline has passed",
		Breaks: []string{openwop.OWP0097E6},
		Request: mutate.Asked("POST "+theGoals, mutate.Body(func(goal map[string]any) {
			bounds, _ := goal["bounds"].(map[string]any)
			mutate.Object(bounds, func(b *openwopv1.GoalBounds) {
				if b.RunTimeoutMs != nil {
					*b.RunTimeoutMs *= time.Minute.Milliseconds()
				}
			})
		})),
		Reply: shows(func(g *openwopv1.Goal) {
			if ms := g.Bounds.RunTimeoutMs; ms != nil {
				*ms /= time.Minute.Milliseconds()
			}
		}),
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

// exceedsNot has the goals that are meant stay below their bounds.
func exceedsNot(meant func(rules.Spent) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Exceeds
		s.Goals.Exceeds = func(spent rules.Spent) bool { return !meant(spent) && honest(spent) }
	}
}
