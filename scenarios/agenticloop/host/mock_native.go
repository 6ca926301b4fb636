package host

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// CallNatively makes the model call the tools that its decisions want by the members that its shape has for that, all in one reply, where
// a plugin may read them before any text.
func (m *MockModel) CallNatively() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.native = true
}

// natively returns the reply that calls tools; nil where the model says what it wants in words.
func (m *MockModel) natively(path string) Object {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.native {
		return nil
	}
	var calls, blocks []any
	for i, d := range m.decisions {
		id := fmt.Sprintf("call-%d", i+1)
		name, arguments := d.Tool, OrEmpty(d.Arguments)
		if name == "" {
			name, arguments = d.Kind, Object{"outcome": d.Outcome}
		}
		blocks = append(blocks, Object{"type": "tool_use", "id": id, "name": name, "input": arguments})
		if m.shape == agenticloopv2.LLMShapeOllama && path == "/api/chat" {
			calls = append(calls, Object{"function": Object{"name": name, "arguments": arguments}})
			continue
		}
		text, _ := json.Marshal(arguments) // a decision always encodes
		calls = append(calls, Object{"id": id, "type": "function", "function": Object{"name": name, "arguments": string(text)}})
	}
	switch {
	case m.shape == agenticloopv2.LLMShapeAnthropic:
		reply := anthropic("")
		reply["content"], reply["stop_reason"] = blocks, "tool_use"
		return reply
	case path == "/api/chat":
		reply := ollamaChat("")
		reply["message"].(Object)["tool_calls"] = calls
		return reply
	}
	reply := openAI("")
	choice := reply["choices"].([]any)[0].(Object)
	choice["finish_reason"], choice["message"].(Object)["tool_calls"] = "tool_calls", calls
	return reply
}

// answersNatively writes the reply that calls tools, if there is one.
func (m *MockModel) answersNatively(w http.ResponseWriter, r *http.Request) bool {
	reply := m.natively(r.URL.Path)
	if reply != nil {
		fixed(reply)(w, r)
	}
	return reply != nil
}
