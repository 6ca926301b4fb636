package rules

import (
	"encoding/json"
	"strconv"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/internal/lazyregexp"
)

// Resume is how a result is held against the run that waits for it.
type Resume struct {
	// Finds says what becomes of a result, in the order of the text.
	Finds func(Standing) Verdict

	// Goes tells whether a run whose result matches goes on, given the folder of its files, "" for none.
	Goes func(workspace string) bool
}

// Standing is a result beside its run.
type Standing struct {
	Known       bool // there is such a run; what follows is empty otherwise
	Status      agenticloopv2.RunStatus
	LastStep    int64  // that was asked for
	PendingStep int64  // 0: nothing is pending
	PendingTool string // "": nothing is pending
	Step        int64
	Tool        string
}

// Verdict is what becomes of a result.
type Verdict int

// The verdicts. The first four pass a result over.
const (
	UnknownRun Verdict = iota
	EndedRun
	StaleStep
	Failed // the turn ends in an error
	FutureStep
	WrongTool
	Match
	Adopted // a run of this id is made, and goes on
)

func honestResume() Resume {
	return Resume{
		Finds: InOrder,
		Goes:  func(string) bool { return true },
	}
}

var wholeNumber = lazyregexp.New(`^[1-9][0-9]*$`)

// Largest is the largest number that every reader of JSON keeps.
const Largest = 1<<53 - 1

// WholeStep reads a step: a whole number from 1 to Largest, written as one.
func WholeStep(raw json.RawMessage) (int64, bool) {
	if !wholeNumber.Match(raw) {
		return 0, false
	}
	step, err := strconv.ParseInt(string(raw), 10, 64)
	return step, err == nil && step <= Largest
}

// InOrder goes through the rules of the text one after the other.
func InOrder(s Standing) Verdict {
	expected := s.PendingStep
	if expected == 0 {
		expected = s.LastStep + 1 // whatever was asked for has come
	}
	switch {
	case !s.Known:
		return UnknownRun
	case s.Status != agenticloopv2.RunStatusRunning:
		return EndedRun
	case s.Step < expected:
		return StaleStep
	case s.Step > s.PendingStep:
		return FutureStep
	case s.Tool != s.PendingTool:
		return WrongTool
	}
	return Match
}
