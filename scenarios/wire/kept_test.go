package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// network returns the network of a host that always gives the same reply.
func network(t *testing.T, body string, edit func(*wire.Limits)) *wire.Network {
	t.Helper()
	server := httptest.NewServer(reply(body))
	t.Cleanup(server.Close)
	limits := wire.DefaultLimits()
	edit(&limits)
	n, err := wire.NewNetwork(wire.Target{URL: server.URL, Key: "the-key-of-all"}, wire.Options{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func drive(t *testing.T, n *wire.Network) *wire.Client {
	c := n.Client("drive")
	t.Cleanup(c.Close)
	return c
}

// The transcripts of all drives together are bounded, even if each is small.
func TestAllDrivesTogetherKeepNoMore(t *testing.T) {
	n := network(t, `"`+strings.Repeat("x", 1000)+`"`, func(l *wire.Limits) { l.KeptBytes = 10_000 })
	var refused error
	kept := 0
	for range 20 {
		c := drive(t, n)
		if _, refused = get(t, c); refused == nil {
			kept++
			continue
		}
		if e := c.Transcript().Entry(1); e.Response != nil || e.Error == "" {
			t.Errorf("it keeps %+v", e)
		}
	}
	if !errors.Is(refused, wire.ErrOverLimit) || kept < 4 || kept > 9 {
		t.Errorf("%d were kept, then %v", kept, refused)
	}
}

// A decoded document counts until its drive is over.
func TestDrivesUnderWayHoldNoMore(t *testing.T) {
	n := network(t, `[`+strings.Repeat("{},", 20)+`{}]`, func(l *wire.Limits) { l.LiveBytes, l.OwnBytes = 25_000, 0 })
	first, second := drive(t, n), drive(t, n)
	for i := range 2 {
		if _, err := get(t, first); err != nil {
			t.Fatal(err)
		}
		if n.Crowded() != (i > 0) {
			t.Errorf("with %d documents of which two have no third beside them it is crowded: %t", i+1, n.Crowded())
		}
	}
	if _, err := get(t, second); err != nil {
		t.Fatalf("got %v, and one drive may hold as much again", err)
	}
	third := drive(t, n)
	if _, err := soon(t, third); !errors.Is(err, wire.ErrOverLimit) || third.Waited() == 0 {
		t.Fatalf("got %v after %v, want that there is no room until a drive is over", err, third.Waited())
	}
	for range 2 {
		_, _ = get(t, second)
	}
	if _, err := get(t, second); !errors.Is(err, wire.ErrOverLimit) {
		t.Fatalf("got %v, want that what holds too much alone is refused", err)
	}
	second.Close()
	if first.Close(); n.Crowded() {
		t.Error("it is crowded, and no drive is under way")
	}
	if _, err := get(t, second); err != nil {
		t.Fatalf("got %v, and the first drive is over", err)
	}
}

// Whatever finds no room waits for it: drives that each hold half of what there is all come to their end.
func TestDrivesWaitForRoom(t *testing.T) {
	n := network(t, `[`+strings.Repeat("{},", 20)+`{}]`, func(l *wire.Limits) { l.LiveBytes, l.OwnBytes = 25_000, 0 })
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			c := n.Client("drive")
			defer c.Close()
			for range 2 {
				if _, err := get(t, c); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n.Crowded() {
		t.Error("it is crowded, and no drive is under way")
	}
}

// soon is get for what may wait only for a moment.
func soon(t *testing.T, c *wire.Client) (*wire.Reply, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	return c.Do(ctx, wire.Call{Method: http.MethodGet, Path: "/x"})
}

// A drive that holds little has room beside one that holds all there is.
func TestLittleHasRoomBesideMuch(t *testing.T) {
	n := network(t, `[`+strings.Repeat("{},", 20)+`{}]`, func(l *wire.Limits) { l.LiveBytes, l.OwnBytes = 25_000, 15_000 })
	greedy, middling, modest := drive(t, n), drive(t, n), drive(t, n)
	for range 2 {
		if _, err := get(t, greedy); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := get(t, greedy); !errors.Is(err, wire.ErrOverLimit) {
		t.Errorf("got %v, want that there is no room for what holds most", err)
	}
	for range 2 {
		if _, err := get(t, middling); err != nil {
			t.Errorf("got %v, and one may hold as much again", err)
		}
	}
	if _, err := get(t, modest); err != nil {
		t.Errorf("got %v, and it holds little", err)
	}
	if _, err := soon(t, modest); !errors.Is(err, wire.ErrOverLimit) {
		t.Errorf("got %v, want that there is no room for a second one", err)
	}
	greedy.Close()
	middling.Close()
	if _, err := get(t, modest); err != nil {
		t.Errorf("got %v, and it is alone", err)
	}
}

// The documents of a look count until it has passed, so that a drive can wait for any time.
func TestLooksThatHavePassedHoldNothing(t *testing.T) {
	n := network(t, `[`+strings.Repeat("{},", 20)+`{}]`, func(l *wire.Limits) { l.LiveBytes, l.OwnBytes = 25_000, 0 })
	c := drive(t, n)
	before := func() {}
	for range 20 {
		look, passed := c.Look(t.Context())
		if _, err := c.Do(look, wire.Call{Method: http.MethodGet, Path: "/x"}); err != nil {
			t.Fatal(err)
		}
		before()
		before = passed
	}
	if _, err := get(t, c); err != nil {
		t.Errorf("there is room for the last look and another reply: %v", err)
	}
	if _, err := get(t, c); !errors.Is(err, wire.ErrOverLimit) {
		t.Errorf("got %v: the last look and two replies have no room", err)
	}
	c.Close()
	if _, err := get(t, drive(t, n)); err != nil {
		t.Errorf("when the drive is over nothing of it counts: %v", err)
	}
}

// An id or a token that no request could carry is not used, and such a token is not recorded.
func TestLongIDsAndTokens(t *testing.T) {
	long := strings.Repeat("secret", 10_000)
	n := network(t, `{"id":"`+long+`"}`, func(*wire.Limits) {})
	c := drive(t, n)
	r, err := get(t, c)
	if err != nil || r.Text("/id") != "" || r.Value("/id").String() != long {
		t.Fatalf("an id of %d characters: %v", len(long), err)
	}
	if _, err := c.Do(t.Context(), wire.Call{Method: http.MethodGet, Path: "/" + long}); !errors.Is(err, wire.ErrOverLimit) {
		t.Errorf("it was asked for: %v", err)
	} else if len(err.Error()) > 1000 {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
	other := drive(t, n)
	_, err = other.Do(t.Context(), wire.Call{Method: http.MethodGet, Path: "/x", Secrets: []string{"/id"}})
	if !errors.Is(err, wire.ErrOverLimit) {
		t.Errorf("a token of %d characters: %v", len(long), err)
	}
	if raw, err := json.Marshal(other.Transcript()); err != nil || strings.Contains(string(raw), "secretsecret") {
		t.Errorf("it is kept, or %v", err)
	}
}

// JSON can spell one text in many ways, and readers of a record decode it.
func TestAKeyIsFoundInAnySpelling(t *testing.T) {
	body := `{"a":"\u0074he-\u006bey-of-all","\u0074he-key-of-all":1,"url":"http://h/?k=%74he%2dkey-of-all",` +
		`"json":"{\"b\":\"\\u0074he-key-of-all\"}"}`
	c := drive(t, network(t, body, func(*wire.Limits) {}))
	r, err := get(t, c)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"<secret:1>":1,"a":"<secret:1>","json":"{\"b\":\"<secret:1>\"}","url":"http://h/?k=<secret:1>"}`
	var sent, kept any
	if json.Unmarshal([]byte(want), &sent) != nil || json.Unmarshal([]byte(c.Transcript().Entry(1).Response.Body), &kept) != nil {
		t.Fatal("no JSON is kept")
	}
	if got := r.Value("").JSON(); strings.Contains(got, "of-all") || wire.Compact(sent) != got {
		t.Errorf("a judge is shown %s", got)
	}
}
