package param

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var all = []Param{From, {Name: "member", Least: 3, Most: 4}, Tenant}

func TestSet(t *testing.T) {
	values, err := Set("x", "from=3,tenant=b", all)
	if err != nil || values.Number(From) != 3 || values["tenant"] != "b" || values.String() != "from=3,tenant=b" {
		t.Errorf("%v, %v", values, err)
	}
	if values, err := Set("x", "", all); err != nil || values.Number(From) != 1 {
		t.Errorf("nothing set: %v, %v", values, err)
	}
	for set, want := range map[string]string{
		"from=0":        "x: from=0: give 1 to 5",
		"from=6":        "give 1 to 5",
		"from=many":     "give 1 to 5",
		"from":          "from=: give 1 to 5",
		"membr=1":       `x has no parameter "membr": did you mean "member"?`,
		"zzz=1":         "it has from, member, tenant",
		"member=c":      "member=c: give 3 to 4",
		"tenant=":       "tenant=: give any name",
		"from=1,from=2": "from is set twice",
	} {
		if _, err := Set("x", set, all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", set, err, want)
		}
	}
	if _, err := Set("x", "from=1", nil); err == nil || !strings.Contains(err.Error(), `has no parameters: leave off ":from=1"`) {
		t.Errorf("%v", err)
	}
}

// What is drawn can be set, and is the same for the same seed.
func TestDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id, seed := rapid.StringMatching(`[a-z]+\.[a-z-]+`).Draw(t, "id"), rapid.Uint64().Draw(t, "seed")
		set := Drawn(id, all, seed)
		values, err := Set(id, set, all)
		if err != nil || values.String() != set || set != Drawn(id, all, seed) || values["tenant"] != "" {
			t.Fatalf("%s: %v", set, err)
		}
		if at, behind := Split(Join(id, set)); at != id || behind != set {
			t.Fatalf("%s, %s", at, behind)
		}
	})
}

func TestJoined(t *testing.T) {
	got := Joined(strings.Split("a,b:from=1,tenant=x,c,d:member=3", ","))
	if want := []string{"a", "b:from=1,tenant=x", "c", "d:member=3"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
