package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/ids"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// Log is where runs are kept; *eventlog.Store is one.
type Log interface {
	Append(ctx context.Context, log string, after uint64, data []byte) (revision uint64, err error)
	Read(ctx context.Context, log string, after uint64) ([]eventlog.Entry, error)
	MarkPending(ctx context.Context, log string) error
	ClearPending(log string)
	Pending(ctx context.Context) ([]string, error)
	Successor(log string) string // the log itself, or the one that takes the place of a damaged one
}

// Options of an engine. Log and Clock are required.
type Options struct {
	Log   Log
	Clock clock.Clock
	IDs   ids.Source // nil: ids.Random
	// Shapes are those that ids of runs have; of several, each run has one. nil: Letters.
	Shapes []workflow.Shape
	// Draw is the randomness of nodes that draw a value; it may be called concurrently. nil: that of IDs.
	Draw func() [16]byte

	// Workflows that can be run by id, also as children. One that cannot be run is refused when it is asked for.
	Workflows map[string]openwopv1.WorkflowDefinition
	// Lacks are the capabilities (CapabilityOrchestrator and so on) that the host does not have.
	Lacks []string

	// Version of the execution model, 1 to 6; 0 is a host without one.
	Version int
	Limits  Limits
	// ConfidenceFloor is the confidence below which a decision is held, from version 2 on. 0: 0.5.
	ConfidenceFloor float64
	// EscalationKind is the interrupt that a held decision raises, clarification or approval. Empty: clarification.
	EscalationKind event.Interrupt
	// Attests has output.harvested carry a checksum of what the child put out (RFC 0063).
	Attests bool

	// Verifies has results verified before they count, from version 6 on (RFC 0090); Gates has the verdict decide whether they do.
	Verifies, Gates bool

	// Files and Memory are what runs read and write beside their own state; nil where the host has none.
	Files  Files
	Memory Memory
	// Models answer the nodes that call a model; nil where there is none.
	Models Models

	// Peers run the workers whose ids have the form NAME/WORKFLOW, by name.
	Peers map[string]Peer

	// TrustVoters has an answer to an approval say by resumeValue.voter who votes.
	TrustVoters bool

	// ChildLag is how late a parent sees that its child has ended; AnswerLag is how long a run that was answered stands
	// still before it goes on, and whoever answered hears the status from before.
	ChildLag, AnswerLag time.Duration
	// TurnTime is how long a supervisor takes for each decision, as a real model does. After a restart it begins anew.
	TurnTime time.Duration

	// Change changes an event as it is appended: its payload, its cause or its node, but not its place. What the run itself goes
	// by stays. It is called by several goroutines, for one log by one at a time. nil changes nothing.
	Change func(*event.Event)

	Rules rules.Set // the zero value is rules.Honest
	// OnError hears of errors in work that nobody waits for. It may be called by several goroutines. nil: slog.
	OnError func(error)

	cut int // size of an append, in bytes, from which on the rest goes into another one
}

// Limits are the bounds that the host advertises; 0 is none.
type Limits struct {
	MaxLoopIterations int
	MaxNodeExecutions int
	MaxRunDuration    time.Duration
}

// Engine runs workflows. Its methods may be called concurrently. There must be one engine to a log at a time.
type Engine struct {
	o        Options
	stores   stores
	programs registry

	ctx  context.Context // ends with Close
	stop context.CancelFunc
	work sync.WaitGroup // calls and goroutines under way

	mu     sync.Mutex
	closed bool
	live   map[string]*liveRun // runs that have not ended
	failed map[string]int      // runs to be revived, and how often the log has failed them in a row

	ended  endedRuns
	unseen unseen
	claims sync.Mutex // held while a run is made that must be the only one of its scope
}

// maxAppend keeps what one append takes well below what the log takes at once, whatever the size of a single event.
const maxAppend = 1 << 20

