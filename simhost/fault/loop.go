package fault

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/rules"
)

var loopFaults = []Fault{
	{
		ID:     "loop.iteration-resets-on-resume",
		Title:  "after a suspension the loop counts its turns from 1 again",
		Looks:  "the decided event after an answered interrupt carries iteration 1",
		Breaks: []string{openwopv1.OWP0061D1, openwopv1.OWP0061B2},
		Spots:  []int{2},
		Replace: func(s *rules.Set) {
			next := s.Loop.Next
			s.Loop.Next = func(previous int, resumed bool) int {
				if resumed {
					return 1
				}
				return next(previous, resumed)
			}
		},
	},
}
