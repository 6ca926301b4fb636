// Package protocol asks whether turns, responses and events have the form of the protocol, whatever comes in.
package protocol

import (
	"reflect"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/correlation"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the suite.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "protocol", Title: "turns, responses and events have the form of the protocol, whatever comes in",
		Scenarios: []scenarios.Scenario{
			manifestSound, exitCodes, resultTold, logsSound, requestSays, requestTells, startWithoutGoal,
			garbageIn, otherVersion, nobodyServes, zeroTime, hungModel, erringModel,
			host.EveryTurn("protocol", inputs), host.EveryTurnClaiming("protocol", Errings, claims.Model),
			host.EveryTurnClaiming("protocol", hung, claims.Model),
		},
	}
}

// RFC-103 Implementation Plan 1.
var manifestSound = scenarios.Scenario{
	ID:     "agenticloop/protocol/manifest",
	Title:  "the manifest is sound: protocol 2, name, version and entrypoint, and the command handle",
	Proves: scenarios.IDs{agenticloop.RFC103L1, agenticloop.RFC103WIRE16},
	Claim:  claims.Manifested,
	Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
		m := d.Document.Key("manifest")
		j.Check(agenticloop.RFC103L1, m.Key("protocol")).To(check.Equal(2), "protocol")
		j.Check(agenticloop.RFC103L1, m.Key("commands")).To(handles(), "commands")
		for _, name := range []string{"name", "version", "entrypoint"} {
			j.Check(agenticloop.RFC103WIRE16, m.Key(name)).To(check.Text(), "%s", name)
		}
	}),
}

// handles matches a list of commands that has handle.
func handles() check.Matcher {
	return check.That("a list with handle, by name or as an object", func(v any) bool {
		list, _ := v.([]any)
		return slices.ContainsFunc(list, func(c any) bool {
			command, _ := c.(host.Object)
			return c == "handle" || command["name"] == "handle"
		})
	})
}

// RFC-103 Non-Goals, Protocol Behavior. Gateways accept a sound response with any code, the RFC does not, but for turns that fail
// (AL-R21).
var exitCodes = scenarios.Scenario{
	ID:    "agenticloop/protocol/exit-code-0",
	Title: "every turn answers, and exits with 0 unless it failed, whatever became of the run",
	Proves: scenarios.IDs{agenticloop.RFC103P1, agenticloop.RFC103P2, agenticloop.RFC103P6,
		agenticloop.RFC103N1, agenticloop.RFC103I7, agenticloop.RFC103WIRE17},
	Claim: claims.Plugin,
	Ask: scenarios.Ask(correlation.Results, func(o correlation.ResultsObservation, j *scenarios.Judge) {
		host.GivenInTime(j, o.Turns...)
		for _, t := range o.Turns {
			for _, id := range (scenarios.IDs{
				agenticloop.RFC103P1, agenticloop.RFC103P6, agenticloop.RFC103N1, agenticloop.RFC103I7,
			}) {
				t.CheckExit(j, id)
			}
			j.Check(agenticloop.RFC103WIRE17, t.Exit).To(check.Equal(0), "%s: exit code", t.Name)
			j.Check(agenticloop.RFC103P2, t.Output).To(host.AnObject(), "%s: standard output", t.Name)
		}
	}),
}

// The codec of revision 2026-06 demands a result (AL-R24).
var resultTold = scenarios.Scenario{
	ID:     "agenticloop/protocol/result-told",
	Title:  "in revision 2026-06 a response with status ok says what was done",
	Proves: scenarios.IDs{agenticloop.RFC103WIRE4},
	Claim:  claims.Revision202606,
	Ask: scenarios.Ask(correlation.Results, func(o correlation.ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		for _, t := range o.Turns {
			if t.Status() == "ok" {
				j.Check(agenticloop.RFC103WIRE4,
					t.Answer.Key("result")).To(check.That("a text that is not blank", func(v any) bool {
					s, _ := v.(string)
					return strings.TrimSpace(s) != ""
				}), "%s: result", t.Name)
			}
		}
	}),
}

