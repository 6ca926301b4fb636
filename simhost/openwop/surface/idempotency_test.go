package surface

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/simhost/serving/contract"
)

const noop = `{"workflowId":"conformance-noop","metadata":{"a":1,"b":2}}`

func key(k string) header { return header{"Idempotency-Key", k} }

// sameReply fails the test unless got is a stored copy of first.
func sameReply(t *testing.T, first, got reply) {
	t.Helper()
	if got.header.Get("openwop-Idempotent-Replay") != "true" || first.header.Get("openwop-Idempotent-Replay") != "" {
		t.Errorf("the replay header is %q, and was %q at first", got.header.Get("openwop-Idempotent-Replay"),
			first.header.Get("openwop-Idempotent-Replay"))
	}
	if got.status != first.status || strings.TrimSpace(string(got.body)) != strings.TrimSpace(string(first.body)) {
		t.Errorf("the replay is %d %s\nthe first reply was %d %s", got.status, got.body, first.status, first.body)
	}
}

func TestSameKeyAndBodyIsOneRun(t *testing.T) {
	c := serve(t, Options{})
	first := c.do("POST", "/v1/runs", noop, key("k")).want(http.StatusCreated)
	sameReply(t, first, c.do("POST", "/v1/runs", noop, key("k")))
	sameReply(t, first, c.do("POST", "/v1/runs", "\n{ \"metadata\": {\"b\":2, \"a\":1}, \"workflowId\":\"conformance-noop\"}", key("k")))
	other := c.do("POST", "/v1/runs", noop, key("l")).want(http.StatusCreated)
	if decoded[openwopv1.CreateRunResponse](other).RunID == decoded[openwopv1.CreateRunResponse](first).RunID {
		t.Error("another key gets the same run")
	}
	without := c.do("POST", "/v1/runs", noop).want(http.StatusCreated)
	if decoded[openwopv1.CreateRunResponse](without).RunID == decoded[openwopv1.CreateRunResponse](first).RunID {
		t.Error("no key gets the same run")
	}
}

func TestSameKeyOtherBodyIsRefused(t *testing.T) {
	c := serve(t, Options{})
	first := c.do("POST", "/v1/runs", noop, key("k")).want(http.StatusCreated)
	for _, other := range []string{`{"workflowId":"assay-loop"}`, strings.Replace(noop, `"a":1`, `"a":9007199254740993`, 1),
		strings.Replace(noop, `"a":1`, `"a":9007199254740992`, 1)} {
		c.do("POST", "/v1/runs", other, key("k")).wantError(http.StatusConflict, "idempotency_key_mismatch")
	}
	sameReply(t, first, c.do("POST", "/v1/runs", noop, key("k")))
}

func TestNumbersBeyondAFloatAreDifferentBodies(t *testing.T) {
	c := serve(t, Options{})
	c.do("POST", "/v1/runs", strings.Replace(noop, `"a":1`, `"a":9007199254740993`, 1), key("k")).want(http.StatusCreated)
	c.do("POST", "/v1/runs", strings.Replace(noop, `"a":1`, `"a":9007199254740992`, 1), key("k")).wantError(http.StatusConflict,
		"idempotency_key_mismatch")
}

