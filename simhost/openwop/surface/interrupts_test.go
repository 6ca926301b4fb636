package surface

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
)

const (
	accepts = `{"resumeValue":{"action":"accept"}}`
	rejects = `{"resumeValue":{"action":"reject"}}`
)

// voting serves a host with two voters and somebody who may not answer, and returns a client for each key by its name.
func voting(t *testing.T, o Options) (c *client, as map[string]*client) {
	t.Helper()
	o.Voters = map[string]string{"ann": "key-of-ann", "bob": "key-of-bob"}
	o.LowScopeKey, o.Tenants = "key-of-low", map[string]string{"b": "key-of-b"}
	c = serve(t, o)
	as = map[string]*client{"": c}
	for name, key := range map[string]string{"ann": "key-of-ann", "bob": "key-of-bob", "low": "key-of-low", "b": "key-of-b"} {
		other := *c
		other.key = key
		as[name] = &other
	}
	return c, as
}

// gate starts a run and returns it as it waits at a gate.
func (c *client) gate(workflow, inputs string, status openwopv1.RunStatus) openwopv1.RunSnapshot {
	c.t.Helper()
	made := c.do("POST", "/v1/runs", fmt.Sprintf(`{"workflowId":%q,"inputs":%s}`, workflow, inputs)).want(http.StatusCreated)
	s := c.until(decoded[openwopv1.CreateRunResponse](made).RunID, status)
	if s.Interrupt == nil || s.Interrupt.InterruptToken == nil {
		c.t.Fatalf("the run waits with %s", must(json.Marshal(s)))
	}
	return s
}

func byNode(s openwopv1.RunSnapshot) string {
	return "/v1/runs/" + s.RunID + "/interrupts/" + *s.CurrentNodeID
}

// unmoved holds that a run has not gone on since.
func (c *client) unmoved(s openwopv1.RunSnapshot, before openwopv1.EventPage) {
	c.t.Helper()
	if diff := cmp.Diff(before, c.poll(s.RunID, "timeout=1")); diff != "" {
		c.t.Errorf("the run went on (-before +after)\n%s", diff)
	}
}

func TestWhatDoesNotFitAGate(t *testing.T) {
	c := serve(t, Options{})
	for _, g := range []struct {
		workflow, inputs string
		waits            openwopv1.RunStatus
		wrong            map[string]int
		right            string
	}{
		{"assay-approval", `{"actions":["accept","reject"]}`, openwopv1.RunStatusWaitingApproval,
			map[string]int{`{"action":"ask"}`: 422, `{"action":"frob"}`: 422, `{}`: 400, `null`: 400}, `{"action":"accept"}`},
		{"assay-questions", `{}`, openwopv1.RunStatusWaitingInput,
			map[string]int{`{"answers":{}}`: 400, `{"answers":{"q1":7}}`: 400, `{"answers":[{"id":"q2","answer":"x"}]}`: 400},
			`{"answers":[{"id":"q1","answer":"x"}]}`},
		{"assay-event", `{"correlation":{"order":"o-1"}}`, openwopv1.RunStatusWaitingExternal,
			map[string]int{`{}`: 422, `{"order":"o-2"}`: 422, `[]`: 422}, `{"order":"o-1","paid":true}`},
	} {
		for _, byToken := range []bool{false, true} {
			s := c.gate(g.workflow, g.inputs, g.waits)
			path, headers := byNode(s), []header(nil)
			if byToken {
				path, headers = *s.Interrupt.CallbackURL, []header{nobody}
			}
			before := c.poll(s.RunID, "timeout=1")
			for value, status := range g.wrong {
				c.do("POST", path, `{"resumeValue":`+value+`}`, headers...).wantError(status, "validation_error")
			}
			c.unmoved(s, before)
			c.do("POST", path, `{"resumeValue":`+g.right+`}`, headers...).want(http.StatusOK)
			c.until(s.RunID, openwopv1.RunStatusCompleted)
			c.do("POST", path, `{"resumeValue":`+g.right+`}`, headers...).wantError(http.StatusConflict, "interrupt_already_resolved")
		}
	}
}

