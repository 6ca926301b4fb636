package host

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// Breach says how a turn left its course. Of is the sentence that it breaks for certain, whatever the plugin, and Shown
// the value that shows it. Of is "" where a plugin may do so: it may fail for want of a credential or a model, for one.
// The zero Breach is none.
type Breach struct {
	Of    scenarios.RequirementID
	Shown wire.Seen
	Why   string
}

// Stop ends the judge, on the sentence if there is one.
func (b Breach) Stop(j *scenarios.Judge) {
	if b.Of != "" {
		j.Violates(b.Of, b.Shown, b.Why)
	}
	j.Block(b.Why, "see the turns of its transcript, and what the plugin says in them")
}

// unanswered returns the breach of a turn that is not [Turn.Answered]. A turn that outlasted our patience alone breaks
// nothing: see [GivenInTime].
func (t Turn) unanswered() Breach {
	why := fmt.Sprintf("setup failed: %s: it ended with %s, and printed %s", t.Name, t.Exit.JSON(), t.Output.JSON())
	_, exited := t.Exit.Int()
	_, isObject := t.Output.Actual().(Object)
	printed, _ := t.Bytes.Int()
	switch {
	case t.Patience != "" || t.Killed || !t.Exit.Present():
		return Breach{Why: why}
	case t.TimedOut:
		return Breach{agenticloop.RFC103T10, t.Exit, why}
	case printed > mostOutput:
		return Breach{agenticloop.RFC103WIRE1, t.Bytes, why}
	case !exited || !t.exitedSoundly():
		return Breach{agenticloop.RFC103I7, t.Exit, why}
	case !isObject:
		return Breach{agenticloop.RFC103WIRE1, t.Output, why}
	}
	return Breach{agenticloop.RFC103WIRE2, t.Answer.Key("status"), why}
}

// refused returns the breach of a turn with status error. Such a turn breaks nothing for certain: what the plugin needs
// may be missing.
func (t Turn) refused() Breach {
	return Breach{Why: fmt.Sprintf("setup failed: %s: it was answered with an error, %.300s", t.Name, t.Answer.Key("error").JSON())}
}

// askless returns the breach of a start that asked for no tool.
func (t Turn) askless() Breach {
	switch {
	case t.Status() == "error":
		return t.refused()
	case len(t.Requests().Values) > 0:
		return Breach{}
	case len(t.Ends().Values) > 0: // it may not need a tool, or not be able to go on
		return Breach{Why: "setup failed: " + t.Name + ": the run ended at once: " + t.Ends().Last().JSON()}
	}
	return Breach{agenticloop.RFC103M1, t.Events(), "setup failed: " + t.Name + ": no request for a tool, but " + t.Output.JSON()}
}

// crowded returns the breach of a turn that emitted more than one event (AL-R16).
func (t Turn) crowded() Breach {
	events := t.Events()
	if t.Status() != "ok" || len(events.Values) <= 1 {
		return Breach{}
	}
	b := Breach{agenticloop.RFC103T1, events, "setup failed: " + t.Name + ": more than one event"}
	for _, e := range events.Values {
		if kind := e.Key("type"); kind.String() != Completed && kind.String() != Escalated && !strings.HasPrefix(kind.String(), RequestPrefix) {
			b.Of, b.Shown = agenticloop.RFC103P4, kind
		}
	}
	return b
}

