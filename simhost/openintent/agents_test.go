package openintent

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// listen opens a stream, and returns what reads its next frame.
func (c *client) listen(path string) (next func() (event string, data map[string]any)) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.base+api+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("X-API-Key", DefaultKey)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = res.Body.Close() }) // nothing more is read
	lines := bufio.NewScanner(res.Body)
	lines.Scan() // the opening comment: from here on nothing is missed
	return func() (event string, data map[string]any) {
		for lines.Scan() {
			switch field, value, _ := strings.Cut(lines.Text(), ": "); field {
			case "event":
				event = value
			case "data":
				if err := json.Unmarshal([]byte(value), &data); err != nil {
					c.t.Fatalf("%s: %v", lines.Text(), err)
				}
				return event, data
			}
		}
		c.t.Fatal("the stream ended")
		return "", nil
	}
}

// list asks for a list of a member of what comes, "" being the whole.
func (c *client) list(path, member string) (docs []map[string]any) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.base+api+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("X-API-Key", DefaultKey)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	var whole json.RawMessage
	if err = json.NewDecoder(res.Body).Decode(&whole); err == nil && member != "" {
		members := map[string]json.RawMessage{}
		err = json.Unmarshal(whole, &members)
		whole = members[member]
	}
	if err == nil {
		err = json.Unmarshal(whole, &docs)
	}
	if err != nil {
		c.t.Fatalf("GET %s: %v", path, err)
	}
	return docs
}

// An agent is assigned, told of it, and taken away again; governance and ids that there are not refuse.
func TestAgents(t *testing.T) {
	c := serve(t, Options{})
	id := c.made("id")
	real, own := c.listen("/subscribe/agents/ann"), c.listen("/agents/ann/subscribe")
	other := c.listen("/agents/bob/subscribe")

	made := c.ok("POST", api+"/intents/"+id+"/agents", 0, `{"agent_id":"ann"}`)
	if made["agent_id"] != "ann" || made["intent_id"] != id || made["role"] != "worker" || made["assigned_at"] == nil {
		t.Errorf("the assignment is %v", made)
	}
	for name, next := range map[string]func() (string, map[string]any){"agent_assigned": real, "AGENT_ASSIGNED": own} {
		if event, data := next(); event != name || data["intent_id"] != id || data["agent_id"] != "ann" || data["id"] != made["id"] {
			t.Errorf("%s: %s %v", name, event, data)
		}
	}
	c.ok("POST", api+"/intents/"+id+"/status", 1, `{"status":"active"}`)
	if event, data := own(); event != "STATUS_CHANGED" || data["old_status"] != "draft" || data["new_status"] != "active" {
		t.Errorf("%s %v", event, data)
	}
	c.ok("POST", api+"/intents/"+id+"/state", 2, `{"patches":[{"op":"set","path":"/a","value":1},{"op":"set","path":"b/c","value":2}]}`)
	event, data := own()
	if state, _ := data["new_state"].(map[string]any); event != "STATE_CHANGED" || len(state) != 2 || state["a"] != 1.0 {
		t.Errorf("%s %v", event, data)
	}
	lease, _ := c.ok("POST", api+"/intents/"+id+"/leases", 0, `{"scope":"desk"}`)["id"].(string)
	c.ok("DELETE", api+"/intents/"+id+"/leases/"+lease, 0, "")
	for _, want := range []string{"LEASE_ACQUIRED", "LEASE_RELEASED"} {
		if event, data := own(); event != want || data["scope"] != "desk" || data["intent_id"] != id {
			t.Errorf("%s %v", event, data)
		}
	}

	// Suspensions are for the agent's own loop to tell; other events come as they are on the log.
	c.ok("POST", api+"/intents/"+id+"/events", 0, `{"event_type":"intent.suspended","actor":"ann","payload":{"suspension_id":"s"}}`)
	c.ok("POST", api+"/intents/"+id+"/events", 0, `{"event_type":"comment","actor":"me","payload":{"n":1}}`)
	if event, data := own(); event != "comment" || data["intent_id"] != id {
		t.Errorf("%s %v", event, data)
	}

	// One that hands an intent on says so before it assigns the other.
	c.ok("POST", api+"/intents/"+id+"/events", 0, `{"event_type":"agent_assigned","actor":"ann","payload":{"agent_id":"bob","delegated_by":"ann"}}`)
	c.ok("POST", api+"/intents/"+id+"/agents", 0, `{"agent_id":"bob","role":"reviewer"}`)
	if event, data := other(); event != "AGENT_ASSIGNED" || data["delegated_by"] != "ann" || data["role"] != "reviewer" {
		t.Errorf("%s %v", event, data)
	}
	c.ok("POST", api+"/intents/"+id+"/agents", 0, `{"agent_id":"bob"}`) // once more tells it again
	if event, data := other(); event != "AGENT_ASSIGNED" || data["delegated_by"] != nil {
		t.Errorf("%s %v", event, data)
	}
	if all := c.list("/intents/"+id+"/agents", ""); len(all) != 2 || all[0]["agent_id"] != "ann" || all[1]["agent_id"] != "bob" {
		t.Errorf("the agents are %v", all)
	}
	c.ok("DELETE", api+"/intents/"+id+"/agents/bob", 0, "")
	if all := c.list("/intents/"+id+"/agents", ""); len(all) != 1 {
		t.Errorf("the agents are %v", all)
	}
	if event, _ := other(); event != "agent_unassigned" {
		t.Errorf("the agent that is taken away is told %s", event)
	}

	ruled, _ := c.ok("POST", api+"/intents", 0, `{"title":"t","governance_policy":{"allowed_agents":["ann"]}}`)["id"].(string)
	for _, test := range []struct {
		method, path, body string
		status             int
	}{
		{"DELETE", "/intents/" + id + "/agents/bob", "", 404},
		{"DELETE", "/intents/nobody/agents/ann", "", 404},
		{"POST", "/intents/nobody/agents", `{"agent_id":"ann"}`, 404},
		{"GET", "/intents/nobody/agents", "", 404},
		{"POST", "/intents/" + id + "/agents", `{}`, 422},
		{"POST", "/intents/" + id + "/agents", `{"agent_id":""}`, 422},
		{"POST", "/intents/" + ruled + "/agents", `{"agent_id":"bob"}`, 403},
		{"POST", "/intents/" + ruled + "/agents", `{"agent_id":"ann"}`, 200},
		{"DELETE", "/intents/" + ruled + "/agents/ann", "", 403},
	} {
		if status, doc := c.ask(test.method, api+test.path, 0, test.body); status != test.status {
			t.Errorf("%s %s %s: %d %v, want %d", test.method, test.path, test.body, status, doc, test.status)
		}
	}
}