// Every key has one vote, also under one idempotency key; what a voter hears twice counts once.
func TestEveryKeyHasOneVote(t *testing.T) {
	c, as := voting(t, Options{})
	s := c.gate("assay-quorum", `{"requiredApprovals":3}`, openwopv1.RunStatusWaitingApproval)
	same := header{"Idempotency-Key", "one"}
	vote := func(who string, headers ...header) reply { return as[who].do("POST", byNode(s), accepts, headers...) }
	for range 2 {
		got := decoded[openwopv1.ResolveInterruptResponse](vote("", same).want(http.StatusOK))
		if got.Status != openwopv1.RunStatusWaitingApproval {
			t.Errorf("the run is %s after one vote", got.Status)
		}
	}
	vote("").want(http.StatusOK)
	vote("ann", same).want(http.StatusOK)
	before := c.poll(s.RunID, "timeout=1")
	vote("ann").want(http.StatusOK)
	as["ann"].do("POST", byNode(s), rejects).wantError(http.StatusConflict, "interrupt_already_resolved")
	vote("low", same).wantError(http.StatusForbidden, "forbidden")
	vote("b").wantError(http.StatusNotFound, "not_found")
	c.do("POST", *s.Interrupt.CallbackURL, accepts, nobody).wantError(http.StatusForbidden, "forbidden")
	c.do("POST", *s.Interrupt.CallbackURL, accepts, nobody, header{"Authorization",
		"Bearer key-of-b"}).wantError(http.StatusForbidden, "forbidden")
	c.do("POST", *s.Interrupt.CallbackURL, accepts, nobody, header{"Authorization",
		"Bearer key-of-ann"}).want(http.StatusOK)
	c.unmoved(s, before)
	vote("bob").want(http.StatusOK)
	c.until(s.RunID, openwopv1.RunStatusCompleted)
	var voters []string
	for _, e := range c.poll(s.RunID, "").Events {
		if p, ok := must2(openwopv1.DecodePayload(e.Type, e.Payload)).(*openwopv1.ApprovalGrantedPayload); ok {
			voters = append(voters, p.Principal)
		}
	}
	if diff := cmp.Diff([]string{DefaultTenant, "ann", "bob"}, voters); diff != "" {
		t.Errorf("the voters (-want +got)\n%s", diff)
	}
}

func TestVotesOutliveTheProcess(t *testing.T) {
	o := Options{DataDir: t.TempDir()}
	c, as := voting(t, o)
	s := c.gate("conformance-interrupt-quorum", `{}`, openwopv1.RunStatusWaitingApproval)
	as["ann"].do("POST", byNode(s), rejects).want(http.StatusOK)
	c.stop()
	c, as = voting(t, o)
	as["ann"].do("POST", byNode(s), rejects).want(http.StatusOK)
	as["ann"].do("POST", byNode(s), accepts).wantError(http.StatusConflict, "interrupt_already_resolved")
	as["bob"].do("POST", byNode(s), rejects).want(http.StatusOK)
	if s = c.until(s.RunID, openwopv1.RunStatusFailed); s.Error.Code != "interrupt_rejected" {
		t.Errorf("the run failed with %+v", s.Error)
	}
}

// votes are who is on the log of a run with a vote, in order.
func (c *client) votes(id string) (voters []string) {
	c.t.Helper()
	for _, e := range c.poll(id, "").Events {
		switch p := must2(openwopv1.DecodePayload(e.Type, e.Payload)).(type) {
		case *openwopv1.ApprovalGrantedPayload:
			voters = append(voters, p.Principal)
		case *openwopv1.ApprovalRejectedPayload:
			voters = append(voters, "not "+p.Principal)
		}
	}
	return voters
}

