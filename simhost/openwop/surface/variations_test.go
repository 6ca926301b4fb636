package surface

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/openwop/variation"
	"github.com/openassay/assay/simhost/serving/contract"
)

// varied is one way to differ: what the plain host shows of it on the wire, and what the varied one does.
type varied struct {
	show          func(t *testing.T, o Options) string
	plain, varied string
}

var variations = map[string]varied{
	"run-uuid-ids": {asked(func(c *client) string { return shape(c.events(c.ended())[0]) }),
		"run-x run-x-0", "run-uuid run-uuid-0"},
	"uuid-ids": {asked(func(c *client) string { return shape(c.events(c.ended())[0]) }),
		"run-x run-x-0", "uuid evt-uuid-0"},
	"sparse-causes": {asked(func(c *client) string {
		caused := map[any]bool{}
		for _, e := range c.events(c.endedOf(aLoop)) {
			caused[e["type"]] = caused[e["type"]] || e["causationId"] != nil
		}
		return fmt.Sprint(caused["node.dispatched"], caused["core.workflowChain.event"])
	}), "true true", "false true"},
	"first-sequence-one": {asked(func(c *client) string {
		id := c.ended()
		from := c.tell("POST", "/v1/runs/"+id+":fork", `{"mode":"replay","fromSeq":1}`)
		return fmt.Sprintln(sequences(c.events(id)), sequences(list(c.tell("GET", "/v1/runs/"+id+"/events/poll?lastSequence=2",
			nil).doc["events"])),
			c.frames(id, "")[0], c.frames(id, "", header{"Last-Event-ID", "3"}), from.doc["fromSeq"],
			len(c.events(c.until(from.text("runId"), "completed").RunID)))
	}), "[0 1 2 3] [3] 0 run.started [] 1 4\n", "[1 2 3 4] [3 4] 1 run.started [4 run.completed] 1 4\n"},
	"late-children": {lateChild, "at once", "the child is completed, the run running; completed later"},
	"stale-resolve": {lateAnswer, "answered with completed", "answered with waiting-approval; completed later"},
	"waits-external": {asked(func(c *client) string { return c.waitsAs("conformance-approval") }),
		"waiting-approval waiting-approval", "waiting-external waiting-external"},
	"waits-input": {asked(func(c *client) string { return c.waitsAs("conformance-approval") }),
		"waiting-approval waiting-approval", "waiting-input waiting-input"},
	"waits-clarification": {asked(func(c *client) string { return c.waitsAs("conformance-clarification") }),
		"waiting-input waiting-input", "waiting-clarification waiting-clarification"},

	"unknown-route-404": {asked(func(c *client) string {
		return c.statuses(header{"Authorization", ""}, "/v1/nowhere",
			"/v1/runs/x")
	}), "401 401", "404 401"},
	"unknown-route-401": {asked(func(c *client) string { return c.statuses(header{"Authorization", ""}, "/nowhere", "/healthz") }),
		"404 200", "401 200"},
	"goals-at-root": {asked(func(c *client) string { return c.statuses(header{}, "/v1/goals", goalsPath) }), "404 200", "200 404"},
	"vendor-seams": {asked(func(c *client) string {
		var found []string
		for _, seam := range []string{"agentloop/run", "workspace/op", "goals", "test/llm-cache-key", "heartbeat/tick"} {
			for i, prefix := range []string{"/v1/host/sample/", "/v1/host/openassay/", "/conformance/seams/sample/"} {
				if c.tell("POST", prefix+seam, "{}").status == http.StatusBadRequest {
					found = append(found, fmt.Sprint(seam, i))
				}
			}
		}
		return strings.Join(found, " ")
	}), "agentloop/run0 workspace/op0 goals0 test/llm-cache-key0 heartbeat/tick0",
		"agentloop/run0 agentloop/run1 workspace/op1 goals1 test/llm-cache-key2 heartbeat/tick2"},

	"made-is-200":         {asked(func(c *client) string { return fmt.Sprint(c.tell("POST", "/v1/runs", aRun).status) }), "201", "200"},
	"goal-is-201":         {asked(func(c *client) string { return fmt.Sprint(c.tell("POST", goalsPath, aGoal).status) }), "200", "201"},
	"replay-header-false": {asked(func(c *client) string { return c.replayHeaders() }), "[] [true]", "[false] [true]"},
	"replay-header-empty": {asked(func(c *client) string { return c.replayHeaders() }), "[] [true]", "[] with a header [true]"},
	"raw-bodies": {asked(func(c *client) string {
		key := header{headerIdempotencyKey, "k"}
		one, other := c.tell("POST", "/v1/runs", `{"workflowId":"conformance-noop","tags":[]}`, key), c.tell("POST", "/v1/runs",
			`{"tags":[],"workflowId":"conformance-noop"}`, key)
		return fmt.Sprint(one.status, other.status)
	}), "201 201", "201 409"},
	"goal-edit-by-post": {asked(func(c *client) string {
		path := goalsPath + "/" + c.tell("POST", goalsPath, aGoal).text("id")
		patched, posted := c.tell("PATCH", path, `{"objective":"one"}`), c.tell("POST", path, `{"objective":"two"}`)
		return fmt.Sprintf("%d %d %s", patched.status, posted.status, c.tell("GET", path, nil).text("objective"))
	}), "200 405 one", "405 200 two"},
	"no-head": {asked(func(c *client) string { return fmt.Sprint(c.tell("HEAD", "/.well-known/openwop", nil).status) }), "200", "404"},
	"plain-discovery": {asked(func(c *client) string {
		h := c.tell("GET", "/.well-known/openwop", nil).header
		return fmt.Sprintf("%s %t", h.Get("Cache-Control"), h.Get("Capabilities-Etag") != "")
	}), "public, max-age=300 true", "public, max-age=60 false"},
	"no-challenge": {asked(func(c *client) string {
		return c.tell("GET", "/v1/runs/x", nil, header{"Authorization", ""}).header.Get("WWW-Authenticate")
	}), `Bearer realm="openwop"`, ""},
	"strict-bearer": {asked(func(c *client) string { return c.bearers() }), "200 200", "200 401"},

	"wrapper-discovery": {asked(func(c *client) string {
		d := c.tell("GET", "/.well-known/openwop", nil).doc
		inside, _ := d["capabilities"].(map[string]any)
		return fmt.Sprint(d["agents"] != nil, inside["agents"] != nil, d["limits"] != nil)
	}), "true false true", "false true true"},
	"claims-of-agents": {asked(func(c *client) string {
		d := c.tell("GET", "/.well-known/openwop", nil).doc
		return fmt.Sprint(d["orchestrator"] != nil, d["dispatch"] != nil, d["agents"] != nil)
	}), "true true true", "false false true"},
	"claims-at-root": {asked(func(c *client) string {
		d := c.tell("GET", "/.well-known/openwop", nil).doc
		agents, _ := d["agents"].(map[string]any)
		return fmt.Sprint(d["orchestrator"] != nil, d["dispatch"] != nil, agents["orchestrator"] != nil, agents["dispatch"] != nil,
			agents["dispatchMapping"] != nil)
	}), "true true true true true", "true true false false true"},
	"protocol-one-zero": {asked(func(c *client) string {
		return c.tell("GET", "/.well-known/openwop",
			nil).text("protocolVersion")
	}), "1.1", "1.0"},
	"extra-fields": {asked(func(c *client) string {
		id := c.ended()
		var has []any
		for _, doc := range []map[string]any{c.events(id)[0], c.tell("GET", "/v1/runs/"+id, nil).doc,
			c.tell("GET", "/.well-known/openwop", nil).doc,
			c.tell("GET", "/v1/runs/x", nil).doc, c.tell("GET", "/v1/runs/"+id+"/ancestry", nil).doc} {
			_, extra := doc["host.artifactTypes"]
			has = append(has, extra)
		}
		return fmt.Sprint(has, strings.Contains(c.raw(id, ""), "host.artifactTypes"))
	}), "[false false false false false] false", "[true true true true false] true"},
	"absolute-urls": {asked(func(c *client) string {
		made := c.tell("POST", "/v1/runs", aRun)
		return strings.ReplaceAll(strings.ReplaceAll(made.text("eventsUrl"), made.text("runId"), "ID"), c.base, "http://HOST")
	}), "/v1/runs/ID/events", "http://HOST/v1/runs/ID/events"},

	"since-polls": {asked(func(c *client) string {
		path := "/v1/runs/" + c.ended() + "/events/poll?"
		return fmt.Sprint(sequences(list(c.tell("GET", path+"lastSequence=2", nil).doc["events"])),
			sequences(list(c.tell("GET", path+"since=2", nil).doc["events"])))
	}), "[3] [3]", "[0 1 2 3] [3]"},
	"no-long-poll": {pollOfStill, "held until it is over", "at once"},
	"poll-both": {asked(func(c *client) string { return c.pollMembers() }), "events isComplete",
		"events isComplete isTerminal lastEventSeq runId runStatus; 3 completed 7"},
	"poll-status": {asked(func(c *client) string { return c.pollMembers() }), "events isComplete",
		"events isTerminal lastEventSeq runId runStatus; 3 completed 7"},

	"small-batches": {asked(func(c *client) string { return fmt.Sprint(c.frames(c.ended(), "&bufferMs=50")) }), "[3 batch]",
		"[1 batch 3 batch]"},
	"no-batches": {asked(func(c *client) string { return fmt.Sprint(c.frames(c.ended(), "&bufferMs=50")) }),
		"[3 batch]", "[0 run.started 1 node.started 2 node.completed 3 run.completed]"},
	"poor-frames": {asked(func(c *client) string {
		raw := c.raw(c.endedOf(aLoop), "")
		return fmt.Sprint(strings.Contains(raw, `"timestamp"`), strings.Contains(raw, `"causationId"`), strings.Contains(raw, `"payload"`))
	}), "true true true", "false false true"},
	"quiet-streams": {asked(func(c *client) string {
		return fmt.Sprint(strings.Contains(c.raw(c.ended(), ""), "\n:") || c.raw(c.ended(), "")[0] == ':')
	}), "true", "false"},
	"no-json-log": {asked(func(c *client) string {
		return c.tell("GET", "/v1/runs/"+c.ended()+"/events", nil, header{"Accept", "application/json"}).header.Get("Content-Type")
	}), "application/json", "text/event-stream"},
	"sse-comments": {asked(func(c *client) string {
		raw := c.raw(c.ended(), "")
		return fmt.Sprint(strings.Count(raw, ": heartbeat\n\n"), strings.Count(raw, "\n: between two lines\n"),
			strings.Contains(raw, "retry: 3000\n"))
	}), "0 0 false", "5 8 true"},
	"split-frames": {asked(func(c *client) string { return fmt.Sprint(c.pieces(c.ended()) > 4*3) }), "false", "true"},

	"answered-is-gone": {asked(func(c *client) string { return c.answeredTwice() }), "409 interrupt_already_resolved",
		"410 interrupt_gone"},
	"answered-is-missing": {asked(func(c *client) string { return c.answeredTwice() }), "409 interrupt_already_resolved",
		"404 interrupt_not_found"},
	"workflow-is-400": {asked(func(c *client) string {
		return c.tell("POST", "/v1/runs",
			`{"workflowId":"nobody-has-it"}`).refusal()
	}), "404 not_found", "400 validation_error"},
	"large-is-400": {asked(func(c *client) string {
		return c.tell("POST", "/v1/runs", `{"workflowId":"`+strings.Repeat("x", contract.MaxBody)+`"}`).refusal()
	}), "413 payload_too_large", "400 payload_too_large"},
	"foreign-is-403": {asked(func(c *client) string {
		var all []string
		for _, path := range []string{"/v1/runs/x", goalsPath + "/x", "/v1/host/workspace/files/x", "/v1/nowhere"} {
			all = append(all, c.tell("GET", path, nil).refusal())
		}
		return strings.Join(all, ", ")
	}), "404 not_found, 404 not_found, 404 not_found, 404 not_found", "403 run_forbidden, 403 forbidden, 403 forbidden, 404 not_found"},
	"error-spellings": {asked(func(c *client) string {
		return strings.Join([]string{
			c.tell("GET", "/v1/runs/x", nil).refusal(), c.tell("POST", "/v1/runs", "{}").refusal(),
			c.tell("POST", "/v1/runs", `{"workflowId":"nobody-has-it"}`).refusal(), c.tell("GET", "/v1/interrupts/x", nil).refusal(),
			c.tell("GET", "/v1/runs/x", nil, header{"Authorization", ""}, header{"Authorization", "Bearer no"}).refusal(),
			c.tell("GET", "/v1/runs/x", nil, header{"Authorization", ""}).refusal(),
		}, ", ")
	}), "404 not_found, 400 validation_error, 404 not_found, 404 interrupt_not_found, 401 unauthenticated, 401 unauthenticated",
		"404 run_not_found, 400 invalid_request, 404 workflow_not_found, 404 invalid_interrupt_token, 401 invalid_credential, " +
			"401 unauthenticated"},

	"http10": {asked(func(c *client) string {
		r := c.open(c.t.Context(), "GET", "/v1/runs/x", nil)
		defer r.Body.Close()
		s := c.open(c.t.Context(), "GET", "/v1/runs/"+c.ended()+"/events", nil)
		defer s.Body.Close()
		return fmt.Sprint(r.ContentLength > 0, r.Close, s.TransferEncoding, s.Close, c.inChunks("/v1/runs", aRun))
	}), "true false [chunked] false 201", "false true [] true 400"},
}

