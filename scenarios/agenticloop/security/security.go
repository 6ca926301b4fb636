// Package security asks what a plugin can be talked into, and what it tells.
package security

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the suite.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID:    "security",
		Title: "no tool that is not allowed, no agent that starts itself, no correlation of others, no secret told",
		Scenarios: []scenarios.Scenario{
			allowlistBinds, forbiddenRefused, neverItself, neverItselfPlanned, failsClosed, failsClosedPlanned,
			namesAreSound, reservedKeys, reservedArguments,
			secretsKept, secretsOutOfFiles, noNestedDispatch, misledByModel, modelKeyKept,
			host.EveryTurn("security", allowlists), host.EveryTurn("security", spoofing),
			host.EveryTurnAmongRuns("security", secrets), host.EveryTurn("security", forbidden),
			host.EveryTurn("security", traps),
		},
	}
}

// RFC-103 Security and Scope. The plugin that a request is routed to must be allowed (AL-R1).
var allowlistBinds = scenarios.Scenario{
	ID:     "agenticloop/security/allowlist-binds",
	Title:  "where one tool alone is allowed, no other is asked for, whatever the agent would like",
	Proves: scenarios.IDs{agenticloop.RFC103G3},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(allowlists, func(o AllowedObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Control)
		host.Given(j, o.Both, o.Only)
		j.Check(agenticloop.RFC103G3, o.Only.Events()).To(o.Only.AsksOnlyFor(o.Tool), "%s", o.Only.Name)
		if o.Default.Answered() { // a config that contradicts itself may be refused as such
			j.Check(agenticloop.RFC103G3, o.Default.Events()).To(o.Default.AsksOnlyFor(o.Tool), "%s", o.Default.Name)
		}
		if len(o.Both.Requests().Values) == 0 { // it is not the other tools that it misses
			j.Block("a start is not taken where the allowlist has a tool that the plugin does not know: "+o.Both.Answer.JSON(),
				"take an allowlist with tools that are not there")
		}
	}),
}

// givenSteered blocks the judge unless the seam steers: else it shows nothing that no forbidden tool was asked for.
func (o ForbiddenObservation) givenSteered(j *scenarios.Judge) {
	host.GivenRequest(j, o.Control)
	o.givenAsked(j, o.Control)
}

// givenAsked blocks the judge unless a turn asked for the tool that is wanted, where that is allowed.
func (o ForbiddenObservation) givenAsked(j *scenarios.Judge, t host.Turn) {
	if tools := t.Plugins(); len(tools) != 1 || tools[0] != o.Wanted {
		j.Block(fmt.Sprintf("the decision seam does not steer: %s: it was to ask for %s, and asked for %.80q", t.Name, o.Wanted, tools),
			"see that the templates of the seam in "+host.ProfileName+" are those of the plugin")
	}
}

// RFC-103 Security and Scope (AL-R116).
var forbiddenRefused = scenarios.Scenario{
	ID:     "agenticloop/security/forbidden-tool-refused",
	Title:  "a tool that is not allowed is not asked for, neither first nor later, though the planner wants it",
	Proves: scenarios.IDs{agenticloop.RFC103G3, agenticloop.RFC103T9},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(forbidden, func(o ForbiddenObservation, j *scenarios.Judge) {
		o.givenSteered(j)
		host.Given(j, o.First)
		for _, t := range slices.Concat([]host.Turn{o.First}, o.Near, o.Brought) {
			j.Check(agenticloop.RFC103G3, t.Events()).To(t.AsksOnlyFor(o.Tool), "%s", t.Name)
		}
		if o.Cut != "" {
			j.Block(o.Cut, "declare how a further tool is asked for in "+host.ProfileName)
		}
		host.Given(j, o.Obeyed, o.Later)
		o.givenAsked(j, o.Obeyed)
		j.Check(agenticloop.RFC103G3, o.Later.Events()).To(o.Later.AsksOnlyFor(o.Tool), "%s", o.Later.Name)
		j.Check(agenticloop.RFC103T9, o.Later.Events()).To(check.Seeing("one event, or an error", func(wire.Seen) (bool, string) {
			n := len(o.Later.Events().Values)
			return n == 1 || o.Later.Status() == "error", fmt.Sprintf("%d events, and status %q", n, o.Later.Status())
		}), "%s: what becomes of the run", o.Later.Name)
	}),
}

