package fault

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// voteFaults are about who may answer, and how many it takes.
var voteFaults = []Fault{
	{
		ID:     "gate.quorum-one-short",
		Title:  "a quorum in which nobody has a veto is filled when one vote is missing",
		Looks:  "the run goes on one vote early",
		Breaks: []string{openwop.OWPINT27},
		Replace: decidesBy(func(t rules.Tally) rules.Tally {
			if t.Majority {
				t.Granted++
			}
			return t
		}),
	},
	{
		ID:     "gate.majority-is-one",
		Title:  "where the majority decides, the first rejection does",
		Looks:  "a gate that needs more is rejected by one vote",
		Breaks: []string{openwop.OWPINT29},
		Replace: decidesBy(func(t rules.Tally) rules.Tally {
			t.Majority = false
			return t
		}),
	},
	{
		ID:     "gate.veto-is-one-vote",
		Title:  "where each has a veto, the majority decides",
		Looks:  "a gate waits on when it was rejected once",
		Breaks: []string{openwop.OWPINT30},
		Replace: decidesBy(func(t rules.Tally) rules.Tally {
			t.Majority = true
			return t
		}),
	},
	{
		ID:      "gate.votes-again",
		Title:   "one principal fills a quorum alone",
		Looks:   "a second vote of the same key is counted",
		Breaks:  []string{openwop.OWPINT28},
		Spots:   []int{23},
		Replace: func(s *rules.Set) { s.Answers.Again = func(int) bool { return true } },
	},
	{
		ID:      "gate.token-alone-answers",
		Title:   "an approval that asks for a credential is answered by its token alone",
		Looks:   "the token is accepted without a key",
		Breaks:  []string{openwop.OWPINT31},
		Replace: func(s *rules.Set) { s.Answers.NeedsKey = func(bool) bool { return false } },
	},
	{
		ID:      "gate.scope-unchecked",
		Title:   "a key without the scope to answer interrupts answers them",
		Looks:   "an acceptance by a key without approvals:respond is HTTP 200",
		Breaks:  []string{openwop.OWPINT32},
		Replace: func(s *rules.Set) { s.Answers.Responds = func(bool) bool { return true } },
	},
}

// decidesBy counts votes in another way.
func decidesBy(other func(rules.Tally) rules.Tally) func(*rules.Set) {
	return func(s *rules.Set) {
		decided := s.Answers.Decided
		s.Answers.Decided = func(t rules.Tally) bool { return decided(other(t)) }
	}
}
