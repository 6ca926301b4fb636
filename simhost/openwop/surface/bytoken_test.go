package surface

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

// nobody is a caller without credentials.
var nobody = header{"Authorization", ""}

// ask starts a run that asks somebody something, and returns it as it waits.
func (c *client) ask() openwopv1.RunSnapshot {
	c.t.Helper()
	s := c.until(c.create("assay-loop-ask-user", nil), openwopv1.RunStatusWaitingInput)
	if s.Interrupt == nil || s.Interrupt.InterruptToken == nil || s.Interrupt.CallbackURL == nil {
		c.t.Fatalf("the waiting run shows no token: %s", must(json.Marshal(s.Interrupt)))
	}
	return s
}

func (c *client) inspect(s openwopv1.RunSnapshot) openwopv1.InterruptInspection {
	c.t.Helper()
	return decoded[openwopv1.InterruptInspection](c.do("GET", *s.Interrupt.CallbackURL, nil, nobody).want(http.StatusOK))
}

func TestTokenAnswersItsInterrupt(t *testing.T) {
	c := serve(t, Options{Clock: clock.NewManual(noon)})
	s := c.ask()
	if want := "/v1/interrupts/" + *s.Interrupt.InterruptToken; *s.Interrupt.CallbackURL != want {
		t.Errorf("the callback URL is %q, want %q", *s.Interrupt.CallbackURL, want)
	}
	if want := noon.Add(30 * time.Minute); !s.Interrupt.ExpiresAt.Equal(want) {
		t.Errorf("the token ends at %v, want %v", s.Interrupt.ExpiresAt, want)
	}
	if again := c.run(s.RunID); *again.Interrupt.InterruptToken != *s.Interrupt.InterruptToken {
		t.Error("the interrupt shows another token the second time")
	}
	want := openwopv1.InterruptInspection{
		Kind: openwopv1.InterruptKindClarification, Key: *s.Interrupt.Key, Data: s.Interrupt.Data, ExpiresAt: s.Interrupt.ExpiresAt,
	}
	if diff := cmp.Diff(want, c.inspect(s)); diff != "" {
		t.Errorf("the inspection (-want +got)\n%s", diff)
	}
	before := c.poll(s.RunID, "")
	for _, wrong := range []string{`{"resumeValue":null}`, `{"resumeValue":7}`, `{}`, `{"resumeValue":{"answers":{"q2":"yes"}}}`, `{`} {
		c.do("POST", *s.Interrupt.CallbackURL, wrong, nobody).wantError(http.StatusBadRequest, "validation_error")
	}
	if diff := cmp.Diff(before, c.poll(s.RunID, "")); diff != "" {
		t.Errorf("refused answers moved the run (-before +after)\n%s", diff)
	}
	got := decoded[openwopv1.ResolveInterruptResponse](c.do("POST", *s.Interrupt.CallbackURL, askUserAnswer, nobody).want(http.StatusOK))
	if got.RunID != s.RunID || got.NodeID != *s.CurrentNodeID {
		t.Errorf("the answer is answered with %+v", got)
	}
	c.until(s.RunID, openwopv1.RunStatusCompleted)
	if got := iterations(t, c.poll(s.RunID, "").Events); !cmp.Equal(got, count(4)) {
		t.Errorf("the iterations are %v, want 1 to 4", got)
	}
	c.spent(s)
}

// spent holds that nothing more comes of a token whose interrupt was answered.
func (c *client) spent(s openwopv1.RunSnapshot) {
	c.t.Helper()
	before := c.poll(s.RunID, "")
	if !c.inspect(s).Resolved {
		c.t.Error("the answered interrupt is not shown as resolved")
	}
	c.do("POST", *s.Interrupt.CallbackURL, askUserAnswer, nobody).wantError(http.StatusConflict, "interrupt_already_resolved")
	if diff := cmp.Diff(before, c.poll(s.RunID, "")); diff != "" {
		c.t.Errorf("the second answer moved the run (-before +after)\n%s", diff)
	}
}

func TestTokenOfAnInterruptThatWasAnsweredByNode(t *testing.T) {
	c := serve(t, Options{})
	s := c.ask()
	c.answer(s)
	c.until(s.RunID, openwopv1.RunStatusCompleted)
	c.spent(s)
}

