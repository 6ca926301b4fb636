package surface

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/goal"
	"github.com/openassay/assay/simhost/openwop/workspace"
	"github.com/openassay/assay/simhost/refusal"
	"github.com/openassay/assay/simhost/serving"
)

// This file is what a console in the same process sees of the host: the folds of its logs, as they are. What somebody does from
// there goes through the API, see Ask.

// Caller is somebody who has shown a key.
type Caller struct{ who caller }

// Tenant is whose things are within reach of the caller.
func (c Caller) Tenant() string { return c.who.tenant }

// Principal is who the caller is.
func (c Caller) Principal() string { return c.who.principal }

// Caller finds whose key this is, in a time that tells nothing about keys.
func (h *Host) Caller(key string) (c Caller, known bool) {
	c.who, known = h.credentials.Whose(key)
	return c, known
}

// Client is one of the API in the name of a caller: what it does, checks and refuses is what a client with that key would see.
func (h *Host) Client(c Caller) *openwopv1.Client {
	named := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.inside.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c.who)))
	})
	return &openwopv1.Client{Server: "http://localhost/", Client: serving.Inside{Handler: named}}
}

// owned tells whether a run belongs to the tenant of a caller.
func (c Caller) owned(a state.Account) bool { return a.Lineage.Owner == c.who.tenant }

// maxSteps bounds how many appends are looked at for one list of runs.
const maxSteps = 2000

// Runs are the overviews of the latest runs of a caller's tenant, n at most, the one whose log went on last first: those of which
// an append lies below a revision of the store, 0 for the end. older is where to go on, 0 where there is nothing more. Where
// others are busier than the tenant, there may be fewer than n although there are more.
func (h *Host) Runs(ctx context.Context, c Caller, below uint64, n int) (runs []state.Account, older uint64, err error) {
	seen := map[string]bool{}
	var ids []string
	steps := 0
	err = h.store.Latest(ctx, below, func(log string, revision uint64) bool {
		if state.IsID(log) && !seen[log] {
			seen[log], ids = true, append(ids, log)
		}
		steps, older = steps+1, revision
		return len(ids) < n && steps < maxSteps
	})
	if err != nil {
		return nil, 0, err
	}
	for _, id := range ids {
		a, err := h.engine.Overview(ctx, id)
		if asRefusal(err) != nil || errors.Is(err, eventlog.ErrDamaged) { // its log has only just begun; or nobody knows whose it is
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		if c.owned(a) {
			runs = append(runs, a)
		}
	}
	if older <= 1 {
		older = 0
	}
	return runs, older, nil
}

// Waiting are the runs of a caller's tenant that wait for an answer, n at most, the one that was started first first, and how
// many there are.
func (h *Host) Waiting(ctx context.Context, c Caller, n int) (runs []state.Account, total int, err error) {
	ids := h.engine.Waiting(c.who.tenant)
	for _, id := range ids[:min(n, len(ids))] {
		a, err := h.engine.Overview(ctx, id)
		if asRefusal(err) != nil {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		if a.Snapshot.Interrupt != nil { // nobody has answered meanwhile
			runs = append(runs, a)
		}
	}
	return runs, len(ids), nil
}

// Run is a run of a caller's tenant, with its events. The error is a [Refusal] where there is no such run.
func (h *Host) Run(ctx context.Context, c Caller, runID string) (state.Account, error) {
	a, err := h.engine.Account(ctx, runID)
	if err == nil && !c.owned(a) {
		return state.Account{}, refusal.New(codeNotFound, "there is no run "+refusal.Quoted(runID))
	}
	return a, err
}

// Root is the run that a run comes from by dispatch, itself where none dispatched it here.
func (h *Host) Root(ctx context.Context, c Caller, runID string) (string, error) {
	for range 64 { // deeper than any dispatch goes
		l, err := h.engine.Lineage(ctx, runID, func(l state.Lineage) string {
			if l.Owner != c.who.tenant {
				return codeNotFound
			}
			return ""
		})
		if err != nil || l.ParentRunID == "" {
			return runID, err
		}
		runID = l.ParentRunID
	}
	return runID, nil
}

// Files are the files of a caller's tenant as they are now; nil where the host has none.
func (h *Host) Files(ctx context.Context, c Caller) ([]openwopv1.WorkspaceFileRef, error) {
	if h.files == nil {
		return nil, nil
	}
	return h.files.Snapshot(ctx, workspace.Owner{Tenant: c.who.tenant})
}

// File is what a version of a file holds, however long ago that was written.
func (h *Host) File(ctx context.Context, c Caller, ref openwopv1.WorkspaceFileRef) (string, error) {
	if h.files == nil {
		return "", refusal.New(codeNotFound, "this host has no files")
	}
	return h.files.Content(ctx, workspace.Owner{Tenant: c.who.tenant}, ref)
}

// Goals are those of a caller's tenant; kept is false where the host keeps none.
func (h *Host) Goals(ctx context.Context, c Caller) (goals []goal.Account, kept bool, err error) {
	own := h.goals[c.who.tenant]
	if own == nil {
		return nil, false, nil
	}
	goals, err = own.Accounts(ctx)
	return goals, true, err
}

// Workflows are those that can be run here, by id.
func (h *Host) Workflows() []openwopv1.WorkflowDefinition {
	all := make([]openwopv1.WorkflowDefinition, 0, len(h.fixtures))
	for _, id := range h.fixtures {
		all = append(all, h.workflows.definitions[id])
	}
	return all
}

// IsMissing tells the refusals of what is not there, or belongs to somebody else.
func IsMissing(err error) bool {
	refused := asRefusal(err)
	return refused != nil && refused.Code == codeNotFound
}

// Change is what went on in the logs of a tenant.
type Change struct {
	Runs         []string // roots of the runs that went on
	Goals, Files bool
}

// Nothing tells whether nothing of the tenant's did.
func (c Change) Nothing() bool { return len(c.Runs) == 0 && !c.Goals && !c.Files }

// Changed is what appends to these logs mean for the tenant of a caller.
func (h *Host) Changed(ctx context.Context, c Caller, logs []string) (change Change) {
	roots := map[string]bool{}
	for _, log := range logs {
		switch {
		case log == goal.LogName(c.who.tenant):
			change.Goals = true
		case h.files != nil && log == workspace.LogName(workspace.Owner{Tenant: c.who.tenant}):
			change.Files = true
		case state.IsID(log):
			// A run of somebody else is nothing to tell of, nor one that cannot be read.
			if root, err := h.Root(ctx, c, log); err == nil {
				roots[root] = true
			}
		}
	}
	change.Runs = slices.Sorted(maps.Keys(roots))
	return change
}

// Advance lets time pass for one run of a caller's tenant and those below it, or for one goal, ahead of the host's clock. It
// returns the time that it then is there. The error is a refusal where there is no such run or goal, or time cannot pass for it.
func (h *Host) Advance(ctx context.Context, c Caller, runID, goalID string, by time.Duration) (time.Time, error) {
	if goalID != "" {
		own := h.goals[c.who.tenant]
		if own == nil {
			return time.Time{}, refusal.New(codeNotFound, "this host keeps no goals")
		}
		return own.Advance(ctx, goalID, by)
	}
	if _, err := h.Run(ctx, c, runID); err != nil {
		return time.Time{}, err
	}
	return h.engine.Advance(ctx, runID, by)
}