// unkept returns the breach of a turn that asks for a tool, unless it asks for one alone and the run waits for that. A
// turn that repeats the pending request need not return the run (AL-R14).
func (t Turn) unkept() Breach {
	requests := t.Requests().Values
	if t.Status() == "error" || len(requests) == 0 {
		return Breach{}
	}
	why := "setup failed: " + t.Name + ": it asks for a tool that its run does not wait for: " + t.Output.JSON()
	payload := requests[0].Key("payload")
	due, whole := t.asked()
	run := t.Run(due.Run)
	now := ProgressOf(run.Actual())
	switch {
	case len(requests) > 1:
		return Breach{agenticloop.RFC103T1, t.Requests(), "setup failed: " + t.Name + ": it asks for more than one tool"}
	case due.Run == "":
		return Breach{agenticloop.RFC103E7, payload.Key("run_id"), why}
	case !whole:
		return Breach{agenticloop.RFC103E7, payload.Key("step"), why}
	case due.Tool == "":
		return Breach{agenticloop.RFC103E7, payload.Key("tool"), why}
	case !run.Present() && t.WaitsAnew():
		return Breach{agenticloop.RFC103E7, payload.Key("run_id"), "setup failed: " + t.Name + ": the request does not name the run that waits"}
	case !t.Runs().Present() && t.repeats(due.Run):
		return Breach{}
	case !run.Present():
		return Breach{agenticloop.RFC103I3, run, why}
	case now.Step != due.Step:
		return Breach{agenticloop.RFC103I3, run.Key("pending_step"), why}
	case now.Tool != due.Tool:
		return Breach{agenticloop.RFC103I3, run.Key("pending_tool"), why}
	}
	return Breach{}
}

// unmoved returns the breach of a turn that was handed the result of due and emitted nothing.
func (t Turn) unmoved(due Pending) Breach {
	why := "setup failed: " + t.Name + ": the plugin emitted nothing"
	run := t.Run(due.Run)
	kept, _ := t.Unchanged(due.Run).MatchSeen(t.Runs())
	switch {
	case t.Moved():
		return Breach{}
	case t.Status() == "error":
		return t.refused()
	case due == (Pending{}) || ProgressOf(t.RunsBefore()[due.Run]) != (Progress{"running", due.Step, due.Tool}):
		return Breach{Why: why + ", and by the state its run did not wait for that result"}
	case !kept && run.Present():
		return Breach{agenticloop.RFC103T9, t.Events(), "setup failed: " + t.Name + ": the run moved, and no event says so"}
	}
	return Breach{agenticloop.RFC103V9, t.Events(), why}
}

// Breach returns the breach of a turn that departs from the RFC (see [Delivery.Departs]) in its own run.
func (d Delivery) Breach(t Turn) Breach {
	b := d.breach(t)
	b.Why = t.Name + ": " + d.Departs(t)
	return b
}

func (d Delivery) breach(t Turn) Breach {
	if !t.Answered() {
		return t.unanswered()
	}
	if d.starts() {
		return t.breachOfStart()
	}
	rule, was := d.Rule(t)
	switch {
	case rule == model.Over && !was.IsOver(), was.Status == "running" && was.Step == 0 && rule != model.Unknown:
		return Breach{} // no sentence speaks of such a run
	case t.endsAsError():
		return Breach{Of: agenticloop.RFC103P3, Shown: t.Answer.Key("status")}
	case rule == model.Unread && t.Run(d.Run).Key("status").String() == "escalated":
		return d.unended(t, agenticloop.RFC103K2)
	case rule.Allows(model.Nothing):
		return d.unsilent(t, rule)
	case rule == model.Later, rule == model.OtherTool:
		return d.unended(t, rule.Of)
	case t.Status() == "error":
		return t.refused()
	case rule == model.Failed:
		return d.unretried(t, was)
	}
	return d.unresumed(t, was)
}

func (t Turn) breachOfStart() Breach {
	if b := t.askless(); b.Why != "" {
		return b
	}
	if b := t.unkept(); b.Why != "" {
		return b
	}
	due, _ := t.asked()
	made := t.NewRuns()
	switch {
	case due.Step != 1:
		return Breach{Of: agenticloop.RFC103I2, Shown: t.Requests().Each("/payload/step")}
	case len(made.Values) != 1:
		return Breach{Of: agenticloop.RFC103T3, Shown: made}
	}
	return Breach{Of: agenticloop.RFC103T3, Shown: made.Each("/status")}
}

