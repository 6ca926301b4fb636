package host

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
)

// Scope is the scope of our leases.
const Scope = "section"

// Refused is a suspended intent that was given invalid answers and then a valid one: a target that refuses everything
// shows nothing.
type Refused struct {
	Suspension Suspension `json:"suspension"`
	Wrong      []Reply    `json:"wrong"`
	Stood      []Reply    `json:"stood"` // the intent after each wrong answer
	Right      Reply      `json:"right"`
	End        Reply      `json:"end"` // the intent after the right one
}

// Second returns a connection with the key of another agent, or ends the drive.
func Second(c *scenarios.Conn) *scenarios.Conn {
	if other, ok := c.Voter(0); ok {
		return other
	}
	scenarios.End(scenarios.Block("a second agent is needed, and no key of one is given",
		"give a further key that the server knows with --voter-key"))
	return nil
}

// Refused checks that the wrong answers were refused and left the intent suspended, and blocks the judge unless the
// right one was taken.
func (r Refused) Refused(j *scenarios.Judge, id scenarios.RequirementID, accepted ...int) {
	for k, w := range r.Wrong {
		j.Check(id, w.Status).To(check.Status(accepted...), "%s", w.Asked)
		Pending(j, id, w.Asked, r.Stood[k])
	}
	r.Control(j)
}