// The next question at the same node has a token of its own, and the first token does not answer it.
func TestTokenOfTheNextQuestion(t *testing.T) {
	c := serve(t, Options{})
	ask := map[string]any{"kind": "ask-user", "prompt": "And now?"}
	id := c.create("assay-loop", map[string]any{"inputs": map[string]any{"plan": []any{ask, ask, map[string]any{"kind": "terminate"}}}})
	first := c.until(id, openwopv1.RunStatusWaitingInput)
	c.do("POST", *first.Interrupt.CallbackURL, askUserAnswer, nobody).want(http.StatusOK)
	second := c.until(id, openwopv1.RunStatusWaitingInput)
	for deadline := time.Now().Add(patience); *second.Interrupt.InterruptID == *first.Interrupt.InterruptID; second = c.until(id,
		openwopv1.RunStatusWaitingInput) {
		if time.Now().After(deadline) {
			t.Fatal("the second question does not come")
		}
	}
	c.spent(first)
	if c.inspect(second).Resolved {
		t.Error("the second question is resolved")
	}
	c.do("POST", *second.Interrupt.CallbackURL, askUserAnswer, nobody).want(http.StatusOK)
	c.until(id, openwopv1.RunStatusCompleted)
	c.spent(second)
}

func TestTokenOfAStoppedRun(t *testing.T) {
	c := serve(t, Options{})
	s := c.ask()
	c.do("POST", "/v1/runs/"+s.RunID+"/cancel", nil).want(http.StatusOK)
	c.until(s.RunID, openwopv1.RunStatusCancelled)
	if !c.inspect(s).Resolved {
		t.Error("an interrupt that nobody can answer is shown as open")
	}
	// The protocol has a code of its own for either way.
	c.do("POST", "/v1/runs/"+s.RunID+"/interrupts/"+*s.CurrentNodeID, askUserAnswer).wantError(http.StatusGone, "interrupt_gone")
	c.do("POST", *s.Interrupt.CallbackURL, askUserAnswer, nobody).wantError(http.StatusConflict, "interrupt_already_resolved")
}

func TestTokenExpires(t *testing.T) {
	now := clock.NewManual(noon)
	c := serve(t, Options{Clock: now})
	open, answered := c.ask(), c.ask()
	c.answer(answered)
	c.until(answered.RunID, openwopv1.RunStatusCompleted)
	now.Advance(30*time.Minute - time.Microsecond)
	c.inspect(open)
	now.Advance(time.Microsecond)
	for _, s := range []openwopv1.RunSnapshot{open, answered} {
		c.do("GET", *s.Interrupt.CallbackURL, nil, nobody).wantError(http.StatusGone, "interrupt_expired")
		c.do("POST", *s.Interrupt.CallbackURL, askUserAnswer, nobody).wantError(http.StatusGone, "interrupt_expired")
	}
	// The interrupt itself has no end: whoever has a key still answers it.
	if again := c.run(open.RunID); *again.Interrupt.InterruptToken != *open.Interrupt.InterruptToken {
		t.Error("the interrupt got another token")
	}
	c.answer(open)
	c.until(open.RunID, openwopv1.RunStatusCompleted)
}

func TestTokenOutlivesTheProcess(t *testing.T) {
	for name, seed := range map[string][2]uint64{"without a seed": {0, 0}, "with a seed": {7, 7}, "with another seed": {7, 8}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c := serve(t, Options{DataDir: dir, Seed: seed[0]})
			s := c.ask()
			c.stop()
			c = serve(t, Options{DataDir: dir, Seed: seed[1]})
			if again := c.run(s.RunID); *again.Interrupt.InterruptToken != *s.Interrupt.InterruptToken {
				t.Error("the restarted host shows another token")
			}
			c.do("POST", *s.Interrupt.CallbackURL, askUserAnswer, nobody).want(http.StatusOK)
			c.until(s.RunID, openwopv1.RunStatusCompleted)
			c.spent(s)
		})
	}
}

