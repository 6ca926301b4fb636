// Package model says what a plugin may make of whatever it is handed, without a plugin: the rules of RFC-103 as a table, and an
// interpreter of programs. It is the oracle of drives that draw what they ask.
package model

import (
	"slices"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
)

// Delivery is what a turn is handed: a start when Run is "", otherwise a result.
type Delivery struct {
	Run    string
	Step   int64
	Tool   string
	Status string // ok or error
	Odd    Odd
}

// Odd is what of a delivery is of another kind than the text has, or of which the text does not say whether it may be so.
type Odd string

// The zero Odd is none.
const (
	OddRun    Odd = "run"    // run_id is missing or no text
	OddStep   Odd = "step"   // step is beyond what some languages keep
	OddStatus Odd = "status" // status is neither ok nor error
	OddResult Odd = "result" // what the tool returned is no object, or the planner is to want what it may not have
	Nonsense  Odd = "plan"   // the planner is to talk nonsense, or to give up
	Restart   Odd = "start"  // it is the start of the run once more
	Doubled   Odd = "again"  // it is a failure that was taken before, of the step that is pending again
	Barred    Odd = "barred" // the tool that failed is not allowed any more
)

// Standing is how a run stands before a delivery.
type Standing struct {
	Known  bool
	Status string
	Step   int64 // that is pending; 0 for none
	Tool   string
}

// Outcome is what a turn does.
type Outcome string

// The outcomes of turns.
const (
	Nothing   Outcome = "nothing"   // status ok, no event, and the run as it was
	Repeated  Outcome = "repeated"  // the pending request once more, and the run as it was
	Refused   Outcome = "refused"   // status error: the gateway drops all that the turn says
	Retried   Outcome = "retried"   // the pending step is asked for again
	Asked     Outcome = "asked"     // the next step is asked for
	Completed Outcome = "completed" // the run is done
	Escalated Outcome = "escalated" // the run is given up
)

// Rule says what may come of a delivery.
type Rule struct {
	Since    string                  // when it holds, as the end of a sentence
	Of       scenarios.RequirementID // the sentence
	Readings []string                // what is accepted beside the letter of it
	May      []Outcome
	holds    func(Delivery, Standing) bool
}

// Allows reports whether a turn may do that.
func (r *Rule) Allows(o Outcome) bool { return slices.Contains(r.May, o) }

// The rules of results, RFC-103 Resume Validation Logic. A rule presumes that no rule before it in [Rules] holds.
var (
	Misshapen = &Rule{
		Since: "since it names no run", Of: agenticloop.RFC103READ1, Readings: []string{"AL-R101"},
		May:   []Outcome{Nothing, Refused},
		holds: func(d Delivery, _ Standing) bool { return d.Odd == OddRun },
	}
	Again = &Rule{
		Since: "since the start was taken before", Of: agenticloop.RFC103READ2, Readings: []string{"AL-R13", "AL-R14"},
		May:   []Outcome{Nothing, Repeated, Refused},
		holds: func(d Delivery, _ Standing) bool { return d.Odd == Restart },
	}
	Unknown = &Rule{
		Since: "since the run is unknown", Of: agenticloop.RFC103V2,
		May:   []Outcome{Nothing},
		holds: func(_ Delivery, s Standing) bool { return !s.Known },
	}
	Over = &Rule{
		Since: "since the run is over", Of: agenticloop.RFC103V4,
		May:   []Outcome{Nothing},
		holds: func(_ Delivery, s Standing) bool { return s.Status != "running" },
	}
	Unread = &Rule{
		Since: "since no step has that number", Of: agenticloop.RFC103K2, Readings: []string{"AL-R101"},
		May:   []Outcome{Nothing, Refused, Escalated},
		holds: func(d Delivery, _ Standing) bool { return d.Odd == OddStep },
	}
	Stale = &Rule{
		Since: "since the step is stale", Of: agenticloop.RFC103V6, Readings: []string{"AL-R14"},
		May:   []Outcome{Nothing, Repeated},
		holds: func(d Delivery, s Standing) bool { return d.Step < s.Step },
	}
	Later = &Rule{
		Since: "since the step is above the pending one", Of: agenticloop.RFC103K2, Readings: []string{"AL-R6"},
		May:   []Outcome{Escalated},
		holds: func(d Delivery, s Standing) bool { return d.Step > s.Step },
	}
	OtherTool = &Rule{
		Since: "since another tool is pending", Of: agenticloop.RFC103V7,
		May:   []Outcome{Escalated},
		holds: func(d Delivery, s Standing) bool { return d.Tool != s.Tool },
	}
	Unclear = &Rule{
		Since: "since the status is neither ok nor error", Of: agenticloop.RFC103V8, Readings: []string{"AL-R107", "AL-R14"},
		May:   []Outcome{Nothing, Repeated, Refused, Retried, Escalated},
		holds: func(d Delivery, _ Standing) bool { return d.Odd == OddStatus },
	}
	FailedTwice = &Rule{
		Since: "since that failure was taken before", Of: agenticloop.RFC103I6, Readings: []string{"AL-R14", "AL-R108"},
		May:   []Outcome{Nothing, Repeated, Retried, Escalated}, // it is a duplicate, and a failure of what is pending
		holds: func(d Delivery, _ Standing) bool { return d.Odd == Doubled },
	}
	Withdrawn = &Rule{
		Since: "since the tool that failed is not allowed any more", Of: agenticloop.RFC103V10, Readings: []string{"AL-R116"},
		May:   []Outcome{Nothing, Refused, Repeated, Retried, Escalated}, // what it asks for is held against the allowlist
		holds: func(d Delivery, _ Standing) bool { return d.Odd == Barred },
	}
	Failed = &Rule{
		Since: "since the tool failed", Of: agenticloop.RFC103V10, Readings: []string{"AL-R5", "AL-R14", "AL-R108"},
		May:   []Outcome{Retried, Repeated, Escalated},
		holds: func(d Delivery, _ Standing) bool { return d.Status == "error" },
	}
	Fruitless = &Rule{
		Since: "since the result is what is pending", Of: agenticloop.RFC103V9,
		May:   []Outcome{Asked, Completed, Escalated, Refused}, // the text shows objects, and no other kind of result
		holds: func(d Delivery, _ Standing) bool { return d.Odd == OddResult },
	}
	Bewildered = &Rule{
		Since: "since nobody knows what is to come", Of: agenticloop.RFC103V9, Readings: []string{"AL-R121"},
		May:   []Outcome{Asked, Completed, Escalated, Refused, Retried, Repeated, Nothing},
		holds: func(d Delivery, _ Standing) bool { return d.Odd == Nonsense },
	}
	Matching = &Rule{
		Since: "since the result is what is pending", Of: agenticloop.RFC103V9,
		May:   []Outcome{Asked, Completed, Escalated},
		holds: func(Delivery, Standing) bool { return true },
	}
)

// Rules are the rules of results, in the order of the text.
var Rules = []*Rule{
	Misshapen, Again, Unknown, Over, Unread, Stale, Later, OtherTool, Unclear, FailedTwice, Withdrawn, Failed, Fruitless, Bewildered, Matching,
}

// RuleOf returns the first rule that holds for a result.
func RuleOf(d Delivery, s Standing) *Rule {
	i := slices.IndexFunc(Rules, func(r *Rule) bool { return r.holds(d, s) })
	return Rules[i] // the last holds always
}
