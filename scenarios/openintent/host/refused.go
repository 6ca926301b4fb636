package host

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
)

const Scope = "assay"

// Refused is a suspended intent to which answers were given that have to be refused, and a right one after them: a target
// that refuses everything shows nothing.
type Refused struct {
	Suspension Suspension `json:"suspension"`
	Wrong      []Reply    `json:"wrong"`
	Stood      []Reply    `json:"stood"` // the intent after each
	Right      Reply      `json:"right"`
	End        Reply      `json:"end"` // the intent after the right one
}

func UnknownVoter() error {
	return scenarios.Block("the server does not accept the key of the second agent (HTTP 401)", "give a key that the server knows with --voter-key")
}

// Second is another agent.
func Second(c *scenarios.Conn) *scenarios.Conn {
	if other, ok := c.Voter(0); ok {
		return other
	}
	scenarios.End(scenarios.Block("a second agent is needed, and there is no key of one", "give a further key that the server knows with --voter-key"))
	return nil
}

// Refused judges answers that had to be refused, and whether the intent went on waiting. It returns whether the target takes
// a right answer: where it does not, that it refuses the others shows nothing.
func (r Refused) Refused(j *scenarios.Judge, id scenarios.RequirementID, accepted ...int) {
	for k, w := range r.Wrong {
		j.Check(id, w.Status).To(check.Status(accepted...), "%s", w.Asked)
		Pending(j, id, w.Asked, r.Stood[k])
	}
	r.Control(j)
}
