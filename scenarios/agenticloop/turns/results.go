package turns

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// likewise are the sentences that say of some result what the sentence of its rule says.
var likewise = []struct {
	rule *model.Rule
	of   scenarios.IDs
}{
	{model.Unknown, scenarios.IDs{agenticloop.RFC103F1, agenticloop.RFC103I5}},
	{model.Over, scenarios.IDs{agenticloop.RFC103READ8, agenticloop.RFC103I5}},
	{model.Stale, scenarios.IDs{agenticloop.RFC103M4, agenticloop.RFC103I5, agenticloop.RFC103I6}},
	{model.OtherTool, scenarios.IDs{agenticloop.RFC103M5, agenticloop.RFC103F2, agenticloop.RFC103I5}},
	{model.Later, scenarios.IDs{agenticloop.RFC103I5}},
	{model.Matching, scenarios.IDs{agenticloop.RFC103E11, agenticloop.RFC103M2, agenticloop.RFC103T7, agenticloop.RFC103T9}},
}

// broken are the sentences that a result can be seen to break beside that of its rule. See [host.Delivery.Breach].
var broken = scenarios.IDs{agenticloop.RFC103T1, agenticloop.RFC103T9, agenticloop.RFC103P3, agenticloop.RFC103P4, agenticloop.RFC103E7,
	agenticloop.RFC103E12, agenticloop.RFC103F3, agenticloop.RFC103S8, agenticloop.RFC103I2, agenticloop.RFC103I3, agenticloop.RFC103I7,
	agenticloop.RFC103WIRE1, agenticloop.RFC103WIRE2}

// resumed lists what [turn.checkResult] checks.
func resumed() scenarios.IDs {
	all := append(scenarios.IDs{agenticloop.RFC103V1, agenticloop.RFC103V3, agenticloop.RFC103V5, agenticloop.RFC103M3,
		agenticloop.RFC103O5, agenticloop.RFC103T4, agenticloop.RFC103X1, agenticloop.RFC103X2}, broken...)
	for _, r := range model.Rules {
		if r != model.Misshapen && r != model.Again { // no result that can be read is so
			all = append(all, r.Of)
		}
	}
	for _, l := range likewise {
		all = append(all, l.of...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// checkResult checks what came of a result. A turn that fails breaks nothing for certain: what the plugin needs may be missing.
func (t turn) checkResult(j *scenarios.Judge) {
	speaks := t.rule == model.Unknown || t.was.IsOver() || t.was.Status == "running" && t.was.Step > 0
	if !t.resumes || !speaks || !t.Answered() || t.renamed() {
		return // no sentence speaks of a run that neither waits nor is over
	}
	why := t.delivery.Departs(t.Turn)
	if why != "" {
		if b := t.delivery.Breach(t.Turn); b.Of != "" && !t.bewildered() {
			j.Check(b.Of, b.Shown).To(allowed(why), "%s", t.Name)
		}
		return
	}
	if t.Status() != "ok" {
		return
	}
	held := scenarios.IDs{t.rule.Of, agenticloop.RFC103T4}
	for _, l := range likewise {
		if l.rule == t.rule {
			held = append(held, l.of...)
		}
	}
	if t.decidedEarly() {
		held = append(held, agenticloop.RFC103V1)
	}
	if t.known.taken[t.delivery.Step] && !t.rule.Allows(model.Asked) {
		held = append(held, agenticloop.RFC103M3, agenticloop.RFC103O5)
	}
	if t.rule == model.Matching {
		switch {
		case len(t.OfType(host.Completed).Values) == 1:
			held = append(held, agenticloop.RFC103X2)
		case len(t.Requests().Values) == 1:
			held = append(held, agenticloop.RFC103I2)
			if t.was.Step == 1 {
				held = append(held, agenticloop.RFC103X1)
			}
		}
	}
	for _, id := range held {
		j.Check(id, t.Answer).To(allowed(""), "%s", t.Name)
	}
	switch t.rule {
	case model.Unknown:
		j.Check(agenticloop.RFC103V3, t.Answer.Key("logs").Items().Each("/level")).To(has("warn"), "%s: logs", t.Name)
	case model.Over:
		j.Check(agenticloop.RFC103V5, t.Answer.Key("logs").Items().Each("/level")).To(has("info"), "%s: logs", t.Name)
	}
}

// bewildered reports whether the turn may be excused: its planner may have failed, which no recording shows (AL-R121), or the failure that
// it was handed may have been a duplicate.
func (t turn) bewildered() bool {
	if t.rule == model.FailedTwice {
		return true
	}
	other := t.delivery
	other.Odd = model.Nonsense
	return t.rule.Allows(model.Asked) && other.Departs(t.Turn) == ""
}

// renamed reports whether the tool that a result names may be the pending one by another name, and was taken for it. A profile may give a
// tool two names, and results may bring either: the one that routed the request is known where that was seen.
func (t turn) renamed() bool {
	route, seen := t.known.routes[t.was.Step]
	return t.rule == model.OtherTool && (!seen || t.delivery.Tool == route) && len(t.OfType(host.Escalated).Values) == 0
}

// decidedEarly reports whether a later check would have decided otherwise.
func (t turn) decidedEarly() bool {
	return t.rule == model.Stale && t.delivery.Tool != t.was.Tool || t.rule == model.Over && t.delivery.Status == "error"
}

// allowed matches an answer unless it departs from what may come of a result.
func allowed(departs string) check.Matcher {
	return check.Seeing("what the rules of results allow", func(s wire.Seen) (bool, string) {
		return departs == "", fmt.Sprintf("%s: %s", departs, wire.Compact(s.Actual()))
	})
}

// has matches a list with a text.
func has(text string) check.Matcher {
	return check.That("one of them "+text, func(v any) bool {
		list, _ := v.([]any)
		return slices.Contains(list, any(text))
	})
}
