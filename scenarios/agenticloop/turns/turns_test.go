package turns_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/turns"
	"github.com/openassay/assay/scenarios/wire"
)

const config = `{"allowed_plugins":["fetch","fabric"],"max_steps":3}`

// running is a run that waits for a step of a tool.
func running(step int, tool string) string {
	return fmt.Sprintf(`{"status":"running","goal":"read","step":%d,"max_steps":3,"pending_step":%d,"pending_tool":%q,`+
		`"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}`, step, step, tool)
}

const (
	done      = `{"status":"done","goal":"read","step":2,"max_steps":3}`
	escalated = `{"status":"escalated","goal":"read","step":2,"max_steps":3}`
)

// turn is a turn that was handed an event with a state, in which a run r may be.
func turn(event, run, answer string) wire.Entry {
	state := `{}`
	if run != "" {
		state = `{"runs":{"r":` + run + `},"last_run_id":"r"}`
	}
	input := fmt.Sprintf(`{"protocol":2,"job_id":"j","command":"handle","config":%s,"state":%s,"event":%s,`+
		`"deadline_at":"2026-01-01T00:00:00Z"}`, config, state, event)
	return handed(input, answer, 0)
}

func handed(input, answer string, exit int) wire.Entry {
	return wire.Entry{Kind: "process", Process: &wire.Spawned{Command: []string{"plugin"}, Input: input, InputBytes: int64(len(input)),
		Output: answer, OutputBytes: int64(len(answer)), Exit: &exit}}
}

const start = `{"type":"agentic.start","event_id":"e","payload":{"goal":"read"}}`

func result(step int, tool, status string) string {
	return fmt.Sprintf(`{"type":"agentic.tool_result","payload":{"run_id":"r","step":%d,"tool":%q,"status":%q,"result":{"content":"x"}}}`,
		step, tool, status)
}

// asks is an answer that asks for a step of a tool; kept is the run in it.
func asks(step int, tool, kept string) string {
	return fmt.Sprintf(`{"status":"ok","events":[{"type":"agentic.tool_request.%[2]s","dedupe_key":"agentic:run:r:step:%[1]d:request",`+
		`"payload":{"run_id":"r","step":%[1]d,"tool":%[2]q,"tool_command":"run","tool_payload":{"url":"u"},`+
		`"requested_at":"2026-01-01T00:00:00Z"}}],"state_updates":{"runs":{"r":%[3]s},"last_run_id":"r"}}`, step, tool, kept)
}

// ends is an answer that ends the run.
func ends(kind, payload, kept string) string {
	return fmt.Sprintf(`{"status":"ok","events":[{"type":%q,"payload":{"run_id":"r",%s}}],"state_updates":{"runs":{"r":%s}}}`,
		kind, payload, kept)
}

const silent = `{"status":"ok","events":[],"logs":[{"level":"info","message":"passed over"}]}`

