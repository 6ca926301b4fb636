package state_test

import (
	"strings"
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios/agenticloop/budget"
	"github.com/openassay/assay/scenarios/agenticloop/correlation"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/hosttest"
	"github.com/openassay/assay/scenarios/agenticloop/state"
)

func TestJudgeOfWhatIsPending(t *testing.T) {
	for name, c := range map[string]struct {
		third any
		want  string
	}{
		"honest": {
			hosttest.Ok(host.Object{"R": hosttest.Running(3, "fetch")}, hosttest.Request("R", 3, "fetch")), "passed"},
		"it is kept later": {hosttest.Ok(host.Object{"R": hosttest.Running(2, "fabric")},
			hosttest.Request("R", 3, "fetch")), agenticloop.RFC103S6},
		"it is not kept": {hosttest.Ok(host.Object{"R": hosttest.Over("running", 3)},
			hosttest.Request("R", 3, "fetch")), agenticloop.RFC103S6},
		"the tool is another": {hosttest.Ok(host.Object{"R": hosttest.Running(3, "fabric")},
			hosttest.Request("R", 3, "fetch")), agenticloop.RFC103S6},
		"it crashes": {"", hosttest.Violates(agenticloop.RFC103WIRE1)},
		"another run is named": {
			hosttest.Ok(host.Object{"R": hosttest.Running(3, "fetch")}, hosttest.Request("S", 3, "fetch")), hosttest.Violates(agenticloop.RFC103E7)},
	} {
		t.Run(name, func(t *testing.T) {
			last := hosttest.Turn(t, "the result of step 2", hosttest.RunR2, c.third)
			o := budget.BudgetObservation{
				Turns: host.Turns{hosttest.StartR.Turn(t),
					hosttest.Handed(t, "the result of step 1",
						hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric"))), last}}
			hosttest.Expect(t, "state/pending-with-the-request", o, c.want)
		})
	}
	hosttest.Expect(t, "state/pending-with-the-request",
		budget.BudgetObservation{Turns: host.Turns{hosttest.Turn(t, "the start", nil, hosttest.Ok(nil))}}, "blocked")
}

func TestJudgesOfLargeThings(t *testing.T) {
	big := hosttest.Over("done", 1)
	big["goal"] = strings.Repeat("x", 1<<20)
	honest := func() state.LargeObservation {
		return state.LargeObservation{Start: hosttest.StartR.Turn(t),
			Goal:    hosttest.Turn(t, "a large goal", nil, hosttest.Refusal(false)),
			Wordy:   hosttest.Turn(t, "a goal of many words", nil, hosttest.StartR.Answer),
			Crowded: hosttest.Turn(t, "a crowd", nil, hosttest.StartR.Answer),
			Result:  hosttest.Handed(t, "a large result", hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric")))}
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*state.LargeObservation)
		want           string
	}{
		{"state/stays-below-1-mib", "the goal is kept", func(o *state.LargeObservation) {
			o.Goal = hosttest.Turn(t, "a large goal", nil, hosttest.Ok(host.Object{"R": big}))
		}, agenticloop.RFC103WIRE13},
		{"state/stays-below-1-mib", "to be tried again", func(o *state.LargeObservation) {
			o.Goal = hosttest.Turn(t, "a large goal", nil, hosttest.Refusal(true))
		}, "passed"},
		{"state/stays-below-1-mib", "the crowd is refused", func(o *state.LargeObservation) {
			o.Crowded = hosttest.Turn(t, "a crowd", nil, hosttest.Refusal(false))
		}, "passed"},
		{"state/stays-below-1-mib", "so many words are refused in any state", func(o *state.LargeObservation) {
			o.Wordy, o.Crowded = hosttest.Turn(t, "words", nil, hosttest.Refusal(false)), hosttest.Turn(t, "a crowd", nil, hosttest.Refusal(false))
		}, "blocked"},
		{"state/stays-below-1-mib", "the crowd grows", func(o *state.LargeObservation) {
			o.Crowded = hosttest.Turn(t, "a crowd", host.Object{"D": big}, hosttest.Ok(nil))
		}, agenticloop.RFC103WIRE13},
		{"workspace/large-result", "it crashes", func(o *state.LargeObservation) {
			o.Result = hosttest.Told{Name: "a large result", Answer: "", Exit: 1}.Turn(t)
		}, agenticloop.RFC103READ6},
		{"workspace/large-result", "it says nothing", func(o *state.LargeObservation) {
			o.Result = hosttest.Turn(t, "a large result", nil, "")
		}, agenticloop.RFC103READ6},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}

// An excerpt of a result may stand in the state, and what asks for a step again; what grows with the result is a finding (AL-R112).
func TestWhatIsKeptOfALargeResult(t *testing.T) {
	turn := func(name, note, argument string) host.Turn {
		run, request := hosttest.Running(2, "fabric"), hosttest.Request("R", 2, "fabric")
		run["note"] = note
		if argument != "" {
			request["payload"].(host.Object)["tool_payload"] = host.Object{"text": argument}
			run["pending_payload"] = host.Object{"text": argument}
		}
		return hosttest.Handed(t, name, hosttest.Ok(host.Object{"R": run}, request))
	}
	long := func(kib int) string { return strings.Repeat("x", kib<<10) }
	for name, c := range map[string]struct {
		half, large host.Turn
		findings    int
	}{
		"nothing":                      {turn("32 KiB", "", ""), turn("64 KiB", "", ""), 0},
		"an excerpt":                   {turn("32 KiB", long(8), ""), turn("64 KiB", long(8), ""), 0},
		"what the request needs":       {turn("32 KiB", "", long(32)), turn("64 KiB", "", long(64)), 0},
		"all of it":                    {turn("32 KiB", long(32), ""), turn("64 KiB", long(64), ""), 1},
		"all of it, and a request too": {turn("32 KiB", long(32), long(32)), turn("64 KiB", long(64), long(64)), 1},
	} {
		t.Run(name, func(t *testing.T) {
			due := host.Pending{Run: "R", Step: 1, Tool: "fetch"}
			out := hosttest.Expect(t, "state/results-stay-out", correlation.RunsObservation{
				Starts: []host.Turn{hosttest.StartR.Turn(t)}, Pending: []host.Pending{due}, Half: c.half, Large: c.large}, "passed")
			if len(out.Findings) != c.findings {
				t.Errorf("findings %v, want %d", out.Findings, c.findings)
			}
		})
	}
}

// What is kept of runs, as findings.
func TestFindingsOfTheState(t *testing.T) {
	o := hosttest.HonestResults(t)
	if out := hosttest.Expect(t, "state/escalated-is-idle", o, "passed"); len(out.Findings) != 0 {
		t.Errorf("findings %v", out.Findings)
	}
	left := hosttest.Running(1, "fetch")
	left["status"] = "escalated"
	o.Wrong = hosttest.Handed(t, "wrong tool", hosttest.Ok(host.Object{"R": left}, hosttest.Escalation("R", "x")))
	if out := hosttest.Expect(t, "state/escalated-is-idle", o, "passed"); len(out.Findings) != 2 {
		t.Errorf("findings %v", out.Findings)
	}
	o = hosttest.HonestResults(t)
	if out := hosttest.Expect(t, "state/completed-steps", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("findings %v", out.Findings)
	}
	listed := hosttest.Running(2, "fabric")
	listed["completed_steps"] = []any{1}
	o.Matching = hosttest.Handed(t, "the result",
		hosttest.Ok(host.Object{"R": listed}, hosttest.Request("R", 2, "fabric")))
	if out := hosttest.Expect(t, "state/completed-steps", o, "passed"); len(out.Findings) != 0 {
		t.Errorf("findings %v", out.Findings)
	}
	hosttest.Expect(t, "state/resumes-from-the-state-alone", o, "passed")
	o.Matching = hosttest.Handed(t, "the result", hosttest.Ok(nil))
	hosttest.Expect(t, "state/resumes-from-the-state-alone", o, agenticloop.RFC103S1)
	// it asks for nothing, which is held against it elsewhere
	o.Matching = hosttest.Handed(t, "the result", hosttest.Ok(host.Object{"R": hosttest.Running(2, "fabric")}))
	hosttest.Expect(t, "state/resumes-from-the-state-alone", o, "passed")
	o.Matching = hosttest.Handed(t, "the result",
		hosttest.Ok(host.Object{"R": hosttest.Running(1, "fetch"), "X": hosttest.Running(1, "fetch")},
			hosttest.Request("X", 1, "fetch")))
	hosttest.Expect(t, "state/resumes-from-the-state-alone", o, agenticloop.RFC103S1)
	run := hosttest.Running(1, "fetch")
	run["created_at"] = "today"
	s := correlation.StartsObservation{
		First: hosttest.Turn(t, "a", nil, hosttest.Ok(host.Object{"R": run}, hosttest.Request("R", 1, "fetch")))}
	if out := hosttest.Expect(t, "state/run-has-its-times", s, "passed"); len(out.Findings) != 1 {
		t.Errorf("findings %v", out.Findings)
	}
}