// unsilent returns the breach of a turn that was to ignore a result: status ok, no event, no change.
func (d Delivery) unsilent(t Turn, rule *model.Rule) Breach {
	switch {
	case t.Status() != "ok" && !rule.Allows(model.Refused):
		return Breach{Of: rule.Of, Shown: t.Answer.Key("status")}
	case t.Moved():
		return Breach{Of: rule.Of, Shown: t.Events()}
	}
	return Breach{Of: rule.Of, Shown: t.Run(d.Run)}
}

// unended returns the breach of a turn that was to escalate its run.
func (d Delivery) unended(t Turn, of scenarios.RequirementID) Breach {
	switch {
	case t.Status() != "ok" && len(t.Ends().Values) > 0:
		return Breach{Of: agenticloop.RFC103P3, Shown: t.Answer.Key("status")}
	case t.Status() != "ok":
		return Breach{Of: of, Shown: t.Answer.Key("status")}
	case len(t.OfType(Escalated).Values) == 0:
		return Breach{Of: of, Shown: t.Events()}
	}
	return d.unkeptEnd(t, "escalated", agenticloop.RFC103F3)
}

// unkeptEnd returns the breach of a turn that ends the run by its events; status is the one that the run is to have, and
// names the sentence that has the event name its run.
func (d Delivery) unkeptEnd(t Turn, status string, names scenarios.RequirementID) Breach {
	ends := t.Events()
	if b := t.crowded(); b.Of != "" {
		return b
	}
	switch {
	case ends.Last().At("/payload/run_id").String() != d.Run:
		return Breach{Of: names, Shown: ends.Last().At("/payload/run_id")}
	case t.Run(d.Run).Key("status").String() != status:
		return Breach{Of: agenticloop.RFC103S8, Shown: t.Run(d.Run).Key("status")}
	}
	return Breach{}
}

// unretried returns the breach of a turn that was handed a failure.
func (d Delivery) unretried(t Turn, was Progress) Breach {
	if len(t.Events().Values) == 1 && len(t.Requests().Values) == 1 {
		if b := t.unkept(); b.Why != "" {
			return b
		}
		due, _ := t.asked()
		if due.Run != d.Run {
			return Breach{Of: agenticloop.RFC103E7, Shown: t.Requests().Each("/payload/run_id")}
		}
		if due.Step != was.Step || due.Tool != was.Tool {
			return Breach{Of: agenticloop.RFC103V10, Shown: t.Requests().Each("/payload")}
		}
		return Breach{}
	}
	if b := t.crowded(); b.Of != "" {
		return b
	}
	if !t.Moved() && t.Run(d.Run).Key("status").String() == "escalated" {
		return Breach{Of: agenticloop.RFC103T9, Shown: t.Events()}
	}
	return d.unended(t, agenticloop.RFC103V10)
}

// unresumed returns the breach of a turn that was handed the result that is pending.
func (d Delivery) unresumed(t Turn, was Progress) Breach {
	due := Pending{d.Run, was.Step, was.Tool}
	if b := t.unmoved(due); b.Why != "" {
		return b
	}
	if b := t.crowded(); b.Of != "" {
		return b
	}
	events := t.Events()
	switch kind := events.Values[0].Key("type").String(); {
	case kind == Completed:
		return d.unkeptEnd(t, "done", agenticloop.RFC103E12)
	case kind == Escalated:
		return d.unkeptEnd(t, "escalated", agenticloop.RFC103F3)
	case len(t.Requests().Values) == 0:
		return Breach{Of: agenticloop.RFC103V9, Shown: events}
	}
	if b := t.unkept(); b.Why != "" {
		return b
	}
	next, _ := t.asked()
	switch {
	case next.Run != d.Run:
		return Breach{Of: agenticloop.RFC103E7, Shown: t.Requests().Each("/payload/run_id")}
	case next.Step > was.Step+1:
		return Breach{Of: agenticloop.RFC103I2, Shown: t.Requests().Each("/payload/step")}
	case next.Step != was.Step+1:
		return Breach{Of: agenticloop.RFC103V9, Shown: t.Requests().Each("/payload/step")}
	}
	return Breach{Of: agenticloop.RFC103I3, Shown: t.Run(d.Run).Key("status")}
}