func TestWhichOutcomesAreKept(t *testing.T) {
	c := serve(t, Options{})
	// Final refusals are kept.
	first := c.do("POST", "/v1/runs", `{"workflowId":"nowhere"}`, key("missing"))
	first.wantError(http.StatusNotFound, "not_found")
	sameReply(t, first, c.do("POST", "/v1/runs", `{"workflowId":"nowhere"}`, key("missing")))
	c.do("POST", "/v1/runs", noop, key("missing")).wantError(http.StatusConflict, "idempotency_key_mismatch")
	// Bad requests, whether the schema or the engine finds them, and refused credentials are not: the key stays free.
	for k, bad := range map[string]string{
		"schema": `{"workflowId":3}`,
		"engine": `{"workflowId":"assay-loop","inputs":{"plan":"no plan"}}`,
		"tenant": `{"workflowId":"conformance-noop","tenantId":"other"}`,
	} {
		for range 2 {
			if got := c.do("POST", "/v1/runs", bad, key(k)); got.status < 400 || got.status > 403 ||
				got.header.Get("openwop-Idempotent-Replay") != "" {
				t.Errorf("%s: answered %d, replay %q", k, got.status, got.header.Get("openwop-Idempotent-Replay"))
			}
		}
		kept := c.do("POST", "/v1/runs", noop, key(k)).want(http.StatusCreated)
		sameReply(t, kept, c.do("POST", "/v1/runs", noop, key(k)))
		c.do("POST", "/v1/runs", `{"workflowId":"assay-loop"}`, key(k)).wantError(http.StatusConflict, "idempotency_key_mismatch")
	}
	c.do("POST", "/v1/runs", noop, key("auth"), header{"Authorization", ""}).wantError(http.StatusUnauthorized, "unauthenticated")
	if got := c.do("POST", "/v1/runs", noop, key("auth")).want(http.StatusCreated); got.header.Get("openwop-Idempotent-Replay") != "" {
		t.Error("a refused credential was remembered")
	}
}

func TestFaultsAreNotKept(t *testing.T) {
	for status, kept := range map[int]bool{200: true, 201: true, 400: false, 401: false, 403: false, 404: true, 409: true, 410: true,
		422: true, 429: false, 500: false, 501: false, 503: false} {
		if got := record(&serving.Kept{Status: status}); got.Free == kept {
			t.Errorf("status %d is kept: %v, want %v", status, !got.Free, kept)
		}
	}
	busy := &serving.Kept{Status: http.StatusConflict}
	busy.Body.WriteString(`{"error":"run_already_active","message":"busy"}`)
	if got := record(busy); !got.Free {
		t.Error("a run that is busy now is remembered as busy for ever")
	}
}

func TestKeysOfDifferentEndpointsAreApart(t *testing.T) {
	c := serve(t, Options{})
	a, b := c.suspended(), c.suspended()
	for _, id := range []string{a.RunID, b.RunID} {
		got := c.do("POST", "/v1/runs/"+id+"/cancel", nil, key("same")).want(http.StatusOK)
		if decoded[openwopv1.CancelRunResponse](got).RunID != id || got.header.Get("openwop-Idempotent-Replay") != "" {
			t.Errorf("cancel of %s answers %s", id, got.body)
		}
		sameReply(t, got, c.do("POST", "/v1/runs/"+id+"/cancel", nil, key("same")))
		c.do("POST", "/v1/runs/"+id+"/cancel", `{"reason":"other"}`, key("same")).wantError(http.StatusConflict, "idempotency_key_mismatch")
	}
}

func TestAnAnswerIsTakenOnce(t *testing.T) {
	c := serve(t, Options{})
	waiting := c.suspended()
	path := "/v1/runs/" + waiting.RunID + "/interrupts/" + *waiting.CurrentNodeID
	first := c.do("POST", path, askUserAnswer, key("k")).want(http.StatusOK)
	c.until(waiting.RunID, openwopv1.RunStatusCompleted)
	sameReply(t, first, c.do("POST", path, askUserAnswer, key("k")))
}

func TestDuplicatesThatComeTogetherAreOneRun(t *testing.T) {
	c := serve(t, Options{})
	const n = 16
	replies := make([]reply, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { replies[i] = c.do("POST", "/v1/runs", noop, key("race")) })
	}
	all.Wait()
	firsts := 0
	for _, r := range replies {
		r.want(http.StatusCreated)
		if r.header.Get("openwop-Idempotent-Replay") == "" {
			firsts++
		}
		if got, want := decoded[openwopv1.CreateRunResponse](r).RunID, decoded[openwopv1.CreateRunResponse](replies[0]).RunID; got != want {
			t.Errorf("duplicates made the runs %s and %s", want, got)
		}
	}
	if firsts != 1 {
		t.Errorf("%d replies say they are the first", firsts)
	}
}

func TestKeysSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	c := serve(t, Options{DataDir: dir})
	first := c.do("POST", "/v1/runs", noop, key("k")).want(http.StatusCreated)
	fork := c.do("POST", "/v1/runs/"+c.settledNoop(first)+":fork", `{"mode":"replay"}`, key("k")).want(http.StatusCreated)
	c.stop()
	c = serve(t, Options{DataDir: dir})
	sameReply(t, first, c.do("POST", "/v1/runs", noop, key("k")))
	sameReply(t, fork, c.do("POST", "/v1/runs/"+decoded[openwopv1.CreateRunResponse](first).RunID+":fork", `{"mode":"replay"}`, key("k")))
	c.do("POST", "/v1/runs", `{"workflowId":"assay-loop"}`, key("k")).wantError(http.StatusConflict, "idempotency_key_mismatch")
}

func (c *client) settledNoop(created reply) string {
	c.t.Helper()
	id := decoded[openwopv1.CreateRunResponse](created).RunID
	c.until(id, openwopv1.RunStatusCompleted)
	return id
}

// A crash can come after the intent, after the run, or never: whichever it was, the retry finds one run.
func TestACrashBetweenIntentAndOutcomeMakesNoSecondRun(t *testing.T) {
	for _, crash := range []string{"before the run", "after the run"} {
		t.Run(crash, func(t *testing.T) {
			dir := t.TempDir()
			c := serve(t, Options{DataDir: dir})
			ids := map[string]bool{}
			if crash == "after the run" {
				ids[decoded[openwopv1.CreateRunResponse](c.do("POST", "/v1/runs", noop, key("k")).want(http.StatusCreated)).RunID] = true
			}
			c.stop()
			forgetOutcome(t, dir, keyLog(DefaultTenant, "POST /v1/runs", "k"), crash == "before the run")
			c = serve(t, Options{DataDir: dir})
			c.do("POST", "/v1/runs", `{"workflowId":"assay-loop"}`, key("k")).wantError(http.StatusConflict, "idempotency_key_mismatch")
			for range 3 {
				ids[decoded[openwopv1.CreateRunResponse](c.do("POST", "/v1/runs", noop, key("k")).want(http.StatusCreated)).RunID] = true
			}
			if len(ids) != 1 {
				t.Errorf("one key made the runs %v", ids)
			}
			for id := range ids {
				c.until(id, openwopv1.RunStatusCompleted)
				started := 0
				for _, e := range c.poll(id, "").Events {
					if e.Type == openwopv1.RunEventTypeRunStarted {
						started++
					}
				}
				if started != 1 {
					t.Errorf("the run started %d times", started)
				}
			}
		})
	}
}

// forgetOutcome leaves in the log of a key what a crash would have left: the intent alone. The log is append-only, so the
// intent of a run that was made is appended once more.
func forgetOutcome(t *testing.T, dir, log string, first bool) {
	t.Helper()
	store, err := eventlog.Open(t.Context(), eventlog.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	keys := &idempotency{store: store}
	state, err := keys.load(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	intent := keyRecord{Body: state.Body, Token: state.Token}
	if first {
		request := httptest.NewRequest(http.MethodPost, "/v1/runs", nil)
		request.Body = contract.NewBody([]byte(noop))
		body := must(bodyDigest(request))
		intent = keyRecord{Body: body, Token: token(log, body, 0)}
	}
	if err := keys.append(t.Context(), &state, intent); err != nil {
		t.Fatal(err)
	}
}

func TestDigestsKeepPartsApart(t *testing.T) {
	if digest("ab", "c") == digest("a", "bc") || digest("a") == digest("a", "") {
		t.Error("different lists have one digest")
	}
	if len(keyLog("t", "POST /v1/runs", strings.Repeat("k", 255))) > 64 {
		t.Error("the name of a key's log grows with the key")
	}
	if _, err := json.Marshal(keyRecord{Status: 201, Reply: json.RawMessage(`{"a":1}`)}); err != nil {
		t.Error(err)
	}
}
