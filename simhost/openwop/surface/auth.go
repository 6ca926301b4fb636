package surface

import (
	"context"
	"net/http"
	"strings"

	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
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

// isPublic tells the requests that need no key. A path as it was sent is looked at: in a decoded one the end of a token
// would not be known from a slash inside it.
func (h *Host) isPublic(r *http.Request) bool {
	token, byToken := strings.CutPrefix(r.URL.EscapedPath(), tokenPrefix)
	return h.rules.Access.Public(r.URL.Path, publicPaths[r.URL.Path]) || byToken && token != "" && !strings.Contains(token, "/")
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
		guarded := r.URL.Path == "/v1" || strings.HasPrefix(r.URL.Path, "/v1/")
		key, problem := bearerKey(r.Header.Values("Authorization"))
		who, known := h.credentials.Whose(key)
		if !guarded || h.isPublic(r) {
			if problem == "" && known {
				r = r.WithContext(context.WithValue(r.Context(), besideToken{}, who))
			}
			next.ServeHTTP(w, r)
			return
		}
		if problem == "" && !known {
			problem = "this host does not know that key"
		}
		if problem != "" {
			var in bool
			if who, in = h.turnAway(w, r, problem, next); !in {
				return
			}
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
	})
}

// named tells faults in whose name a request comes. Without faults nobody asks.
func (h *Host) named(next http.Handler) http.Handler {
	if len(h.opts.Faults) == 0 {
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

// turnAway refuses who has no key that the host knows, and says why. Who is let in all the same acts for the host's own
// tenant.
func (h *Host) turnAway(w http.ResponseWriter, r *http.Request, problem string, next http.Handler) (who caller, in bool) {
	access := &h.rules.Access
	who = caller{tenant: DefaultTenant, principal: DefaultTenant}
	knock := rules.Knock{
		Method: r.Method, Path: r.URL.Path, Key: len(r.Header.Values("Authorization")) > 0,
		Never: func() bool { return h.neverWas(r) },
	}
	if access.Enters(knock) {
		return who, true
	}
	if access.LooksLast(knock) {
		next.ServeHTTP(&answer{header: http.Header{}}, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="openwop"`)
	h.refuse(w, r, refusal.New(access.TurnedAway(knock), problem+": send the header `Authorization: Bearer <key>`"))
	return who, false
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
