package surface

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/simhost/serving/contract"
)

// guarded are requests to every operation that asks for the key; what x names in them does not exist.
var guarded = []struct{ method, path, body string }{
	{"POST", "/v1/runs", `{"workflowId":"conformance-noop"}`},
	{"GET", "/v1/runs/x", ""},
	{"POST", "/v1/runs/x/cancel", ""},
	{"POST", "/v1/runs:bulk-cancel", `{"runIds":["x"]}`},
	{"POST", "/v1/runs/x:pause", ""},
	{"POST", "/v1/runs/x:resume", ""},
	{"GET", "/v1/runs/x:diff", ""},
	{"POST", "/v1/runs/x:fork", `{"mode":"replay"}`},
	{"GET", "/v1/runs/x/ancestry", ""},
	{"GET", "/v1/runs/x/events", ""},
	{"GET", "/v1/runs/x/events/poll", ""},
	{"POST", "/v1/runs/x/interrupts/n", `{"resumeValue":1}`},
	{"GET", "/v1/workflows/x", ""},
	{"GET", "/v1/host/workspace/files", ""},
	{"GET", "/v1/host/workspace/files/x", ""},
	{"PUT", "/v1/host/workspace/files/y", `{"content":"c"}`},
	{"DELETE", "/v1/host/workspace/files/x", ""},
	{"GET", "/v1/host/sample/goals", ""},
	{"POST", "/v1/host/sample/goals", `{"objective":"o","completion":{"check":"c"},"continuation":{"mode":"manual"}}`},
	{"GET", "/v1/host/sample/goals/x", ""},
	{"PATCH", "/v1/host/sample/goals/x", `{"objective":"o"}`},
	{"POST", "/v1/host/sample/goals/x/pause", ""},
	{"POST", "/v1/host/sample/goals/x/resume", ""},
	{"POST", "/v1/host/sample/goals/x/abandon", ""},
	{"GET", "/v1/host/sample/goals/x/events", ""},
	{"POST", "/v1/host/sample/goals/x/tick", `{}`},
	{"POST", "/v1/host/sample/agentloop/run", `{"turns":1}`},
	{"POST", "/v1/host/sample/workspace/op", `{"op":"list","tenant":"t"}`},
	{"POST", "/v1/host/sample/heartbeat/tick", `{"heartbeatId":"h","observedState":1}`},
	{"POST", "/v1/host/sample/commitment/fire", `{"commitmentId":"c"}`},
	{"POST", "/v1/host/sample/agents/verify-run", `{"simulateVerdict":"pass"}`},
	{"POST", "/v1/host/sample/test/mock-ai/program", `{"nodeId":"n","program":[]}`},
	{"POST", "/v1/host/sample/test/llm-cache-key", `{"provider":"p","model":"m","messages":[]}`},
}

