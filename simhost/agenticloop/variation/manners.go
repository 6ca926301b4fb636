package variation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// idPrefix stands before the ids of runs.
const idPrefix = "01J.Run_7-"

var identities = []Variation{
	{
		ID:      "other-ids",
		Title:   "ids of runs hold capitals, a dot, an underscore and a hyphen",
		About:   "how ids of runs look",
		inbound: func(text []byte) []byte { return bytes.ReplaceAll(text, []byte(idPrefix), nil) },
		stateful: func() func(request, answer object) {
			return func(_, answer object) { renamed(answer) }
		},
	},
	{
		ID:    "micros-with-offset",
		Title: "times have six digits behind the second and an offset of +00:00",
		About: "how times are written",
		answers: func(_, answer object) {
			for _, run := range kept(answer) {
				retimed(run)
			}
			for _, e := range events(answer) {
				retimed(e["payload"])
			}
		},
	},
	{
		ID:    "zero-time",
		Title: "events carry the zero time, as those of an agent in Go do, and an id of their own",
		About: "what an agent sets of that which the gateway adds to an event",
		answers: func(request, answer object) {
			for i, e := range events(answer) {
				e["timestamp"], e["source"], e["event_id"] = "0001-01-01T00:00:00Z", "agentic-loop", fmt.Sprintf("%v-%d", request["job_id"], i)
			}
		},
	},
}

// renamed puts the prefix before the ids of all runs that an answer has, wherever they stand.
func renamed(answer object) {
	var ids []string
	each(kept(answer), func(id string, _ object) { ids = append(ids, id) })
	for _, e := range events(answer) {
		if id, ok := inner(e, "payload")["run_id"].(string); ok {
			ids = append(ids, id)
		}
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return
	}
	for _, id := range ids {
		if !strings.HasPrefix(id, "run-") { // it is not the agent's
			continue
		}
		raw = bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte(idPrefix+id), []byte(id)), []byte(id), []byte(idPrefix+id))
	}
	clear(answer)
	_ = decode(raw, &answer) // it was encoded a moment ago
}

// retimed writes the times of an object another way.
func retimed(v any) {
	o, _ := v.(object)
	for name, value := range o {
		if text, ok := value.(string); ok && (strings.HasSuffix(name, "_at") || strings.HasSuffix(name, "_since")) &&
			strings.HasSuffix(text, "Z") {
			second, _, _ := strings.Cut(strings.TrimSuffix(text, "Z"), ".")
			o[name] = second + ".123456+00:00"
		}
	}
}

// configured sets something in the operator's config.
func configured(settings object) func(object) {
	return func(profile object) {
		maps.Copy(member(profile, "config"), settings)
	}
}

// The plugin to which another tool's requests are routed.
const routedPlugin, routedTool = "jina-reader", "fetch"

var requests = []Variation{
	{
		ID: "flat-arguments", Title: "arguments stand beside the correlation",
		About:    "where arguments stand: the text has both ways",
		declares: configured(object{"arguments": "flat"}),
	},
	{
		ID: "arguments-twice", Title: "arguments stand in tool_payload and beside the correlation, alike",
		About:    "where arguments stand: the text has both ways",
		declares: configured(object{"arguments": "both"}),
	},
	{
		ID: "attempt-in-key", Title: "the dedupe key of a request tells the attempt",
		About:    "whether a step that is asked for again has a key of its own",
		declares: configured(object{"attempt_in_key": true}),
	},
	{
		ID: "reemits", Title: "a delivery that comes again is answered with the identical pending request",
		About:    "whether what comes again is met with silence or with the request that may have been lost",
		declares: configured(object{"reemit": true}),
	},
	{
		ID: "reemits-pending", Title: "whatever comes late of a run that waits is answered with its pending request",
		About: "whether what comes late is met with silence or with the request that may have been lost",
		answers: func(request, answer object) {
			if p := asksFor(answer); p != nil {
				id, _ := p["run_id"].(string)
				if excerpt, _ := inner(p, "previous")["excerpt"].(string); len(excerpt) > 1000 {
					delete(p, "previous") // it would not fit into the state
				}
				inner(kept(answer), id)["x_asked"] = maps.Clone(p)
				return
			}
			p := inner(request, "event", "payload")
			id, _ := p["run_id"].(string)
			run := inner(runs(request), id)
			step, late := whole(run["pending_step"], 0), whole(p["step"], 0)
			asked := maps.Clone(inner(run, "x_asked"))
			if run["status"] != "running" || late < 1 || late >= step || len(events(answer)) > 0 || answer["status"] != "ok" || asked == nil {
				return
			}
			asked["step"], asked["tool"] = run["pending_step"], run["pending_tool"]
			answer["events"] = []any{object{
				"type": fmt.Sprintf("agentic.tool_request.%v", asked["tool"]), "dedupe_key": fmt.Sprintf("agentic:run:%s:step:%d:request", id, step),
				"payload": asked,
			}}
		},
	},
	{
		ID: "routed-elsewhere", Title: "requests for the tool fetch are routed to the plugin jina-reader",
		About: "whether the suffix of a request is the tool or the plugin that serves it",
		declares: func(profile object) {
			profile["aliases"] = object{routedPlugin: routedTool}
			delete(member(profile, "seams"), "mock_llm") // what a model says does not come by here
			member(profile, "config")["allowed_plugins"] = []any{routedPlugin, "fabric"}
		},
		inbound: func(text []byte) []byte {
			return bytes.ReplaceAll(text, []byte(`"`+routedPlugin+`"`), []byte(`"`+routedTool+`"`))
		},
		answers: func(_, answer object) {
			for _, e := range events(answer) {
				if e["type"] == "agentic.tool_request."+routedTool {
					e["type"] = "agentic.tool_request." + routedPlugin
				}
			}
		},
	},
}

