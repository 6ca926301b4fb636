package agenticloop

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// AllowedObservation is starts with allowlists of all kinds, whatever the agent then decides.
type AllowedObservation struct {
	Turns
	Control Turn              `json:"control"` // with the allowlist of the profile
	Only    Turn              `json:"only"`    // one tool alone is allowed, of which the agent knows nothing
	Tool    string            `json:"tool"`    // that one
	Self    Turn              `json:"self"`    // the agent alone is allowed
	Name    string            `json:"name"`    // its name
	Empty   []Turn            `json:"empty"`   // nothing is allowed
	Aliases map[string]string `json:"aliases,omitempty"`
}

// allowlists starts runs under other allowlists.
var allowlists = &scenarios.Drive[AllowedObservation]{
	ID:    "agenticloop/allowlists",
	Title: "starts runs where one unknown tool is allowed, the agent itself, or nothing",
	Sends: []string{"five turns: agentic.start with other allowed_plugins"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *AllowedObservation) {
		a := open(c, &o.Turns)
		*o = AllowedObservation{Tool: "assay-only-tool", Name: a.name(), Aliases: a.profile.Aliases}
		a.allowlists(ctx, o)
	},
}

func (a *agent) allowlists(ctx context.Context, o *AllowedObservation) {
	begin := func(name string, into *Turn, config object, edit func(object)) {
		*into, _ = a.turn(ctx, job{name: name, event: a.start(a.goal(), nil), config: config, edit: edit})
	}
	var empty, absent Turn
	begin("a start", &o.Control, nil, nil)
	begin("a start where "+o.Tool+" alone is allowed", &o.Only, object{"allowed_plugins": []any{o.Tool}}, nil)
	begin("a start where the agent alone is allowed", &o.Self, object{"allowed_plugins": []any{o.Name}}, nil)
	begin("a start with an empty allowlist", &empty, object{"allowed_plugins": []any{}}, nil)
	begin("a start without an allowlist", &absent, nil, func(request object) { delete(request["config"].(object), "allowed_plugins") })
	o.Empty = []Turn{empty, absent}
}

// ForbiddenObservation is runs whose planner wants what it may not have.
type ForbiddenObservation struct {
	Turns
	Control Turn     `json:"control"` // it wants what is allowed
	Tool    string   `json:"tool"`    // and got it: what the seam is worth
	First   Turn     `json:"first"`   // a tool that is not allowed, at the start
	Later   Turn     `json:"later"`   // and after a result
	Wanted  string   `json:"wanted"`  // that tool
	Self    []Turn   `json:"self"`    // the agent itself
	Name    string   `json:"name"`
	Empty   []Turn   `json:"empty"` // any tool, where nothing is allowed
	Odd     []Turn   `json:"odd"`   // names that are none
	Names   []string `json:"names"`
	Told    []Turn   `json:"told"` // the same names, told by the result of a tool
	// Cut has, in place of what could not be steered, why.
	Cut string `json:"cut,omitempty"`
}

// oddNames are names that would lead a route elsewhere.
var oddNames = []string{"../x", "a b", "x.y\n", "fetch.extra", "", strings.Repeat("n", 10_000), "übung"}

// forbidden has the planner want what it may not have.
var forbidden = &scenarios.Drive[ForbiddenObservation]{
	ID:    "agenticloop/forbidden",
	Title: "has the planner want a tool that is not allowed, first and later, the agent itself, and names that are none, which results name as well",
	Sends: []string{"a turn for each wish: agentic.start", "a turn for each name: agentic.tool_result", "two turns: agentic.tool_result"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ForbiddenObservation) {
		a := open(c, &o.Turns)
		*o = ForbiddenObservation{Wanted: "assay-forbidden", Name: a.name(), Tool: a.tools()[0]}
		a.forbidden(ctx, o)
	},
}

