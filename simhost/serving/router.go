package serving

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/openassay/assay/simhost/refusal"
)

// Router is the mux that a generated server registers its operations on. It knows two things that http.ServeMux does not: a
// verb behind a path parameter ("{runId}:fork"), and how to refuse in the protocol's form.
type Router struct {
	// Guard puts what a host checks in front of an operation, by its pattern. An operation of which it returns nil is not offered.
	Guard func(pattern string, next http.Handler) http.Handler
	// Fail answers with a [refusal.Error].
	Fail func(http.ResponseWriter, *http.Request, error)
	// Deep names parameters of a last segment whose value may hold slashes that are not escaped, too.
	Deep []string
	// Index says where a client finds what there is: the end of a message.
	Index string

	mux   *http.ServeMux
	verbs map[string]verbs // by the pattern without its verb
}

// Open makes the router ready for operations, and returns it.
func (r Router) Open() *Router {
	r.mux, r.verbs = http.NewServeMux(), map[string]verbs{}
	r.mux.HandleFunc("/", r.unknown)
	return &r
}

// verbs are the handlers of one path by verb; "" is the path without one.
type verbs map[string]http.Handler

// split takes the verb off the value of the last path segment. A colon that no verb follows belongs to the value.
func (v verbs) split(value string) (rest, verb string) {
	if colon := strings.LastIndexByte(value, ':'); colon >= 0 {
		if verb = value[colon+1:]; verb != "" && v[verb] != nil {
			return value[:colon], verb
		}
	}
	return value, ""
}

// Plain registers a path that is no operation of the contract.
func (r *Router) Plain(pattern string, handle http.HandlerFunc) { r.mux.HandleFunc(pattern, handle) }

// HandleFunc registers an operation; generated code calls it with patterns such as "POST /v1/runs".
func (r *Router) HandleFunc(pattern string, handle func(http.ResponseWriter, *http.Request)) {
	handler := r.Guard(pattern, http.HandlerFunc(handle))
	if handler == nil {
		return
	}
	base, param, verb := splitVerb(pattern)
	if param == "" {
		r.mux.Handle(pattern, handler)
		return
	}
	known, ok := r.verbs[base]
	if !ok {
		known = verbs{}
		r.serve(base, param, known)
	}
	known[verb] = handler
}

// serve registers a path that ends in a parameter.
func (r *Router) serve(base, param string, known verbs) {
	r.verbs[base] = known
	r.mux.HandleFunc(base, func(w http.ResponseWriter, req *http.Request) { r.dispatch(w, req, param, known) })
	if !slices.Contains(r.Deep, param) {
		return
	}
	// The first segment and the rest, not {path...} for both: http.ServeMux would redirect the folder without a slash
	// behind it to the one with it.
	const rest = "rest"
	below := base + "/{" + rest + "...}"
	r.verbs[below] = known
	r.mux.HandleFunc(below, func(w http.ResponseWriter, req *http.Request) {
		req.SetPathValue(param, req.PathValue(param)+"/"+req.PathValue(rest))
		r.dispatch(w, req, param, known)
	})
}

// splitVerb takes "POST /v1/runs/{runId}:fork" apart. The parameter is empty where the last segment has none.
func splitVerb(pattern string) (base, param, verb string) {
	slash := strings.LastIndexByte(pattern, '/')
	segment := pattern[slash+1:]
	end := strings.IndexByte(segment, '}')
	if end < 0 || segment[0] != '{' {
		return pattern, "", ""
	}
	return pattern[:slash+1+end+1], segment[1:end], strings.TrimPrefix(segment[end+1:], ":")
}

// dispatch chooses the handler by the verb behind the last segment.
func (r *Router) dispatch(w http.ResponseWriter, req *http.Request, param string, known verbs) {
	rest, verb := known.split(req.PathValue(param))
	handler := known[verb]
	if handler == nil {
		r.unknown(w, req)
		return
	}
	req.SetPathValue(param, rest)
	handler.ServeHTTP(w, req)
}

// ServeHTTP answers a request. Paths that http.ServeMux would redirect to their clean form are unknown here: a
// redirect is no JSON, and no client of these protocols expects one. As http.ServeMux does, it looks at the path as it was
// sent: a slash that is escaped stands inside a segment, and the handler judges it.
func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if p := req.URL.EscapedPath(); p == "" || p[0] != '/' || (p != "/" && path.Clean(p) != strings.TrimSuffix(p, "/")) {
		r.notFound(w, req)
		return
	}
	r.mux.ServeHTTP(w, req)
}

// unknown answers what no operation took: 405 where the path has other methods, else 404.
func (r *Router) unknown(w http.ResponseWriter, req *http.Request) {
	allowed := r.allowed(req)
	if len(allowed) == 0 {
		r.notFound(w, req)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	r.Fail(w, req, refusal.New(refusal.Method, req.Method+" is not offered here: use "+strings.Join(allowed, " or "), "allow", allowed))
}

func (r *Router) notFound(w http.ResponseWriter, req *http.Request) {
	r.Fail(w, req, refusal.New(refusal.NotFound, "nothing is at "+refusal.Quoted(req.URL.Path)+r.Index))
}

// Knows reports whether something is at the path of a request.
func (r *Router) Knows(req *http.Request) bool { return len(r.allowed(req)) > 0 }

// Serves reports whether an operation is at the path of a request, with its method.
func (r *Router) Serves(req *http.Request) bool { return slices.Contains(r.allowed(req), req.Method) }

// allowed finds the methods that the path of a request does have.
func (r *Router) allowed(req *http.Request) []string {
	var methods []string
	probe := req.Clone(req.Context())
	last := req.URL.Path[strings.LastIndexByte(req.URL.Path, '/')+1:]
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		probe.Method = method
		_, pattern := r.mux.Handler(probe)
		offered := pattern != "/"
		if known, ok := r.verbs[pattern]; ok {
			// Reading "POST /v1/runs/x:frob" as a GET of the run "x:frob" would call an unknown verb a wrong method.
			_, verb := known.split(last)
			offered = known[verb] != nil && (verb != "" || !strings.Contains(last, ":"))
		}
		if offered {
			methods = append(methods, method)
		}
	}
	if slices.Contains(methods, http.MethodGet) {
		methods = slices.Insert(methods, 1, http.MethodHead)
	}
	return methods
}
