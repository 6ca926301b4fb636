package surface

import (
	"context"
	"net/http"
	"strings"

	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
	"github.com/openassay/assay/simhost/serving"
)

// publicPaths answer without credentials: discovery, the API document, and the liveness probe.
var publicPaths = map[string]bool{
	"/.well-known/openwop": true,
	"/v1/openapi.json":     true,
	"/healthz":             true,
}

// tokenPrefix begins the paths of interrupts by token. The token in such a path is the credential, so nobody asks for
// another one there, and one that was sent makes no difference unless the interrupt wants to know who answers.
const tokenPrefix = "/v1/interrupts/"

// byToken tells the requests about an interrupt by its token. A path as it was sent is looked at: in a decoded one the
// end of a token would not be known from a slash inside it.
func byToken(r *http.Request) bool {
	token, is := strings.CutPrefix(r.URL.EscapedPath(), tokenPrefix)
	return is && token != "" && !strings.Contains(token, "/")
}

// loggedPath is the path of a request without a credential in it.
func loggedPath(r *http.Request) string {
	if strings.HasPrefix(r.URL.Path, tokenPrefix) {
		return tokenPrefix + "{token}"
	}
	return r.URL.Path
}

// bearer guards everything below /v1 that is not public, and notes whose key was sent. It stands in front of the router, so that a caller
// without a key cannot tell a route, a workflow or a run that exists from one that does not.
func (h *Host) bearer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		open := r.URL.Path != "/v1" && !strings.HasPrefix(r.URL.Path, "/v1/") || byToken(r)
		key, problem := bearerKey(r.Header.Values("Authorization"))
		who, known := h.credentials.Whose(key)
		switch public := publicPaths[r.URL.Path]; {
		case problem == "" && known && (open || public):
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), besideToken{}, who)))
		case problem == "" && known:
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
		case open:
			next.ServeHTTP(w, r)
		default:
			if problem == "" {
				problem = "this host does not know that key"
			}
			h.admit(w, r, public, problem, next)
		}
	})
}

// named tells changes in whose name a request comes. Without any nobody asks.
func (h *Host) named(next http.Handler) http.Handler {
	if c := h.opts.Changes; len(c.Requests)+len(c.Replies)+len(c.Frames) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := callerOf(r.Context())
		if key, problem := bearerKey(r.Header.Values("Authorization")); problem == "" {
			who, _ = h.credentials.Whose(key)
		}
		next.ServeHTTP(w, mutate.WithTenant(r, who.tenant))
	})
}

// admit lets in, or refuses, who has no key that the host knows; problem says why not. Who is let in to what is not
// public acts for the host's own tenant.
func (h *Host) admit(w http.ResponseWriter, r *http.Request, public bool, problem string, next http.Handler) {
	asOwn := r
	if !public {
		who := caller{tenant: DefaultTenant, principal: DefaultTenant}
		asOwn = r.WithContext(context.WithValue(r.Context(), callerKey{}, who))
	}
	admission := h.rules.Access.Admits(rules.Knock{
		Method: r.Method, Path: r.URL.Path, Public: public, Key: len(r.Header.Values("Authorization")) > 0,
		Never: func() bool { return h.neverWas(r) }, Header: r.Header, Query: r.URL.Query(),
		Begins: func() bool { return h.credentials.Begins(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")) },
	})
	if admission.In {
		next.ServeHTTP(w, asOwn)
		return
	}
	if admission.Late {
		next.ServeHTTP(serving.NewKept(http.Header{}), asOwn)
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="openwop"`)
	h.refuse(w, r, refusal.New(admission.Code, problem+": send the header `Authorization: Bearer <key>`"))
}

// neverWas tells whether a request is about a run of which there is no log.
func (h *Host) neverWas(r *http.Request) bool {
	id, ok := strings.CutPrefix(r.URL.Path, "/v1/runs/")
	id, _, _ = strings.Cut(id, "/")
	return ok && h.nobodys(r.Context(), id)
}

// bearerKey takes the key out of the Authorization headers, or says why there is none. The scheme's name is
// not case-sensitive (RFC 9110 section 11.1).
func bearerKey(headers []string) (key, problem string) {
	switch len(headers) {
	case 0:
		return "", "no credentials were sent"
	case 1:
	default:
		return "", "more than one Authorization header was sent"
	}
	scheme, key, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", "only the Bearer scheme is supported"
	}
	return strings.TrimSpace(key), ""
}
