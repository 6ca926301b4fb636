package security

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// AllowedObservation is starts with all kinds of allowlists, whatever the plugin then decides.
type AllowedObservation struct {
	host.Turns
	Control host.Turn         `json:"control"` // with the allowlist of the profile
	Both    host.Turn         `json:"both"`    // also a tool that the plugin does not know
	Only    host.Turn         `json:"only"`    // that tool alone
	Tool    string            `json:"tool"`    // that tool
	Default host.Turn         `json:"default"` // the config has a tool to begin with that its allowlist has not
	Self    host.Turn         `json:"self"`    // only the plugin itself is allowed
	Name    string            `json:"name"`    // of the plugin
	Empty   []host.Turn       `json:"empty"`   // nothing is allowed
	Aliases map[string]string `json:"aliases,omitempty"`
}

// allowlists starts runs under other allowlists.
var allowlists = &scenarios.Drive[AllowedObservation]{
	ID:    "agenticloop/allowlists",
	Title: "starts runs where one unknown tool is allowed, the agent itself, or nothing, or where a tool to begin with is not allowed",
	Sends: []string{"seven turns: agentic.start with other allowed_plugins"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *AllowedObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.Tool, o.Name, o.Aliases = c.Name("tool"), p.OwnName(), p.Profile.Aliases
		begin := func(name string, config host.Object, edit func(host.Object)) host.Turn {
			t, _ := p.Turn(ctx, host.Job{Name: name, Event: p.Start(p.NewGoal(), nil), Config: config, Edit: edit})
			return t
		}
		o.Control = begin("a start", nil, nil)
		o.Both = begin("a start where "+o.Tool+" is allowed, too", allowOnly(p.Tools()[0], o.Tool), nil)
		o.Only = begin("a start where "+o.Tool+" alone is allowed", allowOnly(o.Tool), nil)
		config := allowOnly(o.Tool)
		config["default_tool"] = p.Tools()[0]
		o.Default = begin("a start where "+p.Tools()[0]+" is the default, and "+o.Tool+" alone is allowed", config, nil)
		o.Self = begin("a start where the agent alone is allowed", allowOnly(o.Name), nil)
		o.Empty = []host.Turn{
			begin("a start with an empty allowlist", allowOnly(), nil),
			begin("a start without an allowlist", nil, withoutAllowlist),
		}
	},
}

// ForbiddenObservation is runs whose planner wants tools that it may not have.
type ForbiddenObservation struct {
	host.Turns
	Control host.Turn   `json:"control"`           // the tool that is wanted is allowed, which shows whether the seam steers
	Tool    string      `json:"tool"`              // always allowed, unless nothing is
	Wanted  string      `json:"wanted"`            // another tool
	First   host.Turn   `json:"first"`             // it is wanted at the start, and not allowed
	Near    []host.Turn `json:"near,omitempty"`    // names close to the allowed one are wanted, and are not allowed; none at quick
	Brought []host.Turn `json:"brought,omitempty"` // it is wanted, and a start allows it by itself; none at quick
	Obeyed  host.Turn   `json:"obeyed"`            // it is wanted after a result, and allowed
	Later   host.Turn   `json:"later"`             // the same where it is not allowed
	Self    []host.Turn `json:"self"`              // the plugin itself
	Name    string      `json:"name"`
	Empty   []host.Turn `json:"empty"`         // any tool, though nothing is allowed
	Odd     []host.Turn `json:"odd"`           // names that no tool may have
	Told    []host.Turn `json:"told"`          // the same names, told by the result of a tool
	Cut     string      `json:"cut,omitempty"` // why the turns after Told are missing
}

