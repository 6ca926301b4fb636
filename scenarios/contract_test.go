package scenarios_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// lampContract is the API of a lamp, which takes a brightness from 0 to 100, and whatever else a vendor may add.
const lampContract = `{
"security": [{"key": []}],
"paths": {
  "/hello": {"get": {"operationId": "hello", "security": []}},
  "/lamps/{id}": {"parameters": [], "put": {"operationId": "dim",
    "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string", "maxLength": 8}}],
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Dim"}}}}}},
  "/new": {"get": {"operationId": "newLamp", "parameters": [{"name": "seats", "in": "query", "schema": {"type": "integer"}}]}}
},
"components": {"schemas": {
  "Dim": {"type": "object", "required": ["brightness"], "properties": {
    "brightness": {"type": "integer", "minimum": 0, "maximum": 100}, "state": {"type": "object", "required": ["on"]}}},
  "Told": {"type": "object", "required": ["dim"]}
}}}`

// lamp returns the protocol of lamps.
func lamp() *scenarios.Protocol {
	return &scenarios.Protocol{
		ID: "lamp/v1", DiscoveryPath: "/hello", Requests: func() []byte { return []byte(lampContract) },
		Claims: []scenarios.Claim{counts}, Program: &scenarios.Program{Request: "Told"},
		Ledger:   scenarios.NewLedger([]scenarios.Requirement{{ID: "LAMP-1", Level: scenarios.Must, Claim: "counts"}}),
		Readings: []scenarios.Reading{{ID: "LAMP-R1"}},
	}
}

// lampHost makes lamps whose ids are longer than the contract says, and notes which requests reach it.
type lampHost struct {
	mu   sync.Mutex
	seen []string
}

func (h *lampHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	if r.URL.Path != "/hello" {
		h.seen = append(h.seen, r.Method+" "+r.URL.RequestURI()+" "+string(body))
	}
	h.mu.Unlock()
	fmt.Fprint(w, `{"counts": true, "id": "lamp-of-the-long-corridor", "state": {"warm": 7}, "brightness": 400}`)
}

const longID = "lamp-of-the-long-corridor"

func dim(id string, body any) wire.Call {
	return wire.Call{Method: "PUT", Path: "/lamps/" + id, Body: body, Label: "dim"}
}

func bright(n int) map[string]any { return map[string]any{"brightness": n, "x-vendor": "warm"} }

