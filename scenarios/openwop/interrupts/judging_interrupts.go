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

// What judges of interrupts have in common.

// given stops a judge where nobody waited for an answer.
func (g Gate) given(j *scenarios.Judge) {
	g.Log.Exists(j, openwop.OWPCAP19)
	g.Log.Readable(j)
	g.ran(j)
	if g.Suspended.Reached {
		return
	}
	_, actual := check.Reached().MatchSeen(g.Suspended)
	j.BlockOn(openwop.OWPINT6, "setup failed: "+actual)
}

// ran stops a judge where the host cannot run the fixture that it lists.
func (g Gate) ran(j *scenarios.Judge) {
	if last := g.Suspended.Last; last.Key("status").String() == "failed" {
		j.Block("setup failed: the run of "+g.Way+" has failed and waited for nobody: "+last.At("/error/code").JSON(),
			"list no fixture that the host cannot run, or give it the nodes that the fixture has")
	}
}

// taken stops a judge that needs an answer to have been taken.
func (a Response) taken(j *scenarios.Judge) {
	if !host.Succeeded(a.Status) {
		j.Block("setup failed: "+a.Asked+" is refused with HTTP "+a.Status.JSON(),
			"take the answer at {answer node}, and let the key that is given answer interrupts")
	}
}

// accepted stops a judge whose control failed: a run that cannot go on stands
// still whatever it is told.
func (a Response) accepted(j *scenarios.Judge, end host.RunLog) {
	a.taken(j)
	if !end.Ended.Reached || end.Status().String() != "completed" {
		j.BlockOn(openwop.OWPINT16, "setup failed: the run did not complete when it was accepted: its status is "+end.Status().JSON())
	}
	end.Readable(j)
}

// checkUnmoved compares the run with what it was when its interrupt suspended it.
func (g Gate) checkUnmoved(j *scenarios.Judge, id scenarios.RequirementID, after host.RunLog, when string) (unmoved bool) {
	j.Part(func() {
		after.Readable(j)
		still := j.Check(id, host.Steps(after).Each("/eventId")).To(check.SameAs(host.Steps(g.Log).Each("/eventId")),
			"steps of the run after %s", when)
		unmoved = j.Check(id, after.Status()).To(check.SameAs(g.Suspended.Last.Key("status")), "status of the run after %s", when) && still
	})
	return unmoved
}

// unspoilt stops a judge of what came after answers that had to be refused, where they have moved the run.
func (g Gate) unspoilt(j *scenarios.Judge, after host.RunLog) {
	if moved(g.Log, after) {
		j.BlockOn(openwop.OWPINT13, "setup failed: the run went on with an answer that had to be refused")
	}
}

// moved tells whether a run has taken steps in between, as far as its log was read.
func moved(before, after host.RunLog) bool {
	return host.Succeeded(after.Read) && !slices.EqualFunc(host.Steps(before).Values, host.Steps(after).Values, func(a, b wire.Value) bool {
		return a.Key("eventId").String() == b.Key("eventId").String()
	})
}

// checkRefused checks that an answer is refused with one of these, and left no trace.
func (g Gate) checkRefused(j *scenarios.Judge, id scenarios.RequirementID, a Response, statuses ...int) {
	j.Check(id, a.Status).To(check.Status(statuses...), "%s", a.Asked)
	g.checkUnmoved(j, openwop.OWPINT13, a.After, a.Asked)
}

// checkBehind checks the run again behind a barrier: what an answer sets going
// may come after its reply.
func (g Gate) checkBehind(j *scenarios.Judge, barrier wire.Wait, later host.RunLog) {
	j.Need(openwop.OWP0037A1, barrier)
	j.Require(g.checkUnmoved(j, openwop.OWPINT13, later, "all that was refused, when another run had ended"))
}

// checkUntouched checks that a run that has ended stays as it was.
func checkUntouched(j *scenarios.Judge, id scenarios.RequirementID, end, after host.RunLog, when string) {
	j.Part(func() {
		after.Readable(j)
		j.Check(id, host.Steps(after).Each("/eventId")).To(check.SameAs(host.Steps(end).Each("/eventId")), "steps of the run after %s", when)
		j.Check(id, after.Status()).To(check.SameAs(end.Status()), "status of the run after %s", when)
	})
}

// isOf says whether an event is of a node. Not every host names it in both places.
func isOf(e wire.Value, node string) bool {
	return host.FirstText(e.Key("nodeId"), e.At("/payload/nodeId")) == node
}

// suspensions are the events by which a node suspended the run. Hosts write
// node.suspended, interrupt.requested or both (OWP-R17).
func suspensions(l host.RunLog, node string) wire.Found {
	f := l.OfType(dialect.NodeSuspended).Where(func(e wire.Value) bool { return isOf(e, node) })
	if len(f.Values) > 0 {
		return f
	}
	return l.OfType(dialect.InterruptRequested)
}

// afterSuspension are the events behind the first suspension of the node.
func afterSuspension(l host.RunLog, node string) wire.Found {
	first := suspensions(l, node).Values
	return l.All().Where(func(e wire.Value) bool { return len(first) > 0 && host.Sequence(e) > host.Sequence(first[0]) })
}

