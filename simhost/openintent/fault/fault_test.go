package fault

import (
	"regexp"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/internal/faulttest"
	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/openintent/variation"
)

func TestFaultsAreWellFormed(t *testing.T) {
	id := regexp.MustCompile(`^openintent\.[a-z0-9]+(-[a-z0-9]+)*$`)
	proved := faulttest.Provable(t, "../../../spec/openintent/v1/requirements")
	seen := map[string]bool{}
	for _, f := range All() {
		if !id.MatchString(f.ID) || seen[f.ID] {
			t.Errorf("fault id %q: must be openintent.what-is-wrong, once", f.ID)
		}
		seen[f.ID] = true
		if f.Title == "" || f.Looks == "" || f.Title == f.Looks || strings.HasSuffix(f.Title+f.Looks, ".") {
			t.Errorf("%s: say what it does, and how that looks from outside", f.ID)
		}
		if len(f.Breaks) == 0 || len(f.Breaks) > 5 {
			t.Errorf("%s: breaks %d requirements, must be one to five", f.ID, len(f.Breaks))
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

// Each fault replaces something, and leaves no rule without an answer; and there is no rule that no fault and no variation
// replaces.
func TestEveryFaultReplacesRules(t *testing.T) {
	unbroken := faulttest.Functions(rules.Honest())
	for _, f := range All() {
		set, err := Rules(f.ID)
		if err != nil {
			t.Fatal(err)
		}
		if faulttest.Replaced(t, f.ID, rules.Honest(), set, unbroken) == 0 && f.Request == nil && f.Reply == nil && f.Frame == nil {
			t.Errorf("%s replaces no rule, and changes nothing that comes in or goes out", f.ID)
		}
	}
	for _, v := range variation.List() {
		var manner variation.Set
		v.Vary(&manner)
		set := rules.Honest()
		manner.Apply(&set)
		faulttest.Replaced(t, v.ID, rules.Honest(), set, unbroken)
	}
	for name := range unbroken {
		t.Errorf("nothing replaces the rule %s: the server need not ask for it", name)
	}
}

func TestUnknownFaultNamesTheNearest(t *testing.T) {
	_, err := Rules("openintent.answer-lost", "openintent.answer-lots")
	if err == nil || !strings.Contains(err.Error(), `did you mean "openintent.answer-lost"`) {
		t.Errorf("error is %v", err)
	}
}
