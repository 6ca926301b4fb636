package model

import (
	"iter"
	"math/bits"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
)

// The statuses of intents.
const (
	Draft     = "draft"
	Active    = "active"
	Blocked   = "blocked"
	Suspended = "suspended_awaiting_input"
	Completed = "completed"
	Abandoned = "abandoned"
)

// Statuses lists all of them.
var Statuses = []string{Draft, Active, Blocked, Suspended, Completed, Abandoned}

// None is the number of no intent.
const None = -1

// Some is a set of small numbers.
type Some uint32

// Has reports whether n is in the set.
func (s Some) Has(n int) bool { return s&(1<<n) != 0 }

// Len returns how many are in the set.
func (s Some) Len() int { return bits.OnesCount32(uint32(s)) }

// All returns the numbers in the set, in order.
func (s Some) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(bits.TrailingZeros32(uint32(s))) {
				return
			}
		}
	}
}

func (s Some) with(n int) Some    { return s | 1<<n }
func (s Some) without(n int) Some { return s &^ (1 << n) }

// Family is intents that hang together, by number, in one of the states in which they may be. Its methods are all that the model
// knows of what a step does to intents: a [Scene] takes the steps of a program by them, and the rules of a [Group] those of a history.
type Family []Single

// Single is an intent of a family.
type Single struct {
	Parent int    `json:"parent"` // None for none
	Needs  Some   `json:"needs"`  // what it depends on
	Status string `json:"status"` // as a caller has it: one that is blocked by what it depends on is active here
	// Held: something that it depends on was suspended while it was active, and not all that it depends on is completed since.
	Held bool `json:"held"`
	// Stays: it may be suspended for ever, and is abandoned here: its window passed and its fallback is fail (OIP-R12). Only a scene
	// has it; in a group each is a state of its own.
	Stays bool `json:"stays,omitempty"`
	// Why is the sentence by which it has its status. Where that depends on how it came to it, the rule says which.
	Why    scenarios.RequirementID `json:"why"`
	Note   int                     `json:"note"` // a key of its state; 0 is none
	Leased bool                    `json:"leased"`

	Round  int    `json:"round"`  // how many records were written
	Record string `json:"record"` // of the last one: Waiting, Answered, Expired, or "" where there is none
	Asks   int    `json:"asks"`   // of [Kinds]
	Window int    `json:"window"` // of [Windows]
	Passed int    `json:"passed"` // intervals of the window
	Answer int    `json:"answer"` // of [Values]
	// Again: it was suspended once more, and there is no record of that yet.
	Again   bool `json:"again"`
	Twice   Some `json:"twice"`   // the rounds after which it was suspended again before there was another record
	Resumed Some `json:"resumed"` // the rounds that were answered
	Others  Some `json:"others"`  // the rounds that ended otherwise, of which a log may tell that the intent resumed
}

// What becomes of a record.
const (
	Waiting  = "waiting"
	Answered = "responded"
	Expired  = "expired"
	Ended    = "ended" // by a deadline
	Left     = "left"  // its intent ended otherwise
)

// Open returns what n depends on and is not completed.
func (all Family) Open(n int) Some { return all[n].Needs &^ all.Having(Completed) }

// Waits reports whether something that n depends on is suspended.
func (all Family) Waits(n int) bool { return all[n].Needs&all.Having(Suspended) != 0 }

// Having returns those that have a status, as a caller has it.
func (all Family) Having(status string) (some Some) {
	for n := range all {
		if all[n].Status == status {
			some = some.with(n)
		}
	}
	return some
}

// May returns the statuses that n may show. One that depends on something open, of which nothing was suspended, is active or
// blocked: RFC-0026 2 has it active, RFC-0002 never lets it be.
func (all Family) May(n int) []string {
	switch s := &all[n]; {
	case s.Stays:
		return []string{Abandoned, Suspended}
	case s.Status != Active:
		return []string{s.Status}
	case s.Held:
		return []string{Blocked}
	case all.Open(n) != 0:
		return []string{Active, Blocked}
	}
	return []string{Active}
}

// Is reports whether n has this status beyond doubt.
func (all Family) Is(n int, status string) bool {
	may := all.May(n)
	return len(may) == 1 && may[0] == status
}

// Held reports whether n must be blocked.
func (all Family) Held(n int) bool { return all[n].Held }

// Children returns the intents whose parent is n.
func (all Family) Children(n int) (children Some) {
	for c := range all {
		if all[c].Parent == n {
			children = children.with(c)
		}
	}
	return children
}

// Around returns everything that the graph of n may hold: n, all below it, and what these depend on, directly or not.
func (all Family) Around(n int) Some {
	return all.closure(Some(0).with(n), func(m int) Some { return all.Children(m) | all[m].Needs })
}

// Reaches reports whether from is to, or depends on it, directly or not.
func (all Family) Reaches(from, to int) bool {
	return all.closure(Some(0).with(from), func(m int) Some { return all[m].Needs }).Has(to)
}

