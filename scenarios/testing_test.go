package scenarios_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// What an embedded certification says where it fails, or that it passes.
func TestRunFailsOnWhatIsLeftUnproved(t *testing.T) {
	passes := one("passes", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-1")), "TOY-1")
	blocks := one("blocks", counts, scenarios.Ask(stopDrive("e", scenarios.Block("no way to look", "y")), is(3, "TOY-2")), "TOY-2")
	silent := one("silent", counts, scenarios.Ask(stopDrive("f", wire.ErrNoAnswer), is(3, "TOY-2")), "TOY-2")
	unclaimed := one("unclaimed", loud, scenarios.Ask(countDrive("d"), is(3, "TOY-5")), "TOY-5")
	besides := one("besides", counts, scenarios.Ask(countDrive("g"), func(o counted, j *scenarios.Judge) {
		j.Violates("TOY-1", o.N, "it would not start")
	}), "TOY-2")
	refused := &scenarios.Drive[counted]{ID: "h", Run: func(ctx context.Context, c *scenarios.Conn, _ *counted) {
		c.Do(ctx, wire.Call{Method: "GET", Path: "/forbidden"})
		scenarios.End(scenarios.Block("HTTP 403", "give a key"))
	}}
	cases := map[string]struct {
		allow string
		asked []scenarios.Scenario
		want  string // in the output; "" passes
	}{
		"passes":              {"", []scenarios.Scenario{passes, unclaimed}, ""},
		"blocked":             {"", []scenarios.Scenario{passes, blocks}, "blocked: no way to look"},
		"blocked and allowed": {"no seam yet", []scenarios.Scenario{passes, blocks}, ""},
		"inconclusive":        {"", []scenarios.Scenario{passes, silent}, "inconclusive: "},
		"nothing proved":      {"", []scenarios.Scenario{unclaimed}, "nothing was proved: none of 1 scenarios passed"},
		"violated besides":    {"no seam yet", []scenarios.Scenario{passes, besides}, "TOY-1 is violated, seen by the set-up of g at #1 /n"},
		"a refused credential": {"no seam yet", []scenarios.Scenario{one("r", counts, scenarios.Ask(refused, is(3, "TOY-1")), "TOY-1")},
			"the target refuses the credential: 1 of 1 replies are HTTP 403"},
	}
	if name := os.Getenv("ASSAY_EMBEDDED"); name != "" { // the test that is looked at, in a process of its own
		c := cases[name]
		scenarios.RunWith(t, wire.Target{URL: toyHost(t, `{"counts":true}`)}, scenarios.Options{AllowUnproved: c.allow}, suite(c.asked...))
		return
	}
	for name, c := range cases {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), "ASSAY_EMBEDDED="+name)
		out, err := cmd.CombinedOutput()
		if (err == nil) != (c.want == "") || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v, want %q in\n%s", name, err, c.want, out)
		}
		if name == "a refused credential" && strings.Index(string(out), c.want) > strings.Index(string(out), "nothing was proved") {
			t.Errorf("the credential is not told first:\n%s", out)
		}
	}
}

// A server that answers JSON at every path is no host: its document has nothing that the protocol's has.
func TestAnyJSONServerIsNoHost(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"status":"ok"}`))
	}))
	defer server.Close()
	of := *protocol
	of.Essential = []string{"counts"}
	_, err := scenarios.Certify(t.Context(), wire.Target{URL: server.URL}, scenarios.Options{},
		scenarios.Suite{ID: "counting", Protocol: &of, Scenarios: []scenarios.Scenario{
			one("a", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-1")), "TOY-1")}})
	if err == nil || !strings.Contains(err.Error(), "has no counts") {
		t.Errorf("certifying it: %v", err)
	}
}