// oddNames returns names that would lead a route elsewhere. From depth standard on two of them have a drawn control character, one
// that every list of such characters has and one that few have.
func oddNames(c *scenarios.Conn) []string {
	names := []string{"../x", "a b", "x.y\n", "fetch.extra", "", strings.Repeat("n", 10_000), "übung"}
	if c.Depth > scenarios.Quick {
		low, high := rune(c.Rand.IntN(0x20)), rune(0x7f+c.Rand.IntN(0x21))
		names = append(names, "fetch"+string(low), "fetch"+string(high)+"extra", "fetch\r")
	}
	return names
}

// nearNames returns names that a careless comparison takes for that of a tool, from depth standard on.
func nearNames(c *scenarios.Conn, tool string, taken []string) []string {
	if c.Depth == scenarios.Quick {
		return nil
	}
	return append(model.NearTools(tool, taken), tool+"-"+c.Name("more"), c.Name("more")+"-"+tool)
}

// forbidden makes the planner want tools that it may not have.
var forbidden = &scenarios.Drive[ForbiddenObservation]{
	ID: "agenticloop/forbidden",
	Title: "has the planner want a tool that is not allowed, first and later, the agent itself, and names that are " +
		"none, which results name as well; beyond quick, names close to that of a tool that is allowed",
	Sends: []string{"a turn for each wish: agentic.start", "a turn for each name: agentic.tool_result",
		"three turns: agentic.start, and agentic.tool_result twice"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ForbiddenObservation) {
		p := host.Open(ctx, c, &o.Turns)
		tools := p.Tools()
		o.Wanted, o.Name, o.Tool = c.Name("tool"), p.OwnName(), tools[0]
		if known := tools[len(tools)-1]; known != o.Tool { // it is refused for want of permission, not since nobody knows it
			o.Wanted = known
		}
		names := oddNames(c)
		o.wishAtTheStart(ctx, p, names)
		o.tellNames(ctx, p, names)
		o.wishLater(ctx, p)
	},
}

// wished is the arguments of every wish.
var wished = host.Object{"url": "http://example.test/"}

// allowOnly is the config of an allowlist.
func allowOnly(tools ...any) host.Object {
	return host.Object{"allowed_plugins": append([]any{}, tools...)}
}

// withoutAllowlist takes the allowlist out of a request.
func withoutAllowlist(request host.Object) {
	delete(request["config"].(host.Object), "allowed_plugins")
}

// allowingWithin puts an allowlist into the event of a request, at a path of member names that are made where they are missing.
func allowingWithin(path string, tools ...any) func(request host.Object) {
	return func(request host.Object) {
		at := request["event"].(host.Object)
		for name := range strings.SplitSeq(path, "/") {
			within, there := at[name].(host.Object)
			if !there {
				within = host.Object{}
				at[name] = within
			}
			at = within
		}
		maps.Copy(at, allowOnly(tools...))
	}
}

