package rules

import "slices"

// Containers is what parents and portfolios make of a member that is suspended (RFC-0026 rules 1 and 4).
type Containers struct {
	// Absorbs is the status that the parent or a sibling of an intent takes when that is suspended; "" is none. kind is
	// parent or sibling.
	Absorbs func(kind string) string

	// Flags are has_suspended_members and suspended_member_count of a portfolio. ever tells whether a member was suspended at
	// any time.
	Flags func(suspended int64, ever bool) (has bool, count int64)

	// Members are the intents that count, of the memberships in order.
	Members func(intents []string) []string
}

func honestContainers() Containers {
	return Containers{
		Absorbs: func(string) string { return "" },
		Flags:   func(suspended int64, _ bool) (bool, int64) { return suspended > 0, suspended },
		Members: func(intents []string) []string {
			var each []string
			for _, id := range intents {
				if !slices.Contains(each, id) {
					each = append(each, id)
				}
			}
			return each
		},
	}
}
