package scenarios_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Two drives that are told different things of what cannot change are told of in a violation, or else in a finding. What differs
// between callers, what one drive is told in two ways, what is of another thing and what no row says is fixed accuses nobody.
func TestContradictions(t *testing.T) {
	thing := func(made bool, requirement scenarios.RequirementID) scenarios.Fixed {
		return scenarios.Fixed{What: "thing", Method: "GET", Path: regexp.MustCompile("^/thing$"), Made: made,
			ID:      func(v wire.Value) string { return v.Key("id").String() },
			Members: []scenarios.FixedMember{{Pointer: "/of", Requirement: requirement}}}
	}
	get := func(path string, anonymous bool) wire.Call {
		return wire.Call{Method: "GET", Path: path, Anonymous: anonymous}
	}
	plain := []wire.Call{get("/thing", false)}
	for _, c := range []struct {
		name            string
		fixed           scenarios.Fixed
		one, other      []wire.Call
		replies         []string // of all calls, in order
		violated, finds bool
		says            string
	}{
		{name: "the same", fixed: thing(false, "TOY-1"), one: plain, other: plain,
			replies: []string{`{"id":"x","of":1}`, `{"id":"x","of":1,"n":2}`}},
		{name: "a violation", fixed: thing(false, "TOY-1"), one: plain, other: plain,
			replies: []string{`{"id":"x","of":1}`, `{"id":"x","of":2}`}, violated: true},
		{name: "no requirement", fixed: thing(false, ""), one: plain, other: plain, replies: []string{`{"id":"x","of":1}`, `{"id":"x","of":2}`},
			finds: true, says: "the drives one and other contradict one another about /of of the thing x: it is 1 at exchange 1 of one, " +
				"and 2 at exchange 1 of other"},
		{name: "another thing", fixed: thing(false, "TOY-1"), one: plain, other: plain,
			replies: []string{`{"id":"x","of":1}`, `{"id":"y","of":2}`}},
		{name: "it is left out", fixed: thing(false, "TOY-1"), one: plain, other: plain, replies: []string{`{"id":"x","of":1}`, `{"id":"x"}`}},
		{name: "no name", fixed: thing(false, "TOY-1"), one: plain, other: plain, replies: []string{`{"of":1}`, `{"of":2}`}},
		{name: "made twice", fixed: thing(true, ""), one: plain, other: plain, replies: []string{`{"id":"x"}`, `{"id":"x"}`}, finds: true,
			says: "about the drive for which the thing x was made"},
		{name: "made once each", fixed: thing(true, ""), one: plain, other: plain, replies: []string{`{"id":"x"}`, `{"id":"y"}`}},
		{name: "one drive in two ways", fixed: thing(false, "TOY-1"), one: append(plain, plain...), other: plain,
			replies: []string{`{"id":"x","of":1}`, `{"id":"x","of":2}`, `{"id":"x","of":2}`}},
		{name: "claims", one: []wire.Call{get("/hello", true)}, replies: []string{`{"counts":true}`, `{"counts":true,"loud":true}`}, finds: true,
			says: "about the claim loud: it is not claimed at exchange 1 of discovery, and claimed at exchange 1 of one"},
		{name: "claims to another caller", one: []wire.Call{get("/hello", false)}, replies: []string{`{"counts":true}`, `{"loud":true}`}},
		{name: "a document with a clock", one: []wire.Call{get("/hello", true)}, replies: []string{`{"counts":true}`, `{"counts":true,"at":7}`}},
		{name: "a refusal", fixed: thing(false, "TOY-1"), one: plain, other: plain, replies: []string{`{"id":"x","of":1}`, "403"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			replies := c.replies
			next := func() string {
				reply := replies[0]
				replies = replies[1:]
				return reply
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				reply := `{"counts":true}`
				if r.URL.Path == "/thing" || strings.Contains(c.name, "document") || strings.Contains(c.name, "claims") {
					reply = next()
				}
				if reply == "403" {
					w.WriteHeader(http.StatusForbidden)
					reply = `{"id":"x","of":9}`
				}
				fmt.Fprint(w, reply)
			}))
			defer server.Close()
			of := *protocol
			if c.fixed.Path != nil {
				of.Fixed = []scenarios.Fixed{c.fixed}
			}
			drive := func(id string, calls []wire.Call) scenarios.Scenario {
				asks := &scenarios.Drive[counted]{ID: id, Run: func(ctx context.Context, conn *scenarios.Conn, o *counted) {
					for _, call := range calls {
						*o = counted{conn.Do(ctx, call).Value("")}
					}
				}}
				return one(id, counts, scenarios.Ask(asks, func(counted, *scenarios.Judge) {}), "TOY-2")
			}
			certification, err := scenarios.Certify(t.Context(), wire.Target{URL: server.URL, Key: "k"}, scenarios.Options{Workers: 1},
				scenarios.Suite{ID: "counting", Protocol: &of, Scenarios: []scenarios.Scenario{drive("one", c.one), drive("other", c.other)}})
			if err != nil {
				t.Fatal(err)
			}
			r := certification.Finish(context.Background())
			if violated := len(r.Breaches) > 0; violated != c.violated || violated && r.Breaches[0].Drive != "other" {
				t.Errorf("violations %+v", r.Breaches)
			}
			if found := len(r.DiscoveryFindings) > 0; found != c.finds || found && !strings.Contains(r.DiscoveryFindings[0].Text, c.says) {
				t.Errorf("findings %+v", r.DiscoveryFindings)
			}
		})
	}
}
