package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	al "github.com/openassay/assay/gen/agenticloopv2"
)

// expected is a run as the text has it, in the order of its rules, with nothing of how the agent keeps it.
type expected struct {
	status                  al.RunStatus
	step, attempt, reframes int64
	tool                    string // pending, "" for none
	taken                   int64  // results
}

// plan is what all runs go by: the decisions, tools and the two other actions, and the limits.
type plan struct {
	decisions                    []string
	steps, reframes, retries     int64
	unlisted, finishes, rethinks string
}

// decide takes decisions until one ends the turn, and says which event that leads to.
func (p plan) decide(r *expected) string {
	for {
		next := p.unlisted
		if at := r.taken + r.reframes; at < int64(len(p.decisions)) {
			next = p.decisions[at]
		}
		switch {
		case next == p.finishes:
			r.status, r.tool = al.RunStatusDone, ""
			return "agent.completed"
		case next == p.rethinks && r.reframes < p.reframes:
			r.reframes++
			continue
		case next == p.rethinks, next == p.unlisted, r.step >= p.steps:
			r.status, r.tool = al.RunStatusEscalated, ""
			return "agent.escalated"
		}
		r.step, r.attempt, r.tool = r.step+1, 1, next
		return "agentic.tool_request." + next
	}
}

// take is what becomes of a result.
func (p plan) take(r *expected, step int64, tool, status string) string {
	switch {
	case r == nil, r.status != al.RunStatusRunning, step < r.step:
		return ""
	case step > r.step, tool != r.tool, status == "error" && r.attempt > p.retries:
		r.status, r.tool = al.RunStatusEscalated, ""
		return "agent.escalated"
	case status == "error":
		r.attempt++
		return "agentic.tool_request." + r.tool
	}
	r.taken++
	return p.decide(r)
}

// Random histories over several runs lead where the rules of the text lead: duplicates, late and early results, wrong tools,
// failures, starts that come again, by either of the two deliveries.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tools := []string{"fetch", "fabric", "jina-reader"}
		p := plan{unlisted: "rm", finishes: "done", rethinks: "reframe",
			steps:    rapid.Int64Range(1, 5).Draw(rt, "steps"),
			reframes: rapid.Int64Range(0, 2).Draw(rt, "reframes"),
			retries:  rapid.Int64Range(0, 2).Draw(rt, "retries"),
		}
		p.decisions = rapid.SliceOfN(rapid.SampledFrom(append(tools, tools[0], tools[1], tools[2], p.finishes, p.rethinks, p.unlisted)),
			1, 8).Draw(rt, "decisions")
		var script []any
		for _, d := range p.decisions {
			switch d {
			case p.finishes:
				script = append(script, done)
			case p.rethinks:
				script = append(script, reframe)
			default:
				script = append(script, d)
			}
		}
		s := newStory(rt, with(scripted(script...), object{"max_steps": p.steps, "max_reframes": p.reframes, "max_retries": p.retries}))
		want := map[string]*expected{} // by the run's id
		ids := map[string]string{}     // by the start's key
		emitted := func(a answer) string {
			if a.Status != al.ResponseStatusOk {
				rt.Fatalf("answer %s", a.raw)
			}
			if len(a.Events) == 0 {
				s.silent(a)
				return ""
			}
			return a.Events[0].Type
		}
		rt.Repeat(map[string]func(*rapid.T){
			"start": func(rt *rapid.T) {
				key := rapid.SampledFrom([]string{"k1", "k2", "k3"}).Draw(rt, "key")
				a := s.send(start(key, "goal of "+key))
				if _, again := ids[key]; again {
					s.silent(a)
					return
				}
				ids[key] = s.state["last_run_id"].(string)
				r := &expected{status: al.RunStatusRunning}
				want[ids[key]] = r
				if expect := p.decide(r); emitted(a) != expect {
					rt.Fatalf("%s, want %s", a.raw, expect)
				}
			},
			"result": func(rt *rapid.T) {
				id := "nobody"
				if key := rapid.SampledFrom([]string{"k1", "k2", "k3", "k4"}).Draw(rt, "key"); ids[key] != "" {
					id = ids[key]
				}
				r := want[id]
				step, tool := int64(1), tools[0]
				if r != nil {
					step, tool = max(1, r.step), r.tool
				}
				step = max(1, step+rapid.SampledFrom([]int64{0, 0, 0, 0, 0, -1, -2, 1}).Draw(rt, "off by"))
				if rapid.IntRange(0, 9).Draw(rt, "luck") == 0 || tool == "" {
					tool = rapid.SampledFrom(tools).Draw(rt, "tool")
				}
				status := rapid.SampledFrom([]string{"ok", "ok", "ok", "error"}).Draw(rt, "status")
				var a answer
				if rapid.Bool().Draw(rt, "in context") {
					a = s.send(object{"type": "tool.ran", "payload": object{"status": status}},
						object{"context": object{"run_id": id, "step": step, "tool": tool}})
				} else {
					a = s.send(result(id, step, tool, status))
				}
				if expect := p.take(r, step, tool, status); emitted(a) != expect {
					rt.Fatalf("%s, want %q", a.raw, expect)
				}
			},
			"": func(rt *rapid.T) { s.matches(rt, want) },
		})
	})
}

// matches holds the whole state against what is expected.
func (s *story) matches(rt *rapid.T, want map[string]*expected) {
	raw, err := json.Marshal(s.state)
	if err != nil {
		rt.Fatal(err)
	}
	var state al.RunState
	if err := json.Unmarshal(raw, &state); err != nil {
		rt.Fatal(err)
	}
	if len(state.Runs) != len(want) {
		rt.Fatalf("%d runs, want %d", len(state.Runs), len(want))
	}
	for id, w := range want {
		r := state.Runs[id]
		pending := int64(0)
		if w.tool != "" {
			pending = w.step
		}
		got := fmt.Sprint(r.Status, r.Step, r.Reframes, r.PendingStep, r.PendingTool, len(r.CompletedSteps), strings.HasPrefix(r.Goal, "goal of"))
		if expect := fmt.Sprint(w.status, w.step, w.reframes, pending, w.tool, w.taken, true); got != expect {
			rt.Fatalf("the run is %s, want %s", got, expect)
		}
		if w.tool != "" && r.Attempt != w.attempt {
			rt.Fatalf("attempt %d, want %d", r.Attempt, w.attempt)
		}
	}
}
