package host

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
)

var spoken = agenticloopv2.DecisionTemplates{
	CallTool: json.RawMessage(`{"action":"call","tool":"${tool}","args":"${arguments}"}`),
	Done:     json.RawMessage(`"{\"done\":\"${outcome}\"}"`), Garbage: json.RawMessage(`"what?"`),
}

// post asks the model and returns what it answers, in one line.
func post(t *testing.T, url, body string) string {
	t.Helper()
	reply, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	if err != nil || reply.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", url, reply.Status, err)
	}
	return string(raw)
}

func TestTheModelSpeaksThreeShapes(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	defer http.DefaultClient.CloseIdleConnections()
	first := `{\"action\":\"call\",\"args\":{\"url\":\"u\"},\"tool\":\"fetch\"}`
	const openAI, ollama, anthropic = agenticloopv2.LLMShapeOpenai, agenticloopv2.LLMShapeOllama,
		agenticloopv2.LLMShapeAnthropic
	for _, c := range []struct {
		shape            agenticloopv2.LLMShape
		path, body, want string
	}{
		{openAI, "/v1/chat/completions", `{}`, `"content":"` + first + `"`},
		{openAI, "/chat/completions", `{"stream":true}`, `"delta":{"content":"` + first + `"`},
		{openAI, "/chat/completions", `{"stream":true}`, "data: [DONE]"},
		{openAI, "/v1/responses", `{}`, `"output_text":"` + first + `"`},
		{anthropic, "/v1/messages", `{}`, `"text":"` + first + `"`},
		{ollama, "/api/chat", `{"stream":false}`, `"message":{"content":"` + first + `"`},
		{ollama, "/api/chat", `{}`, `"done":false`},
		{ollama, "/api/generate", `{"stream":false}`, `"response":"` + first + `"`},
		{ollama, "/v1/chat/completions", `{}`, `"content":"` + first + `"`},
		{anthropic, "/v1/messages", `{"stream":true}`, `"delta":{"text":"` + first + `","type":"text_delta"}`},
		{anthropic, "/v1/messages", `{"stream":true}`, "event: message_stop\n"},
		{openAI, "/v1/responses", `{"stream":true}`, `"delta":"` + first + `"`},
	} {
		plan, err := serveModel(t.Context(),
			&agenticloopv2.MockLLM{Shape: c.shape, Decisions: spoken,
				Config: json.RawMessage(`{"base_url":"${endpoint}/v1"}`)},
			[]Decision{Call("fetch", Object{"url": "u"})})
		if err != nil {
			t.Fatal(err)
		}
		if got := post(t, plan.Model.url+c.path, c.body); !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %s, want %s in it", c.path, c.body, got, c.want)
		}
		if plan.config["base_url"] != plan.Model.url+"/v1" {
			t.Errorf("config %v", plan.config)
		}
		plan.Close()
	}
}

func TestSettingsThatHoldTheKeyOfAModel(t *testing.T) {
	p := &Plugin{}
	if names := p.SettingsOfKey(); len(names) > 0 {
		t.Errorf("%v of a plugin without a model", names)
	}
	p.Profile.Seams = &agenticloopv2.DecisionSeams{MockLlm: &agenticloopv2.MockLLM{
		Config: json.RawMessage(`{"base_url":"${endpoint}","token":"Bearer ${key}","api_key":"${key}","key_length":7}`)}}
	if names := p.SettingsOfKey(); !slices.Equal(names, []string{"api_key", "token"}) {
		t.Errorf("%v, want those with ${key} in them", names)
	}
}

// A plugin that asks in another shape than its profile says gets no answer.
func TestTheModelHasOneShape(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	for shape, path := range map[agenticloopv2.LLMShape]string{agenticloopv2.LLMShapeOpenai: "/v1/messages",
		agenticloopv2.LLMShapeAnthropic: "/v1/chat/completions"} {
		plan, err := serveModel(t.Context(), &agenticloopv2.MockLLM{Shape: shape, Decisions: spoken},
			[]Decision{Done("x")})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := http.Post(plan.Model.url+path, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		if reply.StatusCode != http.StatusNotFound || plan.Model.Calls() != 0 {
			t.Errorf("%s %s: %s, asked %d times", shape, path, reply.Status, plan.Model.Calls())
		}
		plan.Close()
	}
}

func TestTheModelAnswersByTheStep(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	defer http.DefaultClient.CloseIdleConnections()
	plan, err := serveModel(t.Context(), &agenticloopv2.MockLLM{Decisions: spoken, StepPattern: `step ([0-9]+)`,
		Environment: map[string]string{"OPENAI_BASE_URL": "${endpoint}"}},
		[]Decision{Call("one", nil), Call("two", nil), Done("it is")})
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	for _, c := range []struct{ prompt, want string }{{"step 1", "one"}, {"step 1", "one"}, {"step 2", "two"},
		{"step 3", "it is"}, {"step 1", "one"}, {"step 9", "it is"}} {
		if got := post(t, plan.env["OPENAI_BASE_URL"]+"/chat/completions",
			`{"messages":[{"role":"user","content":"`+c.prompt+`"}]}`); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.prompt, got)
		}
	}
	if plan.Model.Calls() != 6 {
		t.Errorf("asked %d times", plan.Model.Calls())
	}
}

