package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// The nodes of upstream's workflows for replays with a model.
const (
	modelNode = "structured-call"
	toolNode  = "nondet-tool"
)

// ModelReplay is a run that called a model, and its replay.
type ModelReplay struct {
	Said   string      `json:"said"` // the model's answer in the source, if it answered
	Source host.RunLog `json:"source"`
	Replay host.RunLog `json:"replay"`
	Code   wire.Value  `json:"code"` // error code of a refused fork
}

// ModelObservation holds a replay for each behavior of the model.
type ModelObservation struct {
	Path      string      `json:"path"`
	Same      ModelReplay `json:"same"`      // answers as in the source
	Other     ModelReplay `json:"other"`     // answers something else
	Refusing  ModelReplay `json:"refusing"`  // refuses what it had answered
	Answering ModelReplay `json:"answering"` // answers what it had refused
	// Longer answers the same and one member more, zero at quick. A host that tells of it asks the model again.
	Longer ModelReplay `json:"longer,omitzero"`
}

// replaysOfAModel replays runs with a model that is programmed for the run and for its replay.
var replaysOfAModel = &scenarios.Drive[ModelObservation]{
	ID: "openwop/replays-of-a-model",
	Title: "runs a node that calls a model and replays it, with a model that answers the same, something else, refuses or no " +
		"longer refuses; beyond quick, one that answers the same and more",
	Sends: []string{"{use seam:test/mock-ai/program} {nodeId, program}",
		"{create run} (conformance-phase4-replay-divergence), four times", "{fork run} {mode: replay}",
		"{read run}", "{poll log}"},
	Excludes: host.ModelAnswers,
	Run: func(ctx context.Context, c *scenarios.Conn, o *ModelObservation) {
		h := host.Host{Conn: c}
		if !h.Offers(fixture.Divergence) {
			scenarios.End(scenarios.Block("no workflow is on offer that calls a programmable model", fixture.Load))
		}
		s, _ := h.FindSeam(ctx, "test/mock-ai/program", modelProgram(h.Marker()))
		o.Path = s.Path()
		for _, r := range []struct {
			into        *ModelReplay
			first, then string // the answers; "" refuses
		}{{&o.Same, h.Marker(), ""}, {&o.Other, h.Marker(), h.Marker()}, {&o.Refusing, h.Marker(), ""}, {&o.Answering, "", h.Marker()}} {
			r.into.Said = r.first
			then := answers(h, r.then)
			if r.into == &o.Same {
				then = answers(h, r.first)
			}
			program(ctx, s, answers(h, r.first), then)
			replayModel(ctx, h, r.into)
		}
		if h.Depth > scenarios.Quick {
			o.Longer.Said = h.Marker()
			program(ctx, s, answers(h, o.Longer.Said), answer(map[string]any{"valid": true, "marker": o.Longer.Said, "more": h.Marker()}))
			replayModel(ctx, h, &o.Longer)
		}
	},
}

// modelProgram returns a program that answers the node with this id, call by call.
func modelProgram(node string, answers ...any) map[string]any {
	return map[string]any{"nodeId": node, "program": append([]any{}, answers...)}
}

// answers returns an entry of a program, in all forms that hosts are known to read
// (OWP-R36): this answer, or a refusal for "".
func answers(h host.Host, says string) any {
	if says == "" {
		return map[string]any{"mode": "refusal", "stopReason": "safety", "refusalText": h.Marker()}
	}
	return answer(map[string]any{"valid": true, "marker": says})
}

// answer returns an entry of a program with these members, likewise.
func answer(members map[string]any) any {
	return map[string]any{"mode": "envelope", "envelope": members, "stopReason": "end_turn", "content": wire.Compact(members)}
}

