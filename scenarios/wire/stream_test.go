package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios/wire"
)

func TestMain(m *testing.M) {
	testenv.Disinherit()
	goleak.VerifyTestMain(m)
}

func sse(body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, body)
	})
}

func TestAStreamIsReadAndRecorded(t *testing.T) {
	c := client(t, sse(": open\n\nid: 0\nevent: run.started\ndata: {\"sequence\":0}\n\nid: 1\ndata: {\"sequence\":\ndata: 1}\n\n"), nil)
	s, plain, err := c.Open(t.Context(), wire.Call{Method: "GET", Path: "/events"})
	if err != nil || plain != nil {
		t.Fatal(plain, err)
	}
	var got []wire.StreamEvent
	for e := range s.Events() {
		got = append(got, e)
	}
	s.Close()
	if len(got) != 2 || got[0].Type != "run.started" || got[1].ID != "1" {
		t.Fatalf("got %+v", got)
	}
	if n, ok := s.Value(2).Key("sequence").Int(); !ok || n != 1 {
		t.Errorf("the second event's sequence: %s", s.Value(2).JSON())
	}
	if s.ID(2).String() != "1" || s.Type(1).String() != "run.started" || s.Type(2).String() != "" || !s.Type(2).Present() {
		t.Errorf("ids and types: %s %s %s", s.ID(2).JSON(), s.Type(1).JSON(), s.Type(2).JSON())
	}
	if n, ok := s.StatusValue().Int(); !ok || n != 200 || s.HeaderValue("content-type").String() != "text/event-stream" {
		t.Errorf("status %s, content type %s", s.StatusValue().JSON(), s.HeaderValue("content-type").JSON())
	}
	if s.Value(3).Present() || s.ID(3).Present() || s.Type(0).Present() {
		t.Error("an event that never came is present")
	}
}

// The id and type of an event can be read from the transcript.
func TestAnEventIsFoundAgainFromDisk(t *testing.T) {
	c := client(t, sse("id: 7\nevent: x.y\ndata: {\"sequence\":7}\n\n"), nil)
	s, _, err := c.Open(t.Context(), wire.Call{Method: "GET", Path: "/events"})
	if err != nil {
		t.Fatal(err)
	}
	for range s.Events() {
	}
	s.Close()
	type observation struct{ ID, Type, Data wire.Value }
	raw, err := json.Marshal(observation{s.ID(1), s.Type(1), s.Value(1)})
	if err != nil {
		t.Fatal(err)
	}
	var again observation
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	kept, err := json.Marshal(c.Transcript())
	if err != nil {
		t.Fatal(err)
	}
	var transcript wire.Transcript
	if err := json.Unmarshal(kept, &transcript); err != nil {
		t.Fatal(err)
	}
	if err := wire.Bind(&again, &transcript); err != nil {
		t.Fatal(err)
	}
	if again.ID.String() != "7" || again.Type.String() != "x.y" || again.Data.JSON() != `{"sequence":7}` {
		t.Errorf("%s %s %s", again.ID.JSON(), again.Type.JSON(), again.Data.JSON())
	}
}

func TestAReplyThatIsNoStreamComesBackPlain(t *testing.T) {
	c := client(t, reply(`{"error":"unsupported_stream_mode"}`), nil)
	s, plain, err := c.Open(t.Context(), wire.Call{Method: "GET", Path: "/events"})
	if err != nil || s != nil || plain.Value("/error").String() != "unsupported_stream_mode" {
		t.Fatal(s, plain, err)
	}
}

func TestLimitsOfAStream(t *testing.T) {
	for name, body := range map[string]string{
		"an event too large":           "data: " + strings.Repeat("x", 3000) + "\n\n",
		"a line that never ends":       "data: " + strings.Repeat("x", 3000),
		"data lines without their end": strings.Repeat("data: xxxxxxxxxxxx\n", 300),
		"too many events":              strings.Repeat("data: 1\n\n", 30),
	} {
		t.Run(name, func(t *testing.T) {
			c := client(t, sse(body), func(l *wire.Limits) { l.EventBytes, l.StreamEvents = 2000, 20 })
			s, _, err := c.Open(t.Context(), wire.Call{Method: "GET", Path: "/"})
			if err != nil {
				t.Fatal(err)
			}
			for range s.Events() {
			}
			s.Close()
			if !errors.Is(s.Err(), wire.ErrOverLimit) {
				t.Errorf("ended with %v", s.Err())
			}
		})
	}
}

func TestCloseEndsAStreamThatGoesOn(t *testing.T) {
	c := client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}), nil)
	s, _, err := c.Open(t.Context(), wire.Call{Method: "GET", Path: "/"})
	if err != nil {
		t.Fatal(err)
	}
	<-s.Events()
	s.Close()
}

// The events are the same however the network cuts the stream.
func TestStreamParserDoesNotCareForChunks(t *testing.T) {
	line := rapid.SampledFrom([]string{"data: a", "data:b", "data", "id: 7", "event: x.y", ": comment", "", "", "retry: 3", "data: ü"})
	rapid.Check(t, func(t *rapid.T) {
		ending := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "ending")
		text := strings.Join(rapid.SliceOf(line).Draw(t, "lines"), ending) + ending + "\n"
		var whole, cut wire.StreamParser
		want := fmt.Sprint(whole.Feed(text))
		var got []wire.StreamEvent
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			got = append(got, cut.Feed(rest[:n])...)
			rest = rest[n:]
		}
		if fmt.Sprint(got) != want {
			t.Fatalf("%q: cut %v, whole %v", text, got, want)
		}
	})
}

func FuzzStreamParser(f *testing.F) {
	f.Add("id: 1\ndata: {}\n\n", 3)
	f.Add("\ufeffdata: x\r\rdata: y\r\n\r\n", 1)
	f.Fuzz(func(t *testing.T, text string, n int) {
		var p wire.StreamParser
		if n <= 0 || n > len(text) {
			n = len(text)
		}
		events := p.Feed(text[:n])
		events = append(events, p.Feed(text[n:])...)
		if p.Pending() > len(text) {
			t.Fatalf("%d bytes pending of %d", p.Pending(), len(text))
		}
		for _, e := range events {
			if strings.ContainsAny(e.ID+e.Type, "\r\n") {
				t.Fatalf("a field runs over its line: %+v", e)
			}
		}
	})
}

func FuzzVet(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,{"b":"]"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		weight, err := wire.Vet(raw, 8, 16)
		if err == nil && weight < int64(len(raw)) {
			t.Errorf("%d bytes weigh %d", len(raw), weight)
		}
	})
}
