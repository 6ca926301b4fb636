// Command small is a minimal OpenIntent server: it suspends intents and takes answers, without children, portfolios,
// plans, leases or configuration. It has three mistakes: it does not keep the answer, it lets a suspended intent be
// completed without one, and a body that is no object makes it fail.
//
// It prints its URL and serves until it is killed. Its keys are dev and bob.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type object = map[string]any

type intent struct {
	object
	version int
	events  []object // newest first
}

var (
	mu      sync.Mutex
	intents = map[string]*intent{}
	steps   = map[string][]string{
		"draft": {"active", "abandoned"}, "active": {"completed", "abandoned", "suspended_awaiting_input"}, "suspended_awaiting_input": {"completed", "abandoned"},
	}
)

func main() {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("http://" + ln.Addr().String())
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openintent.json", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, object{"protocol": "openintent", "version": "0.1", "implementation": "small"})
	})
	const prefix = "/api/v1/intents"
	mux.HandleFunc("POST "+prefix, keyed(create))
	mux.HandleFunc("GET "+prefix+"/{id}", keyed(existing(func(w http.ResponseWriter, _ *http.Request, i *intent) { reply(w, 200, i.object) })))
	mux.HandleFunc("GET "+prefix+"/{id}/events", keyed(existing(func(w http.ResponseWriter, _ *http.Request, i *intent) {
		reply(w, 200, append([]object{}, i.events...))
	})))
	mux.HandleFunc("POST "+prefix+"/{id}/status", keyed(existing(versioned(setStatus))))
	mux.HandleFunc("POST "+prefix+"/{id}/state", keyed(existing(versioned(patchState))))
	mux.HandleFunc("POST "+prefix+"/{id}/suspend/respond", keyed(respond))
	_ = http.Serve(ln, mux)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func refuse(w http.ResponseWriter, status int, why string) { reply(w, status, object{"detail": why}) }

func keyed(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if key := r.Header.Get("X-API-Key"); key != "dev" && key != "bob" {
			refuse(w, 401, "no such key")
			return
		}
		mu.Lock()
		defer mu.Unlock()
		next(w, r)
	}
}

func existing(next func(http.ResponseWriter, *http.Request, *intent)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if i := intents[r.PathValue("id")]; i != nil {
			next(w, r, i)
			return
		}
		refuse(w, 404, "no such intent")
	}
}

func versioned(next func(http.ResponseWriter, object, *intent)) func(http.ResponseWriter, *http.Request, *intent) {
	return func(w http.ResponseWriter, r *http.Request, i *intent) {
		var body object
		switch match := r.Header.Get("If-Match"); {
		case match == "":
			refuse(w, 428, "If-Match is missing")
		case match != strconv.Itoa(i.version):
			refuse(w, 409, "another version")
		case json.NewDecoder(r.Body).Decode(&body) != nil:
			refuse(w, 400, "no object")
		default:
			next(w, body, i)
		}
	}
}

func now() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000000") }

func (i *intent) moved(kind string, payload object) {
	i.version++
	i.object["version"], i.object["updated_at"] = i.version, now()
	i.events = append([]object{{"id": fmt.Sprint(i.object["id"], "-", i.version), "event_type": kind, "actor": "small", "payload": payload, "created_at": now()}}, i.events...)
}

func create(w http.ResponseWriter, r *http.Request) {
	var body object
	if json.NewDecoder(r.Body).Decode(&body) != nil || body["title"] == nil {
		refuse(w, 422, "title is missing")
		return
	}
	id := fmt.Sprintf("intent-%d", len(intents)+1)
	i := &intent{object: object{"id": id, "title": body["title"], "status": "draft", "state": object{}, "depends_on": []string{}, "created_at": now(),
		"created_by": "caller"}}
	if s, _ := body["status"].(string); s == "active" {
		i.object["status"] = s
	}
	i.moved("intent_created", object{})
	intents[id] = i
	reply(w, 201, i.object)
}

func setStatus(w http.ResponseWriter, body object, i *intent) {
	to, _ := body["status"].(string)
	for _, step := range steps[i.object["status"].(string)] {
		if step == to {
			i.object["status"] = to
			i.moved("status_changed", object{"status": to})
			reply(w, 200, i.object)
			return
		}
	}
	refuse(w, 409, "there is no such step")
}

func patchState(w http.ResponseWriter, body object, i *intent) {
	patches, _ := body["patches"].([]any)
	state := object{}
	for k, v := range i.object["state"].(object) {
		state[k] = v
	}
	for _, p := range patches {
		patch, _ := p.(object)
		path, _ := patch["path"].(string)
		state[strings.TrimPrefix(path, "/")] = patch["value"]
	}
	i.object["state"] = state
	i.moved("state_patched", object{})
	reply(w, 200, i.object)
}

// respond takes an answer, but does not write it into the record.
func respond(w http.ResponseWriter, r *http.Request) {
	var body object
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		refuse(w, 500, "Internal Server Error")
		return
	}
	sid, _ := body["suspension_id"].(string)
	i := intents[r.PathValue("id")]
	switch {
	case sid == "":
		refuse(w, 422, "suspension_id is missing")
		return
	case i == nil:
		refuse(w, 404, "no such intent")
		return
	case i.object["status"] != "suspended_awaiting_input":
		refuse(w, 409, "it is not suspended")
		return
	}
	record, _ := i.object["state"].(object)["_suspension"].(object)
	if record["id"] != sid || i.object["answered"] == sid {
		refuse(w, 409, "it is another suspension")
		return
	}
	value, _ := body["value"].(string)
	choices, _ := record["choices"].([]any)
	if record["response_type"] == "confirm" && len(choices) == 0 {
		choices = []any{object{"value": "yes"}, object{"value": "no"}}
	}
	chosen := object{}
	for _, c := range choices {
		if choice, _ := c.(object); choice["value"] == value {
			chosen = choice
		}
	}
	if len(choices) > 0 && len(chosen) == 0 || value == "" {
		reply(w, 422, object{"detail": object{"error": "invalid_choice", "valid_choices": choices}})
		return
	}
	by, _ := body["responded_by"].(string)
	if by == "" {
		by = "somebody"
	}
	i.object["status"], i.object["answered"] = "active", sid
	answer := object{"intent_id": i.object["id"], "suspension_id": sid, "resolution": "responded", "value": value, "responded_by": by, "responded_at": now()}
	i.moved("intent.resumed", answer)
	out := object{"choice_label": chosen["label"], "choice_description": chosen["description"]}
	for k, v := range answer {
		out[k] = v
	}
	reply(w, 200, out)
}
