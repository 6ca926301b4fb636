package rules

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestHonestRules(t *testing.T) {
	s := Honest()
	low, floor := 0.49, 0.5
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"the first turn is 1", s.NextIteration(0, false) == 1},
		{"turns count up", s.NextIteration(7, false) == 8},
		{"a resume does not reset", s.NextIteration(7, true) == 8},
		{"no bound at all", s.Bound(0, 0) == 0},
		{"only requested", s.Bound(3, 0) == 3},
		{"only advertised", s.Bound(0, 3) == 3},
		{"a request below is taken", s.Bound(2, 3) == 2},
		{"a request above is clamped", s.Bound(4, 3) == 3},
		{"turn N runs", !s.TurnRefused(3, 3)},
		{"turn N+1 does not", s.TurnRefused(4, 3)},
		{"unbounded turns", !s.TurnRefused(1<<30, 0)},
		{"node N runs", !s.NodeRefused(3, 3)},
		{"node N+1 does not", s.NodeRefused(4, 3)},
		{"exactly the bound is in time", !s.Overtime(1000, 1000)},
		{"one more is not", s.Overtime(1001, 1000)},
		{"unbounded time", !s.Overtime(1<<40, 0)},
		{"iteration from 5", !s.ShowsIteration(4) && s.ShowsIteration(5) && s.ShowsIteration(6)},
		{"turns look anew from 5", !s.RefreshesInputs(4) && s.RefreshesInputs(5) && s.RefreshesInputs(6)},
		{"a host without a model looks once", !s.RefreshesInputs(0)},
		{"handoffs from 1", !s.ShowsHandoff(0) && s.ShowsHandoff(1)},
		{"below the floor is held", s.Escalates(2, &low, 0.5)},
		{"at the floor it is not", !s.Escalates(2, &floor, 0.5)},
		{"no opinion is not", !s.Escalates(2, nil, 0.5)},
		{"version 1 knows no floor", !s.Escalates(1, &low, 0.5)},
		{"harvest of a completed child", s.Harvests(true, true)},
		{"none without mapping", !s.Harvests(true, false)},
		{"none of a failed child", !s.Harvests(false, true)},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}

func TestEveryRuleIsSet(t *testing.T) {
	sets := map[string]Set{"honest": Honest()}
	for _, f := range Faults() {
		set, err := With(f.ID)
		if err != nil {
			t.Fatal(err)
		}
		sets[f.ID] = set
	}
	for name, set := range sets {
		v := reflect.ValueOf(set)
		for i := range v.NumField() {
			if v.Field(i).IsNil() {
				t.Errorf("%s: rule %s is missing", name, v.Type().Field(i).Name)
			}
		}
	}
}

func TestFaultsAreWellFormed(t *testing.T) {
	id := regexp.MustCompile(`^[a-z]+\.[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]bool{}
	for _, f := range Faults() {
		if !id.MatchString(f.ID) || seen[f.ID] {
			t.Errorf("fault id %q: must be area.what-is-wrong, once", f.ID)
		}
		seen[f.ID] = true
		if f.Title == "" || len(f.Breaks) == 0 || len(f.Breaks) > 3 {
			t.Errorf("%s: needs a title and one to three requirements it breaks", f.ID)
		}
	}
}

func TestIterationResetsOnResume(t *testing.T) {
	s, err := With("loop.iteration-resets-on-resume")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.NextIteration(3, true); got != 1 {
		t.Errorf("after a resume the turn is %d, want 1", got)
	}
	if got := s.NextIteration(3, false); got != 4 {
		t.Errorf("without a suspension the turn is %d, want 4", got)
	}
	if s.Bound(4, 3) != 3 || !s.TurnRefused(4, 3) {
		t.Error("the fault broke another rule too")
	}
}

func TestUnknownFaultNamesTheNearest(t *testing.T) {
	_, err := With("loop.iteration-resets-on-resume", "loop.iteration-reset-on-resume")
	if err == nil || !strings.Contains(err.Error(), `did you mean "loop.iteration-resets-on-resume"`) {
		t.Errorf("error is %v", err)
	}
}
