package mutate

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// Each kind of change lets as many chances pass as it is told, and those where it would change nothing are none.
func TestFrom(t *testing.T) {
	say := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Said", r.Header.Get("Asked"))
		if strings.HasPrefix(r.URL.Path, "/stream") {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte("data: 1\n\ndata: 2\n\n"))
			return
		}
		_, _ = w.Write([]byte(`{"n":1}`))
	}
	changes := Changes{
		Requests: []RequestFunc{func(r *Request) { r.Header.Set("Asked", "changed") }},
		Replies: []ReplyFunc{On("GET /lies", func(r *Reply) {
			r.Status, r.Body = http.StatusTeapot, []byte(`{"n":2}`)
			r.Header.Set("More", "yes")
		})},
		Frames: []FrameFunc{func(_ *http.Request, f Frame) []Frame {
			if string(f.Data) == "2" {
				return nil
			}
			return []Frame{f}
		}},
	}
	host := changes.From(3).Front(http.HandlerFunc(say))
	ask := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		host.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, strings.NewReader(`{}`)))
		return w
	}
	for i := range 4 {
		w, shows := ask("/lies"), i >= 2
		if got := w.Code == http.StatusTeapot && w.Body.String() == `{"n":2}` && w.Header().Get("More") == "yes"; got != shows {
			t.Errorf("reply %d: %d %s", i+1, w.Code, w.Body)
		}
		if !shows && (w.Code != http.StatusOK || w.Body.String() != `{"n":1}` || w.Header().Get("More") != "") {
			t.Errorf("reply %d is changed in part: %d %s %v", i+1, w.Code, w.Body, w.Header())
		}
		if asked := w.Header().Get("Said") == "changed"; asked != shows {
			t.Errorf("request %d: changed %v", i+1, asked)
		}
	}
	for i := range 4 {
		if got := strings.Contains(ask("/stream").Body.String(), "data: 2"); got != (i < 2) {
			t.Errorf("stream %d has its second frame: %v", i+1, got)
		}
	}
}

// An event that was let pass stays as it is however often it is read, and one that was changed stays changed.
func TestFromOfEvents(t *testing.T) {
	change := Changes{Events: []EventFunc{OfType("lie", func(e *Event) { e.Payload["n"] = "other" })}}.From(2).Events[0]
	var shown []bool
	for _, e := range []Event{{RunID: "a", Sequence: 1}, {RunID: "a", Sequence: 2}, {RunID: "a", Sequence: 1}, {RunID: "b", Sequence: 1}} {
		e.Type, e.Payload = "lie", map[string]any{"n": "1"}
		change(&e)
		shown = append(shown, e.Payload["n"] == "other")
	}
	if want := []bool{false, true, false, true}; !slices.Equal(shown, want) {
		t.Errorf("%v, want %v", shown, want)
	}
}

func TestOf(t *testing.T) {
	changes := Changes{Replies: []ReplyFunc{Header("Lie", "yes")}}.Of("b")
	host := changes.Front(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	for tenant, want := range map[string]string{"": "", "a": "", "b": "yes"} {
		w := httptest.NewRecorder()
		host.ServeHTTP(w, WithTenant(httptest.NewRequest(http.MethodGet, "/", nil), tenant))
		if got := w.Header().Get("Lie"); got != want {
			t.Errorf("tenant %q: %q", tenant, got)
		}
	}
}
