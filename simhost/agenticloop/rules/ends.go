package rules

import "github.com/openassay/assay/gen/agenticloopv2"

// Ends is how runs end.
type Ends struct {
	// Status is the status that a run gets, given the one that it should get, and the reason where it was given up.
	Status func(right agenticloopv2.RunStatus, reason string) agenticloopv2.RunStatus

	// Clears tells whether nothing is pending in a run that ends.
	Clears func(agenticloopv2.RunStatus) bool

	// Completed is the news of a run that reached its goal. workspace is the folder of its files, "" for none.
	Completed func(p agenticloopv2.CompletedPayload, workspace string) agenticloopv2.CompletedPayload

	// GivenUp is the news of a run that was given up.
	GivenUp func(GivenUp) GivenUp

	// Tells tells whether the end of a run is told, given the reason where it was given up.
	Tells func(status agenticloopv2.RunStatus, reason string) bool

	// Retells tells whether it is told again by a result that comes after it, given how the run ended.
	Retells func(agenticloopv2.RunStatus) bool
}

// GivenUp is the payload of agent.escalated.
type GivenUp struct {
	RunID        string `json:"run_id"`
	Reason       string `json:"reason"`
	ExpectedStep int64  `json:"expected_step,omitempty"`
	ActualStep   int64  `json:"actual_step,omitempty"`
	ExpectedTool string `json:"expected_tool,omitempty"`
	ActualTool   string `json:"actual_tool,omitempty"`
}

func honestEnds() Ends {
	return Ends{
		Status:    func(right agenticloopv2.RunStatus, _ string) agenticloopv2.RunStatus { return right },
		Clears:    func(agenticloopv2.RunStatus) bool { return true },
		Completed: func(p agenticloopv2.CompletedPayload, _ string) agenticloopv2.CompletedPayload { return p },
		GivenUp:   func(p GivenUp) GivenUp { return p },
		Tells:     func(agenticloopv2.RunStatus, string) bool { return true },
		Retells:   func(agenticloopv2.RunStatus) bool { return false },
	}
}
