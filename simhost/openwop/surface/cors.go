package surface

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// What a page of another origin may send and read. Authorization is named because a wildcard never covers it.
const (
	corsMethods = "GET, POST, PUT, PATCH, DELETE, OPTIONS"
	corsHeaders = "Authorization, Content-Type, Accept, Idempotency-Key, If-Match, Last-Event-ID, X-Dedup"
	corsExposed = "openwop-Idempotent-Replay, Capabilities-Etag, Retry-After, Location"
	corsMaxAge  = "600"
)

// checkOrigin accepts "", "*" and one exact origin: scheme, host, optional port, and nothing else.
func checkOrigin(origin string) error {
	if origin == "" || origin == "*" {
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.Scheme+"://"+u.Host != origin {
		return fmt.Errorf("CORS origin (--cors) %q: give * or one origin such as http://localhost:5173, without a path or a "+
			"trailing slash", origin)
	}
	return nil
}

// cors lets pages of the allowed origin call the host. A preflight carries no credentials by design of the
// browser, so it is answered here, before anything asks for a key.
func cors(allowed string, next http.Handler) http.Handler {
	if allowed == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if allowed != "*" {
			h.Add("Vary", "Origin") // the reply differs by origin, so no cache may mix them
		}
		origin := r.Header.Get("Origin")
		if origin == "" || (allowed != "*" && !strings.EqualFold(origin, allowed)) {
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Origin", allowed)
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			h.Set("Access-Control-Allow-Methods", corsMethods)
			h.Set("Access-Control-Allow-Headers", corsHeaders)
			h.Set("Access-Control-Max-Age", corsMaxAge)
			w.WriteHeader(http.StatusNoContent)
			return
		}
		h.Set("Access-Control-Expose-Headers", corsExposed)
		next.ServeHTTP(w, r)
	})
}
