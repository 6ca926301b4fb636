package fault

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/openassay/assay/simhost/agent/rules"
)

func TestFaultsAreWellFormed(t *testing.T) {
	id := regexp.MustCompile(`^agent\.[a-z0-9]+(-[a-z0-9]+)*$`)
	proved := provable(t)
	seen := map[string]bool{}
	for _, f := range All() {
		if !id.MatchString(f.ID) || seen[f.ID] {
			t.Errorf("fault id %q: must be agent.what-is-wrong, once", f.ID)
		}
		seen[f.ID] = true
		if f.Title == "" || f.Looks == "" || f.Title == f.Looks || strings.HasSuffix(f.Title+f.Looks, ".") {
			t.Errorf("%s: say what it does, and how that looks from outside", f.ID)
		}
		if strings.HasSuffix(f.Twin, ".") || f.Twin == f.Title || f.Twin == f.Looks {
			t.Errorf("%s: say what it is there for beside its twin", f.ID)
		}
		if len(f.Breaks) == 0 || len(f.Breaks) > 3 {
			t.Errorf("%s: breaks %d requirements, must be one to three", f.ID, len(f.Breaks))
		}
		for _, r := range f.Breaks {
			if !proved[r] {
				t.Errorf("%s: breaks %s, which no agent can be asked", f.ID, r)
			}
		}
	}
}

// provable are the requirements of the ledger that a scenario proves, or is to prove.
func provable(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("../../../spec/agenticloop/v2/requirements/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no ledger: %v", err)
	}
	out := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var ledger struct {
			Requirements []struct{ ID, Reason string }
		}
		if err := yaml.Unmarshal(content, &ledger); err != nil {
			t.Fatal(err)
		}
		for _, r := range ledger.Requirements {
			out[r.ID] = r.Reason == "" || r.Reason == "planned"
		}
	}
	return out
}

// Each fault replaces something, and leaves no rule without an answer; and there is no rule that none replaces.
func TestEveryFaultReplacesRules(t *testing.T) {
	unbroken := functions(rules.Honest())
	for _, f := range All() {
		honest := functions(rules.Honest())
		set, err := Rules(f.ID)
		if err != nil {
			t.Fatal(err)
		}
		changed := 0
		for name, rule := range functions(set) {
			if rule.IsNil() {
				t.Errorf("%s: rule %s is missing", f.ID, name)
			}
			if rule.Pointer() != honest[name].Pointer() {
				changed++
				delete(unbroken, name)
			}
		}
		if changed == 0 {
			t.Errorf("%s replaces no rule", f.ID)
		}
	}
	for name := range unbroken {
		t.Errorf("no fault replaces the rule %s: the agent need not ask for it", name)
	}
}

// functions are the rules of a set by theme and name.
func functions(set rules.Set) map[string]reflect.Value {
	out := map[string]reflect.Value{}
	for theme, rulesOf := range reflect.ValueOf(set).Fields() {
		for rule, value := range rulesOf.Fields() {
			out[theme.Name+"."+rule.Name] = value
		}
	}
	return out
}

func TestUnknownFaultNamesTheNearest(t *testing.T) {
	_, err := Rules("agent.budget-one-over", "agent.budget-two-over")
	if err == nil || !strings.Contains(err.Error(), `did you mean "agent.budget-one-over"`) {
		t.Errorf("error is %v", err)
	}
}