// Each request of a drive fits the contract, or says for the sake of which sentence it does not; else nothing is sent, the scenario is
// broken, and the text says where the mistake is.
func TestRequestsFitTheContract(t *testing.T) {
	for _, c := range []struct {
		name  string
		drive func(context.Context, *scenarios.Conn)
		sent  []string // what reaches the host
		text  []string // of the reason, nil if the scenario passes
	}{
		{
			"fits", func(ctx context.Context, c *scenarios.Conn) { c.Do(ctx, dim("7", bright(40))) },
			[]string{`PUT /lamps/7 {"brightness":40,"x-vendor":"warm"}`}, nil,
		},
		{
			"a value", func(ctx context.Context, c *scenarios.Conn) { c.Do(ctx, dim("7", bright(140))) }, nil,
			[]string{"drive lamp/a value", "dim, PUT /lamps/{id}", "/brightness: must be at most 100, but is 140", "#/components/schemas/Dim/"},
		},
		{
			"a declared value",
			func(ctx context.Context, c *scenarios.Conn) { c.Do(wire.Misfit(ctx, "LAMP-1"), dim("7", bright(140))) },
			[]string{`PUT /lamps/7 {"brightness":140,"x-vendor":"warm"}`}, nil,
		},
		{
			"a value declared by a reading",
			func(ctx context.Context, c *scenarios.Conn) { c.Do(wire.Misfit(ctx, "LAMP-R1"), dim("7", "much")) },
			[]string{`PUT /lamps/7 "much"`}, nil,
		},
		{
			"a value declared by nothing",
			func(ctx context.Context, c *scenarios.Conn) { c.Do(wire.Misfit(ctx, "LAMP-9"), dim("7", bright(140))) }, nil,
			[]string{"must be at most 100", "no requirement or reading has the id LAMP-9"},
		},
		{
			"a path", func(ctx context.Context, c *scenarios.Conn) { c.Do(ctx, wire.Call{Method: "GET", Path: "/bulbs"}) }, nil,
			[]string{"GET /bulbs: request: the contract has no such path"},
		},
		{
			"a path elsewhere on this host", func(ctx context.Context, c *scenarios.Conn) {
				c.Do(ctx, wire.Call{Method: "GET", Path: "/attic/new?seats=4", Route: "/new"})
			}, []string{"GET /attic/new?seats=4 "}, nil,
		},
		{
			"a query", func(ctx context.Context, c *scenarios.Conn) {
				c.Do(ctx, wire.Call{Method: "GET", Path: "/attic/new?seats=many", Route: "/new"})
			}, nil, []string{"newLamp, GET /new: query seats: "},
		},
		{
			"no credential", func(ctx context.Context, c *scenarios.Conn) {
				c.Do(ctx, wire.Call{Method: "GET", Path: "/new", Anonymous: true})
			}, nil, []string{"credential: a valid one is wanted"},
		},
		{
			"another credential", func(ctx context.Context, c *scenarios.Conn) {
				c.Do(ctx, wire.Call{Method: "GET", Path: "/new", Header: map[string]string{"authorization": "Bearer nobody"}})
			}, nil, []string{"credential: a valid one is wanted"},
		},
		{
			"a stream", func(ctx context.Context, c *scenarios.Conn) { c.Open(ctx, wire.Call{Method: "GET", Path: "/lamps"}) }, nil,
			[]string{"GET /lamps: request: the contract has no such path"},
		},
		{
			"a mistake that the drive gets over", func(ctx context.Context, c *scenarios.Conn) {
				if _, err := c.Client.Do(ctx, dim("7", bright(-1))); !errors.Is(err, wire.ErrMisfit) {
					panic("it was sent")
				}
				c.Do(ctx, dim("7", bright(1)))
			}, []string{`PUT /lamps/7 {"brightness":1,"x-vendor":"warm"}`}, []string{"must be at least 0, but is -1"},
		},
		{
			"what the host chose", func(ctx context.Context, c *scenarios.Conn) {
				told := c.Do(ctx, wire.Call{Method: "GET", Path: "/new"})
				c.Do(ctx, dim(told.Text("/id"), map[string]any{"brightness": 400, "state": map[string]any{"warm": 7}}))
			}, []string{"GET /new ", "PUT /lamps/" + longID + ` {"brightness":400,"state":{"warm":7}}`}, nil,
		},
		{
			"what the host left out", func(ctx context.Context, c *scenarios.Conn) {
				told := c.Do(ctx, wire.Call{Method: "GET", Path: "/new"})
				c.Do(ctx, dim(told.Text("/name"), bright(40)))
			}, []string{"GET /new ", `PUT /lamps/ {"brightness":40,"x-vendor":"warm"}`}, nil,
		},
		{
			"what the host did not choose", func(ctx context.Context, c *scenarios.Conn) {
				c.Do(ctx, wire.Call{Method: "GET", Path: "/new"})
				c.Do(ctx, dim(longID, map[string]any{"brightness": 401, "state": map[string]any{"warm": 8}}))
			}, []string{"GET /new "}, []string{"/brightness: must be at most 100, but is 401", "/state: missing property on"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			host := &lampHost{}
			server := httptest.NewServer(host)
			defer server.Close()
			drive := &scenarios.Drive[counted]{ID: "lamp/" + c.name, Run: func(ctx context.Context, conn *scenarios.Conn, o *counted) {
				*o = counted{conn.Discovery.Document.Key("brightness")}
				c.drive(ctx, conn)
			}}
			report := certifyLamp(t, wire.Target{URL: server.URL, Key: "ours"}, drive)
			for i, want := range c.sent {
				if i >= len(host.seen) || host.seen[i] != want {
					t.Errorf("the host saw %q, want %q", host.seen, c.sent)
				}
			}
			if len(host.seen) > len(c.sent) {
				t.Errorf("the host saw %q, want %q", host.seen, c.sent)
			}
			wantOutcome(t, report, c.text)
		})
	}
}