// wishAtTheStart makes the planner want a tool as its first.
func (o *ForbiddenObservation) wishAtTheStart(ctx context.Context, p *host.Plugin, names []string) {
	wish := func(tool string, start host.Job) host.Turn {
		plan := p.Steer(ctx, host.Call(tool, wished))
		defer plan.Close()
		start.Event = p.Start(p.NewGoal(), plan.Context)
		t, _ := p.Turn(ctx, plan.Lay(start))
		return t
	}
	begin := func(name, tool string, config host.Object, edit func(host.Object)) host.Turn {
		return wish(tool, host.Job{Name: name, Config: config, Edit: edit})
	}
	o.Control = begin("a start that wants "+o.Wanted+", which is allowed", o.Wanted, allowOnly(o.Tool, o.Wanted), nil)
	o.First = begin("a start that wants "+o.Wanted+", which is not allowed", o.Wanted, allowOnly(o.Tool), nil)
	for _, near := range nearNames(p.Conn, o.Tool, p.Tools()) {
		t := begin("a start that wants "+near+" where "+o.Tool+" alone is allowed", near, allowOnly(o.Tool), nil)
		o.Near = append(o.Near, t)
	}
	if p.Depth > scenarios.Quick {
		for _, where := range []string{"payload", "payload/context", "payload/config"} {
			o.Brought = append(o.Brought, wish(o.Wanted, host.Job{
				Name:   "a start that wants " + o.Wanted + ", which its " + where + " allows and the config does not",
				Config: allowOnly(o.Tool), Edit: allowingWithin(where, o.Tool, o.Wanted), Refused: true,
			}))
		}
	}
	const itself = "a start that wants the agent itself "
	o.Self = []host.Turn{
		begin(itself+"where it is not allowed", o.Name, allowOnly(o.Tool), nil),
		begin(itself+"where it is allowed", o.Name, allowOnly(o.Tool, o.Name), nil),
		begin(itself+"where it alone is allowed", o.Name, allowOnly(o.Name), nil),
		begin(itself+"where nothing is", o.Name, allowOnly(), nil),
		begin(itself+"without an allowlist", o.Name, nil, withoutAllowlist),
	}
	o.Empty = []host.Turn{
		begin("a start that wants "+o.Tool+" with an empty allowlist", o.Tool, allowOnly(), nil),
		begin("a start that wants "+o.Tool+" without an allowlist", o.Tool, nil, withoutAllowlist),
	}
	for _, name := range names {
		t := begin(fmt.Sprintf("a start that wants a tool named %.20q", name), name, allowOnly(o.Tool, name), nil)
		o.Odd = append(o.Odd, t)
	}
}

// tellNames makes the result of a tool name the next one: in its text, as a member, and in the words of the profile.
func (o *ForbiddenObservation) tellNames(ctx context.Context, p *host.Plugin, names []string) {
	s, ok := p.Begin(ctx, host.Job{Name: "a start whose result will name a tool"})
	if !ok {
		return
	}
	for _, name := range names {
		body := p.AnyResult()
		body["content"], body["next_tool"] = "the next tool is "+name, name
		maps.Copy(body, p.Hint(name))
		t, _ := p.Turn(ctx, host.Job{
			Name: fmt.Sprintf("a result that names a tool %.20q", name), State: s.State,
			Event:  p.Result(s.Pending, body),
			Config: allowOnly(o.Tool, s.Tool, name),
		})
		o.Told = append(o.Told, t)
	}
}

// wishLater makes the planner want an allowed tool first, and then one that is not allowed.
func (o *ForbiddenObservation) wishLater(ctx context.Context, p *host.Plugin) {
	plan, err := p.TrySteer(ctx, host.Call(o.Tool, wished), host.Call(o.Wanted, wished))
	if err != nil {
		o.Cut = host.ReasonOf(err)
		return
	}
	defer plan.Close()
	start := host.Job{Name: "a start that wants " + o.Tool + " first", Event: p.Start(p.NewGoal(), plan.Context),
		Config: allowOnly(o.Tool, o.Wanted)}
	s, ok := p.Begin(ctx, plan.Lay(start))
	if !ok {
		return
	}
	after := func(name string, config host.Object) host.Turn {
		t, _ := p.Turn(ctx, plan.Lay(host.Job{Name: "a result after which it wants " + o.Wanted + name, State: s.State,
			Event: p.Result(s.Pending, plan.Body(1, p.AnyResult())), Config: config}))
		return t
	}
	o.Obeyed = after(", which is allowed", allowOnly(o.Tool, o.Wanted))
	o.Later = after(", which is not allowed", allowOnly(o.Tool))
}

// SpoofedObservation is turns that were handed the correlation of another run.
type SpoofedObservation struct {
	host.Turns
	Start    host.Turn    `json:"start"`   // reserved keys in its context
	Pending  host.Pending `json:"pending"` // as the state has it
	Result   host.Turn    `json:"result"`  // reserved keys in the result
	Plain    host.Turn    `json:"plain"`   // arguments that the planner chose, without reserved keys
	Marker   string       `json:"marker"`  // stands in them
	Steered  host.Turn    `json:"steered"` // the same with reserved keys among them
	Spoof    Spoof        `json:"spoof"`
	Unpicked string       `json:"unpicked,omitempty"` // why the arguments could not be chosen
}

