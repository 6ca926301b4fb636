package fault

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
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