// checkNotItself checks that no event of a turn starts or resumes the plugin (AL-R15).
func checkNotItself(j *scenarios.Judge, t host.Turn, name string, of ...scenarios.RequirementID) {
	own := append([]string{host.RequestPrefix + "." + name}, host.Inputs...)
	for _, id := range of {
		j.Check(id, t.Events().Each("/type")).To(check.That("none of "+strings.Join(own, ", "), func(v any) bool {
			list, _ := v.([]any)
			return !slices.ContainsFunc(own, func(kind string) bool { return slices.Contains(list, any(kind)) })
		}), "%s: types of its events", t.Name)
		j.Check(id, t.Requests().Each("/payload/tool")).To(host.NoneIs(name), "%s: tools that it asks for", t.Name)
	}
}

// RFC-103 Non-Goals, Security and Scope (AL-R15).
var neverItself = scenarios.Scenario{
	ID:     "agenticloop/security/never-itself",
	Title:  "the agent does not ask for itself, though it alone is allowed",
	Proves: scenarios.IDs{agenticloop.RFC103G2, agenticloop.RFC103N4},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(allowlists, func(o AllowedObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Control)
		host.Given(j, o.Self)
		for _, t := range append([]host.Turn{o.Control, o.Only, o.Self}, o.Empty...) {
			checkNotItself(j, t, o.Name, agenticloop.RFC103G2, agenticloop.RFC103N4)
		}
		o.givenSteered(j)
	}),
}

// givenSteered blocks the judge unless the allowlist steers what the agent asks for: one that nothing made want itself shows
// nothing where it does not ask for itself.
func (o AllowedObservation) givenSteered(j *scenarios.Judge) {
	host.Given(j, o.Only)
	if !slices.Contains(o.Only.Plugins(), o.Tool) {
		j.Block("nothing made the agent want itself: it does not ask for a tool because it alone is allowed",
			"declare a decision seam in "+host.ProfileName+", so that its planner can want the agent itself")
	}
}

// RFC-103 Security and Scope (AL-R15).
var neverItselfPlanned = scenarios.Scenario{
	ID:     "agenticloop/security/never-itself-on-wish",
	Title:  "the agent does not ask for itself, though its planner wants it",
	Proves: scenarios.IDs{agenticloop.RFC103G2, agenticloop.RFC103N4},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(forbidden, func(o ForbiddenObservation, j *scenarios.Judge) {
		o.givenSteered(j)
		host.GivenSome(j, o.Self)
		for _, t := range o.Self {
			checkNotItself(j, t, o.Name, agenticloop.RFC103G2, agenticloop.RFC103N4)
		}
	}),
}

// RFC-103 Security and Scope (AL-R117).
var failsClosed = scenarios.Scenario{
	ID:     "agenticloop/security/no-allowlist-no-tool",
	Title:  "without an allowlist, or with an empty one, no tool is asked for",
	Proves: scenarios.IDs{agenticloop.RFC103G4},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(allowlists, func(o AllowedObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Control)
		host.Given(j, o.Empty...)
		for _, t := range o.Empty {
			j.Check(agenticloop.RFC103G4, t.Requests()).To(check.Len(0), "%s: requests for tools", t.Name)
		}
	}),
}