var states = []Variation{
	{
		ID: "clears-with-zero", Title: "nothing pending is written as 0 and an empty text",
		About:   "how nothing is written",
		answers: func(_, answer object) { cleared(answer, json.Number("0"), "") },
	},
	{
		ID: "clears-with-null", Title: "nothing pending is written as null",
		About:   "how nothing is written",
		answers: func(_, answer object) { cleared(answer, nil, nil) },
	},
	{
		ID: "omits-null", Title: "every run of an answer is written anew without what is null",
		About: "how nothing is written",
		answers: func(request, answer object) {
			if answer["status"] != "ok" || runs(request) == nil && kept(answer) == nil {
				return
			}
			if kept(answer) == nil {
				member(answer, "state_updates")["runs"] = runs(request)
			}
			each(kept(answer), func(_ string, run object) {
				for name, value := range run {
					if value == nil {
						delete(run, name)
					}
				}
			})
		},
	},
	{
		ID: "pending-stays-when-escalated", Title: "a run that is escalated keeps what was pending",
		About: "whether an escalation clears what was pending", Slips: []string{"RFC103-READ-9"},
		answers: func(request, answer object) {
			each(kept(answer), func(id string, run object) {
				if before := inner(runs(request), id); run["status"] == "escalated" && before["status"] == "running" {
					run["pending_step"], run["pending_tool"] = before["pending_step"], before["pending_tool"]
				}
			})
		},
	},
	{
		ID: "prunes", Title: "every turn lets go of the runs that were over before it",
		About: "how long runs that are over are kept",
		answers: func(request, answer object) {
			if answer["status"] != "ok" {
				return
			}
			all := kept(answer)
			if all == nil {
				all = runs(request)
			}
			if all == nil {
				return
			}
			left := object{}
			each(all, func(id string, run object) {
				if before, known := runs(request)[id].(object); !known || before["status"] == "running" {
					left[id] = run
				}
			})
			if len(left) < len(all) {
				member(answer, "state_updates")["runs"] = left
			}
		},
	},
}

// cleared writes another emptiness where nothing is pending.
func cleared(answer object, step, tool any) {
	each(kept(answer), func(_ string, run object) {
		if run["status"] != "running" && whole(run["pending_step"], 0) == 0 {
			run["pending_step"], run["pending_tool"] = step, tool
		}
	})
}

// escalates replaces what an answer asks for by the end of the run.
func escalates(answer, payload object, reason string) {
	id, _ := payload["run_id"].(string)
	run := inner(kept(answer), id)
	run["status"] = "escalated"
	delete(run, "pending_step")
	delete(run, "pending_tool")
	answer["events"] = []any{object{"type": "agent.escalated", "payload": object{"run_id": id, "reason": reason}}}
}

