package interrupts

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Helpers shared by the judges of interrupts.

// given blocks the judge unless the run waited for an answer.
func (g Gate) given(j *scenarios.Judge) {
	g.Log.Exists(j, openwop.OWPCAP19)
	g.Log.Readable(j)
	g.ran(j)
	if g.Suspended.Reached {
		return
	}
	switch status := g.Suspended.Last.Key("status"); status.String() {
	case "completed":
		j.Violates(openwop.OWPINT6, status, "setup failed: a run that needs an answer completed without one")
	case "running":
		j.Need(openwop.OWPINT6, g.Suspended)
	}
	j.Reach(g.Suspended, haveItWait)
}

const haveItWait = "have the run of the fixture wait at its gate, or give it longer with --patience"

// ran blocks the judge if the host failed the run of a fixture it lists.
func (g Gate) ran(j *scenarios.Judge) {
	if last := g.Suspended.Last; last.Key("status").String() == "failed" {
		j.Block("setup failed: the run of "+g.Way+" failed before it could wait: "+last.At("/error/code").JSON(),
			"list only fixtures that the host can run, or implement the nodes of this one")
	}
}

// taken blocks the judge unless the host took the answer.
func (a Response) taken(j *scenarios.Judge) {
	if !host.Succeeded(a.Status) {
		j.Block("setup failed: "+a.Asked+" is refused with HTTP "+a.Status.JSON(),
			"accept the answer at {answer node}, and let the given key answer interrupts")
	}
}

// accepted blocks the judge unless the run completed after the answer. A run that
// cannot complete would also look unmoved by a refused answer. goesOn is the
// sentence by which such an answer lets the run go on: one that waits as before
// violates it. What stands behind the gate may fail for reasons of its own.
func (a Response) accepted(j *scenarios.Judge, goesOn scenarios.RequirementID, end host.RunLog) {
	a.taken(j)
	switch {
	case !end.Ended.Reached && host.IsWaiting(end.Status().String()):
		j.Need(goesOn, end.Ended)
	case !end.Ended.Reached || end.Status().String() != "completed":
		j.Block("setup failed: the run did not complete after it was answered: its status is "+end.Status().JSON(),
			"have the run of the fixture complete once it is answered")
	}
	end.Readable(j)
}

// checkUnmoved checks that the run has not changed since its interrupt suspended it.
func (g Gate) checkUnmoved(j *scenarios.Judge, id scenarios.RequirementID, after host.RunLog, when string) (unmoved bool) {
	j.Part(func() {
		after.Readable(j)
		still := j.Check(id, host.Steps(after).Each("/eventId")).To(check.SameAs(host.Steps(g.Log).Each("/eventId")),
			"steps of the run after %s", when)
		unmoved = j.Check(id, after.Status()).To(check.SameAs(g.Suspended.Last.Key("status")), "status of the run after %s", when) && still
	})
	return unmoved
}

// unspoilt blocks the judge if one of these answers moved the run, which rule says that a host refuses.
func (g Gate) unspoilt(j *scenarios.Judge, rule scenarios.RequirementID, answers ...Response) {
	for _, a := range answers {
		if !moved(g.Log, a.After) {
			continue
		}
		reason := "setup failed: an answer that had to be refused moved the run: " + a.Asked
		switch a.HTTPStatus() / 100 {
		case 2:
			j.Violates(rule, a.Status, reason)
		case 4:
			j.Violates(openwop.OWPINT13, host.Steps(a.After).Each("/type"), reason+", which was refused")
		}
		j.Block(reason+", which was answered HTTP "+a.Status.JSON(), "refuse the answer, and leave the run as it is")
	}
}

// unspoiltBehind blocks the judge if the run moved between such answers and the barrier behind them.
func (g Gate) unspoiltBehind(j *scenarios.Judge, later host.RunLog) {
	if moved(g.Log, later) {
		j.Block("setup failed: the run moved before it was answered", "leave a run as it is until it is answered")
	}
}

// moved reports whether the run took steps in between. It is false if the later log could not be read.
func moved(before, after host.RunLog) bool {
	return host.Succeeded(after.Read) && !slices.EqualFunc(host.Steps(before).Values, host.Steps(after).Values, func(a, b wire.Value) bool {
		return a.Key("eventId").String() == b.Key("eventId").String()
	})
}

// checkRefused checks that an answer is refused with one of these statuses and leaves the run unmoved.
func (g Gate) checkRefused(j *scenarios.Judge, id scenarios.RequirementID, a Response, statuses ...int) {
	j.Check(id, a.Status).To(check.Status(statuses...), "%s", a.Asked)
	g.checkUnmoved(j, openwop.OWPINT13, a.After, a.Asked)
}