// No text limits how long or short a name is, and clients send null for what they do not say.
func TestNoLengthsThatTheTextsDoNotHave(t *testing.T) {
	c := serve(t, Options{})
	long := strings.Repeat("n", 5000)
	id := c.made("id")
	for _, test := range []struct{ path, body string }{
		{"/intents", `{"title":"","description":null,"created_by":""}`},
		{"/intents", `{"title":"` + long + `","created_by":"` + long + `"}`},
		{"/intents/" + id + "/events", `{"event_type":"comment","actor":""}`},
		{"/intents/" + id + "/leases", `{"scope":""}`},
		{"/intents/" + id + "/agents", `{"agent_id":"` + long + `"}`},
		{"/portfolios", `{"name":"","created_by":"` + long + `","description":null}`},
		{"/tasks", `{"intent_id":"` + id + `","name":"","description":null,"priority":""}`},
		{"/intents/" + id + "/children", `{"title":"","description":null}`},
		{"/plans", `{"intent_id":"` + id + `","on_failure":"","on_complete":""}`},
	} {
		if status, doc := c.ask("POST", api+test.path, 0, test.body); status != http.StatusOK {
			t.Errorf("%s %.80s: %d %v", test.path, test.body, status, doc)
		}
	}
	if found := c.list("/portfolios?created_by="+long, ""); len(found) != 1 {
		t.Errorf("%d portfolios of the agent with the long name", len(found))
	}
	if agents := c.list("/intents/"+id+"/agents", ""); len(agents) != 1 {
		t.Errorf("%d agents", len(agents))
	}
	c.ok("DELETE", api+"/intents/"+id+"/agents/"+long, 0, "")
	c.ok("POST", api+"/intents/"+id+"/state", 1, `{"patches":[{"op":"set","path":"","value":1}]}`) // the member without a name
	c.ok("POST", api+"/intents/"+id+"/state", 2,
		`{"state":{"_suspension":{"id":"s","question":"?","response_type":"text","retry_policy":{"max_attempts":1,"interval_seconds":0}}}}`)
}

