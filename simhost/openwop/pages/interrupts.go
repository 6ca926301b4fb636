package pages

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// question is what a run waits for, as a form.
type question struct {
	RunID, Workflow string
	ID, NodeID      string
	Kind            string
	Title, About    string
	Fields          []field                    // of a clarification
	Actions         []openwopv1.ApprovalAction // of an approval
	Needs           int64                      // how many must approve; 0 where one is enough
	Artifact        json.RawMessage
	Data            json.RawMessage
	Example         string // what may be sent as JSON
}

// field is one question of a clarification.
type field struct {
	ID, Label string
	Kind      string // text, number, choice, json
	Choices   []string
	Schema    map[string]any
}

// questionOf is what a run waits for; nil where it waits for nobody.
func questionOf(s openwopv1.RunSnapshot) (*question, error) {
	i := s.Interrupt
	if i == nil || i.Kind == nil || i.NodeID == nil || i.InterruptID == nil {
		return nil, nil
	}
	q := &question{RunID: s.RunID, Workflow: s.WorkflowID, ID: *i.InterruptID, NodeID: *i.NodeID, Kind: *i.Kind, Data: i.Data}
	var wrong error
	switch event.Interrupt(*i.Kind) {
	case event.Clarification:
		wrong = q.asks(i.Data)
	case event.ExternalEvent:
		q.Title = "An event from outside"
		var data openwopv1.ExternalEventData
		wrong = json.Unmarshal(i.Data, &data)
		q.Example = console.Pretty(data.Correlation)
		if data.Correlation == nil {
			q.Example = "{}"
		}
	case event.LowConfidence:
		q.Title = "The agent is not sure about its decision"
		q.Actions = []openwopv1.ApprovalAction{openwopv1.ApprovalActionAccept, openwopv1.ApprovalActionReject}
	default:
		wrong = q.approves(i.Data)
	}
	if wrong != nil {
		return nil, fmt.Errorf("read what run %s asks: %w", s.RunID, wrong)
	}
	return q, nil
}

func (q *question) asks(raw json.RawMessage) error {
	var data openwopv1.ClarificationData
	if err := json.Unmarshal(raw, &data); err != nil {
		return err
	}
	q.Title = "A question"
	if len(data.Questions) != 1 {
		q.Title = fmt.Sprintf("%d questions", len(data.Questions))
	}
	example := map[string]any{}
	for _, asked := range data.Questions {
		f := field{ID: asked.ID, Label: asked.Question, Kind: "json", Schema: asked.Schema}
		kind, _ := asked.Schema["type"].(string)
		choices, _ := asked.Schema["enum"].([]any)
		switch {
		case len(choices) > 0:
			f.Kind = "choice"
			for _, c := range choices {
				f.Choices = append(f.Choices, console.Pretty(c))
			}
		case kind == "boolean":
			f.Kind, f.Choices = "choice", []string{"true", "false"}
		case kind == "number" || kind == "integer":
			f.Kind = "number"
		case kind == "string" || len(asked.Schema) == 0:
			f.Kind = "text"
		}
		q.Fields = append(q.Fields, f)
		example[f.ID] = "…"
	}
	q.Example = console.Pretty(map[string]any{"answers": example})
	return nil
}

func (q *question) approves(raw json.RawMessage) error {
	var data openwopv1.ApprovalData
	if err := json.Unmarshal(raw, &data); err != nil {
		return err
	}
	q.Title, q.Artifact, q.Actions = data.Title, data.ArtifactData, data.Actions
	if data.Description != nil {
		q.About = *data.Description
	}
	if data.RequiredApprovals != nil {
		q.Needs = *data.RequiredApprovals
	}
	q.Example = `{"action": "accept"}`
	return nil
}

// Edits tells whether the artifact can be accepted in another form.
func (q *question) Edits() bool {
	return slices.Contains(q.Actions, openwopv1.ApprovalActionEditAccept)
}

// Talks tells whether an action takes a comment.
func (q *question) Talks() bool {
	return slices.ContainsFunc(q.Actions, func(a openwopv1.ApprovalAction) bool { return a != openwopv1.ApprovalActionAccept })
}

