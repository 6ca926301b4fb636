package wire_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

const key = "k-3f9a-very-secret"

func client(t *testing.T, h http.Handler, change func(*wire.Limits)) *wire.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	limits := wire.DefaultLimits()
	if change != nil {
		change(&limits)
	}
	n, err := wire.NewNetwork(wire.Target{URL: server.URL, Key: key}, wire.Options{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	c := n.Client("drive")
	t.Cleanup(c.Close)
	return c
}

func reply(body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, body)
	})
}

func get(t *testing.T, c *wire.Client) (*wire.Reply, error) {
	t.Helper()
	return c.Do(t.Context(), wire.Call{Method: "GET", Path: "/x", Label: "look"})
}

func TestAValueRemembersWhereItStood(t *testing.T) {
	c := client(t, reply(`{"runId":"r-1","events":[{"sequence":0},{"sequence":1.0,"a/b":{"~":true}}]}`), nil)
	r, err := get(t, c)
	if err != nil {
		t.Fatal(err)
	}
	second := r.Value("/events").Items()[1]
	if n, ok := second.Key("sequence").Int(); !ok || n != 1 {
		t.Errorf("sequence 1.0 = %d, %v; JSON Schema calls it the integer 1", n, ok)
	}
	deep := second.Key("a/b").Key("~")
	if on, ok := deep.Bool(); !on || !ok {
		t.Errorf("escaped keys: got %s", deep.JSON())
	}
	if got := deep.Ref().String(); got != "#1 /events/1/a~1b/~0" {
		t.Errorf("it stood at %q", got)
	}
	if r.Value("/none").Present() || r.Value("/events/7").Present() || r.Value("/runId/x").Present() {
		t.Error("what is not there is present")
	}
	if s := r.StatusValue(); s.JSON() != "200" {
		t.Errorf("status is %s", s.JSON())
	}
}

func TestTheKeyReachesTheTargetButNoRecord(t *testing.T) {
	c := client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer "+key {
			t.Errorf("the target got %q", got)
		}
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"error":"forbidden","message":"no such key %s"}`, key)
	}), nil)
	r, err := get(t, c)
	if err != nil {
		t.Fatal(err)
	}
	record, err := json.Marshal(c.Transcript())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(record, []byte(key)) {
		t.Errorf("the record holds the key: %s", record)
	}
	if v := r.Value("/message").String(); v != "no such key <secret:1>" {
		t.Errorf("a judge sees %q", v)
	}
}

// No record has values of the operator's own headers. A secret among them is hidden wherever the target sends it, a
// tenant's name is not.
func TestTheOperatorsHeadersAreInNoRecord(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"token":"%s","runId":"%s-1","learned":"tok-learned-77"}`, r.Header.Get("X-Api-Token"), r.Header.Get("X-Tenant"))
	}))
	defer server.Close()
	n, err := wire.NewNetwork(wire.Target{URL: server.URL, Key: "dev",
		Header: map[string]string{"X-Api-Token": "t-99-secret", "X-Tenant": "acme", "Authorization": "Bearer other-7711"}},
		wire.Options{Limits: wire.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	c := n.Client("d")
	defer c.Close()
	r, err := c.Do(t.Context(), wire.Call{Method: "GET", Path: "/x", Secrets: []string{"/learned"}})
	if err != nil {
		t.Fatal(err)
	}
	record, err := json.Marshal(c.Transcript())
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"t-99-secret", "other-7711", "Bearer", "tok-learned-77", `"acme"`} {
		if bytes.Contains(record, []byte(secret)) {
			t.Errorf("the record holds %q: %s", secret, record)
		}
	}
	if id := r.Text("/runId"); id != "acme-1" || r.Value("/runId").String() != id {
		t.Errorf("the id became %q and %s", id, r.Value("/runId").JSON())
	}
	if r.Text("/learned") != "tok-learned-77" {
		t.Error("the drive cannot use what it learned")
	}
}

