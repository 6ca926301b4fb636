package surface

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// described returns the discovery document of a host that was never opened.
func described(t *testing.T, o Options) map[string]any {
	t.Helper()
	o = must(o.withDefaults())
	made, err := settle(o.Version, o.Without)
	if err != nil {
		t.Fatal(err)
	}
	h := &Host{opts: o, claimed: made, rules: rules.Honest()}
	h.fixtures = must(must(readBundle()).load("")).runnable(h.lacks(asClaimed))
	var document map[string]any
	if err := json.Unmarshal(must(h.discover()).body, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// at follows a pointer into a document; nil where there is nothing.
func at(document any, pointer string) any {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		object, ok := document.(map[string]any)
		if !ok {
			return nil
		}
		document = object[token]
	}
	return document
}

// absent stands for a member that the document must not have.
var absent any

func TestDiscoverySaysWhatIsOn(t *testing.T) {
	const model = "/multiAgent/executionModel"
	off := func(names ...string) Options { return Options{Without: names} }
	for _, c := range []struct {
		name string
		o    Options
		want map[string]any
	}{
		{"the defaults", Options{}, map[string]any{
			"/protocolVersion":                      "1.1",
			model + "/supported":                    true,
			model + "/version":                      5.0,
			model + "/statefulResume":               true,
			model + "/confidenceEscalationFloor":    0.5,
			model + "/crossHostCausation/supported": true,
			model + "/crossHostCausation/hostId":    "assay-simhost",
			model + "/replayDeterminism/supported":  true,
			"/agents/orchestrator":                  true,
			"/agents/dispatch":                      true,
			"/agents/dispatchMapping":               true,
			"/orchestrator/supported":               true,
			"/dispatch/supported":                   true,
			"/replay":                               map[string]any{"supported": true, "modes": []any{"replay", "branch"}},
			"/limits/maxLoopIterations":             100.0,
			"/limits/maxNodeExecutions":             250.0,
			"/limits/maxRunDurationMs":              3600000.0,
			"/limits/maxRequestBodyBytes":           1048576.0,
			"/implementation/name":                  "assay-simhost",
			"/workspace": map[string]any{"supported": true, "versioned": true,
				"maxFileBytes": 65536.0, "maxFiles": 64.0, "maxVersions": 10.0},
			"/memory": map[string]any{"supported": true, "maxEntrySizeBytes": 65536.0,
				"ttlSupported": true, "attribution": map[string]any{"supported": true, "emitsWriteEvents": true}},
			"/agents/goals": map[string]any{"judge": "host", "continuation": []any{"manual",
				"schedule", "heartbeat", "commitment"}, "requiresBounds": true},
			"/heartbeat":                                            map[string]any{"supported": true},
			"/supportedEnvelopes":                                   []any{"clarification.request"},
			model + "/transcriptWindow":                             absent,
			model + "/verifier":                                     absent,
			model + "/replayDeterminism/llmCacheKeyRecipe":          "spec-rfc-0041",
			"/testing/mockProviders":                                []any{"mock"},
			model + "/crossHostCausation/ancestryEndpointSupported": true,
			model + "/replayDeterminism/refusalDivergenceEmission":  true,
		}},
		{"version 1", Options{Version: 1}, map[string]any{
			model + "/version": 1.0, model + "/confidenceEscalationFloor": absent, model + "/crossHostCausation": absent,
			model + "/replayDeterminism": absent, model + "/statefulResume": absent, "/limits/maxLoopIterations": 100.0,
		}},
		{"version 2", Options{Version: 2, ConfidenceFloor: 0.75}, map[string]any{
			model + "/confidenceEscalationFloor": 0.75, model + "/confidenceEscalationInterruptKind": "clarification",
			model + "/crossHostCausation": absent,
		}},
		{"version 2 that asks for approval", Options{Version: 2, EscalationInterrupt: "approval"}, map[string]any{
			model + "/confidenceEscalationInterruptKind": "approval",
		}},
		{"version 3", Options{Version: 3, HostID: "sim-1"}, map[string]any{
			model + "/crossHostCausation/hostId": "sim-1", model + "/replayDeterminism": absent,
		}},
		{"version 4", Options{Version: 4}, map[string]any{
			model + "/replayDeterminism/supported": true, model + "/statefulResume": absent,
		}},
		{"version 6", Options{Version: 6}, map[string]any{
			model + "/version": 6.0, model + "/verifier": map[string]any{"supported": true, "gating": true},
		}},
		{"verdicts that are only told", Options{Version: 6, Without: []string{"verifierGating"}}, map[string]any{
			model + "/verifier": map[string]any{"supported": true, "gating": false},
		}},
		{"no verifier", Options{Version: 6, Without: []string{"verifier"}}, map[string]any{model + "/verifier": absent, model + "/version": 6.0}},
		{"no model", off("mockAI"), map[string]any{"/testing": absent}},
		{"no execution model", off("executionModel"), map[string]any{
			"/multiAgent": absent, "/limits/maxLoopIterations": absent, "/agents/orchestrator": true,
		}},
		{"no stateful resume", off("statefulResume"), map[string]any{model + "/statefulResume": false, model + "/version": 5.0}},
		{"no supervisors", off("orchestrator"), map[string]any{
			"/agents/orchestrator": false, "/agents/supported": true, "/orchestrator/supported": false, "/agents/dispatch": true,
			"/multiAgent":         absent,
			"/agents/goals/judge": "host",
		}},
		{"no agents of any kind", off("orchestrator", "goals"), map[string]any{"/agents/supported": false, "/agents/goals": absent}},
		{"no goals", off("goals"), map[string]any{"/agents/goals": absent, "/agents/supported": true, "/workspace/supported": true}},
		{"no workspace", off("workspace"), map[string]any{"/workspace": absent, "/memory/supported": true}},
		{"a small workspace", Options{MaxFileBytes: 10, MaxFiles: 2, MaxVersions: 3}, map[string]any{
			"/workspace": map[string]any{"supported": true, "versioned": true, "maxFileBytes": 10.0, "maxFiles": 2.0, "maxVersions": 3.0},
		}},
		{"no memory", off("memory"), map[string]any{"/memory": absent, model + "/crossChildMemoryConcurrency": absent,
			"/workspace/supported": true}},
		{"memory at version 1", Options{Version: 1}, map[string]any{"/memory/supported": true, model + "/crossChildMemoryConcurrency": absent}},
		{"memory at version 2", Options{Version: 2}, map[string]any{model + "/crossChildMemoryConcurrency": "strict"}},
		{"no heartbeat", off("heartbeat"), map[string]any{"/heartbeat": absent}},
		// Seams and tokens have no place in discovery: who leaves them off takes nothing else away.
		{"no seams", off("agentloopSeam", "workspaceSeam", "goalsSeam", "interruptTokens"), map[string]any{
			"/workspace/supported": true, "/agents/goals/judge": "host", "/heartbeat/supported": true, model + "/version": 5.0,
		}},
		{"no dispatch", off("dispatch"), map[string]any{
			"/agents/dispatch": false, "/agents/dispatchMapping": false, "/dispatch/supported": false, "/multiAgent": absent,
		}},
		{"no mapping", off("dispatchMapping"), map[string]any{"/agents/dispatchMapping": false, "/agents/dispatch": true,
			model + "/supported": true}},
		{"no fixtures", off("fixtures"), map[string]any{"/fixtures": absent}},
		{"no branch", off("branch"), map[string]any{"/replay": map[string]any{"supported": true, "modes": []any{"replay"}}}},
		{"no replay", off("replay"), map[string]any{"/replay": absent, model + "/replayDeterminism/supported": true}},
		{"no limits", off("loopLimit", "durationLimit", "nodeLimit"), map[string]any{
			"/limits/maxLoopIterations": absent, "/limits/maxRunDurationMs": absent, "/limits/maxNodeExecutions": absent,
		}},
	} {
		document := described(t, c.o)
		for pointer, want := range c.want {
			if diff := cmp.Diff(want, at(document, pointer)); diff != "" {
				t.Errorf("%s: %s (-want +got)\n%s", c.name, pointer, diff)
			}
		}
	}
}

func TestDiscoveryListsFixturesThatCanRun(t *testing.T) {
	listed := func(without ...string) []any {
		list, _ := described(t, Options{Without: without})["fixtures"].([]any)
		return list
	}
	all := listed()
	for _, id := range []string{"conformance-noop", "conformance-multi-agent-handoff", "assay-loop", "conformance-dispatch-output-mapping"} {
		if !slices.Contains(all, any(id)) {
			t.Errorf("%s is not listed: %v", id, all)
		}
	}
	if got := listed("dispatchMapping"); slices.Contains(got, any("conformance-dispatch-output-mapping")) ||
		!slices.Contains(got, any("assay-loop")) {
		t.Errorf("without mappings the list is %v", got)
	}
	if got := listed("workspace"); slices.Contains(got, any("assay-loop-workspace")) || !slices.Contains(got, any("assay-loop")) {
		t.Errorf("without a workspace the list is %v", got)
	}
	if got := listed("memory"); slices.Contains(got, any("assay-loop-memory")) || !slices.Contains(got, any("assay-loop-workspace")) {
		t.Errorf("without memory the list is %v", got)
	}
	if got := listed("goals"); !cmp.Equal(got, all) {
		t.Errorf("without goals the list is %v", got)
	}
	if got := listed("orchestrator"); slices.Contains(got, any("assay-loop")) || !slices.Contains(got, any("conformance-noop")) {
		t.Errorf("without supervisors the list is %v", got)
	}
}

// Whatever is left off at whatever version, what is served is a valid document, and no claim stands without those it
// needs. The combinations are all of up to two claims, all but one, and a sample of the rest.
func TestDiscoveryIsValidInEveryCombination(t *testing.T) {
	schema := must(schemas.Component("Capabilities"))
	names := ClaimNames()
	loaded := must(must(readBundle()).load(""))
	all := 1<<len(names) - 1
	combinations := map[int]bool{0: true, all: true}
	for i := range names {
		combinations[all^1<<i] = true
		for j := range names {
			combinations[1<<i|1<<j] = true
		}
	}
	looks := 317 // however many claims there are
	if testenv.Long() {
		looks = 3169
	}
	step := all/looks | 1
	runnable := map[string][]string{} // what is lacking says which fixtures can run
	for combination := 0; combination <= all; combination += step {
		combinations[combination] = true
	}
	for combination := range combinations {
		var without []string
		for i, name := range names {
			if combination&(1<<i) != 0 {
				without = append(without, name)
			}
		}
		for version := 1; version <= 6; version++ {
			o := must(Options{Version: version}.withDefaults())
			h := &Host{opts: o, claimed: must(settle(version, without)), rules: rules.Honest()}
			lacks := strings.Join(h.lacks(asClaimed), " ")
			if runnable[lacks] == nil {
				runnable[lacks] = loaded.runnable(h.lacks(asClaimed))
			}
			h.fixtures = runnable[lacks]
			for _, p := range schema.Validate(must(h.discover()).body) {
				t.Fatalf("version %d without %v: %s", version, without, p)
			}
			for _, c := range claims {
				for _, need := range c.needs {
					if h.claimed[c.name] && !h.claimed[need] {
						t.Fatalf("version %d without %v claims %s, which needs %s", version, without, c.name, need)
					}
				}
			}
		}
	}
}

func TestUnknownClaimNamesTheNearest(t *testing.T) {
	for typed, want := range map[string]string{"statefulresume": "statefulResume", "fixture": "fixtures",
		"agentLoop": "agentloopSeam", "dispatchmaping": "dispatchMapping", "workspaces": "workspace", "goal": "goals",
		"interrupttoken": "interruptTokens"} {
		if _, err := settle(5, []string{typed}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("did you mean %q", want)) {
			t.Errorf("leaving off %q: %v, want the hint %s", typed, err, want)
		}
	}
}

func TestDiscoveryIsServedToEverybody(t *testing.T) {
	c := serve(t, Options{Name: "named", Release: "1.2.3"})
	for _, key := range []string{"", "Bearer wrong", "Basic x"} {
		got := c.do("GET", "/.well-known/openwop", nil, header{"Authorization", ""}, header{"Authorization", key}).want(http.StatusOK)
		if name := at(decoded[map[string]any](got), "/implementation/name"); name != "named" {
			t.Errorf("with %q the name is %v", key, name)
		}
		if got.header.Get("Cache-Control") == "" || got.header.Get("Capabilities-Etag") == "" {
			t.Errorf("with %q the caching headers are %v", key, got.header)
		}
		if doc := decoded[map[string]any](c.do("GET", "/v1/openapi.json", nil, header{"Authorization",
			key}).want(http.StatusOK)); doc["openapi"] != "3.1.0" {
			t.Errorf("with %q the API document says openapi %v", key, doc["openapi"])
		}
	}
}

func TestBannerSaysWhatToDo(t *testing.T) {
	c := serve(t, Options{Version: HighestVersion, Key: "s3cret", Without: []string{"replay"}})
	banner := c.host.Banner(c.base)
	for _, want := range []string{c.base, "s3cret", "execution model, version 6", "in memory", "curl -s " + c.base + "/v1/runs"} {
		if !strings.Contains(banner, want) {
			t.Errorf("the banner does not say %q:\n%s", want, banner)
		}
	}
	if strings.Contains(banner, "forks") {
		t.Errorf("the banner claims forks, which are off:\n%s", banner)
	}
	if len(c.host.Claims()) != len(claims)-2 {
		t.Errorf("%d claims are listed, want all but replay and branch: %v", len(c.host.Claims()), c.host.Claims())
	}
}

// What is left off is not offered a line below.
func TestDiscoveryDoesNotContradictItself(t *testing.T) {
	for _, name := range []string{"dispatch", "orchestrator"} {
		c := serve(t, Options{Without: []string{name}})
		d := decoded[openwopv1.Capabilities](c.do("GET", "/.well-known/openwop", nil).want(http.StatusOK))
		if *d.Orchestrator.FanOutSupported {
			t.Errorf("without %s a supervisor still fans out", name)
		}
		if name == "dispatch" && (d.Dispatch.FanOutSupported != nil || d.Dispatch.Models != nil) {
			t.Errorf("without dispatch there are still %v", d.Dispatch.Models)
		}
	}
}
