package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/scenarios/wire"
)

// remoteMost is what a target that is not on this machine is asked for at most, unless the operator says otherwise: its turns may cost
// money. It leaves room for a certification at the standard depth, and stops one that gets out of hand.
var remoteMost = wire.Spent{Requests: 20_000, Runs: 2_000, Turns: 2_000}

// mostFlags are what the operator allows a certification to ask a target for, each unset where it was not given.
type mostFlags wire.Spent

// unset is the value of a bound that the operator did not give.
const unset = -1

var noneGiven = mostFlags{unset, unset, unset}

// each calls do with each flag.
func (m *mostFlags) each(do func(flag, of string, given *int, in func(*wire.Spent) *int)) {
	do("max-requests", "requests", &m.Requests, func(s *wire.Spent) *int { return &s.Requests })
	do("max-runs", "runs, or intents", &m.Runs, func(s *wire.Spent) *int { return &s.Runs })
	do("max-turns", "turns of loops that a plan asks for, or of a plugin", &m.Turns, func(s *wire.Spent) *int { return &s.Turns })
}

func (m *mostFlags) register(f *pflag.FlagSet) {
	m.each(func(flag, of string, given *int, in func(*wire.Spent) *int) {
		f.IntVar(given, flag, unset, fmt.Sprintf("ask the target for at most `N` %s; 0 for any number (default any number, "+
			"and %d where the target is not on this machine)", of, *in(&remoteMost)))
		f.Lookup(flag).DefValue = "0"
	})
}

// of returns what a target may be asked for.
func (m mostFlags) of(t target) (most wire.Spent, err error) {
	if t.specimen == nil && t.wire.Process == nil && !t.wire.OnThisMachine() {
		most = remoteMost
	}
	m.each(func(flag, _ string, given *int, in func(*wire.Spent) *int) {
		switch {
		case *given < unset:
			err = usage("certify --%s %d: give a number, 0 for no bound", flag, *given)
		case *given != unset:
			*in(&most) = *given
		}
	})
	return most, err
}

// words returns the flags as they were typed.
func (m mostFlags) words() (words []string) {
	m.each(func(flag, _ string, given *int, _ func(*wire.Spent) *int) {
		if *given != unset {
			words = append(words, "--"+flag, strconv.Itoa(*given))
		}
	})
	return words
}
