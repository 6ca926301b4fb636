// Package example is RFC-103's worked example: a page is fetched and a critique of it is written, by tools that fetch and
// write nothing real.
package example

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/gateway"
)

// tool stands in for a tool of the text.
type tool struct {
	about string
	emits string // its own event type
	do    func(call) (map[string]any, error)
}

var tools = map[string]tool{
	"jina-reader": {"Stub: writes a page for the url that it is asked for, and fetches nothing.", "content_ready", fetch},
	"fabric":      {"Stub: writes a critique in two paragraphs, and asks no model.", "fabric.completed", critique},
}

// Tools lists the tools.
func Tools() []string { return slices.Sorted(maps.Keys(tools)) }

// call is what a tool is asked.
type call struct {
	arguments map[string]json.RawMessage // flat, or in tool_payload
	folder    string                     // the workspace; "" where there is none
	step      int64
}

func (c call) text(name string) string {
	var s string
	_ = json.Unmarshal(c.arguments[name], &s) // what is no text is none
	return s
}

// settings are the operator's of a tool.
type settings struct {
	Emit  string `json:"emit"`  // agentic.tool_result instead of its own event
	Fail  string `json:"fail"`  // the error that it ends with
	Retry *bool  `json:"retry"` // whether that may be tried again
}

// Turn is a turn of a tool, by its name.
func Turn(name string) (handle gateway.Handler, known bool) {
	t, known := tools[name]
	return func(_ context.Context, request []byte) ([]byte, int) {
		answer, err := turn(t, request, time.Now())
		if err != nil {
			retry := false
			answer = agenticloopv2.Response{Status: agenticloopv2.ResponseStatusError, Error: err.Error(), Retry: &retry}
		}
		out, err := json.Marshal(answer)
		if err != nil {
			return nil, 1
		}
		return append(out, '\n'), 0
	}, known
}

func turn(t tool, request []byte, now time.Time) (answer agenticloopv2.Response, err error) {
	var r agenticloopv2.Request
	if err := json.Unmarshal(request, &r); err != nil {
		return answer, fmt.Errorf("read the request: %w", err)
	}
	if r.Event == nil {
		return answer, errors.New("handle takes an event, and the request has none")
	}
	var s settings
	if err := json.Unmarshal(r.Config, &s); err != nil {
		return answer, fmt.Errorf("read the config: %w", err)
	}
	if s.Fail != "" {
		return agenticloopv2.Response{Status: agenticloopv2.ResponseStatusError, Error: s.Fail, Retry: s.Retry}, nil
	}
	var asked agenticloopv2.ToolRequestPayload
	c := call{folder: r.WorkspaceDir}
	if err := errors.Join(json.Unmarshal(r.Event.Payload, &asked), json.Unmarshal(r.Event.Payload, &c.arguments)); err != nil {
		return answer, fmt.Errorf("read the payload: %w", err)
	}
	if len(asked.ToolPayload) > 0 {
		var nested map[string]json.RawMessage
		if err := json.Unmarshal(asked.ToolPayload, &nested); err != nil {
			return answer, fmt.Errorf("read tool_payload: %w", err)
		}
		maps.Copy(c.arguments, nested)
	}
	c.step = asked.Step
	found, err := t.do(c)
	if err != nil {
		return answer, err
	}
	event := agenticloopv2.Event{Type: t.emits}
	if s.Emit == "agentic.tool_result" {
		event.Type = s.Emit
		event.DedupeKey = fmt.Sprintf("agentic:run:%s:step:%d:result", asked.RunID, asked.Step)
		found = map[string]any{
			"run_id": asked.RunID, "step": asked.Step, "tool": asked.Tool, "status": "ok",
			"result": found, "error": nil, "completed_at": now.UTC(),
		}
	}
	if event.Payload, err = json.Marshal(found); err != nil {
		return answer, err
	}
	return agenticloopv2.Response{Status: agenticloopv2.ResponseStatusOk, Result: "emitted " + event.Type,
		Events: []agenticloopv2.Event{event}}, nil
}

func fetch(c call) (map[string]any, error) {
	url := c.text("url")
	if url == "" {
		return nil, errors.New("no page to fetch: give a url")
	}
	shown := html.EscapeString(url)
	page := "<!doctype html><title>" + shown + "</title><p>A page that stands in for " + shown + ".\n"
	return c.keep(fmt.Sprintf("artifacts/fetch-%02d.html", c.step), page, map[string]any{"url": url, "content_type": "text/html"})
}

func critique(c call) (map[string]any, error) {
	of := c.text("artifact_path")
	if of == "" {
		of = "what it was given"
	}
	text := "The page does what it sets out to do: " + of + " is short, and says who it is about.\n\n" +
		"It would gain from an example. A reader who does not know its author learns little of what he does.\n"
	return c.keep("artifacts/critique.md", text, map[string]any{"content_type": "text/markdown"})
}

// keep writes a file into the workspace and names it; without a workspace the text goes along itself. The file gets its name
// when it is whole: what stood there may be the same file as in another workspace.
func (c call) keep(name, text string, found map[string]any) (map[string]any, error) {
	if c.folder == "" {
		found["content"] = text
		return found, nil
	}
	root, err := os.OpenRoot(c.folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := root.Mkdir("artifacts", 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	for _, err := range []error{root.WriteFile(name+".part", []byte(text), 0o644), root.Rename(name+".part", name)} {
		if err != nil {
			return nil, err
		}
	}
	found["artifact_path"] = name
	found["excerpt"], _, _ = strings.Cut(text, "\n")
	return found, nil
}
