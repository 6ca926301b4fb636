package apidoc

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// Routes finds operations by method and path.
type Routes map[string][]route // by method, the most literal first

type route struct {
	name     string // POST /v1/runs/{runId}:fork
	segments []segment
	literal  int // characters outside braces
	op       *Operation
}

// segment is a part of a path between slashes: text, or a parameter and the text behind it.
type segment struct{ parameter, text string }

// Routes returns the routes of all operations.
func (o Operations) Routes() Routes {
	routes := Routes{}
	for name, op := range o {
		method, path, _ := strings.Cut(name, " ")
		r := route{name: name, op: op}
		for part := range strings.SplitSeq(path, "/") {
			s := segment{text: part}
			if open, ok := strings.CutPrefix(part, "{"); ok {
				s.parameter, s.text, _ = strings.Cut(open, "}")
			}
			r.literal += len(s.text)
			r.segments = append(r.segments, s)
		}
		routes[method] = append(routes[method], r)
	}
	for _, list := range routes {
		slices.SortFunc(list, func(a, b route) int { return cmp.Or(b.literal-a.literal, strings.Compare(a.name, b.name)) })
	}
	return routes
}

// Find returns the operation that a request is for, with its name and the values of the parameters in its path; nil if there is none.
func (r Routes) Find(method, path string) (op *Operation, name string, values map[string]string) {
	found, values := r.find(method, path)
	if found == nil {
		return nil, "", nil
	}
	return found.op, found.name, values
}

// find returns the route of a path, nil if there is none, and the values of its parameters.
func (r Routes) find(method, path string) (*route, map[string]string) {
	parts := strings.Split(path, "/")
	list := r[method]
	for i := range list {
		if values, ok := list[i].match(parts); ok {
			return &list[i], values
		}
	}
	return nil, nil
}

func (r *route) match(parts []string) (values map[string]string, ok bool) {
	if len(parts) != len(r.segments) {
		return nil, false
	}
	for i, s := range r.segments {
		value, fits := strings.CutSuffix(parts[i], s.text)
		if !fits || s.parameter == "" && value != "" {
			return nil, false
		}
		if s.parameter == "" {
			continue
		}
		plain, err := url.PathUnescape(value)
		if err != nil {
			return nil, false
		}
		if values == nil {
			values = map[string]string{}
		}
		values[s.parameter] = plain
	}
	return values, true
}

// methods returns the methods that a path takes, sorted.
func (r Routes) methods(path string) (all []string) {
	for method := range r {
		if found, _ := r.find(method, path); found != nil {
			all = append(all, method)
		}
	}
	slices.Sort(all)
	return all
}
