package console

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// policy lets a page load nothing but what the host itself serves, and nobody put it into a frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// maxForm is the most bytes that a form may send; inputs of a run are as large as the API takes them.
const maxForm = 2 << 20

// guard stands in front of every page: it turns away other machines, names that are not this machine's, and requests that
// pages of others make.
func (c *Console) guard(next http.Handler) http.Handler {
	others := http.NewCrossOriginProtection()
	others.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "this request comes from a page of another origin: open the console itself", http.StatusForbidden)
	}))
	inner := others.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{
			"Content-Security-Policy":      policy,
			"X-Content-Type-Options":       "nosniff",
			"X-Frame-Options":              "DENY",
			"Referrer-Policy":              "same-origin",
			"Cache-Control":                "no-store",
			"Cross-Origin-Resource-Policy": "same-origin",
		} {
			w.Header().Set(name, value)
		}
		switch {
		case !c.o.Remote && !fromHere(r.RemoteAddr):
			http.Error(w, "the console is for this machine alone: start the host with --console-remote to open it to others", http.StatusForbidden)
		case !c.o.Remote && !namesHere(r.Host):
			http.Error(w, "the console does not answer under this name: use localhost or 127.0.0.1, or start the host with "+
				"--console-remote", http.StatusForbidden)
		default:
			r.Body = http.MaxBytesReader(w, r.Body, maxForm)
			inner.ServeHTTP(w, r)
		}
	})
}

// fromHere tells whether a request comes from this machine.
func fromHere(remote string) bool {
	addr, err := netip.ParseAddrPort(remote)
	return err == nil && addr.Addr().Unmap().IsLoopback()
}

// namesHere tells whether a Host header names this machine. A name that somebody has pointed here would let their pages
// pass for the console's own.
func namesHere(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "[]")), ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Unmap().IsLoopback()
}
