package prove_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// tidy is a workflow that no drive was written for: two nodes that do nothing.
const tidy = `{"id":"acme-tidy","name":"Tidy up","version":"1.0","edges":[{"id":"e","sourceNodeId":"sweep","targetNodeId":"mop"}],
	"nodes":[{"id":"sweep","typeId":"core.noop","name":"Sweep","position":{"x":0,"y":0},"config":{},"inputs":{}},
	{"id":"mop","typeId":"core.noop","name":"Mop","position":{"x":1,"y":0},"config":{},"inputs":{}}],
	"triggers":[{"id":"manual","type":"manual","enabled":true}],"variables":[],"metadata":{},"settings":{"timeout":60000}}`

// slow is the same, with a first node that takes its time.
func slow(id string, ms int) string {
	s := strings.ReplaceAll(tidy, "acme-tidy", id)
	s = strings.Replace(s, "core.noop", "core.delay", 1)
	s = strings.Replace(s, `"inputs":{}`, `"inputs":{"delayMs":{"type":"variable","variableName":"delayMs"}}`, 1)
	return strings.Replace(s, `"variables":[]`, `"variables":[{"name":"delayMs","type":"number","description":"ms","required":true,`+
		`"defaultValue":`+strconv.Itoa(ms)+`}]`, 1)
}

// ownOnly returns a simulated host that knows these workflows and no other, and says that it has these fixtures.
func ownOnly(t *testing.T, workflows map[string]string, listed []string, faults ...string) string {
	t.Helper()
	dir := t.TempDir()
	for id, definition := range workflows {
		if err := os.WriteFile(filepath.Join(dir, id+".json"), []byte(definition), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	front := func(inner http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/.well-known/openwop":
				seen := httptest.NewRecorder()
				inner.ServeHTTP(seen, r)
				var doc map[string]any
				if err := json.Unmarshal(seen.Body.Bytes(), &doc); err != nil {
					t.Error(err)
				}
				doc["fixtures"] = listed
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Cache-Control", seen.Header().Get("Cache-Control"))
				_ = json.NewEncoder(w).Encode(doc)
				return
			case r.Method == http.MethodPost && r.URL.Path == "/v1/runs":
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				var asked struct {
					WorkflowID string `json:"workflowId"`
				}
				known := json.Unmarshal(body, &asked) != nil || asked.WorkflowID == "" || workflows[asked.WorkflowID] != ""
				if !known { // the host has its own answer to what nobody has
					r.Body = io.NopCloser(bytes.NewReader(bytes.ReplaceAll(body, []byte(asked.WorkflowID), []byte("unknown-here"))))
					r.ContentLength = -1
				}
			}
			inner.ServeHTTP(w, r)
		})
	}
	return serve(t, surface.Options{Workflows: dir}, front, faults...).URL
}

// plain are scenarios that any run that ends by itself answers.
var plain = strings.Fields(`discovery/fixture-can-run
	errors/strangers-refused errors/existence-hidden errors/unknown-not-found errors/bodies-refused errors/members-answered
	errors/stream-mode-refused errors/method-refused errors/keyed-once errors/keyed-at-once
	event-log/numbered-without-gap event-log/envelope-complete event-log/payloads-fit event-log/ends-once event-log/logs-apart
	event-log/never-changes event-log/poll-cursor event-log/poll-complete event-log/stream-shows-all event-log/stream-closes
	event-log/stream-resumes event-log/stream-batches event-log/forms-agree
	replay/prefix-kept replay/forks-refused replay/branches-refused
	isolation/runs-unread isolation/fork-refused isolation/keys-apart isolation/owner-by-credential
	execution-bounds/nodes-bounded execution-bounds/nodes-leave-alone execution-bounds/node-breach-replayed
	execution-bounds/options-refused execution-bounds/options-kept
	execution-bounds/nodes-beside-others execution-bounds/options-kept-together
	ancestry/root-has-no-parent ancestry/fork-has-no-parent ancestry/never-has-none
	run-control/snapshot-well-formed run-control/ends-as-it-should run-control/failed-has-error run-control/times-of-a-run
	misfits/every-misfit-answered misfits/every-misfit-without-effect misfits/every-end-final
	credentials/every-way-refused credentials/every-way-unlearned credentials/every-way-without-effect credentials/every-run-apart
	run-control/labels-kept run-control/diff-of-itself run-control/diff-of-unknown`)

// slowly are scenarios that take a run that is under way for a while.
var slowly = strings.Fields(`errors/cancel-ends errors/cancel-of-ended errors/strangers-change-nothing isolation/cancel-refused
	errors/one-per-scope
	event-log/poll-while-live event-log/stream-while-live execution-bounds/time-bounded execution-bounds/time-leaves-alone
	run-control/cancelled-never-completes run-control/bulk-cancels-each run-control/bulk-leaves-ended run-control/bulk-refuses
	run-control/paused-stands-still run-control/drained-stands-still run-control/paused-is-refused run-control/resumed-goes-on
	run-control/paused-cancelled run-control/foreign-uncontrolled`)