// A host that trusts its voters counts whom an answer names, by key or by token, and whose token it is. One that does not counts
// keys, and a token alone is nobody's.
func TestVotersWhoAreTrusted(t *testing.T) {
	saying := func(action, voter string) string {
		return fmt.Sprintf(`{"resumeValue":{"action":%q,"voter":%q}}`, action, voter)
	}
	c, as := voting(t, Options{TrustVoters: true})
	s := c.gate("conformance-interrupt-quorum", `{}`, openwopv1.RunStatusWaitingApproval)
	token := func(who string) string { return *as[who].run(s.RunID).Interrupt.CallbackURL }
	if token("ann") == token("bob") || token("") == token("ann") || token("") != *s.Interrupt.CallbackURL {
		t.Error("the tokens of voters are not their own")
	}
	c.do("POST", byNode(s), saying("accept", "approver-1")).want(http.StatusOK)
	c.do("POST", byNode(s), saying("accept", "approver-1")).want(http.StatusOK)
	c.do("POST", byNode(s), saying("reject", "approver-1")).wantError(http.StatusConflict, "interrupt_already_resolved")
	c.do("POST", byNode(s), saying("accept", "")).wantError(http.StatusBadRequest, "validation_error")
	c.do("POST", token(""), accepts, nobody).wantError(http.StatusForbidden, "forbidden")
	c.do("POST", token("ann"), saying("accept", "bob"), nobody).wantError(http.StatusForbidden, "forbidden")
	c.do("POST", token("ann"), rejects, nobody).want(http.StatusOK)
	as["bob"].do("POST", token("ann"), rejects).want(http.StatusOK) // a token is whose it says it is, whoever sends it
	c.do("POST", token(""), saying("accept", "approver-2"), nobody).want(http.StatusOK)
	c.do("POST", token("bob"), accepts, nobody).want(http.StatusOK)
	c.until(s.RunID, openwopv1.RunStatusCompleted)
	if diff := cmp.Diff([]string{"approver-1", "not ann", "approver-2", "bob"}, c.votes(s.RunID)); diff != "" {
		t.Errorf("the votes (-want +got)\n%s", diff)
	}
}

// Once it no longer trusts them, a token that names a voter is again nobody's.
func TestVotersWhoAreTrustedNoLonger(t *testing.T) {
	o := Options{DataDir: t.TempDir(), TrustVoters: true}
	c, as := voting(t, o)
	s := c.gate("assay-quorum", `{}`, openwopv1.RunStatusWaitingApproval)
	token := *as["ann"].run(s.RunID).Interrupt.CallbackURL
	c.stop()
	o.TrustVoters = false
	c, as = voting(t, o)
	c.do("POST", token, accepts, nobody).wantError(http.StatusForbidden, "forbidden")
	c.do("POST", byNode(s), `{"resumeValue":{"action":"accept","voter":"ann"}}`).want(http.StatusOK)
	c.do("POST", byNode(s), `{"resumeValue":{"action":"accept","voter":"bob"}}`).want(http.StatusOK)
	as["bob"].do("POST", token, accepts).want(http.StatusOK)
	c.until(s.RunID, openwopv1.RunStatusCompleted)
	if diff := cmp.Diff([]string{DefaultTenant, "bob"}, c.votes(s.RunID)); diff != "" {
		t.Errorf("the votes (-want +got)\n%s", diff)
	}
}

// A profile asks for a key: the token is not enough, unless a key stands beside it.
func TestAuthRequired(t *testing.T) {
	c, as := voting(t, Options{})
	for _, who := range []string{"", "ann"} {
		s := c.gate("conformance-interrupt-auth-required", `{}`, openwopv1.RunStatusWaitingApproval)
		before := c.poll(s.RunID, "timeout=1")
		for _, credentials := range []string{"", "Bearer key-of-low", "Bearer key-of-b", "Bearer nobody's"} {
			c.do("POST", *s.Interrupt.CallbackURL, accepts, nobody, header{"Authorization", credentials}).wantError(http.StatusForbidden,
				"forbidden")
		}
		as["low"].do("POST", byNode(s), accepts).wantError(http.StatusForbidden, "forbidden")
		c.unmoved(s, before)
		as[who].do("POST", byNode(s), accepts).want(http.StatusOK)
		c.until(s.RunID, openwopv1.RunStatusCompleted)
	}
	s := c.gate("conformance-interrupt-auth-required", `{}`, openwopv1.RunStatusWaitingApproval)
	c.do("POST", *s.Interrupt.CallbackURL, accepts, nobody, header{"Authorization", "Bearer key-of-ann"}).want(http.StatusOK)
	c.until(s.RunID, openwopv1.RunStatusCompleted)
}

