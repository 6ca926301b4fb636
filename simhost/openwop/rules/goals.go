package rules

import "github.com/openassay/assay/gen/openwopv1"

// Goals is how standing goals are made, go on and end (RFC 0097).
type Goals struct {
	// Takes tells whether a goal can have what it is asked for with in this field, such as completion.check, given
	// whether that is something that the host has, or enough of it.
	Takes func(field string, offered bool) bool

	// Edits tells whether a goal in this state can be edited, given whether its objective is to be another.
	Edits func(state openwopv1.GoalState, reworded bool) bool

	// Resumes tells whether a goal in this state goes on when it is resumed. One that is escalated was answered by then.
	Resumes func(openwopv1.GoalState) bool

	// Fires tells whether a goal fires a run.
	Fires func(Firing) bool

	// Satisfies tells whether the verdict of the judge is that the objective is reached. A nil confidence was not told.
	Satisfies func(satisfied bool, confidence *float64) bool

	// Exceeds tells whether a goal that was just judged is at one of its bounds.
	Exceeds func(Spent) bool

	// Adopts tells whether a fork of a contributing run is judged as another one, given the mode of the fork.
	Adopts func(openwopv1.ForkMode) bool
}

// Firing is a goal that might fire a run.
type Firing struct {
	State    openwopv1.GoalState
	Paused   bool
	Mode     openwopv1.GoalContinuationMode // by which it is to be fired
	ByItself bool                           // nobody ticks the goal: it goes on by itself
	Runs     int                            // that it has had
}

// Spent is what a goal has used up when a run of it was judged, or when its time is over. A nil bound is none.
type Spent struct {
	Mode    openwopv1.GoalContinuationMode
	Runs    int64 // that were judged, this one included
	CostUSD float64
	Bounds  openwopv1.GoalBounds
	Late    bool // its time is over
	Paused  bool // nobody has resumed the goal
	Stuck   bool // the run asked a person, who has answered
}

func honestGoals() Goals {
	return Goals{
		Takes: func(_ string, offered bool) bool { return offered },
		Edits: func(state openwopv1.GoalState, _ bool) bool { return state == openwopv1.GoalStateActive },
		Resumes: func(state openwopv1.GoalState) bool {
			return state == openwopv1.GoalStateActive || state == openwopv1.GoalStateEscalated
		},
		Fires:     func(f Firing) bool { return f.State == openwopv1.GoalStateActive && !f.Paused },
		Satisfies: func(satisfied bool, _ *float64) bool { return satisfied },
		Exceeds: func(s Spent) bool {
			b := s.Bounds
			return s.Late || b.MaxLoopIterations != nil && s.Runs >= *b.MaxLoopIterations ||
				b.MaxCostUSD != nil && over(s.CostUSD, *b.MaxCostUSD)
		},
		Adopts: func(openwopv1.ForkMode) bool { return false },
	}
}

// over tells whether a sum of costs crosses a bound. A sum of decimal fractions is off by a hair: three times 0.1 is not
// over 0.3.
func over(sum, bound float64) bool {
	return sum-bound > bound*1e-9
}