// Each variation shows on the wire, and what it shows is not what the plain host does.
func TestEveryVariationShows(t *testing.T) {
	for _, name := range variation.Names() {
		v, ok := variations[name]
		if !ok {
			t.Errorf("nobody looks how %s shows", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := v.show(t, Options{}); got != v.plain {
				t.Errorf("the plain host: %q, want %q", got, v.plain)
			}
			if got := v.show(t, Options{Vary: []string{name}}); got != v.varied {
				t.Errorf("varied: %q, want %q", got, v.varied)
			}
		})
	}
	for name := range variations {
		if !slices.Contains(variation.Names(), name) {
			t.Errorf("there is no variation %s", name)
		}
	}
}

func TestAnUnknownVariationNamesTheNearest(t *testing.T) {
	_, err := New(t.Context(), Options{Vary: []string{"late-child"}})
	if err == nil || !strings.Contains(err.Error(), `vary "late-child": there is no such variation; did you mean "late-children"?`) {
		t.Errorf("error is %v", err)
	}
}

// What is no request on the plain host is none on one that changes requests on their way.
func TestAVariedHostRefusesTheSame(t *testing.T) {
	plain, all := serve(t, Options{}), serve(t, Options{Vary: []string{variation.All}})
	for _, body := range []string{"", "{", `{"mode":"replay","fromSeq":0}x`, `{"mode":"replay","fromSeq":-1}`,
		`{"mode":"replay","fromSeq":1.5}`, `[]`, `null`, `{"mode":"replay","fromSeq":1e400}`} {
		for _, c := range []*client{plain, all} {
			id := c.ended()
			if got := c.tell("POST", "/v1/runs/"+id+":fork", body).status; got != http.StatusBadRequest {
				t.Errorf("a fork with %q is answered %d", body, got)
			}
			for _, cursor := range []string{"lastSequence=x", "lastSequence=1.5", "since=x&lastSequence=1", "timeout=x"} {
				if got := c.tell("GET", "/v1/runs/"+id+"/events/poll?"+cursor, nil).status; got != http.StatusBadRequest && c == plain || got >= 500 {
					t.Errorf("a poll with %q is answered %d", cursor, got)
				}
			}
		}
	}
}

const (
	aRun  = `{"workflowId":"conformance-noop"}`
	aLoop = `{"workflowId":"assay-loop","inputs":{"plan":[{"kind":"next-worker","nextWorkerIds":["conformance-noop"]},{"kind":"terminate","reason":"goal-reached"}]}}`
	aGoal = `{"objective":"o","completion":{"check":"host"},"continuation":{"mode":"manual"},"bounds":{"maxLoopIterations":2}}`
)

// asked shows what a host answers.
func asked(show func(*client) string) func(*testing.T, Options) string {
	return func(t *testing.T, o Options) string {
		t.Helper()
		return show(serve(t, o))
	}
}
