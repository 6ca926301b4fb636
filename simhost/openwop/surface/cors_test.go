package surface

import (
	"net/http"
	"strings"
	"testing"
)

func TestCORS(t *testing.T) {
	const page, stranger = "http://localhost:5173", "http://evil.example"
	for _, row := range []struct{ option, origin, allowed string }{
		{"", page, ""},
		{"*", page, "*"},
		{"*", "", ""},
		{page, page, page},
		{page, stranger, ""},
		{page, page + ".evil.example", ""},
		{page, "", ""},
	} {
		c := serve(t, Options{CORS: row.option})
		got := c.do("GET", "/v1/workflows/conformance-noop", nil, header{"Origin", row.origin}).want(http.StatusOK)
		if a := got.header.Get("Access-Control-Allow-Origin"); a != row.allowed {
			t.Errorf("option %q, origin %q: allowed %q, want %q", row.option, row.origin, a, row.allowed)
		}
		if exposes := strings.Contains(got.header.Get("Access-Control-Expose-Headers"),
			"openwop-Idempotent-Replay"); exposes != (row.allowed != "") {
			t.Errorf("option %q, origin %q: exposes %v", row.option, row.origin, exposes)
		}
		if varies := got.header.Get("Vary") == "Origin"; varies != (row.option == page) {
			t.Errorf("option %q: Vary is %q", row.option, got.header.Get("Vary"))
		}
		preflight := c.do("OPTIONS", "/v1/runs", nil, header{"Authorization", ""}, header{"Origin", row.origin},
			header{"Access-Control-Request-Method", "POST"}, header{"Access-Control-Request-Headers", "authorization"})
		if row.allowed == "" {
			preflight.want(http.StatusUnauthorized)
			continue
		}
		preflight.want(http.StatusNoContent)
		if h := preflight.header.Get("Access-Control-Allow-Headers"); !strings.Contains(h, "Authorization") ||
			!strings.Contains(h, "Idempotency-Key") || !strings.Contains(h, "If-Match") {
			t.Errorf("the preflight allows %q", h)
		}
		if m := preflight.header.Get("Access-Control-Allow-Methods"); !strings.Contains(m, "PUT") || !strings.Contains(m, "PATCH") ||
			!strings.Contains(m, "DELETE") {
			t.Errorf("the preflight allows the methods %q", m)
		}
		if got := c.do("GET", "/v1/runs/x", nil, header{"Authorization", ""}, header{"Origin", row.origin}); got.status != 401 ||
			got.header.Get("Access-Control-Allow-Origin") != row.allowed {
			t.Errorf("option %q: a refusal is %d, allowed %q: the page could not read it", row.option, got.status,
				got.header.Get("Access-Control-Allow-Origin"))
		}
	}
}
