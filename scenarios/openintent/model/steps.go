package model

// Rule is what the texts say of a step from one status to another that a caller asks for.
type Rule string

// The rules. Unsaid: no text that is asked about forbids or demands it.
const (
	Allowed Rule = "allowed"
	Unsaid  Rule = "unsaid"
	// OnlyActive: an intent is suspended only while it is active (RFC-0025 2).
	OnlyActive Rule = "only an active intent is suspended"
	// OnlyAnswered: an intent that is suspended is not completed past its answer (RFC-0025 2).
	OnlyAnswered Rule = "a suspended intent is answered first"
)

// RuleOf returns what holds for a step between two statuses, of an intent with nothing open.
func RuleOf(from, to string) Rule {
	switch {
	case to == Suspended && from == Active, from == Active && to == Completed:
		return Allowed
	case to == Suspended && from != Suspended:
		return OnlyActive
	case from == Suspended && to == Completed:
		return OnlyAnswered
	}
	return Unsaid
}