// RFC-103 Security and Scope (AL-R117).
var failsClosedPlanned = scenarios.Scenario{
	ID:     "agenticloop/security/no-allowlist-no-tool-on-wish",
	Title:  "without an allowlist, or with an empty one, no tool is asked for, though the planner wants one",
	Proves: scenarios.IDs{agenticloop.RFC103G4},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(forbidden, func(o ForbiddenObservation, j *scenarios.Judge) {
		o.givenSteered(j)
		host.GivenSome(j, o.Empty)
		for _, t := range o.Empty {
			j.Check(agenticloop.RFC103G4, t.Requests()).To(check.Len(0), "%s: requests for tools", t.Name)
		}
	}),
}

// soundRequests matches types of events in which each request ends in a sound name.
func soundRequests() check.Matcher {
	return check.That("no request for a tool but by a name of at most 256 characters without blanks, controls and slashes", func(v any) bool {
		list, _ := v.([]any)
		for _, e := range list {
			kind, _ := e.(string)
			if strings.HasPrefix(kind, host.RequestPrefix+".") && !host.Routed.MatchString(kind) { // one without a name is routed nowhere
				return false
			}
		}
		return true
	})
}

// The name of a tool becomes part of a route (AL-R119).
var namesAreSound = scenarios.Scenario{
	ID: "agenticloop/security/tool-names",
	Title: "whatever name a planner wants or a result tells, the type of a request ends in a name without blanks, control " +
		"characters and slashes",
	Proves: scenarios.IDs{agenticloop.RFC103READ12},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(forbidden, func(o ForbiddenObservation, j *scenarios.Judge) {
		o.givenSteered(j)
		host.GivenSome(j, o.Odd)
		host.Given(j, o.Told...)
		for _, t := range slices.Concat(o.Odd, o.Told) {
			j.Check(agenticloop.RFC103READ12, t.Events().Each("/type")).To(soundRequests(),
				"%s: types of its events", t.Name)
		}
	}),
}

// checkOwnCorrelation checks that requests name their own run, step and tool, and nothing that was handed in.
func (o SpoofedObservation) checkOwnCorrelation(j *scenarios.Judge, t host.Turn, run string) {
	const id = agenticloop.RFC103K3
	for _, e := range t.Requests().Values {
		payload := e.Key("payload")
		if run != "" {
			j.Check(id, payload.Key("run_id")).To(check.Equal(run), "%s: run_id", t.Name)
		}
		kept := t.Run(payload.Key("run_id").String())
		switch was := host.ProgressOf(t.RunsBefore()[payload.Key("run_id").String()]); {
		case t.Status() == "error": // the gateway routes no request of an error
		case kept.Present() && host.IsNothing(kept.Key("pending_tool").Actual()):
			j.Violates(agenticloop.RFC103I3, kept.Key("pending_tool"),
				"setup failed: "+t.Name+": its run does not say which tool it waits for")
		case was.Step > 0 && !t.WaitsAnew() && !asksFor(payload, was):
			j.Violates(agenticloop.RFC103T8, t.Runs(), "setup failed: "+t.Name+": its run waits for what it waited for before")
		case was.Step > 0 && !t.WaitsAnew(): // it repeats the pending request
			j.Block("setup failed: "+t.Name+": its run waits for what it waited for before", "take the run on by a result that matches")
		}
		j.Check(id, payload.Key("run_id")).NotTo(check.Equal(o.Spoof.Run), "%s: run_id", t.Name)
		j.Check(id, payload.Key("step")).To(check.SameAs(kept.Key("pending_step")), "%s: step", t.Name)
		j.Check(id, payload.Key("step")).NotTo(check.Equal(o.Spoof.Step), "%s: step", t.Name)
		j.Check(id, payload.Key("tool")).To(check.SameAs(kept.Key("pending_tool")), "%s: tool", t.Name)
		j.Check(id, payload.Key("tool")).NotTo(check.Equal(o.Spoof.Tool), "%s: tool", t.Name)
		j.Check(id, payload.Key("tool_command")).NotTo(check.Equal(o.Spoof.Command), "%s: tool_command", t.Name)
		if payload.Key("requested_at").String() == o.Spoof.At {
			j.Find("", "%s: requested_at is the one that was handed in (AL-R115)", t.Name)
		}
	}
}

