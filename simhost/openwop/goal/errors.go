package goal

import (
	"errors"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/refusal"
)

// ErrClosed: the goals were closed, or are being closed.
var ErrClosed = errors.New("the goals are closed")

// The codes of the refusals.
const (
	CodeNotFound   = refusal.NotFound
	CodeValidation = refusal.Validation
	// CodeUnbounded refuses a goal without bounds. The protocol has no code for it, but a status of its own: 422.
	CodeUnbounded = "goal_unbounded"
	// CodeClosed refuses what a goal in this state does not allow.
	CodeClosed = "goal_closed"
	// CodeFull refuses one goal more than the host keeps.
	CodeFull = "unavailable"
)

// refuse and invalid make refusals.
var (
	refuse  = refusal.New
	invalid = refusal.Invalid
)

func notFound(id string) *refusal.Error {
	return refuse(CodeNotFound, fmt.Sprintf("there is no goal %q", id), "goalId", id)
}

// closed refuses what a goal that is not active does not allow; what says that.
func closed(s *state, what string) *refusal.Error {
	message := fmt.Sprintf("the goal is %s: %s", s.status, what)
	if s.status == openwopv1.GoalStateEscalated {
		message += fmt.Sprintf("; answer run %s, then resume the goal", s.stuck)
	} else {
		message += "; create another one"
	}
	return refuse(CodeClosed, message, "goalId", s.id, "state", string(s.status))
}

func full(most int) *refusal.Error {
	return refuse(CodeFull, fmt.Sprintf("there are %d goals, which is all this host keeps: start it with another --data folder",
		most), "maxGoals", most)
}