// The events of a log can be chosen by their type and time.
func TestEventsAreChosen(t *testing.T) {
	c := serve(t, Options{})
	id := c.made("id")
	note := func() map[string]any {
		return c.ok("POST", api+"/intents/"+id+"/events", 0, `{"event_type":"comment","actor":"me"}`)
	}
	note()
	c.ok("POST", api+"/intents/"+id+"/status", 1, `{"status":"active"}`)
	last := note()
	at, _ := last["created_at"].(string)
	for query, want := range map[string]int{
		"": 4, "?event_type=comment": 2, "?event_type=comment&offset=1": 1, "?event_type=nothing": 0, "?event_type=comment&limit=1": 1,
		"?since=" + at: 1, "?since=2000-01-01T00:00:00": 4, "?since=2999-01-01T00:00:00Z": 0,
	} {
		if got := c.list("/intents/"+id+"/events"+query, ""); len(got) != want {
			t.Errorf("%s: %d events, want %d", query, len(got), want)
		}
	}
	for _, since := range []string{"yesterday", "2026-99-99T99:99:99Z"} {
		if status, _ := c.ask("GET", api+"/intents/"+id+"/events?since="+since, 0, ""); status != http.StatusUnprocessableEntity {
			t.Errorf("since %s: %d", since, status)
		}
	}
}

// The list of intents has pages and a filter.
func TestIntentsAreListed(t *testing.T) {
	c := serve(t, Options{})
	var ids []string
	for range 3 {
		ids = append(ids, c.made("id"))
	}
	c.ok("POST", api+"/intents/"+ids[1]+"/status", 1, `{"status":"active"}`)
	for query, want := range map[string][]string{
		"": ids, "?limit=2": ids[:2], "?limit=2&offset=2": ids[2:], "?status=active": ids[1:2], "?status=completed": nil,
	} {
		var got []string
		for _, doc := range c.list("/intents"+query, "intents") {
			got = append(got, doc["id"].(string))
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("GET /intents%s: %v, want %v", query, got, want)
		}
	}
	if status, _ := c.ask("GET", api+"/intents?status=banana", 0, ""); status != http.StatusUnprocessableEntity {
		t.Errorf("a status that there is not: %d", status)
	}
}

// The configuration leaves telling and reminding to the agents, and the server says so.
func TestTheNotifierIsConfigured(t *testing.T) {
	file := filepath.Join(t.TempDir(), "openintent.yaml")
	write := func(text string) Options {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Options{Config: file}
	}
	c := serve(t, write("suspension: { notifier: agent }\n"))
	doc, _ := c.ok("GET", "/.well-known/openintent.json", 0, "")["assay"].(map[string]any)
	if features, _ := json.Marshal(doc["features"]); doc["notifier"] != "agent" || strings.Contains(string(features), "notifier") {
		t.Errorf("discovery says %v", doc)
	}
	id := c.suspended("")
	c.ok("POST", api+"/assay/clock/advance", 0, `{"intent_id":"`+id+`","seconds":61}`)
	for _, ev := range c.list("/intents/"+id+"/events", "") {
		if kind, _ := ev["event_type"].(string); strings.HasPrefix(kind, "intent.") {
			t.Errorf("the server writes %s", kind)
		}
	}
	c.ok("POST", api+"/assay/clock/advance", 0, `{"intent_id":"`+id+`","seconds":60}`)
	if got := c.ok("GET", api+"/intents/"+id, 0, "")["status"]; got != "abandoned" {
		t.Errorf("behind its window the intent is %v", got)
	}
	err := write("suspension: { notifier: nobody }\n").Check()
	if err == nil || !strings.Contains(err.Error(), `suspension.notifier is "nobody": give server or agent`) {
		t.Errorf("error is %v", err)
	}
}