func TestAModelThatHangsEndsWithItsPlan(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	defer http.DefaultClient.CloseIdleConnections()
	plan, err := serveModel(t.Context(), &agenticloopv2.MockLLM{Decisions: spoken}, []Decision{Done("x")})
	if err != nil {
		t.Fatal(err)
	}
	plan.Model.Hang()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		reply, err := http.Post(plan.Model.url+"/v1/chat/completions", "application/json", strings.NewReader("{}"))
		if err == nil {
			reply.Body.Close()
		}
	}()
	for plan.Model.Calls() == 0 { // it has arrived when it is counted
		select {
		case <-ended:
			t.Fatal("it answered")
		default:
		}
	}
	plan.Close()
	<-ended
}

func TestDecisionsAreSaidByTheSeamThatCan(t *testing.T) {
	hints := &agenticloopv2.ContextSteering{FirstTool: json.RawMessage(`{"tool":"${tool}","args":"${arguments}"}`),
		Done: json.RawMessage(`{"done":true}`)}
	script := &agenticloopv2.ScriptedConfig{Key: "script", Config: json.RawMessage(`{"planner":"scripted"}`),
		Decisions: spoken}
	for _, c := range []struct {
		name      string
		seams     *agenticloopv2.DecisionSeams
		decisions []Decision
		via       string // "" is none
	}{
		{"a script", &agenticloopv2.DecisionSeams{ScriptedConfig: script, ContextSteering: hints},
			[]Decision{Call("fetch", nil), Done("x")}, "scripted_config"},
		{"hints, where a script cannot say it",
			&agenticloopv2.DecisionSeams{ScriptedConfig: &agenticloopv2.ScriptedConfig{Key: "s"},
				ContextSteering: hints}, []Decision{Call("fetch", nil), Done("x")}, "context_steering"},
		{"no hint for a second tool", &agenticloopv2.DecisionSeams{ContextSteering: hints},
			[]Decision{Call("fetch", nil), Call("fabric", nil)}, ""},
		{"no word for a reframe", &agenticloopv2.DecisionSeams{ScriptedConfig: script}, []Decision{Reframe}, ""},
		{"nothing declared", nil, []Decision{Done("x")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Plugin{Profile: agenticloopv2.TargetProfile{Seams: c.seams}}
			plan, err := p.TrySteer(t.Context(), c.decisions...)
			if c.via == "" {
				if stop, ok := errors.AsType[*scenarios.Stop](err); !ok || stop.Verdict != scenarios.Blocked {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil || plan.Via != c.via {
				t.Errorf("via %+v, error %v", plan, err)
			}
		})
	}
	plan, err := scripted(script, []Decision{Call(`a"b`, Object{"url": "u"}), Done("so")})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"planner":"scripted","script":[{"action":"call","args":{"url":"u"},"tool":"a\"b"},"{\"done\":\"so\"}"]}`
	if got, err := json.Marshal(plan.config); err != nil || string(got) != want {
		t.Errorf("config %s: %v", got, err)
	}
}

// A model that misbehaves sends what it should, and with whole all its decisions at once.
func TestAModelThatErrs(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	defer http.DefaultClient.CloseIdleConnections()
	plan, err := serveModel(t.Context(), &agenticloopv2.MockLLM{Decisions: spoken},
		[]Decision{Call("one", nil), Call("two", nil)})
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	ask := func(sent Sending, whole bool) (int, string) {
		plan.Model.Misbehave(sent, whole)
		reply, err := http.Post(plan.Model.url+"/v1/chat/completions", "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		raw, err := io.ReadAll(reply.Body)
		if err != nil {
			t.Fatal(err)
		}
		return reply.StatusCode, string(raw)
	}
	for _, status := range []int{500, 429} {
		if got, body := ask(SendsError(status), false); got != status || !json.Valid([]byte(body)) {
			t.Errorf("%d %s, want %d", got, body, status)
		}
	}
	if got, body := ask(SendsHalf, false); got != http.StatusOK || json.Valid([]byte(body)) ||
		!strings.HasPrefix(body, "{") {
		t.Errorf("%d %s, want half of a reply", got, body)
	}
	if got, body := ask(RefusesKey, false); got != http.StatusUnauthorized || !json.Valid([]byte(body)) || !strings.Contains(body, modelKey) {
		t.Errorf("%d %s, want a refusal that quotes the key", got, body)
	}
	if key := plan.Model.Key(); key != "" {
		t.Errorf("the key %q of a model that was asked without", key)
	}
	if _, body := ask(nil, true); !strings.Contains(body, "one") || !strings.Contains(body, "two") {
		t.Errorf("%s, want both decisions", body)
	}
}
