// Package console is the frame of the web pages that the simulated hosts show: who may see them, how they look, how an
// open page hears of changes, what waits for an answer, and the clock. The pages of a host are a [Part], which its
// protocol has.
//
// It holds no truth of its own. A page is the fold of the logs, asked for anew each time; what somebody does with it goes
// through the API of the host as a client with the same key would do it. A page that is open hears over server-sent
// events what has changed, and fetches itself again. Nothing is done while nobody looks.
package console

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/simhost/snapshot"
)

// Prefix is what the paths of all pages begin with.
const Prefix = "/console"

// Options of a console.
type Options struct {
	// Parts are those of the hosts, at least one. The first that knows a visitor has the page that the console begins with.
	Parts []Part
	// Store is where the logs of the hosts are.
	Store *eventlog.Store
	// Clock is the clock of the hosts where that can be moved; nil where time goes by itself alone.
	Clock clock.Moved
	// Key is that of the host itself: who has it may take a snapshot. "" lets nobody.
	Key string
	// Snapshot says how snapshots are written.
	Snapshot snapshot.Options
	// Remote lets in requests from other machines, and under any name.
	Remote bool
	// Wire is the time that sessions and streams go by; nil is the real one.
	Wire clock.Clock
	// Logger gets what goes wrong; nil discards.
	Logger *slog.Logger
}

// Console serves the pages.
type Console struct {
	o        Options
	log      *slog.Logger
	parts    []*part
	own      *part // what is no host's
	key      serving.Keys[bool]
	sessions sessions
	told     told
	handler  http.Handler

	closing context.Context // ends when Close begins
	close   context.CancelFunc
}

// New makes a console. Close ends its streams.
func New(o Options) *Console {
	if o.Wire == nil {
		o.Wire = clock.Real()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Console{o: o, log: o.Logger, own: newPart(Part{Templates: files}), sessions: sessions{wire: o.Wire}}
	for _, p := range o.Parts {
		c.parts = append(c.parts, newPart(p))
	}
	if o.Key != "" {
		c.key.Add(o.Key, true)
	}
	c.closing, c.close = context.WithCancel(context.Background())
	c.handler = c.route()
	return c
}

// first tells whether a key is that of the host itself.
func (c *Console) first(key string) bool {
	_, is := c.key.Whose(key)
	return is
}

// Handler answers the paths that [Owns] tells.
func (c *Console) Handler() http.Handler { return c.handler }

// Close ends what streams. Requests that come later are answered, but nothing streams any more.
func (c *Console) Close() { c.close() }

// Owns tells the paths that are the console's.
func Owns(path string) bool {
	return path == Prefix || len(path) > len(Prefix) && path[:len(Prefix)+1] == Prefix+"/"
}

func (c *Console) route() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Prefix+"/login", c.showLogin)
	mux.HandleFunc("POST "+Prefix+"/login", c.login)
	mux.HandleFunc("GET "+Prefix+"/assets/{name}", serveAsset)
	mux.HandleFunc("GET "+Prefix+"/live", c.live)
	c.routeAPI(mux)
	pages := map[string]page{
		"GET " + Prefix + "/waiting": c.waiting,
		"GET " + Prefix + "/clock":   c.clock,
		"POST " + Prefix + "/clock":  c.advance,
		"GET " + Prefix + "/faults":  c.faults,
		"POST " + Prefix + "/faults": c.switchFaults,
		"POST " + Prefix + "/logout": c.logout,
		Prefix + "/":                 c.nothing,
	}
	for _, p := range c.parts {
		for _, pattern := range p.Patterns {
			pages[pattern] = c.hosted
		}
	}
	for pattern, page := range pages {
		mux.Handle(pattern, c.signedIn(page))
	}
	return c.guard(mux)
}
