package mutate

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestOn(t *testing.T) {
	for _, c := range []struct {
		operation, method, path string
		want                    bool
	}{
		{"GET /v1/runs/{runId}", "GET", "/v1/runs/r-1", true},
		{"GET /v1/runs/{runId}", "POST", "/v1/runs/r-1", false},
		{"GET /v1/runs/{runId}", "GET", "/v1/runs/r-1/events", false},
		{"GET /v1/runs/{runId}", "GET", "/v1/runs/r-1:fork", false},
		{"POST /v1/runs/{runId}:fork", "POST", "/v1/runs/r-1:fork", true},
		{"POST /v1/runs/{runId}:fork", "POST", "/v1/runs/r-1:pause", false},
		{"POST /v1/runs/{runId}:fork", "POST", "/v1/runs/:fork", false},
		{"GET /v1/runs/{runId}/events/poll", "GET", "/v1/runs/a%2Fb/events/poll", true},
		{"GET /.well-known/openwop", "GET", "/.well-known/openwop", true},
	} {
		got := false
		On(c.operation, func(*Reply) { got = true })(&Reply{Request: httptest.NewRequest(c.method, c.path, nil)})
		if got != c.want {
			t.Errorf("%s takes %s %s: %v", c.operation, c.method, c.path, got)
		}
	}
}

func TestObjectKeepsWhatItDoesNotKnow(t *testing.T) {
	type known struct {
		A int     `json:"a"`
		B *string `json:"b,omitempty"`
	}
	change := At("/in", func(k *known) { k.A++; k.B = nil })
	r := &Reply{Body: []byte(`{"in":{"a":1,"b":"x","c":12345678901234567890},"d":1.0}`)}
	change(r)
	if want := `{"d":1.0,"in":{"a":2,"c":12345678901234567890}}`; string(r.Body) != want {
		t.Errorf("%s, want %s", r.Body, want)
	}
	for _, body := range []string{`{"in":7}`, `[]`, `{`, `{"in":{"a":"seven"}}`} {
		r := &Reply{Body: []byte(body)}
		if change(r); string(r.Body) != body {
			t.Errorf("%s became %s", body, r.Body)
		}
	}
}