// What a program is to read is checked like a request.
func TestInputsOfProgramsFitTheContract(t *testing.T) {
	for _, c := range []struct {
		name, meant, input string
		text               []string
	}{
		{"fits", "", `{"dim": 40}`, nil},
		{"a mistake", "", `{"din": 40}`, []string{"drive lamp/a mistake", "Told: body: missing property dim (#/components/schemas/Told/required)"}},
		{"half a document", "", `{"dim"`, []string{"Told: body: not JSON"}},
		{"half a document on purpose", "LAMP-1", `{"dim"`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			turns := 0
			plugin := &wire.Process{Name: "lamp", Command: []string{"lamp"}, Declared: []byte(`{"counts": true, "brightness": 400}`),
				Here: func(_ context.Context, _ io.Reader, out, _ io.Writer) int {
					turns++
					fmt.Fprint(out, "{}")
					return 0
				}}
			report := certifyLamp(t, wire.Target{Process: plugin}, &scenarios.Drive[counted]{
				ID: "lamp/" + c.name, Run: func(ctx context.Context, conn *scenarios.Conn, o *counted) {
					*o = counted{conn.Discovery.Document.Key("brightness")}
					conn.Spawn(wire.Misfit(ctx, c.meant), wire.Turn{Input: []byte(c.input), Label: c.name})
				},
			})
			if (turns == 1) != (c.text == nil) {
				t.Errorf("%d turns were started", turns)
			}
			wantOutcome(t, report, c.text)
			if e := report.Drives[1].Transcript.Entry(1); e.Process.Input != c.input || e.Process.Misfit != c.meant {
				t.Errorf("recorded %+v", e.Process)
			}
		})
	}
}

// A mistake of ours while the pace is measured is no verdict about the target, and no certification either.
func TestPaceFitsTheContract(t *testing.T) {
	server := httptest.NewServer(&lampHost{})
	defer server.Close()
	p := lamp()
	p.Paces = func(ctx context.Context, c *scenarios.Conn) { c.Do(ctx, dim("7", bright(140))) }
	_, err := scenarios.Certify(t.Context(), wire.Target{URL: server.URL}, scenarios.Options{}, lampSuite(p, countDrive("lamp/count")))
	if !errors.Is(err, wire.ErrMisfit) {
		t.Errorf("%v", err)
	}
}

// A mistake of ours in the clean-up is no leftover that the target is to blame for.
func TestCleanupFitsTheContract(t *testing.T) {
	for name, c := range map[string]struct {
		undo  wire.Call
		fault string
		code  int
	}{
		"fits":      {dim("7", bright(40)), "", scenarios.ExitProved},
		"a mistake": {dim("7", bright(140)), "/brightness: must be at most 100, but is 140", scenarios.ExitBroken},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(&lampHost{})
			defer server.Close()
			report := certifyLamp(t, wire.Target{URL: server.URL}, &scenarios.Drive[counted]{
				ID: "lamp/left", Run: func(_ context.Context, conn *scenarios.Conn, o *counted) {
					*o = counted{conn.Discovery.Document.Key("brightness")}
					conn.Leave("a lit lamp", func(ctx context.Context, client *wire.Client) error {
						_, err := client.Do(ctx, c.undo)
						return err
					})
				},
			})
			if code := report.ExitCode(); code != c.code {
				t.Errorf("exit code %d, want %d: %v", code, c.code, report.Leftovers)
			}
			if (report.Fault != "") != (c.fault != "") || !strings.Contains(report.Fault, c.fault) {
				t.Errorf("the fault is %q, want %q in it", report.Fault, c.fault)
			}
		})
	}
}

func lampSuite(p *scenarios.Protocol, drive *scenarios.Drive[counted]) scenarios.Suite {
	return scenarios.Suite{ID: "lamps", Protocol: p, Scenarios: []scenarios.Scenario{
		one("lamps", counts, scenarios.Ask(drive, is(400, "LAMP-1")), "LAMP-1"),
	}}
}

func certifyLamp(t *testing.T, target wire.Target, drive *scenarios.Drive[counted]) *scenarios.Report {
	t.Helper()
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{}, lampSuite(lamp(), drive))
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// wantOutcome expects a pass, or a broken scenario whose reason has these parts.
func wantOutcome(t *testing.T, r *scenarios.Report, text []string) {
	t.Helper()
	verdict, code := scenarios.Passed, scenarios.ExitProved
	if text != nil {
		verdict, code = scenarios.Broken, scenarios.ExitBroken
	}
	o := r.Outcomes[0]
	if o.Verdict != verdict || r.ExitCode() != code || len(r.Breaches) > 0 {
		t.Errorf("%s, exit code %d, %d violations: %s", o.Verdict, r.ExitCode(), len(r.Breaches), o.Reason)
	}
	for _, part := range text {
		if !strings.Contains(o.Reason, part) {
			t.Errorf("%q does not say %q", o.Reason, part)
		}
	}
}