func TestTokenOfOneRunDoesNotAnswerAnother(t *testing.T) {
	c := serve(t, Options{})
	one, other := c.ask(), c.ask()
	before := c.poll(other.RunID, "")
	c.do("POST", *one.Interrupt.CallbackURL, askUserAnswer, nobody).want(http.StatusOK)
	c.until(one.RunID, openwopv1.RunStatusCompleted)
	if diff := cmp.Diff(before, c.poll(other.RunID, "")); diff != "" || c.inspect(other).Resolved {
		t.Errorf("the other run moved (-before +after)\n%s", diff)
	}
	said, signed, _ := strings.Cut(*one.Interrupt.InterruptToken, ".")
	otherSaid, otherSigned, _ := strings.Cut(*other.Interrupt.InterruptToken, ".")
	for _, mixed := range []string{otherSaid + "." + signed, said + "." + otherSigned} {
		c.do("POST", tokenPrefix+mixed, askUserAnswer, nobody).wantError(http.StatusNotFound, "interrupt_not_found")
	}
	if got := c.run(other.RunID); got.Status != openwopv1.RunStatusWaitingInput {
		t.Errorf("the other run is %s", got.Status)
	}
}

func TestForgedTokens(t *testing.T) {
	c := serve(t, Options{})
	s, stranger := c.ask(), serve(t, Options{}).ask()
	token := *s.Interrupt.InterruptToken
	said, signed, _ := strings.Cut(token, ".")
	payload := string(must(base64.RawURLEncoding.DecodeString(said)))
	encode := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	longer := strings.Replace(payload, s.Interrupt.ExpiresAt.Format("2006"), "2999", 1)
	if longer == payload {
		t.Fatalf("the payload %s does not say when the token ends", payload)
	}
	forged := map[string]string{
		"no token":                   "x",
		"no signature":               said,
		"an empty signature":         said + ".",
		"only a signature":           "." + signed,
		"a point":                    "%2E",
		"a longer life":              encode(longer) + "." + signed,
		"the other way round":        signed + "." + said,
		"a third part":               token + ".x",
		"padding":                    token + "=",
		"a line break":               token + "%0A",
		"a line break in front":      "%0A" + token,
		"a shorter signature":        token[:len(token)-1],
		"of another host":            *stranger.Interrupt.InterruptToken,
		"payload of another":         encode(`{"v":1}`) + "." + signed,
		"a slash":                    said + "%2F." + signed,
		"the last character changed": token[:len(token)-1] + string(token[len(token)-1]^1),
		"too long for any":           strings.Repeat("a", 2048),
	}
	for name, forgery := range forged {
		for _, method := range []string{"GET", "POST"} {
			var body any
			if method == "POST" {
				body = askUserAnswer
			}
			if got := c.do(method, tokenPrefix+forgery, body, nobody); got.status != http.StatusNotFound ||
				decoded[openwopv1.ErrorEnvelope](got).Error != "interrupt_not_found" {
				t.Errorf("%s: %s answers %d %s", name, method, got.status, got.body)
			}
		}
	}
	c.do("GET", tokenPrefix+strings.Repeat("a", 2049), nil, nobody).wantError(http.StatusNotFound, "not_found")
	if got := c.run(s.RunID); got.Status != openwopv1.RunStatusWaitingInput {
		t.Errorf("the run is %s", got.Status)
	}
}

// A key from a seed signs the same way on every host. A token that it signed for a run that is not here opens nothing.
func TestTokenOfARunThatIsNotHere(t *testing.T) {
	s := serve(t, Options{Seed: 7}).ask()
	c := serve(t, Options{Seed: 7})
	c.do("GET", *s.Interrupt.CallbackURL, nil, nobody).wantError(http.StatusNotFound, "interrupt_not_found")
	c.do("POST", *s.Interrupt.CallbackURL, askUserAnswer, nobody).wantError(http.StatusNotFound, "interrupt_not_found")
	if twin := c.ask(); twin.RunID != s.RunID {
		t.Errorf("the seed makes run %s, and then %s", s.RunID, twin.RunID)
	}
}

// The token is the credential: none, a wrong one and the right one beside it make no difference. Around it the key is
// asked for as everywhere.
func TestTokenNeedsNoKey(t *testing.T) {
	c := serve(t, Options{Key: "right"})
	s := c.ask()
	for _, credentials := range []string{"", "Bearer wrong", "Basic x", "Bearer right"} {
		c.do("GET", *s.Interrupt.CallbackURL, nil, nobody, header{"Authorization", credentials}).want(http.StatusOK)
	}
	for _, path := range []string{
		"/v1/interrupts", "/v1/interrupts/", "/v1/interrupts/x/y", "/v1/interrupts//x", "/v1/interrupts/../runs/" + s.RunID,
		"/v1/interrupts/x/../../runs/" + s.RunID, "/v1/%69nterrupts/x/y",
	} {
		c.do("GET", path, nil, nobody).wantError(http.StatusUnauthorized, "unauthenticated")
	}
	c.do("GET", "/v1/interrupts/..%2Fruns%2F"+s.RunID, nil, nobody).wantError(http.StatusNotFound, "interrupt_not_found")
	c.do("DELETE", *s.Interrupt.CallbackURL, nil, nobody).wantError(http.StatusMethodNotAllowed, "method_not_allowed")
	c.do("POST", *s.Interrupt.CallbackURL, askUserAnswer, nobody, header{"Authorization", "Bearer wrong"}).want(http.StatusOK)
	c.until(s.RunID, openwopv1.RunStatusCompleted)
}

