package challenge

import "slices"

// Kind is a way in which something that a target sent is changed. A row of a ledger names the kinds that break its
// sentence.
type Kind string

// Kinds of changes.
const (
	// LeftOut: a member, an element of a list, an event of a stream or a header is missing.
	LeftOut Kind = "left-out"
	// Repeated: an element stands twice in its list, or an event comes twice on its stream. The second element has an id and
	// a number of its own where the elements of the list have such: a drive that merges pages would drop it otherwise.
	Repeated Kind = "repeated"
	// Swapped: two values have changed places.
	Swapped Kind = "swapped"
	// Reordered: the elements of a list, or the events of a stream, come in another order. Numbers that count elements, and
	// their times, stay in order.
	Reordered Kind = "reordered"
	// OffByOne: a whole number, or a text of digits, is one more or one less.
	OffByOne Kind = "off-by-one"
	// AnotherType: a value of another JSON type stands there.
	AnotherType Kind = "another-type"
	// AnotherID: another text of the same form stands there, such as the id of another run.
	AnotherID Kind = "another-id"
	// AnotherValue: another value of the same type stands there: another word, the opposite, a number far from it.
	AnotherValue Kind = "another-value"
	// AnotherStatus: the HTTP status is of another class, or another one of its class, or a refusal has become a success
	// that gives back what was sent; a program exits otherwise.
	AnotherStatus Kind = "another-status"
	// Inserted: something stands there that must not: a member, an element of a list.
	Inserted Kind = "inserted"
	// AfterTheEnd: one more element follows the last of a list, or one more event that of a stream.
	AfterTheEnd Kind = "after-the-end"
	// BeyondBound: a number, a time or a size is far beyond its bound, or a wait ends without what it waited for.
	BeyondBound Kind = "beyond-bound"
	// Leaked: a text that the drive sent elsewhere stands there.
	Leaked Kind = "leaked"
)

// Kinds lists all kinds.
var Kinds = []Kind{LeftOut, Repeated, Swapped, Reordered, OffByOne, AnotherType, AnotherID, AnotherValue, AnotherStatus, Inserted,
	AfterTheEnd, BeyondBound, Leaked}

// Known reports whether a word is a kind.
func Known(word string) bool { return slices.Contains(Kinds, Kind(word)) }