var logsSound = scenarios.Scenario{
	ID:     "agenticloop/protocol/logs-have-levels",
	Title:  "every log has a message and one of the four levels",
	Proves: scenarios.IDs{agenticloop.RFC103WIRE5},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(correlation.Results, func(o correlation.ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		logged := false
		for _, t := range o.Turns {
			for _, l := range t.Answer.Key("logs").Items() {
				logged = true
				j.Check(agenticloop.RFC103WIRE5, l.Key("level")).To(logLevel(), "%s: level of a log", t.Name)
				j.Check(agenticloop.RFC103WIRE5, l.Key("message")).To(anyText(), "%s: message of a log", t.Name)
			}
		}
		if !logged {
			j.Block("no turn left a log, so none was seen", "leave a log for a result that is ignored")
		}
	}),
}

// logLevel matches one of the four levels.
func logLevel() check.Matcher {
	levels := []string{"debug", "info", "warn", "error"}
	return check.That(strings.Join(levels, ", "), func(v any) bool {
		level, ok := v.(string)
		return ok && slices.Contains(levels, level)
	})
}

// anyText matches a text, also an empty one.
func anyText() check.Matcher {
	return check.That("a text", func(v any) bool { _, ok := v.(string); return ok })
}

// RFC-103 Event Contract 2.
var requestSays = scenarios.Scenario{
	ID:     "agenticloop/protocol/request-names-its-step",
	Title:  "a request is routed by its type, names run, step and tool, and has its arguments in one version",
	Proves: scenarios.IDs{agenticloop.RFC103E6, agenticloop.RFC103E7, agenticloop.RFC103E9},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(correlation.Starts, func(o correlation.StartsObservation, j *scenarios.Judge) {
		host.GivenAsked(j, o.First)
		host.Given(j, o.Second)
		asked := false
		route := host.Matching("agentic.tool_request. and a name without blanks and slashes", host.Routed)
		for _, t := range []host.Turn{o.First, o.Second} {
			for _, e := range t.Requests().Values {
				payload := e.Key("payload")
				j.Check(agenticloop.RFC103E6, e.Key("type")).To(route, "%s: type", t.Name)
				j.Check(agenticloop.RFC103E7, payload.Key("run_id")).To(check.Text(), "%s: run_id", t.Name)
				j.Check(agenticloop.RFC103E7, payload.Key("step")).To(host.WholeNumber(), "%s: step", t.Name)
				j.Check(agenticloop.RFC103E7, payload.Key("tool")).To(check.Text(), "%s: tool", t.Name)
				j.Check(agenticloop.RFC103E9, payload.Key("tool_payload")).To(arguments(), "%s: tool_payload", t.Name)
				j.Check(agenticloop.RFC103E9, payload).To(host.OneVersion(), "%s: payload", t.Name)
				findAlias(o, j, e)
				if id := payload.Key("run_id").String(); !host.PlainID.MatchString(id) {
					j.Find("", "the id of a run, %.140q, has other characters than letters, digits, dot, underscore and hyphen, or more than "+
						"128 of them (AL-R22)", id)
				}
				asked = asked || hasArguments(payload)
			}
		}
		if !asked {
			j.Block("no request has arguments, so none was seen that stands in one place", "ask for a tool that takes arguments")
		}
	}),
}

// findAlias notes a tool that is routed to a plugin of another name (AL-R1).
func findAlias(o correlation.StartsObservation, j *scenarios.Judge, e wire.Value) {
	plugin := strings.TrimPrefix(e.Key("type").String(), host.RequestPrefix+".")
	if tool := e.At("/payload/tool").String(); tool != plugin && o.Aliases[plugin] != tool {
		j.Find("", "it is routed to %.80q and names the tool %.80q: the profile has no such alias (AL-R1)", plugin, tool)
	}
}

