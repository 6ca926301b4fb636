package memory

import (
	"context"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// MemoryTwins is a loop whose worker wrote entries, some of which have the same content under other tags.
type MemoryTwins struct {
	Tag    string      `json:"tag"` // of all of them
	Twins  []Twin      `json:"twins"`
	Log    host.RunLog `json:"log"`    // of the loop
	Worker host.RunLog `json:"worker"` // which read once more before it ended
	Deep   MemoryDepth `json:"deep"`
}

// Twin is an entry with a tag of its own.
type Twin struct {
	Content string `json:"content"`
	Tag     string `json:"tag"`
}

var twinEntries = &scenarios.Dimension{Name: "memory entries of two contents", Least: 3, Most: [3]int{3, 6, 20}}

// memoryTwins has a worker write entries of the same content.
var memoryTwins = &scenarios.Drive[MemoryTwins]{
	ID: "openwop/memory-twins",
	Title: "runs a loop with a worker that writes entries of two contents, each with a tag of its own, and some whose tag is a part of the " +
		"one that is read, or the other way round, and reads before and behind its end; and another, whose worker has a loop for a " +
		"worker whose own workers write",
	Sends:      []string{"{create run} (assay-loop-memory, and the worker assay-memory-worker)", "{read run}", "{poll log}"},
	Dimensions: []*scenarios.Dimension{twinEntries},
	Run: func(ctx context.Context, c *scenarios.Conn, o *MemoryTwins) {
		h := host.Host{Conn: c}
		requireMemory(h, 2, fixture.Memory)
		*o = MemoryTwins{Tag: tag(h)}
		contents, writes := []string{h.Marker(), h.Marker()}, [][]memoryWrite{{}}
		for i := range h.Draw(twinEntries) {
			twin := Twin{contents[i%len(contents)], h.Name("of")}
			o.Twins = append(o.Twins, twin)
			writes[0] = append(writes[0], memoryWrite{memoryEntry{Content: twin.Content, Tags: []string{o.Tag, twin.Tag}}})
		}
		for _, near := range []string{o.Tag + "-more", "of-" + o.Tag, o.Tag[:len(o.Tag)/2]} {
			writes[0] = append(writes[0], memoryWrite{memoryEntry{Content: h.Marker(), Tags: []string{near}}})
		}
		o.Log = whole(ctx, h, "the loop whose worker writes the same twice", remembering(fixture.Memory, o.Tag,
			host.Plan{host.NextWorker(fixture.MemoryOne), host.Terminate(h.Name("done"))},
			map[string]any{"workerPlan": h.LoopPlan(2), "workerWrites": writes}))
		for _, id := range runsOfWorkers(o.Log, fixture.MemoryOne) {
			o.Worker = h.ChildRun(ctx, id).FinishAsChild(ctx)
		}
		o.Deep = rememberDeep(ctx, h)
	},
}

// tagged reports whether a look showed an entry.
func (r recollections) tagged(at host.Look, twin Twin) bool {
	return slices.ContainsFunc(r.Entries(at).Values, func(e wire.Value) bool {
		return e.Key("content").String() == twin.Content && slices.Contains(contentsIn(e.Key("tags").Actual()), twin.Tag)
	})
}

// toldOf returns what the log of a run tells of entries with a tag that it wrote.
func toldOf(l host.RunLog, tag string) wire.Found {
	return l.OfType(dialect.MemoryWritten).Where(func(e wire.Value) bool {
		return slices.Contains(contentsIn(e.At("/payload/tags").Actual()), tag)
	})
}

// ids returns the ids of the entries that events tell of, each once: who writes the same again may mean the same entry.
func ids(told wire.Found) map[string]bool {
	out := map[string]bool{}
	for _, e := range told.Values {
		out[e.At("/payload/memoryId").String()] = true
	}
	return out
}

// withTag expects an entry that has a tag, as one does that was read by it.
func withTag(tag string) check.Matcher {
	return check.That("an entry with the tag "+tag, func(v any) bool {
		e, _ := v.(map[string]any)
		return slices.Contains(contentsIn(e["tags"]), tag)
	})
}

// RFC 0039 MAE-2. The control is the worker, which reads them all.
var twinsBrought = scenarios.Scenario{
	ID:     "openwop/memory/same-content-brought",
	Title:  "each entry that a worker wrote, or its own workers, is read by its parent, also where another has the same content",
	Proves: scenarios.IDs{openwop.OWPMEM2},
	Claim:  claims.LoopMemoryWorkers, Depth: scenarios.Standard, Watches: scenarios.IDs{openwop.OWPMEM8},
	Ask: scenarios.Ask(memoryTwins, func(o MemoryTwins, j *scenarios.Judge) {
		r, ok := recalled(o.Log, j, "the loop", 2)
		if !ok {
			return
		}
		if !host.Succeeded(o.Worker.Created) {
			j.Block("setup failed: the loop does not name the run of its worker", nameChildren)
		}
		own, ok := recalled(o.Worker, j, "the worker", 2)
		if !ok {
			return
		}
		next := host.Look{Turn: 2, At: host.AtBegin}
		for _, twin := range o.Twins {
			if !own.tagged(next, twin) {
				if told := toldOf(o.Worker, o.Tag); len(ids(told)) >= len(o.Twins) {
					j.Violates(openwop.OWPMEM14, told, "setup failed: the worker told of each entry that it wrote, and does not read one of them")
				}
				j.Block("setup failed: the worker itself does not read the entry with the tag "+twin.Tag,
					"have each write of a node make an entry")
			}
			brought := check.That("an entry with the tag "+twin.Tag, func(any) bool { return r.tagged(next, twin) })
			j.Check(openwop.OWPMEM2, r.Entries(next)).To(brought, "what %s of the loop read", next)
		}
		for _, notes := range []recollections{own, r} {
			j.Check(openwop.OWPMEM8, notes.Entries(next)).To(check.Each(withTag(o.Tag)), "entries that %s of %s read by the tag %s", next,
				notes.who, o.Tag)
		}
		o.Deep.check(j)
	}),
}