// program sets the answers that the model gives to the node.
func program(ctx context.Context, s host.Seam, answers ...any) {
	reply := s.Ask(ctx, modelProgram(modelNode, answers...))
	if !reply.Success() {
		scenarios.End(scenarios.Block(fmt.Sprintf("the seam %s answered HTTP %d to a program", s.Path(), reply.Status),
			"have the seam take programs in one of the forms of docs/seams.md"))
	}
}

func replayModel(ctx context.Context, h host.Host, m *ModelReplay) {
	r := h.Create(ctx, "create a run that calls a model", dialect.CreateRunRequest{WorkflowID: fixture.Divergence})
	if m.Source = r.Finish(ctx, "log of a run that calls a model"); !m.Source.Ended.Reached {
		return
	}
	reply := h.Send(ctx, wire.Call{Operation: dialect.ForkRun.Of(r.ID), Label: "replay",
		Body: dialect.ForkRunRequest{Mode: dialect.ForkModeReplay, FromSeq: new(int64(0))}})
	m.Code = reply.Value("/error")
	m.Replay = h.Adopt(reply).Finish(ctx, "log of the replay")
}

// ToolObservation is a run with a node declared nondeterministic, and its replay.
type ToolObservation struct {
	Source host.RunLog `json:"source"`
	Fork   host.Forked `json:"fork"`
}

// replaysOfATool replays a run with a node declared nondeterministic. A later node of that workflow has the id of
// the node that calls a model in replaysOfAModel, and would take its answers if both drives ran concurrently.
var replaysOfATool = &scenarios.Drive[ToolObservation]{
	ID:       "openwop/replays-of-a-tool",
	Title:    "replays a run with a node that says of itself that nobody can foresee it",
	Sends:    []string{"{create run} (conformance-phase4-nondet-tool)", "{fork run} {mode: replay}", "{read run}", "{poll log}"},
	Excludes: host.ModelAnswers,
	Run: func(ctx context.Context, c *scenarios.Conn, o *ToolObservation) {
		h := host.Host{Conn: c}
		if !h.Offers(fixture.Nondeterministic) {
			scenarios.End(scenarios.Block("no workflow is on offer with a node declared nondeterministic", fixture.Load))
		}
		r := h.Create(ctx, "create a run with such a node", dialect.CreateRunRequest{WorkflowID: fixture.Nondeterministic})
		if o.Source = r.Finish(ctx, "log of the run"); !o.Source.Ended.Reached {
			return
		}
		o.Fork = h.ForkFrom(ctx, r, dialect.ForkRunRequest{Mode: dialect.ForkModeReplay, FromSeq: new(int64(0))})
	},
}

// KeyAnswer is the cache key of one request to a model.
type KeyAnswer struct {
	What   string     `json:"what"` // how the request differs
	Status wire.Value `json:"status"`
	Key    wire.Value `json:"key"`
}

// KeyObservation holds the keys of a request, of equivalent requests and of different ones.
type KeyObservation struct {
	Path  string      `json:"path"`
	Base  KeyAnswer   `json:"base"`
	Same  []KeyAnswer `json:"same"`
	Other []KeyAnswer `json:"other"`
	Bare  []KeyAnswer `json:"bare,omitempty"` // of the request without tools, in two forms
	// Parts are requests with a message that is no text, each another one. A host need not take them.
	Parts []KeyAnswer `json:"parts,omitempty"`
}

// SeenAs implements [scenarios.Seer]: a seam's reply is the host's own word.
func (KeyObservation) SeenAs() scenarios.Evidence { return scenarios.Attested }

