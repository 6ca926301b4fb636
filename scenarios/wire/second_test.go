package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios/wire"
)

// echo replies with its own name and with the credentials of the request.
func echo(t *testing.T, name string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusTemporaryRedirect)
			return
		}
		fmt.Fprintf(w, `{"host":"%s","key":"%s","team":"%s"}`, name, r.Header.Get("Authorization"), r.Header.Get("X-Team"))
	}))
	t.Cleanup(server.Close)
	return server
}

// Credentials of one host are not sent to the other.
func TestSecondHost(t *testing.T) {
	first, second := echo(t, "first"), echo(t, "second")
	n, err := wire.NewNetwork(wire.Target{
		URL: first.URL, Key: "k-first-11", SecondURL: second.URL, SecondKey: "k-second-22", Header: map[string]string{"X-Team": "acme"},
	}, wire.Options{Limits: wire.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	c := n.Client("d")
	defer c.Close()
	for i, ask := range []struct {
		by                    *wire.Client
		host, key, team, kept string
	}{
		{c, "first", "Bearer k-first-11", "acme", "<secret>"},
		{c.Second(), "second", "Bearer k-second-22", "", "<secret of the second host>"},
		{c.Second().Second(), "second", "Bearer k-second-22", "", "<secret of the second host>"},
	} {
		r, err := ask.by.Do(t.Context(), wire.Call{Method: "GET", Path: "/x"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Text("/host") != ask.host || r.Text("/key") != ask.key || r.Text("/team") != ask.team {
			t.Errorf("request %d came as %s", i+1, r.Body)
		}
		if kept := c.Transcript().Entry(i + 1).Request; kept.Header["Authorization"] != ask.kept {
			t.Errorf("request %d to %s is kept with %q", i+1, kept.URL, kept.Header["Authorization"])
		}
	}
	// A redirect from one to the other is not followed.
	for _, way := range []struct {
		by *wire.Client
		to string
	}{{c, second.URL}, {c.Second(), first.URL}} {
		r, err := way.by.Do(t.Context(), wire.Call{Method: "GET", Path: "/away?to=" + way.to + "/x"})
		if err != nil || r.Status != http.StatusTemporaryRedirect {
			t.Errorf("a redirect to %s was followed: %v, %v", way.to, r, err)
		}
	}
	record, err := json.Marshal(c.Transcript())
	if err != nil || bytes.Contains(record, []byte("k-first-11")) || bytes.Contains(record, []byte("k-second-22")) {
		t.Errorf("the record holds a key (%v)", err)
	}
}

func TestNoSecondHost(t *testing.T) {
	n, err := wire.NewNetwork(wire.Target{URL: "http://127.0.0.1:1"}, wire.Options{Limits: wire.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	c := n.Client("d")
	defer c.Close()
	if c.Second() != nil {
		t.Error("there is a second host that nobody named")
	}
	_, err = wire.NewNetwork(wire.Target{URL: "http://127.0.0.1:1", SecondURL: "b.example"}, wire.Options{})
	if err == nil || !strings.Contains(err.Error(), "second host") {
		t.Errorf("an address that is none: %v", err)
	}
}