// New makes an engine. Call Resume before anything else, so that runs go on that a former process left.
func New(o Options) (*Engine, error) {
	if o.Log == nil || o.Clock == nil {
		return nil, errors.New("make a run engine: Options.Log and Options.Clock must be set")
	}
	if o.Version < 0 || o.Version > 6 {
		return nil, fmt.Errorf("make a run engine: Options.Version is %d: must be 0 to 6", o.Version)
	}
	if o.ConfidenceFloor == 0 {
		o.ConfidenceFloor = 0.5
	}
	if !(o.ConfidenceFloor >= 0.5 && o.ConfidenceFloor <= 1) {
		return nil, fmt.Errorf("make a run engine: Options.ConfidenceFloor is %v: must be 0.5 to 1", o.ConfidenceFloor)
	}
	switch o.EscalationKind {
	case "":
		o.EscalationKind = event.Clarification
	case event.Clarification, event.Approval:
	default:
		return nil, fmt.Errorf("make a run engine: Options.EscalationKind is %q: must be clarification or approval", o.EscalationKind)
	}
	if o.IDs == nil {
		o.IDs = ids.Random()
	}
	if o.Draw == nil {
		o.Draw = o.IDs.Next
	}
	if o.cut == 0 {
		o.cut = maxAppend
	}
	o.settleStores()
	if o.Rules.Loop.Next == nil {
		o.Rules = rules.Honest()
	}
	if o.OnError == nil {
		o.OnError = func(err error) { slog.Error("run engine", "err", err) }
	}
	e := &Engine{
		o:      o,
		live:   map[string]*liveRun{},
		failed: map[string]int{},
	}
	e.ctx, e.stop = context.WithCancel(context.Background())
	e.programs.open(e.ctx, o)
	e.stores = stores{files: e.o.Files, memory: e.o.Memory, models: e.o.Models, rules: &e.o.Rules, now: e.now}
	return e, nil
}

// settleStores makes what the host has and what it lacks say the same about stores.
func (o *Options) settleStores() {
	o.Lacks = slices.Clone(o.Lacks)
	if o.Files == nil || slices.Contains(o.Lacks, workflow.CapabilityWorkspace) {
		o.Files, o.Lacks = nil, append(o.Lacks, workflow.CapabilityWorkspace)
	}
	if o.Memory == nil || slices.Contains(o.Lacks, workflow.CapabilityMemory) {
		o.Memory, o.Lacks = nil, append(o.Lacks, workflow.CapabilityMemory)
	}
	if o.Models == nil || slices.Contains(o.Lacks, workflow.CapabilityModel) {
		o.Models, o.Lacks = nil, append(o.Lacks, workflow.CapabilityModel)
	}
}

// Close stops all work and waits for it; runs stay where their logs have got to. Streams end with ErrClosed. The log is
// the caller's to close.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.stop()
	e.work.Wait()
	for _, r := range e.lives() {
		r.mu.Lock()
		r.disarm()
		r.mu.Unlock()
	}
	return nil
}

// enter keeps Close waiting until leave is called.
func (e *Engine) enter() (leave func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, ErrClosed
	}
	e.work.Add(1)
	return e.work.Done, nil
}

// lives are the runs in memory.
func (e *Engine) lives() []*liveRun {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]*liveRun, 0, len(e.live))
	for _, r := range e.live {
		all = append(all, r)
	}
	return all
}

// now is the time to write into the log. A microsecond is fine enough, and what is read back equals what was written.
func (e *Engine) now() time.Time { return e.o.Clock.Now().UTC().Truncate(time.Microsecond) }

// ErrClosed: the engine was closed, or is being closed.
var ErrClosed = errors.New("the run engine is closed")

// agentThreshold is the confidence below which an agent's decision is held, unless the run says otherwise (RFC 0006).
const agentThreshold = 0.7

// bounds are the bounds in force for a run, from what its configurable asks for and what the host advertises.
func (o *Options) bounds(configurable map[string]any) (b state.Bounds, err error) {
	for _, bound := range []struct {
		kind       event.Bound
		advertised int64
		into       *int64
	}{
		{event.LoopIterations, int64(o.Limits.MaxLoopIterations), &b.Turns},
		{event.NodeExecutions, int64(o.Limits.MaxNodeExecutions), &b.Nodes},
		{event.RunDuration, o.Limits.MaxRunDuration.Milliseconds(), &b.DurationMs},
	} {
		requested, err := step.Positive(configurable, step.BoundKeys[bound.kind])
		if err != nil {
			return state.Bounds{}, err
		}
		*bound.into = o.Rules.Bounds.InForce(rules.Wanted{Kind: bound.kind, Version: o.Version, Requested: requested,
			Advertised: bound.advertised, Options: configurable != nil})
	}
	return b, nil
}

// threshold is the confidence below which an agent's decision is held.
func threshold(configurable map[string]any) (float64, error) {
	value, set := configurable[step.KeyThreshold]
	if !set {
		return agentThreshold, nil
	}
	n, ok := workflow.Number(value)
	if !ok || !(n >= 0 && n <= 1) {
		return 0, codes.Invalid("configurable."+step.KeyThreshold, "must be a number from 0 to 1, not %v", value)
	}
	return n, nil
}
