package workspace

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// seamWrites asks the seam for two loops that write in different turns.
var seamWrites = &scenarios.Drive[host.SeamObservation]{
	ID:       "openwop/seam-writes",
	Nameless: host.ClosedSeam,
	Title:    "asks the seam agentloop/run for two loops of different length, each with a write in another random turn before the last",
	Sends: []string{"{use seam:agentloop/run} {turns: n, workspaceWriteAtTurn: less than n}, twice",
		"{read run} and its events of the runs it names"},
	Uses: []string{host.WorkspaceFiles},
	Run: func(ctx context.Context, c *scenarios.Conn, o *host.SeamObservation) {
		h := host.Host{Conn: c}
		s := h.AgentLoopSeam(ctx)
		first := h.TurnsFrom(4)
		second := h.Between(3, first-1)
		at := h.Rand.Perm(second - 1) // two turns, neither of them the last
		*o = s.Answers(ctx, writing(first, at[0]+1), writing(second, at[1]+1))
	},
}

// seamWritesLate asks the seam for writes after which no turn starts.
var seamWritesLate = &scenarios.Drive[host.SeamObservation]{
	ID:       "openwop/seam-writes-late",
	Nameless: host.ClosedSeam,
	Title:    "asks the seam agentloop/run for a write in the last turn, and in one behind it; and for one in an earlier turn, as the control",
	Sends: []string{"{use seam:agentloop/run} {turns: n, workspaceWriteAtTurn: less than n}",
		"{use seam:agentloop/run} {turns: n, workspaceWriteAtTurn: n}", "{use seam:agentloop/run} {turns: n, workspaceWriteAtTurn: more than n}"},
	Uses: []string{host.WorkspaceFiles},
	Run: func(ctx context.Context, c *scenarios.Conn, o *host.SeamObservation) {
		h := host.Host{Conn: c}
		s := h.AgentLoopSeam(ctx)
		n := h.TurnsFrom(2)
		*o = s.Answers(ctx, writing(n, h.Between(1, n-1)), writing(n, n), writing(n, n+h.Between(1, 5)))
	},
}

// writing asks for a loop of this many turns, with a write in turn at.
func writing(turns, at int) dialect.AgentloopRequest {
	return dialect.AgentloopRequest{Turns: int64(turns), WorkspaceWriteAtTurn: new(int64(at))}
}
