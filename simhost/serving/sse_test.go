package serving

import (
	"math"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/clock"
)

func TestEventStream(t *testing.T) {
	w := httptest.NewRecorder()
	s := OpenEventStream(w)
	s.Retry(time.Second)
	s.Text("change", "runs\ngoals")
	if err := s.Frame("7", "a\nb", map[string]any{"n": 1}); err != nil {
		t.Fatal(err)
	}
	if err := s.Frame("", "plain", "text"); err != nil {
		t.Fatal(err)
	}
	if w.Body.Len() > 0 {
		t.Error("frames went out before Send")
	}
	for range 2 { // the second has nothing to send
		if err := s.Send(); err != nil {
			t.Fatal(err)
		}
	}
	want := ": open\n\nretry: 1000\n\nevent: change\ndata: runs goals\n\nid: 7\nevent: a b\ndata: {\"n\":1}\n\nevent: " +
		"plain\ndata: \"text\"\n\n"
	if got := w.Body.String(); got != want || !w.Flushed || w.Header().Get("Content-Type") != "text/event-stream" {
		t.Errorf("%q, want %q; %v", got, want, w.Header())
	}
	if s.Frame("8", "x", math.Inf(1)) == nil {
		t.Error("what is no JSON is an error")
	}
}

// A quiet stream says that it is there, once a while, until it is stopped.
func TestHeart(t *testing.T) {
	w, c := httptest.NewRecorder(), clock.NewManual(time.Unix(0, 0))
	s := OpenEventStream(w)
	heart := s.Heart(c, time.Second)
	for range 2 {
		c.Advance(999 * time.Millisecond)
		select {
		case <-heart.Due:
			t.Fatal("due too early")
		default:
		}
		c.Advance(time.Millisecond)
		<-heart.Due
		if err := heart.Beat(); err != nil {
			t.Fatal(err)
		}
	}
	heart.Stop()
	c.Advance(time.Hour)
	if got := w.Body.String(); got != ": open\n\n: keepalive\n\n: keepalive\n\n" || len(heart.Due) > 0 {
		t.Errorf("%q", got)
	}
}
