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
	Run: func(ctx context.Context, c *scenarios.Conn) (AllowedObservation, error) {
		a, err := open(c)
		if err != nil {
			return AllowedObservation{}, err
		}
		o := AllowedObservation{Tool: "assay-only-tool", Name: a.name(), Aliases: a.profile.Aliases}
		err = a.allowlists(ctx, &o)
		o.Turns = a.turns
		return o, err
	},
}

func (a *agent) allowlists(ctx context.Context, o *AllowedObservation) error {
	begin := func(name string, into *Turn, config object, edit func(object)) error {
		var err error
		*into, _, err = a.turn(ctx, job{name: name, event: a.start(a.goal(), nil), config: config, edit: edit})
		return err
	}
	var empty, absent Turn
	err := errors.Join(
		begin("a start", &o.Control, nil, nil),
		begin("a start where "+o.Tool+" alone is allowed", &o.Only, object{"allowed_plugins": []any{o.Tool}}, nil),
		begin("a start where the agent alone is allowed", &o.Self, object{"allowed_plugins": []any{o.Name}}, nil),
		begin("a start with an empty allowlist", &empty, object{"allowed_plugins": []any{}}, nil),
		begin("a start without an allowlist", &absent, nil, func(request object) { delete(request["config"].(object), "allowed_plugins") }),
	)
	o.Empty = []Turn{empty, absent}
	return err
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
	Run: func(ctx context.Context, c *scenarios.Conn) (ForbiddenObservation, error) {
		a, err := open(c)
		if err != nil {
			return ForbiddenObservation{}, err
		}
		o := ForbiddenObservation{Wanted: "assay-forbidden", Name: a.name(), Tool: a.tools()[0]}
		err = a.forbidden(ctx, &o)
		o.Turns = a.turns
		return o, err
	},
}

func (a *agent) forbidden(ctx context.Context, o *ForbiddenObservation) error {
	arguments := object{"url": "http://example.test/"}
	var edit func(object)
	begin := func(name, tool string, config object) (Turn, error) {
		p, err := a.planned(ctx, call(tool, arguments))
		if err != nil {
			return Turn{}, err
		}
		defer p.close()
		t, _, err := a.turn(ctx, p.lays(job{name: name, event: a.start(a.goal(), p.context), config: config, edit: edit}))
		return t, err
	}
	var err error
	if o.Control, err = begin("a start that wants "+o.Tool, o.Tool, nil); err != nil {
		return err
	}
	if o.First, err = begin("a start that wants a tool that is not allowed", o.Wanted, nil); err != nil {
		return err
	}
	for _, s := range []struct {
		name    string
		allowed []any
	}{{"where it is not allowed", []any{o.Tool}}, {"where it is allowed", []any{o.Tool, o.Name}}, {"where it alone is allowed", []any{o.Name}}, {"where nothing is", []any{}}} {
		t, err := begin("a start that wants the agent itself "+s.name, o.Name, object{"allowed_plugins": s.allowed})
		if err != nil {
			return err
		}
		o.Self = append(o.Self, t)
	}
	edit = func(request object) { delete(request["config"].(object), "allowed_plugins") }
	unlisted, err := begin("a start that wants the agent itself without an allowlist", o.Name, nil)
	if err != nil {
		return err
	}
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
		t, err := begin("a start that wants "+o.Tool+" "+e.name, o.Tool, e.config)
		if err != nil {
			return err
		}
		o.Empty = append(o.Empty, t)
	}
	edit = nil
	for _, name := range oddNames {
		t, err := begin(fmt.Sprintf("a start that wants a tool named %.20q", name), name, object{"allowed_plugins": []any{o.Tool, name}})
		if err != nil {
			return err
		}
		o.Odd, o.Names = append(o.Odd, t), append(o.Names, name)
	}
	if err := a.misnamed(ctx, o); err != nil {
		return err
	}
	p, err := a.planned(ctx, call(o.Tool, arguments), call(o.Wanted, arguments))
	if isBlocked(err) {
		o.Cut = reasonOf(err)
		return nil
	}
	if err != nil {
		return err
	}
	defer p.close()
	s, ok, err := a.begin(ctx, p.lays(job{name: "a start that wants " + o.Tool + " first", event: a.start(a.goal(), p.context)}))
	if err != nil || !ok {
		return err
	}
	o.Later, _, err = a.turn(ctx, p.lays(job{name: "a result after which it wants a tool that is not allowed", state: s.state, event: a.result(s.pending, p.body(1, a.anyResult()))}))
	return err
}

