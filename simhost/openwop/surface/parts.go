package surface

import (
	"context"
	"errors"
	"slices"

	"github.com/openassay/assay/simhost/ids"
	"github.com/openassay/assay/simhost/mutate"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/openwop/goal"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/mockai"
	"github.com/openassay/assay/simhost/openwop/workspace"
)

// start opens the log, what is kept in it, and the engine. What it opened before an error it closes again.
func (h *Host) start(ctx context.Context) (err error) {
	if h.store = h.opts.Store; h.store == nil {
		h.store, err = eventlog.Open(ctx, eventlog.Options{
			Dir: h.opts.DataDir, Checked: true, SyncAlways: h.opts.SyncAlways, MaxBytes: h.opts.LogMax,
		})
		if err != nil {
			return err
		}
	}
	h.keys = &idempotency{store: h.store, held: map[string]chan struct{}{}}
	for _, step := range []func(context.Context) error{h.openSecrets, h.openStores, h.openModels, h.openEngine, h.openGoals} {
		if err := step(ctx); err != nil {
			return errors.Join(err, h.closeParts())
		}
	}
	return nil
}

// openSecrets prepares what ids and tokens are made from.
func (h *Host) openSecrets(ctx context.Context) (err error) {
	if h.ids, err = h.openIDs(ctx); err != nil {
		return err
	}
	h.signer, err = openSigner(ctx, h.store, h.opts.Seed)
	return err
}

// openStores opens the files and the memory that runs read and write. The keys of the host are kept out of them.
func (h *Host) openStores(context.Context) (err error) {
	if h.claimed[claimWorkspace] {
		h.files, err = workspace.Open(workspace.Options{
			Log:          h.store,
			Clock:        h.opts.Clock,
			MaxFileBytes: h.opts.MaxFileBytes,
			MaxFiles:     h.opts.MaxFiles,
			MaxVersions:  h.opts.MaxVersions,
			Secrets:      h.secrets(),
			Rules:        h.rules.Files,
		})
		if err != nil {
			return err
		}
	}
	if h.claimed[claimMemory] {
		h.memories, err = memory.Open(memory.Options{
			Log: h.store, Clock: h.opts.Clock, Secrets: h.secrets(), History: h.opts.MemoryHistory, Rules: h.rules.Memory,
		})
	}
	return err
}

// openModels opens what answers the nodes that call a model.
func (h *Host) openModels(context.Context) (err error) {
	if h.claimed[claimMockAI] {
		h.models, err = mockai.Open(h.store)
	}
	return err
}

// openEngine opens the engine and takes up the runs that were under way.
func (h *Host) openEngine(ctx context.Context) error {
	o := live.Options{
		Log:             h.store,
		Clock:           h.opts.Clock,
		IDs:             h.ids,
		Shapes:          h.manner.Shapes,
		ChildLag:        h.manner.ChildLag,
		AnswerLag:       h.manner.AnswerLag,
		TurnTime:        h.opts.TurnTime,
		Workflows:       h.workflows.definitions,
		Lacks:           h.lacks(h.rules.Claims.Serves),
		Version:         h.version(),
		Limits:          h.limits(),
		ConfidenceFloor: h.opts.ConfidenceFloor,
		EscalationKind:  event.Interrupt(h.opts.EscalationInterrupt),
		Attests:         h.claimed[claimAttestation],
		Verifies:        h.claimed[claimVerifier],
		Gates:           h.claimed[claimVerifierGating],
		TrustVoters:     h.opts.TrustVoters,
		Rules:           h.rules,
		Peers:           h.peers(),
		OnError:         func(err error) { h.log.Error("run engine", "error", err) },
	}
	if len(h.opts.Changes.Events) > 0 {
		o.Change = h.change
	}
	// A nil pointer in an interface would not be nil.
	if h.files != nil {
		o.Files = h.files
	}
	if h.memories != nil {
		o.Memory = h.memories
	}
	if h.models != nil {
		o.Models = h.models
	}
	engine, err := live.New(o)
	if err != nil {
		return err
	}
	h.engine = engine
	return h.engine.Resume(ctx)
}

// change has faults change an event of a run.
func (h *Host) change(e *event.Event) {
	changed := mutate.Event{RunID: e.RunID, Sequence: e.Sequence, Type: string(e.Type), NodeID: e.NodeID, CausationID: e.CausationID}
	e.Payload = changed.Apply(e.Payload, h.opts.Changes.Events)
	e.NodeID, e.CausationID = changed.NodeID, changed.CausationID
}

// openGoals opens the goals of every tenant and takes up what was begun of them.
func (h *Host) openGoals(ctx context.Context) error {
	if !h.keepsGoals() {
		return nil
	}
	h.goals = map[string]*goal.Goals{}
	for _, tenant := range h.opts.tenants() {
		if err := h.openGoalsOf(ctx, tenant); err != nil {
			return err
		}
	}
	return nil
}

func (h *Host) openGoalsOf(ctx context.Context, tenant string) error {
	goals, err := goal.Open(ctx, goal.Options{
		Log:           h.store,
		Runs:          h.engine,
		Clock:         h.opts.Clock,
		IDs:           h.ids,
		Tenant:        tenant,
		RequireBounds: true,
		LeastTime:     h.opts.LeastLimit,
		Heartbeats:    h.claimed[claimHeartbeat],
		Commitments:   h.claimed[claimCommitments],
		Judge:         openwopv1.GoalCheck(h.opts.GoalJudge),
		Rules:         h.rules.Goals,
		Secrets:       h.secrets(),
		OnError:       func(err error) { h.log.Error("goals", "error", err) },
	})
	if err != nil {
		return err
	}
	h.goals[tenant] = goals
	return goals.Resume(ctx)
}

// secrets must never be stored as content.
func (h *Host) secrets() []string {
	secrets := slices.Clone(h.opts.Vault)
	for _, k := range h.opts.keys() {
		secrets = append(secrets, k.value)
	}
	return secrets
}

// closeParts closes what was opened, users before what they use.
func (h *Host) closeParts() error {
	var ended []error
	for _, goals := range h.goals {
		ended = append(ended, goals.Close())
	}
	if h.engine != nil {
		ended = append(ended, h.engine.Close())
	}
	h.abroad.CloseIdleConnections()
	if h.opts.Store == nil {
		ended = append(ended, h.store.Close())
	}
	return errors.Join(ended...)
}

// startsLog has an entry for every time that a seeded host was opened on a store.
const startsLog = "host-starts"

// openIDs makes the ids of runs. Of a seed that is used again on the same files another sequence is made every time, or the
// second host would make the runs of the first one again.
func (h *Host) openIDs(ctx context.Context) (ids.Source, error) {
	if h.opts.Seed == 0 {
		return ids.Random(), nil
	}
	log := h.store.Successor(startsLog)
	starts, err := h.store.Read(ctx, log, 0)
	if err != nil {
		return nil, err
	}
	last := uint64(0)
	if n := len(starts); n > 0 {
		last = starts[n-1].Revision
	}
	if _, err := h.store.Append(ctx, log, last, []byte("{}")); err != nil {
		return nil, err
	}
	const stride = 0x9e3779b97f4a7c15 // odd, so no two starts of a seed meet; far, so neighbouring seeds do not either
	n := uint64(len(starts))
	if log != startsLog { // nobody knows how many there were
		n += 1 << 32
	}
	return ids.Seeded(h.opts.Seed + stride*n), nil
}