// checkBehind checks the run again after a barrier, since an answer may take
// effect only after its reply.
func (g Gate) checkBehind(j *scenarios.Judge, barrier wire.Wait, later host.RunLog) {
	host.SentinelEnded(j, barrier)
	j.Require(g.checkUnmoved(j, openwop.OWPINT13, later, "all that was refused, when another run had ended"))
}

// checkUntouched checks that an ended run has not changed.
func checkUntouched(j *scenarios.Judge, id scenarios.RequirementID, end, after host.RunLog, when string) {
	j.Part(func() {
		after.Readable(j)
		j.Check(id, host.Steps(after).Each("/eventId")).To(check.SameAs(host.Steps(end).Each("/eventId")), "steps of the run after %s", when)
		j.Check(id, after.Status()).To(check.SameAs(end.Status()), "status of the run after %s", when)
	})
}

// isOf reports whether an event belongs to a node.
func isOf(e wire.Value, node string) bool {
	return host.NodeOf(e) == node
}

// suspensions returns the events by which a node suspended the run. Hosts write
// node.suspended, interrupt.requested or both (OWP-R17).
func suspensions(l host.RunLog, node string) wire.Found {
	f := l.OfType(dialect.NodeSuspended).Where(func(e wire.Value) bool { return isOf(e, node) })
	if len(f.Values) > 0 {
		return f
	}
	return l.OfType(dialect.InterruptRequested)
}

// afterSuspension returns the events after the node's first suspension.
func afterSuspension(l host.RunLog, node string) wire.Found {
	first := suspensions(l, node).Values
	return l.All().Where(func(e wire.Value) bool { return len(first) > 0 && host.Sequence(e) > host.Sequence(first[0]) })
}

// keysOf returns the interrupt keys in the events of type t.
func keysOf(l host.RunLog, t dialect.Event) wire.Found {
	return l.OfType(t).Each("/payload/key").Where(wire.Value.Present)
}

// keys returns the interrupt keys of the suspensions, else those of the requests.
func keys(l host.RunLog) wire.Found {
	if f := keysOf(l, dialect.NodeSuspended); len(f.Values) > 0 {
		return f
	}
	return keysOf(l, dialect.InterruptRequested)
}

// CheckKeys checks the keys of the interrupts on the log of a run.
func CheckKeys(j *scenarios.Judge, l host.RunLog) {
	if found := keys(l); len(found.Values) > 0 {
		j.Check(openwop.OWPINT9, found).To(check.Distinct(), "keys of the suspensions")
		j.Check(openwop.OWPINT9, found).To(check.Each(aKey), "keys of the suspensions")
	}
}

// CheckKeysReplayed checks the keys of the interrupts on the log of a replay, as far as it raises those of its source.
func CheckKeysReplayed(j *scenarios.Judge, source, replayed host.RunLog) {
	was, is := keys(source), keys(replayed)
	if len(is.Values) > 0 && len(is.Values) <= len(was.Values) {
		was.Values = was.Values[:len(is.Values)]
		j.Check(openwop.OWPINT10, is).To(sameKeys(was, source.RunID, replayed.RunID), "keys of the suspensions in the replay")
	}
}

// sameKeys expects the keys of the source, but for the id of the run that a key may hold (OWP-R106).
func sameKeys(source wire.Found, run, replay string) check.Matcher {
	plain := func(keys any, ids ...string) []string {
		list, _ := keys.([]any)
		out := make([]string, len(list))
		for i, key := range list {
			out[i] = wire.Compact(key)
			for _, id := range ids {
				out[i] = strings.ReplaceAll(out[i], id, "{runId}")
			}
		}
		return out
	}
	want := plain(check.Plain(source.Actual()), run)
	return check.That("as in the source, but for the id of the run, "+wire.Compact(source.Actual()), func(v any) bool {
		return slices.Equal(plain(v, run, replay), want)
	})
}

// carried returns the places that show a run's data: its variables, and the outputs of its nodes and its own.
func carried(l host.RunLog) wire.Found {
	f := l.OfType(dialect.NodeCompleted, dialect.RunCompleted).Each("/payload")
	f.Values = append(f.Values, l.Ended.Last.Key("variables"), l.Ended.Last.Key("outputs"))
	return f.Where(func(v wire.Value) bool { return v.Actual() != nil })
}

// products returns a run's non-empty results: its variables, and the outputs of its
// nodes and its own (OWP-R41). A run that shows none may still have some.
func products(l host.RunLog) wire.Found {
	last := l.Ended.Last
	f := l.OfType(dialect.NodeCompleted, dialect.RunCompleted).Each("/payload/outputs")
	f.Values = append(f.Values, l.OfType(dialect.RunCompleted).Last().At("/payload/output"), last.Key("outputs"), last.Key("variables"))
	return f.Where(func(v wire.Value) bool {
		members, ok := v.Actual().(map[string]any)
		return ok && len(members) > 0
	})
}