// misnamed has the result of a tool name the next one: in its text, as a member, and in the words of the profile.
func (a *agent) misnamed(ctx context.Context, o *ForbiddenObservation) error {
	s, ok, err := a.begin(ctx, job{name: "a start whose result will name a tool"})
	if err != nil || !ok {
		return err
	}
	for _, name := range oddNames {
		body := a.anyResult()
		body["content"], body["next_tool"] = "the next tool is "+name, name
		if seam := a.profile.Seams.ContextSteering; seam != nil && len(seam.NextTool) > 0 {
			hint, err := fill(seam.NextTool, call(name, nil))
			if err != nil {
				return unsteered("/profile/seams/context_steering/next_tool: " + err.Error())
			}
			if hint, isObject := hint.(object); isObject {
				maps.Copy(body, hint)
			}
		}
		t, _, err := a.turn(ctx, job{name: fmt.Sprintf("a result that names a tool %.20q", name), state: s.state, event: a.result(s.pending, body), config: object{"allowed_plugins": []any{o.Tool, s.Tool, name}}})
		if err != nil {
			return err
		}
		o.Told = append(o.Told, t)
	}
	return nil
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
	Run: func(ctx context.Context, c *scenarios.Conn) (SpoofedObservation, error) {
		a, err := open(c)
		if err != nil {
			return SpoofedObservation{}, err
		}
		o := SpoofedObservation{Spoof: spoof{"spoofed-" + a.id(), 77, "assay-spoofed-tool", "assay-spoofed-command", "1999-01-01T00:00:00Z"}}
		err = a.spoofing(ctx, &o)
		o.Turns = a.turns
		return o, err
	},
}

func (a *agent) spoofing(ctx context.Context, o *SpoofedObservation) error {
	hints := o.Spoof.object()
	delete(hints, "tool") // which tool is wanted, and by which command, is what a start may say
	delete(hints, "tool_command")
	hints["tool_payload"] = o.Spoof.object()
	s, ok, err := a.begin(ctx, job{name: "a start whose context holds reserved keys", event: a.start(a.goal(), hints)})
	o.Start, o.Pending = s.Turn, s.pending
	if err != nil || !ok {
		return err
	}
	body := a.anyResult()
	maps.Copy(body, o.Spoof.object())
	delete(body, "tool_command")
	body["tool_payload"] = o.Spoof.object()
	if o.Result, _, err = a.turn(ctx, job{name: "a result that holds reserved keys", state: s.state, event: a.result(s.pending, body)}); err != nil {
		return err
	}
	p, err := a.planned(ctx, call(a.tools()[0], o.Spoof.object()))
	if isBlocked(err) {
		o.Unpicked = reasonOf(err)
		return nil
	}
	if err != nil {
		return err
	}
	defer p.close()
	o.Steered, _, err = a.turn(ctx, p.lays(job{name: "a start whose planner chooses reserved keys as arguments", event: a.start(a.goal(), p.context)}))
	return err
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
	Run: func(ctx context.Context, c *scenarios.Conn) (SecretsObservation, error) {
		a, err := open(c)
		if err != nil {
			return SecretsObservation{}, err
		}
		canary := func(where string) string { return "canary-" + where + "-" + strings.ReplaceAll(a.id(), "-", "") }
		o := SecretsObservation{Other: canary("run"), Canaries: map[string]string{"config": canary("config"), "environment": canary("environment"), "secrets": canary("secrets")}}
		dir, err := wire.NewFolder("assay-workspace-")
		if err != nil {
			return o, err
		}
		defer wire.RemoveFolder(dir)
		err = a.secrets(ctx, &o, dir)
		o.Turns = a.turns
		return o, err
	},
}

