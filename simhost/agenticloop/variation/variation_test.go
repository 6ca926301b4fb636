package variation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/agenticloop/agent"
	"github.com/openassay/assay/simhost/agenticloop/variation"
)

func TestVariationsAreWellFormed(t *testing.T) {
	id, seen := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`), map[string]bool{}
	for _, v := range variation.List() {
		if !id.MatchString(v.ID) || seen[v.ID] || v.Title == "" || strings.HasSuffix(v.Title, ".") {
			t.Errorf("variation %q: an id like this-one, once, and what a gateway sees", v.ID)
		}
		seen[v.ID] = true
	}
	if _, err := variation.Find("reemit"); err == nil || !strings.Contains(err.Error(), `did you mean "reemits"`) {
		t.Errorf("find: %v", err)
	}
}

// Each variation shows: a run is driven to its end, with a duplicate, a failure and a step too late on the way, and
// something that the agent answers or is told differs from the plain agent.
func TestEveryVariationShows(t *testing.T) {
	plain := story(t, variation.Variation{})
	for _, v := range variation.List() {
		if v.ID == "not-deterministic" {
			continue // that differs from run to run
		}
		if story(t, v) == plain {
			t.Errorf("%s: nothing differs", v.ID)
		}
	}
}

var times = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)

// story is what an agent answered, and what its profile and its workspace hold, times made alike.
func story(t *testing.T, v variation.Variation) string {
	t.Helper()
	dir, work := t.TempDir(), t.TempDir()
	if err := agent.Export(dir, agent.Profile{}, "assay", "agent"); err != nil {
		t.Fatal(err)
	}
	profile := filepath.Join(dir, agent.ProfileFile)
	if err := v.Declare(profile); err != nil {
		t.Fatal(err)
	}
	told, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	all := string(told)
	run := v.Front(agent.New(agent.Options{}).Run)
	state := map[string]any{}
	turn := func(event map[string]any) map[string]any {
		t.Helper()
		config := map[string]any{"allowed_plugins": []any{"fetch", "fabric"}, "max_steps": 2, "max_retries": 1}
		raw, err := json.Marshal(map[string]any{"protocol": 2, "job_id": "j", "command": "handle", "config": config, "state": state,
			"workspace_dir": work, "event": event})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run(context.Background(), bytes.NewReader(raw), &out, io.Discard); code != 0 {
			t.Fatalf("%s: exit %d: %s", v.ID, code, &out)
		}
		all += times.ReplaceAllString(out.String(), "T")
		var answer map[string]any
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
			t.Fatalf("%s: %v: %s", v.ID, err, &out)
		}
		if updates, ok := answer["state_updates"].(map[string]any); ok && answer["status"] == "ok" {
			maps.Copy(state, updates)
		}
		return answer
	}
	start := func(goal any, key string) {
		turn(map[string]any{"type": "agentic.start", "dedupe_key": key, "payload": map[string]any{"goal": goal}})
	}
	result := func(step any, tool, status string) {
		turn(map[string]any{"type": "agentic.tool_result", "payload": map[string]any{"run_id": state["last_run_id"], "step": step,
			"tool": tool, "status": status, "result": "x"}})
	}
	start("", "none")
	start("a goal", "one")
	result("x", "fetch", "ok")
	result(1, "fetch", "ok")
	result(1, "fetch", "ok")
	result(2, "fabric", "ok")
	result(2, "fabric", "ok")
	start("a goal", "two")
	result(1, "fetch", "error")
	result(1, "fetch", "ok")
	result(2, "other", "ok")
	start("a goal", "three")
	names, err := filepath.Glob(filepath.Join(work, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(all, work, "") + strings.ReplaceAll(strings.Join(names, " "), work, "")
}
