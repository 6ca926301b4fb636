package agent_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	al "github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/agent"
)

// What a profile leaves off is all that is missing, also where nothing is left.
func TestAProfileLeavesOff(t *testing.T) {
	said := func(t *testing.T, p agent.Profile) []string {
		dir := t.TempDir()
		if err := agent.Export(dir, p, "assay"); err != nil {
			t.Fatal(err)
		}
		raw := asJSON(t, filepath.Join(dir, agent.ProfileFile))
		newStory(t, nil).valid("TargetProfile", raw)
		var profile al.TargetProfile
		if err := json.Unmarshal(raw, &profile); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range profile.Capabilities {
			names = append(names, string(c))
		}
		if s := profile.Seams; s != nil {
			for name, there := range map[string]bool{"context_steering": s.ContextSteering != nil,
				"scripted_config": s.ScriptedConfig != nil, "mock_llm": s.MockLlm != nil} {
				if there {
					names = append(names, name)
				}
			}
		}
		slices.Sort(names)
		return names
	}
	all := slices.Sorted(slices.Values(agent.Declarable()))
	if got := said(t, agent.Profile{}); !slices.Equal(got, all) {
		t.Errorf("it says %v, and can leave off %v", got, all)
	}
	for _, name := range all {
		want := slices.DeleteFunc(slices.Clone(all), func(n string) bool { return n == name })
		if got := said(t, agent.Profile{Without: []string{name}}); !slices.Equal(got, want) {
			t.Errorf("without %s it says %v", name, got)
		}
	}
	if got := said(t, agent.Profile{Without: all}); len(got) > 0 {
		t.Errorf("without all of them it says %v", got)
	}
}