func (a *agent) forbidden(ctx context.Context, o *ForbiddenObservation) {
	arguments := object{"url": "http://example.test/"}
	var edit func(object)
	begin := func(name, tool string, config object) Turn {
		p := a.planned(ctx, call(tool, arguments))
		defer p.close()
		t, _ := a.turn(ctx, p.lays(job{name: name, event: a.start(a.goal(), p.context), config: config, edit: edit}))
		return t
	}
	var err error
	o.Control = begin("a start that wants "+o.Tool, o.Tool, nil)
	o.First = begin("a start that wants a tool that is not allowed", o.Wanted, nil)
	for _, s := range []struct {
		name    string
		allowed []any
	}{{"where it is not allowed", []any{o.Tool}}, {"where it is allowed", []any{o.Tool, o.Name}}, {"where it alone is allowed", []any{o.Name}}, {"where nothing is", []any{}}} {
		t := begin("a start that wants the agent itself "+s.name, o.Name, object{"allowed_plugins": s.allowed})
		o.Self = append(o.Self, t)
	}
	edit = func(request object) { delete(request["config"].(object), "allowed_plugins") }
	unlisted := begin("a start that wants the agent itself without an allowlist", o.Name, nil)
	o.Self = append(o.Self, unlisted)
	for _, e := range []struct {
		name   string
		config object
		edit   func(object)
	}{
		{"with an empty allowlist", object{"allowed_plugins": []any{}}, nil},
		{"without an allowlist", nil, func(request object) { delete(request["config"].(object), "allowed_plugins") }},
	} {
		edit = e.edit
		t := begin("a start that wants "+o.Tool+" "+e.name, o.Tool, e.config)
		o.Empty = append(o.Empty, t)
	}
	edit = nil
	for _, name := range oddNames {
		t := begin(fmt.Sprintf("a start that wants a tool named %.20q", name), name, object{"allowed_plugins": []any{o.Tool, name}})
		o.Odd, o.Names = append(o.Odd, t), append(o.Names, name)
	}
	a.misnamed(ctx, o)
	p, err := scenarios.Attempt(func() *plan { return a.planned(ctx, call(o.Tool, arguments), call(o.Wanted, arguments)) })
	if isBlocked(err) {
		o.Cut = reasonOf(err)
		return
	}
	scenarios.End(err)
	defer p.close()
	s, ok := a.begin(ctx, p.lays(job{name: "a start that wants " + o.Tool + " first", event: a.start(a.goal(), p.context)}))
	if !ok {
		return
	}
	o.Later, _ = a.turn(ctx, p.lays(job{name: "a result after which it wants a tool that is not allowed", state: s.state, event: a.result(s.pending, p.body(1, a.anyResult()))}))
}

// misnamed has the result of a tool name the next one: in its text, as a member, and in the words of the profile.
func (a *agent) misnamed(ctx context.Context, o *ForbiddenObservation) {
	s, ok := a.begin(ctx, job{name: "a start whose result will name a tool"})
	if !ok {
		return
	}
	for _, name := range oddNames {
		body := a.anyResult()
		body["content"], body["next_tool"] = "the next tool is "+name, name
		if seam := a.profile.Seams.ContextSteering; seam != nil && len(seam.NextTool) > 0 {
			hint, err := fill(seam.NextTool, call(name, nil))
			if err != nil {
				scenarios.End(unsteered("/profile/seams/context_steering/next_tool: " + err.Error()))
				return
			}
			if hint, isObject := hint.(object); isObject {
				maps.Copy(body, hint)
			}
		}
		t, _ := a.turn(ctx, job{name: fmt.Sprintf("a result that names a tool %.20q", name), state: s.state, event: a.result(s.pending, body), config: object{"allowed_plugins": []any{o.Tool, s.Tool, name}}})
		o.Told = append(o.Told, t)
	}
}

// SpoofedObservation is turns that were handed correlation of others to pass on.
type SpoofedObservation struct {
	Turns
	Start    Turn    `json:"start"`   // its context holds reserved keys
	Pending  pending `json:"pending"` // as the state has it
	Result   Turn    `json:"result"`  // so does the result
	Steered  Turn    `json:"steered"` // so do the arguments that the planner chose
	Spoof    spoof   `json:"spoof"`
	Unpicked string  `json:"unpicked,omitempty"` // why the arguments could not be chosen
}

