package fault

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// handoffStopFaults are about trees of runs that are cancelled.
var handoffStopFaults = []Fault{
	{
		ID:     "handoff.grandchild-goes-on",
		Title:  "who cancels a run cancels its children, and not what they have dispatched",
		Looks:  "the grandchild of a cancelled run is still at work",
		Breaks: []string{openwop.OWPDSP21},
		Spots:  []int{28},
		Replace: func(s *rules.Set) {
			stops := s.Handoff.Stops
			s.Handoff.Stops = func(depth int) bool { return depth < 2 && stops(depth) }
		},
	},
	{
		ID:     "handoff.cancelled-without-reason",
		Title:  "a run that ended with its parent does not say so",
		Looks:  "run.cancelled of a child has neither a reason nor a parentRunId",
		Breaks: []string{openwop.OWPDSP22},
		Event: cancelled(func(p *openwopv1.RunCancelledPayload) {
			if p.ParentRunID != "" {
				p.Reason, p.ParentRunID = nil, ""
			}
		}),
	},
	{
		ID:     "handoff.cancelled-loop-decides-on",
		Title:  "a loop that is cancelled while its worker is at work makes one more decision",
		Looks:  "a cancelled run has a second turn before run.cancelled",
		Breaks: []string{openwop.OWPDSP23},
		Spots:  []int{9},
		Replace: func(s *rules.Set) {
			s.Dispatch.Rests = func() bool { return false }
		},
	},
}
