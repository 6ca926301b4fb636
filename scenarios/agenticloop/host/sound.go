package host

import (
	"fmt"
	"maps"
	"slices"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// watched is an observation that holds all turns of its drive.
type watched interface{ All() []Turn }

// EveryTurn makes the scenario that checks every turn of a drive for what holds of any turn. The other scenarios look
// at what a turn was for.
func EveryTurn[O watched](suite string, d *scenarios.Drive[O]) scenarios.Scenario {
	return EveryTurnClaiming(suite, d, claims.Plugin)
}

// EveryTurnClaiming is [EveryTurn] for a drive that needs a claim.
func EveryTurnClaiming[O watched](suite string, d *scenarios.Drive[O], claim scenarios.Claim) scenarios.Scenario {
	return everyTurn(suite, d, claim, soundTurn, func(j *scenarios.Judge, turns []Turn) {
		for _, t := range turns {
			j.Part(func() { t.stopIfOthersTouched(j) })
		}
	})
}

// EveryTurnAmongRuns is [EveryTurn] for a drive whose turns change a run while another one waits. It proves as well that
// the other one stays as it is.
func EveryTurnAmongRuns[O watched](suite string, d *scenarios.Drive[O]) scenarios.Scenario {
	return everyTurn(suite, d, claims.Plugin, slices.Concat(soundTurn, amongRuns), func(j *scenarios.Judge, turns []Turn) {
		seen := false
		for _, t := range turns {
			j.Part(func() { seen = t.CheckOthers(j) || seen })
		}
		if !seen {
			j.Block("setup failed: no turn returned its run while another one was waiting", "return the runs in state_updates")
		}
	})
}

func everyTurn[O watched](suite string, d *scenarios.Drive[O], claim scenarios.Claim, proves scenarios.IDs,
	others func(*scenarios.Judge, []Turn),
) scenarios.Scenario {
	name := d.ID[len("agenticloop/"):]
	return scenarios.Scenario{
		ID:     scenarios.ScenarioID("agenticloop/" + suite + "/turns-of-" + name),
		Title:  "every turn of " + name + " ends as a turn does, and keeps its books",
		Proves: proves,
		Claim:  claim,
		Ask: scenarios.Ask(d, func(o O, j *scenarios.Judge) {
			for _, t := range o.All() {
				j.Part(func() { t.checkSound(j) })
			}
			if !asksForTools(o.All()) {
				j.Block("setup failed: no turn asked for a tool, so what holds of requests was not seen", "have a start ask for a tool")
			}
			others(j, o.All())
		}),
	}
}

// soundTurn lists what holds of any turn. Sentences that say again what the exit code says are proved in the suite
// protocol.
var soundTurn = scenarios.IDs{
	agenticloop.RFC103I7, agenticloop.RFC103T10, agenticloop.RFC103WIRE1, agenticloop.RFC103WIRE2,
	agenticloop.RFC103WIRE3, agenticloop.RFC103P4, agenticloop.RFC103T1, agenticloop.RFC103E7,
	agenticloop.RFC103I3, agenticloop.RFC103D1, agenticloop.RFC103WIRE13,
}

// amongRuns lists what holds of a turn that changes a run while another one waits.
var amongRuns = scenarios.IDs{agenticloop.RFC103WIRE12, agenticloop.RFC103READ5}

func asksForTools(turns []Turn) bool {
	for _, t := range turns {
		if t.Answered() && t.Status() == "ok" && len(t.Requests().Values) > 0 {
			return true
		}
	}
	return false
}

// checkSound checks what holds of any turn.
func (t Turn) checkSound(j *scenarios.Judge) {
	if t.Killed {
		return
	}
	GivenInTime(j, t)
	if t.TimedOut { // nothing else can be said of it
		j.Check(agenticloop.RFC103T10, t.Exit).To(check.Integer(0, 0), "%s: how it ended", t.Name)
		return
	}
	j.Check(agenticloop.RFC103T10, t.Survivors).To(check.Len(0), "%s: processes that it left behind", t.Name)
	t.CheckAnswer(j)
}

// CheckAnswer checks what holds of the answer of any turn that ended in time. Without a response it skips the checks of the response.
func (t Turn) CheckAnswer(j *scenarios.Judge) {
	j.Check(agenticloop.RFC103WIRE1, t.Bytes).To(check.Integer(0, mostOutput), "%s: bytes on standard output", t.Name)
	if t.Refused && !t.Answered() {
		return // its input was no request: other scenarios judge the answer to that
	}
	if !t.Refused && (!t.CheckExit(j, agenticloop.RFC103I7) ||
		!j.Check(agenticloop.RFC103WIRE1, t.Output).To(AnObject(), "%s: standard output", t.Name)) {
		return
	}
	t.CheckResponse(j)
	t.checkEvents(j)
	if t.Status() != "error" { // the gateway does not route the events of an error
		for _, e := range t.Requests().Values {
			t.checkRequest(j, e)
		}
	}
	t.checkState(j)
}

// CheckResponse checks that the status is ok, or error with words.
func (t Turn) CheckResponse(j *scenarios.Judge) {
	if !t.Refused {
		j.Check(agenticloop.RFC103WIRE2, t.Answer.Key("status")).To(check.OneOf("ok", "error"), "%s: status", t.Name)
	}
	if t.Status() == "error" {
		j.Check(agenticloop.RFC103WIRE2, t.Answer.Key("error")).To(check.Text(), "%s: error", t.Name)
	}
}

// emitted matches the type of an event that a plugin may emit.
func emitted() check.Matcher {
	return check.That(Completed+", "+Escalated+" or a request for a tool", func(v any) bool {
		kind, _ := v.(string)
		return kind == Completed || kind == Escalated || Routed.MatchString(kind)
	})
}

func (t Turn) checkEvents(j *scenarios.Judge) {
	if events := t.Answer.Key("events"); events.Actual() != nil {
		j.Check(agenticloop.RFC103WIRE3, events).To(AList(), "%s: events", t.Name)
	}
	for _, e := range t.Events().Values {
		j.Check(agenticloop.RFC103WIRE3, e.Key("type")).To(check.Text(), "%s: type of an event", t.Name)
		j.Check(agenticloop.RFC103WIRE3, e.Key("payload")).To(AnObject(), "%s: payload of an event", t.Name)
		if at := e.Key("timestamp"); at.Present() {
			j.Check(agenticloop.RFC103WIRE3, at).To(Instant(), "%s: timestamp of an event", t.Name)
		}
		j.Check(agenticloop.RFC103P4, e.Key("type")).To(emitted(), "%s: type of an event", t.Name)
	}
	// A turn moves one run: by a request or by an end, not both (AL-R16).
	j.Check(agenticloop.RFC103T1, t.Events()).To(check.Seeing("one event at most", func(s wire.Seen) (bool, string) {
		list, _ := s.Actual().([]any)
		return len(list) <= 1, fmt.Sprint(len(list))
	}), "%s: events", t.Name)
}

// checkRequest checks that a request names the run that waits for it, and what the run waits for.
func (t Turn) checkRequest(j *scenarios.Judge, e wire.Value) {
	payload := e.Key("payload")
	run, step := payload.Key("run_id").String(), payload.Key("step")
	n, _ := step.Int()
	after := t.Run(run)
	j.Check(agenticloop.RFC103E7, payload.Key("run_id")).To(check.Text(), "%s: run_id of the request", t.Name)
	if !after.Present() && t.WaitsAnew() {
		reason := fmt.Sprintf("setup failed: %s: the request names run %.80q, and another one waits", t.Name, run)
		j.Part(func() { j.Violates(agenticloop.RFC103E7, payload.Key("run_id"), reason) })
		return
	}
	j.Check(agenticloop.RFC103D1, e.Key("dedupe_key")).To(requestKey(run, n), "%s: dedupe_key", t.Name)
	if !t.Runs().Present() && t.repeats(run) { // the gateway has kept that it is pending
		return
	}
	j.Check(agenticloop.RFC103I3, after.Key("status")).To(check.Equal("running"),
		"%s: status of the run that asks", t.Name)
	j.Check(agenticloop.RFC103I3, after.Key("pending_step")).To(check.SameAs(step), "%s: pending_step", t.Name)
	j.Check(agenticloop.RFC103I3, after.Key("pending_tool")).To(check.SameAs(payload.Key("tool")),
		"%s: pending_tool", t.Name)
}

// mostOutput is the largest response, in bytes (RFC103-WIRE-1).
const mostOutput = 10 << 20

// MostState is the largest state, in bytes (RFC103-WIRE-13).
const MostState = 1 << 20

func (t Turn) checkState(j *scenarios.Judge) {
	small := check.Seeing(fmt.Sprintf("at most %d bytes of state", MostState), func(s wire.Seen) (bool, string) {
		n := SizeOf(s.Actual())
		return n <= MostState, fmt.Sprintf("%d bytes", n)
	})
	j.Check(agenticloop.RFC103WIRE13, t.Answer.Key("state_updates")).To(small, "%s: state_updates", t.Name)
}

// CheckOthers checks that a turn which returns its runs has kept those that it was not told of. It reports whether there
// was one that still runs: without one, nothing could have been lost.
func (t Turn) CheckOthers(j *scenarios.Judge) bool {
	if !t.readable() || t.Runs().Actual() == nil || !t.AmongRuns() {
		t.stopIfOthersTouched(j)
		return false
	}
	j.Check(agenticloop.RFC103WIRE12, t.Runs()).To(t.everyRunningRun(), "%s: runs", t.Name)
	before := t.RunsBefore()
	for _, id := range slices.Sorted(maps.Keys(before)) {
		if now := t.Run(id); now.Present() && !slices.Contains(t.About, id) {
			j.Check(agenticloop.RFC103READ5, now).To(keptFrom(before[id]), "%s: a run that it was not told of", t.Name)
		}
	}
	return true
}

// stopIfOthersTouched ends the judge if the turn lost a run, or changed one that it was not told of.
func (t Turn) stopIfOthersTouched(j *scenarios.Judge) {
	if !t.readable() {
		return
	}
	if ok, found := t.everyRunningRun().MatchSeen(t.Runs()); !ok {
		j.Violates(agenticloop.RFC103WIRE12, t.Runs(), "setup failed: "+t.Name+": "+found)
	}
	if ok, found := t.othersKept().MatchSeen(t.Runs()); !ok {
		j.Violates(agenticloop.RFC103READ5, t.Runs(), "setup failed: "+t.Name+": "+found)
	}
}

// readable reports whether the turn ended in time and as it may, with an object.
func (t Turn) readable() bool {
	_, isObject := t.Output.Actual().(Object)
	return !t.Killed && !t.TimedOut && t.exitedSoundly() && isObject
}

// AmongRuns reports whether the turn was handed a running run that it was not told of.
func (t Turn) AmongRuns() bool {
	for id, run := range t.RunsBefore() {
		if !slices.Contains(t.About, id) && ProgressOf(run).Status == "running" {
			return true
		}
	}
	return false
}

// everyRunningRun matches runs that hold each one that was running. A plugin may drop runs that are over (AL-R25).
func (t Turn) everyRunningRun() check.Matcher {
	return check.Seeing("absent, or an object with every run that was running", func(s wire.Seen) (bool, string) {
		runs, isObject := s.Actual().(Object)
		if !isObject {
			return s.Actual() == nil, wire.Compact(s.Actual())
		}
		for id, run := range t.RunsBefore() {
			if _, there := runs[id]; !there && ProgressOf(run).Status == "running" {
				return false, "run " + id + " is gone"
			}
		}
		return true, fmt.Sprintf("%d runs", len(runs))
	})
}