// keysOf are the keys under which interrupts were raised, as far as the log shows them.
func keysOf(l host.RunLog, t dialect.Event) wire.Found {
	return l.OfType(t).Each("/payload/key").Where(wire.Value.Present)
}

// keys are those of the suspensions, else those of the requests.
func keys(l host.RunLog) wire.Found {
	if f := keysOf(l, dialect.NodeSuspended); len(f.Values) > 0 {
		return f
	}
	return keysOf(l, dialect.InterruptRequested)
}

// carried is where a run shows what it was given: its variables, and what its nodes and itself put out.
func carried(l host.RunLog) wire.Found {
	f := l.OfType(dialect.NodeCompleted, dialect.RunCompleted).Each("/payload")
	f.Values = append(f.Values, l.Ended.Last.Key("variables"), l.Ended.Last.Key("outputs"))
	return f.Where(func(v wire.Value) bool { return v.Actual() != nil })
}

// products are where a run shows what it has made: its variables, and the outputs
// of its nodes and of itself (OWP-R41). One that shows none may have some.
func products(l host.RunLog) wire.Found {
	last := l.Ended.Last
	f := l.OfType(dialect.NodeCompleted, dialect.RunCompleted).Each("/payload/outputs")
	f.Values = append(f.Values, l.OfType(dialect.RunCompleted).Last().At("/payload/output"), last.Key("outputs"), last.Key("variables"))
	return f.Where(func(v wire.Value) bool {
		members, ok := v.Actual().(map[string]any)
		return ok && len(members) > 0
	})
}

// checkArtifact checks that the run went on with this text in its artifact.
func checkArtifact(j *scenarios.Judge, end host.RunLog, text string) bool {
	shown := products(end)
	if len(shown.Values) == 0 {
		j.Block("the run shows neither its variables nor what its nodes put out, so with what it went on cannot be seen",
			"show the variables of a run, or put the outputs of its nodes on the log")
	}
	artifacts := shown.Each("/artifact/text").Where(wire.Value.Present)
	return j.Check(openwop.OWPINT18, artifacts).To(check.Each(check.Equal(text)), "the artifact as it was accepted, wherever the run shows it")
}

// shows are all places in which a run shows what it was answered.
func shows(l host.RunLog) wire.Found {
	f := host.Steps(l).Each("/payload")
	f.Values = append(f.Values, l.Ended.Last.Key("variables"), l.Ended.Last.Key("outputs"))
	return f.Where(func(v wire.Value) bool { return v.Actual() != nil })
}

// showing are the places that hold this text.
func showing(places wire.Found, text string) wire.Found {
	return places.Where(func(v wire.Value) bool { return host.Holds(v.Actual(), text) })
}

// someHolding expects a list in which one holds the text.
func someHolding(text string) check.Matcher {
	return check.That("one or more with "+text+" in it", func(v any) bool {
		list, _ := v.([]any)
		return slices.ContainsFunc(list, func(e any) bool { return host.Holds(e, text) })
	})
}

// someOf expects a list in which one holds one of the words.
func someOf(words ...string) check.Matcher {
	return check.That("one or more that says "+strings.Join(words, " or "), func(v any) bool {
		list, _ := v.([]any)
		return slices.ContainsFunc(list, func(e any) bool {
			return slices.ContainsFunc(words, func(w string) bool { return host.Holds(e, w) })
		})
	})
}

// checkNoTrace checks that answers which were refused are nowhere in the run.
func checkNoTrace(j *scenarios.Judge, id scenarios.RequirementID, l host.RunLog, refused ...Response) {
	for _, a := range refused {
		if a.Marker != "" {
			j.Check(id, showing(shows(l), a.Marker)).To(check.Len(0), "places in which the run shows what was sent %s", a.Asked)
		}
	}
}

// checkRejected checks that the wait is over and that the run shows why
// (OWP-R40). What it was asked, and for how long, has the same words in it: of that
// nothing counts.
func checkRejected(j *scenarios.Judge, id scenarios.RequirementID, g Gate, end host.RunLog, words ...string) {
	if !j.Check(id, end.Ended).To(check.Reached(), "after the rejection") {
		return
	}
	end.Readable(j)
	j.Check(id, end.Status()).To(check.OneOf("failed", "completed"), "status of the run")
	behind := afterSuspension(end, g.Node).Where(func(e wire.Value) bool { return moveOf(e, g.Node) != 1 }).Each("/payload")
	behind.Values = append(behind.Values, end.Ended.Last.Key("error"))
	for _, member := range []string{"variables", "outputs"} {
		if now := end.Ended.Last.Key(member); saysMore(now, g.Suspended.Last.Key(member), words) {
			behind.Values = append(behind.Values, now)
		}
	}
	j.Check(id, behind).To(someOf(words...), "what the run shows behind the suspension")
	j.Check(id, end.Terminals()).To(check.Len(1), "events that end the run")
}

// saysMore tells whether one of the words stands in a value more often than it did before.
func saysMore(now, before wire.Value, words []string) bool {
	count := func(v wire.Value, word string) int {
		raw, err := json.Marshal(v.Actual())
		if err != nil {
			return 0
		}
		return strings.Count(string(raw), word)
	}
	return slices.ContainsFunc(words, func(w string) bool { return count(now, w) > count(before, w) })
}

// moveOf is the place of an event in the course of an interrupt of the node; 0 has none.
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
