package rules

import "github.com/openassay/assay/gen/agenticloopv2"

// Ends is how runs end.
type Ends struct {
	// Status is the status that a run gets, given the one that it should get.
	Status func(agenticloopv2.RunStatus) agenticloopv2.RunStatus

	// Clears tells whether nothing is pending in a run that ends.
	Clears func(agenticloopv2.RunStatus) bool

	// Completed is the news of a run that reached its goal. workspace is the folder of its files, "" for none.
	Completed func(p agenticloopv2.CompletedPayload, workspace string) agenticloopv2.CompletedPayload

	// Tells tells whether the end of a run is told by an event of this type.
	Tells func(eventType string) bool

	// Retells tells whether it is told again by a result that comes after it, given how the run ended.
	Retells func(agenticloopv2.RunStatus) bool
}

func honestEnds() Ends {
	return Ends{
		Status:    func(s agenticloopv2.RunStatus) agenticloopv2.RunStatus { return s },
		Clears:    func(agenticloopv2.RunStatus) bool { return true },
		Completed: func(p agenticloopv2.CompletedPayload, _ string) agenticloopv2.CompletedPayload { return p },
		Tells:     func(string) bool { return true },
		Retells:   func(agenticloopv2.RunStatus) bool { return false },
	}
}