// asksFor reports whether a request asks for what a run waits for.
func asksFor(payload wire.Value, p host.Progress) bool {
	step, _ := payload.Key("step").Int()
	return step == p.Step && payload.Key("tool").String() == p.Tool
}

// RFC-103 Testing Notes (AL-R115).
var reservedKeys = scenarios.Scenario{
	ID:     "agenticloop/security/reserved-keys",
	Title:  "what a start or a result holds does not override run_id, step, tool or tool_command of a request",
	Proves: scenarios.IDs{agenticloop.RFC103K3},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(spoofing, func(o SpoofedObservation, j *scenarios.Judge) {
		host.GivenAsked(j, o.Start)
		if !o.Start.Runs().Present() {
			j.Violates(agenticloop.RFC103I3, o.Start.Runs(), "setup failed: "+o.Start.Name+": the request names no run in the state")
		}
		made := o.Start.NewRuns()
		if len(made.Values) == 0 && !o.Start.WaitsAnew() {
			j.Violates(agenticloop.RFC103P5, o.Start.Runs(), "setup failed: "+o.Start.Name+" keeps no run that asks")
		}
		j.Check(agenticloop.RFC103K3, made).To(check.Len(1), "%s: new runs", o.Start.Name)
		run := ""
		if len(made.Values) == 1 {
			pointer := made.Values[0].Ref().Pointer
			run = pointer[strings.LastIndexByte(pointer, '/')+1:]
		}
		j.Part(func() { o.checkOwnCorrelation(j, o.Start, run) })
		if o.Result.Name != "" {
			host.Given(j, o.Result)
			o.checkOwnCorrelation(j, o.Result, run)
		}
	}),
}

// Flat arguments stand beside the correlation (AL-R2).
var reservedArguments = scenarios.Scenario{
	ID:     "agenticloop/security/reserved-arguments",
	Title:  "the arguments that a planner chooses do not override run_id, step, tool or tool_command",
	Proves: scenarios.IDs{agenticloop.RFC103K3},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(spoofing, func(o SpoofedObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		if o.Unpicked != "" {
			j.Block(o.Unpicked, "declare a decision seam in "+host.ProfileName+" that can say call_tool with arguments")
		}
		host.GivenRequest(j, o.Plain)
		if host.Find(o.Plain.Requests().Last().Actual(), o.Marker) == "" {
			j.Block("the arguments that the planner chose are not in the request, so none could override anything",
				"see that the seam in "+host.ProfileName+" hands arguments on, or hand them to the tool")
		}
		host.Given(j, o.Steered)
		if len(o.Steered.Requests().Values) == 0 { // it does not take such arguments
			j.Check(agenticloop.RFC103K3, o.Steered.Events().Each("/type")).To(check.OneOf([]any{}, []any{host.Escalated}),
				"%s: events", o.Steered.Name)
			return
		}
		j.Check(agenticloop.RFC103K3, o.Steered.Requests()).To(check.Len(1), "%s: requests for tools", o.Steered.Name)
		o.checkOwnCorrelation(j, o.Steered, "")
	}),
}

// told returns what a turn tells others: all of its answer but the state, and its standard error.
func told(t host.Turn) []wire.Value {
	return []wire.Value{t.Answer.Key("events"), t.Answer.Key("logs"), t.Answer.Key("error"), t.Answer.Key("result"), t.Errors}
}