// seen returns the requirements that turns keep and those that they violate.
func seen(t *testing.T, entries ...wire.Entry) (kept, violated []string) {
	t.Helper()
	written, err := json.Marshal(&wire.Transcript{Drive: "recording", Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	var read wire.Transcript
	if err := json.Unmarshal(written, &read); err != nil {
		t.Fatal(err)
	}
	turns.Watch(scenarios.Discovery{}, []scenarios.DriveRecord{{ID: "recording", Transcript: &read}}, func(s scenarios.Sight) {
		if !slices.Contains(turns.Watched(), s.Requirement) {
			t.Errorf("%s is seen, and not said to be", s.Requirement)
		}
		id := strings.TrimPrefix(string(s.Requirement), "RFC103-")
		if s.Held {
			kept = append(kept, id)
		} else {
			violated = append(violated, id)
		}
	})
	slices.Sort(violated)
	return kept, slices.Compact(violated)
}

func TestTurns(t *testing.T) {
	begun := turn(start, "", asks(1, "fetch", running(1, "fetch")))
	toTheThird := []wire.Entry{begun, turn(result(1, "fetch", "ok"), running(1, "fetch"), asks(2, "fabric", running(2, "fabric"))),
		turn(result(2, "fabric", "ok"), running(2, "fabric"), asks(3, "fetch", running(3, "fetch")))}
	for name, c := range map[string]struct {
		turns    []wire.Entry
		kept     string // some of those that are kept
		violated string // all that are violated
	}{
		"a start that asks": {[]wire.Entry{
			begun,
		}, "E1 M1 T3 I2 S2 S3 S4 E6 E7 E8 E9 E10 D1 I3 S6 G3 READ-12 P1 I7 WIRE-1 WIRE-3 P4", ""},
		"a start that asks for 2":        {[]wire.Entry{turn(start, "", asks(2, "fetch", running(2, "fetch")))}, "T3", "I2 T6"},
		"a tool that is not allowed":     {[]wire.Entry{turn(start, "", asks(1, "shell", running(1, "shell")))}, "T3", "G3"},
		"a request that the state lacks": {[]wire.Entry{turn(start, "", asks(1, "fetch", running(1, "fabric")))}, "T3", "I3 P5 T8"},
		"the next step": {[]wire.Entry{begun, turn(result(1, "fetch", "ok"), running(1, "fetch"), asks(2, "fabric", running(2, "fabric")))},
			"V9 E11 M2 T7 T4 X1", ""},
		"a step is left out": {[]wire.Entry{turn(result(1, "fetch", "ok"), running(1, "fetch"), asks(3, "fabric", running(3, "fabric")))},
			"I3", "I2"},
		"done": {[]wire.Entry{turn(result(2, "fetch", "ok"), running(2, "fetch"),
			ends("agent.completed", `"goal":"read","outcome":"it was read","steps_taken":2`, done))}, "V9 X2 E12 E13 S8 S7 P3", ""},
		"done, for another goal": {[]wire.Entry{turn(result(2, "fetch", "ok"), running(2, "fetch"),
			ends("agent.completed", `"goal":"write","outcome":"it was read"`, done))}, "V9 S8", "E12"},
		"done, and running in the state": {[]wire.Entry{turn(result(2, "fetch", "ok"), running(2, "fetch"),
			ends("agent.completed", `"goal":"read","outcome":"it was read"`, running(2, "fetch")))}, "E12", "S7 S8"},
		"a stale result is passed over": {[]wire.Entry{
			turn(result(1, "fetch", "ok"), running(2, "fabric"), silent),
		}, "V6 M4 I5 I6 V1", ""},
		"a stale result moves the run": {[]wire.Entry{turn(result(1, "fetch", "ok"), running(2, "fabric"),
			asks(3, "fabric", running(3, "fabric")))}, "I3", "V6"},
		"a result that comes twice": {[]wire.Entry{begun,
			turn(result(1, "fetch", "ok"), running(1, "fetch"), asks(2, "fabric", running(2, "fabric"))),
			turn(result(1, "fetch", "ok"), running(2, "fabric"), silent)}, "M3 O5", ""},
		"a run that is over": {[]wire.Entry{turn(result(2, "fetch", "ok"), done, silent)}, "V4 V5 READ-8", ""},
		"a run that is over goes on": {[]wire.Entry{
			turn(result(2, "fetch", "ok"), done, asks(3, "fabric", running(3, "fabric"))),
		}, "I3", "V4"},
		"an unknown run": {[]wire.Entry{turn(result(2, "fetch", "ok"), "", silent)}, "V2 F1", ""},
		"another tool": {[]wire.Entry{
			turn(result(1, "other", "ok"), running(1, "fetch"), ends("agent.escalated", `"reason":"the tool"`, escalated)),
		}, "V7 M5 F2 F3 READ-9", ""},
		"another tool is taken, by a name that may be its other one": {[]wire.Entry{turn(result(1, "other", "ok"), running(1, "fetch"),
			asks(2, "fabric", running(2, "fabric")))}, "I3", ""},
		"another tool is taken": {[]wire.Entry{
			begun, turn(result(1, "other", "ok"), running(1, "fetch"), asks(2, "fabric", running(2, "fabric"))),
		}, "I3", "V7"},
		"a later step": {[]wire.Entry{
			turn(result(3, "fetch", "ok"), running(1, "fetch"), ends("agent.escalated", `"reason":"the step"`, escalated)),
		}, "K2", ""},
		"the first failure, asked for again": {[]wire.Entry{
			begun, turn(result(1, "fetch", "error"), running(1, "fetch"), asks(1, "fetch", running(1, "fetch"))),
		}, "V10", ""},
		"the first failure, taken for a result": {[]wire.Entry{begun, turn(result(1, "fetch", "error"), running(1, "fetch"),
			asks(2, "fabric", running(2, "fabric")))}, "I3", "V10"},
		"a failure that may be the second": {[]wire.Entry{
			turn(result(1, "fetch", "error"), running(1, "fetch"), silent),
		}, "T4", ""},
		"the budget is kept": {append(slices.Clone(toTheThird), turn(result(3, "fetch", "ok"), running(3, "fetch"),
			ends("agent.escalated", `"reason":"the budget"`, escalated))), "F7 G7 F3", ""},
		"the budget is not kept": {append(slices.Clone(toTheThird), turn(result(3, "fetch", "ok"), running(3, "fetch"),
			asks(4, "fetch", running(4, "fetch")))), "V9", "F7 G7"},
		"an error that asks beyond the budget": {append(slices.Clone(toTheThird), turn(result(3, "fetch", "ok"), running(3, "fetch"),
			strings.Replace(asks(4, "fetch", running(4, "fetch")), `"ok"`, `"error","error":"x"`, 1))), "V9", ""},
		"a budget that was raised in turns that nobody recorded": {[]wire.Entry{begun, turn(result(3, "fetch", "ok"),
			strings.Replace(running(3, "fetch"), `"max_steps":3`, `"max_steps":6`, 1), asks(4, "fetch", running(4, "fetch")))}, "V9", ""},
		"a start that comes again, and its first time was not recorded": {[]wire.Entry{
			turn(start, running(1, "fetch"), asks(1, "fetch", running(1, "fetch"))),
		}, "E6", ""},
		"a planner that says nothing": {[]wire.Entry{
			turn(result(1, "fetch", "ok"), running(1, "fetch"), `{"status":"ok","events":[]}`),
		}, "I7", ""},
		"a planner that fails, and the pending request once more": {[]wire.Entry{
			turn(result(1, "fetch", "ok"), running(1, "fetch"), asks(1, "fetch", running(1, "fetch"))),
		}, "E6", ""},
		"a second failure, and the first was not recorded": {[]wire.Entry{begun,
			turn(result(1, "fetch", "error"), strings.Replace(running(1, "fetch"), `"goal"`, `"attempt":2,"goal"`, 1), silent)}, "I7", ""},
		"a run that is paused": {[]wire.Entry{turn(result(2, "fetch", "ok"), strings.Replace(done, "done", "paused", 1), silent)}, "I7", ""},
		"a job of a tool": {[]wire.Entry{turn(`{"type":"agentic.tool_request.fetch","payload":{"run_id":"r","step":1,"tool":"fetch"}}`, "",
			`{"status":"ok","events":[{"type":"agentic.tool_result","payload":{}}]}`)}, "", ""},
		"a budget that nobody knows": {[]wire.Entry{
			turn(result(3, "fetch", "ok"), running(3, "fetch"), asks(4, "fetch", running(4, "fetch"))),
		}, "V9", ""},
		"an error": {[]wire.Entry{
			turn(result(1, "fetch", "ok"), running(1, "fetch"), `{"status":"error","error":"no model"}`),
		}, "I7", ""},
		"an exit code that is not 0": {[]wire.Entry{handed(begun.Process.Input, begun.Process.Output, 3)}, "", "I7 N1 O3 P1 P6"},
		"no JSON":                    {[]wire.Entry{handed(begun.Process.Input, "thinking", 0)}, "WIRE-1", "P2 WIRE-1"},
		"an event of another type": {[]wire.Entry{
			turn(start, "", `{"status":"ok","events":[{"type":"agentic.progress","payload":{}}]}`),
		}, "WIRE-3", "P4"},
		"nobody asks for the agent": {[]wire.Entry{
			turn(start, "", `{"status":"ok","events":[{"type":"agentic.start","payload":{}}]}`),
		}, "WIRE-3", "G2 N4 P4"},
		"what is no request": {[]wire.Entry{
			handed(`{"protocol":2}`, "{}", 9), handed("no JSON", "", 9), handed(`{"command":"handle","event":{}}`, "", 1),
		}, "", ""},
		"killed": {[]wire.Entry{
			{Kind: "process", Process: &wire.Spawned{Input: begun.Process.Input, Ended: "signal: killed"}},
		}, "", ""},
	} {
		kept, violated := seen(t, c.turns...)
		for _, id := range strings.Fields(c.kept) {
			if !slices.Contains(kept, id) {
				t.Errorf("%s: %s is not said to be kept", name, id)
			}
		}
		if got := strings.Join(violated, " "); got != c.violated {
			t.Errorf("%s: violated are %q, want %q", name, got, c.violated)
		}
	}
}

// Where the exit code was not recorded, nothing is said of it.
func TestAnExitCodeThatNobodyRecorded(t *testing.T) {
	e := turn(start, "", asks(1, "fetch", running(1, "fetch")))
	e.Process.Ended = "its exit code was not recorded"
	kept, violated := seen(t, e)
	under := e
	spawned := *e.Process
	spawned.Output, under.Process = `{"status":"o`, &spawned
	if kept, violated := seen(t, under); len(kept)+len(violated) > 0 {
		t.Errorf("of a job that is under way kept are %v, violated %v", kept, violated)
	}
	if len(violated) > 0 || slices.Contains(kept, "I7") || slices.Contains(kept, "P1") || !slices.Contains(kept, "E1") {
		t.Errorf("kept are %v, violated %v", kept, violated)
	}
}

// Anybody may have written what a plugin read and printed.
func FuzzTurns(f *testing.F) {
	e := turn(result(1, "fetch", "ok"), running(1, "fetch"), asks(2, "fabric", running(2, "fabric")))
	f.Add(e.Process.Input, e.Process.Output)
	f.Add(turn(start, "", silent).Process.Input, ends("agent.escalated", `"reason":"x"`, escalated))
	f.Fuzz(func(_ *testing.T, input, answer string) {
		one := handed(input, answer, 0)
		twice := &wire.Transcript{Entries: []wire.Entry{one, one}}
		turns.Watch(scenarios.Discovery{}, []scenarios.DriveRecord{{ID: "r", Transcript: twice}}, func(scenarios.Sight) {})
	})
}

// A monitor that is told of turns one by one says what a recording of them shows.
func TestAMonitorTellsWhatARecordingShows(t *testing.T) {
	for name, all := range map[string][]wire.Entry{
		"an honest run": {turn(start, "", asks(1, "fetch", running(1, "fetch"))),
			turn(result(1, "fetch", "ok"), running(1, "fetch"), asks(2, "fabric", running(2, "fabric")))},
		"a run that goes on beyond its end": {turn(result(2, "fabric", "ok"), done, asks(3, "fetch", running(3, "fetch")))},
		"two answers to one result": {turn(result(1, "fetch", "ok"), running(1, "fetch"), asks(2, "fabric", running(2, "fabric"))),
			turn(result(1, "fetch", "ok"), running(2, "fabric"), asks(3, "fabric", running(3, "fabric")))},
		"no answer": {handed("{}", "", 1)},
	} {
		want, got := map[scenarios.RequirementID]bool{}, map[scenarios.RequirementID]bool{}
		records := []scenarios.DriveRecord{{ID: "r", Transcript: &wire.Transcript{Entries: all}}}
		turns.Watch(scenarios.Discovery{}, records, func(s scenarios.Sight) {
			if !s.Held {
				want[s.Requirement] = true
			}
		})
		m := turns.NewMonitor()
		for _, e := range all {
			for _, v := range m.Turn([]byte(e.Process.Input), []byte(e.Process.Output), *e.Process.Exit) {
				got[v.Requirement] = true
				if v.Text == "" || v.Expected == "" {
					t.Errorf("%s: %s", name, v)
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || (len(want) == 0) != (name == "an honest run" || name == "no answer") {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
