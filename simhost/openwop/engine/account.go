package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

// Account is a run as its log tells it, for people who look at the host from inside: no rule of what is shown over the wire
// has touched it.
type Account struct {
	Snapshot openwopv1.RunSnapshot
	Lineage  Lineage
	Paused   bool // it stands still until somebody has it go on
	// Iteration is that of the supervisor's turn that began last; 0 before the first, and where there is no loop.
	Iteration int
	// Events are those of the log, in order. They are shared, and not to be changed.
	Events []openwopv1.RunEvent
	// Turns are those of the supervisor that began, in order; none where the workflow has no loop.
	Turns []TurnAccount
	// Files are those that the run saw when it began; nil where the host has no workspace.
	Files []openwopv1.WorkspaceFileRef
}

// TurnAccount is the begin of a turn.
type TurnAccount struct {
	Iteration int
	At        int64                        // sequence of the first event of the turn
	Files     []openwopv1.WorkspaceFileRef // that it sees, in the versions that it sees; shared
}

// IsID tells the ids of runs from the names of other logs of the store.
func IsID(id string) bool { return isRunID(id) }

// Account returns a run as its log tells it. Refusal: not_found.
func (e *Engine) Account(ctx context.Context, runID string) (a Account, err error) {
	leave, err := e.enter()
	if err != nil {
		return a, err
	}
	defer leave()
	if !isRunID(runID) {
		return a, runNotFound(runID)
	}
	// Both are of one moment where the run takes no step in between; one that never rests is told a little late.
	for range 4 {
		records, _, err := e.read(ctx, runID)
		if err != nil {
			return a, err
		}
		next := int64(0)
		err = e.with(ctx, runID, func(r *liveRun) error {
			a, next = r.overview(), r.state.next
			return nil
		})
		if err != nil {
			return a, err
		}
		if a.tell(records); next == int64(len(a.Events)) {
			break
		}
	}
	return a, nil
}

// tell takes in what the records hold.
func (a *Account) tell(records []Record) {
	view := View{}
	for _, r := range records {
		a.Events = append(a.Events, r.Events...)
		for _, f := range r.Facts {
			switch {
			case f.Created != nil:
				view.update(f.Created.View)
				a.Files = view.Files
			case f.Turn != nil:
				view.update(f.Turn.View)
				a.Turns = append(a.Turns, TurnAccount{Iteration: f.Turn.Iteration, At: f.At, Files: view.Files})
			}
		}
	}
}

// Overview returns a run without its events, as Account does. Refusal: not_found.
func (e *Engine) Overview(ctx context.Context, runID string) (a Account, err error) {
	leave, err := e.enter()
	if err != nil {
		return a, err
	}
	defer leave()
	err = e.with(ctx, runID, func(r *liveRun) error {
		a = r.overview()
		return nil
	})
	return a, err
}

// overview is what is known of a run without its events. The caller has its lock.
func (r *liveRun) overview() Account {
	return Account{Snapshot: r.state.Snapshot(), Lineage: r.state.lineage(), Paused: r.state.paused != nil, Iteration: r.state.loop.iteration}
}

// Waiting are the ids of the runs of a tenant that wait for an answer, the one that was started first first.
func (e *Engine) Waiting(owner string) []string {
	type started struct {
		id string
		at time.Time
	}
	var waiting []started
	for _, r := range e.lives() {
		r.mu.Lock()
		if r.state.Waiting() && !r.lost && r.state.lineage().Owner == owner {
			waiting = append(waiting, started{r.id, r.state.startedAt})
		}
		r.mu.Unlock()
	}
	slices.SortFunc(waiting, func(a, b started) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.id, b.id)) })
	ids := make([]string, len(waiting))
	for i, w := range waiting {
		ids[i] = w.id
	}
	return ids
}
