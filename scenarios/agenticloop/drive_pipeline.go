package agenticloop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// ContextObservation is results that came as the tool's own event, with the correlation in the request's context.
type ContextObservation struct {
	Turns
	Start   Turn    `json:"start"`
	Pending pending `json:"pending"`
	Direct  Turn    `json:"direct"` // the result as agentic.tool_result
	Own     Turn    `json:"own"`    // as the tool's own event
	Failed  Turn    `json:"failed"` // which says that it failed
	Content []Found `json:"content"`
	Live    bool    `json:"live"` // the profile says that it does not decide alike each time
}

// Found is a turn that was handed content, and where that may turn up.
type Found struct {
	Key    string     `json:"key"` // under which the content stood
	Marker string     `json:"marker"`
	Turn   Turn       `json:"turn"`
	Files  wire.Value `json:"files"`
}

// inContext delivers results as the pipelines do.
var inContext = &scenarios.Drive[ContextObservation]{
	ID:    "agenticloop/in-context",
	Title: "delivers a result as agentic.tool_result and as the tool's own event, a failure as the tool's own event, and content under four names",
	Sends: []string{"one turn: agentic.start", "one turn: agentic.tool_result", "six turns: content_ready with run_id, step and tool in the context of the request"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ContextObservation) {
		a := open(c, &o.Turns)
		*o = ContextObservation{Live: a.live()}
		a.inContext(ctx, o)
	},
}

func (a *agent) inContext(ctx context.Context, o *ContextObservation) {
	dir := scenarios.Get(wire.NewFolder("assay-workspace-"))
	defer wire.RemoveFolder(dir)
	s, ok := a.begin(ctx, job{name: "the start", workspace: dir})
	o.Start, o.Pending = s.Turn, s.pending
	if !ok {
		return
	}
	o.Direct, _ = a.turn(ctx, job{name: "the result as agentic.tool_result", state: s.state, event: a.result(s.pending, a.anyResult())})
	own := func(name string, payload object, workspace string) Turn {
		t, _ := a.turn(ctx, job{name: name, state: s.state, event: a.event("content_ready", payload, ""), context: correlation(s.pending), workspace: workspace})
		return t
	}
	o.Own = own("the result as the tool's own event", a.anyResult(), "")
	o.Failed = own("a failure as the tool's own event", object{"status": "error", "error": "the tool is out of order"}, "")
	for _, key := range []string{"content", "text", "excerpt", "artifact_path"} {
		f := Found{Key: key, Marker: "marker-" + strings.ReplaceAll(a.id(), "-", "")}
		work := scenarios.Get(wire.NewFolder("assay-workspace-"))
		value := "a page about " + f.Marker
		if key == "artifact_path" {
			value = "artifacts/" + f.Marker + ".html"
		}
		err := scenarios.Try(func() {
			f.Turn = own("content under "+key, object{key: value}, work)
			f.Files = a.ReadFolder("the workspace after it", work).Value("")
		})
		_ = wire.RemoveFolder(work)
		scenarios.End(err)
		o.Content = append(o.Content, f)
	}
}

// correlation is what the pipelines carry along of a request.
func correlation(p pending) object {
	return object{"run_id": p.Run, "step": p.Step, "tool": p.Tool}
}

// QueueObservation is a run behind a gateway that runs one job at a time.
type QueueObservation struct {
	EndObservation
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
		a := open(c, &o.Turns)
		*o = QueueObservation{EndObservation: EndObservation{Goal: a.goal()}}
		a.queued(ctx, o)
	},
}

// queuedJob is a job in the queue: of the agent, or of a tool.
type queuedJob struct {
	tool    string // "" is the agent
	event   object
	context object
}

func (a *agent) queued(ctx context.Context, o *QueueObservation) {
	p := a.twoSteps(ctx)
	defer p.close()
	var hints object
	if p != nil {
		o.Way, hints = p.via, p.context
	}
	queue := []queuedJob{{event: a.start(o.Goal, hints)}}
	var state object
	for ; len(queue) > 0 && o.Jobs < 4*mostSteps; o.Jobs++ {
		next := queue[0]
		queue = queue[1:]
		if next.tool != "" {
			queue = append(queue, a.runTool(p, o.Taken+1, next))
			continue
		}
		name := "the start"
		if o.Start.Name != "" {
			o.Taken++
			name = fmt.Sprintf("the result of step %d", o.Taken)
		}
		t, after := a.turn(ctx, p.lays(job{name: name, state: state, event: next.event, context: next.context}))
		if state = after; o.Start.Name == "" {
			o.Start = t
		} else {
			o.Steps = append(o.Steps, t)
		}
		if !t.answered() {
			return
		}
		for _, tool := range t.toolsOf() {
			payload, _ := t.requests().Values[0].Key("payload").Actual().(object)
			if !a.routes(tool) {
				o.Unrouted = append(o.Unrouted, tool)
				continue
			}
			if o.Run == "" {
				o.Run, _ = payload["run_id"].(string)
			}
			queue = append(queue, queuedJob{tool: tool, event: a.event(requestPrefix+"."+tool, copied(payload), "")})
		}
	}
	o.Drained = len(queue) == 0
}

// routes says whether there is a pipeline for a tool.
func (a *agent) routes(tool string) bool {
	if slices.Contains(a.tools(), tool) {
		return true
	}
	_, aliased := a.profile.Aliases[tool]
	return aliased
}

// runTool stands in for a tool: it answers the agent with what it was asked for. Where the agent takes a tool's own event,
// that is what it sends, with all that stood in the request as context, as the first gateways did (AL-R3).
func (a *agent) runTool(p *plan, n int, j queuedJob) queuedJob {
	payload := j.event["payload"].(object)
	body := p.body(n, a.anyResult())
	if a.can(agenticloopv2.CapabilityContextDelivery) {
		return queuedJob{event: a.event("content_ready", body, ""), context: payload}
	}
	step, _ := a.stepOf(payload)
	run, _ := payload["run_id"].(string)
	tool, _ := payload["tool"].(string)
	return queuedJob{event: a.result(pending{run, step, tool}, body)}
}

// stepOf is the step of a request.
func (a *agent) stepOf(payload object) (int64, bool) {
	n, ok := payload["step"].(interface{ Int64() (int64, error) })
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return i, err == nil
}
