package agenticloop

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/wire"
)

func TestSecretsOfAProfile(t *testing.T) {
	var p agenticloopv2.TargetProfile
	if err := json.Unmarshal([]byte(`{
	  "config": {
	    "api_key": "sk-1", "apiKey": "sk-2", "OPENAI-API-KEY": "sk-3",
	    "llm": {"token": "tk-4", "headers": {"Authorization": "Bearer sk-5"}},
	    "api_keys": ["sk-6"], "password": "correcthorsebattery", "key": "0123456789ab",
	    "base_url": "http://me:pw-7@127.0.0.1/v1",
	    "max_tokens": 4000, "tokenizer": "cl100k-base", "dedupe_key": "agentic",
	    "script_key": "the-script", "auth": "basic",
	    "secret": "${SECRET_OF_MINE}", "access_token": "none", "model": "m-1", "allowed_plugins": ["fetch"]
	  },
	  "environment": {"PROXY": "http://me:pw-8@127.0.0.1"},
	  "seams": {
	    "scripted_config": {"key": "script-of-0123456789", "config": {"signing_key": "sk-9"}},
	    "mock_llm": {"config": {"api_key": "${key}", "other_token": "tk-10"},
	      "environment": {"OPENAI_API_KEY": "${key}", "ACCESS_TOKEN": "tk-11"}}
	  }
	}`), &p); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"0123456789ab", "Bearer sk-5", "correcthorsebattery", "pw-7", "pw-8", "sk-1", "sk-2", "sk-3", "sk-5", "sk-6",
		"sk-9", "tk-10", "tk-11", "tk-4",
	}
	got := secretsOf(p)
	slices.Sort(got)
	if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
		t.Error(diff)
	}
}

// A plugin gets the key in its profile, and nothing that is kept of a certification shows it.
func TestASecretOfTheProfileIsSentAndNotKept(t *testing.T) {
	const key = "sk-of-the-operator-1"
	dir, err := wire.NewFolder("assay-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer wire.RemoveFolder(dir)
	seen := filepath.Join(dir, "seen")
	profile := "assay_plugin: 1\ncommand: [sh, -c, 'cat >>" + seen + "; echo thanks for " + key +
		"']\nrevision: 2026-02\nconfig: {llm: {api_key: " + key + "}}\n"
	if err := os.WriteFile(filepath.Join(dir, host.ProfileName), []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	target, err := Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	o := scenarios.Options{Select: scenarios.Selection{Scenarios: []string{"agenticloop/protocol/exit-code-0"}}}
	c, err := scenarios.Certify(t.Context(), target, o, Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	report := c.Finish(context.Background())
	sent, err := os.ReadFile(seen)
	if err != nil || !strings.Contains(string(sent), `"api_key":"`+key+`"`) {
		t.Errorf("it was sent %.400s, %v", sent, err)
	}
	spawned := 0
	for _, d := range report.Drives {
		kept, err := scenarios.MarshalTranscript(d)
		if err != nil || strings.Contains(string(kept), key) {
			t.Errorf("%s holds the key, %v", d.ID, err)
		}
		spawned += strings.Count(string(kept), "thanks for <secret:1>")
	}
	if spawned == 0 {
		t.Error("no transcript shows what the plugin printed")
	}
}
