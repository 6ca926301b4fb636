package rules

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

func TestHonestRulesOfGates(t *testing.T) {
	s := Honest()
	g := s.Gates
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	handsOn := func(action openwopv1.ApprovalAction) string {
		answer, artifact := g.HandsOn(Resolution{Answer: json.RawMessage(`0`), Action: action, Shown: json.RawMessage(`1`),
			Edited: json.RawMessage(`2`)})
		return string(answer) + " " + string(artifact)
	}
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"a key is of the node and the place", g.Key(Suspension{RunID: "r", NodeID: "n", Place: 2}) == "n:2"},
		{"timeouts are kept", g.Due(at, time.Minute, 2).Equal(at.Add(time.Minute))},
		{"too late is a rejection", actionOf(g.Lapses()) == openwopv1.ApprovalActionReject},
		{"accepted passes", g.Passes(openwopv1.ApprovalActionAccept, 0, false) && g.Passes(openwopv1.ApprovalActionEditAccept, 3, true)},
		{"the draft that was accepted is handed on", handsOn(openwopv1.ApprovalActionAccept) == "0 1"},
		{"the edit that was accepted", handsOn(openwopv1.ApprovalActionEditAccept) == "0 2"},
		{"no artifact of a rejection", handsOn(openwopv1.ApprovalActionReject) == "0 "},
		{"rejected does not", !g.Passes(openwopv1.ApprovalActionReject, 0, false)},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}

func TestHonestRulesOfAnswers(t *testing.T) {
	a := Honest().Answers
	accept := Answer{Value: json.RawMessage(`{"action":"accept"}`)}
	value, taken := a.Takes(accept)
	_, refused := a.Takes(Answer{Value: accept.Value, Refused: true})
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"flaws are minded", a.Minds(NotOffered) && a.Minds(Unanswered)},
		{"a key where the profile says so", a.Admits(Respondent{Keyless: true}) && !a.Admits(Respondent{Keyless: true, Profiled: true})},
		{"who has the scope answers", a.Admits(Respondent{}) && !a.Admits(Respondent{LacksScope: true})},
		{"everybody votes once", !a.Admits(Respondent{Votes: 1})},
		{"filled", a.Decided(Tally{Granted: 3, Required: 3}) && !a.Decided(Tally{Granted: 2, Required: 3})},
		{"vetoed", a.Decided(Tally{Rejected: 1, Required: 3})},
		{"outvoted", !a.Decided(Tally{Rejected: 1, Required: 3, Majority: true}) && a.Decided(Tally{Rejected: 2, Required: 3, Majority: true})},
		{"half is no majority", !a.Decided(Tally{Rejected: 2, Required: 4, Majority: true})},
		{"an answer is what it is", taken && string(value) == `{"action":"accept"}`},
		{"what is refused does nothing", !refused},
		{"late is refused as it should be", a.Late(Late{Code: InterruptGone}) == InterruptGone},
		{"the same again overrules nothing", !Late{Answer: accept, Before: accept.Value}.Overrules() &&
			Late{Answer: accept, Before: json.RawMessage(`[]`)}.Overrules()},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}

func TestHonestRulesOfTokens(t *testing.T) {
	k := Honest().Tokens
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"a token has its life", k.Ends(at, time.Time{}, time.Hour).Equal(at.Add(time.Hour))},
		{"but ends with its interrupt", k.Ends(at, at.Add(time.Minute), time.Hour).Equal(at.Add(time.Minute))},
		{"an interrupt may outlive it", k.Ends(at, at.Add(2*time.Hour), time.Hour).Equal(at.Add(time.Hour))},
		{"signed is genuine", k.Genuine(true) && !k.Genuine(false)},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}

func TestHonestRulesOfTenants(t *testing.T) {
	n := Honest().Tenants
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"one's own is let in", n.Visits(Visit{Tenant: "a", Owner: "a"}) == ""},
		{"another's is not there", n.Visits(Visit{Tenant: "a", Owner: "b"}) == NotFound},
		{"nobody's is not there, for nobody either", n.Visits(Visit{}) == NotFound},
		{"a key is its principal's", n.Keys("a", "p") == "p"},
		{"a run is of who asks", n.Owns("a", nil) == "a" && n.Owns("a", new("a")) == "a"},
		{"nobody asks for another", n.Owns("a", new("b")) == "" && n.Owns("a", new("")) == ""},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
