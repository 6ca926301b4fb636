package serving

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// CORS is what pages of another origin may send and read.
type CORS struct {
	Origin           string // that is let in: *, or one origin; "" lets none in
	Methods, Headers string // of requests; Authorization must be named, because a wildcard never covers it
	Exposed          string // headers of replies
}

const corsMaxAge = "600"

// Check accepts as origin "", "*" and one exact origin: scheme, host, optional port, and nothing else.
func (c CORS) Check() error {
	origin := c.Origin
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

// Front lets pages of the allowed origin call the host. A preflight carries no credentials by design of the
// browser, so it is answered here, before anything asks for a key.
func (c CORS) Front(next http.Handler) http.Handler {
	allowed := c.Origin
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
			h.Set("Access-Control-Allow-Methods", c.Methods)
			h.Set("Access-Control-Allow-Headers", c.Headers)
			h.Set("Access-Control-Max-Age", corsMaxAge)
			w.WriteHeader(http.StatusNoContent)
			return
		}
		h.Set("Access-Control-Expose-Headers", c.Exposed)
		next.ServeHTTP(w, r)
	})
}
