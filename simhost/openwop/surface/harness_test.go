package surface

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	urlpath "path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/simhost/openwop/fault"
	"github.com/openassay/assay/simhost/serving/contract"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds what a test waits for; reaching it is a failure.
var patience = testenv.Patience(20 * time.Second)

// client talks to one host over a real socket, and holds every reply against the contract.
type client struct {
	t    *testing.T
	host *Host
	base string
	key  string
	http *http.Client
	stop func() // stops serving and closes the host; tests that restart call it early
}

// serve starts a host on a socket of its own. It is stopped, and must stop cleanly, when the test ends.
func serve(t *testing.T, o Options) *client {
	t.Helper()
	h, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- h.Serve(ctx, listener) }()
	transport := &http.Transport{}
	c := &client{t: t, host: h, base: "http://" + listener.Addr().String(), key: h.opts.Key, http: &http.Client{Transport: transport}}
	stopped := false
	c.stop = func() {
		if stopped {
			return
		}
		stopped = true
		transport.CloseIdleConnections()
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serving ended with %v", err)
		}
		bound, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := h.Close(bound); err != nil {
			t.Errorf("closing ended with %v", err)
		}
	}
	t.Cleanup(c.stop)
	return c
}

// committing are options of a host that commits faults.
func committing(t *testing.T, o Options, faults ...string) Options {
	t.Helper()
	set, err := fault.Rules(faults...)
	if err != nil {
		t.Fatal(err)
	}
	if o.Changes, err = fault.Changes(faults...); err != nil {
		t.Fatal(err)
	}
	o.Rules = &set
	return o
}

// reply is a response with its body read.
type reply struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
}

// header is a request header for do; an empty value removes what do would send.
type header struct{ name, value string }

// do sends a request. A body is a string, sent as it stands, or a value, sent as JSON.
func (c *client) do(method, path string, body any, headers ...header) reply {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	response := c.open(ctx, method, path, body, headers...)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatalf("%s %s: read the body: %v", method, path, err)
	}
	if method != http.MethodHead && method != http.MethodOptions {
		checkReply(c.t, method, path, response, raw)
	}
	return reply{c.t, response.StatusCode, response.Header, raw}
}

func (c *client) open(ctx context.Context, method, path string, body any, headers ...header) *http.Response {
	c.t.Helper()
	var reader io.Reader
	switch body := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(body)
	default:
		raw, err := json.Marshal(body)
		if err != nil {
			c.t.Fatal(err)
		}
		reader = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, reader)
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	if reader != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		if h.value == "" {
			request.Header.Del(h.name)
		} else {
			request.Header.Add(h.name, h.value)
		}
	}
	response, err := c.http.Do(request)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return response
}

// want fails the test unless the reply has this status.
func (r reply) want(status int) reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("answered %d, want %d: %s", r.status, status, r.body)
	}
	return r
}

// wantError fails the test unless the reply is a refusal with this status and code.
func (r reply) wantError(status int, code string) openwopv1.ErrorEnvelope {
	r.t.Helper()
	r.want(status)
	var envelope openwopv1.ErrorEnvelope
	r.decode(&envelope)
	if envelope.Error != code || envelope.Message == "" {
		r.t.Fatalf("refused with %s, want code %q and a message", r.body, code)
	}
	return envelope
}

func (r reply) decode(v any) {
	r.t.Helper()
	if err := json.Unmarshal(r.body, v); err != nil {
		r.t.Fatalf("decode %s: %v", r.body, err)
	}
}

func decoded[T any](r reply) (v T) {
	r.t.Helper()
	r.decode(&v)
	return v
}

// create starts a run and returns its id.
func (c *client) create(workflow string, more map[string]any) string {
	c.t.Helper()
	body := map[string]any{"workflowId": workflow}
	maps.Copy(body, more)
	return decoded[openwopv1.CreateRunResponse](c.do("POST", "/v1/runs", body).want(http.StatusCreated)).RunID
}

func (c *client) run(id string) openwopv1.RunSnapshot {
	c.t.Helper()
	return decoded[openwopv1.RunSnapshot](c.do("GET", "/v1/runs/"+id, nil).want(http.StatusOK))
}