// checkArtifact checks that the run continued with this text in its artifact. Behind a gate of ours the artifact has a name; behind
// another, hosts have their own, and one that shows neither the text nor the draft may not show artifacts.
func (g Gate) checkArtifact(j *scenarios.Judge, end host.RunLog, text, draft string) bool {
	shown := products(end)
	if len(shown.Values) == 0 {
		j.Block("the run shows neither its variables nor the outputs of its nodes, so the artifact cannot be checked",
			"show the variables of a run, or put the outputs of its nodes on the log")
	}
	if !g.Ours {
		if len(showing(shown, text).Values) == 0 && (draft == "" || len(showing(shown, draft).Values) == 0) {
			j.Block("what the run shows behind its gate has no artifact", "offer assay-approval, or show the artifact that was accepted")
		}
		return j.Check(openwop.OWPINT18, shown).To(someHolding(text), "the artifact as it was accepted, in what the run shows behind its gate")
	}
	artifacts := shown.Each("/artifact/text").Where(wire.Value.Present)
	return j.Check(openwop.OWPINT18, artifacts).To(check.Each(check.Equal(text)), "the artifact as it was accepted, wherever the run shows it")
}

// shows returns all places where a run may show an answer.
func shows(l host.RunLog) wire.Found {
	f := host.Steps(l).Each("/payload")
	f.Values = append(f.Values, l.Ended.Last.Key("variables"), l.Ended.Last.Key("outputs"))
	return f.Where(func(v wire.Value) bool { return v.Actual() != nil })
}

// showing returns the places that contain the text.
func showing(places wire.Found, text string) wire.Found {
	return places.Where(func(v wire.Value) bool { return host.Holds(v.Actual(), text) })
}

// someHolding matches a list with an element that contains the text.
func someHolding(text string) check.Matcher {
	return check.That("one or more with "+text+" in it", func(v any) bool {
		list, _ := v.([]any)
		return slices.ContainsFunc(list, func(e any) bool { return host.Holds(e, text) })
	})
}

// someOf matches a list with an element that contains one of the words.
func someOf(words ...string) check.Matcher {
	return check.That("one or more that says "+strings.Join(words, " or "), func(v any) bool {
		list, _ := v.([]any)
		return slices.ContainsFunc(list, func(e any) bool {
			return slices.ContainsFunc(words, func(w string) bool { return host.Holds(e, w) })
		})
	})
}

// checkNoTrace checks that the run shows none of the refused answers.
func checkNoTrace(j *scenarios.Judge, id scenarios.RequirementID, l host.RunLog, refused ...Response) {
	for _, a := range refused {
		if a.Marker != "" {
			j.Check(id, showing(shows(l), a.Marker)).To(check.Len(0), "places in which the run shows what was sent %s", a.Asked)
		}
	}
}

// checkRejected checks that the wait is over and that the run shows why
// (OWP-R40). The question and the timeout may contain the same words, so only
// further mentions count.
func checkRejected(j *scenarios.Judge, id scenarios.RequirementID, g Gate, end host.RunLog, words ...string) {
	if !j.Check(id, end.Ended).To(check.Reached(), "after the rejection") {
		return
	}
	end.Readable(j)
	j.Check(id, end.Status()).To(check.OneOf("failed", "completed"), "status of the run")
	behind := afterSuspension(end, g.Node).Where(func(e wire.Value) bool { return moveOf(e, g.Node) != 1 }).Each("/payload")
	behind.Values = append(behind.Values, end.Ended.Last.Key("error"))
	for _, member := range []string{"variables", "outputs"} {
		if now := end.Ended.Last.Key(member); mentionsMore(now, g.Suspended.Last.Key(member), words) {
			behind.Values = append(behind.Values, now)
		}
	}
	j.Check(id, behind).To(someOf(words...), "what the run shows behind the suspension")
	j.Check(id, end.Terminals()).To(check.Len(1), "events that end the run")
}

// mentionsMore reports whether one of the words occurs more often in now than in before.
func mentionsMore(now, before wire.Value, words []string) bool {
	count := func(v wire.Value, word string) int {
		raw, err := json.Marshal(v.Actual())
		if err != nil {
			return 0
		}
		return strings.Count(string(raw), word)
	}
	return slices.ContainsFunc(words, func(w string) bool { return count(now, w) > count(before, w) })
}

// moveOf returns the position of an event in the course of the node's interrupt, 0 if it has none.
func moveOf(e wire.Value, node string) int {
	switch dialect.EventOf(e) {
	case dialect.NodeSuspended, dialect.InterruptRequested:
		return 1
	case dialect.InterruptResolved:
		return 2
	case dialect.NodeResumed:
		return 3
	case dialect.NodeCompleted:
		if isOf(e, node) {
			return 4
		}
	}
	return 0
}