// The low-scope key reads and creates, and answers nothing: not even whether there is something to answer.
func TestTheLowScopeKey(t *testing.T) {
	c, as := voting(t, Options{})
	low := as["low"]
	s := c.gate("assay-approval", `{}`, openwopv1.RunStatusWaitingApproval)
	if seen := low.run(s.RunID).Interrupt; seen == nil || *seen.InterruptID != *s.Interrupt.InterruptID ||
		seen.InterruptToken != nil || seen.CallbackURL != nil {
		t.Errorf("who may not answer is shown %s, which must be without a token to answer with", must(json.Marshal(seen)))
	}
	for _, path := range []string{byNode(s), "/v1/runs/" + s.RunID + "/interrupts/nobody", "/v1/runs/run-x/interrupts/gate"} {
		for _, body := range []string{accepts, `{`, `{"resumeValue":{"action":"frob"}}`} {
			low.do("POST", path, body).wantError(http.StatusForbidden, "forbidden")
		}
	}
	as[""].do("POST", byNode(s), accepts).want(http.StatusOK)
	low.until(s.RunID, openwopv1.RunStatusCompleted)
}

func TestTokensEndWithTheirInterrupt(t *testing.T) {
	for workflow, waits := range map[string]openwopv1.RunStatus{
		"assay-approval": openwopv1.RunStatusWaitingApproval, "assay-event": openwopv1.RunStatusWaitingExternal,
	} {
		now := clock.NewManual(noon)
		c := serve(t, Options{Clock: now})
		s := c.gate(workflow, `{"timeoutMs":60000}`, waits)
		if want := noon.Add(time.Minute); !s.Interrupt.ExpiresAt.Equal(want) {
			t.Errorf("%s: the token ends at %v, want %v", workflow, s.Interrupt.ExpiresAt, want)
		}
		now.Advance(time.Minute)
		c.until(s.RunID, openwopv1.RunStatusFailed)
		c.do("GET", *s.Interrupt.CallbackURL, nil, nobody).wantError(http.StatusGone, "interrupt_expired")
		c.do("POST", *s.Interrupt.CallbackURL, accepts, nobody).wantError(http.StatusGone, "interrupt_expired")
		c.do("POST", byNode(s), accepts).wantError(http.StatusGone, "interrupt_expired")
	}
}

func TestKeysThatCouldNotBeToldApart(t *testing.T) {
	for says, o := range map[string]Options{
		`voter (--voter) "": give a name`:                    {Voters: map[string]string{"": "k"}},
		`voter (--voter) "local": it has the host's own key`: {Voters: map[string]string{"local": "k"}},
		`voter (--voter) "b": tenant "b" has the same name`: {Tenants: map[string]string{"b": "k"},
			Voters: map[string]string{"b": "l"}},
		`voter (--voter) "c": tenant "b" has the same key`: {Tenants: map[string]string{"b": "k"},
			Voters: map[string]string{"c": "k"}},
		`voter (--voter) "c": a client cannot send its key`:             {Voters: map[string]string{"c": ""}},
		`key (--low-scope-key) "low-scope": tenant "local" has the sam`: {LowScopeKey: "dev"},
		`key (--low-scope-key) "low-scope": a client cannot send`:       {LowScopeKey: " k"},
	} {
		_, err := New(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want %s, got %v", says, err)
		}
	}
}
