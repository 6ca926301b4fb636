package support

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// routed answers with the pattern of a request's route and the values in its path.
func routed(patterns ...string) *Router {
	m := NewRouter()
	for _, p := range patterns {
		m.HandleFunc(p, func(w http.ResponseWriter, r *http.Request) {
			out := p
			for _, found := range braces.FindAllStringSubmatch(p, -1) {
				out += " " + found[1] + "=" + r.PathValue(found[1])
			}
			_, _ = io.WriteString(w, out)
		})
	}
	return m
}

func ask(m *Router, method, path string) string {
	u, err := url.Parse(path)
	if err != nil {
		return err.Error()
	}
	w := httptest.NewRecorder()
	m.ServeHTTP(w, &http.Request{Method: method, URL: u, Header: http.Header{}})
	if w.Code != 200 {
		return strings.TrimSpace(strings.Join([]string{http.StatusText(w.Code), w.Header().Get("Allow")}, " "))
	}
	return w.Body.String()
}

func TestRouter(t *testing.T) {
	patterns := []string{"GET /x/{id}", "GET /x/fixed", "POST /x/{id}:verb", "POST /x/{id}:{verb}", "DELETE /x/{id}",
		"GET /x/{id}/", "GET /x", "GET /",
		"GET /x/{a}/y", "GET /{kind}/all/y", "GET /v{major}.{minor}/doc", "GET /a b/{c}", "/any/{id}", "GET /p/{a}-{b}.{c}", "GET /q/{a}{b}"}
	for _, reversed := range []bool{false, true} { // the order of registration says nothing
		if reversed {
			for i, j := 0, len(patterns)-1; i < j; i, j = i+1, j-1 {
				patterns[i], patterns[j] = patterns[j], patterns[i]
			}
		}
		m := routed(patterns...)
		for _, c := range [][3]string{
			{"GET", "/x/1", "GET /x/{id} id=1"}, {"GET", "/x/fixed", "GET /x/fixed"}, {"GET", "/x/fixe%64", "GET /x/fixed"},
			{"HEAD", "/x/1", "GET /x/{id} id=1"}, {"POST", "/x/1:verb", "POST /x/{id}:verb id=1"}, {"POST", "/x/1:2:verb",
				"POST /x/{id}:verb id=1:2"},
			{"POST", "/x/1:other", "POST /x/{id}:{verb} id=1 verb=other"}, {"POST", "/x/1", "Method Not Allowed DELETE, GET"},
			{"GET", "/x/a%2Fb", "GET /x/{id} id=a/b"}, {"GET", "/x/1/", "GET /x/{id}/ id=1"}, {"GET", "/x/", "Not Found"}, {"GET", "/x", "GET /x"},
			{"GET", "/", "GET /"}, {"GET", "", "GET /"}, {"GET", "/x/1/y", "GET /x/{a}/y a=1"}, {"GET", "/x/all/y", "GET /x/{a}/y a=all"},
			{"GET", "/z/all/y", "GET /{kind}/all/y kind=z"}, {"GET", "/v1.2.3/doc", "GET /v{major}.{minor}/doc major=1 minor=2.3"},
			{"GET", "/a%20b/%25", "GET /a b/{c} c=%"}, {"PATCH", "/any/1", "/any/{id} id=1"}, {"GET", "/x//y", "Not Found"},
			{"GET", "/p/1-2-3.4.5", "GET /p/{a}-{b}.{c} a=1 b=2-3 c=4.5"}, {"GET", "/p/-1.2", "Not Found"}, {"GET", "/p/--1.2",
				"GET /p/{a}-{b}.{c} a=- b=1 c=2"},
			{"GET", "/q/%C3%BCx", "GET /q/{a}{b} a=ü b=x"}, {"GET", "/q/x", "Not Found"}, {"POST", "/x/:verb", "Method Not Allowed DELETE, GET"},
			{"GET", "/x/%0A", "GET /x/{id} id=\n"},
		} {
			if got := ask(m, c[0], c[1]); got != c[2] {
				t.Errorf("%s %s: got %q, want %q", c[0], c[1], got, c[2])
			}
		}
	}
}

func TestLastHandlerOfAPatternCounts(t *testing.T) {
	m := routed("GET /a", "GET /b")
	m.HandleFunc("GET /a", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "second") })
	if got := ask(m, "GET", "/a"); got != "second" {
		t.Error(got)
	}
}

// The router never panics, whatever a pattern or a path has in it, and finds the route of a path that a client made.
func FuzzRouter(f *testing.F) {
	f.Add("/x/{id}:verb", "a/b")
	f.Add("/{}/{a}{b}", "")
	f.Add("{{a}/*", "..")
	f.Fuzz(func(t *testing.T, pattern, value string) {
		m := routed("GET "+pattern, "GET /{other}")
		if value == "" || strings.Contains(pattern, "%") {
			return
		}
		path := braces.ReplaceAllStringFunc(pattern, func(string) string { return url.PathEscape(value) })
		u := &url.URL{Path: "/", RawPath: ""}
		if parsed, err := url.Parse(path); err == nil {
			u = parsed
		}
		m.ServeHTTP(httptest.NewRecorder(), &http.Request{Method: "GET", URL: u, Header: http.Header{}})
	})
}
