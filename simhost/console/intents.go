package console

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/simhost/openintent/engine"
	"github.com/openassay/assay/simhost/openintent/suspension"
)

// What one page shows of intents.
const (
	intentsShown      = 100
	intentEventsShown = 500
)

// intentView is an intent as a page shows it.
type intentView struct {
	engine.Account
	ID, Title    string
	Status, Kind string
	Paused       bool // no intent is; the word of a status asks
	Parent       string
	DependsOn    []string
	Options      []suspension.Option
	State        map[string]json.RawMessage
	Events       []openintentv1.Event // in order
	Total        int
	MovesClocks  bool
	Steps        []string
	Alone        bool // it is the only one on its page
}

func intentOf(a engine.Account) intentView {
	v := intentView{
		Account: a, ID: a.Intent.ID, Title: a.Intent.Title, Status: string(a.Intent.Status), DependsOn: a.Intent.DependsOn, State: a.Intent.State,
		Kind: map[string]string{
			engine.Active: "busy", engine.Suspended: "warn", engine.Completed: "good", engine.Abandoned: "bad",
		}[string(a.Intent.Status)],
	}
	if v.Kind == "" {
		v.Kind = "calm"
	}
	if a.Intent.ParentID != nil {
		v.Parent = *a.Intent.ParentID
	}
	if a.Waits != nil {
		v.Options = a.Waits.Options()
	}
	return v
}

type intentsPage struct {
	Rows []intentView
	More int
}

// intents lists the intents that changed last.
func (c *Console) intents(w http.ResponseWriter, r *http.Request, who visitor) error {
	all, total, err := c.o.Intents.Intents(r.Context(), intentsShown)
	if err != nil {
		return err
	}
	page := intentsPage{More: total - len(all)}
	for _, a := range all {
		page.Rows = append(page.Rows, intentOf(a))
	}
	return c.show(w, r, who, "intents", layout{Title: "Intents", Here: "intents", Body: page})
}

func (c *Console) intent(w http.ResponseWriter, r *http.Request, who visitor) error {
	a, events, total, err := c.o.Intents.Intent(r.Context(), r.PathValue("intent"), intentEventsShown)
	if err != nil {
		return err
	}
	v := intentOf(a)
	v.Events, v.Total, v.MovesClocks, v.Steps, v.Alone = events, total, c.o.Intents.MovesClocks(), steps, true
	return c.show(w, r, who, "intent", layout{Title: v.Title, Here: "intents", Body: v})
}

// intentPath is the path of an intent in the API, and of what is below it.
func intentPath(id string, below ...string) string {
	return strings.Join(append([]string{openintent.Prefix + "/intents", url.PathEscape(id)}, below...), "/")
}

// answerIntent answers what an intent waits for, by the API.
func (c *Console) answerIntent(w http.ResponseWriter, r *http.Request, who visitor) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	value, err := json.Marshal(r.PostForm.Get("value"))
	if err != nil {
		return err
	}
	if r.PostForm.Get("as") == "json" {
		if value = []byte(strings.TrimSpace(r.PostForm.Get("value"))); !json.Valid(value) {
			return c.problem(w, r, who, http.StatusUnprocessableEntity, "What you sent is no JSON.")
		}
	}
	id := r.PathValue("intent")
	reply, err := c.o.Intents.Ask(r.Context(), who.intents, http.MethodPost, intentPath(id, "suspend", "respond"), 0,
		map[string]any{"suspension_id": r.PostForm.Get("suspension"), "value": json.RawMessage(value)})
	if err != nil {
		return err
	}
	if !reply.OK() {
		return c.problem(w, r, who, reply.Status, "The server does not take this answer: "+reply.Why())
	}
	http.Redirect(w, r, Prefix+"/intents/"+url.PathEscape(id), http.StatusSeeOther)
	return nil
}

// advanceIntent lets time pass for one intent, by the seam.
func (c *Console) advanceIntent(w http.ResponseWriter, r *http.Request, who visitor) error {
	by, err := time.ParseDuration(r.PostFormValue("by"))
	if err != nil || by <= 0 || by > farthest {
		return c.problem(w, r, who, http.StatusUnprocessableEntity, "Give how far as 90s, 5m or 24h, by 720h at most.")
	}
	id := r.PathValue("intent")
	reply, err := c.o.Intents.Ask(r.Context(), who.intents, http.MethodPost, openintent.Prefix+"/assay/clock/advance", 0,
		map[string]any{"intent_id": id, "seconds": by.Seconds()})
	if err != nil {
		return err
	}
	if !reply.OK() {
		return c.problem(w, r, who, reply.Status, "The server does not move the clock of this intent: "+reply.Why())
	}
	http.Redirect(w, r, Prefix+"/intents/"+url.PathEscape(id), http.StatusSeeOther)
	return nil
}

// exampleIntent makes an intent that waits for a person, by the requests that a client would send.
func (c *Console) exampleIntent(w http.ResponseWriter, r *http.Request, who visitor) error {
	var made openintentv1.Intent
	record := map[string]any{
		"id": rand.Text(), "question": "Refund 120 EUR?", "response_type": suspension.Choice,
		"choices":         []any{map[string]any{"value": "yes", "label": "Refund"}, map[string]any{"value": "no", "label": "Do not"}},
		"timeout_seconds": 10800, "fallback_policy": suspension.FallbackFail,
		"retry_policy": map[string]any{"max_attempts": 3, "interval_seconds": 3600},
	}
	for _, step := range []struct {
		below string
		body  map[string]any
	}{
		{"", map[string]any{"title": "Refund an order", "status": engine.Active}},
		{"state", map[string]any{"patches": []any{map[string]any{"op": "set", "path": "/_suspension", "value": record}}}},
		{"status", map[string]any{"status": engine.Suspended}},
	} {
		path := openintent.Prefix + "/intents"
		if step.below != "" {
			path = intentPath(made.ID, step.below)
		}
		reply, err := c.o.Intents.Ask(r.Context(), who.intents, http.MethodPost, path, made.Version, step.body)
		if err != nil {
			return err
		}
		if !reply.OK() {
			return c.problem(w, r, who, reply.Status, "The server refuses to make an example: "+reply.Why())
		}
		if err := json.Unmarshal(reply.Body, &made); err != nil {
			return fmt.Errorf("make an example: %w", err)
		}
	}
	http.Redirect(w, r, Prefix+"/intents/"+url.PathEscape(made.ID), http.StatusSeeOther)
	return nil
}

// Reversed are the events, the latest first.
func (v intentView) Reversed() []openintentv1.Event {
	events := slices.Clone(v.Events)
	slices.Reverse(events)
	return events
}