// Spoof is the correlation of no run.
type Spoof struct {
	Run     string `json:"run_id"`
	Step    int    `json:"step"`
	Tool    string `json:"tool"`
	Command string `json:"tool_command"`
	At      string `json:"requested_at"`
}

func (s Spoof) object() host.Object {
	return host.Object{"run_id": s.Run, "step": s.Step, "tool": s.Tool, "tool_command": s.Command, "requested_at": s.At}
}

// spoofing hands the plugin reserved keys wherever it might pass them on.
var spoofing = &scenarios.Drive[SpoofedObservation]{
	ID: "agenticloop/spoofing",
	Title: "hands the agent run_id, step, tool, tool_command and requested_at of somebody else, in a start's " +
		"context, a result and, where they can be steered, a tool's arguments",
	Sends: []string{"three turns: agentic.start", "one turn: agentic.tool_result"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *SpoofedObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.Spoof = Spoof{
			"spoofed-" + p.NewID(), 77, c.Name("tool"), c.Name("command"), "1999-01-01T00:00:00Z",
		}
		hints := o.Spoof.object()
		delete(hints, "tool") // a start may say which tool and command it wants
		delete(hints, "tool_command")
		hints["tool_payload"] = o.Spoof.object()
		start := host.Job{Name: "a start whose context holds reserved keys", Event: p.Start(p.NewGoal(), hints)}
		s, ok := p.Begin(ctx, start)
		o.Start, o.Pending = s.Turn, s.Pending
		if !ok {
			return
		}
		body := p.AnyResult()
		maps.Copy(body, o.Spoof.object())
		delete(body, "tool_command")
		body["tool_payload"] = o.Spoof.object()
		result := p.Result(s.Pending, body)
		o.Result, _ = p.Turn(ctx, host.Job{Name: "a result that holds reserved keys", State: s.State, Event: result})
		o.Marker = p.Name("page")
		choose := func(name string, arguments host.Object) (t host.Turn) {
			arguments["url"] = "http://example.test/" + o.Marker
			plan, err := p.TrySteer(ctx, host.Call(p.Tools()[0], arguments))
			if err != nil {
				o.Unpicked = host.ReasonOf(err)
				return t
			}
			defer plan.Close()
			t, _ = p.Turn(ctx, plan.Lay(host.Job{Name: name, Event: p.Start(p.NewGoal(), plan.Context)}))
			return t
		}
		o.Plain = choose("a start whose planner chooses arguments", host.Object{})
		o.Steered = choose("a start whose planner chooses reserved keys as arguments", o.Spoof.object())
	},
}

// SecretsObservation is turns that were handed secrets in all places where a gateway has some.
type SecretsObservation struct {
	host.Turns
	Start    host.Turn         `json:"start"`
	Result   host.Turn         `json:"result"`
	Failure  host.Turn         `json:"failure"`
	Refused  host.Turn         `json:"refused"`
	Misset   []host.Turn       `json:"misset,omitempty"`  // starts in whose config a setting has a value of another type
	Canaries map[string]string `json:"canaries"`          // by place: config, environment, secrets
	Other    string            `json:"other"`             // the canary in another run of the state
	Climbed  []host.Turn       `json:"climbed,omitempty"` // results whose artifact_path leads to a file of the other run
	Files    wire.Value        `json:"files"`
}

