package memory

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// ForkedMemory is a loop that wrote two entries, an entry that another run wrote
// after the loop had ended, and forks of the loop made after that.
type ForkedMemory struct {
	Turns  int           `json:"turns" drawn:"true"`
	Wrote  [2]int        `json:"wrote" drawn:"true"` // turns that wrote, in order
	Own    []string      `json:"own"`                // contents of the loop's entries
	Theirs string        `json:"theirs"`
	Tag    string        `json:"tag"`
	Source host.RunLog   `json:"source"`
	Writer host.RunLog   `json:"writer"` // the other run
	Reader host.RunLog   `json:"reader"` // a run that read after the writer
	Forks  []host.Forked `json:"forks"`
	Begins int           `json:"begins" drawn:"true"` // of a branch: the first turn that it runs itself
	// Within is a branch from the very event that tells of the second entry. Zero at quick, or where no event does.
	Within host.Forked `json:"within,omitzero"`
}

var sendsForksOfMemory = []string{
	"{create run} (assay-memory-worker with a random plan; twice more, to write and to read)", "{fork run}", "{read run}",
	"{poll log}",
}

// replayedMemory replays a loop after its memory has changed.
var replayedMemory = &scenarios.Drive[ForkedMemory]{
	ID: "openwop/replayed-memory",
	Title: "runs a loop that writes memory entries, has another run write one, and replays the loop from the first event " +
		"and from a random turn",
	Sends: sendsForksOfMemory,
	Run: func(ctx context.Context, c *scenarios.Conn, o *ForkedMemory) {
		h := host.Host{Conn: c}
		r, seen := changedMemory(ctx, h)
		*o = seen
		if r == nil {
			return
		}
		places := []int64{0}
		if starts := turnStarts(o.Source); len(starts) > 1 {
			places = append(places, starts[h.Between(1, len(starts)-1)])
		}
		forksOf(ctx, h, r, o, dialect.ForkModeReplay, places...)
	},
}

// branchedMemory branches off a loop after its memory has changed.
var branchedMemory = &scenarios.Drive[ForkedMemory]{
	ID: "openwop/branched-memory",
	Title: "runs a loop that writes memory entries, has another run write one, and branches off the loop where a later turn begins; " +
		"beyond quick, also where it tells of its last entry",
	Sends: sendsForksOfMemory,
	Run: func(ctx context.Context, c *scenarios.Conn, o *ForkedMemory) {
		h := host.Host{Conn: c}
		r, seen := changedMemory(ctx, h)
		*o = seen
		if r == nil {
			return
		}
		starts := turnStarts(o.Source)
		o.Begins = h.Between(o.Wrote[1]+1, o.Turns)
		if o.Begins > len(starts) {
			scenarios.End(scenarios.Block("the log of the loop does not show where its turns begin",
				"tell of each start of the supervisor's node with node.started"))
		}
		forksOf(ctx, h, r, o, dialect.ForkModeBranch, starts[o.Begins-1])
		if written := o.Source.OfType(dialect.MemoryWritten); h.Depth > scenarios.Quick && len(written.Values) > 1 {
			o.Within = h.ForkFrom(ctx, r, dialect.ForkRunRequest{Mode: dialect.ForkModeBranch, FromSeq: new(host.Sequence(written.Last()))})
		}
	},
}

// changedMemory runs the loop to be forked, then the writer and the reader. It returns a nil
// run if there is nothing to fork.
func changedMemory(ctx context.Context, h host.Host) (*host.Run, ForkedMemory) {
	requireMemory(h, 4)
	n := h.TurnsFrom(4)
	first := h.Between(1, n-2)
	o := ForkedMemory{Turns: n, Wrote: [2]int{first, h.Between(first+1, n-1)}, Own: []string{h.Marker(), h.Marker()},
		Theirs: h.Marker(), Tag: tag(h)}
	writes := writesIn(o.Wrote[1], o.Tag, o.Own[1])
	writes[first-1] = writesIn(1, o.Tag, o.Own[0])[0]
	r := h.Create(ctx, "create the loop that remembers", remembering(fixture.MemoryOne, o.Tag, h.LoopPlan(n),
		map[string]any{"writes": writes}))
	if o.Source = r.Finish(ctx, "log of the loop that remembers"); !o.Source.Ended.Reached {
		return nil, o
	}
	o.Writer = writer(ctx, h, "afterwards", o.Tag, o.Theirs)
	o.Reader = reader(ctx, h, "afterwards", o.Tag)
	return r, o
}

func forksOf(ctx context.Context, h host.Host, r *host.Run, o *ForkedMemory, mode dialect.ForkMode, places ...int64) {
	for _, from := range places {
		f := h.ForkFrom(ctx, r, dialect.ForkRunRequest{Mode: mode, FromSeq: &from})
		o.Forks = append(o.Forks, f)
	}
}

// turnStarts returns the sequences at which the supervisor's node started.
func turnStarts(l host.RunLog) (at []int64) {
	for _, e := range l.OfType(dialect.NodeStarted).Values {
		if host.NodeOf(e) == "supervisor" {
			at = append(at, host.Sequence(e))
		}
	}
	return at
}

// TenantMemory holds entries that two tenants wrote and read under one tag.
type TenantMemory struct {
	Tenants host.Tenants `json:"tenants"`
	Tag     string       `json:"tag"`
	Mine    string       `json:"mine"`   // content of the first tenant's entry
	Theirs  string       `json:"theirs"` // content of the second tenant's entry
	Wrote   host.RunLog  `json:"wrote"`  // of the first tenant's run that wrote
	Other   host.RunLog  `json:"other"`  // of the second tenant's run that wrote
	Before  host.RunLog  `json:"before"` // of the second tenant's run that read before that
	Own     host.RunLog  `json:"own"`    // of the second tenant's run that read after that
	Kept    host.RunLog  `json:"kept"`   // of the first tenant's run that read after that
}

// tenantMemories has two tenants write and read under one tag, with runs of one workflow.
var tenantMemories = &scenarios.Drive[TenantMemory]{
	ID:    "openwop/tenants-remember",
	Title: "has two tenants write and read memory entries under one tag, in runs of one workflow whose agent names its memory",
	Sends: []string{host.SendsTenants, "{create run} (assay-memory-worker), as both tenants", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TenantMemory) {
		h := host.Host{Conn: c}
		requireMemory(h, 1)
		t, made := h.TwoTenants(ctx)
		o.Tenants = made
		o.Tag, o.Mine, o.Theirs = tag(h), h.Marker(), h.Marker()
		o.Wrote = writer(ctx, t.First, "of the first tenant", o.Tag, o.Mine)
		o.Before = reader(ctx, t.Other, "of the other tenant", o.Tag)
		o.Other = writer(ctx, t.Other, "of the other tenant", o.Tag, o.Theirs)
		o.Own = reader(ctx, t.Other, "of the other tenant, again", o.Tag)
		o.Kept = reader(ctx, t.First, "of the first tenant", o.Tag)
	},
}
