package fault

import (
	"regexp"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/internal/faulttest"
	"github.com/openassay/assay/simhost/openwop/rules"
)

func TestFaultsAreWellFormed(t *testing.T) {
	id := regexp.MustCompile(`^[a-z]+\.[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]bool{}
	for _, f := range All() {
		if !id.MatchString(f.ID) || seen[f.ID] {
			t.Errorf("fault id %q: must be theme.what-is-wrong, once", f.ID)
		}
		seen[f.ID] = true
		if f.Title == "" || f.Looks == "" || f.Title == f.Looks {
			t.Errorf("%s: say what it does, and how that looks from outside", f.ID)
		}
		if len(f.Breaks) == 0 || len(f.Breaks) > 5 {
			t.Errorf("%s: breaks %d requirements, must be one to five", f.ID, len(f.Breaks))
		}
		for _, spot := range f.Spots {
			if spot < 1 || spot > 40 {
				t.Errorf("%s: there is no blind spot %d", f.ID, spot)
			}
		}
	}
}

func TestEveryThemeHasItsOwnIDs(t *testing.T) {
	owner := map[string]int{}
	for i, faults := range themes {
		for _, f := range faults {
			theme, _, _ := strings.Cut(f.ID, ".")
			if was, taken := owner[theme]; taken && was != i {
				t.Errorf("%s stands in another list than the other faults of %s", f.ID, theme)
			}
			owner[theme] = i
		}
	}
}

// Each fault replaces something, and leaves no rule without an answer.
func TestEveryFaultReplacesRules(t *testing.T) {
	for _, f := range All() {
		if faulttest.Replaced(t, f.ID, rules.Honest(), must(t, f.ID), nil) == 0 && f.Request == nil && f.Reply == nil &&
			f.Event == nil && f.Frame == nil && f.Remembers == nil {
			t.Errorf("%s replaces no rule, and changes nothing that comes in, goes out or is appended", f.ID)
		}
	}
}

func must(t *testing.T, id string) rules.Set {
	t.Helper()
	set, err := Rules(id)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestUnknownFaultNamesTheNearest(t *testing.T) {
	_, err := Rules("loop.iteration-resets-on-resume", "loop.iteration-reset-on-resume")
	if err == nil || !strings.Contains(err.Error(), `did you mean "loop.iteration-resets-on-resume"`) {
		t.Errorf("error is %v", err)
	}
}

func TestUnderTellsTheFlags(t *testing.T) {
	for want, u := range map[string]Under{
		"":            {},
		"--version 4": {Version: 4},
		"--version 1 --without goals,memory --escalation-interrupt approval --experimental-until DAY": {Version: 1,
			Without: []string{"goals", "memory"}, EscalationInterrupt: "approval", Experimental: true},
	} {
		if got := u.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
