package agenticloop

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/budget"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/correlation"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/agenticloop/pipeline"
	"github.com/openassay/assay/scenarios/agenticloop/protocol"
	"github.com/openassay/assay/scenarios/agenticloop/redelivery"
	"github.com/openassay/assay/scenarios/agenticloop/runs"
	"github.com/openassay/assay/scenarios/agenticloop/security"
	"github.com/openassay/assay/scenarios/agenticloop/state"
	"github.com/openassay/assay/scenarios/agenticloop/turns"
	"github.com/openassay/assay/scenarios/agenticloop/workspace"
	"github.com/openassay/assay/scenarios/history"
)

// Protocol is the resumable agentic loop over plugin protocol 2.
var Protocol = &scenarios.Protocol{
	ID:             "agentic-loop/v2",
	Title:          "the resumable agentic loop (RFC-103) over plugin protocol 2",
	Spec:           agenticloopv2.Bundled,
	Requests:       agenticloopv2.Bundled,
	Ledger:         host.Ledger(),
	Readings:       readings(),
	Claims:         claims.All,
	Profiles:       scenarios.FrozenProfiles("agentic-loop/v2"),
	Recorded:       turns.Watch,
	Watched:        turns.Watched,
	CheckDiscovery: checkDeclared,
	Rounds:         [3]scenarios.Rounds{scenarios.Standard: {Time: 2 * time.Second}, scenarios.Deep: {Time: time.Minute}}, // turns take long
	Describe:       describe,
	Event:          eventName,
	Program: &scenarios.Program{Request: "Request", Answer: "Response", Declares: true, Harmless: health, Kind: kindOf,
		Members: openMembers},
	Timeline: drawTimeline,
	Paces:    host.Paces,
	Words:    profileWords,
}

// eventName returns the type of an event, or the pattern of its family.
func eventName(kind string) (string, bool) {
	if _, known := agenticloopv2.Events[agenticloopv2.EventType(kind)]; known {
		return kind, true
	}
	for _, f := range agenticloopv2.EventFamilies() {
		if f.Pattern.MatchString(kind) {
			return string(f.Type), true
		}
	}
	return "", false
}

// openMembers returns the schemas of what a request leaves open.
func openMembers() map[string]string {
	return map[string]string{"state": "RunState", "event": "ReceivedEvent", "config": ""}
}

// kindOf names a turn by its command, or by the event that it handles. Names that the protocol does not know are the operator's.
func kindOf(request, answer map[string]any) (kind, run string) {
	event, _ := request["event"].(map[string]any)
	switch command, _ := request["command"].(string); command {
	case "health", "init", "poll":
		kind = "command " + command
	case "handle":
		kind = "event of a tool"
		if name, known := eventName(textOf(event["type"])); known {
			kind = "event " + name
		}
	default:
		kind = "another command"
	}
	for _, of := range []any{event["payload"], request["context"], answer["state_updates"]} {
		object, _ := of.(map[string]any)
		if run = cmp.Or(textOf(object["run_id"]), textOf(object["last_run_id"])); run != "" {
			return kind, run
		}
	}
	return kind, ""
}

func textOf(v any) string {
	text, _ := v.(string)
	return text
}

// health asks a plugin for its health, which acts on nothing.
func health(deadline time.Time) (request map[string]any, name string) {
	return map[string]any{
		"protocol": 2, "job_id": "health-1", "command": "health", "config": map[string]any{}, "state": map[string]any{},
		"deadline_at": deadline.UTC().Format(time.RFC3339),
	}, "the command health"
}

// Suites are all suites of the agentic loop, in the order they are shown.
func Suites() []scenarios.Suite {
	suites := []scenarios.Suite{
		protocol.Suite(), correlation.Suite(), runs.Suite(), budget.Suite(), state.Suite(), redelivery.Suite(), security.Suite(),
		workspace.Suite(), pipeline.Suite(), runs.Histories(),
	}
	for i := range suites {
		suites[i].Protocol = Protocol
	}
	return suites
}

// Models returns what the histories of a plugin are held against.
func Models() []history.Object { return []history.Object{model.Object()} }

func readings() []scenarios.Reading {
	all := make([]scenarios.Reading, len(agenticloop.ReadingsV2))
	for i, r := range agenticloop.ReadingsV2 {
		all[i] = scenarios.Reading(r)
	}
	return all
}

// checkDeclared lists where the manifest departs from its schema, as findings. The profile is the operator's, and was
// read before.
func checkDeclared(document []byte) []scenarios.Finding {
	var d struct {
		Manifest json.RawMessage `json:"manifest"`
	}
	if err := json.Unmarshal(document, &d); err != nil || len(d.Manifest) == 0 {
		return nil
	}
	schema, err := host.ContractSchema("Manifest")
	if err != nil {
		return []scenarios.Finding{{Text: "the manifest could not be compared with its schema: " + err.Error()}}
	}
	var out []scenarios.Finding
	for _, p := range schema.Validate(d.Manifest) {
		out = append(out, scenarios.Finding{Requirement: agenticloop.RFC103WIRE16, Text: "manifest: " + p.String()})
	}
	return out
}

// describe returns the plugin's name and version.
func describe(d scenarios.Discovery) (name, version string) {
	name = d.Document.At("/profile/name").String()
	if name == "" {
		name = d.Document.At("/manifest/name").String()
	}
	return name, d.Document.At("/manifest/version").String()
}