// Waiting implements [console.Visitor].
func (v visitor) Waiting(ctx context.Context, n int) (questions []console.Question, total int, err error) {
	err = v.host.With(func(h *surface.Host) error {
		var runs []state.Account
		if runs, total, err = h.Waiting(ctx, v.who, n); err != nil {
			return err
		}
		for _, a := range runs {
			q, err := questionOf(a.Snapshot)
			if err != nil {
				return err
			}
			if q != nil {
				questions = append(questions, console.Question{ID: q.ID, Path: pathOf(q.RunID), Title: q.Workflow, From: q.RunID, Body: q})
			}
		}
		return nil
	})
	return questions, total, err
}

// answer answers an interrupt, by the API.
func (v visitor) answer(r *console.Request) error {
	id := r.PathValue("run")
	if err := r.ParseForm(); err != nil {
		return err
	}
	value, wrong := answerOf(r.PostForm)
	if wrong != "" {
		return r.Problem(http.StatusUnprocessableEntity, wrong)
	}
	if asked := r.PostForm.Get("interrupt"); asked != "" {
		// The API answers a node, whatever that asks by now; who fills in a form means what the form says.
		now, err := v.asksNow(r.Context(), id)
		if err != nil {
			return err
		}
		if now != "" && now != asked {
			return r.Problem(http.StatusConflict, "Somebody has answered meanwhile, and the run asks something else by now: look again.")
		}
	}
	reply, err := v.ask(func(c *openwopv1.Client) (*http.Response, error) {
		return c.ResolveInterruptByRun(r.Context(), id, r.PostForm.Get("node"), nil, openwopv1.ResolveInterruptRequest{ResumeValue: value})
	})
	if err != nil {
		return err
	}
	if !reply.OK() {
		return r.Problem(reply.Status, "The host does not take this answer: "+reply.Why(why))
	}
	return r.GoTo(pathOf(id))
}

// asksNow is the id of the interrupt that a run waits for; "" where it waits for none.
func (v visitor) asksNow(ctx context.Context, runID string) (interruptID string, err error) {
	err = v.host.With(func(h *surface.Host) error {
		a, err := h.Run(ctx, v.who, runID)
		if err == nil && a.Snapshot.Interrupt != nil && a.Snapshot.Interrupt.InterruptID != nil {
			interruptID = *a.Snapshot.Interrupt.InterruptID
		}
		return err
	})
	return interruptID, err
}

// answerOf is the value that a form sends: as JSON, as an action, or as answers to questions.
func answerOf(form url.Values) (value json.RawMessage, wrong string) {
	if raw := strings.TrimSpace(form.Get("json")); form.Get("as") == "json" {
		if !json.Valid([]byte(raw)) {
			return nil, "What you sent is no JSON."
		}
		return json.RawMessage(raw), ""
	}
	said := map[string]any{}
	if action := form.Get("action"); action != "" {
		said["action"] = action
		if comment := strings.TrimSpace(form.Get("comment")); comment != "" {
			said["comment"] = comment
		}
		if edited := strings.TrimSpace(form.Get("edited")); action == string(openwopv1.ApprovalActionEditAccept) {
			if !json.Valid([]byte(edited)) {
				return nil, "The artifact as you edited it is no JSON."
			}
			said["editedArtifactData"] = json.RawMessage(edited)
		}
	} else {
		answers := map[string]json.RawMessage{}
		for name, values := range form {
			kind, id, ok := strings.Cut(name, ":")
			if !ok || kind != "text" && kind != "json" {
				continue
			}
			raw := json.RawMessage(strings.TrimSpace(values[0]))
			if kind == "text" {
				var err error
				if raw, err = json.Marshal(values[0]); err != nil {
					return nil, "An answer cannot be sent: " + err.Error()
				}
			}
			if !json.Valid(raw) {
				return nil, fmt.Sprintf("The answer to %q is no JSON: put text in quotation marks.", id)
			}
			answers[id] = raw
		}
		said["answers"] = answers
	}
	value, err := json.Marshal(said)
	if err != nil {
		return nil, "The answer cannot be sent: " + err.Error()
	}
	return value, ""
}
