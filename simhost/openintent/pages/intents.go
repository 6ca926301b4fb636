package pages

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/console"
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
func (v visitor) intents(r *console.Request) error {
	var all []engine.Account
	var total int
	err := v.host.With(func(h *openintent.Host) (err error) {
		all, total, err = h.Intents(r.Context(), intentsShown)
		return err
	})
	if err != nil {
		return err
	}
	page := intentsPage{More: total - len(all)}
	for _, a := range all {
		page.Rows = append(page.Rows, intentOf(a))
	}
	return r.Show(console.Page{Template: "intents", Title: "Intents", Here: "Intents", Body: page})
}

func (v visitor) intent(r *console.Request) error {
	var page intentView
	err := v.host.With(func(h *openintent.Host) error {
		a, events, total, err := h.Intent(r.Context(), r.PathValue("intent"), intentEventsShown)
		if err != nil {
			return err
		}
		page = intentOf(a)
		page.Events, page.Total, page.MovesClocks, page.Steps = events, total, h.MovesClocks(), console.Steps
		return nil
	})
	if err != nil {
		return err
	}
	return r.Show(console.Page{Template: "intent", Title: page.Title, Here: "Intents", Body: page})
}

// pathOf is the path of the page of an intent.
func pathOf(id string) string { return intentsPath + "/" + url.PathEscape(id) }

// why is the member of a refusal that says what can be done about it.
const why = "detail"

// answer answers what an intent waits for, by the API.
func (v visitor) answer(r *console.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	value, err := json.Marshal(r.PostForm.Get("value"))
	if err != nil {
		return err
	}
	if r.PostForm.Get("as") == "json" {
		if value = []byte(strings.TrimSpace(r.PostForm.Get("value"))); !json.Valid(value) {
			return r.Problem(http.StatusUnprocessableEntity, "What you sent is no JSON.")
		}
	}
	id := r.PathValue("intent")
	reply, err := v.ask(func(c *openintentv1.Client) (*http.Response, error) {
		return c.RespondToSuspension(r.Context(), id, openintentv1.RespondRequest{SuspensionID: r.PostForm.Get("suspension"), Value: value})
	})
	if err != nil {
		return err
	}
	if !reply.OK() {
		return r.Problem(reply.Status, "The server does not take this answer: "+reply.Why(why))
	}
	return r.GoTo(pathOf(id))
}

// advance lets time pass for one intent, by the seam.
func (v visitor) advance(r *console.Request) error {
	by, ok := console.ParseStep(r.PostFormValue("by"))
	if !ok {
		return r.Problem(http.StatusUnprocessableEntity, "Give how far as 90s, 5m or 24h, by 720h at most.")
	}
	id := r.PathValue("intent")
	reply, err := v.ask(func(c *openintentv1.Client) (*http.Response, error) {
		return c.AdvanceClock(r.Context(), openintentv1.AdvanceClockRequest{IntentID: id, Seconds: by.Seconds()})
	})
	if err != nil {
		return err
	}
	if !reply.OK() {
		return r.Problem(reply.Status, "The server does not move the clock of this intent: "+reply.Why(why))
	}
	return r.GoTo(pathOf(id))
}

// example makes an intent that waits for a person, by the requests that a client would send.
func (v visitor) example(r *console.Request) error {
	var made openintentv1.Intent
	record := map[string]any{
		"id": rand.Text(), "question": "Refund 120 EUR?", "response_type": suspension.Choice,
		"choices":         []any{map[string]any{"value": "yes", "label": "Refund"}, map[string]any{"value": "no", "label": "Do not"}},
		"timeout_seconds": 10800, "fallback_policy": suspension.FallbackFail,
		"retry_policy": map[string]any{"max_attempts": 3, "interval_seconds": 3600},
	}
	value, err := json.Marshal(record)
	if err != nil {
		return err
	}
	for _, step := range []func(c *openintentv1.Client, version string) (*http.Response, error){
		func(c *openintentv1.Client, _ string) (*http.Response, error) {
			return c.CreateIntent(r.Context(), openintentv1.CreateIntentRequest{Title: "Refund an order", Status: openintentv1.IntentStatusActive})
		},
		func(c *openintentv1.Client, version string) (*http.Response, error) {
			return c.PatchIntentState(r.Context(), made.ID, &openintentv1.PatchIntentStateParams{IfMatch: &version},
				openintentv1.PatchIntentStateRequest{Patches: []openintentv1.StatePatch{
					{Op: openintentv1.StatePatchOpSet, Path: "/_suspension", Value: value},
				}})
		},
		func(c *openintentv1.Client, version string) (*http.Response, error) {
			return c.SetIntentStatus(r.Context(), made.ID, &openintentv1.SetIntentStatusParams{IfMatch: &version},
				openintentv1.SetIntentStatusRequest{Status: openintentv1.IntentStatusSuspendedAwaitingInput})
		},
	} {
		reply, err := v.ask(func(c *openintentv1.Client) (*http.Response, error) {
			return step(c, strconv.FormatInt(made.Version, 10))
		})
		if err != nil {
			return err
		}
		if !reply.OK() {
			return r.Problem(reply.Status, "The server refuses to make an example: "+reply.Why(why))
		}
		if err := json.Unmarshal(reply.Body, &made); err != nil {
			return fmt.Errorf("make an example: %w", err)
		}
	}
	return r.GoTo(pathOf(made.ID))
}

// Reversed are the events, the latest first.
func (v intentView) Reversed() []openintentv1.Event {
	events := slices.Clone(v.Events)
	slices.Reverse(events)
	return events
}