// secrets hands the plugin canaries.
var secrets = &scenarios.Drive[SecretsObservation]{
	ID:    "agenticloop/secrets",
	Title: "starts, resumes and fails a run with canaries in the config, the environment, the secrets and another run",
	Sends: []string{"two turns: agentic.start", "three turns: agentic.tool_result, and an event that nobody knows",
		"from depth standard on, five turns: agentic.start with settings or secrets of another type, and three turns: " +
			"agentic.tool_result with a path that leads out of the workspace"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *SecretsObservation) {
		p := host.Open(ctx, c, &o.Turns)
		canary := func(where string) string { return "canary-" + where + "-" + strings.ReplaceAll(p.NewID(), "-", "") }
		o.Other = canary("run")
		o.Canaries = map[string]string{
			"config": canary("config"), "environment": canary("environment"), "secrets": canary("secrets"),
		}
		dir := scenarios.Get(wire.NewFolder("workspace-"))
		defer wire.RemoveFolder(dir)
		lay := func(j host.Job) host.Job {
			j.Config = host.Object{"service_api_key": o.Canaries["config"],
				"service": host.Object{"token": o.Canaries["config"]}}
			j.Env = map[string]string{"SERVICE_TOKEN": o.Canaries["environment"]}
			j.Secrets = host.Object{"service_token": o.Canaries["secrets"]}
			j.Workspace = dir
			return j
		}
		_, state := p.Turn(ctx,
			lay(host.Job{Name: "the start of another run", Event: p.Start("a goal with "+o.Other, nil)}))
		state = host.Clone(state)
		for _, r := range host.RunsOf(state) {
			if run, ok := r.(host.Object); ok {
				run["goal"] = "a goal with " + o.Other
			}
		}
		s, ok := p.Begin(ctx, lay(host.Job{Name: "the start", State: state}))
		if o.Start = s.Turn; !ok {
			return
		}
		o.Result, _ = p.Turn(ctx,
			lay(host.Job{Name: "a result", State: s.State, Event: p.Result(s.Pending, p.AnyResult())}))
		o.Failure, _ = p.Turn(ctx, lay(host.Job{Name: "a failure", State: s.State, Event: p.Failure(s.Pending)}))
		unknown := p.Event(c.Name("note"), host.Object{"x": 1}, "")
		o.Refused, _ = p.Turn(ctx, lay(host.Job{Name: "an event that nobody knows", State: s.State, Event: unknown}))
		o.Files = p.ReadFolder("the workspace", dir).Value("")
		if c.Depth > scenarios.Quick {
			o.missetEach(ctx, p)
			o.misshapeKeys(ctx, p)
			o.climb(ctx, p, s, lay)
		}
	},
}

// climb delivers results whose artifact_path names a file of the other run, in a workspace beside the run's own.
func (o *SecretsObservation) climb(ctx context.Context, p *host.Plugin, s host.Started, lay func(host.Job) host.Job) {
	beside := scenarios.Get(wire.NewFolder("workspace-"))
	defer wire.RemoveFolder(beside)
	file := filepath.Join(beside, "notes.md")
	scenarios.End(os.WriteFile(file, []byte("notes with "+o.Other+"\n"), 0o644))
	up := "../" + filepath.Base(beside) + "/notes.md"
	for _, name := range []string{up, "artifacts/../" + up, file} {
		t, _ := p.Turn(ctx, lay(host.Job{
			Name: "a result whose artifact_path leads out of the workspace", State: s.State,
			Event: p.Result(s.Pending, host.Object{"content_type": "text/markdown", "artifact_path": name}),
		}))
		o.Climbed = append(o.Climbed, t)
	}
}

// keyNames are names of settings that agents have for a key.
var keyNames = []string{"api_key", "token", "secret", "password"}

// misshapeKeys starts runs in whose config, and then in whose secrets, each setting that may hold a key has one of another type.
func (o *SecretsObservation) misshapeKeys(ctx context.Context, p *host.Plugin) {
	misfits := []any{[]any{o.Canaries["config"]}, host.Object{"value": o.Canaries["config"]}}
	config, secrets := host.Object{}, host.Object{}
	for _, name := range append(slices.Clone(keyNames), p.SettingsOfKey()...) {
		config[name], secrets[name] = misfits[p.Rand.IntN(len(misfits))], misfits[p.Rand.IntN(len(misfits))]
	}
	for _, job := range []host.Job{{Name: "a start whose config has keys of another type", Config: config},
		{Name: "a start whose secrets have keys of another type", Secrets: secrets}} {
		job.Event, job.Refused = p.Start(p.NewGoal(), nil), true
		t, _ := p.Turn(ctx, job)
		o.Misset = append(o.Misset, t)
	}
}