// spoof is correlation that is not the run's.
type spoof struct {
	Run     string `json:"run_id"`
	Step    int    `json:"step"`
	Tool    string `json:"tool"`
	Command string `json:"tool_command"`
	At      string `json:"requested_at"`
}

func (s spoof) object() object {
	return object{"run_id": s.Run, "step": s.Step, "tool": s.Tool, "tool_command": s.Command, "requested_at": s.At}
}

// spoofing hands the agent reserved keys wherever it might pass them on.
var spoofing = &scenarios.Drive[SpoofedObservation]{
	ID:    "agenticloop/spoofing",
	Title: "hands the agent run_id, step, tool, tool_command and requested_at of somebody else, in a start's context, a result and, where they can be steered, a tool's arguments",
	Sends: []string{"two turns: agentic.start", "one turn: agentic.tool_result"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *SpoofedObservation) {
		a := open(c, &o.Turns)
		*o = SpoofedObservation{Spoof: spoof{"spoofed-" + a.id(), 77, "assay-spoofed-tool", "assay-spoofed-command", "1999-01-01T00:00:00Z"}}
		a.spoofing(ctx, o)
	},
}

func (a *agent) spoofing(ctx context.Context, o *SpoofedObservation) {
	hints := o.Spoof.object()
	delete(hints, "tool") // which tool is wanted, and by which command, is what a start may say
	delete(hints, "tool_command")
	hints["tool_payload"] = o.Spoof.object()
	s, ok := a.begin(ctx, job{name: "a start whose context holds reserved keys", event: a.start(a.goal(), hints)})
	o.Start, o.Pending = s.Turn, s.pending
	if !ok {
		return
	}
	body := a.anyResult()
	maps.Copy(body, o.Spoof.object())
	delete(body, "tool_command")
	body["tool_payload"] = o.Spoof.object()
	o.Result, _ = a.turn(ctx, job{name: "a result that holds reserved keys", state: s.state, event: a.result(s.pending, body)})
	p, err := scenarios.Attempt(func() *plan { return a.planned(ctx, call(a.tools()[0], o.Spoof.object())) })
	if isBlocked(err) {
		o.Unpicked = reasonOf(err)
		return
	}
	scenarios.End(err)
	defer p.close()
	o.Steered, _ = a.turn(ctx, p.lays(job{name: "a start whose planner chooses reserved keys as arguments", event: a.start(a.goal(), p.context)}))
}

// SecretsObservation is turns that were handed secrets, in all places where there are some.
type SecretsObservation struct {
	Turns
	Start    Turn              `json:"start"`
	Result   Turn              `json:"result"`
	Failure  Turn              `json:"failure"`
	Refused  Turn              `json:"refused"`
	Canaries map[string]string `json:"canaries"` // by where they stood
	Other    string            `json:"other"`    // in another run of the state
	Files    wire.Value        `json:"files"`
}

// secrets hands the agent canaries.
var secrets = &scenarios.Drive[SecretsObservation]{
	ID:    "agenticloop/secrets",
	Title: "starts, resumes and fails a run with canaries in the config, the environment, the secrets and another run",
	Sends: []string{"two turns: agentic.start", "three turns: agentic.tool_result, and an event that nobody knows"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *SecretsObservation) {
		a := open(c, &o.Turns)
		canary := func(where string) string { return "canary-" + where + "-" + strings.ReplaceAll(a.id(), "-", "") }
		*o = SecretsObservation{Other: canary("run"), Canaries: map[string]string{"config": canary("config"), "environment": canary("environment"), "secrets": canary("secrets")}}
		dir := scenarios.Get(wire.NewFolder("assay-workspace-"))
		defer wire.RemoveFolder(dir)
		a.secrets(ctx, o, dir)
	},
}

