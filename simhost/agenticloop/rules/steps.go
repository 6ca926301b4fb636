package rules

// Steps is how a run counts, and when it is at its end.
type Steps struct {
	// Next is the number of the step that is taken next, given that of the last one, 0 before the first.
	Next func(last int64) int64

	// Spent tells whether no further step may be taken, given the number of the last one and the budget.
	Spent func(last, budget int64) bool

	// Retries tells whether a step that failed is asked for again, given how often it was asked for and how often it may be
	// asked for again.
	Retries func(attempt, retries int64) bool

	// Again is the step that is asked for when a step failed, and Attempt which try that is, given the last one.
	Again   func(step int64) int64
	Attempt func(last int64) int64

	// Reframes tells whether a plan may be given up for another, given how often that was done and may be done.
	Reframes func(done, allowed int64) bool

	// Reframed counts it.
	Reframed func(done int64) int64

	// Finished tells whether a run ends whose planner says that it reached its goal, or knows no next step.
	Finished func() bool
}

func honestSteps() Steps {
	return Steps{
		Next:     func(last int64) int64 { return last + 1 },
		Spent:    func(last, budget int64) bool { return last >= budget },
		Retries:  func(attempt, retries int64) bool { return attempt <= retries },
		Again:    func(step int64) int64 { return step },
		Attempt:  func(last int64) int64 { return last + 1 },
		Reframes: func(done, allowed int64) bool { return done < allowed },
		Reframed: func(done int64) int64 { return done + 1 },
		Finished: func() bool { return true },
	}
}