// until waits for a status of a run by following its log.
func (c *client) until(id string, status openwopv1.RunStatus) openwopv1.RunSnapshot {
	c.t.Helper()
	deadline := time.Now().Add(patience)
	after := int64(-1)
	for time.Now().Before(deadline) {
		if s := c.run(id); s.Status == status {
			return s
		}
		page := c.poll(id, fmt.Sprintf("since=%d&timeout=1", after))
		if n := len(page.Events); n > 0 {
			after = page.Events[n-1].Sequence
		}
		if page.IsComplete {
			break
		}
	}
	s := c.run(id)
	if s.Status != status {
		c.t.Fatalf("run %s is %s, want %s", id, s.Status, status)
	}
	return s
}

func (c *client) poll(id, query string) openwopv1.EventPage {
	c.t.Helper()
	return decoded[openwopv1.EventPage](c.do("GET", "/v1/runs/"+id+"/events/poll?"+query, nil).want(http.StatusOK))
}

// frame is one server-sent event; comments are frames with nothing but the comment.
type frame struct {
	id, event, data, comment string
}

// events decodes what a frame carries: one event, or a batch.
func (f frame) events(t *testing.T) []openwopv1.RunEvent {
	t.Helper()
	raw := f.data
	if f.event != frameBatch {
		raw = "[" + raw + "]"
	}
	var list []openwopv1.RunEvent
	if err := json.Unmarshal([]byte(raw), &list); err != nil {
		t.Fatalf("frame %+v: %v", f, err)
	}
	checkEvents(t, []byte(`{"events":`+raw+`}`))
	return list
}

// stream reads frames off an open event stream.
type stream struct {
	t       *testing.T
	scanner *bufio.Scanner
	close   func()
}

func (c *client) stream(id, query string, headers ...header) *stream {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	response := c.open(ctx, "GET", "/v1/runs/"+id+"/events?"+query, nil, headers...)
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || kind != "text/event-stream" {
		c.t.Fatalf("the stream of %s begins with %d, %s", id, response.StatusCode, kind)
	}
	s := &stream{t: c.t, scanner: bufio.NewScanner(response.Body), close: func() { response.Body.Close(); cancel() }}
	s.scanner.Buffer(nil, 1<<20)
	c.t.Cleanup(s.close)
	if opening, ok := s.next(); !ok || opening.comment != "open" {
		c.t.Fatalf("the stream begins with %+v, want the opening comment", opening)
	}
	return s
}

// next returns the next frame; false at the end of the stream.
func (s *stream) next() (f frame, ok bool) {
	s.t.Helper()
	for s.scanner.Scan() {
		line := s.scanner.Text()
		if line == "" {
			return f, true
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "":
			f.comment = value
		case "id":
			f.id = value
		case "event":
			f.event = value
		case "data":
			if f.data != "" {
				s.t.Fatalf("a frame has its data on two lines: %s", value)
			}
			f.data = value
		default:
			s.t.Fatalf("the stream has a line of no known kind: %q", line)
		}
	}
	if err := s.scanner.Err(); err != nil {
		s.t.Fatalf("read the stream: %v", err)
	}
	return f, false
}

// rest returns the frames up to the end of the stream, comments left out.
func (s *stream) rest() []frame {
	s.t.Helper()
	var frames []frame
	for {
		f, ok := s.next()
		if !ok {
			return frames
		}
		if f.comment == "" {
			frames = append(frames, f)
		}
	}
}

