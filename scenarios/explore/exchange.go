package explore

import (
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Exchange is a request of a transcript and its reply, as readers take them.
type Exchange struct {
	N      int // its entry in the transcript, counted from 1
	Method string
	Origin string // scheme and host
	Path   string // escaped
	Query  url.Values
	Header map[string]string
	Sent   string // the body
	// Whole: its body was kept.
	Whole        bool
	Status, Body wire.Value
	Code         int64         // 0: it has no reply, or none that was read to its end
	Began, Ended time.Duration // since the transcript began
}

// Exchanges returns the requests of a transcript in the order in which they were sent. A stream has no reply.
func Exchanges(t *wire.Transcript) (all []Exchange) {
	var began time.Time
	for n := 1; n <= t.Len(); n++ {
		if at := t.Entry(n).At; n == 1 || at.Before(began) {
			began = at
		}
	}
	for n := 1; n <= t.Len(); n++ {
		if x, ok := ExchangeOf(t, n, began); ok {
			all = append(all, x)
		}
	}
	slices.SortStableFunc(all, func(a, b Exchange) int { return int(a.Began - b.Began) })
	return all
}

// ExchangeOf returns the n-th entry of a transcript that began then. ok is false if it is no request over HTTP.
func ExchangeOf(t *wire.Transcript, n int, began time.Time) (x Exchange, ok bool) {
	e := t.Entry(n)
	if e.Kind != "http" && e.Kind != "stream" || e.Request == nil {
		return x, false
	}
	at, err := url.Parse(e.Request.URL)
	if err != nil {
		return x, false
	}
	x = Exchange{
		N: n, Origin: at.Scheme + "://" + at.Host, Method: e.Request.Method, Path: at.EscapedPath(), Query: at.Query(),
		Header: e.Request.Header, Sent: e.Request.Body, Whole: e.Error == "" || e.Request.Body != "", Began: e.At.Sub(began),
	}
	x.Ended = x.Began + time.Duration(e.Micros+1)*time.Microsecond // they are rounded down
	if e.Kind == "http" && e.Error == "" && e.Response != nil {
		x.Code, x.Status, x.Body = int64(e.Response.Status), t.Status(n), t.Reply(n)
	}
	return x, true
}

// Ok reports whether the reply is a success.
func (x Exchange) Ok() bool { return x.Code/100 == 2 }

// Writes reports whether the request may have changed something.
func (x Exchange) Writes() bool { return x.Method != http.MethodGet && x.Method != http.MethodHead }

// Answered reports whether there is a reply to go by: one that refuses a credential, or for load, says nothing of what was asked for.
func (x Exchange) Answered() bool { return x.Code > 0 && !scenarios.Refuses(int(x.Code)) }

// Beside reports whether two requests were under way at once.
func (x Exchange) Beside(y Exchange) bool {
	return x.N != y.N && x.Began < y.Ended && y.Began < x.Ended
}

// By returns who asked whom: the origin, and all headers that are not about what is asked for.
func (x Exchange) By() string {
	by := []string{x.Origin}
	for _, name := range slices.Sorted(maps.Keys(x.Header)) {
		if !slices.Contains([]string{"If-Match", "Content-Type", "Accept", "Idempotency-Key"}, http.CanonicalHeaderKey(name)) {
			by = append(by, name+": "+x.Header[name])
		}
	}
	return strings.Join(by, "\n")
}

// ByOther reports whether it was sent with the credential of the other tenant of a certification.
func (x Exchange) ByOther() bool {
	return slices.Contains(slices.Collect(maps.Values(x.Header)), wire.OtherTenant)
}

// Get returns a header of the request.
func (x Exchange) Get(header string) (value string, has bool) {
	for name, value := range x.Header {
		if strings.EqualFold(name, header) {
			return value, true
		}
	}
	return "", false
}

// Names reports whether a text stands in the request or the reply.
func (x Exchange) Names(t *wire.Transcript, text string) bool {
	e := t.Entry(x.N)
	return slices.ContainsFunc(append(e.Sent(), e.Received()...), func(s string) bool { return strings.Contains(s, text) })
}

// Object returns the JSON object that the request sent. ok is false if it may be taken for something else: its type is another one, or
// parsers may read it differently (see [wire.Vet]).
func (x Exchange) Object() (members map[string]any, ok bool) {
	kind, _ := x.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(kind); err != nil || media != "application/json" || !x.Whole {
		return nil, false
	}
	limits := wire.DefaultLimits()
	if _, err := wire.Vet([]byte(x.Sent), limits.Depth, limits.NumberChars); err != nil {
		return nil, false
	}
	v, err := wire.Decode(x.Sent)
	members, isObject := v.(map[string]any)
	return members, err == nil && isObject
}
