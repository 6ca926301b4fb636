// Package console is the web page of the simulated host: runs as they happen, a run's log as a timeline, interrupts with a form
// to answer them, files as a turn saw them, goals, the clock and the faults.
//
// It holds no truth of its own. What it shows is the fold of the logs, asked for anew with every page; what somebody does
// with it goes through the API of the host as a client with the same key would do it. A page that is open hears over
// server-sent events which parts have changed, and fetches itself again. Nothing is done while nobody looks.
package console

import (
	"context"
	"log/slog"
	"maps"
	"net/http"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/goal"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// Prefix is what the paths of all pages begin with.
const Prefix = "/console"

// Host is what a console sees of a host: folds of its logs, and its API.
type Host interface {
	Caller(key string) (surface.Caller, bool)
	Ask(ctx context.Context, who surface.Caller, method, path string, body any) (surface.Reply, error)
	Runs(ctx context.Context, who surface.Caller, below uint64, n int) (runs []state.Account, older uint64, err error)
	Waiting(ctx context.Context, who surface.Caller, n int) (runs []state.Account, total int, err error)
	Run(ctx context.Context, who surface.Caller, runID string) (state.Account, error)
	Files(ctx context.Context, who surface.Caller) ([]openwopv1.WorkspaceFileRef, error)
	File(ctx context.Context, who surface.Caller, ref openwopv1.WorkspaceFileRef) (string, error)
	Goals(ctx context.Context, who surface.Caller) (goals []goal.Account, kept bool, err error)
	Workflows() []openwopv1.WorkflowDefinition
	Changed(ctx context.Context, who surface.Caller, logs []string) surface.Change
}

var _ Host = (*surface.Host)(nil)

// Options of a console. One of Host and Intents is required; both share a store.
type Options struct {
	// Host is what speaks OpenWOP, Intents what speaks OpenIntent; nil where that is not spoken.
	Host    *surface.Switchable
	Intents *openintent.Host
	// Clock is the clock of the host where that only moves when told to; nil where time goes by itself.
	Clock *clock.Manual
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
	store    *eventlog.Store
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
	c := &Console{o: o, log: o.Logger, sessions: sessions{wire: o.Wire}}
	if o.Host != nil {
		c.store = o.Host.Store()
	} else {
		c.store = o.Intents.Store()
	}
	c.closing, c.close = context.WithCancel(context.Background())
	c.handler = c.route()
	return c
}

// Handler answers the paths that [Owns] tells.
func (c *Console) Handler() http.Handler { return c.handler }

// Close ends what streams. Requests that come later are answered, but nothing streams any more.
func (c *Console) Close() { c.close() }

// Owns tells the paths that are the console's.
func Owns(path string) bool {
	return path == Prefix || len(path) > len(Prefix) && path[:len(Prefix)+1] == Prefix+"/"
}

// host calls do with the host as it is now.
func (c *Console) host(do func(Host) error) error {
	return c.o.Host.With(func(h *surface.Host) error { return do(h) })
}

// first is the page that the console begins with.
func (c *Console) first(w http.ResponseWriter, r *http.Request, who visitor) error {
	if c.o.Host == nil || !who.hasRuns {
		http.Redirect(w, r, Prefix+"/intents", http.StatusSeeOther)
		return nil
	}
	return c.runs(w, r, who)
}

func (c *Console) route() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Prefix+"/login", c.showLogin)
	mux.HandleFunc("POST "+Prefix+"/login", c.login)
	mux.HandleFunc("GET "+Prefix+"/assets/{name}", serveAsset)
	pages := map[string]page{
		"GET " + Prefix:              c.first,
		"GET " + Prefix + "/{$}":     c.first,
		"GET " + Prefix + "/waiting": c.waiting,
		"GET " + Prefix + "/clock":   c.clock,
		"POST " + Prefix + "/clock":  c.advance,
		"POST " + Prefix + "/logout": c.logout,
		Prefix + "/":                 c.nothing,
	}
	if c.o.Host != nil {
		maps.Copy(pages, map[string]page{
			"GET " + Prefix + "/start":              c.startForm,
			"POST " + Prefix + "/start":             c.start,
			"GET " + Prefix + "/runs/{run}":         c.run,
			"GET " + Prefix + "/runs/{run}/files":   c.runFiles,
			"POST " + Prefix + "/runs/{run}/answer": c.answer,
			"POST " + Prefix + "/runs/{run}/do":     c.control,
			"GET " + Prefix + "/goals":              c.goals,
			"GET " + Prefix + "/faults":             c.faults,
			"POST " + Prefix + "/faults":            c.switchFaults,
		})
	}
	if c.o.Intents != nil {
		maps.Copy(pages, map[string]page{
			"GET " + Prefix + "/intents":                   c.intents,
			"POST " + Prefix + "/intents":                  c.exampleIntent,
			"GET " + Prefix + "/intents/{intent}":          c.intent,
			"POST " + Prefix + "/intents/{intent}/answer":  c.answerIntent,
			"POST " + Prefix + "/intents/{intent}/advance": c.advanceIntent,
		})
	}
	for pattern, page := range pages {
		mux.Handle(pattern, c.signedIn(page))
	}
	mux.Handle("GET "+Prefix+"/live", http.HandlerFunc(c.live))
	return c.guard(mux)
}
