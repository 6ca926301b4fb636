package contract

import (
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// plain spells the integers among the parameters of a request plainly: to a schema 2.0 and 2e3 are integers, to a generated server
// they are not.
func plain(op *Operation, r *http.Request) *http.Request {
	var query url.Values
	changed := false
	for _, p := range op.Integers {
		switch p.In {
		case "header":
			for i, value := range r.Header[http.CanonicalHeaderKey(p.Name)] {
				r.Header[http.CanonicalHeaderKey(p.Name)][i] = plainInteger(value)
			}
		case "query":
			if query == nil {
				query = r.URL.Query()
			}
			for i, value := range query[p.Name] {
				query[p.Name][i] = plainInteger(value)
				changed = changed || query[p.Name][i] != value
			}
		}
	}
	if !changed {
		return r
	}
	with := r.WithContext(r.Context()) // a copy of the request, and one of its URL: others still hold the first
	at := *r.URL
	with.URL = &at
	with.URL.RawQuery = query.Encode()
	return with
}

// plainInteger spells an integer without a fraction or an exponent, as long as a float holds it exactly. Any other text stays as
// it is, for its reader to refuse.
func plainInteger(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		return text
	}
	const exact = 1 << 53
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > exact {
		return text
	}
	return strconv.FormatInt(int64(f), 10)
}
