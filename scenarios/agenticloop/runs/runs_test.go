package runs_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/hosttest"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/agenticloop/runs"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// story is a run R of two steps with what may come beside: each turn may be told in another way.
type story struct{ start, near, restart, result, again, end host.Object }

var honest = story{
	start:   hosttest.Ok(hosttest.RunR, asking(1, "fetch")),
	near:    hosttest.Logged(hosttest.Ok(nil), "warn"),
	restart: hosttest.Ok(nil),
	result:  hosttest.Ok(hosttest.RunR2, asking(2, "fabric")),
	again:   hosttest.Ok(nil),
	end:     hosttest.Ok(host.Object{"R": hosttest.Over("done", 2)}, hosttest.Completion("R", 2)),
}

// arguments are those that the planner chooses each time.
var arguments = host.Object{"note": "plain", "value": false}

func asking(step int, tool string) host.Object {
	e := hosttest.Request("R", step, tool)
	e["payload"].(host.Object)["tool_payload"] = arguments
	return e
}

func (s story) observed(t *testing.T, budget int) runs.Observation {
	body := host.Object{}
	s.start = host.Clone(s.start)
	updates, _ := s.start["state_updates"].(host.Object)
	if run, starts := host.RunsOf(updates)["R"].(host.Object); starts && run["max_steps"] != json.Number("21") {
		run["max_steps"] = budget
	}
	turn := func(kind model.Kind, before, answer host.Object) runs.Taken {
		return runs.Taken{Move: model.Move{Kind: kind, Body: body}, Turn: hosttest.Turn(t, string(kind), before, answer)}
	}
	call := func(tool string) model.Decision {
		return model.Decision{Kind: model.Call, Tool: tool, Arguments: arguments}
	}
	return runs.Observation{
		Settings: model.Settings{Steered: true, Retry: true, Retries: 1, Tools: []string{"fetch", "fabric"}},
		Programs: []runs.Played{{
			Runs: []model.Run{{Goal: "g", Budget: budget, Decisions: []model.Decision{call("fetch"), call("fabric"), {Kind: model.Done}}}},
			Turns: []runs.Taken{
				turn(model.Start, nil, s.start), turn(model.NearRun, hosttest.RunR, s.near), turn(model.StartAgain, hosttest.RunR, s.restart),
				turn(model.Result, hosttest.RunR, s.result),
				turn(model.Repeat, hosttest.RunR2, s.again), turn(model.Result, hosttest.RunR2, s.end),
				turn(model.Repeat, host.Object{"R": hosttest.Over("done", 2)}, hosttest.Ok(nil)),
			},
		}},
	}
}

func TestJudges(t *testing.T) {
	const passed = "passed"
	told := func(change func(*story)) story {
		s := honest
		change(&s)
		return s
	}
	third := hosttest.Ok(host.Object{"R": hosttest.Running(3, "fetch")}, asking(3, "fetch"))
	dropping := hosttest.Request("R", 2, "fabric")
	dropping["payload"].(host.Object)["tool_payload"] = host.Object{"note": "plain"}
	for _, c := range []struct {
		name     string
		story    story
		budget   int
		scenario string
		want     scenarios.RequirementID
	}{
		{"as it is to be", honest, 9, "goes-on", passed},
		{"as it is to be", honest, 9, "keeps-its-state", passed},
		{"as it is to be", honest, 9, "comes-again", passed},
		{"as it is to be", honest, 9, "strangers", passed},
		{"as it is to be", honest, 9, "stays-over", passed},
		{"as it is to be", honest, 9, "completes-as-it-went", passed},
		{"as it is to be", honest, 9, "arguments-as-they-are", passed},
		{"as it is to be", honest, 9, "starts-apart", passed},
		{"as it is to be", honest, 9, "starts-once", passed},
		{"a start that starts nothing", told(func(s *story) { s.start = hosttest.Ok(nil) }), 9, "starts-apart", agenticloop.RFC103M1},
		{"a start that starts two runs", told(func(s *story) {
			s.start = hosttest.Ok(host.Object{"R": hosttest.Running(1, "fetch"), "Q": hosttest.Running(1, "fetch")}, asking(1, "fetch"))
		}), 9, "starts-apart", agenticloop.RFC103T3},
		{"a start again that is refused", told(func(s *story) { s.restart = hosttest.Refusal(false) }), 9, "starts-once", passed},
		{"a start again that repeats the request", told(func(s *story) { s.restart = hosttest.Ok(nil, asking(1, "fetch")) }), 9, "starts-once",
			passed},
		{"a start again that starts another", told(func(s *story) {
			s.restart = hosttest.Ok(host.Object{"R": hosttest.Running(1, "fetch"), "Q": hosttest.Running(1, "fetch")}, hosttest.Request("Q", 1,
				"fetch"))
		}), 9, "starts-once", agenticloop.RFC103READ2},
		{"nothing failed", honest, 9, "fails", "blocked"},
		{"a result taken again", told(func(s *story) { s.again = third }), 9, "comes-again", agenticloop.RFC103V6},
		{"a result taken again", told(func(s *story) { s.again = third }), 9, "stays-over",
			scenarios.RequirementID(hosttest.Violates(agenticloop.RFC103V6))},
		{"a near id taken", told(func(s *story) { s.near = honest.result }), 9, "strangers", agenticloop.RFC103V2},
		{"a step left out", told(func(s *story) { s.result = third }), 9, "goes-on", agenticloop.RFC103V9},
		{"a result passed over", told(func(s *story) { s.result = hosttest.Ok(nil) }), 9, "goes-on", agenticloop.RFC103T9},
		{"a step too many", honest, 1, "keeps-its-budget", agenticloop.RFC103F7},
		{"another budget than the config's", told(func(s *story) {
			run := hosttest.Running(1, "fetch")
			run["max_steps"] = 21
			s.start = hosttest.Ok(host.Object{"R": run}, asking(1, "fetch"))
		}), 9, "keeps-its-budget", agenticloop.RFC103G7},
		{"a step count that is off", told(func(s *story) {
			s.end = hosttest.Ok(host.Object{"R": hosttest.Over("done", 2)}, hosttest.Completion("R", 3))
		}), 9, "completes-as-it-went", agenticloop.RFC103E14},
		{"an argument dropped", told(func(s *story) { s.result = hosttest.Ok(hosttest.RunR2, dropping) }), 9, "arguments-as-they-are",
			agenticloop.RFC103E9},
	} {
		t.Run(c.name+", "+c.scenario, func(t *testing.T) {
			hosttest.Expect(t, "runs/"+c.scenario, c.story.observed(t, c.budget), string(c.want))
		})
	}
}

