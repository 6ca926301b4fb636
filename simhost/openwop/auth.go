package openwop

import (
	"context"
	"net/http"
	"strings"
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
func isPublic(r *http.Request) bool {
	token, byToken := strings.CutPrefix(r.URL.EscapedPath(), tokenPrefix)
	return publicPaths[r.URL.Path] || byToken && token != "" && !strings.Contains(token, "/")
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
		who, known := h.owns(key)
		if !guarded || isPublic(r) {
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
			w.Header().Set("WWW-Authenticate", `Bearer realm="openwop"`)
			h.refuse(w, r, refuse(codeUnauthenticated, problem+": send the header `Authorization: Bearer <key>`"))
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
	})
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
