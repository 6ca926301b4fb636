// Package gateway is a plugin gateway as RFC-103 has it under its agent: a queue of jobs, first in, first out, one running
// at a time. A job is one turn of a plugin. Its order is: load the plugin's row of state, open the workspace, load the
// context, build the request, run the plugin, decode its answer, commit the state, route the events.
//
// Queue and state are the fold of one log. Jobs are run at least once: a gateway that finds jobs running that it did not
// start queues them again, with the same id and event.
//
// The ways in which gateways of this kind differ, or differed over time, are knobs: [Options].
package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/internal/folded"
)

// logName is the log that a gateway keeps.
const logName = "gateway"

// DefaultTimeout is how long a plugin's handle may take unless its settings say otherwise.
const DefaultTimeout = 120 * time.Second

// Gateway is open until its log is closed. Start and State may be called at any time, Drain by one caller at a time.
type Gateway struct {
	o          Options
	plugins    map[string]Plugin
	workspaces workspaces
	states     *folded.States[State]
	salt       string
	woken      chan struct{} // holds one element once something was queued from outside

	appending sync.Mutex // held while a record is appended and told, so that they are told in order
	turns     int        // that began before this gateway was opened
}

// Open checks what a gateway is made of, and queues the jobs again that a former one left running. Mistakes in the
// options, and pipelines that do not fit the plugins, are a ConfigError.
func Open(ctx context.Context, o Options) (*Gateway, error) {
	o, err := o.withDefaults()
	if err == nil {
		err = o.Config.check(o.Plugins)
	}
	if err != nil {
		return nil, &ConfigError{err}
	}
	g := &Gateway{o: o, plugins: map[string]Plugin{}, salt: newSalt(o.Seed), woken: make(chan struct{}, 1)}
	for _, p := range o.Plugins {
		g.plugins[p.Name] = p
	}
	if g.workspaces, err = newWorkspaces(o.Workspace, o.Workspaces); err != nil {
		return nil, &ConfigError{err}
	}
	g.states = folded.New(o.Log, foldEntry)
	if err := g.recover(ctx); err != nil {
		return nil, fmt.Errorf("open the gateway: %w", err)
	}
	return g, nil
}

// ConfigError is a mistake in what a gateway was made of.
type ConfigError struct{ cause error }

func (e *ConfigError) Error() string { return e.cause.Error() }
func (e *ConfigError) Unwrap() error { return e.cause }

func foldEntry(s *State, e eventlog.Entry) error {
	var r Record
	if err := json.Unmarshal(e.Data, &r); err != nil {
		return err
	}
	return s.Fold(r)
}

// recover queues the jobs again that nobody runs any more, with the next attempt; one that has none left is dead.
func (g *Gateway) recover(ctx context.Context) error {
	return g.append(ctx, func(s *State, r *Record) error {
		g.turns = s.Turns
		for _, j := range s.Jobs {
			switch {
			case j.Status != Running:
			case j.Attempt >= j.MaxAttempts:
				r.Recovered = append(r.Recovered, Recovered{j.ID, Dead})
			default:
				r.Recovered = append(r.Recovered, Recovered{j.ID, Queued})
			}
		}
		return nil
	})
}

// Start queues an event from outside: at the pipelines that are on its type, or where there are none at the plugin. It
// returns the jobs, none where the event was dropped as a duplicate.
func (g *Gateway) Start(ctx context.Context, plugin string, e agenticloopv2.Event) ([]string, error) {
	targets := g.o.Config.next(Job{}, e.Type)
	if p, known := g.plugins[plugin]; len(targets) == 0 && (!known || !p.has(commandHandle)) {
		return nil, &ConfigError{fmt.Errorf("start: no pipeline is on %s, and no plugin %q with a command %s is loaded: load "+
			"one, or add a pipeline", e.Type, plugin, commandHandle)}
	}
	var ids []string
	err := g.append(ctx, func(s *State, r *Record) error {
		e.EventID, e.Timestamp = derived("start", g.salt, strconv.Itoa(len(s.Jobs))), r.At
		jobs := []Job{g.newJob(e, plugin, "", 0)}
		if len(targets) > 0 {
			jobs = jobs[:0]
		}
		for _, t := range targets {
			jobs = append(jobs, g.newJob(e, t.pipeline.Steps[0].Uses, t.pipeline.Name, 0))
		}
		s.enqueued(jobs, r.At, r)
		ids = ids[:0]
		for _, j := range r.Enqueued {
			ids = append(ids, j.ID)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	select {
	case g.woken <- struct{}{}:
	default:
	}
	return ids, nil
}

// Look reads what a log says, without a gateway.
func Look(ctx context.Context, log Log) (s State, err error) {
	err = log.Each(ctx, logName, 0, func(e eventlog.Entry) error { return foldEntry(&s, e) })
	return s, err
}

// State is a copy of what the log says.
func (g *Gateway) State(ctx context.Context) (State, error) {
	var out State
	err := g.states.View(ctx, logName, func(s *State) error {
		out = s.Clone()
		return nil
	})
	return out, err
}

// append adds what decide puts into a record, and tells of it. Nothing is added where it puts in nothing.
func (g *Gateway) append(ctx context.Context, decide func(*State, *Record) error) error {
	g.appending.Lock()
	defer g.appending.Unlock()
	var r Record
	err := g.states.Append(ctx, logName, func(s *State) ([]byte, error) {
		r = Record{At: g.o.Clock.Now().UTC()}
		if err := decide(s, &r); err != nil || r.empty() {
			return nil, err
		}
		// What cannot be folded must not be appended: the log could never be read again.
		if _, err := s.check(r); err != nil {
			return nil, err
		}
		return json.Marshal(r)
	})
	if err == nil && !r.empty() {
		g.o.Observe(r)
	}
	return err
}

func (r *Record) empty() bool {
	return r.Claimed == nil && r.Committed == nil && r.Ended == nil &&
		len(r.Enqueued)+len(r.Dropped)+len(r.Unrouted)+len(r.Recovered) == 0
}