// second is a run R of one step that may give up its plan once, told another way: turns after its start.
func second(t *testing.T, moves ...runs.Taken) runs.Observation {
	call := func(anew bool) model.Decision {
		return model.Decision{Kind: model.Call, Tool: "fetch", Arguments: arguments, Anew: anew}
	}
	start := runs.Taken{Move: model.Move{Kind: model.Start, Body: host.Object{}}, Turn: hosttest.Turn(t, "start", nil, honest.start)}
	return runs.Observation{
		Settings: model.Settings{Steered: true, Reframe: true, Own: true, Retry: true, Retries: 1, Tools: []string{"fetch", "fabric"}},
		Programs: []runs.Played{{
			Runs:  []model.Run{{Goal: "g", Budget: 9, Decisions: []model.Decision{call(false), call(true), call(true)}}},
			Turns: append([]runs.Taken{start}, moves...),
		}},
	}
}

// A run that is done in its first turn need not say that it took no step, and need not be there. If it is, it is over.
func TestJudgesOfARunThatIsOverAtOnce(t *testing.T) {
	silent := hosttest.Completion("R", 0)
	delete(silent["payload"].(host.Object), "steps_taken")
	for _, c := range []struct {
		name     string
		answer   host.Object
		scenario string
		want     scenarios.RequirementID
	}{
		{"no steps", hosttest.Ok(host.Object{"R": hosttest.Over("done", 0)}, hosttest.Completion("R", 0)), "completes-as-it-went", "passed"},
		{"no word of steps", hosttest.Ok(nil, silent), "completes-as-it-went", "passed"},
		{"a step", hosttest.Ok(nil, hosttest.Completion("R", 1)), "completes-as-it-went", agenticloop.RFC103E14},
		{"it is done", hosttest.Ok(host.Object{"R": hosttest.Over("done", 0)}, silent), "keeps-its-state", "passed"},
		{"it goes on", hosttest.Ok(host.Object{"R": hosttest.Running(0, "")}, silent), "keeps-its-state", agenticloop.RFC103S8},
	} {
		t.Run(c.name+", "+c.scenario, func(t *testing.T) {
			move := model.Move{Kind: model.Start, Body: host.Object{}}
			o := honest.observed(t, 9)
			o.Programs = append(o.Programs, runs.Played{
				Runs:  []model.Run{{Goal: "g", Budget: 9, Decisions: []model.Decision{{Kind: model.Done}}}},
				Turns: []runs.Taken{{Move: move, Turn: hosttest.Turn(t, "start", nil, c.answer)}},
			})
			hosttest.Expect(t, "runs/"+c.scenario, o, string(c.want))
		})
	}
}