var (
	onePlain  = map[string]string{"acme-tidy": tidy}
	slowOnes  = map[string]string{"acme-tidy": tidy, "acme-soak": slow("acme-soak", 1500), "acme-brew": slow("acme-brew", 29_000)}
	slowNames = []string{"acme-brew", "acme-soak", "acme-tidy"}
)

// A host that lists none of the known fixtures gets its verdicts by a workflow of its own, which it lists or the operator names; where
// a run has to be under way for a while, by one of which a control run shows that it is. Without any, the scenarios are blocked.
func TestAHostWithWorkflowsOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		workflows map[string]string
		listed    []string
		roles     map[string]string
		asks      []string
		want      scenarios.Verdict
	}{
		"one that it lists":              {onePlain, []string{"acme-tidy"}, nil, plain, scenarios.Passed},
		"one that the operator names":    {onePlain, nil, map[string]string{"short": "acme-tidy"}, withoutFixtures(plain), scenarios.Passed},
		"slow ones":                      {slowOnes, slowNames, nil, slowly, scenarios.Passed},
		"none that takes its time":       {onePlain, []string{"acme-tidy"}, nil, slowly, scenarios.Blocked},
		"one that nobody says it has":    {onePlain, nil, nil, []string{"errors/keyed-once", "event-log/ends-once"}, scenarios.Blocked},
		"one that is listed and unknown": {nil, []string{"acme-tidy"}, nil, []string{"errors/keyed-once"}, scenarios.Blocked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, o := range askOwn(t, ownOnly(t, c.workflows, c.listed), c.roles, c.asks) {
				if o.Verdict != c.want {
					t.Errorf("%s is %s (%s), want %s", o.Scenario.ID, o.Verdict, o.Reason, c.want)
				}
			}
		})
	}
}

// withoutFixtures leaves out what asks about the list itself.
func withoutFixtures(asks []string) []string {
	return slices.DeleteFunc(slices.Clone(asks), func(s string) bool { return s == "discovery/fixture-can-run" })
}

func askOwn(t *testing.T, url string, roles map[string]string, asks []string) []scenarios.Outcome {
	t.Helper()
	r := certify(t, url, scenarios.Options{Seed: 7, Patience: testenv.Patience(10 * time.Second), Roles: roles,
		Select: scenarios.Selection{Scenarios: asks}})
	if len(r.Outcomes) != len(asks) {
		t.Errorf("%d outcomes of %d scenarios", len(r.Outcomes), len(asks))
	}
	return r.Outcomes
}

// What a host does wrong is found by its own workflows as well.
func TestFaultsShowInWorkflowsOfTheHost(t *testing.T) {
	many(t)
	t.Parallel()
	for _, c := range []struct {
		workflows map[string]string
		faults    map[string]string // and the scenario that finds each
	}{
		{onePlain, map[string]string{
			"log.ended-again":               "event-log/ends-once",
			"stream.resumes-from-the-start": "event-log/stream-resumes",
			"request.keys-unread":           "errors/keyed-once",
			"request.any-key-reads":         "errors/strangers-refused",
			"replay.touches-its-source":     "replay/prefix-kept",
			"replay.from-beyond":            "replay/forks-refused",
			"tenant.log-unguarded":          "isolation/runs-unread",
			"bounds.node-too-many":          "execution-bounds/nodes-bounded",
			"bounds.last-node-refused":      "execution-bounds/nodes-leave-alone",
			"bounds.options-used-up":        "execution-bounds/options-kept",
			"ancestry.missing-is-unserved":  "ancestry/never-has-none",
			"control.error-without-message": "run-control/failed-has-error",
		}},
		{slowOnes, map[string]string{
			"request.refused-cancel-done":     "errors/strangers-change-nothing",
			"tenant.cancel-unguarded":         "isolation/cancel-refused",
			"log.complete-when-idle":          "event-log/poll-while-live",
			"bounds.time-ignored":             "execution-bounds/time-bounded",
			"control.cancelled-wait-ends":     "run-control/cancelled-never-completes",
			"control.bulk-says-cancelled":     "run-control/bulk-leaves-ended",
			"control.paused-wait-ends":        "run-control/paused-stands-still",
			"control.drained-begins-the-next": "run-control/drained-stands-still",
			"control.second-pause-taken":      "run-control/paused-is-refused",
			"control.resume-unlogged":         "run-control/resumed-goes-on",
		}},
	} {
		listed := []string{"acme-brew", "acme-soak", "acme-tidy"}[3-len(c.workflows):]
		for fault, scenario := range c.faults {
			t.Run(fault, func(t *testing.T) {
				t.Parallel()
				for _, o := range askOwn(t, ownOnly(t, c.workflows, listed, fault), nil, []string{scenario}) {
					if o.Verdict != scenarios.Failed {
						t.Errorf("%s is %s (%s)", o.Scenario.ID, o.Verdict, o.Reason)
					}
				}
			})
		}
	}
}
