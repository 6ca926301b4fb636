package model

import "fmt"

func tellGoal(s goalStep) string {
	in := s.In
	line := string(in.Do)
	switch {
	case in.Do == TickGoal && in.Stuck:
		line += ": the run gets stuck"
	case in.Do == TickGoal:
		line += fmt.Sprintf(": satisfied %t with confidence %d %%, $0.%03d", in.Satisfied, in.Sure, in.Cost)
	case in.Do == EditGoal:
		line += fmt.Sprintf(" to %d", in.N)
	case in.Do == ForeignGoal:
		line += ": " + GoalForeigns[in.N]
	case in.Do == ListGoals && in.N > 0:
		line += " those that are " + string(GoalStates[in.N-1])
	}
	if s.Lost {
		return line
	}
	line += ": HTTP " + s.Out.Status.JSON()
	switch in.Do {
	case TickGoal:
		line += ", run " + s.Out.Body.Key("runId").JSON()
	case ReadGoal:
		line += fmt.Sprintf(", %s, runs %s, last verdict %s", s.Out.Body.Key("state").String(),
			s.Out.Body.At("/progress/contributingRunIds").JSON(), s.Out.Body.At("/completion/lastVerdict").JSON())
	}
	return line
}
