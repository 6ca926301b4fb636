package serving

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestInside(t *testing.T) {
	host := Inside{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Method", r.Method)
		if len(body) > 0 {
			w.WriteHeader(http.StatusConflict)
		}
		_, _ = w.Write(append([]byte(`{"why":"because of `), append(body, `"}`...)...))
	})}
	for body, want := range map[string]int{"": http.StatusOK, "that": http.StatusConflict} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://localhost/x", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := host.Do(r)
		said, err := Read(answer, err)
		if err != nil || said.Status != want || said.OK() != (want == http.StatusOK) || answer.Header.Get("Method") != http.MethodPut {
			t.Errorf("%q: %+v, %v", body, said, err)
		}
		if got := said.Why("why"); got != "because of "+body {
			t.Errorf("why: %q", got)
		}
		if got := said.Why("detail"); got != http.StatusText(want) {
			t.Errorf("an answer without words: %q", got)
		}
	}
}
