package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// ContextObservation is results as a tool's own event, with the correlation in the context of the request.
type ContextObservation struct {
	host.Turns
	Start   host.Turn    `json:"start"`
	Pending host.Pending `json:"pending"`
	Direct  host.Turn    `json:"direct"` // the result as agentic.tool_result
	Own     host.Turn    `json:"own"`    // the result as the tool's own event
	Failed  host.Turn    `json:"failed"` // a failure as the tool's own event
	Content []Found      `json:"content"`
	Live    bool         `json:"live"` // decisions may differ, as far as the profile says
}

// Found is a turn that was handed content, and the places where the content may turn up.
type Found struct {
	Key    string     `json:"key"` // the member that held the content
	Marker string     `json:"marker"`
	Turn   host.Turn  `json:"turn"`
	Files  wire.Value `json:"files"`
}

// inContext delivers results as pipelines do.
var inContext = &scenarios.Drive[ContextObservation]{
	ID: "agenticloop/in-context",
	Title: "delivers a result as agentic.tool_result and as the tool's own event, a failure as the tool's own " +
		"event, and content under four names",
	Sends: []string{"one turn: agentic.start", "one turn: agentic.tool_result",
		"six turns: content_ready with run_id, step and tool in the context of the request"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ContextObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.Live = p.Live()
		dir := scenarios.Get(wire.NewFolder("workspace-"))
		defer wire.RemoveFolder(dir)
		s, ok := p.Begin(ctx, host.Job{Name: "the start", Workspace: dir})
		o.Start, o.Pending = s.Turn, s.Pending
		if !ok {
			return
		}
		o.Direct, _ = p.Deliver(ctx, "the result as agentic.tool_result", s.State, s.Pending)
		own := func(name string, payload host.Object, workspace string) host.Turn {
			t, _ := p.Turn(ctx, host.Job{
				Name: name, State: s.State, Event: p.Event("content_ready", payload, ""),
				Context: correlation(s.Pending), Workspace: workspace,
			})
			return t
		}
		o.Own = own("the result as the tool's own event", p.AnyResult(), "")
		broken := host.Object{"status": "error", "error": "the tool is out of order"}
		o.Failed = own("a failure as the tool's own event", broken, "")
		under := func(key string) Found {
			f := Found{Key: key, Marker: "marker-" + strings.ReplaceAll(p.NewID(), "-", "")}
			work := scenarios.Get(wire.NewFolder("workspace-"))
			defer wire.RemoveFolder(work)
			value := "a page about " + f.Marker
			if key == "artifact_path" {
				value = "artifacts/" + f.Marker + ".html"
			}
			f.Turn = own("content under "+key, host.Object{key: value}, work)
			f.Files = p.ReadFolder("the workspace after it", work).Value("")
			return f
		}
		for _, key := range []string{"content", "text", "excerpt", "artifact_path"} {
			o.Content = append(o.Content, under(key))
		}
	},
}

// correlation returns what pipelines carry along of a request.
func correlation(due host.Pending) host.Object {
	return host.Object{"run_id": due.Run, "step": due.Step, "tool": due.Tool}
}

// QueueObservation is a run behind a gateway that runs one job at a time.
type QueueObservation struct {
	host.EndObservation
	Jobs     int      `json:"jobs"`    // of the plugin and its tools
	Drained  bool     `json:"drained"` // the queue was empty in the end
	Unrouted []string `json:"unrouted,omitempty"`
}

// queued runs the loop behind a small gateway of ours: one queue, a tool of ours for each request, and each result back
// to the plugin.
var queued = &scenarios.Drive[QueueObservation]{
	ID: "agenticloop/queued",
	Title: "runs the loop behind a queue that runs one job at a time, with a tool of ours for each allowed one, " +
		"from a start until the queue is empty",
	Sends: []string{"a turn for each job of the plugin: agentic.start, then results by way of the tools"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *QueueObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.Goal = p.NewGoal()
		o.run(ctx, p)
	},
}

// queuedJob is a job in the queue.
type queuedJob struct {
	tool    string // "" for the plugin
	event   host.Object
	context host.Object
}

func (o *QueueObservation) run(ctx context.Context, p *host.Plugin) {
	plan := p.SteerTwoSteps(ctx)
	defer plan.Close()
	o.Way = plan.Via
	queue := []queuedJob{{event: p.Start(o.Goal, plan.Context)}}
	var state host.Object
	for ; len(queue) > 0 && o.Jobs < 4*host.MostSteps; o.Jobs++ {
		next := queue[0]
		queue = queue[1:]
		if next.tool != "" {
			queue = append(queue, runTool(p, plan, o.Taken+1, next))
			continue
		}
		name := "the start"
		if o.Start.Name != "" {
			o.Taken++
			name = fmt.Sprintf("the result of step %d", o.Taken)
		}
		t, after := p.Turn(ctx, plan.Lay(host.Job{Name: name, State: state, Event: next.event, Context: next.context}))
		if state = after; o.Start.Name == "" {
			o.Start = t
		} else {
			o.Steps = append(o.Steps, t)
		}
		if !t.Answered() {
			return
		}
		for _, tool := range t.Plugins() {
			payload, _ := t.Requests().Values[0].Key("payload").Actual().(host.Object)
			if !routes(p, tool) {
				o.Unrouted = append(o.Unrouted, tool)
				continue
			}
			if o.Run == "" {
				o.Run, _ = payload["run_id"].(string)
			}
			event := p.Event(host.RequestPrefix+"."+tool, host.Clone(payload), "")
			queue = append(queue, queuedJob{tool: tool, event: event})
		}
	}
	o.Drained = len(queue) == 0
}

// routes reports whether a tool has a pipeline.
func routes(p *host.Plugin, tool string) bool {
	if slices.Contains(p.Tools(), tool) {
		return true
	}
	_, aliased := p.Profile.Aliases[tool]
	return aliased
}

// runTool plays a tool. If the plugin takes a tool's own event, it sends that, with the whole request as context, as
// the first gateways did (AL-R3); otherwise it sends a result.
func runTool(p *host.Plugin, plan *host.Plan, n int, j queuedJob) queuedJob {
	payload := j.event["payload"].(host.Object)
	body := plan.Body(n, p.AnyResult())
	if p.Can(agenticloopv2.CapabilityContextDelivery) {
		return queuedJob{event: p.Event("content_ready", body, ""), context: payload}
	}
	due := host.Pending{}
	if step, ok := payload["step"].(json.Number); ok {
		due.Step, _ = step.Int64() // a step that is no integer stays 0
	}
	due.Run, _ = payload["run_id"].(string)
	due.Tool, _ = payload["tool"].(string)
	return queuedJob{event: p.Result(due, body)}
}