// hasArguments reports whether a request says anything beside the correlation.
func hasArguments(payload wire.Value) bool {
	members, _ := payload.Actual().(host.Object)
	for name, value := range members {
		switch name {
		case "run_id", "step", "tool", "tool_command", "requested_at":
		case "tool_payload":
			if nested, isObject := value.(host.Object); value != nil && (!isObject || len(nested) > 0) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// arguments matches what may stand in tool_payload.
func arguments() check.Matcher {
	return check.That("an object, or nothing where the arguments stand beside the correlation", func(v any) bool {
		_, isObject := v.(host.Object)
		return isObject || v == nil
	})
}

var requestTells = scenarios.Scenario{
	ID:     "agenticloop/protocol/request-tells-more",
	Title:  "a request names the tool's command and says when it was made",
	Proves: scenarios.IDs{agenticloop.RFC103E8, agenticloop.RFC103E10},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(correlation.Starts, func(o correlation.StartsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.First)
		for _, e := range o.First.Requests().Values {
			j.Check(agenticloop.RFC103E8, e.At("/payload/tool_command")).To(check.Text(), "tool_command")
			j.Check(agenticloop.RFC103E10, e.At("/payload/requested_at")).To(host.Instant(), "requested_at")
		}
	}),
}

// RFC-103 Event Contract 1 (AL-R105).
var startWithoutGoal = scenarios.Scenario{
	ID:     "agenticloop/protocol/start-without-goal",
	Title:  "a start without a goal starts nothing, and is refused for good, escalated, or passed over with a log",
	Proves: scenarios.IDs{agenticloop.RFC103E2},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(correlation.Starts, func(o correlation.StartsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.First)
		host.GivenSome(j, o.NoGoal)
		for _, t := range o.NoGoal {
			if t.PassedOver() {
				j.Check(agenticloop.RFC103E2, t.Events()).To(check.Len(0), "%s: events", t.Name)
				j.Check(agenticloop.RFC103E2, t.Runs()).To(t.Untouched(), "%s", t.Name)
			} else {
				t.CheckRefused(j, agenticloop.RFC103E2)
			}
			j.Check(agenticloop.RFC103E2, t.KeptRuns().Each("/status")).To(noneRunning(), "%s: new runs", t.Name)
		}
	}),
}

// noneRunning matches statuses of runs that are all escalated.
func noneRunning() check.Matcher {
	return check.That("no run that is running", func(v any) bool {
		list, _ := v.([]any)
		return !slices.ContainsFunc(list, func(status any) bool { return status != "escalated" })
	})
}

// An exit code answers such input as well as an error (AL-R102).
var garbageIn = scenarios.Scenario{
	ID:     "agenticloop/protocol/input-that-is-no-request",
	Title:  "to input that is no JSON object the answer is an error, or an exit code and no output",
	Proves: scenarios.IDs{agenticloop.RFC103WIRE6},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(inputs, func(o InputsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.GivenReached(j, len(o.Garbage) > 0)
		host.GivenInTime(j, o.Garbage...)
		for _, t := range o.Garbage {
			if code, ok := t.Exit.Int(); ok && code != 0 {
				j.Check(agenticloop.RFC103WIRE6, t.Bytes).To(orError(t),
					"%s: output beside exit code %d", t.Name, code)
				continue
			}
			t.CheckExit(j, agenticloop.RFC103WIRE6)
			t.CheckStatus(j, "error", agenticloop.RFC103WIRE6)
		}
	}),
}

// orError matches no output, or an error of the protocol.
func orError(t host.Turn) check.Matcher {
	return check.Seeing("none, or an error of the protocol", func(s wire.Seen) (bool, string) {
		return reflect.DeepEqual(check.Plain(s.Actual()), int64(0)) || t.Status() == "error", t.Output.JSON()
	})
}

// The gateway's pages allow exit code 78 here, against the RFC (AL-R103).
var otherVersion = scenarios.Scenario{
	ID:     "agenticloop/protocol/other-version",
	Title:  "a request of another protocol version is refused for good, or with exit code 78",
	Proves: scenarios.IDs{agenticloop.RFC103WIRE7},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(inputs, func(o InputsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		t := o.Version
		if code, ok := t.Exit.Int(); ok && code != 0 && t.Status() != "error" {
			j.Check(agenticloop.RFC103WIRE7, t.Exit).To(check.Equal(78), "%s: exit code", t.Name)
			return
		}
		t.CheckStatus(j, "error", agenticloop.RFC103WIRE7)
		j.Check(agenticloop.RFC103WIRE7, t.Answer.Key("retry")).To(check.Equal(false), "%s: retry", t.Name)
		j.Check(agenticloop.RFC103WIRE7, t.KeptRuns()).To(check.Len(0), "%s: new runs", t.Name)
	}),
}

// The RFC is silent on requests that a plugin cannot serve (AL-R104).
var nobodyServes = scenarios.Scenario{
	ID:     "agenticloop/protocol/unknown-event-or-command",
	Title:  "an unknown command or event, and handle without an event, are refused for good, or passed over with a log",
	Proves: scenarios.IDs{agenticloop.RFC103WIRE8},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(inputs, func(o InputsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.GivenSome(j, o.Nobody)
		for _, t := range o.Nobody {
			if t.PassedOver() {
				t.CheckStatus(j, "ok", agenticloop.RFC103WIRE8)
			} else {
				t.CheckStatus(j, "error", agenticloop.RFC103WIRE8)
				j.Check(agenticloop.RFC103WIRE8, t.Answer.Key("retry")).To(check.Equal(false), "%s: retry", t.Name)
			}
			j.Check(agenticloop.RFC103WIRE8, t.Events()).To(check.Len(0), "%s: events", t.Name)
			j.Check(agenticloop.RFC103WIRE8, t.Runs()).To(t.Untouched(), "%s", t.Name)
		}
	}),
}

// A gateway in Go sends its zero time.
var zeroTime = scenarios.Scenario{
	ID:     "agenticloop/protocol/what-the-gateway-adds",
	Title:  "what the gateway adds to an event, be it the zero time, does no harm",
	Proves: scenarios.IDs{agenticloop.RFC103WIRE10},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(correlation.Results, func(o correlation.ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Matching, o.Zero)
		host.GivenMoved(j, o.Matching, o.Pending)
		o.Zero.CheckStatus(j, "ok", agenticloop.RFC103WIRE10)
		if o.Live {
			j.Check(agenticloop.RFC103WIRE10, o.Zero.Events()).To(o.Zero.MovesOn(o.Pending),
				"%s: events", o.Zero.Name)
			return
		}
		j.Check(agenticloop.RFC103WIRE10, o.Zero.Events().Each("/type")).To(
			check.SameAs(o.Matching.Events().Each("/type")), "%s: events", o.Zero.Name)
	}),
}

