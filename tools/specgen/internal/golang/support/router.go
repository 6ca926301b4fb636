package support

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// ServeMux is what the operations are registered with: *Router or another that takes patterns like
// "POST /v1/runs/{runId}:fork". Handlers read the values of a path with http.Request.PathValue.
type ServeMux interface {
	HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request))
	ServeHTTP(w http.ResponseWriter, r *http.Request)
}

// Router finds the handler of a request by its method and path. It takes every path that OpenAPI has: several
// parameters in one segment, a text before or after a parameter, a literal beside a parameter. Where several patterns
// fit, the one with more literal text wins, the earliest segment first. A parameter never holds a slash, unless that was
// escaped.
type Router struct {
	routes   map[int][]*route // by the number of their segments, the more special first
	patterns map[string]*route
	// NotFound and NotAllowed answer requests without a route; nil: a plain 404 and 405. The header Allow is set.
	NotFound, NotAllowed http.HandlerFunc
}

type route struct {
	method   string
	pattern  string
	segments []segment
	handler  http.HandlerFunc
}

// segment is one part of a pattern between slashes.
type segment struct {
	literals []string // what stands before, between and behind the parameters
	names    []string
	letters  int // how much of it is literal
}

// NewRouter returns a router without routes.
func NewRouter() *Router { return &Router{} }

var braces = regexp.MustCompile(`\{([^{}]*)\}`)

// HandleFunc adds a route. A pattern that stands there already is replaced.
func (m *Router) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	method, path, found := strings.Cut(pattern, " ")
	if !found {
		method, path = "", pattern
	}
	added := &route{method: method, pattern: path, handler: handler}
	for s := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		added.segments = append(added.segments, newSegment(s))
	}
	if old := m.patterns[pattern]; old != nil {
		*old = *added
		return
	}
	if m.patterns == nil {
		m.patterns, m.routes = map[string]*route{}, map[int][]*route{}
	}
	m.patterns[pattern] = added
	n := len(added.segments)
	at := sort.Search(len(m.routes[n]), func(i int) bool { return compareRoutes(m.routes[n][i], added) > 0 })
	m.routes[n] = slices.Insert(m.routes[n], at, added)
}

func newSegment(s string) segment {
	var out segment
	end := 0
	for _, at := range braces.FindAllStringSubmatchIndex(s, -1) {
		out.literals = append(out.literals, s[end:at[0]])
		out.names = append(out.names, s[at[2]:at[3]])
		end = at[1]
	}
	out.literals = append(out.literals, s[end:])
	out.letters = len(strings.Join(out.literals, ""))
	return out
}

// match adds the values of a segment's parameters to others. Each is as short as it can be, and never empty.
func (s segment) match(part string, values []string) ([]string, bool) {
	last := len(s.names)
	rest, ok := strings.CutPrefix(part, s.literals[0])
	if last == 0 {
		return values, ok && rest == ""
	}
	if ok {
		rest, ok = strings.CutSuffix(rest, s.literals[last])
	}
	for i, name := range s.names {
		if !ok || rest == "" {
			return values, false
		}
		end := len(rest)
		if i+1 < last {
			_, first := utf8.DecodeRuneInString(rest)
			next := strings.Index(rest[first:], s.literals[i+1])
			if next < 0 {
				return values, false
			}
			end = first + next
		}
		values = append(values, name, rest[:end])
		if i+1 < last {
			rest = rest[end+len(s.literals[i+1]):]
		}
	}
	return values, true
}

// compareRoutes puts the more special of two patterns of the same length first.
func compareRoutes(a, b *route) int {
	for i := range a.segments {
		x, y := a.segments[i], b.segments[i]
		switch {
		case (x.names == nil) != (y.names == nil):
			if x.names == nil {
				return -1
			}
			return 1
		case x.letters != y.letters:
			return y.letters - x.letters
		}
	}
	return 0
}

// match returns the values of a path's parameters, by their names. The parts of the path are unescaped.
func (r *route) match(parts []string) (values []string, ok bool) {
	for i, s := range r.segments {
		if values, ok = s.match(parts[i], values); !ok {
			return nil, false
		}
	}
	return values, true
}

// find returns the route of a method and a path with the values of its parameters, or else the methods that the path has.
func (m *Router) find(method string, parts []string) (found *route, values []string, allowed []string) {
	for _, route := range m.routes[len(parts)] {
		values, ok := route.match(parts)
		switch {
		case !ok:
		case route.method == "" || route.method == method:
			return route, values, nil
		default:
			allowed = append(allowed, route.method)
		}
	}
	return nil, nil, allowed
}

// ServeHTTP calls the handler of a request's route.
func (m *Router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	for i := range parts {
		part, err := url.PathUnescape(parts[i])
		if err != nil {
			answer(m.NotFound, w, r, http.StatusNotFound)
			return
		}
		parts[i] = part
	}
	route, values, allowed := m.find(r.Method, parts)
	if route == nil && r.Method == http.MethodHead { // GET answers it, where nothing else does
		route, values, _ = m.find(http.MethodGet, parts)
	}
	if route != nil {
		for pair := range slices.Chunk(values, 2) {
			r.SetPathValue(pair[0], pair[1])
		}
		r.Pattern = strings.TrimSpace(route.method + " " + route.pattern)
		route.handler(w, r)
		return
	}
	if len(allowed) == 0 {
		answer(m.NotFound, w, r, http.StatusNotFound)
		return
	}
	slices.Sort(allowed)
	w.Header().Set("Allow", strings.Join(slices.Compact(allowed), ", "))
	answer(m.NotAllowed, w, r, http.StatusMethodNotAllowed)
}

func answer(own http.HandlerFunc, w http.ResponseWriter, r *http.Request, status int) {
	if own != nil {
		own(w, r)
		return
	}
	http.Error(w, http.StatusText(status), status)
}
