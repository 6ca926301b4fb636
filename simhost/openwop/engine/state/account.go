package state

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
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
	Events []event.Event
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
func IsID(id string) bool { return workflow.IsRunID(id) }

// Tell takes in what the records hold.
func (a *Account) Tell(records []Record) {
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
