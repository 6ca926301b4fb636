package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
)

// Log is what the gateway needs of the event log.
type Log interface {
	Append(ctx context.Context, log string, after uint64, data []byte) (uint64, error)
	Each(ctx context.Context, log string, after uint64, see func(eventlog.Entry) error) error
}

// ContextMode is what of an event goes along to the jobs that descend from it.
type ContextMode string

const (
	// Accumulate carries the whole payload along, laid over what was carried so far, and fills it into the payloads of
	// later events too. Keys that begin with origin_ stay as they were.
	Accumulate ContextMode = "accumulate"
	// NoContext carries nothing.
	NoContext ContextMode = "none"
	// Baggage carries the keys that are named, which cannot be changed any more within a pipeline. One that is triggered
	// begins anew. Payloads stay as they are.
	Baggage ContextMode = "baggage"
)

// Results is how the agent hears of what a tool did.
type Results string

// The ways of delivery.
const (
	ByContext Results = "context" // as the tool's own event, with the correlation in the context
	Direct    Results = "direct"  // as an agentic.tool_result that the gateway makes of it
	Both      Results = "both"    // twice
)

// Merge is how the updates of a plugin get into its row.
type Merge string

// The ways of merging.
const (
	Shallow Merge = "shallow" // key by key of the top level
	Replace Merge = "replace" // the whole row
)

// Commit is what of a turn is appended at once.
type Commit string

// The ways of committing.
const (
	TwoCommits Commit = "two"    // the state; then each job that follows; then the end
	Outbox     Commit = "outbox" // everything
)

// OnFailure is what becomes of the run whose tool failed for good.
type OnFailure string

// What may be done then.
const (
	Nothing    OnFailure = "nothing"    // nobody is told
	Synthesise OnFailure = "synthesise" // the last step of the pipeline is: an agentic.tool_result of status error
)

// WorkspaceMode is where the files of a job are.
type WorkspaceMode string

// The ways of keeping files.
const (
	CloneWorkspace  WorkspaceMode = "clone"  // a folder a job, which begins as a hard-link clone of its parent's
	SharedWorkspace WorkspaceMode = "shared" // one folder for all
	NoWorkspace     WorkspaceMode = "none"
)

// ExitCode is what an exit code other than 0 means.
type ExitCode string

// What it may mean.
const (
	ExitFails   ExitCode = "fails"   // the job failed, whatever was answered
	ExitIgnored ExitCode = "ignored" // nothing, where the answer is sound
)

// Limits of one row of state and of one context, in bytes.
const (
	MaxState   = 1 << 20
	MaxContext = 1 << 20
)

// Options of a gateway. The zero value of every knob is the way of RFC-103's text and of the gateway of its time.
type Options struct {
	Log     Log
	Plugins []Plugin
	Config  Config
	Runner  Runner
	Clock   clock.Clock // nil: the real one
	Seed    uint64      // makes ids repeatable. 0: random

	// Workspaces is the folder that the workspaces are made in. It must be given unless Workspace is NoWorkspace.
	Workspaces string

	Revision  agenticloopv2.ProtocolRevision // what requests and responses look like; "": 2026-02
	Context   ContextMode
	Baggage   []string // keys that are carried with Baggage
	Results   Results
	Dedupe    bool // drops a job if one of its key, plugin and command has succeeded in the last 24 hours
	Retries   bool // tries a job that failed again, after 30 s, 60 s, ...
	Merge     Merge
	Unbounded bool // rows may be larger than MaxState
	Commit    Commit
	OnFailure OnFailure
	Workspace WorkspaceMode
	ExitCode  ExitCode
	Workers   int // jobs that run at a time; 0: 1

	MaxAttempts int // of a job, after crashes too; 0: 4
	MaxTurns    int // that this gateway runs before it gives up; 0: 1000

	Crashes []Crash // where to stop dead

	// Observe is told of every record once it is appended, in order. It must not call the gateway.
	Observe func(Record)
	// Idle is called when nothing can be done before a retry is due. A manual clock is moved there. nil: it is waited for.
	Idle func(until time.Time)
}

// choice is a knob with what it may be set to.
type choice struct {
	name  string
	value *string
	of    []string // the first is the default
}

// choices are the knobs that have a name for each position.
func (o *Options) choices() []choice {
	return []choice{
		{"revision", (*string)(&o.Revision), words(agenticloopv2.ProtocolRevisionN202602, agenticloopv2.ProtocolRevisionN202606)},
		{"context", (*string)(&o.Context), words(Accumulate, NoContext, Baggage)},
		{"results", (*string)(&o.Results), words(ByContext, Direct, Both)},
		{"merge", (*string)(&o.Merge), words(Shallow, Replace)},
		{"commit", (*string)(&o.Commit), words(TwoCommits, Outbox)},
		{"on-failure", (*string)(&o.OnFailure), words(Nothing, Synthesise)},
		{"workspace", (*string)(&o.Workspace), words(CloneWorkspace, SharedWorkspace, NoWorkspace)},
		{"exit-code", (*string)(&o.ExitCode), words(ExitFails, ExitIgnored)},
	}
}

func words[T ~string](values ...T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// Knobs lists the knobs that have a name for each position, and the positions, the default first.
func Knobs() map[string][]string {
	out := map[string][]string{}
	for _, c := range new(Options).choices() {
		out[c.name] = c.of
	}
	return out
}

// Set puts the knob of this name into a position. It must be one of Knobs.
func (o *Options) Set(name, value string) {
	for _, c := range o.choices() {
		if c.name == name {
			*c.value = value
		}
	}
}

// withDefaults fills in what is left open, and finds what does not fit.
func (o Options) withDefaults() (Options, error) {
	for _, c := range o.choices() {
		if *c.value == "" {
			*c.value = c.of[0]
		}
		if !slices.Contains(c.of, *c.value) {
			return o, fmt.Errorf("%s %q: give one of %q", c.name, *c.value, c.of)
		}
	}
	o.Workers, o.MaxAttempts, o.MaxTurns = orElse(o.Workers, 1), orElse(o.MaxAttempts, 4), orElse(o.MaxTurns, 1000)
	if o.Clock == nil {
		o.Clock = clock.Real()
	}
	if o.Observe == nil {
		o.Observe = func(Record) {}
	}
	switch {
	case o.Log == nil || o.Runner == nil:
		return o, errors.New("a gateway needs a log and a runner")
	case o.Workspaces == "" && o.Workspace != NoWorkspace:
		return o, errors.New("workspaces need a folder: name one, or do without them")
	case o.Workers < 0 || o.MaxAttempts < 0 || o.MaxTurns < 0:
		return o, errors.New("workers, attempts and turns are counted from 1")
	case len(o.Baggage) > 0 && o.Context != Baggage:
		return o, fmt.Errorf("baggage is carried with context %q only", Baggage)
	}
	if o.Context == Baggage && len(o.Baggage) == 0 {
		o.Baggage = slices.Clone(correlationKeys)
	}
	for _, c := range o.Crashes {
		if err := c.check(); err != nil {
			return o, err
		}
	}
	return o, nil
}

func orElse(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}
