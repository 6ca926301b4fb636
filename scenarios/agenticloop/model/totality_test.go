package model

import (
	"slices"
	"testing"
)

// Each delivery to each standing has a rule, and each rule decides about some.
func TestEveryDeliveryHasARule(t *testing.T) {
	met := map[*Rule]bool{}
	for _, status := range []string{"", "running", "done", "escalated"} {
		for at := range int64(4) {
			for step := range int64(5) {
				for _, odd := range []Odd{"", OddRun, OddStep, OddStatus, OddResult, Nonsense, Restart, Doubled, Barred} {
					for _, tool := range []string{"fetch", "fabric"} {
						for _, said := range []string{"ok", "error"} {
							of := Standing{Known: status != "", Status: status, Step: at, Tool: "fetch"}
							met[RuleOf(Delivery{Run: "R", Step: step, Tool: tool, Status: said, Odd: odd}, of)] = true
						}
					}
				}
			}
		}
	}
	for _, r := range Rules {
		if !met[r] {
			t.Errorf("nothing that is delivered meets the rule that it ... %s (%s)", r.Since, r.Of)
		}
		if len(r.May) == 0 || r.Of == "" {
			t.Errorf("the rule that it ... %s allows nothing, or cites nothing", r.Since)
		}
	}
	if len(met) != len(Rules) {
		t.Errorf("%d rules were met, want %d", len(met), len(Rules))
	}
}

// allKinds are the kinds of moves.
var allKinds = []Kind{
	Start, Result, Failure, SameAgain, Repeat, LateFailure, FailedAgain, Old, OldFailure, OldTool, NearRun, Crossed, NearTool, Above,
	Strange, StartAgain, Erring,
}

// Two runs in one world are taken through all moves, and all that may come of each, up to a depth: whatever happened, the world is
// one that the rules speak of.
func TestSmallWorlds(t *testing.T) {
	p := Program{Runs: []Run{
		{Budget: 2, Reframes: 1, Decisions: append(calls("fetch", "fabric"), Decision{Kind: Done})},
		{Budget: 3, Decisions: calls("fetch", "fetch")},
	}}
	p.Runs[0].Decisions[1].Anew = true
	met, turns := map[*Rule]bool{}, 0
	kinds := map[Kind]bool{}
	var visit func(w World, depth int)
	visit = func(w World, depth int) {
		for run := range p.Runs {
			for _, kind := range allKinds {
				turn, ok := w.Turn(Move{Run: run, Kind: kind, Pick: depth, Body: body})
				if !ok {
					continue
				}
				turns++
				kinds[kind], met[turn.Rule] = true, true
				if turn.MustEnd && !turn.MayEnd || turn.MustEnd && !turn.Rule.Allows(Escalated) {
					t.Fatalf("%s: it must end, and may not: %+v", kind, turn)
				}
				if depth == 0 {
					continue
				}
				for _, did := range mayDo(turn) {
					next := w.After(turn, Seen{Did: did, Run: string('A' + rune(run)), Tool: "fetch"})
					checkNext(t, kind, did, w.Runs, next.Runs, run)
					visit(next, depth-1)
				}
			}
		}
	}
	visit(Begin(p, Settings{Steered: true, Retry: true, Retries: 1, Reframe: true, Tools: []string{"fetch", "fabric"}}), 4)
	for _, r := range Rules {
		if !met[r] && r != Unread && r != Misshapen && r != Fruitless && r != Withdrawn { // they hang on a pick, a body or a config
			t.Errorf("no small world meets the rule that it ... %s (%s)", r.Since, r.Of)
		}
	}
	for _, kind := range allKinds {
		if !kinds[kind] {
			t.Errorf("no move of the kind %s was made", kind)
		}
	}
	t.Logf("%d turns", turns)
}

// mayDo returns what a plugin may make of a turn.
func mayDo(turn Turn) []Outcome {
	switch {
	case turn.Rule == nil:
		return []Outcome{Asked}
	case turn.MustEnd || turn.Over:
		return []Outcome{Escalated}
	}
	return turn.Rule.May
}

// checkNext checks a step of a world: the other run is as it was, a run that is over stays so, and a run goes one step at most.
func checkNext(t *testing.T, kind Kind, did Outcome, before, after []Known, run int) {
	t.Helper()
	other := 1 - run
	if before[other].Standing != after[other].Standing {
		t.Fatalf("%s, %s: the other run is %+v, and was %+v", kind, did, after[other], before[other])
	}
	was, is := before[run], after[run]
	over := was.Status == "done" || was.Status == "escalated"
	switch {
	case over && is.Status != was.Status:
		t.Fatalf("%s, %s: a run that is over is %+v, and was %+v", kind, did, is, was)
	case did == Asked && (is.Step != was.Step+1 || !slices.Equal(is.Tools[:len(was.Tools)], was.Tools)):
		t.Fatalf("%s, %s: the run is %+v, and was %+v", kind, did, is, was)
	case did == Nothing && is.Standing != was.Standing:
		t.Fatalf("%s, %s: the run is %+v, and was %+v", kind, did, is, was)
	}
}

// A tool that only the list of an earlier turn had is not allowed any more, though no list of this turn says so.
func TestAToolOfAnEarlierList(t *testing.T) {
	p := Program{Runs: []Run{{Budget: 9, Decisions: calls("fetch")}}}
	w := Begin(p, Settings{Retry: true, Retries: 1, Tools: []string{"fetch"}})
	start, _ := w.Turn(Move{Kind: Start, Body: body, Allowed: []string{"fetch", "another-tool"}})
	w = w.After(start, Seen{Did: Asked, Run: "R", Tool: "another-tool"})
	if failed, _ := w.Turn(move(0, Failure)); failed.Rule != Withdrawn {
		t.Errorf("the rule is that it ... %s", failed.Rule.Since)
	}
}
