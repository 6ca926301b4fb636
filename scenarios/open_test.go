package scenarios_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// If a claim is open, a missing feature makes its scenarios inapplicable, unless the operator expects the claim.
func TestWhatIsNotThere(t *testing.T) {
	look := func(answer bool) func(scenarios.Discovery) (wire.Value, bool) {
		return func(d scenarios.Discovery) (wire.Value, bool) { return d.Document.Key("counts"), answer }
	}
	open := scenarios.Claim{ID: "open", Pointer: "/counts", Look: look(false), Open: func(scenarios.Discovery) bool { return true }}
	named := scenarios.Claim{ID: "named", Pointer: "/counts", Look: look(true), Open: open.Open}
	missing := &scenarios.Drive[wire.Value]{ID: "missing", Run: func(ctx context.Context, c *scenarios.Conn, o *wire.Value) {
		r := c.Do(ctx, wire.Call{Method: "GET", Path: "/nowhere"})
		*o = r.StatusValue()
		scenarios.End(scenarios.NotThere(r.StatusValue(), "a way to count"))
	}}
	judged := &scenarios.Drive[wire.Value]{ID: "judged", Run: func(ctx context.Context, c *scenarios.Conn, o *wire.Value) {
		r := c.Do(ctx, wire.Call{Method: "GET", Path: "/count"})
		*o = r.Value("/n")
	}}
	unreached := func(wire.Value, *scenarios.Judge) { panic("the drive has stopped") }
	byJudge := func(v wire.Value, j *scenarios.Judge) {
		j.Check("TOY-1", v).To(check.Equal(3))
		j.NotThere(v.Key("more"), "more of it")
	}
	for _, c := range []struct {
		name   string
		claim  scenarios.Claim
		ask    scenarios.Question
		expect []string
		want   scenarios.Verdict
		reason string
	}{
		{"a drive finds nothing", open, scenarios.Ask(missing, unreached), nil, scenarios.Inapplicable, "not there: a way to count"},
		{"a judge finds nothing", open, scenarios.Ask(judged, byJudge), nil, scenarios.Inapplicable, "not there: more of it"},
		{"it is expected", open, scenarios.Ask(missing, unreached), []string{"open"}, scenarios.Failed,
			"TOY-1: expected a way to count, got not there"},
		{"it is claimed", named, scenarios.Ask(missing, unreached), nil, scenarios.Failed, "TOY-1: expected a way to count, got not there"},
		{"it is claimed, by a judge", named, scenarios.Ask(judged, byJudge), nil, scenarios.Failed, "TOY-1: expected more of it, got not there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := certify(t, scenarios.Options{Select: scenarios.Selection{ExpectClaims: c.expect}}, one("it", c.claim, c.ask, "TOY-1", "TOY-2"))
			o := r.Outcomes[0]
			if o.Verdict != c.want || o.Reason != c.reason {
				t.Errorf("%s: %s, want %s: %s", o.Verdict, o.Reason, c.want, c.reason)
			}
			for _, s := range r.Requirements {
				if c.want == scenarios.Failed && s.ID == "TOY-2" && s.Verdict != scenarios.Failed {
					t.Errorf("%s is %s, want failed", s.ID, s.Verdict)
				}
			}
		})
	}
}

// With a KeyHeader, the credential is in that header only, and in no record.
func TestAKeyInAHeaderOfItsOwn(t *testing.T) {
	var seen http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Clone()
		_, _ = w.Write([]byte(`{}`))
	}))
	t.Cleanup(server.Close)
	n, err := wire.NewNetwork(wire.Target{URL: server.URL, Key: "the-key", KeyHeader: "X-API-Key"}, wire.Options{Limits: wire.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	c := n.Client("keyed")
	defer c.Close()
	if _, err := c.Do(t.Context(), wire.Call{Method: "GET", Path: "/"}); err != nil {
		t.Fatal(err)
	}
	if seen.Get("X-API-Key") != "the-key" || seen.Get("Authorization") != "" {
		t.Errorf("sent %v", seen)
	}
	if kept := c.Transcript().Entry(1).Request.Header["X-Api-Key"]; !strings.HasPrefix(kept, "<secret") {
		t.Errorf("the record has %q", kept)
	}
}
