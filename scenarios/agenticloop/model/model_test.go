package model

import (
	"slices"
	"testing"
)

func waiting(step int64, tool string) Standing {
	return Standing{Known: true, Status: "running", Step: step, Tool: tool}
}

// Each rule is the first that holds for something, and the order is that of the text.
func TestTheFirstRuleDecides(t *testing.T) {
	now := waiting(3, "fetch")
	over := Standing{Known: true, Status: "done"}
	for _, c := range []struct {
		name string
		what Delivery
		of   Standing
		want *Rule
	}{
		{"no run", Delivery{Odd: OddRun}, Standing{}, Misshapen},
		{"the start again", Delivery{Run: "R", Odd: Restart}, now, Again},
		{"an unknown run, later, of another tool", Delivery{Run: "R", Step: 9, Tool: "x"}, Standing{}, Unknown},
		{"an ended run, later, of another tool", Delivery{Run: "R", Step: 9, Tool: "x"}, over, Over},
		{"a step that few can read", Delivery{Run: "R", Step: 1 << 40, Tool: "fetch", Odd: OddStep}, now, Unread},
		{"an old step of another tool that failed", Delivery{Run: "R", Step: 2, Tool: "x", Status: "error"}, now, Stale},
		{"a later step of another tool", Delivery{Run: "R", Step: 4, Tool: "x"}, now, Later},
		{"another tool that failed", Delivery{Run: "R", Step: 3, Tool: "x", Status: "error"}, now, OtherTool},
		{"another tool with no status", Delivery{Run: "R", Step: 3, Tool: "x", Odd: OddStatus}, now, OtherTool},
		{"no status", Delivery{Run: "R", Step: 3, Tool: "fetch", Odd: OddStatus}, now, Unclear},
		{"the same failure again", Delivery{Run: "R", Step: 3, Tool: "fetch", Status: "error", Odd: Doubled}, now, FailedTwice},
		{"a failure of what is not allowed any more", Delivery{Run: "R", Step: 3, Tool: "fetch", Status: "error", Odd: Barred}, now,
			Withdrawn},
		{"a failure", Delivery{Run: "R", Step: 3, Tool: "fetch", Status: "error"}, now, Failed},
		{"a result that is no object", Delivery{Run: "R", Step: 3, Tool: "fetch", Status: "ok", Odd: OddResult}, now, Fruitless},
		{"a planner that talks nonsense", Delivery{Run: "R", Step: 3, Tool: "fetch", Status: "ok", Odd: Nonsense}, now, Bewildered},
		{"what is pending", Delivery{Run: "R", Step: 3, Tool: "fetch", Status: "ok"}, now, Matching},
	} {
		if got := RuleOf(c.what, c.of); got != c.want {
			t.Errorf("%s: the rule is that it %s, want %s", c.name, got.Since, c.want.Since)
		}
	}
}

// play has a plugin that keeps the rules go through moves of a program, and returns each of its turns, and the world at the end.
func play(p Program, s Settings) (turns []Turn, w World) {
	w = Begin(p, s)
	for _, m := range p.Moves {
		t, ok := w.Turn(m)
		if !ok {
			continue
		}
		seen := Seen{Did: Nothing}
		switch {
		case t.Rule == nil:
			seen = Seen{Did: Asked, Run: string('A' + rune(m.Run)), Tool: t.Decision.Tool}
		case t.MustEnd, t.Rule == Later, t.Rule == OtherTool, t.Barred:
			seen.Did = Escalated
		case t.Rule == Failed:
			seen.Did = Retried
		case t.Rule == Matching && t.Decision.Kind == Done:
			seen.Did = Completed
		case t.Rule == Matching:
			seen.Did, seen.Tool = Asked, t.Decision.Tool
		}
		turns, w = append(turns, t), w.After(t, seen)
	}
	return turns, w
}

func rulesOf(turns []Turn) (out []*Rule) {
	for _, t := range turns {
		out = append(out, t.Rule)
	}
	return out
}

func calls(tools ...string) (out []Decision) {
	for _, tool := range tools {
		out = append(out, Decision{Kind: Call, Tool: tool})
	}
	return out
}

var body = map[string]any{}

func move(run int, kind Kind) Move { return Move{Run: run, Kind: kind, Body: body} }

