package model

import (
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalForeigns are what another tenant tries.
var GoalForeigns = [...]string{
	ForeignReadGoal: "read it", ForeignListGoals: "list goals", "read its log", "edit it", "tick it", "pause it", "resume it", "abandon it",
}

// The first of them.
const (
	ForeignReadGoal = iota
	ForeignListGoals
)

// ForeignObjective is the number of the objective that another tenant tries to give a goal.
const ForeignObjective = -1

// goalForeign is the rule of what another tenant can do. A host may lack an operation.
var goalForeign = &goalRule{
	Name: "another tenant sees nothing of a goal, and does nothing to it", Of: scenarios.IDs{openwop.OWPISO4},
	When: func(_ Goal, in GoalAsk) bool { return in.Do == ForeignGoal },
	Ways: []goalWay{{Must: true, To: Goal.same, Shows: func(_ Goal, s goalStep) []history.Miss {
		switch {
		case s.Out.Nobody:
			return nil
		case s.In.N == ForeignListGoals:
			listed := slices.ContainsFunc(s.Out.Body.Key("goals").Items(), func(e wire.Value) bool { return e.Key("id").String() == s.Out.ID })
			return whether(!listed, openwop.OWPISO4, s.Out.Body.Key("goals"), "nothing of the goal")
		}
		out := under(openwop.OWPISO4, refusal(s.Out.Status))
		if code, _ := s.Out.Status.Int(); out != nil && code != http.StatusNotImplemented {
			return out
		}
		return whether(s.Out.Status.JSON() == s.Out.Never.JSON(), openwop.OWPISO2, s.Out.Status, "HTTP %s, as of a goal that never was",
			s.Out.Never.JSON())
	}}},
}