func (a *agent) secrets(ctx context.Context, o *SecretsObservation, dir string) {
	lay := func(j job) job {
		j.config = object{"assay_api_key": o.Canaries["config"], "assay": object{"token": o.Canaries["config"]}}
		j.env = map[string]string{"ASSAY_CANARY_TOKEN": o.Canaries["environment"]}
		j.secrets = object{"assay_token": o.Canaries["secrets"]}
		j.workspace = dir
		return j
	}
	_, state := a.turn(ctx, lay(job{name: "the start of another run", event: a.start("a goal with "+o.Other, nil)}))
	state = copied(state)
	for _, r := range runsOf(state) {
		if run, ok := r.(object); ok {
			run["goal"] = "a goal with " + o.Other
		}
	}
	s, ok := a.begin(ctx, lay(job{name: "the start", state: state}))
	if o.Start = s.Turn; !ok {
		return
	}
	o.Result, _ = a.turn(ctx, lay(job{name: "a result", state: s.state, event: a.result(s.pending, a.anyResult())}))
	o.Failure, _ = a.turn(ctx, lay(job{name: "a failure", state: s.state, event: a.failure(s.pending)}))
	o.Refused, _ = a.turn(ctx, lay(job{name: "an event that nobody knows", state: s.state, event: a.event("assay.unknown", object{"x": 1}, "")}))
	o.Files = a.ReadFolder("the workspace", dir).Value("")
}

// TrapObservation is turns that could have called somebody.
type TrapObservation struct {
	Turns
	Start   Turn       `json:"start"`
	Result  Turn       `json:"result"`
	Ignored Turn       `json:"ignored"`
	Trap    wire.Value `json:"trap"`  // the folder in which a program that was called leaves a file
	Asked   []int      `json:"asked"` // how often the model was asked by each turn, where there is one
}

// traps puts programs on the PATH by which a gateway is called.
var traps = &scenarios.Drive[TrapObservation]{
	ID:    "agenticloop/traps",
	Title: "starts and resumes a run with programs on the PATH that tell when they are called, ductile, senechal-gw, curl and wget, and with the address of a gateway's API in its config and its environment",
	Sends: []string{"one turn: agentic.start", "two turns: agentic.tool_result"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TrapObservation) {
		a := open(c, &o.Turns)
		dir := scenarios.Get(wire.NewFolder("assay-trap-"))
		defer wire.RemoveFolder(dir)
		a.traps(ctx, o, dir)
	},
}

func (a *agent) traps(ctx context.Context, o *TrapObservation, dir string) {
	bin, called := filepath.Join(dir, "bin"), filepath.Join(dir, "called")
	scenarios.End(errors.Join(wire.MakeFolder(called), layTraps(bin, called)))
	api := baitGateway(ctx, called)
	defer api.close()
	var p *plan
	if seams := a.profile.Seams; seams != nil && seams.MockLlm != nil {
		p = scenarios.Get(modelled(ctx, seams.MockLlm, []decision{call(a.tools()[0], object{"url": "http://example.test/"}), done("done")}))
		defer p.close()
	}
	asked := 0
	turn := func(j job) (Turn, object) {
		j.env = map[string]string{"PATH": bin + ":" + os.Getenv("PATH"), "DUCTILE_API_URL": api.url, "SENECHAL_API_URL": api.url}
		j.config = object{"gateway_url": api.url}
		t, after := a.turn(ctx, p.lays(j))
		if p != nil {
			o.Asked = append(o.Asked, p.llm.calls()-asked)
			asked = p.llm.calls()
		}
		return t, after
	}
	start, state := turn(job{name: "the start", event: a.start(a.goal(), nil)})
	o.Start = start
	if waits, ok := waiting(start); ok {
		o.Result, _ = turn(job{name: "the result", state: state, event: a.result(waits, a.anyResult())})
		o.Ignored, _ = turn(job{name: "a result for a run that never was", state: state, event: a.result(pending{a.id(), 1, waits.Tool}, a.anyResult())})
	}
	files := a.ReadFolder("programs that were called", called)
	o.Trap = files.Value("")
}
