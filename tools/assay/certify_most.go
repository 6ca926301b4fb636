package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/scenarios/wire"
)

// remoteMost is what a target that is not on this machine is asked for at most, unless the operator says otherwise: its turns may cost
// money. It leaves room for a certification at the standard depth, and stops one that gets out of hand.
var remoteMost = wire.Spent{Requests: 20_000, Runs: 2_000, Turns: 2_000}

// mostFlags are what the operator allows a certification to ask a target for.
type mostFlags struct{ requests, runs, turns int }

func (m *mostFlags) register(f *pflag.FlagSet) {
	for _, flag := range []struct {
		to       *int
		name, of string
		remote   int
	}{
		{&m.requests, "requests", "requests", remoteMost.Requests},
		{&m.runs, "runs", "runs, or intents", remoteMost.Runs},
		{&m.turns, "turns", "turns of loops that a plan asks for, or of a plugin", remoteMost.Turns},
	} {
		f.IntVar(flag.to, "max-"+flag.name, unset, fmt.Sprintf("ask the target for at most `N` %s; 0 for any number (default any number, "+
			"and %d where the target is not on this machine)", flag.of, flag.remote))
		f.Lookup("max-" + flag.name).DefValue = "0"
	}
}

// unset is the value of a bound that the operator did not give.
const unset = -1

// of returns what a target may be asked for.
func (m mostFlags) of(t target) (wire.Spent, error) {
	var most wire.Spent
	if t.specimen == nil && t.wire.Process == nil && !t.wire.OnThisMachine() {
		most = remoteMost
	}
	for _, flag := range []struct {
		given int
		to    *int
		name  string
	}{{m.requests, &most.Requests, "requests"}, {m.runs, &most.Runs, "runs"}, {m.turns, &most.Turns, "turns"}} {
		switch {
		case flag.given < unset:
			return most, usage("certify --max-%s %d: give a number, 0 for no bound", flag.name, flag.given)
		case flag.given != unset:
			*flag.to = flag.given
		}
	}
	return most, nil
}

// words returns the flags as they were typed.
func (m mostFlags) words() (words []string) {
	for _, flag := range []struct {
		given int
		name  string
	}{{m.requests, "requests"}, {m.runs, "runs"}, {m.turns, "turns"}} {
		if flag.given != unset {
			words = append(words, fmt.Sprintf("--max-%s", flag.name), fmt.Sprint(flag.given))
		}
	}
	return words
}
