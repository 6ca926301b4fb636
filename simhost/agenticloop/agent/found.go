package agent

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// result is what a tool's event says.
type result struct {
	runID   string
	step    int64
	tool    string
	ok      bool  // the tool fared well
	unclear error // it does not say how the tool fared, which matters only if the run waits for it
	members object
	text    string // all of it
	file    string // path that the tool says holds it
}

// correlation are the members that say which step of which run an event is about.
var correlation = []string{"run_id", "step", "tool"}

// content reads what a tool found: a text, an object, or nothing.
func (r *result) content(raw json.RawMessage) {
	if r.text = textOf(raw); r.text != "" {
		return
	}
	r.members = membersOf(raw)
	if given := textOf(r.members["artifact_path"]); isArtifact(given) {
		r.file = given
	}
	for _, name := range []string{"content", "text", "output", "excerpt"} {
		if r.text = textOf(r.members[name]); r.text != "" {
			return
		}
	}
	if len(r.members) > 0 {
		r.text = string(raw)
	}
}

// isArtifact tells whether a path is one that stays in a workspace.
func isArtifact(name string) bool {
	return name != "" && len(name) <= 256 && !path.IsAbs(name) && !slices.Contains(strings.Split(name, "/"), "..") &&
		!strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7F || r == '\\' })
}

// direct reads a result that is delivered as such. Every error is a refusal. A status is held against the text when everything else has
// been: of a result that nobody waits for it is not looked at.
func (t *turn) direct() (*result, error) {
	payload := t.request.event.payload
	r, err := t.correlated(payload, "event.payload.")
	if err != nil {
		return nil, err
	}
	status := agenticloopv2.ToolStatus(textOf(payload["status"]))
	if !status.Valid() {
		r.unclear = refuse("event.payload.status is neither ok nor error: say how the tool fared")
	}
	r.ok = status == agenticloopv2.ToolStatusOk
	r.content(payload["result"])
	return r, nil
}

// synthesised makes a result of a tool's own event, where the context says which step it is about.
func (t *turn) synthesised() (*result, error) {
	r, err := t.correlated(t.request.context, "context.")
	if err != nil {
		return nil, err
	}
	payload := object{}
	for name, value := range t.request.event.payload {
		if !slices.Contains(correlation, name) {
			payload[name] = value
		}
	}
	r.ok = t.rules.Delivery.Status(t.request.event.payload) == agenticloopv2.ToolStatusOk
	whole, err := json.Marshal(payload)
	if err != nil {
		return nil, refuse("event.payload cannot be read: send one JSON object")
	}
	r.content(whole)
	return r, nil
}

func (t *turn) correlated(in object, within string) (*result, error) {
	r := &result{}
	var ok bool
	for name, read := range map[string]func(json.RawMessage) bool{
		"run_id": func(raw json.RawMessage) bool { r.runID = textOf(raw); return r.runID != "" },
		"step":   func(raw json.RawMessage) bool { r.step, ok = rules.WholeStep(raw); return ok },
		"tool":   func(raw json.RawMessage) bool { r.tool = textOf(raw); return r.tool != "" },
	} {
		if !read(in[name]) {
			return nil, refuse("%s%s is missing or not what it has to be: a result names its run_id, its step as a whole number "+
				"from 1, and its tool", within, name)
		}
	}
	return r, nil
}
