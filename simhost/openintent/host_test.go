package openintent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/openintent/variation"
	"github.com/openassay/assay/simhost/serving/contract"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client asks a host on a real socket.
type client struct {
	t    *testing.T
	base string
}

func serve(t *testing.T, o Options) *client {
	t.Helper()
	h, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h.Handler())
	t.Cleanup(func() {
		if err := h.Close(t.Context()); err != nil { // ends streams, on which the server would wait
			t.Error(err)
		}
		s.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return &client{t, s.URL}
}

// ask sends a request with the key, and returns the status and the document. match 0 is none.
func (c *client) ask(method, path string, match int, body string) (int, map[string]any) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("X-API-Key", DefaultKey)
	if match > 0 {
		r.Header.Set("If-Match", fmt.Sprint(match))
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	var doc map[string]any
	_ = json.Unmarshal(raw, &doc) // a list is no document
	return res.StatusCode, doc
}

func (c *client) ok(method, path string, match int, body string) map[string]any {
	c.t.Helper()
	status, doc := c.ask(method, path, match, body)
	if status/100 != 2 {
		c.t.Fatalf("%s %s: %d %v", method, path, status, doc)
	}
	return doc
}

const api = "/api/v1"

// suspended makes an intent that waits under susp-1, with a reminder that goes to somebody.
func (c *client) suspended(to string) (id string) {
	c.t.Helper()
	id, _ = c.ok("POST", api+"/intents", 0, `{"title":"t","status":"active"}`)["id"].(string)
	c.ok("POST", api+"/intents/"+id+"/state", 1, fmt.Sprintf(`{"state":{"_suspension":{"id":"susp-1","question":"Is canary-question right?","response_type":"text",
		"context":{"password":"canary-context"},"timeout_seconds":60,
		"retry_policy":{"max_attempts":2,"interval_seconds":60,"escalation_ladder":[{"attempt":2,"channel_hint":"hook","notify_to":%q}]}}}}`, to))
	c.ok("POST", api+"/intents/"+id+"/status", 2, `{"status":"suspended_awaiting_input"}`)
	return id
}

// A reminder is posted to the loopback URL that its step names, and carries nothing of what it is about.
func TestRemindersAreDelivered(t *testing.T) {
	got := make(chan []byte, 4)
	sink := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- body
	}))
	defer sink.Close()
	c := serve(t, Options{})
	id := c.suspended(sink.URL + "/hook/1")
	c.ok("POST", api+"/assay/clock/advance", 0, fmt.Sprintf(`{"intent_id":%q,"seconds":60}`, id))
	select {
	case body := <-got: // the reply to the seam comes when it is there
		var notice map[string]any
		if err := json.Unmarshal(body, &notice); err != nil || notice["attempt"] != 2.0 || notice["intent_id"] != id ||
			notice["channel_hint"] != "hook" {
			t.Errorf("the notice is %s", body)
		}
		if bytes.Contains(body, []byte("canary")) {
			t.Errorf("the notice carries the question or the context: %s", body)
		}
	default:
		t.Fatal("nothing was delivered")
	}
	// Whoever is not on the allowlist is refused when the record is written; so is what is not of this machine.
	other, _ := c.ok("POST", api+"/intents", 0, `{"title":"t","status":"active"}`)["id"].(string)
	for _, to := range []string{"eve@elsewhere.example", "http://192.0.2.1/hook", "http://127.0.0.1@192.0.2.1/"} {
		status, doc := c.ask("POST", api+"/intents/"+other+"/state", 1, fmt.Sprintf(`{"state":{"_suspension":{"id":"s","question":"?","response_type":"text",
			"retry_policy":{"max_attempts":2,"interval_seconds":1,"escalation_ladder":[{"attempt":2,"notify_to":%q}]}}}}`, to))
		if status != http.StatusUnprocessableEntity || doc["error"] != "notify_to_not_allowed" {
			t.Errorf("%s: %d %v", to, status, doc)
		}
	}
}

// A stream has what happens from its beginning on, each once, and ends with the host.
func TestStreams(t *testing.T) {
	c := serve(t, Options{})
	id := c.suspended("")
	for _, path := range []string{"/subscribe/intents/" + id, "/intents/" + id + "/subscribe"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.base+api+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-Key", DefaultKey)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(res.Body)
		lines.Scan() // the opening comment: from here on nothing is missed
		c.ok("POST", api+"/intents/"+id+"/events", 0, `{"event_type":"note","actor":"me","payload":{"n":1}}`)
		seen := ""
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: ") {
			seen += lines.Text()
		}
		if seen != "event: note" || !strings.Contains(lines.Text(), `"payload":{"n":1}`) {
			t.Errorf("%s: %q %q", path, seen, lines.Text())
		}
		_ = res.Body.Close() // nothing more is read
	}
	if status, _ := c.ask("GET", api+"/subscribe/intents/nobody", 0, ""); status != http.StatusNotFound {
		t.Errorf("the stream of nobody: %d", status)
	}
}