// Two runs beside one another, with what comes again, fails and comes late.
func TestAProgramIsInterpreted(t *testing.T) {
	p := Program{
		Runs: []Run{
			{Budget: 9, Decisions: append(calls("fetch", "fabric"), Decision{Kind: Done})},
			{Budget: 2, Decisions: calls("fetch", "fetch", "fetch")},
		},
		Moves: []Move{
			move(0, Result), // of a run that has not begun
			move(0, Start), move(1, Start), move(0, SameAgain), move(0, Failure), move(0, Result), move(0, SameAgain), move(1, Result),
			move(0, LateFailure), move(1, Result), move(0, Result), move(0, Old), move(1, Repeat), move(0, Result),
		},
	}
	turns, w := play(p, Settings{Steered: true, Retry: true, Retries: 1, Tools: []string{"fetch", "fabric"}})
	want := []*Rule{nil, nil, Failed, Matching, Stale, Matching, Stale, Matching, Matching, Over, Over}
	if got := rulesOf(turns); !slices.Equal(got, want) {
		t.Fatalf("%d turns, want %d: %v", len(got), len(want), got)
	}
	if a, b := w.Runs[0], w.Runs[1]; a.Status != "done" || a.Taken != 2 || a.Failed != 1 || b.Status != "escalated" || b.Taken != 2 {
		t.Errorf("A is %+v, B is %+v", a, b)
	}
	if late := turns[6].Delivery; late.Step != 1 || late.Tool != "fetch" || late.Status != "error" {
		t.Errorf("the late failure is %+v", late)
	}
	if over := turns[7]; !over.MustEnd || over.Next != 3 {
		t.Errorf("the third step of a budget of two: %+v", over)
	}
	if end := turns[8]; end.MustEnd || end.Decision.Kind != Done {
		t.Errorf("the end: %+v", end)
	}
}

// Where the config of a run changes, either budget may bind it, and a list that changes binds at once.
func TestAConfigThatChanges(t *testing.T) {
	decisions := calls("fetch", "fetch", "fetch", "fabric")
	p := Program{Runs: []Run{{Budget: 2, Decisions: decisions}}, Moves: []Move{
		move(0, Start), {Run: 0, Kind: Result, Body: body, Budget: 5}, move(0, Result),
		{Run: 0, Kind: Result, Body: body, Allowed: []string{"fetch"}},
	}}
	turns, _ := play(p, Settings{Steered: true, Retries: -1, Tools: []string{"fetch", "fabric"}})
	if third := turns[2]; !third.MayEnd || third.MustEnd || third.Budget != 5 {
		t.Errorf("step 3 with budgets of 2 and 5: %+v", third)
	}
	if last := turns[3]; !last.Barred || last.Rule != Fruitless {
		t.Errorf("a tool that is listed no more: %+v", last)
	}
}

// Retries may be those of a step or of the run: what both allow is asked for, and what neither has ends the run.
func TestRetries(t *testing.T) {
	p := Program{Runs: []Run{{Budget: 9, Decisions: calls("fetch", "fetch")}}, Moves: []Move{
		move(0, Start), move(0, Failure), move(0, Failure), move(0, Result), move(0, Failure), move(0, Failure), move(0, Failure),
	}}
	turns, w := play(p, Settings{Steered: true, Retry: true, Retries: 2, Tools: []string{"fetch"}})
	var may, must []bool
	for _, turn := range turns {
		if turn.Rule == Failed {
			may, must = append(may, turn.MayEnd), append(must, turn.MustEnd)
		}
	}
	if !slices.Equal(may, []bool{false, false, true, true, true}) || !slices.Equal(must, []bool{false, false, false, false, true}) {
		t.Errorf("it may end %v, and must %v", may, must)
	}
	if w.Runs[0].Status != "escalated" {
		t.Errorf("the run is %+v", w.Runs[0])
	}
}

// No near miss is what it is near to, nor another run that is there, nor another name of the tool.
func TestNearMissesMiss(t *testing.T) {
	p := Program{Runs: []Run{{Budget: 9, Decisions: calls("fetch")}, {Budget: 9, Decisions: calls("fetch")}}}
	w := Begin(p, Settings{Steered: true, Tools: []string{"fetch"}, Aliases: []string{"fetc", "fetch"}})
	for i, id := range []string{"run-1", "run-10"} {
		start, _ := w.Turn(move(i, Start))
		w = w.After(start, Seen{Did: Asked, Run: id, Tool: "fetch"})
	}
	seen := map[*Rule]int{}
	for pick := range 60 {
		run, _ := w.Turn(Move{Kind: NearRun, Pick: pick, Body: body})
		tool, _ := w.Turn(Move{Kind: NearTool, Pick: pick, Body: body})
		above, _ := w.Turn(Move{Kind: Above, Pick: pick, Body: body})
		if run.Delivery.Run == "run-1" || run.Delivery.Run == "run-10" || tool.Delivery.Tool == "fetc" {
			t.Fatalf("pick %d: %+v, %+v", pick, run.Delivery, tool.Delivery)
		}
		for _, turn := range []Turn{run, tool, above} {
			seen[turn.Rule]++
		}
	}
	for _, r := range []*Rule{Unknown, Misshapen, OtherTool, Later, Unread} {
		if seen[r] == 0 {
			t.Errorf("no near miss for the rule that it %s", r.Since)
		}
	}
	if len(seen) != 5 {
		t.Errorf("%d rules, want 5", len(seen))
	}
}

