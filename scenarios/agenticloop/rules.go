package agenticloop

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// watched is an observation with all turns that its drive started.
type watched interface{ all() []Turn }

// Turns are all turns that a drive started, but those that it killed on purpose.
type Turns []Turn

func (t Turns) all() []Turn { return t }

// everyTurn asks of all turns of a drive what holds of any turn: the other scenarios look at what one turn was for.
func everyTurn[O watched](suite string, d *scenarios.Drive[O]) scenarios.Scenario {
	return everyTurnOf(suite, d, plugin)
}

// everyTurnOf is everyTurn of a drive that needs a claim.
func everyTurnOf[O watched](suite string, d *scenarios.Drive[O], claim scenarios.Claim) scenarios.Scenario {
	name := d.ID[len("agenticloop/"):]
	return scenarios.Scenario{
		ID:     scenarios.ScenarioID("agenticloop/" + suite + "/turns-of-" + name),
		Title:  "every turn of " + name + " ends as a turn does, and keeps its books",
		Proves: soundTurn,
		Claim:  claim,
		Ask: scenarios.Ask(d, func(o O, j *scenarios.Judge) {
			for _, t := range o.all() {
				j.Part(func() { t.sound(j) })
			}
			if !asksForTools(o.all()) {
				j.BlockOn(agenticloopv2.RFC103M1, "set-up: no turn asked for a tool")
			}
		}),
	}
}

// soundTurn is what holds of any turn. The exit code speaks for the invariant; the sentences that say it again are proved
// in the suite protocol.
var soundTurn = scenarios.IDs{
	agenticloopv2.RFC103I7, agenticloopv2.RFC103T10, agenticloopv2.RFC103WIRE1, agenticloopv2.RFC103WIRE2, agenticloopv2.RFC103WIRE3, agenticloopv2.RFC103P4,
	agenticloopv2.RFC103T1, agenticloopv2.RFC103E7, agenticloopv2.RFC103I3, agenticloopv2.RFC103D1, agenticloopv2.RFC103WIRE12, agenticloopv2.RFC103WIRE13,
	agenticloopv2.RFC103READ5,
}

// inTime stops a judge where a turn had not ended when the patience was over, and nothing says that it should have.
func inTime(j *scenarios.Judge, turns ...Turn) {
	for _, t := range turns {
		if t.Patience != "" {
			j.Block(fmt.Sprintf("%s: it had not ended after %s, and a turn may take %s unless the profile says otherwise", t.Name, t.Patience, usualTurn),
				"say turn_seconds under limits in "+ProfileName+", or give it --patience "+usualTurn.String())
		}
	}
}

func asksForTools(turns []Turn) bool {
	for _, t := range turns {
		if t.answered() && len(t.requests().Values) > 0 {
			return true
		}
	}
	return false
}

// sound checks what holds of any turn. What rests on a response that is not there is not looked at.
func (t Turn) sound(j *scenarios.Judge) {
	if t.Killed {
		return
	}
	inTime(j, t)
	if t.TimedOut { // there is no more to be said of it
		j.Check(agenticloopv2.RFC103T10, t.Exit).To(check.Integer(0, 0), "%s: how it ended", t.Name)
		return
	}
	j.Check(agenticloopv2.RFC103T10, t.Survivors).To(check.Len(0), "%s: processes that it left behind", t.Name)
	j.Check(agenticloopv2.RFC103WIRE1, t.Bytes).To(check.Integer(0, 10<<20), "%s: bytes on standard output", t.Name)
	if t.Refused && !t.answered() {
		return // what it was handed was no request: what is said to that is asked elsewhere
	}
	if !j.Check(agenticloopv2.RFC103I7, t.Exit).To(check.Equal(0), "%s: exit code", t.Name) {
		return
	}
	if !j.Check(agenticloopv2.RFC103WIRE1, t.Output).To(anObject(), "%s: standard output", t.Name) {
		return
	}
	t.soundResponse(j)
	t.soundEvents(j)
	t.soundState(j)
}

func (t Turn) soundResponse(j *scenarios.Judge) {
	status := t.Answer.Key("status")
	j.Check(agenticloopv2.RFC103WIRE2, status).To(check.OneOf("ok", "error"), "%s: status", t.Name)
	if status.String() == "error" {
		j.Check(agenticloopv2.RFC103WIRE2, t.Answer.Key("error")).To(check.Text(), "%s: error", t.Name)
	}
}

