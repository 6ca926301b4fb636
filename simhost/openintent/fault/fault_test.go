package fault

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/openintent/variation"
)

func TestFaultsAreWellFormed(t *testing.T) {
	id := regexp.MustCompile(`^openintent\.[a-z0-9]+(-[a-z0-9]+)*$`)
	proved := provable(t)
	seen := map[string]bool{}
	for _, f := range All() {
		if !id.MatchString(f.ID) || seen[f.ID] {
			t.Errorf("fault id %q: must be openintent.what-is-wrong, once", f.ID)
		}
		seen[f.ID] = true
		if f.Title == "" || f.Looks == "" || f.Title == f.Looks || strings.HasSuffix(f.Title+f.Looks, ".") {
			t.Errorf("%s: say what it does, and how that looks from outside", f.ID)
		}
		if len(f.Breaks) == 0 || len(f.Breaks) > 3 {
			t.Errorf("%s: breaks %d requirements, must be one to three", f.ID, len(f.Breaks))
		}
		for _, r := range f.Breaks {
			if !proved[r] {
				t.Errorf("%s: breaks %s, which no server can be asked", f.ID, r)
			}
		}
	}
	if len(seen) < 45 {
		t.Errorf("there are %d faults", len(seen))
	}
}

// provable are the requirements of the ledger that a scenario proves, or is to prove.
func provable(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("../../../spec/openintent/v1/requirements/*.yaml")
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

// Each fault replaces something, and leaves no rule without an answer; and there is no rule that no fault and no variation
// replaces.
func TestEveryFaultReplacesRules(t *testing.T) {
	unbroken := functions(rules.Honest())
	for _, f := range All() {
		set, err := Rules(f.ID)
		if err != nil {
			t.Fatal(err)
		}
		if replaced(t, f.ID, set, unbroken) == 0 {
			t.Errorf("%s replaces no rule", f.ID)
		}
	}
	for _, v := range variation.List() {
		var manner variation.Set
		v.Vary(&manner)
		set := rules.Honest()
		manner.Apply(&set)
		replaced(t, v.ID, set, unbroken)
	}
	for name := range unbroken {
		t.Errorf("nothing replaces the rule %s: the server need not ask for it", name)
	}
}

// replaced counts the rules of a set that are not the honest ones, and takes them out of unbroken.
func replaced(t *testing.T, id string, set rules.Set, unbroken map[string]reflect.Value) (changed int) {
	t.Helper()
	honest := functions(rules.Honest())
	for name, rule := range functions(set) {
		if rule.IsNil() {
			t.Errorf("%s: rule %s is missing", id, name)
		}
		if rule.Pointer() != honest[name].Pointer() {
			changed++
			delete(unbroken, name)
		}
	}
	return changed
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
	_, err := Rules("openintent.answer-lost", "openintent.answer-lots")
	if err == nil || !strings.Contains(err.Error(), `did you mean "openintent.answer-lost"`) {
		t.Errorf("error is %v", err)
	}
}