var decisions = []Variation{
	{
		ID: "budget-before-request", Title: "a step that reaches max_steps is not asked for any more",
		About: "whether max_steps is looked at before a request or at its result",
		answers: func(_, answer object) {
			p := asksFor(answer)
			id, _ := p["run_id"].(string)
			if p != nil && whole(p["step"], 0) >= whole(inner(kept(answer), id)["max_steps"], 20) {
				escalates(answer, p, "max_steps_exceeded")
			}
		},
	},
	{
		ID: "many-retries", Title: "a step that fails is asked for again seven times, and the profile says no number",
		About: "how often a failed step is asked for again",
		declares: func(profile object) {
			delete(member(profile, "limits"), "max_retries")
			member(profile, "config")["max_retries"] = 7
		},
	},
	{
		ID: "no-retry", Title: "a step that fails ends its run",
		About: "how often a failed step is asked for again",
		declares: func(profile object) {
			member(profile, "config")["max_retries"] = 0
			list, _ := profile["capabilities"].([]any)
			var left []any
			for _, c := range list {
				if c != "retry" {
					left = append(left, c)
				}
			}
			profile["capabilities"] = left
		},
	},
	{
		ID: "not-deterministic", Title: "the same request may lead to another step one time, and to the goal another time",
		About: "whether a live model decides",
		declares: func(profile object) {
			profile["deterministic"] = false
			delete(profile, "seams")
		},
		stateful: undecided,
	},
	{
		ID: "refuses-by-escalation", Title: "a start without a goal is answered with agent.escalated, not with an error",
		About: "whether a start that cannot be served is an error or an escalation",
		answers: func(request, answer object) {
			kind, _ := inner(request, "event")["type"].(string)
			said, _ := answer["error"].(string)
			if answer["status"] == "error" && kind == "agentic.start" && strings.Contains(said, "goal is not a text") {
				clear(answer)
				answer["status"], answer["result"] = "ok", "given up"
				answer["events"] = []any{object{"type": "agent.escalated", "payload": object{"run_id": fmt.Sprintf("none-%v",
					request["job_id"]), "reason": "no_goal"}}}
			}
		},
	},
	{
		ID: "passes-misshapen-results", Title: "a result that cannot be read is passed over with a warning, not refused",
		About: "whether what cannot be read is an error or passed over",
		answers: func(request, answer object) {
			if kind, _ := inner(request, "event")["type"].(string); answer["status"] == "error" && kind == "agentic.tool_result" {
				clear(answer)
				answer["status"], answer["result"], answer["events"] = "ok", "passed over", []any{}
				log(answer, "warn", "a result that cannot be read")
			}
		},
	},
}

// undecided lets a run end where it would go on, every other time that it gets there, and tells another reason each time.
func undecided() func(request, answer object) {
	var mu sync.Mutex
	turns, asked := 0, map[string]int{}
	return func(_, answer object) {
		mu.Lock()
		turns++
		n := turns
		mu.Unlock()
		for _, e := range events(answer) {
			if e["type"] == "agent.escalated" {
				inner(e, "payload")["reason"] = fmt.Sprintf("%v, said for the %dth time", inner(e, "payload")["reason"], n)
			}
		}
		p := asksFor(answer)
		if step := whole(p["step"], 0); step > 1 {
			id, _ := p["run_id"].(string)
			run, place := inner(kept(answer), id), fmt.Sprintf("%s %d", id, step)
			mu.Lock()
			asked[place]++
			again := asked[place]%2 == 0
			mu.Unlock()
			if !again || whole(run["attempt"], 1) > 1 {
				return
			}
			run["status"] = "done"
			delete(run, "pending_step")
			delete(run, "pending_tool")
			answer["events"] = []any{object{"type": "agent.completed", "payload": object{
				"run_id": id, "goal": run["goal"], "outcome": "good enough", "steps_taken": step - 1, "artifacts": []any{},
			}}}
		}
	}
}

var extras = []Variation{
	{
		ID: "extra-keys", Title: "answers, events, payloads and runs hold members that nobody asked for, and two logs more",
		About: "what else an agent writes",
		answers: func(request, answer object) {
			answer["x_took_ms"] = 12
			for _, e := range events(answer) {
				e["x_trace"] = object{"job": request["job_id"]}
				if p := inner(e, "payload"); p != nil {
					p["x_note"], p["x_goal_words"] = "of no interest", 5
				}
			}
			each(kept(answer), func(id string, run object) {
				if _, old := runs(request)[id]; !old {
					run["x_schema"] = object{"version": 3}
				}
			})
			log(answer, "debug", "the turn begins")
			log(answer, "info", "the turn ends")
		},
	},
	{
		ID: "extra-files", Title: "the workspace holds further files, and a link from one of them to another",
		About: "what else an agent writes",
		answers: func(request, _ object) {
			dir, _ := request["workspace_dir"].(string)
			if !filepath.IsAbs(dir) {
				return
			}
			if info, err := os.Stat(filepath.Join(dir, "artifacts")); err != nil || !info.IsDir() {
				return
			}
			// Where a file cannot be written the agent goes without, as the reference agent does.
			for _, name := range []string{"decisions.md", "skills.md"} {
				_ = os.WriteFile(filepath.Join(dir, name+".new"), []byte("# "+name+"\n"), 0o600)
				_ = os.Rename(filepath.Join(dir, name+".new"), filepath.Join(dir, name))
			}
			_ = os.Symlink("../plan.md", filepath.Join(dir, "artifacts", "latest.md"))
		},
	},
}