// missetEach starts runs in whose config one setting of the text after the other has a canary for its value, of a type that it cannot have.
func (o *SecretsObservation) missetEach(ctx context.Context, p *host.Plugin) {
	told := o.Canaries["config"]
	for _, setting := range []string{"allowed_plugins", "max_steps", "max_reframes"} {
		misfits := []any{told, []any{told}, host.Object{"value": told}}
		if setting == "allowed_plugins" { // a list of names is what it has to be
			misfits = []any{told, host.Object{"value": told}, []any{host.Object{"value": told}}}
		}
		t, _ := p.Turn(ctx, host.Job{
			Name: "a start whose config has " + setting + " of another type", Event: p.Start(p.NewGoal(), nil),
			Config: host.Object{setting: misfits[p.Rand.IntN(len(misfits))]}, Refused: true,
		})
		o.Misset = append(o.Misset, t)
	}
}

// TrapObservation is turns that could have called a gateway.
type TrapObservation struct {
	host.Turns
	Start   host.Turn  `json:"start"`
	Result  host.Turn  `json:"result"`
	Ignored host.Turn  `json:"ignored"`
	Trap    wire.Value `json:"trap"`  // the folder in which each called program leaves a file
	Asked   []int      `json:"asked"` // how often each turn asked the model, if there is one
}

// traps puts programs on the PATH that call a gateway.
var traps = &scenarios.Drive[TrapObservation]{
	ID: "agenticloop/traps",
	Title: "starts and resumes a run with programs on the PATH that tell when they are called, ductile, " +
		"senechal-gw, curl and wget, and with the address of a gateway's API in its config and its environment",
	Sends: []string{"one turn: agentic.start", "two turns: agentic.tool_result"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TrapObservation) {
		p := host.Open(ctx, c, &o.Turns)
		dir := scenarios.Get(wire.NewFolder("trap-"))
		defer wire.RemoveFolder(dir)
		bin, called := filepath.Join(dir, "bin"), filepath.Join(dir, "called")
		scenarios.End(errors.Join(wire.MakeFolder(called), layTraps(bin, called)))
		api := baitGateway(ctx, called)
		defer api.close()
		plan := &host.Plan{}
		if p.HasModel() {
			plan = p.ServeModel(ctx, host.Call(p.Tools()[0], wished), host.Done("done"))
		}
		defer plan.Close()
		asked := 0
		turn := func(j host.Job) (host.Turn, host.Object) {
			path := bin + ":" + os.Getenv("PATH")
			j.Env = map[string]string{"PATH": path, "DUCTILE_API_URL": api.url, "SENECHAL_API_URL": api.url}
			j.Config = host.Object{"gateway_url": api.url}
			t, after := p.Turn(ctx, plan.Lay(j))
			if plan.Model != nil {
				o.Asked = append(o.Asked, plan.Model.Calls()-asked)
				asked = plan.Model.Calls()
			}
			return t, after
		}
		var state host.Object
		o.Start, state = turn(host.Job{Name: "the start", Event: p.Start(p.NewGoal(), nil)})
		if due, ok := host.PendingOf(o.Start); ok {
			o.Result, _ = turn(host.Job{Name: "the result", State: state, Event: p.Result(due, p.AnyResult())})
			unknown := p.Result(host.Pending{Run: p.NewID(), Step: 1, Tool: due.Tool}, p.AnyResult())
			o.Ignored, _ = turn(host.Job{Name: "a result for a run that never was", State: state, Event: unknown})
		}
		o.Trap = p.ReadFolder("programs that were called", called).Value("")
	},
}