// checkReply holds a reply against the contract: the status is declared, and the body is what is declared for it.
// Refusals that have nothing to do with an operation, and faults of the host, have the envelope at least.
func checkReply(t *testing.T, method, path string, response *http.Response, raw []byte) {
	t.Helper()
	bare, _, _ := strings.Cut(path, "?")
	pointer := "/components/schemas/ErrorEnvelope"
	if op := operationAt(method, bare); op != "" && response.StatusCode < 500 {
		pointer = fmt.Sprintf("%s/responses/%d/content/application~1json/schema", op, response.StatusCode)
	} else if response.StatusCode < 400 {
		return // not of the contract: healthz
	}
	if response.StatusCode == http.StatusNoContent {
		judged.Store(method+" "+operationAt(method, bare)+"/responses/204", true)
		if _, err := schemas.At(operationAt(method, bare) + "/responses/204"); err != nil || len(raw) > 0 {
			t.Errorf("%s %s answered 204 with %q, which is not declared: %v", method, path, raw, err)
		}
		return
	}
	if kind := response.Header.Get("Content-Type"); kind != "application/json" {
		if kind == "text/event-stream" {
			return
		}
		t.Errorf("%s %s: content type %q", method, path, kind)
	}
	schema, err := schemas.At(pointer)
	if err != nil {
		t.Errorf("%s %s answered %d, which is not declared: %v", method, path, response.StatusCode, err)
		return
	}
	for _, p := range schema.Validate(raw) {
		t.Errorf("%s %s answered %d with a body that is not as declared: %s\n%s", method, path, response.StatusCode, p, raw)
	}
	checkEvents(t, raw)
	judged.Store(method+" "+pointer, true)
}

// judged holds the replies that were held against the contract: the method and the pointer to the schema.
var judged sync.Map

// checkEvents holds the payloads of the events of a log in a reply against the contract. The events of a seam's reply are of a
// shape of their own.
func checkEvents(t *testing.T, raw []byte) {
	t.Helper()
	var page struct {
		Events []struct {
			Sequence *int64
			Type     openwopv1.RunEventType
			Payload  json.RawMessage
		}
	}
	_ = json.Unmarshal(raw, &page) // the schema has looked at the shape
	for _, e := range page.Events {
		spec, known := openwopv1.Events[e.Type]
		switch {
		case e.Sequence == nil:
			continue
		case !known:
			t.Errorf("an event of the type %q, which the contract does not have", e.Type)
			continue
		}
		for _, p := range must(schemas.At("/components/schemas/" + spec.Component)).Validate(e.Payload) {
			t.Errorf("a payload of %s is not as declared: %s\n%s", e.Type, p, e.Payload)
		}
	}
}

// schemas and templates are the contract as the tests read it, apart from how the host does.
var (
	schemas   = must(validate.New(must(closed(openwopv1.Bundled()))))
	templates = readTemplates()
)

// closed is the contract with no member in a reply that it does not list. It leaves objects open where other hosts may say
// more, which is no licence for this one; maps whose members are the caller's stay open.
func closed(bundled []byte) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(bundled, &doc); err != nil {
		return nil, err
	}
	for _, component := range doc["components"].(map[string]any)["schemas"].(map[string]any) {
		schema, _ := component.(map[string]any)
		more, says := schema["additionalProperties"]
		if _, lists := schema["properties"]; lists && (!says || more == true) {
			schema["additionalProperties"] = false
		}
	}
	return json.Marshal(doc)
}

type template struct {
	method, pointer string
	path            *regexp.Regexp
}

func readTemplates() (list []template) {
	var doc struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(openwopv1.Bundled(), &doc); err != nil {
		panic(err)
	}
	for path, item := range doc.Paths {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(path), `\{path\}`, `.+`) // slashes that are not escaped are part of it
		pattern = regexp.MustCompile(`\\\{[^}]*\\\}`).ReplaceAllString(pattern, `[^/:]+`)
		for method := range item {
			list = append(list, template{
				method:  strings.ToUpper(method),
				pointer: "/paths/" + contract.EscapePointer(path) + "/" + method,
				path:    regexp.MustCompile("^" + pattern + "$"),
			})
		}
	}
	return list
}

func operationAt(method, at string) string {
	if urlpath.Clean(at) != strings.TrimSuffix(at, "/") {
		return "" // where no operation is ever looked for
	}
	for _, t := range templates {
		if t.method == method && t.path.MatchString(at) {
			return t.pointer
		}
	}
	return ""
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// later runs f beside the test. The channel is closed also when f ends the test, so nobody waits for ever.
func later[T any](f func() T) <-chan T {
	result := make(chan T, 1)
	go func() {
		defer close(result)
		result <- f()
	}()
	return result
}

// underWay waits until the host is at work on at least n requests.
func (c *client) underWay(n int) {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		now := c.host.active.Len()
		if now >= n {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("%d requests are under way, want %d", now, n)
		}
	}
}
