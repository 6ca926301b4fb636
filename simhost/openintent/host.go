// Package openintent is the OpenIntent v1 HTTP surface of the simulated host: intents, the graph, suspend and respond, leases,
// portfolios, tasks, plans, coordinators, streams, the server config and the clock seam, over the engine.
//
// The server is the generated one of gen/openintentv1, and what a request must look like is read from the same document.
// The package keeps no state of its own: what it answers is read from the log.
package openintent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/ids"
	"github.com/openassay/assay/simhost/openintent/engine"
	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/openintent/variation"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/simhost/serving/contract"
)

// Prefix is what all paths begin with, but discovery.
const Prefix = "/api/v1"

// Host is a simulated server that is open for requests. Its methods may be called concurrently.
type Host struct {
	opts    Options // with defaults
	log     *slog.Logger
	rules   rules.Set
	manner  variation.Set
	config  Config
	callers serving.Keys[engine.Caller]
	without map[string]bool
	ops     contract.Operations
	store   *eventlog.Store
	own     bool // the store is ours to close
	engine  *engine.Engine
	post    *post
	handler http.Handler
	serves  func(*http.Request) bool

	closing context.Context // ends when Close begins
	close   context.CancelFunc
	active  sync.WaitGroup // streams
}

// The generated server calls these.
var _ openintentv1.StrictServerInterface = (*Host)(nil)

// New opens the log, takes up what waits on it, and returns a host that can serve. Its errors name the option to mend.
func New(ctx context.Context, o Options) (*Host, error) {
	h, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("start the simulated OpenIntent server: %w", err)
	}
	return h, nil
}

// readBundle reads the contract, once a process.
var readBundle = sync.OnceValues(func() (contract.Operations, error) {
	schemas, err := validate.Embedded(openintentv1.Bundled())
	if err != nil {
		return nil, err
	}
	return contract.Read(openintentv1.Bundled(), schemas, map[string]bool{headerMatch: true})
})

// Check reports what is wrong with options without opening anything: an [OptionError].
func (o Options) Check() error {
	h, err := prepare(o)
	if h != nil {
		h.close()
	}
	return err
}

func open(ctx context.Context, o Options) (*Host, error) {
	h, err := prepare(o)
	if err != nil {
		return nil, err
	}
	h.route()
	return h, h.start(ctx)
}

// prepare reads the options, and all that they name.
func prepare(o Options) (_ *Host, err error) {
	if o, err = o.withDefaults(); err != nil {
		return nil, &OptionError{err}
	}
	h := &Host{opts: o, log: o.Logger, callers: o.callers(), without: o.without()}
	h.closing, h.close = context.WithCancel(context.Background())
	if h.config, err = readConfig(o.Config); err != nil {
		return nil, &OptionError{err}
	}
	if h.rules = rules.Honest(); o.Rules != nil {
		h.rules = *o.Rules
	}
	if h.manner, err = variation.With(o.Vary...); err != nil {
		return nil, &OptionError{err}
	}
	h.manner.Apply(&h.rules)
	if h.config.Suspension.DefaultRetryPolicy == nil {
		h.config.Suspension.DefaultRetryPolicy = h.manner.Policy
	}
	if h.ops, err = readBundle(); err != nil {
		return nil, err
	}
	return h, nil
}

func (h *Host) start(ctx context.Context) (err error) {
	h.post = newPost(h.log, h.opts.Clock)
	if h.store = h.opts.Store; h.store == nil {
		h.own = true
		h.store, err = eventlog.Open(ctx, eventlog.Options{
			Dir: h.opts.DataDir, Checked: true, SyncAlways: h.opts.SyncAlways, MaxBytes: h.opts.LogMax,
		})
		if err != nil {
			return errors.Join(err, h.post.close())
		}
	}
	source := ids.Random()
	if h.opts.Seed != 0 {
		log := h.store.Successor(engine.LogName)
		last, err := h.store.Last(ctx, log)
		if err != nil {
			return errors.Join(err, h.closeParts())
		}
		seed := h.opts.Seed + last.Revision<<20 // no two starts of a seed make the same ids
		if log != engine.LogName {
			seed += afterDamage
		}
		source = ids.Seeded(seed)
	}
	h.engine, err = engine.Open(ctx, engine.Options{
		Log: h.store, Clock: h.opts.Clock, Wire: h.opts.Wire, IDs: source, Rules: h.rules,
		DefaultPolicy: h.config.Suspension.DefaultRetryPolicy, MayNotify: h.config.mayNotify, Without: h.without,
		AgentsNotify: h.config.Suspension.Notifier == notifierAgent,
		LeastTime:    h.opts.LeastLimit,
		Notify:       h.notify,
		OnError:      func(err error) { h.log.Error("openintent engine", "error", err) },
	})
	if err != nil {
		return errors.Join(err, h.closeParts())
	}
	return nil
}

// afterDamage keeps the ids of a log that takes the place of a damaged one apart from those of that.
const afterDamage = 1 << 60

// Hurry ends streams, so that nothing but work under way is left to wait for.
func (h *Host) Hurry() { h.close() }

// Close ends streams, and closes the engine and the log. What waits goes on when a host is opened on the same data folder.
func (h *Host) Close(context.Context) error {
	h.close()
	h.active.Wait()
	return h.closeParts()
}

func (h *Host) closeParts() error {
	var ended []error
	if h.engine != nil {
		h.engine.Close()
	}
	ended = append(ended, h.post.close())
	if h.own && h.store != nil {
		ended = append(ended, h.store.Close())
	}
	return errors.Join(ended...)
}

// Serve answers on ln until ctx ends, then stops cleanly (see package serving). The host itself stays usable; Close ends it.
func (h *Host) Serve(ctx context.Context, ln net.Listener) error {
	return serving.Serve(ctx, ln, h.handler, h.log)
}

// Owns tells the paths that this host answers where it shares a listener with another one.
func Owns(path string) bool {
	return path == Prefix || strings.HasPrefix(path, Prefix+"/") || strings.HasPrefix(path, "/.well-known/openintent")
}

// Handler answers requests; it can be put into any server.
func (h *Host) Handler() http.Handler { return h.handler }

// Serves reports whether the host has the operation that a request is for.
func (h *Host) Serves(r *http.Request) bool { return h.serves(r) }

// Fail answers with a refusal, in the form of the protocol.
func (h *Host) Fail(w http.ResponseWriter, r *http.Request, err error) { h.fail(w, r, err) }