func (a *agent) secrets(ctx context.Context, o *SecretsObservation, dir string) error {
	lay := func(j job) job {
		j.config = object{"assay_api_key": o.Canaries["config"], "assay": object{"token": o.Canaries["config"]}}
		j.env = map[string]string{"ASSAY_CANARY_TOKEN": o.Canaries["environment"]}
		j.secrets = object{"assay_token": o.Canaries["secrets"]}
		j.workspace = dir
		return j
	}
	_, state, err := a.turn(ctx, lay(job{name: "the start of another run", event: a.start("a goal with "+o.Other, nil)}))
	if err != nil {
		return err
	}
	state = copied(state)
	for _, r := range runsOf(state) {
		if run, ok := r.(object); ok {
			run["goal"] = "a goal with " + o.Other
		}
	}
	s, ok, err := a.begin(ctx, lay(job{name: "the start", state: state}))
	if o.Start = s.Turn; err != nil || !ok {
		return err
	}
	if o.Result, _, err = a.turn(ctx, lay(job{name: "a result", state: s.state, event: a.result(s.pending, a.anyResult())})); err != nil {
		return err
	}
	if o.Failure, _, err = a.turn(ctx, lay(job{name: "a failure", state: s.state, event: a.failure(s.pending)})); err != nil {
		return err
	}
	if o.Refused, _, err = a.turn(ctx, lay(job{name: "an event that nobody knows", state: s.state, event: a.event("assay.unknown", object{"x": 1}, "")})); err != nil {
		return err
	}
	files, err := a.ReadFolder("the workspace", dir)
	if err == nil {
		o.Files = files.Value("")
	}
	return err
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
	Run: func(ctx context.Context, c *scenarios.Conn) (TrapObservation, error) {
		a, err := open(c)
		if err != nil {
			return TrapObservation{}, err
		}
		var o TrapObservation
		dir, err := wire.NewFolder("assay-trap-")
		if err != nil {
			return o, err
		}
		defer wire.RemoveFolder(dir)
		err = a.traps(ctx, &o, dir)
		o.Turns = a.turns
		return o, err
	},
}

func (a *agent) traps(ctx context.Context, o *TrapObservation, dir string) error {
	bin, called := filepath.Join(dir, "bin"), filepath.Join(dir, "called")
	if err := errors.Join(wire.MakeFolder(called), layTraps(bin, called)); err != nil {
		return err
	}
	api, err := baitGateway(ctx, called)
	if err != nil {
		return err
	}
	defer api.close()
	var p *plan
	if seams := a.profile.Seams; seams != nil && seams.MockLlm != nil {
		if p, err = modelled(ctx, seams.MockLlm, []decision{call(a.tools()[0], object{"url": "http://example.test/"}), done("done")}); err != nil {
			return err
		}
		defer p.close()
	}
	asked := 0
	turn := func(j job) (Turn, object, error) {
		j.env = map[string]string{"PATH": bin + ":" + os.Getenv("PATH"), "DUCTILE_API_URL": api.url, "SENECHAL_API_URL": api.url}
		j.config = object{"gateway_url": api.url}
		t, after, err := a.turn(ctx, p.lays(j))
		if p != nil {
			o.Asked = append(o.Asked, p.llm.calls()-asked)
			asked = p.llm.calls()
		}
		return t, after, err
	}
	start, state, err := turn(job{name: "the start", event: a.start(a.goal(), nil)})
	if o.Start = start; err != nil {
		return err
	}
	if waits, ok := waiting(start); ok {
		if o.Result, _, err = turn(job{name: "the result", state: state, event: a.result(waits, a.anyResult())}); err != nil {
			return err
		}
		if o.Ignored, _, err = turn(job{name: "a result for a run that never was", state: state, event: a.result(pending{a.id(), 1, waits.Tool}, a.anyResult())}); err != nil {
			return err
		}
	}
	files, err := a.ReadFolder("programs that were called", called)
	if err != nil {
		return err
	}
	o.Trap = files.Value("")
	return nil
}