// keysOfRequests asks for the cache keys of random requests to a model.
var keysOfRequests = &scenarios.Drive[KeyObservation]{
	ID: "openwop/keys-of-requests",
	Title: "asks for the key of a random request to a model, of the same in another order or with what does not count, and " +
		"of others that mean something else; and of one without tools in two forms, and of some whose last message is no text",
	Sends: []string{"{use seam:test/llm-cache-key} {provider, model, messages}, for each"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *KeyObservation) {
		h := host.Host{Conn: c}
		m := newModelRequest(h)
		s, _ := h.FindSeam(ctx, "test/llm-cache-key", m.body())
		o.Path = s.Path()
		ask := func(what string, body any) KeyAnswer {
			reply := s.Ask(ctx, body)
			return KeyAnswer{What: what, Status: reply.StatusValue(), Key: reply.Value("/cacheKey")}
		}
		o.Base = ask("nothing changed", m.body())
		for _, group := range []struct {
			into  *[]KeyAnswer
			asked []asking
		}{{&o.Same, sameRequests(h, m)}, {&o.Other, otherRequests(h, m)}, {&o.Bare, bareRequests(m)},
			{&o.Parts, requestsInParts(h, m)}} {
			for _, k := range group.asked {
				a := ask(k.what, k.body)
				*group.into = append(*group.into, a)
			}
		}
	},
}

// asking is a request to a model, and its difference from the base request.
type asking struct {
	what string
	body any
}

// modelRequest is a request to a model.
type modelRequest struct {
	Provider, Model string
	Messages, Tools []map[string]any
	Temperature     float64
	TopP            float64
	TopK            int
	Format          map[string]any
}

func newModelRequest(h host.Host) modelRequest {
	tool := func(name string) map[string]any {
		return map[string]any{"name": name, "description": h.Marker(), "parameters": map[string]any{"type": "object",
			"properties": map[string]any{h.Marker(): map[string]any{"type": "string"}}}}
	}
	return modelRequest{
		Provider: h.Marker(), Model: h.Marker(),
		Messages:    []map[string]any{{"role": "system", "content": h.Marker()}, {"role": "user", "content": h.Marker(), "name": h.Marker()}},
		Tools:       []map[string]any{tool("a" + h.Marker()), tool("b" + h.Marker())},
		Temperature: float64(h.Between(1, 40)) / 100, TopP: float64(h.Between(41, 80)) / 100, TopK: h.Between(2, 50),
		Format: map[string]any{"type": "json_schema", "name": h.Marker()},
	}
}

func (m modelRequest) body() map[string]any {
	return map[string]any{"provider": m.Provider, "model": m.Model, "messages": m.Messages, "tools": m.Tools,
		"temperature": m.Temperature, "topP": m.TopP, "topK": m.TopK, "responseFormat": m.Format}
}

// sameRequests returns requests that are equivalent to m. They leave out stop, seed and the length of the answer,
// on which the versions of the recipe disagree.
func sameRequests(h host.Host, m modelRequest) []asking {
	tools := m
	tools.Tools = []map[string]any{m.Tools[1], m.Tools[0]}
	more := m.body()
	more["stream"], more["user"], more["metadata"] = true, h.Marker(), map[string]any{h.Marker(): h.Marker()}
	return []asking{
		{"nothing changed", m.body()},
		{"its keys in another order", backwards(m.body())},
		{"its tools in another order", tools.body()},
		{"what is no part of it: stream, user and metadata", more},
	}
}