// A plan that is given up once more than it may be ends its run; a failure that comes again may count, and need not.
func TestPlansAndFailuresAreCounted(t *testing.T) {
	decisions := calls("fetch", "fetch", "fetch")
	decisions[1].Anew, decisions[2].Anew = true, true
	p := Program{Runs: []Run{{Budget: 9, Reframes: 1, Decisions: decisions}}, Moves: []Move{
		move(0, Start), move(0, Failure), move(0, FailedAgain), move(0, Failure), move(0, Result), move(0, Result),
	}}
	turns, w := play(p, Settings{Steered: true, Retry: true, Retries: 2, Reframe: true, Tools: []string{"fetch"}})
	if got, want := rulesOf(turns), []*Rule{nil, Failed, FailedTwice, Failed, Matching, Matching}; !slices.Equal(got, want) {
		t.Fatalf("%v", got)
	}
	if again := turns[3]; again.MayEnd || again.MustEnd {
		t.Errorf("the second failure of two that may be retried: %+v", again)
	}
	if first, second := turns[4], turns[5]; first.Over || first.Plans != 1 || !second.Over || second.MayEnd {
		t.Errorf("two plans are given up where one may be: %+v, %+v", first, second)
	}
	if w.Runs[0].Reframed != 2 {
		t.Errorf("the run is %+v", w.Runs[0])
	}
	p.Runs[0].Decisions[1].Twice = true
	if turns, _ = play(p, Settings{Steered: true, Retry: true, Retries: 2, Reframe: true, Tools: []string{"fetch"}}); !turns[4].Over {
		t.Errorf("two plans are given up in one turn where one may be: %+v", turns[4])
	}
}

// What still comes for a run that is over is made of the step that it waited for last, and every language can read it.
func TestWhatComesAfterTheEnd(t *testing.T) {
	p := Program{Runs: []Run{{Budget: 1, Decisions: calls("fetch", "fetch")}}, Moves: []Move{move(0, Start), move(0, Result)}}
	_, w := play(p, Settings{Steered: true, Tools: []string{"fetch"}})
	for pick := range 20 {
		for _, kind := range []Kind{Above, NearTool, Repeat} {
			late, ok := w.Turn(Move{Kind: kind, Pick: pick, Body: body, Failing: pick%2 == 0})
			if !ok || late.Rule != Over || late.Delivery.Odd != "" {
				t.Fatalf("%s, pick %d: %+v", kind, pick, late)
			}
			if kind == Above && late.Delivery.Step < 2 || kind == NearTool && late.Delivery.Tool == "fetch" {
				t.Errorf("%s, pick %d: %+v", kind, pick, late.Delivery)
			}
		}
	}
	if again, ok := w.Turn(Move{Kind: StartAgain, Body: body}); !ok || again.Rule != Again {
		t.Errorf("its start again: %+v", again)
	}
}

// The failure of an unknown run is delivered as a failure, and a result of the wrong tool can name a given one, unless that is pending.
func TestWhatIsNearlyRight(t *testing.T) {
	p := Program{Runs: []Run{{Budget: 9, Decisions: calls("fetch", "fetch")}}, Moves: []Move{move(0, Start)}}
	_, w := play(p, Settings{Steered: true, Tools: []string{"fetch", "fabric"}})
	w.Runs[0].ID = "run-1"
	if near, _ := w.Turn(Move{Kind: NearRun, Body: body, Failing: true}); near.Rule != Unknown || near.Delivery.Status != "error" {
		t.Errorf("a failure of nearly the run: %+v", near)
	}
	if other, ok := w.Turn(Move{Kind: NearTool, Body: body, As: "jina-reader"}); !ok || other.Rule != OtherTool {
		t.Errorf("a result of jina-reader: %+v", other)
	}
	if same, ok := w.Turn(Move{Kind: NearTool, Body: body, As: "fetch"}); ok {
		t.Errorf("a result of the pending tool is one of another: %+v", same)
	}
	seen := map[string]bool{}
	for pick := range 20 {
		near, _ := w.Turn(Move{Kind: NearTool, Pick: pick, Body: body})
		seen[near.Delivery.Tool] = true
	}
	if !seen["fabric"] || !seen["FETCH"] || seen["fetch"] {
		t.Errorf("near tools are %v", seen)
	}
}
