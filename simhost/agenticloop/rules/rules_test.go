package rules

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/agenticloopv2"
)

func TestHonestRules(t *testing.T) {
	s := Honest()
	goal := func(raw string) bool { _, ok := s.Start.Goal(json.RawMessage(raw)); return ok }
	status := func(payload string) agenticloopv2.ToolStatus {
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(payload), &members); err != nil {
			t.Fatal(err)
		}
		return s.Delivery.Status(members)
	}
	waits := Standing{Known: true, Status: "running", LastStep: 3, PendingStep: 3, PendingTool: "a", Step: 3, Tool: "a"}
	but := func(change func(*Standing)) Verdict { c := waits; change(&c); return s.Resume.Finds(c) }
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"a dedupe key before an event id", s.Start.RunID(Delivered{DedupeKey: "k",
			EventID: "e"}) == s.Start.RunID(Delivered{DedupeKey: "k", EventID: "f", JobID: "j"})},
		{"an event id before a job", s.Start.RunID(Delivered{EventID: "e", JobID: "j"}) == s.Start.RunID(Delivered{EventID: "e", JobID: "k"})},
		{"keys and jobs are kept apart", s.Start.RunID(Delivered{DedupeKey: "k"}) != s.Start.RunID(Delivered{JobID: "k"})},
		{"a run id is short and plain", len(RunID("key", strings.Repeat("x", 999))) == 30},
		{"goals", goal(`"x"`) && !goal(`""`) && !goal(`" "`) && !goal(`7`) && !goal(`null`) && !goal(``)},
		{"a lower budget is honoured", s.Start.MaxSteps(5, 3) == 3 && s.Start.MaxSteps(5, 0) == 5 && s.Start.MaxSteps(5, 6) == 5},
		{"a tool's event is a success", status(`{}`) == "ok" && status(`{"status":200,"error":null}`) == "ok" && status(`{"error":""}`) == "ok"},
		{"unless it says otherwise", status(`{"status":"error"}`) == "error" && status(`{"error":"x"}`) == "error"},
		{"a match", s.Resume.Finds(waits) == Match},
		{"unknown before all", but(func(s *Standing) { *s = Standing{Step: 9} }) == UnknownRun},
		{"ended before step and tool", but(func(s *Standing) { s.Status, s.Step, s.Tool = "done", 9, "b" }) == EndedRun},
		{"an unknown status is an end", but(func(s *Standing) { s.Status = "" }) == EndedRun},
		{"stale before tool", but(func(s *Standing) { s.Step, s.Tool = 2, "b" }) == StaleStep},
		{"future before tool", but(func(s *Standing) { s.Step, s.Tool = 4, "b" }) == FutureStep},
		{"another tool", but(func(s *Standing) { s.Tool = "b" }) == WrongTool},
		{"nothing pending: the last step is past", but(func(s *Standing) { s.PendingStep, s.PendingTool = 0, "" }) == StaleStep},
		{"nothing pending: the next is not", but(func(s *Standing) { s.PendingStep, s.PendingTool, s.Step = 0, "", 4 }) == FutureStep},
		{"the last step of the budget", !s.Steps.Spent(2, 3) && s.Steps.Spent(3, 3)},
		{"the last retry", s.Steps.Retries(2, 2) && !s.Steps.Retries(3, 2) && !s.Steps.Retries(1, 0)},
		{"the last reframe", s.Steps.Reframes(1, 2) && !s.Steps.Reframes(2, 2)},
		{"names of tools", s.Tools.Named("a-B_1") && !s.Tools.Named("") && !s.Tools.Named("a\n") && !s.Tools.Named(strings.Repeat("a", 65))},
		{"the list decides", s.Tools.Allowed("a", []string{"a"}, Moment{First: true}) && !s.Tools.Allowed("a", nil, Moment{First: true}) &&
			!s.Tools.Allowed("b", []string{"a"}, Moment{})},
		{"a state of a mebibyte does not fit", s.State.Fits(StateBytes-1) && !s.State.Fits(StateBytes)},
		{"short texts are kept", s.State.Keeps("x") == "x" && s.State.Keeps(strings.Repeat("x", NoteBytes+1)) == ""},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}

func TestWholeStep(t *testing.T) {
	for raw, want := range map[string]int64{"1": 1, "9007199254740991": Largest, "9007199254740992": 0, "0": 0, "-1": 0, "1.0": 0, "1e0": 0,
		`"1"`: 0, "true": 0, "null": 0, "": 0, "01": 0, "99999999999999999999": 0} {
		if got, ok := WholeStep(json.RawMessage(raw)); ok != (want > 0) || ok && got != want {
			t.Errorf("%s is %d, %v", raw, got, ok)
		}
	}
}

func TestCut(t *testing.T) {
	for want, c := range map[string]struct {
		text  string
		bytes int
	}{"abc": {"abc", 3}, "ab": {"abc", 2}, "": {"abc", 0}, "é": {"éé", 3}, "éa": {"éab", 3}} {
		if got := Cut(c.text, c.bytes); got != want {
			t.Errorf("%q cut to %d is %q, want %q", c.text, c.bytes, got, want)
		}
	}
}

// No rule is left without an answer.
func TestEveryRuleIsThere(t *testing.T) {
	for theme, of := range reflect.ValueOf(Honest()).Fields() {
		for rule, value := range of.Fields() {
			if value.IsNil() {
				t.Errorf("%s.%s is missing", theme.Name, rule.Name)
			}
		}
	}
}