func TestRefusals(t *testing.T) {
	c := serve(t, Options{})
	id := c.suspended("")
	for _, test := range []struct {
		method, path string
		match        int
		body         string
		status       int
		code         string
	}{
		{"POST", "/intents/" + id + "/status", 0, `{"status":"abandoned"}`, 428, "if_match_required"},
		{"POST", "/intents/" + id + "/status", 1, `{"status":"abandoned"}`, 409, "version_conflict"},
		{"POST", "/intents/" + id + "/status", 3, `{"status":"completed"}`, 409, "illegal_transition"},
		{"POST", "/intents/" + id + "/status", 3, `{"status":"banana"}`, 422, "validation_error"},
		{"POST", "/intents/" + id + "/suspend/respond", 0, `[]`, 400, "bad_request"},
		{"POST", "/intents/" + id + "/suspend/respond", 0, `{`, 400, "bad_request"},
		{"POST", "/intents/" + id + "/suspend/respond", 0, `{}`, 422, "validation_error"},
		{"POST", "/intents/" + id + "/suspend/respond", 0, `{"suspension_id":"susp-1","value":" "}`, 422, "invalid_response"},
		{"POST", "/intents/nobody/suspend/respond", 0, `{"suspension_id":"susp-1","value":"x"}`, 404, "not_found"},
		{"PUT", "/server/config", 0, `{}`, 405, "method_not_allowed"},
		{"GET", "/nothing", 0, ``, 404, "not_found"},
		{"POST", "/intents", 0, strings.Repeat(" ", contract.MaxBody) + `{}`, 413, "too_large"},
	} {
		status, doc := c.ask(test.method, api+test.path, test.match, test.body)
		if status != test.status || doc["error"] != test.code || doc["detail"] == "" {
			t.Errorf("%s %s %.40s: %d %v, want %d %s", test.method, test.path, test.body, status, doc, test.status, test.code)
		}
	}
}

// Each variation that speaks for itself shows, and the plain server does without.
func TestVariationsShow(t *testing.T) {
	shows := map[string]func(*client) bool{
		"prefix-v1":       func(c *client) bool { s, _ := c.ask("GET", "/v1/server/config", 0, ""); return s == 200 },
		"made-is-201":     func(c *client) bool { s, _ := c.ask("POST", api+"/intents", 0, `{"title":"t"}`); return s == 201 },
		"naive-times":     func(c *client) bool { return !strings.HasSuffix(c.made("created_at"), "Z") },
		"offset-times":    func(c *client) bool { return strings.HasSuffix(c.made("created_at"), "+00:00") },
		"further-members": func(c *client) bool { return c.ok("POST", api+"/intents", 0, `{"title":"t"}`)["x_vendor"] != nil },
		"errors-under-detail": func(c *client) bool {
			_, doc := c.ask("GET", api+"/intents/nobody", 0, "")
			return doc["error"] == nil
		},
		"default-retry-policy": func(c *client) bool {
			_, doc := c.ask("GET", api+"/server/config", 0, "")
			on, _ := doc["suspension"].(map[string]any)
			return on["default_retry_policy"] != nil
		},
		"conflict-is-412":      func(c *client) bool { return c.refused(9) == 412 },
		"missing-match-is-400": func(c *client) bool { return c.refused(0) == 400 },
	}
	plain := serve(t, Options{})
	for id, show := range shows {
		if !show(serve(t, Options{Vary: []string{id}})) {
			t.Errorf("%s does not show", id)
		}
		if show(plain) {
			t.Errorf("%s shows on the plain server", id)
		}
	}
	if _, err := variation.With("naive-time"); err == nil || !strings.Contains(err.Error(), `did you mean "naive-times"`) {
		t.Errorf("error is %v", err)
	}
}

func (c *client) made(member string) string {
	text, _ := c.ok("POST", api+"/intents", 0, `{"title":"t"}`)[member].(string)
	return text
}

func (c *client) refused(match int) int {
	status, _ := c.ask("POST", api+"/intents/"+c.made("id")+"/status", match, `{"status":"active"}`)
	return status
}

// What waits goes on when a host is opened on the same folder.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	open := func() (*Host, *client, func()) {
		h, err := New(t.Context(), Options{DataDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewServer(h.Handler())
		return h, &client{t, s.URL}, func() {
			s.Close()
			http.DefaultClient.CloseIdleConnections()
			if err := h.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	_, c, end := open()
	id, _ := c.ok("POST", api+"/intents", 0, `{"title":"t","status":"active"}`)["id"].(string)
	c.ok("POST", api+"/intents/"+id+"/state", 1,
		`{"state":{"_suspension":{"id":"s","question":"?","response_type":"text","timeout_seconds":1}}}`)
	c.ok("POST", api+"/intents/"+id+"/status", 2, `{"status":"suspended_awaiting_input"}`)
	end()
	_, c, end = open()
	defer end()
	deadline := time.Now().Add(testenv.Patience(10 * time.Second))
	for c.ok("GET", api+"/intents/"+id, 0, "")["status"] != "abandoned" {
		if time.Now().After(deadline) {
			t.Fatal("the timer did not fire behind the restart")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