// The RFC is silent on models that hang: what the turn makes of it is the agent's decision (AL-R121).
var hungModel = scenarios.Scenario{
	ID:     "agenticloop/protocol/ends-before-its-deadline",
	Title:  "a turn whose model does not answer ends in its time, with a response, and leaves no process behind",
	Proves: scenarios.IDs{agenticloop.RFC103WIRE9},
	Claim:  claims.Model,
	Ask: scenarios.Ask(hung, func(o HungObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Control) // a plugin that fails with any model shows nothing
		host.GivenInTime(j, o.Hung)
		if o.Asked == 0 && !o.Hung.TimedOut {
			j.Block("the plugin did not ask the model",
				"see that mock_llm in "+host.ProfileName+" makes the plugin use it")
		}
		turns := []host.Turn{o.Hung}
		if o.Later != nil {
			host.GivenInTime(j, *o.Later)
			turns = append(turns, *o.Later)
		}
		for _, t := range turns {
			if _, exited := t.Exit.Int(); exited {
				host.Given(j, t)
			}
			j.Check(agenticloop.RFC103WIRE9, t.Survivors).To(check.Len(0), "%s: processes that it left behind", t.Name)
			if !t.CheckExit(j, agenticloop.RFC103WIRE9) {
				return
			}
			if retry, said := t.Answer.Key("retry").Bool(); t.Status() == "error" && said && !retry {
				j.Find("", "%s: its error may not be retried, though the model may answer the next time (AL-R121)", t.Name)
			}
		}
	}),
}
