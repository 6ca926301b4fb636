package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// ContextObservation is results that came as the tool's own event, with the correlation in the request's context.
type ContextObservation struct {
	host.Turns
	Start   host.Turn    `json:"start"`
	Pending host.Pending `json:"pending"`
	Direct  host.Turn    `json:"direct"` // the result as agentic.tool_result
	Own     host.Turn    `json:"own"`    // as the tool's own event
	Failed  host.Turn    `json:"failed"` // which says that it failed
	Content []Found      `json:"content"`
	Live    bool         `json:"live"` // the profile says that it does not decide alike each time
}

// Found is a turn that was handed content, and where that may turn up.
type Found struct {
	Key    string     `json:"key"` // under which the content stood
	Marker string     `json:"marker"`
	Turn   host.Turn  `json:"turn"`
	Files  wire.Value `json:"files"`
}

// inContext delivers results as the pipelines do.
var inContext = &scenarios.Drive[ContextObservation]{
	ID:    "agenticloop/in-context",
	Title: "delivers a result as agentic.tool_result and as the tool's own event, a failure as the tool's own event, and content under four names",
	Sends: []string{"one turn: agentic.start", "one turn: agentic.tool_result", "six turns: content_ready with run_id, step and tool in the context of the request"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ContextObservation) {
		p := host.Open(c, &o.Turns)
		*o = ContextObservation{Live: p.Live()}
		deliverInContext(ctx, p, o)
	},
}

func deliverInContext(ctx context.Context, p *host.Plugin, o *ContextObservation) {
	dir := scenarios.Get(wire.NewFolder("assay-workspace-"))
	defer wire.RemoveFolder(dir)
	s, ok := p.Begin(ctx, host.Job{Name: "the start", Workspace: dir})
	o.Start, o.Pending = s.Turn, s.Pending
	if !ok {
		return
	}
	o.Direct, _ = p.Turn(ctx, host.Job{Name: "the result as agentic.tool_result", State: s.State, Event: p.Result(s.Pending, p.AnyResult())})
	own := func(name string, payload host.Object, workspace string) host.Turn {
		t, _ := p.Turn(ctx, host.Job{Name: name, State: s.State, Event: p.Event("content_ready", payload, ""), Context: correlation(s.Pending), Workspace: workspace})
		return t
	}
	o.Own = own("the result as the tool's own event", p.AnyResult(), "")
	o.Failed = own("a failure as the tool's own event", host.Object{"status": "error", "error": "the tool is out of order"}, "")
	for _, key := range []string{"content", "text", "excerpt", "artifact_path"} {
		f := Found{Key: key, Marker: "marker-" + strings.ReplaceAll(p.NewID(), "-", "")}
		work := scenarios.Get(wire.NewFolder("assay-workspace-"))
		value := "a page about " + f.Marker
		if key == "artifact_path" {
			value = "artifacts/" + f.Marker + ".html"
		}
		err := scenarios.Try(func() {
			f.Turn = own("content under "+key, host.Object{key: value}, work)
			f.Files = p.ReadFolder("the workspace after it", work).Value("")
		})
		_ = wire.RemoveFolder(work)
		scenarios.End(err)
		o.Content = append(o.Content, f)
	}
}

// correlation is what the pipelines carry along of a request.
func correlation(due host.Pending) host.Object {
	return host.Object{"run_id": due.Run, "step": due.Step, "tool": due.Tool}
}

// QueueObservation is a run behind a gateway that runs one job at a time.
type QueueObservation struct {
	host.EndObservation
	Jobs     int      `json:"jobs"`    // of agent and tools
	Drained  bool     `json:"drained"` // the queue was empty in the end
	Unrouted []string `json:"unrouted,omitempty"`
}

// queued runs the loop behind a serial gateway of our own: one queue, tools of our own, every request routed to its tool and then
// back to the agent.
var queued = &scenarios.Drive[QueueObservation]{
	ID:    "agenticloop/queued",
	Title: "runs the loop behind a queue that runs one job at a time, with a tool of ours for each allowed one, from a start until the queue is empty",
	Sends: []string{"a turn for each job of the agent: agentic.start, then results by way of the tools"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *QueueObservation) {
		p := host.Open(c, &o.Turns)
		*o = QueueObservation{EndObservation: host.EndObservation{Goal: p.NewGoal()}}
		runQueue(ctx, p, o)
	},
}

// queuedJob is a job in the queue: of the agent, or of a tool.
type queuedJob struct {
	tool    string // "" is the agent
	event   host.Object
	context host.Object
}

func runQueue(ctx context.Context, p *host.Plugin, o *QueueObservation) {
	plan := p.SteerTwoSteps(ctx)
	defer plan.Close()
	var hints host.Object
	if plan != nil {
		o.Way, hints = plan.Via, plan.Context
	}
	queue := []queuedJob{{event: p.Start(o.Goal, hints)}}
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
			queue = append(queue, queuedJob{tool: tool, event: p.Event(host.RequestPrefix+"."+tool, host.Clone(payload), "")})
		}
	}
	o.Drained = len(queue) == 0
}

// routes says whether there is a pipeline for a tool.
func routes(p *host.Plugin, tool string) bool {
	if slices.Contains(p.Tools(), tool) {
		return true
	}
	_, aliased := p.Profile.Aliases[tool]
	return aliased
}

// runTool stands in for a tool: it answers the agent with what it was asked for. Where the agent takes a tool's own event,
// that is what it sends, with all that stood in the request as context, as the first gateways did (AL-R3).
func runTool(p *host.Plugin, plan *host.Plan, n int, j queuedJob) queuedJob {
	payload := j.event["payload"].(host.Object)
	body := plan.Body(n, p.AnyResult())
	if p.Can(agenticloopv2.CapabilityContextDelivery) {
		return queuedJob{event: p.Event("content_ready", body, ""), context: payload}
	}
	step, _ := stepOf(p, payload)
	run, _ := payload["run_id"].(string)
	tool, _ := payload["tool"].(string)
	return queuedJob{event: p.Result(host.Pending{Run: run, Step: step, Tool: tool}, body)}
}

// stepOf is the step of a request.
func stepOf(p *host.Plugin, payload host.Object) (int64, bool) {
	n, ok := payload["step"].(interface{ Int64() (int64, error) })
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return i, err == nil
}