func (t Turn) soundEvents(j *scenarios.Judge) {
	if events := t.Answer.Key("events"); events.Actual() != nil {
		j.Check(agenticloopv2.RFC103WIRE3, events).To(check.That("a list", func(v any) bool { _, ok := v.([]any); return ok }), "%s: events", t.Name)
	}
	for _, e := range t.events().Values {
		j.Check(agenticloopv2.RFC103WIRE3, e.Key("type")).To(check.Text(), "%s: type of an event", t.Name)
		j.Check(agenticloopv2.RFC103WIRE3, e.Key("payload")).To(anObject(), "%s: payload of an event", t.Name)
		if at := e.Key("timestamp"); at.Present() {
			j.Check(agenticloopv2.RFC103WIRE3, at).To(instant(), "%s: timestamp of an event", t.Name)
		}
		j.Check(agenticloopv2.RFC103P4, e.Key("type")).To(check.That(completed+", "+escalated+" or a request for a tool", func(v any) bool {
			kind, _ := v.(string)
			return kind == completed || kind == escalated || routed.MatchString(kind)
		}), "%s: type of an event", t.Name)
	}
	// One run a turn: what moves is a request or an end, and not both (AL-R16).
	j.Check(agenticloopv2.RFC103T1, t.events()).To(check.Seeing("one event at most", func(s wire.Seen) (bool, string) {
		list, _ := s.Actual().([]any)
		return len(list) <= 1, fmt.Sprint(len(list))
	}), "%s: events", t.Name)
	if t.Answer.Key("status").String() == "error" { // they are not routed
		return
	}
	for _, e := range t.requests().Values {
		payload := e.Key("payload")
		run, step := payload.Key("run_id").String(), payload.Key("step")
		n, _ := step.Int()
		after := t.run(run)
		j.Check(agenticloopv2.RFC103E7, payload.Key("run_id")).To(matching("an id", runID), "%s: run_id of the request", t.Name)
		if !after.Present() && t.asksInItsState() {
			j.Part(func() {
				j.BlockOn(agenticloopv2.RFC103E7, fmt.Sprintf("set-up: %s: the request names run %.80q, and another one waits", t.Name, run))
			})
			continue
		}
		j.Check(agenticloopv2.RFC103D1, e.Key("dedupe_key")).To(requestKey(run, n), "%s: dedupe_key", t.Name)
		if !t.runs().Present() && t.repeats(run) { // the gateway has kept that it is pending
			continue
		}
		j.Check(agenticloopv2.RFC103I3, after.Key("status")).To(check.Equal("running"), "%s: status of the run that asks", t.Name)
		j.Check(agenticloopv2.RFC103I3, after.Key("pending_step")).To(check.SameAs(step), "%s: pending_step", t.Name)
		j.Check(agenticloopv2.RFC103I3, after.Key("pending_tool")).To(check.SameAs(payload.Key("tool")), "%s: pending_tool", t.Name)
	}
}

// asksInItsState says whether the response has a run that waits for what it did not wait for before, whatever its
// request names.
func (t Turn) asksInItsState() bool {
	runs, _ := t.runs().Actual().(object)
	before := t.before()
	for id, run := range runs {
		if now := waitsOf(run); now.status == "running" && now.step > 0 && now != waitsOf(before[id]) {
			return true
		}
	}
	return false
}

// mostState is how long the state may be, in bytes (RFC103-WIRE-13).
const mostState = 1 << 20

func (t Turn) soundState(j *scenarios.Judge) {
	updates := t.Answer.Key("state_updates")
	j.Check(agenticloopv2.RFC103WIRE13, updates).To(check.Seeing(fmt.Sprintf("at most %d bytes of state", mostState), func(s wire.Seen) (bool, string) {
		n := sizeOf(s.Actual())
		return n <= mostState, fmt.Sprintf("%d bytes", n)
	}), "%s: state_updates", t.Name)
	// An agent may let go of runs that are over: nothing bounds the state else (AL-R25).
	var known []string
	for id, run := range t.before() {
		if r, _ := run.(object); r["status"] == "running" {
			known = append(known, id)
		}
	}
	j.Check(agenticloopv2.RFC103WIRE12, t.runs()).To(check.Seeing("absent, or an object with every run that was running", func(s wire.Seen) (bool, string) {
		runs, isObject := s.Actual().(map[string]any)
		if !isObject {
			return s.Actual() == nil, wire.Compact(s.Actual())
		}
		for _, id := range known {
			if _, there := runs[id]; !there {
				return false, "run " + id + " is gone"
			}
		}
		return true, fmt.Sprintf("%d runs", len(runs))
	}), "%s: runs", t.Name)
	j.Check(agenticloopv2.RFC103READ5, t.runs()).To(t.othersKept(), "%s: runs", t.Name)
}

// part says whether a run says nothing but what another one said, its status among it.
func part(run, of any) bool {
	less, _ := plainly(run).(map[string]any)
	more, _ := plainly(of).(map[string]any)
	for name, value := range less {
		if !reflect.DeepEqual(value, more[name]) {
			return false
		}
	}
	return less["status"] == more["status"]
}

// othersKept expects that each run that the turn was not told of is as it was, or let go of where it was over.
func (t Turn) othersKept() check.Matcher {
	return check.Seeing("the runs that it was not told of as they were", func(s wire.Seen) (bool, string) {
		runs, _ := s.Actual().(map[string]any)
		before := t.before()
		for _, id := range sortedKeys(before) {
			now, there := runs[id]
			was := before[id]
			switch {
			case !there || slices.Contains(t.About, id) || same(now, was):
			case isOver(was) && part(now, was): // shrunk, to make room
			default:
				return false, "run " + id + " is " + wire.Compact(now)
			}
		}
		return true, "as they were"
	})
}
