package host

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
)

// MockModel is a model on the loopback interface. It answers with decisions in the words of a profile, in the shapes of
// OpenAI, Ollama and Anthropic. It answers any number of prompts and repeats the last decision.
type MockModel struct {
	server  *http.Server
	url     string
	shape   agenticloopv2.LLMShape
	pattern *regexp.Regexp
	replies []string
	done    chan struct{}
	hanging chan struct{} // closed to end the replies that hang

	mu    sync.Mutex
	hangs bool
	sent  Sending // nil sends replies whole
	whole bool    // each reply holds every decision

	decisions []Decision
	native    bool // see CallNatively
	asked     int
	keyed     bool // it was asked with modelKey
	first     int  // the first step that a prompt named; -1 before
}

// modelKey is what ${key} in a profile stands for.
const modelKey = "mock-key-of-the-model"

// HasModel reports whether the profile says how the plugin's model is reached.
func (p *Plugin) HasModel() bool { return p.Profile.Seams != nil && p.Profile.Seams.MockLlm != nil }

// SettingsOfKey returns the config members into which the profile puts the model's key, sorted.
func (p *Plugin) SettingsOfKey() (names []string) {
	var config map[string]any
	if !p.HasModel() || json.Unmarshal(p.Profile.Seams.MockLlm.Config, &config) != nil {
		return nil
	}
	for name, v := range config {
		if text, is := v.(string); is && strings.Contains(text, "${key}") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ServeModel serves the plugin's model, which takes the decisions. It ends the drive as blocked when the profile does
// not say how. The caller closes the plan.
func (p *Plugin) ServeModel(ctx context.Context, decisions ...Decision) *Plan {
	if !p.HasModel() {
		scenarios.End(scenarios.Block("the plugin is not known to ask a model: /profile/seams/mock_llm is absent",
			"declare how its model is reached, as mock_llm in "+ProfileName+", or asks_model: false if it has none"))
	}
	plan, err := serveModel(ctx, p.Profile.Seams.MockLlm, decisions)
	if err != nil {
		scenarios.End(unsteered(err.Error()))
	}
	return plan
}

// serveModel serves a model that takes the decisions.
func serveModel(ctx context.Context, s *agenticloopv2.MockLLM, decisions []Decision) (*Plan, error) {
	m := &MockModel{decisions: decisions, shape: s.Shape, done: make(chan struct{}), hanging: make(chan struct{}), first: -1}
	for _, d := range decisions {
		v, err := Worded(s.Decisions, d)
		if err != nil {
			return nil, fmt.Errorf("/profile/seams/mock_llm/decisions/%w", err)
		}
		text, isText := v.(string)
		if !isText {
			raw, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			text = string(raw)
		}
		m.replies = append(m.replies, text)
	}
	if s.StepPattern != "" {
		var err error
		if m.pattern, err = regexp.Compile(s.StepPattern); err != nil {
			return nil, fmt.Errorf("/profile/seams/mock_llm/step_pattern: %w", err)
		}
	}
	if err := m.serve(ctx); err != nil {
		return nil, err
	}
	plan := &Plan{Via: "mock_llm", Model: m, config: Object{}, env: map[string]string{}}
	words := strings.NewReplacer("${endpoint}", m.url, "${model}", "mock-model", "${key}", modelKey)
	for name, value := range s.Environment {
		plan.env[name] = words.Replace(value)
	}
	if len(s.Config) > 0 {
		escaped := strings.NewReplacer("${endpoint}", quoted(m.url), "${model}", "mock-model", "${key}", modelKey)
		if err := Decode([]byte(escaped.Replace(string(s.Config))), &plan.config); err != nil {
			m.close()
			return nil, fmt.Errorf("/profile/seams/mock_llm/config: %w", err)
		}
	}
	return plan, nil
}

func (m *MockModel) serve(ctx context.Context) error {
	var listener net.ListenConfig
	ln, err := listener.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("serve a model: %w", err)
	}
	m.url = "http://" + ln.Addr().String()
	m.server = &http.Server{Handler: m.routes(), ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() {
		defer close(m.done)
		_ = m.server.Serve(ln) // it ends when it is closed
	}()
	return nil
}

func (m *MockModel) close() {
	close(m.hanging)
	_ = m.server.Close()
	<-m.done
}

// Calls returns how often the model was asked.
func (m *MockModel) Calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

// Hang makes the model answer nothing from now on.
func (m *MockModel) Hang() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hangs = true
}

// Sending is a way to send a reply that spoils it.
type Sending func(w http.ResponseWriter, reply []byte)

// SendsError sends an error in place of every reply.
func SendsError(status int) Sending {
	return sendsError(status, "the model cannot answer now", "server_error")
}

// RefusesKey refuses every prompt and quotes the model's key, as services do.
var RefusesKey = sendsError(http.StatusUnauthorized, "Incorrect API key provided: "+modelKey+".", "invalid_request_error")

func sendsError(status int, message, kind string) Sending {
	return func(w http.ResponseWriter, _ []byte) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"error":{"message":%q,"type":%q}}`, message, kind) // who asked may have gone
	}
}

// SendsHalf ends every reply in the middle.
func SendsHalf(w http.ResponseWriter, reply []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(reply[:len(reply)/2])
}

// Misbehave makes the model send its replies like this from now on. With whole, each holds every decision.
func (m *MockModel) Misbehave(sent Sending, whole bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent, m.whole = sent, whole
}

// routes serves the ways to ask a model of its shape, and no others. The endpoint is a base URL that may or may not end
// in /v1.
func (m *MockModel) routes() http.Handler {
	mux := http.NewServeMux()
	if m.shape == agenticloopv2.LLMShapeOllama {
		mux.HandleFunc("POST /api/chat", m.answer(ollamaChat, ollamaLines(ollamaChat)))
		mux.HandleFunc("POST /api/generate", m.answer(ollamaGenerate, ollamaLines(ollamaGenerate)))
		mux.HandleFunc("GET /api/tags",
			fixed(Object{"models": []any{Object{"name": "mock-model", "model": "mock-model"}}}))
	}
	for _, prefix := range []string{"", "/v1"} {
		switch m.shape {
		case agenticloopv2.LLMShapeAnthropic:
			mux.HandleFunc("POST "+prefix+"/messages", m.answer(anthropic, anthropicStream))
		default: // Ollama has OpenAI's as well
			mux.HandleFunc("POST "+prefix+"/chat/completions", m.answer(openAI, openAIStream))
			mux.HandleFunc("POST "+prefix+"/responses", m.answer(openAIResponse, openAIResponseStream))
		}
		mux.HandleFunc("GET "+prefix+"/models",
			fixed(Object{"object": "list", "data": []any{Object{"id": "mock-model", "object": "model"}}}))
	}
	return mux
}

// mostPrompt is the number of bytes read of a prompt.
const mostPrompt = 4 << 20

// answer replies with the next decision, streamed if the prompt wants that and stream is not nil.
func (m *MockModel) answer(shape func(string) Object, stream func(http.ResponseWriter, string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(io.LimitReader(r.Body, mostPrompt))
		if err != nil {
			http.Error(w, "the prompt could not be read", http.StatusBadRequest)
			return
		}
		text, hangs, sent := m.next(string(raw), strings.Contains(r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"), modelKey))
		if hangs {
			select {
			case <-m.hanging:
			case <-r.Context().Done():
			}
			return
		}
		if sent != nil {
			reply, err := json.Marshal(shape(text))
			if err == nil {
				sent(w, reply)
			}
			return
		}
		if m.answersNatively(w, r) {
			return
		}
		var asked struct {
			Stream *bool `json:"stream"`
		}
		_ = json.Unmarshal(raw, &asked)                   // a prompt that is no JSON asks for no stream
		streams := strings.HasPrefix(r.URL.Path, "/api/") // the default of Ollama
		if asked.Stream != nil {
			streams = *asked.Stream
		}
		if streams && stream != nil {
			stream(w, text)
			return
		}
		fixed(shape(text))(w, r)
	}
}

// Key returns the key with which the model was asked; "" if it was asked without.
func (m *MockModel) Key() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keyed {
		return modelKey
	}
	return ""
}

// next returns the reply to a prompt: by the step that it names, or in the order of the prompts.
func (m *MockModel) next(prompt string, keyed bool) (text string, hangs bool, sent Sending) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	m.keyed = m.keyed || keyed
	at := m.asked - 1
	if m.pattern != nil {
		if found := m.pattern.FindStringSubmatch(prompt); len(found) > 1 {
			if step, err := strconv.Atoi(found[1]); err == nil {
				if m.first < 0 {
					m.first = step
				}
				at = step - m.first
			}
		}
	}
	if m.whole {
		return strings.Join(m.replies, "\n"), m.hangs, m.sent
	}
	return m.replies[max(0, min(at, len(m.replies)-1))], m.hangs, m.sent
}

func fixed(v Object) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // who asked may have gone
	}
}

func openAI(text string) Object {
	return Object{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "mock-model",
		"choices": []any{Object{"index": 0, "finish_reason": "stop",
			"message": Object{"role": "assistant", "content": text}}},
		"usage": Object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
	}
}

// openAIStream sends the reply as two server-sent events and the end mark.
func openAIStream(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, choice := range []Object{
		{"index": 0, "delta": Object{"role": "assistant", "content": text}, "finish_reason": nil},
		{"index": 0, "delta": Object{}, "finish_reason": "stop"},
	} {
		raw, err := json.Marshal(Object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0,
			"model": "mock-model", "choices": []any{choice}})
		if err != nil {
			return
		}
		fmt.Fprintf(w, "data: %s\n\n", raw)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// sse writes server-sent events, each named by its type.
func sse(w http.ResponseWriter, events ...Object) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		raw, err := json.Marshal(e)
		if err != nil {
			return
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], raw)
	}
}

func openAIResponseStream(w http.ResponseWriter, text string) {
	sse(w, Object{"type": "response.output_text.delta", "item_id": "msg-1", "output_index": 0, "content_index": 0,
		"delta": text},
		Object{"type": "response.completed", "response": openAIResponse(text)})
}

func anthropicStream(w http.ResponseWriter, text string) {
	begun := anthropic("")
	begun["content"], begun["stop_reason"] = []any{}, nil
	sse(w, Object{"type": "message_start", "message": begun},
		Object{"type": "content_block_start", "index": 0, "content_block": Object{"type": "text", "text": ""}},
		Object{"type": "content_block_delta", "index": 0, "delta": Object{"type": "text_delta", "text": text}},
		Object{"type": "content_block_stop", "index": 0},
		Object{"type": "message_delta", "delta": Object{"stop_reason": "end_turn"},
			"usage": Object{"output_tokens": 1}},
		Object{"type": "message_stop"})
}

func openAIResponse(text string) Object {
	return Object{
		"id": "resp-1", "object": "response", "status": "completed", "model": "mock-model", "output_text": text,
		"output": []any{Object{"type": "message", "id": "msg-1", "status": "completed", "role": "assistant",
			"content": []any{Object{"type": "output_text", "text": text, "annotations": []any{}}}}},
	}
}

func anthropic(text string) Object {
	return Object{
		"id": "msg-1", "type": "message", "role": "assistant", "model": "mock-model", "stop_reason": "end_turn",
		"content": []any{Object{"type": "text", "text": text}}, "usage": Object{"input_tokens": 1, "output_tokens": 1},
	}
}

func ollamaChat(text string) Object {
	return Object{"model": "mock-model", "created_at": "2026-01-01T00:00:00Z",
		"message": Object{"role": "assistant", "content": text}, "done": true, "done_reason": "stop"}
}

func ollamaGenerate(text string) Object {
	return Object{"model": "mock-model", "created_at": "2026-01-01T00:00:00Z", "response": text, "done": true,
		"done_reason": "stop"}
}

// ollamaLines sends the reply in one line, and the end in another.
func ollamaLines(shape func(string) Object) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		e := json.NewEncoder(w)
		first := shape(text)
		first["done"] = false
		delete(first, "done_reason")
		_ = e.Encode(first)
		_ = e.Encode(shape(""))
	}
}
