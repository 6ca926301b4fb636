package wire_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios/wire"
)

func inbox(t *testing.T, limits wire.Limits, url string) (*wire.Client, *wire.Inbox) {
	t.Helper()
	n, err := wire.NewNetwork(wire.Target{URL: url, Key: "a-key-of-ours"}, wire.Options{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	c := n.Client("inbox")
	t.Cleanup(c.Close)
	b, err := c.Listen(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return c, b
}

func post(t *testing.T, url, body string) int {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	return r.StatusCode
}

// Requests of the target are recorded like its replies, without keys.
func TestWhatComesIsRecorded(t *testing.T) {
	c, b := inbox(t, wire.DefaultLimits(), "http://127.0.0.1:1")
	if got := post(t, b.URL+"/a", `{"attempt":2,"key":"a-key-of-ours"}`); got != http.StatusNoContent {
		t.Fatalf("HTTP %d", got)
	}
	post(t, b.URL+"/b", `no JSON`)
	got := b.Received()
	if len(got) != 2 || got[0].Key("attempt").JSON() != "2" || got[1].Present() {
		t.Fatalf("received %v", got)
	}
	if key := got[0].Key("key").String(); strings.Contains(key, "a-key") {
		t.Errorf("the key stands in the record: %s", key)
	}
	raw, err := json.Marshal(struct{ V wire.Values }{got})
	if err != nil {
		t.Fatal(err)
	}
	var again struct{ V wire.Values }
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	if err := wire.Bind(&again, c.Transcript()); err != nil || again.V[0].Key("attempt").JSON() != "2" {
		t.Errorf("bound again: %v, %v", again.V, err)
	}
}

func TestAnInboxIsBounded(t *testing.T) {
	limits := wire.DefaultLimits()
	limits.BodyBytes, limits.Depth = 100, 3
	_, b := inbox(t, limits, "http://127.0.0.1:1")
	for _, c := range []struct {
		body string
		want int
	}{
		{`{"a":"` + strings.Repeat("x", 200) + `"}`, http.StatusRequestEntityTooLarge},
		{`[[[[1]]]]`, http.StatusBadRequest},
		{`{"a":1}`, http.StatusNoContent},
	} {
		if got := post(t, b.URL, c.body); got != c.want {
			t.Errorf("%.20s: HTTP %d, want %d", c.body, got, c.want)
		}
	}
	if n := len(b.Received()); n != 1 {
		t.Errorf("%d were kept, want 1", n)
	}
}

func TestWhoReachesTheLoopback(t *testing.T) {
	for url, want := range map[string]bool{"http://127.0.0.1:1": true, "http://localhost:1": true,
		"http://[::1]:1": true, "http://example.org": false, "http://10.0.0.1": false} {
		if c, _ := inbox(t, wire.DefaultLimits(), url); c.OnThisMachine() != want {
			t.Errorf("%s: %t", url, !want)
		}
	}
}
