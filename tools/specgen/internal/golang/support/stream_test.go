package support

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
)

// readStream reads a stream of texts from one reply.
func readStream(text string, o StreamOptions) (events []StreamEvent[string], last string, err error) {
	s := stream[string]{options: o, yield: func(e StreamEvent[string], bad error) bool {
		if err = bad; bad == nil {
			events = append(events, e)
		}
		return true
	}}
	if s.options.MaxEvent == 0 {
		s.options.MaxEvent = defaultMaxEvent
	}
	if broke := s.read(bufio.NewReader(strings.NewReader(text))); broke != nil {
		err = broke
	}
	return events, s.last, err
}

func TestStreamsAreReadAsTheStandardHasIt(t *testing.T) {
	for _, c := range []struct {
		text string
		want []StreamEvent[string]
		last string
	}{
		{"data: a\n\n", []StreamEvent[string]{{Data: "a"}}, ""},
		{"\ufeffdata:a\r\rdata: b\r\n\r\n", []StreamEvent[string]{{Data: "a"}, {Data: "b"}}, ""},
		{"data: a\ndata\ndata:  b\n\n", []StreamEvent[string]{{Data: "a\n\n b"}}, ""},
		{"id: 1\nevent: x\nretry: 20\ndata: a\n\ndata: b\n\n", []StreamEvent[string]{{ID: "1", Type: "x",
			Retry: 20 * time.Millisecond, Data: "a"},
			{Data: "b"}}, "1"},
		{"id: 1\n\n: comment\n\nid\ndata: a\n\n", []StreamEvent[string]{{Data: "a"}}, ""},
		{"id: a\x00b\nretry: -1\nretry: 99999999999\nunknown: 1\ndata: a\n\n", []StreamEvent[string]{{Data: "a"}}, ""},
		{"data: unfinished", nil, ""},
		{"data: a\n\ndata: unfinished\n", []StreamEvent[string]{{Data: "a"}}, ""},
		{"event: only\n\n", nil, ""},
	} {
		got, last, err := readStream(c.text, StreamOptions{})
		if err != nil || !reflect.DeepEqual(got, c.want) || last != c.last {
			t.Errorf("%q: %+v, last %q, %v", c.text, got, last, err)
		}
	}
}

func TestStreamsHaveACap(t *testing.T) {
	for _, text := range []string{"data: " + strings.Repeat("x", 100), strings.Repeat("data: x\n", 20), ": " + strings.Repeat("x", 100)} {
		if _, _, err := readStream(text, StreamOptions{MaxEvent: 50}); !errors.As(err, new(*StreamError)) ||
			!strings.Contains(err.Error(), "raise MaxEvent") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if got, _, err := readStream(strings.Repeat("data: x\n\n", 100), StreamOptions{MaxEvent: 50}); err != nil || len(got) != 100 {
		t.Errorf("many small events: %d, %v", len(got), err)
	}
}

func TestStreamsThatAreNone(t *testing.T) {
	for _, c := range []struct {
		status int
		media  string
		want   string
	}{{500, "text/event-stream", "500"}, {200, "text/html", "text/html"}, {204, "", ""}} {
		var got error
		events := streamEvents[string](t.Context(), StreamOptions{}, func(RequestEditorFn) (*http.Response, error) {
			return &http.Response{StatusCode: c.status, Status: http.StatusText(c.status) + " 500", Header: http.Header{"Content-Type": {c.media}},
				Body: io.NopCloser(strings.NewReader("<p>"))}, nil
		})
		for _, err := range events {
			got = err
		}
		if (got == nil) != (c.want == "") || got != nil && !strings.Contains(got.Error(), c.want) {
			t.Errorf("%d %s: %v", c.status, c.media, got)
		}
	}
}

// FuzzStream reads any bytes without a panic. What a writer sends comes back as it was sent.
func FuzzStream(f *testing.F) {
	f.Add("id: 1\ndata: a\r\ndata: b\n\n", "a\nb", "x", "1")
	f.Fuzz(func(t *testing.T, text, data, kind, id string) {
		if got, _, err := readStream(text, StreamOptions{MaxEvent: 100}); err == nil && len(got) > len(text) {
			t.Fatalf("%q: %d events", text, len(got))
		}
		w := httptest.NewRecorder()
		out := &EventWriter[string]{w, http.NewResponseController(w)}
		if err := errors.Join(out.Comment(data), out.Send(StreamEvent[string]{ID: id, Type: kind, Data: data})); err != nil {
			return // it cannot be sent
		}
		got, _, err := readStream(w.Body.String(), StreamOptions{})
		want := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(data)
		if err != nil || len(got) != 1 || got[0].Data != want || got[0].ID != id || got[0].Type != kind {
			t.Fatalf("sent %q %q %q as %q, got %+v, %v", data, kind, id, w.Body, got, err)
		}
	})
}