// otherRequests returns requests that differ in meaning from m and from one another.
func otherRequests(h host.Host, m modelRequest) (others []asking) {
	for _, change := range []struct {
		what string
		make func(*modelRequest)
	}{
		{"another provider", func(r *modelRequest) { r.Provider = h.Marker() }},
		{"another model", func(r *modelRequest) { r.Model = h.Marker() }},
		{"another text", func(r *modelRequest) {
			r.Messages = []map[string]any{m.Messages[0], {"role": "user", "content": h.Marker(), "name": m.Messages[1]["name"]}}
		}},
		{"another role", func(r *modelRequest) {
			r.Messages = []map[string]any{{"role": "assistant", "content": m.Messages[0]["content"]}, m.Messages[1]}
		}},
		{"another name in a message", func(r *modelRequest) {
			r.Messages = []map[string]any{m.Messages[0], {"role": "user", "content": m.Messages[1]["content"], "name": h.Marker()}}
		}},
		{"its messages in another order", func(r *modelRequest) { r.Messages = []map[string]any{m.Messages[1], m.Messages[0]} }},
		{"a message less", func(r *modelRequest) { r.Messages = m.Messages[:1] }},
		{"a tool less", func(r *modelRequest) { r.Tools = m.Tools[:1] }},
		{"another description of a tool", func(r *modelRequest) {
			r.Tools = []map[string]any{m.Tools[0], {"name": m.Tools[1]["name"], "description": h.Marker(), "parameters": m.Tools[1]["parameters"]}}
		}},
		{"another temperature", func(r *modelRequest) { r.Temperature += 0.5 }},
		{"another topP", func(r *modelRequest) { r.TopP += 0.1 }},
		{"another topK", func(r *modelRequest) { r.TopK++ }},
		{"a temperature of 0", func(r *modelRequest) { r.Temperature = 0 }},
		{"a topP of 0", func(r *modelRequest) { r.TopP = 0 }},
		{"a topK of 0", func(r *modelRequest) { r.TopK = 0 }},
		{"another format of the answer", func(r *modelRequest) { r.Format = map[string]any{"type": "json_schema", "name": h.Marker()} }},
	} {
		r := m
		change.make(&r)
		others = append(others, asking{change.what, r.body()})
	}
	for _, member := range []string{"temperature", "topP", "topK"} { // what is not given is not 0
		body := m.body()
		delete(body, member)
		others = append(others, asking{"no " + member, body})
	}
	return append(others, callsOfTools(h, m)...)
}

// bareRequests returns the request without tools: that member is left out, and it is an empty list.
func bareRequests(m modelRequest) []asking {
	left, empty := m.body(), m.body()
	delete(left, "tools")
	empty["tools"] = []any{}
	return []asking{{"no tools", left}, {"an empty list of tools", empty}}
}

// requestsInParts returns requests whose last message holds parts and objects in place of a text.
func requestsInParts(h host.Host, m modelRequest) (others []asking) {
	text := func() any { return map[string]any{"type": "text", "text": h.Marker()} }
	one, other := text(), text()
	for _, content := range []struct {
		what string
		of   any
	}{
		{"a message of one part", []any{one}}, {"a message of another part", []any{other}},
		{"a message of both parts", []any{one, other}}, {"a message of both parts, the other first", []any{other, one}},
		{"a message that is an object", one}, {"a message that is another object", other},
	} {
		r := m
		r.Messages = []map[string]any{m.Messages[0], {"role": "user", "content": content.of}}
		others = append(others, asking{content.what, r.body()})
	}
	return others
}

// callsOfTools returns requests whose last message tells what a tool gave back, to one call and to another.
func callsOfTools(h host.Host, m modelRequest) (others []asking) {
	content, name := h.Marker(), h.Marker()
	for _, what := range []string{"what a tool gave back", "what it gave back to another call"} {
		r := m
		r.Messages = append(slices.Clone(m.Messages), map[string]any{"role": "tool", "content": content, "name": name, "toolCallId": h.Marker()})
		others = append(others, asking{what, r.body()})
	}
	return others
}

// backwards encodes a document with the keys of all its objects in reverse order.
func backwards(v any) json.RawMessage {
	var out bytes.Buffer
	writeBackwards(&out, v)
	return out.Bytes()
}

func writeBackwards(out *bytes.Buffer, v any) {
	switch v := v.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		slices.Reverse(keys)
		out.WriteByte('{')
		for i, key := range keys {
			if i > 0 {
				out.WriteByte(',')
			}
			fmt.Fprintf(out, "%q:", key)
			writeBackwards(out, v[key])
		}
		out.WriteByte('}')
	case []map[string]any:
		out.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				out.WriteByte(',')
			}
			writeBackwards(out, item)
		}
		out.WriteByte(']')
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			panic("a request of ours does not encode: " + err.Error())
		}
		out.Write(raw)
	}
}
