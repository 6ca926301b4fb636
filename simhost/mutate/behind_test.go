package mutate_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/mutate"
)

func TestBehind(t *testing.T) {
	asks, answers := mutate.Behind(
		func(r *http.Request) bool { return r.Method == http.MethodPost },
		mutate.Mend(func(lamp map[string]any) bool {
			_, odd := lamp["odd"]
			delete(lamp, "odd")
			return odd
		}),
		func(r *mutate.Reply) { r.Status = http.StatusBadRequest },
	)
	var kept []string
	host := mutate.Changes{Requests: []mutate.RequestFunc{asks}, Replies: []mutate.ReplyFunc{answers}}.Front(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			kept = append(kept, string(raw))
		}))
	for _, c := range []struct {
		method, body string
		status       int
	}{
		{http.MethodPost, `{"name":"a","odd":1}`, 400}, {http.MethodPost, `{"name":"b"}`, 200}, {http.MethodPut, `{"odd":2}`, 200}, {http.MethodPost, "no", 200},
	} {
		w := httptest.NewRecorder()
		host.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), c.method, "/lamps", strings.NewReader(c.body)))
		if w.Code != c.status {
			t.Errorf("%s %s is answered with %d", c.method, c.body, w.Code)
		}
	}
	if got := strings.Join(kept, " "); got != `{"name":"a"} {"name":"b"} {"odd":2} no` {
		t.Errorf("the host kept %s", got)
	}
}
