package openintent

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openintent/engine"
	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/serving"
)

// The defaults of Options.
const (
	DefaultKey  = "dev"
	defaultName = "assay-simhost"
	// callerName is who the default key belongs to.
	callerName = "agent"
)

// Options of a host. The zero value is an honest server with every feature, in memory, with the key "dev".
type Options struct {
	// Key is what callers send as X-API-Key; "" means DefaultKey.
	Key string
	// Callers are the keys of further callers, by their names.
	Callers map[string]string
	// Without names features to leave off (see FeatureNames).
	Without []string
	// Config is the path of openintent.yaml; "" takes the defaults.
	Config string
	// Store is the log to share with another host; nil opens one by the next three.
	Store *eventlog.Store
	// DataDir keeps the log in files there; "" keeps it in memory.
	DataDir string
	// SyncAlways makes every append to files wait for the disk.
	SyncAlways bool
	// LogMax bounds the stored bytes; 0 takes the event log's own bound.
	LogMax int64
	// Seed makes ids repeatable; 0 makes them unguessable.
	Seed uint64
	// Clock is the time of intents and portfolios; nil is the real one. Wire is the time of connections.
	Clock, Wire clock.Clock
	// Rules are what the host goes by; nil are the honest ones.
	Rules *rules.Set
	// Changes change what comes in and goes out, from outside of the host.
	Changes mutate.Changes
	// Vary names the ways in which the host differs from the usual one without being wrong (see package variation).
	Vary []string
	// LeastLimit is the shortest time to the deadline of a portfolio, lease, and window or interval of a suspension that the host
	// takes; 0 takes any.
	LeastLimit time.Duration
	// Name and Release are what discovery calls this implementation.
	Name, Release string
	// Logger gets faults and reminders; nil discards.
	Logger *slog.Logger
}

// OptionError is a mistake in the options: the caller can mend it.
type OptionError struct{ Err error }

func (e *OptionError) Error() string { return e.Err.Error() }

// Unwrap is what was wrong.
func (e *OptionError) Unwrap() error { return e.Err }

// The features beside those of the engine.
const (
	core    = "core"
	config  = "config"
	sse     = "sse"
	webhook = "webhook"
	seam    = "clock"
)

// FeatureNames lists what can be left off.
func FeatureNames() []string {
	return []string{
		engine.Lifecycle, engine.Graph, engine.Portfolios, engine.Plans, engine.Workflows, engine.Coordinates, engine.Claims,
		engine.Notifier, engine.Deadlines,
		config, sse, webhook, seam,
	}
}

func (o Options) withDefaults() (Options, error) {
	if o.Key == "" {
		o.Key = DefaultKey
	}
	if o.Clock == nil {
		o.Clock = clock.Real()
	}
	if o.Wire == nil {
		o.Wire = clock.Real()
	}
	if o.Name == "" {
		o.Name = defaultName
	}
	if o.Release == "" {
		o.Release = "dev"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, errors.Join(o.checkCallers(), o.checkWithout())
}

func (o Options) checkCallers() error {
	taken := map[string]string{o.Key: callerName}
	for _, name := range slices.Sorted(maps.Keys(o.Callers)) {
		key := o.Callers[name]
		switch other, twice := taken[key]; {
		case name == "" || key == "":
			return errors.New("callers: give each a name and a key that are not empty")
		case name == callerName:
			return fmt.Errorf("callers: %s is who has the first key: choose another name", name)
		case twice:
			return fmt.Errorf("callers: %s has the key of %s: give each a key of their own", name, other)
		}
		taken[key] = name
	}
	return nil
}

func (o Options) checkWithout() error {
	for _, name := range o.Without {
		if !slices.Contains(FeatureNames(), name) {
			return fmt.Errorf("there is no feature %q to leave off", name)
		}
	}
	return nil
}

func (o Options) callers() (known serving.Keys[engine.Caller]) {
	known.Add(o.Key, engine.Caller{Name: callerName, Key: o.Key})
	for name, key := range o.Callers {
		known.Add(key, engine.Caller{Name: name, Key: key})
	}
	return known
}

// without is what is left off, with what rests on it.
func (o Options) without() map[string]bool {
	off := map[string]bool{}
	for _, name := range o.Without {
		off[name] = true
	}
	off[engine.Deadlines] = off[engine.Deadlines] || off[engine.Portfolios]
	off[engine.Workflows] = off[engine.Workflows] || off[engine.Portfolios] || off[engine.Graph]
	off[engine.Coordinates] = off[engine.Coordinates] || off[engine.Graph]
	off[webhook] = off[webhook] || off[engine.Notifier]
	off[engine.Claims] = off[engine.Claims] || off[engine.Graph] || off[engine.Lifecycle] // what is claimed is a lease
	return off
}
