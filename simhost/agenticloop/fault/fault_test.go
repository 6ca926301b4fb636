package fault

import (
	"regexp"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/agenticloop/rules"
	"github.com/openassay/assay/simhost/internal/faulttest"
)

func TestFaultsAreWellFormed(t *testing.T) {
	id := regexp.MustCompile(`^agent\.[a-z0-9]+(-[a-z0-9]+)*$`)
	proved := faulttest.Provable(t, "../../../spec/agenticloop/v2/requirements")
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
		if len(f.Breaks) == 0 || len(f.Breaks) > 5 {
			t.Errorf("%s: breaks %d requirements, must be one to five", f.ID, len(f.Breaks))
		}
		for _, r := range f.Breaks {
			if !proved[r] {
				t.Errorf("%s: breaks %s, which no agent can be asked", f.ID, r)
			}
		}
	}
}

// Each fault changes something from outside or replaces a rule, and leaves no rule without an answer; and there is no rule
// that none replaces.
func TestEveryFaultChangesSomething(t *testing.T) {
	unbroken := faulttest.Functions(rules.Honest())
	for _, f := range All() {
		set := rules.Honest()
		if f.Replace != nil {
			f.Replace(&set)
		}
		outside := f.Request != nil || f.Answer != nil || f.Manifest != nil
		if replaced := faulttest.Replaced(t, f.ID, rules.Honest(), set, unbroken) > 0; !replaced && !outside {
			t.Errorf("%s changes nothing", f.ID)
		} else if replaced != (f.Replace != nil) {
			t.Errorf("%s replaces rules: %v", f.ID, replaced)
		}
	}
	for name := range unbroken {
		t.Errorf("no fault replaces the rule %s: the agent need not ask for it", name)
	}
}

func TestUnknownFaultNamesTheNearest(t *testing.T) {
	_, err := Agent(nil, "agent.budget-two-over")
	if err == nil || !strings.Contains(err.Error(), `did you mean "agent.budget-one-over"`) {
		t.Errorf("error is %v", err)
	}
}