func (all Family) closure(some Some, next func(int) Some) Some {
	for before := Some(0); before != some; {
		before = some
		for n := range before.All() {
			some |= next(n)
		}
	}
	return some
}

// Counted returns how many an aggregate of n counts under a status: at least the children, at most all around (servers differ in what
// an aggregate covers).
func (all Family) Counted(n int, status string) (least, most int) {
	having := all.Having(status)
	return (all.Children(n) & having).Len(), (all.Around(n) & having).Len()
}

// Related reports whether one is the parent of the other, or they have the same one.
func (all Family) Related(n, m int) bool {
	up, of := all[n].Parent, all[m].Parent
	return up == m || of == n || up == of && up != None
}

// activate has a draft be active, and blocked if something waits that it depends on.
func (all Family) activate(n int) {
	s := &all[n]
	s.Status, s.Held, s.Why = Active, all.Waits(n), openintent.OIP0026R2
	if all.Open(n) == 0 {
		s.Why = openintent.OIP0026R2D
	}
}

// record has a record of a suspension of n wait for an answer.
func (all Family) record(n, asks, window int) {
	s := &all[n]
	s.Round, s.Record, s.Asks, s.Window, s.Passed, s.Again = s.Round+1, Waiting, asks, window, 0, false
}

// halt suspends n, which is active: what is active and depends on it is blocked (RFC-0026 2, rule 2), and nobody else changes.
func (all Family) halt(n int) {
	for m := range all {
		switch s := &all[m]; {
		case m == n || s.Status != Active:
		case s.Needs.Has(n):
			s.Held, s.Why = true, openintent.OIP0026R2
		case all.Related(m, n):
			s.Why = openintent.OIP0026R1
		case !s.Held && s.Why != openintent.OIP0026R1:
			s.Why = openintent.OIP00024
		}
	}
	s := &all[n]
	s.Status, s.Held, s.Why = Suspended, false, openintent.OIPREAD2
	if s.Again = s.Record == Answered || s.Record == Expired; s.Again {
		s.Twice = s.Twice.with(s.Round)
	}
}

// answer has n go on by an answer (RFC-0025 8).
func (all Family) answer(n, value int) {
	s := &all[n]
	s.Record, s.Answer, s.Resumed = Answered, value, s.Resumed.with(s.Round)
	all.resume(n)
	s.Why = openintent.OIP0025A15
}

// resume has n go on after a suspension. That alone unblocks nothing (RFC-0026 2, rule 2).
func (all Family) resume(n int) {
	all[n].Status = Active
	for m := range all {
		if all[m].Held && all[m].Needs.Has(n) {
			all[m].Why = openintent.OIP0026R2C
		}
	}
}

// expire ends the window of n.
func (all Family) expire(n int) {
	s := &all[n]
	s.Passed, s.Record, s.Others = s.Passed+1, Expired, s.Others.with(s.Round)
}

// lapse ends the window of n, and does what the fallback says.
func (all Family) lapse(n int, fallback string) {
	all.expire(n)
	if fallback == Fails {
		all.end(n, Abandoned)
	} else {
		all.resume(n)
	}
}

// end completes or abandons n. What depends on it goes on when all that it depends on is completed (RFC-0002).
func (all Family) end(n int, status string) {
	one := &all[n]
	if one.Record == Waiting {
		one.Record, one.Others = Left, one.Others.with(one.Round)
	}
	one.Status, one.Held = status, false
	if status != Completed {
		return
	}
	for m := range all {
		switch s := &all[m]; {
		case s.Status != Active || !s.Needs.Has(n):
		case all.Open(m) == 0:
			s.Held, s.Why = false, openintent.OIP0026R2D
		case s.Held:
			s.Why = openintent.OIP00022
		}
	}
}

// depend has n depend on another one. What is active already is not held by that.
func (all Family) depend(n, on int) {
	s := &all[n]
	if s.Needs = s.Needs.with(on); !s.Held {
		s.Why = openintent.OIP00022
	}
}

// free takes a dependency of n away. One that depends on something open still is active or blocked, unless that is suspended.
func (all Family) free(n, on int) {
	s := &all[n]
	if !s.Needs.Has(on) {
		return
	}
	was := s.Held || all[on].Status != Completed
	switch s.Needs = s.Needs.without(on); {
	case all.Open(n) == 0 && was:
		s.Held, s.Why = false, openintent.OIP0002201
	case s.Held:
		s.Held, s.Why = all.Waits(n), openintent.OIP00022
	}
}

// Summed returns the word for a portfolio whose members have these statuses, and the sentence that has it (RFC-0026 2, rule 4). No
// sentence has one for a portfolio without members: "".
func Summed(members []string) (word string, of scenarios.RequirementID) {
	if len(members) == 0 {
		return "", ""
	}
	ended := true
	for _, status := range members {
		if status == Abandoned {
			return "failed", openintent.OIP0026R4E
		}
		ended = ended && status == Completed
	}
	if ended {
		return "completed", openintent.OIP0026R4D
	}
	return "in_progress", openintent.OIP0026R4F
}
