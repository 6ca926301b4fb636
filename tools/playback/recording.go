package playback

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios/observed"
	"github.com/openassay/assay/scenarios/wire"
)

// exchange is one of the recording.
type exchange struct {
	number int // in the order in which they began, from 1
	entry  *wire.Entry
	why    string // why it cannot be played; "" if it can
	asked  int
}

// row holds exchanges with equal requests, in their order. Each is played once.
type row struct {
	who       caller
	key       string // its Idempotency-Key; "" for none
	content   content
	unread    bool // the recording does not have the body of the request
	exchanges []*exchange
	next      int
}

func (r *row) last() *exchange { return r.exchanges[len(r.exchanges)-1] }

// place holds what was asked with one method at one address, in one way.
type place struct {
	method, path, address string // the address has the query
	way                   string // headers that make it another request
	rows                  []*row
	byWhole, byShape      map[string][]*row
}

// recorded is a recording, prepared to be asked.
type recorded struct {
	places    map[string]*place
	inOrder   []*place
	hidden    []*place            // those with a placeholder in their address
	at        map[string][]*place // by method and path
	named     map[string]bool     // headers that hold credentials
	keys      map[string]bool     // values of Idempotency-Key
	exchanges []*exchange
	outside   int // exchanges that are not below the prefix
}

// keyHeader is the header by which a host tells that a request comes again.
const keyHeader = "Idempotency-Key"

// ways are headers that make a request another one, beside Accept.
var ways = [...]string{"Last-Event-Id", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "Range"}

const streamType = "text/event-stream"

// wayOf returns the headers that make a request another one.
func wayOf(get func(string) string) string {
	var all []string
	if strings.Contains(get("Accept"), streamType) {
		all = append(all, "Accept: "+streamType)
	}
	for _, name := range ways {
		if value := get(name); value != "" {
			all = append(all, name+": "+value)
		}
	}
	return strings.Join(all, ", ")
}

// caller is who asks: the headers that hold credentials.
type caller struct {
	header  []pair // name and value, by name
	anybody bool   // the recording does not say who asked
}

func callerOf(named map[string]bool, get func(string) string) (c caller) {
	for name := range named {
		if value := get(name); value != "" {
			c.header = append(c.header, pair{name, value})
		}
	}
	slices.SortFunc(c.header, func(a, b pair) int { return strings.Compare(a.recorded, b.recorded) })
	return c
}

// caller reports whether a client may stand for who asked.
func (f *fitting) caller(was, is caller) bool {
	return was.anybody || slices.EqualFunc(was.header, is.header, func(a, b pair) bool {
		return a.recorded == b.recorded && f.text(a.sent, b.sent)
	})
}

// recordedOf prepares a recording. prefix is the path below which the client asks.
func recordedOf(entries []wire.Entry, prefix string) *recorded {
	r := &recorded{places: map[string]*place{}, at: map[string][]*place{}, named: map[string]bool{}, keys: map[string]bool{}}
	for _, e := range entries {
		for name, value := range e.Request.Header {
			if wire.HoldsSecret(value) || value == wire.Secret {
				r.named[http.CanonicalHeaderKey(name)] = true
			}
		}
	}
	for _, name := range wire.CallerHeaders() {
		r.named[name] = true
	}
	delete(r.named, "Cookie") // what set it is not in the recording
	delete(r.named, keyHeader)
	rows := map[string]*row{}
	for i := range entries {
		r.add(&entries[i], prefix, rows)
	}
	return r
}

// add adds an exchange. rows are by what makes requests equal.
func (r *recorded) add(e *wire.Entry, prefix string, rows map[string]*row) {
	at, err := url.Parse(e.Request.URL)
	if err != nil {
		r.outside++
		return
	}
	path := pathOf(at)
	below, is := strings.CutPrefix(path, prefix)
	if !is || below != "" && below[0] != '/' {
		r.outside++
		return
	}
	address := cmp.Or(strings.TrimPrefix(addressOf(at), prefix), "/")
	if address[0] == '?' {
		address = "/" + address
	}
	get := headerOf(e.Request.Header)
	way, key := wayOf(get), get(keyHeader)
	who := callerOf(r.named, get)
	who.anybody = observed.CallerUnknown(e.Request)
	x := &exchange{number: len(r.exchanges) + 1, entry: e, why: whyNot(e)}
	c := contentOf(get("Content-Type"), e.Request.Body)
	unread := e.Error != "" && e.Request.Body == ""
	p := r.place(e.Request.Method, cmp.Or(below, "/"), address, way)
	id := strings.Join([]string{p.id(), fmt.Sprint(who, unread), key, string(c.whole[:])}, "\n")
	if rows[id] == nil {
		rows[id] = &row{who: who, key: key, content: c, unread: unread}
		p.add(rows[id])
	}
	rows[id].exchanges = append(rows[id].exchanges, x)
	r.exchanges = append(r.exchanges, x)
	if key != "" {
		r.keys[key] = true
	}
}

func (p *place) id() string { return p.method + " " + p.address + "\n" + p.way }

// place returns a place, and makes it where there is none.
func (r *recorded) place(method, path, address, way string) *place {
	p := &place{method: method, path: path, address: address, way: way, byWhole: map[string][]*row{}, byShape: map[string][]*row{}}
	if known := r.places[p.id()]; known != nil {
		return known
	}
	r.places[p.id()] = p
	r.inOrder = append(r.inOrder, p)
	r.at[method+" "+path] = append(r.at[method+" "+path], p)
	if wire.HoldsSecret(address) {
		r.hidden = append(r.hidden, p)
	}
	return p
}

func (p *place) add(r *row) {
	p.rows = append(p.rows, r)
	whole, shape := string(r.content.whole[:]), string(r.content.shape[:])
	p.byWhole[whole] = append(p.byWhole[whole], r)
	p.byShape[shape] = append(p.byShape[shape], r)
}

// headerOf returns a reader of recorded headers, whatever letters their names have.
func headerOf(header map[string]string) func(string) string {
	h := make(http.Header, len(header))
	for name, value := range header {
		h.Set(name, value)
	}
	return h.Get
}

// whyNot returns why an exchange cannot be played, "" if it can. A stream is played as far as it was kept.
func whyNot(e *wire.Entry) string {
	switch {
	case e.Response == nil:
		return cmp.Or(e.Error, "the recording has no reply")
	case e.Response.Status < http.StatusOK || e.Response.Status > 999:
		return fmt.Sprintf("no host can end a reply with status %d", e.Response.Status)
	case e.Kind == "stream":
		return ""
	case e.Error != "":
		return e.Error
	case strings.Contains(e.Response.Body, "\uFFFD"):
		return "the reply is not UTF-8, and was not kept as it was"
	}
	return ""
}