func TestJudgesOfWhatComesAnotherWay(t *testing.T) {
	body := host.Object{}
	taken := func(m model.Move, answer host.Object) runs.Taken {
		m.Body = body
		return runs.Taken{Move: m, Turn: hosttest.Turn(t, string(m.Kind), hosttest.RunR, answer)}
	}
	fetched := func(step int) host.Object {
		return hosttest.Ok(host.Object{"R": hosttest.Running(step, "fetch")}, asking(step, "fetch"))
	}
	gaveUp := func(reframes int, payload host.Object) host.Object {
		run := hosttest.Over("escalated", 1)
		run["reframes"] = reframes
		return hosttest.Ok(host.Object{"R": run}, host.Object{"type": "agent.escalated", "payload": payload})
	}
	told := host.Object{"run_id": "R", "reason": "no plan is left"}
	again := func(first, then host.Object) runs.Taken {
		out := taken(model.Move{Kind: model.Result, Twice: true}, then)
		lost := hosttest.Turn(t, "result", hosttest.RunR, first)
		out.Lost = &lost
		return out
	}
	result, own := model.Move{Kind: model.Result}, model.Move{Kind: model.Result, Own: true}
	retried := func(request host.Object) runs.Taken {
		run := hosttest.Running(1, "fetch")
		run["attempt"] = 2
		return taken(model.Move{Kind: model.Failure}, hosttest.Ok(host.Object{"R": run}, request))
	}
	for _, c := range []struct {
		name     string
		turn     runs.Taken
		scenario string
		want     scenarios.RequirementID
	}{
		{"the plan given up once too often", taken(result, gaveUp(0, told)), "reframes-no-more", "passed"},
		{"one that may count", taken(result, gaveUp(1, told)), "reframes-no-more", "passed"},
		{"two that may not", taken(result, gaveUp(2, told)), "reframes-no-more", agenticloop.RFC103G8},
		{"it goes on", taken(result, fetched(2)), "reframes-no-more", agenticloop.RFC103F8},
		{"a reason", taken(result, gaveUp(0, told)), "tells-why", "passed"},
		{"no reason", taken(result, gaveUp(0, host.Object{"run_id": "R"})), "tells-why", agenticloop.RFC103F3},
		{"no run", taken(result, gaveUp(0, host.Object{"reason": "no plan is left"})), "tells-why", agenticloop.RFC103F3},
		{"nobody gave up", taken(result, fetched(2)), "tells-why", "blocked"},
		{"a tool's own event", taken(own, fetched(2)), "own-events", "passed"},
		{"one that is passed over", taken(own, hosttest.Ok(nil)), "own-events", agenticloop.RFC103B2},
		{"one that is passed over", taken(own, hosttest.Ok(nil)), "goes-on", scenarios.RequirementID(hosttest.Violates(agenticloop.RFC103B2))},
		{"a result alone", taken(result, fetched(2)), "own-events", "blocked"},
		{"asked again with its arguments", retried(asking(1, "fetch")), "arguments-as-they-are", "passed"},
		{"asked again without them", retried(hosttest.Request("R", 1, "fetch")), "arguments-as-they-are", agenticloop.RFC103E9},
		{"the same answer", again(fetched(2), fetched(2)), "same-answer", "passed"},
		{"another tool the second time", again(fetched(2), honest.result), "same-answer", agenticloop.RFC103O4},
	} {
		t.Run(c.name+", "+c.scenario, func(t *testing.T) {
			hosttest.Expect(t, "runs/"+c.scenario, second(t, c.turn), string(c.want))
		})
	}
}

// A result that is ignored takes the place of no file that was made of an earlier one.
func TestJudgeOfArtifactsAndLateResults(t *testing.T) {
	file := func(name, text string) map[string]any {
		return map[string]any{name: map[string]any{"kind": "file", "text": text, "whole": true}}
	}
	first := file("artifacts/step-1.txt", "first")
	added := maps.Clone(first)
	maps.Copy(added, file("artifacts/step-2.txt", "late"))
	for _, c := range []struct {
		name         string
		at           int // the turn whose result is ignored
		kind         model.Kind
		before, then map[string]any
		scenario     string
		want         scenarios.RequirementID
	}{
		{"it is as it was", 4, model.Repeat, first, first, "comes-again", "passed"},
		{"it is written again", 4, model.Repeat, first, file("artifacts/step-1.txt", "late"), "comes-again", agenticloop.RFC103V6},
		{"the same event writes it again", 4, model.SameAgain, first, file("artifacts/step-1.txt", "late"), "comes-again", "passed"},
		{"it is cleared away", 4, model.Repeat, first, map[string]any{}, "comes-again", "passed"},
		{"another is added", 4, model.Repeat, first, added, "comes-again", "passed"},
		{"a log goes on", 4, model.Repeat, file("trace.jsonl", "{}"), file("trace.jsonl", "{}{}"), "comes-again", "passed"},
		{"of a run that is over, it is as it was", 6, model.Repeat, first, first, "stays-over", "passed"},
		{"of a run that is over, it is written again", 6, model.Repeat, first, file("artifacts/step-1.txt", "late"), "stays-over",
			agenticloop.RFC103V4},
		{"a near id leaves it", 1, model.NearRun, first, first, "strangers", "passed"},
		{"a near id writes it again", 1, model.NearRun, first, file("artifacts/step-1.txt", "late"), "strangers", agenticloop.RFC103V2},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest.observed(t, 9)
			turns := o.Programs[0].Turns
			turns[c.at].Move.Kind = c.kind
			turns[c.at-1].Files, turns[c.at].Files = wiretest.Value(t, c.before), wiretest.Value(t, c.then)
			hosttest.Expect(t, "runs/"+c.scenario, o, string(c.want))
		})
	}
}