func TestNoTokensWhereTheyAreOff(t *testing.T) {
	seeded := serve(t, Options{Seed: 7}).ask()
	c := serve(t, Options{Seed: 7, Without: []string{"interruptTokens"}})
	s := c.until(c.create("assay-loop-ask-user", nil), openwopv1.RunStatusWaitingInput)
	if s.RunID != seeded.RunID || s.Interrupt.InterruptToken != nil || s.Interrupt.CallbackURL != nil || !s.Interrupt.ExpiresAt.IsZero() {
		t.Errorf("run %s waits with %s", s.RunID, must(json.Marshal(s.Interrupt)))
	}
	// Not even a token that would be genuine.
	c.do("GET", *seeded.Interrupt.CallbackURL, nil, nobody).wantError(http.StatusNotFound, "interrupt_not_found")
	c.do("POST", *seeded.Interrupt.CallbackURL, askUserAnswer, nobody).wantError(http.StatusNotFound, "interrupt_not_found")
	c.answer(s)
	c.until(s.RunID, openwopv1.RunStatusCompleted)
}

// A stream of snapshots shows what the snapshot shows.
func TestTokenInAStreamOfSnapshots(t *testing.T) {
	c := serve(t, Options{})
	s := c.ask()
	stream := c.stream(s.RunID, "streamMode=values")
	f, ok := stream.next()
	var streamed openwopv1.RunSnapshot
	if !ok || json.Unmarshal([]byte(f.data), &streamed) != nil {
		t.Fatalf("the stream begins with %+v", f)
	}
	if diff := cmp.Diff(s, streamed); diff != "" {
		t.Errorf("(-snapshot +stream)\n%s", diff)
	}
	c.answer(s)
	for _, f := range stream.rest() {
		if strings.Contains(f.data, *s.Interrupt.InterruptToken) {
			t.Errorf("the answered interrupt still has its token: %s", f.data)
		}
	}
	for _, e := range c.poll(s.RunID, "").Events {
		if strings.Contains(string(e.Payload), *s.Interrupt.InterruptToken) {
			t.Errorf("the log gives the token away: %s", e.Payload)
		}
	}
}

// A start that fails lets go of the folder: the next one finds it free.
func TestADamagedKeyIsNotSignedWith(t *testing.T) {
	dir := t.TempDir()
	store := must(eventlog.Open(t.Context(), eventlog.Options{Dir: dir}))
	last := must(store.Append(t.Context(), signerLog, 0, nil))
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), Options{DataDir: dir}); err == nil || !strings.Contains(err.Error(), "has 0 bytes, not 32") {
		t.Fatalf("the host starts with %v", err)
	}
	store = must(eventlog.Open(t.Context(), eventlog.Options{Dir: dir}))
	must(store.Append(t.Context(), signerLog, last, make([]byte, 32)))
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	serve(t, Options{DataDir: dir}).ask()
}

// What is written for the operator holds no credential.
func TestTheLogHoldsNoToken(t *testing.T) {
	var written bytes.Buffer
	c := serve(t, Options{Logger: slog.New(slog.NewTextHandler(&written, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	s := c.ask()
	c.do("POST", *s.Interrupt.CallbackURL, `{"resumeValue":7}`, nobody).want(http.StatusBadRequest)
	c.do("DELETE", *s.Interrupt.CallbackURL, nil, nobody).want(http.StatusMethodNotAllowed)
	c.do("GET", *s.Interrupt.CallbackURL+"/more", nil).want(http.StatusNotFound)
	c.stop()
	if log := written.String(); !strings.Contains(log, tokenPrefix) || strings.Contains(log, *s.Interrupt.InterruptToken) {
		t.Errorf("the log says\n%s", log)
	}
}
