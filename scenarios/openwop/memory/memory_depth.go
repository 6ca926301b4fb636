package memory

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// MemoryDepth is a loop whose worker wrote an entry, and had a loop with workers of its own that wrote as well.
type MemoryDepth struct {
	Tag    string      `json:"tag"`   // that their entries have by the workflow itself
	Wrote  int         `json:"wrote"` // how many they write
	Own    string      `json:"own"`   // content of the worker's entry
	Log    host.RunLog `json:"log"`   // of the loop
	Worker host.RunLog `json:"worker"`
	Inner  host.RunLog `json:"inner"` // of the loop that is the worker's own worker
}

// Where the workers of a first turn have not written yet, and where they have.
var (
	unbrought = host.Look{Turn: 1, At: host.AtBegin}
	brought   = host.Look{Turn: 2, At: host.AtBegin}
)

// gain returns how many more entries a run read after its workers than before.
func (r recollections) gain() int {
	return len(r.Entries(brought).Values) - len(r.Entries(unbrought).Values)
}

// rememberDeep runs the loop. Nobody gives the innermost workers anything, so they write what their workflow says, one entry each;
// a run without inputs shows its tag.
func rememberDeep(ctx context.Context, h host.Host) (o MemoryDepth) {
	if !h.Offers(fixture.MemoryTwo) {
		return o
	}
	asWritten := func(label string) recollections {
		return recollections{Notes: host.ReadSeen(whole(ctx, h, label, dialect.CreateRunRequest{WorkflowID: fixture.Memory}), "memory")}
	}
	plain := asWritten("the loop that remembers as its workflow says")
	if asWritten("the same once more").gain() != plain.gain() { // equal entries may be kept once, or a read may be cut off
		return o
	}
	for _, e := range plain.Entries(brought).Values {
		o.Tag = e.At("/tags/0").String()
	}
	if o.Wrote = min(plain.gain(), 2); o.Tag == "" || o.Wrote < 1 {
		return o
	}
	o.Own = h.Marker()
	over := func(worker string) host.Plan {
		return host.Plan{host.NextWorker(worker), host.Terminate(h.Name("done"))}
	}
	o.Log = whole(ctx, h, "the loop whose worker has workers that remember", remembering(fixture.Memory, o.Tag, over(fixture.MemoryOne),
		map[string]any{"workerPlan": over(fixture.Memory), "workerWrites": writesIn(1, o.Tag, o.Own)}))
	for _, id := range runsOfWorkers(o.Log, fixture.MemoryOne) {
		o.Worker = h.ChildRun(ctx, id).FinishAsChild(ctx)
	}
	for _, id := range runsOfWorkers(o.Worker, fixture.Memory) {
		o.Inner = h.ChildRun(ctx, id).FinishAsChild(ctx)
	}
	return o
}

// check expects both runs to read, behind their worker, what was written below them. The control is the worker's own entry. They are
// counted, since an entry may have another id in each memory, and all that the innermost workers write is alike.
func (o MemoryDepth) check(j *scenarios.Judge) {
	loop := recollections{Notes: host.ReadSeen(o.Log, "memory"), who: "the loop"}
	worker := recollections{Notes: host.ReadSeen(o.Worker, "memory"), who: "the worker"}
	if o.Own == "" || !loop.has(brought, o.Own) || !worker.has(brought, o.Own) || !completed(o.Log, fixture.MemoryOne) ||
		!completed(o.Worker, fixture.Memory) || !completed(o.Inner, fixture.MemoryOne) || !completed(o.Inner, fixture.MemoryTwo) {
		return
	}
	for _, r := range []recollections{worker, loop} {
		more := check.That(fmt.Sprintf("at least %d more than before", o.Wrote+1), func(any) bool { return r.gain() > o.Wrote })
		j.Check(openwop.OWPMEM2, r.Entries(brought)).To(more, "what %s of %s read, below which %d entries were written", brought, r.who,
			o.Wrote+1)
	}
}