func TestGuardedIsEverythingThatHasCredentials(t *testing.T) {
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Security    *[]any `json:"security"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(openwopv1.Bundled(), &doc); err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths {
		for method, op := range item {
			open := op.Security != nil && len(*op.Security) == 0
			listed := slices.ContainsFunc(guarded, func(g struct{ method, path, body string }) bool {
				return operationAt(g.method, g.path) == "/paths/"+contract.EscapePointer(path)+"/"+method
			})
			if open == listed {
				t.Errorf("%s (%s %s): listed %v, open to everybody %v", op.OperationID, method, path, listed, open)
			}
		}
	}
}

func TestEverythingButDiscoveryAsksForTheKey(t *testing.T) {
	c := serve(t, Options{Key: "right"})
	paths := slices.Concat(guarded, []struct{ method, path, body string }{
		{"GET", "/v1/nothing", ""}, {"GET", "/v1", ""}, {"DELETE", "/v1/runs", ""}, {"GET", "/v1/runs/x:frob", ""},
		{"GET", "/v1/host/sample/none", ""},
	})
	for _, request := range paths {
		for _, credentials := range []string{"", "Bearer wrong", "Bearer ", "Bearer righ", "Bearer rightt", "Basic right", "right"} {
			got := c.do(request.method, request.path, request.body, header{"Authorization", ""}, header{"Authorization", credentials})
			if got.status != http.StatusUnauthorized {
				t.Errorf("%s %s with %q: %d, want 401", request.method, request.path, credentials, got.status)
				continue
			}
			got.wantError(http.StatusUnauthorized, "unauthenticated")
			if got.header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s: no WWW-Authenticate", request.method, request.path)
			}
		}
	}
	c.do("GET", "/v1/workflows/conformance-noop", nil, header{"Authorization", ""}, header{"Authorization",
		"bearer right"}).want(http.StatusOK)
	c.do("GET", "/v1/workflows/conformance-noop", nil, header{"Authorization", "Bearer right"}).wantError(http.StatusUnauthorized,
		"unauthenticated")
}

func TestUnknownRoutes(t *testing.T) {
	c := serve(t, Options{})
	for _, request := range []string{
		"GET /", "GET /v1", "GET /v1/", "GET /v1/runs/", "GET /v1/nothing", "POST /v1/runs/x:frob", "POST /v1/runs/x:", "POST /v1/runs:bulk-frob",
		"GET /.well-known/openwop/", "GET /v1//runs", "GET /v1/runs/../runs", "GET /v1/./runs/x", "GET //v1/runs/x",
		"GET /v1/runs/x/artifacts/y", "POST /v1/runs/x:fork/y",
	} {
		method, path, _ := strings.Cut(request, " ")
		c.do(method, path, nil).wantError(http.StatusNotFound, "not_found")
	}
}

func TestWrongMethods(t *testing.T) {
	c := serve(t, Options{})
	for request, allow := range map[string]string{
		"DELETE /.well-known/openwop":           "GET, HEAD",
		"POST /v1/openapi.json":                 "GET, HEAD",
		"GET /v1/runs":                          "POST",
		"PUT /v1/runs":                          "POST",
		"DELETE /v1/runs/x":                     "GET, HEAD",
		"POST /v1/runs/x":                       "GET, HEAD",
		"GET /v1/runs/x/cancel":                 "POST",
		"PATCH /v1/runs/x:fork":                 "POST",
		"POST /v1/runs/x/events":                "GET, HEAD",
		"GET /v1/runs/x/interrupts/n":           "POST",
		"GET /v1/host/sample/agentloop/run":     "POST",
		"POST /healthz":                         "GET, HEAD",
		"OPTIONS /v1/runs":                      "POST",
		"DELETE /v1/workflows/conformance-noop": "GET, HEAD",
	} {
		method, path, _ := strings.Cut(request, " ")
		got := c.do(method, path, nil)
		got.wantError(http.StatusMethodNotAllowed, "method_not_allowed")
		if got.header.Get("Allow") != allow {
			t.Errorf("%s: Allow is %q, want %q", request, got.header.Get("Allow"), allow)
		}
	}
}

func TestUnknownRunsAndWorkflows(t *testing.T) {
	c := serve(t, Options{})
	for _, request := range guarded {
		if strings.Contains(request.path, "/x") {
			c.do(request.method, request.path, request.body).wantError(http.StatusNotFound, "not_found")
		}
	}
	c.do("POST", "/v1/runs", `{"workflowId":"nowhere"}`).wantError(http.StatusNotFound, "not_found")
	c.do("GET", "/v1/runs/"+strings.Repeat("r", 129), nil).wantError(http.StatusNotFound, "not_found")
	c.do("GET", "/v1/runs/a%2Fb", nil).wantError(http.StatusNotFound, "not_found")
	c.do("GET", "/v1/runs/x:fork", nil).wantError(http.StatusNotFound, "not_found") // a run id may hold a colon
}

func TestHealth(t *testing.T) {
	c := serve(t, Options{})
	got := c.do("GET", "/healthz", nil, header{"Authorization", ""}).want(http.StatusOK)
	if strings.TrimSpace(string(got.body)) != "ok" {
		t.Errorf("healthz says %q", got.body)
	}
	c.do("HEAD", "/healthz", nil).want(http.StatusOK)
	if got := c.do("HEAD", "/.well-known/openwop", nil).want(http.StatusOK); len(got.body) != 0 {
		t.Errorf("HEAD has a body: %s", got.body)
	}
}

func TestBadBodies(t *testing.T) {
	c := serve(t, Options{})
	for _, request := range guarded {
		if request.body == "" && !strings.HasSuffix(request.path, "/cancel") {
			continue // it takes none
		}
		for _, body := range []string{"{", "null", "[]", "3", `"text"`, `{"a":1}{`, "\x00", strings.Repeat("[", 100_000),
			`{"workflowId":1e999}`} {
			envelope := c.do(request.method, request.path, body).wantError(http.StatusBadRequest, "validation_error")
			if envelope.Details["problems"] == nil {
				t.Errorf("%s %s with %.20q: no problems in %v", request.method, request.path, body, envelope.Details)
			}
		}
	}
	for _, path := range []string{"/v1/runs", "/v1/runs/x:fork", "/v1/runs/x/interrupts/n", "/v1/host/sample/agentloop/run"} {
		c.do("POST", path, "").wantError(http.StatusBadRequest, "validation_error")
	}
}

func TestInvalidBodiesNameTheField(t *testing.T) {
	c := serve(t, Options{})
	for _, row := range []struct{ path, body, field, says string }{
		{"/v1/runs", `{}`, "", "missing property workflowId"},
		{"/v1/runs", `{"workflowId":""}`, "workflowId", "workflowId"},
		{"/v1/runs", `{"workflowId":"conformance-noop","input":{}}`, "", "unknown property input"},
		{"/v1/runs", `{"workflowId":"conformance-noop","inputs":[]}`, "inputs", "expected object"},
		{"/v1/runs", `{"workflowId":"conformance-noop","inputs":null}`, "inputs", "expected object"},
		{"/v1/runs", `{"workflowId":"conformance-noop","tags":["a",3]}`, "tags.1", "expected string"},
		{"/v1/runs", `{"workflowId":"conformance-noop","configurable":{"maxLoopIterations":0}}`, "configurable.maxLoopIterations", "at least 1"},
		{"/v1/runs", `{"workflowId":"conformance-noop","configurable":{"maxLoopIterations":"3"}}`, "configurable.maxLoopIterations",
			"expected integer"},
		{"/v1/runs", `{"workflowId":"conformance-noop","configurable":{"maxLoopIterations":2.5}}`, "configurable.maxLoopIterations",
			"expected integer"},
		{"/v1/runs", `{"workflowId":"conformance-noop","configurable":{"recursionLimit":0}}`, "configurable.recursionLimit", "at least 1"},
		{"/v1/runs", `{"workflowId":"conformance-noop","configurable":{"runTimeoutMs":-1}}`, "configurable.runTimeoutMs", "at least 1"},
		{"/v1/runs/x/cancel", `{"reason":7}`, "reason", "expected string"},
		{"/v1/runs/x:fork", `{"mode":"copy"}`, "mode", "must be one of"},
		{"/v1/runs/x:fork", `{"mode":"branch"}`, "", "fromSeq"},
		{"/v1/runs/x:fork", `{"mode":"replay","fromSeq":-1}`, "fromSeq", "at least 0"},
		{"/v1/runs/x/interrupts/n", `{"value":1}`, "", "resumeValue"},
		{"/v1/host/sample/heartbeat/tick", `{"heartbeatId":"h"}`, "", "missing property observedState"},
		{"/v1/host/sample/heartbeat/tick", `{"heartbeatId":7,"observedState":1}`, "heartbeatId", "expected string"},
		{"/v1/host/sample/agentloop/run", `{"turns":2,"workspaceWriteAtTurn":0}`, "workspaceWriteAtTurn", "at least 1"},
		{"/v1/host/sample/agentloop/run", `{"turns":0}`, "turns", "at least 1"},
		{"/v1/host/sample/agentloop/run", `{"turns":2.7}`, "turns", "expected integer"},
		{"/v1/host/sample/agentloop/run", `{"turns":2,"resume":"yes"}`, "resume", "expected boolean"},
	} {
		envelope := c.do("POST", row.path, row.body).wantError(http.StatusBadRequest, "validation_error")
		if envelope.Details["field"] != row.field || !strings.Contains(fmt.Sprint(envelope), row.says) {
			t.Errorf("%s %s: field %v, %s; want field %q and %q", row.path, row.body, envelope.Details["field"], envelope.Message,
				row.field, row.says)
		}
	}
}

func TestBodiesOfOtherTypes(t *testing.T) {
	c := serve(t, Options{})
	body := `{"workflowId":"conformance-noop"}`
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "application/jsonx", ";;"} {
		c.do("POST", "/v1/runs", body, header{"Content-Type", ""}, header{"Content-Type", kind}).wantError(http.StatusBadRequest,
			"validation_error")
	}
	c.do("POST", "/v1/runs", body, header{"Content-Encoding", "gzip"}).wantError(http.StatusBadRequest, "validation_error")
	for _, kind := range []string{"", "application/json; charset=utf-8", "application/vnd.x+json"} {
		c.do("POST", "/v1/runs", body, header{"Content-Type", ""}, header{"Content-Type", kind}).want(http.StatusCreated)
	}
}

func TestBodiesBeyondTheLimit(t *testing.T) {
	c := serve(t, Options{})
	body := func(n int) string {
		const rest = len(`{"workflowId":"conformance-noop","metadata":{"m":""}}`)
		return `{"workflowId":"conformance-noop","metadata":{"m":"` + strings.Repeat("x", n-rest) + `"}}`
	}
	c.do("POST", "/v1/runs", body(contract.MaxBody)).want(http.StatusCreated)
	envelope := c.do("POST", "/v1/runs", body(contract.MaxBody+1)).wantError(http.StatusRequestEntityTooLarge, "payload_too_large")
	if envelope.Details["maxRequestBodyBytes"] != float64(contract.MaxBody) {
		t.Errorf("details are %v", envelope.Details)
	}
}

func TestParametersAreChecked(t *testing.T) {
	c := serve(t, Options{})
	id := c.create("conformance-noop", nil)
	for _, row := range []struct {
		path, field string
		header      header
	}{
		{"/v1/runs/" + id + "/events/poll?lastSequence=-1", "lastSequence", header{}},
		{"/v1/runs/" + id + "/events/poll?lastSequence=x", "lastSequence", header{}},
		{"/v1/runs/" + id + "/events/poll?lastSequence=1.5", "lastSequence", header{}},
		{"/v1/runs/" + id + "/events/poll?lastSequence=", "lastSequence", header{}},
		{"/v1/runs/" + id + "/events/poll?lastSequence=1&lastSequence=2", "lastSequence", header{}},
		{"/v1/runs/" + id + "/events/poll?lastSequence=2;timeout=1", "query", header{}},
		{"/v1/runs/" + id + "/events/poll?lastSequence=%zz", "query", header{}},
		{"/v1/runs/" + id + "/events/poll?since=-2", "since", header{}},
		{"/v1/runs/" + id + "/events/poll?timeout=0", "timeout", header{}},
		{"/v1/runs/" + id + "/events/poll?timeout=61", "timeout", header{}},
		{"/v1/runs/" + id + "/events?bufferMs=x", "bufferMs", header{}},
		{"/v1/runs/" + id + "/events?bufferMs=-1", "bufferMs", header{}},
		{"/v1/runs/" + id + "/events", "Last-Event-ID", header{"Last-Event-ID", "abc"}},
		{"/v1/runs/" + id + "/events", "Last-Event-ID", header{"Last-Event-ID", "-1"}},
	} {
		var headers []header
		if row.header.name != "" {
			headers = append(headers, row.header)
		}
		envelope := c.do("GET", row.path, nil, headers...).wantError(http.StatusBadRequest, "validation_error")
		if envelope.Details["field"] != row.field {
			t.Errorf("%s: field %v, want %s", row.path, envelope.Details["field"], row.field)
		}
	}
	envelope := c.do("POST", "/v1/runs", `{"workflowId":"conformance-noop"}`, header{"Idempotency-Key",
		strings.Repeat("k", 256)}).wantError(http.StatusBadRequest, "validation_error")
	if envelope.Details["field"] != "Idempotency-Key" {
		t.Errorf("a long key: %v", envelope)
	}
	c.do("POST", "/v1/runs", `{"workflowId":"conformance-noop"}`, header{"Idempotency-Key", strings.Repeat("k", 255)}).want(http.StatusCreated)
}

func TestFaultsOfOursCarryACorrelationID(t *testing.T) {
	h := &Host{log: must(Options{}.withDefaults()).Logger, rules: rules.Honest()}
	recorder := httptest.NewRecorder()
	serving.Recovered(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") }), h.fail).
		ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/v1/runs", nil))
	got := reply{t, recorder.Code, recorder.Header(), recorder.Body.Bytes()}
	envelope := got.wantError(http.StatusInternalServerError, "internal_error")
	if envelope.Details["correlationId"] != "req-1" || strings.Contains(envelope.Message, "boom") {
		t.Errorf("the fault is told as %v", envelope)
	}
}

// A client that announces a body and sends none of it does not hold a handler for ever, and one that breaks off is told so.
func TestBodyThatBreaksOff(t *testing.T) {
	c := serve(t, Options{})
	connection, err := net.Dial("tcp", strings.TrimPrefix(c.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprintf(connection, "POST /v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: "+
		"application/json\r\nContent-Length: 100\r\n\r\n{\"workflowId\":", c.key)
	if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(connection)
	if !strings.HasPrefix(string(answer), "HTTP/1.1 400") || !strings.Contains(string(answer), "did not arrive whole") {
		t.Errorf("a body that breaks off is answered with %s", answer)
	}
}

// A body that says beforehand that it is too large is refused before it comes.
func TestAnAnnouncedBodyIsRefusedAtOnce(t *testing.T) {
	c := serve(t, Options{})
	conn := must(net.Dial("tcp", strings.TrimPrefix(c.base, "http://")))
	defer conn.Close()
	must(fmt.Fprintf(conn, "POST /v1/runs HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %s\r\nContent-Type: "+
		"application/json\r\nContent-Length: 99999999\r\n\r\n", c.key))
	response := must(http.ReadResponse(bufio.NewReader(conn), nil))
	defer response.Body.Close()
	if response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d, want 413", response.StatusCode)
	}
}

// What a client writes is never a format of ours.
func TestPercentSignsOfAClientStay(t *testing.T) {
	c := serve(t, Options{})
	waiting := c.suspended()
	envelope := c.do("POST", "/v1/runs/"+waiting.RunID+"/interrupts/"+*waiting.CurrentNodeID,
		`{"resumeValue":{"answers":{"q1":"x","100%d off":1}}}`).
		wantError(http.StatusBadRequest, "validation_error")
	if !strings.Contains(envelope.Message, "100%d off") {
		t.Errorf("message %q", envelope.Message)
	}
}

// An integer may be written with a fraction of zero or an exponent. One that no int64 holds is refused in words that help.
func TestIntegersAreReadAsTheSchemaReadsThem(t *testing.T) {
	c := serve(t, Options{})
	id := c.create("conformance-noop", nil)
	for path, body := range map[string]string{
		"/v1/runs":                 `{"workflowId":"conformance-noop","configurable":{"maxLoopIterations":1e30}}`,
		"/v1/runs/" + id + ":fork": `{"mode":"replay","fromSeq":1e19}`,
	} {
		envelope := c.do("POST", path, body).wantError(http.StatusBadRequest, "validation_error")
		if !strings.Contains(envelope.Message, "want an integer of 64 bits") || strings.Contains(envelope.Message, "Go ") {
			t.Errorf("%s: %s", path, envelope.Message)
		}
	}
	for path, body := range map[string]string{
		"/v1/runs":                      `{"workflowId":"conformance-noop","configurable":{"maxLoopIterations":1e1}}`,
		"/v1/runs/" + id + ":fork":      `{"mode":"replay","fromSeq":1.0}`,
		"/v1/host/sample/agentloop/run": `{"turns":2.0}`,
	} {
		if r := c.do("POST", path, body); r.status >= http.StatusBadRequest {
			t.Errorf("%s with %s is answered %d: %s", path, body, r.status, r.body)
		}
	}
}