// The RFC is silent on what a plugin may repeat (AL-R118).
var secretsKept = scenarios.Scenario{
	ID:     "agenticloop/security/secrets-kept",
	Title:  "nothing of the config, the environment, the secrets or another run is told",
	Proves: scenarios.IDs{agenticloop.RFC103READ10},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(secrets, func(o SecretsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Result, o.Failure, o.Refused)
		if host.Find(o.Start.StateBefore(), o.Other) == "" {
			j.Block("setup failed: the state has no other run, of which something could be told", "have a start make a run")
		}
		for _, t := range []host.Turn{o.Start, o.Result, o.Failure, o.Refused} {
			for _, where := range slices.Sorted(maps.Keys(o.Canaries)) {
				for _, v := range append(told(t), t.Answer.Key("state_updates")) {
					j.Check(agenticloop.RFC103READ10, v).To(host.Without(o.Canaries[where]),
						"%s: what stands in the %s", t.Name, where)
				}
			}
			for _, v := range told(t) {
				j.Check(agenticloop.RFC103READ10, v).To(host.Without(o.Other),
					"%s: what stands in another run", t.Name)
			}
		}
		for _, t := range o.Climbed {
			for _, v := range told(t) {
				j.Check(agenticloop.RFC103READ10, v).To(host.Without(o.Other), "%s: what stands in a file of another run", t.Name)
			}
		}
		for _, t := range o.Misset {
			for _, v := range told(t) {
				j.Check(agenticloop.RFC103READ10, v).To(host.Without(o.Canaries["config"]), "%s: what stands in the config", t.Name)
			}
		}
	}),
}

var secretsOutOfFiles = scenarios.Scenario{
	ID:     "agenticloop/security/secrets-out-of-files",
	Title:  "nothing of the config, the environment or the secrets stands in the files of the workspace",
	Proves: scenarios.IDs{agenticloop.RFC103READ11},
	Claim:  claims.Workspaces,
	Ask: scenarios.Ask(secrets, func(o SecretsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Result, o.Failure, o.Refused)
		if files, listed := o.Files.Actual().(host.Object); !listed {
			j.Block("setup failed: the workspace cannot be read", "leave the workspace readable")
		} else if len(files) == 0 {
			j.Violates(agenticloop.RFC103W1, o.Files, "setup failed: the workspace is empty after a start")
		}
		for _, where := range slices.Sorted(maps.Keys(o.Canaries)) {
			j.Check(agenticloop.RFC103READ11, o.Files).To(host.Without(o.Canaries[where]),
				"what stands in the %s", where)
		}
	}),
}

// We see what a turn sends to the address that it was told is the gateway's, and the programs that it calls. A program
// that may have another errand is a finding (AL-R120).
var noNestedDispatch = scenarios.Scenario{
	ID:     "agenticloop/security/no-nested-dispatch",
	Title:  "a turn calls neither the gateway nor a program that would, and asks a model for one turn alone",
	Proves: scenarios.IDs{agenticloop.RFC103N2, agenticloop.RFC103O2},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(traps, func(o TrapObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Result, o.Ignored)
		for _, name := range append(slices.Clip(gatewayPrograms), gatewayCalled) {
			for _, id := range (scenarios.IDs{agenticloop.RFC103N2, agenticloop.RFC103O2}) {
				j.Check(id, o.Trap.Key(name)).To(check.Absent(), "calls of %s", name)
			}
		}
		for _, name := range append(slices.Clip(gatewayPrograms), gatewayCalled) {
			if called := o.Trap.Key(name + asked); called.Present() {
				j.Find("", "it asks the gateway something, of which no job comes (AL-R120): %.300s", called.Key("text").String())
			}
		}
		for _, name := range fetchPrograms {
			if called := o.Trap.Key(name); called.Present() {
				j.Find("", "it calls a program that fetches, from an address that we cannot see (AL-R120): %.300s",
					called.Key("text").String())
			}
		}
		if len(o.Asked) == 3 && o.Asked[2] > 0 {
			j.Find("", "the model was asked %d times for a result that is ignored (AL-R120)", o.Asked[2])
		}
	}),
}
