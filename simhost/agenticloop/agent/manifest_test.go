package agent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	al "github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/agent"
)

// asJSON is a YAML file as JSON.
func asJSON(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := yaml.Unmarshal(content, &v); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestThePluginFolder(t *testing.T) {
	for _, revision := range agent.Revisions {
		dir := filepath.Join(t.TempDir(), "plugins", "agentic-loop")
		for range 2 { // the second time over the first
			if err := agent.Export(dir, agent.Profile{Revision: revision}, "/bin/echo", "it's", "me"); err != nil {
				t.Fatal(err)
			}
		}
		s := newStory(t, nil)
		s.valid("Manifest", asJSON(t, filepath.Join(dir, agent.ManifestFile)))
		raw := asJSON(t, filepath.Join(dir, agent.ProfileFile))
		s.valid("TargetProfile", raw)
		var profile al.TargetProfile
		if err := json.Unmarshal(raw, &profile); err != nil {
			t.Fatal(err)
		}
		if string(profile.Revision) != revision || profile.Seams == nil || profile.Seams.MockLlm == nil ||
			profile.Seams.ScriptedConfig == nil || profile.Seams.ContextSteering == nil {
			t.Errorf("profile %s", raw)
		}
		var manifest al.Manifest
		if err := json.Unmarshal(asJSON(t, filepath.Join(dir, agent.ManifestFile)), &manifest); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, manifest.Entrypoint))
		if err != nil || info.Mode().Perm() != 0o755 || manifest.Name != agent.DefaultName {
			t.Errorf("%s: %v, %v", manifest.Entrypoint, info, err)
		}
		script, err := os.ReadFile(filepath.Join(dir, manifest.Entrypoint))
		if err != nil || !strings.Contains(string(script), `exec '/bin/echo' 'it'\''s' 'me' --manifest "$(dirname "$0")/manifest.yaml"`) {
			t.Errorf("%s, %v", script, err)
		}
	}
}

// The seams of the profile steer the agent as it says.
func TestTheSeamsOfTheProfile(t *testing.T) {
	dir := t.TempDir()
	if err := agent.Export(dir, agent.Profile{}, "assay"); err != nil {
		t.Fatal(err)
	}
	var profile al.TargetProfile
	if err := json.Unmarshal(asJSON(t, filepath.Join(dir, agent.ProfileFile)), &profile); err != nil {
		t.Fatal(err)
	}
	fill := func(template json.RawMessage, more ...string) (out any) {
		text := strings.NewReplacer(append([]string{`"${arguments}"`, `{"a":1}`, "${tool}", "fabric", "${command}", "read",
			"${outcome}", "so", "${model}", "m", "${key}", "k"}, more...)...).Replace(string(template))
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return out
	}
	allowed := object{"allowed_plugins": []string{"fetch", "fabric"}}
	begin := func(s *story) answer { return s.send(start("k", "g")) }
	calls := func(s *story, a answer) string {
		t.Helper()
		p := s.asked(a)
		if p.Tool != "fabric" || string(p.ToolPayload) != `{"a":1}` {
			t.Errorf("asked for %+v", p)
		}
		return p.RunID
	}

	script := profile.Seams.ScriptedConfig
	s := newStory(t, with(allowed, fill(script.Config).(object)))
	s.config[script.Key] = []any{fill(script.Decisions.CallTool), fill(script.Decisions.Reframe), fill(script.Decisions.Done)}
	run := calls(s, begin(s))
	if got := s.completed(s.send(result(run, 1, "fabric", "ok"))); got.Outcome != "so" || s.run(run).Reframes != 1 {
		t.Errorf("completed: %+v", got)
	}
	for _, refusal := range []json.RawMessage{script.Decisions.Refuse, script.Decisions.Garbage} {
		s = newStory(t, with(allowed, object{script.Key: []any{fill(refusal)}}))
		s.escalated(begin(s), "no_next_action")
	}

	steer := profile.Seams.ContextSteering
	s = newStory(t, allowed)
	run = calls(s, s.send(object{"type": "agentic.start", "dedupe_key": "k", "payload": object{"goal": "g",
		"context": fill(steer.FirstTool)}}))
	calls(s, s.send(result(run, 1, "fabric", "ok", object{"result": fill(steer.NextTool)})))
	s.asked(s.send(result(run, 2, "fabric", "ok", object{"result": fill(steer.Reframe)})))
	if s.run(run).Reframes != 1 {
		t.Errorf("the run is %+v", s.run(run))
	}
	s.completed(s.send(result(run, 3, s.run(run).PendingTool, "ok", object{"result": fill(steer.Done)})))

	model := profile.Seams.MockLlm
	say := func(template json.RawMessage) string {
		if said, ok := fill(template).(string); ok {
			return said
		}
		raw, err := json.Marshal(fill(template))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	m := newMockModel(t, says(say(model.Decisions.CallTool)), says(say(model.Decisions.Reframe)), says(say(model.Decisions.Done)))
	s = newStory(t, with(allowed, fill(model.Config, "${endpoint}", m.URL).(object)))
	run = calls(s, begin(s))
	s.completed(s.send(result(run, 1, "fabric", "ok")))
	for _, refusal := range []json.RawMessage{model.Decisions.Refuse, model.Decisions.Garbage} {
		m = newMockModel(t, says(say(refusal)))
		s = newStory(t, with(allowed, fill(model.Config, "${endpoint}", m.URL).(object)))
		s.escalated(begin(s), "no_next_action")
	}
}
