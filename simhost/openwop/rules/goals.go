package rules

import "github.com/openassay/assay/gen/openwopv1"

// Goals is how standing goals are made, go on and end (RFC 0097).
type Goals struct {
	// Takes tells whether a goal can have something in this field, such as completion.check, given whether the host has it.
	Takes func(field string, offered bool) bool

	// Bounded tells whether these bounds are enough where bounds are required.
	Bounded func(openwopv1.GoalBounds) bool

	// Redacts tells whether secrets are taken out of an objective, given whether it is that of an edit.
	Redacts func(edited bool) bool

	// Edits tells whether a goal in this state can be edited, given whether its objective is to be another.
	Edits func(state openwopv1.GoalState, reworded bool) bool

	// Resumes tells whether a goal in this state goes on when it is resumed. One that is escalated was answered by then.
	Resumes func(openwopv1.GoalState) bool

	// Fires tells whether a goal in this state, which goes on in this mode, fires runs.
	Fires func(openwopv1.GoalState, openwopv1.GoalContinuationMode) bool

	// Halts tells whether a pause holds back the runs that are fired in this mode.
	Halts func(openwopv1.GoalContinuationMode) bool

	// Recurs tells whether a goal of this mode goes on by itself when it has had so many runs.
	Recurs func(mode openwopv1.GoalContinuationMode, runs int) bool

	// Queues tells whether ticks of one goal wait for one another.
	Queues func() bool

	// Satisfies tells whether the verdict of the judge is that the objective is reached. A nil confidence was not told.
	Satisfies func(satisfied bool, confidence *float64) bool

	// Exceeds tells whether a goal that was just judged is at one of its bounds.
	Exceeds func(Spent) bool

	// Contributes are the contributing runs of a goal when one more was judged, which may have been stuck before.
	Contributes func(runs []string, judged string, stuck bool) []string

	// Adopts tells whether a fork of a contributing run is judged as another one, given the mode of the fork.
	Adopts func(openwopv1.ForkMode) bool

	// Counts is the number that an evaluation carries, given how many runs were judged, this one included, and whether the
	// goal was edited or resumed since the evaluation before.
	Counts func(judged int64, changed bool) int64
}

// Spent is what a goal has used up when a run of it was judged. A nil bound is none.
type Spent struct {
	Mode    openwopv1.GoalContinuationMode
	Runs    int64 // that were judged, this one included
	CostUSD float64
	Bounds  openwopv1.GoalBounds
	Late    bool // its time is over
}

func honestGoals() Goals {
	return Goals{
		Takes:   func(_ string, offered bool) bool { return offered },
		Bounded: func(b openwopv1.GoalBounds) bool { return b != openwopv1.GoalBounds{} },
		Redacts: func(bool) bool { return true },
		Edits:   func(state openwopv1.GoalState, _ bool) bool { return state == openwopv1.GoalStateActive },
		Resumes: func(state openwopv1.GoalState) bool {
			return state == openwopv1.GoalStateActive || state == openwopv1.GoalStateEscalated
		},
		Fires: func(state openwopv1.GoalState, _ openwopv1.GoalContinuationMode) bool {
			return state == openwopv1.GoalStateActive
		},
		Halts:     func(openwopv1.GoalContinuationMode) bool { return true },
		Recurs:    func(openwopv1.GoalContinuationMode, int) bool { return true },
		Queues:    func() bool { return true },
		Satisfies: func(satisfied bool, _ *float64) bool { return satisfied },
		Exceeds: func(s Spent) bool {
			b := s.Bounds
			return s.Late || b.MaxLoopIterations != nil && s.Runs >= *b.MaxLoopIterations ||
				b.MaxCostUSD != nil && over(s.CostUSD, *b.MaxCostUSD)
		},
		Contributes: func(runs []string, judged string, stuck bool) []string {
			if stuck { // it contributed when it got stuck
				return runs
			}
			return append(runs, judged)
		},
		Adopts: func(openwopv1.ForkMode) bool { return false },
		Counts: func(judged int64, _ bool) int64 { return judged },
	}
}

// over tells whether a sum of costs crosses a bound. A sum of decimal fractions is off by a hair: three times 0.1 is not
// over 0.3.
func over(sum, bound float64) bool {
	return sum-bound > bound*1e-9
}