func TestFront(t *testing.T) {
	host := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/stream":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"a\":1}\n\n")
			_ = http.NewResponseController(w).Flush()
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		default:
			w.Header().Set("Content-Length", "7")
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"a":1}`)
		}
	})
	s := httptest.NewServer(Changes{Replies: []ReplyFunc{
		JSON(func(o map[string]any) { o["b"] = "two" }), Succeeded(Header("X-Seen", "yes")),
		func(r *Reply) {
			if r.Status == http.StatusCreated {
				r.Status = http.StatusTeapot
			}
		},
	}}.Front(host))
	defer s.Close()
	for _, c := range []struct {
		path   string
		status int
		body   string
		seen   bool
	}{
		{"/", http.StatusTeapot, `{"a":1,"b":"two"}`, true},
		{"/none", http.StatusNoContent, "", true},
		{"/stream", http.StatusOK, "data: {\"a\":1}\n\n", false},
	} {
		r, err := http.Get(s.URL + c.path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil || r.StatusCode != c.status || string(body) != c.body || (r.Header.Get("X-Seen") == "yes") != c.seen {
			t.Errorf("%s: %d %s, %v, %v", c.path, r.StatusCode, body, r.Header, err)
		}
	}
}

func TestEventsAreChangedInPlace(t *testing.T) {
	type counted struct {
		N int `json:"n"`
	}
	changes := []EventFunc{
		OfType("a.counted", Payload(func(c *counted) { c.N++ })),
		OfType("b.counted", Payload(func(c *counted) { c.N = 99 })),
		func(e *Event) { e.CausationID = "none" },
	}
	e := Event{Type: "a.counted", CausationID: "x"}
	if got := string(e.Apply([]byte(`{"n":1,"more":{}}`), changes)); got != `{"more":{},"n":2}` || e.CausationID != "none" {
		t.Errorf("%s, %+v", got, e)
	}
	if got := string((&Event{Type: "a.counted"}).Apply([]byte(`[1]`), changes)); got != `[1]` {
		t.Error(got)
	}
}

func TestRequestsAreChangedOnTheirWayIn(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	changed := 0
	s := httptest.NewServer(Changes{
		Requests: []RequestFunc{Asked("POST /v1/runs", Body(func(o map[string]any) { o["b"] = 2 }))},
		Replies:  []ReplyFunc{JSON(func(o map[string]any) { o["a"] = 1 })}, // as it is already
		Changed:  func() { changed++ },
	}.Front(echo))
	defer func() {
		s.Close()
		if changed != 1 {
			t.Errorf("%d changes were told, and there was one", changed)
		}
	}()
	for path, want := range map[string]string{"/v1/runs": `{"a":1,"b":2}`, "/v1/other": `{"a":1}`} {
		r, err := http.Post(s.URL+path, "application/json", strings.NewReader(`{"a":1}`))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil || string(body) != want {
			t.Errorf("%s got %s, %v", path, body, err)
		}
	}
}

func TestFramesAreChangedWhenTheyAreWhole(t *testing.T) {
	host := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, part := range []string{": hello\n\nid: 1\ndata: {\"a\":", "1}\n", "\nevent: x\ndata:one\ndata: two\n\n"} {
			_, _ = io.WriteString(w, part)
			_ = http.NewResponseController(w).Flush()
		}
	})
	s := httptest.NewServer(Changes{Frames: []FrameFunc{
		func(_ *http.Request, f Frame) []Frame {
			f.Data = []byte(strings.ToUpper(string(f.Data)))
			return []Frame{f}
		},
		InStream("GET /", func(f Frame) []Frame {
			if f.Event == "x" {
				return []Frame{f, {Event: "again", Data: []byte("{}")}}
			}
			return []Frame{f}
		}),
		InStream("GET /other", func(Frame) []Frame { return nil }),
	}}.Front(host))
	defer s.Close()
	r, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if want := ": hello\n\nid: 1\ndata: {\"A\":1}\n\nevent: x\ndata: ONE\ndata: TWO\n\nevent: again\ndata: {}\n\n"; err != nil ||
		string(body) != want {
		t.Errorf("%q, %v", body, err)
	}
}

func TestEventsAreChangedWhereTheyAreRead(t *testing.T) {
	log := Log{
		Lists: map[string]string{"GET /log": "events"}, Streams: []string{"GET /log"}, Payload: "payload",
		Read:  func(o map[string]any) Event { kind, _ := o["type"].(string); return Event{Type: kind} },
		Write: func(Event, map[string]any) {},
	}
	c := Changes{Events: []EventFunc{OfType("a", func(e *Event) { e.Payload["lie"] = true })}}.OnWire(log)
	if len(c.Events) != 0 || len(c.Replies) != 1 || len(c.Frames) != 1 {
		t.Fatalf("%+v", c)
	}
	request := httptest.NewRequest("GET", "/log", nil)
	r := &Reply{Request: request, Status: 200, Body: []byte(`{"events":[{"type":"a","payload":{}},{"type":"b","payload":{}}]}`)}
	c.Replies[0](r)
	if want := `{"events":[{"payload":{"lie":true},"type":"a"},{"payload":{},"type":"b"}]}`; string(r.Body) != want {
		t.Errorf("%s", r.Body)
	}
	for data, want := range map[string]string{
		`{"type":"a","payload":{}}`:   `{"payload":{"lie":true},"type":"a"}`,
		`[{"type":"a","payload":{}}]`: `[{"payload":{"lie":true},"type":"a"}]`,
		`{"type":"a"}`:                `{"type":"a"}`,
		`no JSON`:                     `no JSON`,
	} {
		if got := string(c.Frames[0](request, Frame{Data: []byte(data)})[0].Data); got != want {
			t.Errorf("%s became %s", data, got)
		}
	}
}