// Each credential is sent by its client only. The record says whose it was, and holds none.
func TestWhoeverElseSends(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"key":"%s"}`, r.Header.Get("Authorization"))
	}))
	defer server.Close()
	n, err := wire.NewNetwork(wire.Target{URL: server.URL, Key: "k-first-11", OtherKey: "k-other-22",
		VoterKeys: []string{"k-voter-33", "k-voter-44"}, LowScopeKey: "k-low-55"},
		wire.Options{Limits: wire.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	c := n.Client("d")
	defer c.Close()
	for i, ask := range []struct {
		by        *wire.Client
		key, kept string
	}{
		{c, "k-first-11", "<secret>"}, {c.Other(), "k-other-22", "<secret of the other tenant>"},
		{c.Other().Other(), "k-other-22", "<secret of the other tenant>"},
		{c.Voter(0), "k-voter-33", "<secret of voter 1>"}, {c.Voter(0).Voter(1), "k-voter-44", "<secret of voter 2>"},
		{c.LowScope(), "k-low-55", "<secret of low scope>"},
	} {
		r, err := ask.by.Do(t.Context(), wire.Call{Method: "GET", Path: "/x"})
		if err != nil {
			t.Fatal(err)
		}
		got, kept := r.Text("/key"), c.Transcript().Entry(i + 1).Request.Header["Authorization"]
		if got != "Bearer "+ask.key || kept != ask.kept {
			t.Errorf("request %d was sent with %q and is kept with %q", i+1, got, kept)
		}
	}
	record, err := json.Marshal(c.Transcript())
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"k-first-11", "k-other-22", "k-voter-33", "k-voter-44", "k-low-55"} {
		if bytes.Contains(record, []byte(key)) {
			t.Errorf("the record holds the key %s: %s", key, record)
		}
	}
}

func TestNobodyElse(t *testing.T) {
	n, err := wire.NewNetwork(wire.Target{URL: "http://127.0.0.1:1", Key: "k"}, wire.Options{Limits: wire.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	c := n.Client("d")
	defer c.Close()
	if c.Other() != nil || c.LowScope() != nil {
		t.Error("there is somebody else without a key")
	}
	for i := -1; i < 2; i++ {
		if c.Voter(i) != nil {
			t.Errorf("there is a voter %d without a key", i)
		}
	}
}

func TestLimitsOfOneReply(t *testing.T) {
	gzipped := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		z.Write(bytes.Repeat([]byte(" "), 1<<20))
		z.Close()
	})
	for name, h := range map[string]http.Handler{
		"a long body":          reply(`"` + strings.Repeat("x", 5000) + `"`),
		"a gzip bomb":          gzipped,
		"deep nesting":         reply(strings.Repeat("[", 65) + strings.Repeat("]", 65)),
		"a number of 65 digit": reply(`{"n":` + strings.Repeat("9", 65) + `}`),
		"invalid UTF-8":        reply("{\"a\":\"\xff\"}"),
		"a member twice":       reply(`{"a":1,"b":{},"\u0061":2}`),
		"a list of nothings":   reply("[" + strings.Repeat("0,", 1900) + "0]"),
		"a redirect loop": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/y", http.StatusFound)
		}),
		"headers without end": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("h", 100_000))
		}),
	} {
		t.Run(name, func(t *testing.T) {
			c := client(t, h, func(l *wire.Limits) { l.BodyBytes, l.DocumentBytes = 4000, 100_000 })
			_, err := get(t, c)
			if !errors.Is(err, wire.ErrOverLimit) && !errors.Is(err, wire.ErrNoAnswer) && !errors.Is(err, wire.ErrUnreadable) {
				t.Fatalf("got %v, want the limit to be named", err)
			}
			if e := c.Transcript().Entry(1); e == nil || e.Error == "" {
				t.Error("the record does not say what happened")
			}
		})
	}
}

func TestARedirectToAnotherOriginIsNotFollowed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the other origin was asked") }))
	defer other.Close()
	c := client(t, http.RedirectHandler(other.URL+"/steal", http.StatusFound), nil)
	r, err := get(t, c)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != http.StatusFound {
		t.Errorf("status %d, want the redirect itself", r.Status)
	}
}

func TestATargetThatIsNotThere(t *testing.T) {
	server := httptest.NewServer(nil)
	url := server.URL
	server.Close()
	n, err := wire.NewNetwork(wire.Target{URL: url}, wire.Options{Limits: wire.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Client("d").Do(t.Context(), wire.Call{Method: "GET", Path: "/"}); !errors.Is(err, wire.ErrNoAnswer) {
		t.Fatalf("got %v, want ErrNoAnswer", err)
	}
}

func TestATargetThatNeverAnswersIsGivenUp(t *testing.T) {
	stuck := make(chan struct{})
	c := client(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-stuck:
		case <-r.Context().Done():
		}
	}), func(l *wire.Limits) { l.Request = 20 * time.Millisecond })
	defer close(stuck)
	if _, err := get(t, c); !errors.Is(err, wire.ErrNoAnswer) {
		t.Fatalf("got %v, want ErrNoAnswer", err)
	}
}

func TestOurOwnCancellationIsNotTheTargetsFault(t *testing.T) {
	started := make(chan struct{})
	c := client(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(started)
		<-r.Context().Done()
	}), nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	_, err := c.Do(ctx, wire.Call{Method: "GET", Path: "/"})
	if !errors.Is(err, context.Canceled) || errors.Is(err, wire.ErrNoAnswer) {
		t.Fatalf("got %v, want a cancellation", err)
	}
}

func TestBind(t *testing.T) {
	type observation struct {
		One  wire.Value
		Many wire.Values
		Map  map[string]wire.Value
		Wait wire.Wait
		N    int
	}
	c := client(t, reply(`{"a":[1,"two",null]}`), nil)
	r, err := get(t, c)
	if err != nil {
		t.Fatal(err)
	}
	items := r.Value("/a").Items()
	o := observation{One: r.StatusValue(), Many: items, Map: map[string]wire.Value{"x": items[1]},
		Wait: wire.Wait{Reached: true, Last: items[0]}, N: 7}
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(raw, []byte("two")) {
		t.Fatalf("an observation on disk carries a value beside its transcript: %s", raw)
	}
	var again observation
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	if err := wire.Bind(&again, c.Transcript()); err != nil {
		t.Fatal(err)
	}
	for what, pair := range map[string][2]wire.Value{
		"status": {o.One, again.One}, "item": {o.Many[1], again.Many[1]}, "null": {o.Many[2], again.Many[2]},
		"map": {o.Map["x"], again.Map["x"]}, "wait": {o.Wait.Last, again.Wait.Last},
	} {
		if pair[0].JSON() != pair[1].JSON() || pair[0].Ref() != pair[1].Ref() {
			t.Errorf("%s: %s at %s became %s at %s", what, pair[0].JSON(), pair[0].Ref(), pair[1].JSON(), pair[1].Ref())
		}
	}
	var lost observation
	if err := json.Unmarshal(raw, &lost); err != nil {
		t.Fatal(err)
	}
	if err := wire.Bind(&lost, &wire.Transcript{Drive: "drive"}); err == nil {
		t.Error("a transcript without the exchange was accepted")
	}
}

func TestParseBase(t *testing.T) {
	for _, bad := range []string{"", "localhost:7411", "ftp://h/", "http://", "http://h/?q=1", "http://h/#f", "simhost"} {
		if _, err := wire.ParseBase(bad); err == nil || !strings.Contains(err.Error(), "base URL") {
			t.Errorf("%q: got %v, want the form of a base URL", bad, err)
		}
	}
	u, err := wire.ParseBase("https://host/prefix/")
	if err != nil || u.String() != "https://host/prefix" {
		t.Errorf("got %v, %v", u, err)
	}
}

func TestRatePacesRequests(t *testing.T) {
	server := httptest.NewServer(reply("{}"))
	defer server.Close()
	n, err := wire.NewNetwork(wire.Target{URL: server.URL}, wire.Options{Limits: wire.DefaultLimits(), Rate: 100})
	if err != nil {
		t.Fatal(err)
	}
	c := n.Client("d")
	defer c.Close()
	start := time.Now()
	for range 4 {
		if _, err := get(t, c); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(start); took < 30*time.Millisecond { // a lower bound, so a slow machine passes
		t.Errorf("four requests at 100 a second took %s, want at least 30ms", took)
	}
}

func TestABodyTellsTheKeyAndNoRecordHoldsIt(t *testing.T) {
	const key = `a "quoted" key`
	told := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Text string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		told <- body.Text
		if err := json.NewEncoder(w).Encode(body); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	n, err := wire.NewNetwork(wire.Target{URL: server.URL, HostSecret: key}, wire.Options{Limits: wire.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	c := n.Client("drive")
	defer c.Close()
	reply, err := c.Do(t.Context(), wire.Call{Method: http.MethodPost, Path: "/", Body: map[string]string{"text": "so: " + wire.HostSecret}})
	if err != nil {
		t.Fatal(err)
	}
	if got := <-told; got != "so: "+key {
		t.Errorf("the host was told %q", got)
	}
	if got := reply.Value("/Text").String(); got != "so: <secret:1>" {
		t.Errorf("a judge is shown %q", got)
	}
	raw, err := json.Marshal(c.Transcript())
	if err != nil || strings.Contains(string(raw), "quoted") {
		t.Errorf("the record holds the key, or %v: %s", err, raw)
	}
	if n := c.HostSecretLength(); n != len(key) {
		t.Errorf("the secret has %d characters", n)
	}
}
