package memory

import (
	"context"
	"maps"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// memoryWrite is one entry in a fixture's script of writes.
type memoryWrite struct {
	Memory memoryEntry `json:"memory"`
}

type memoryEntry struct {
	Content string   `json:"content"`
	Tags    []string `json:"tags"`
	TTL     int      `json:"ttlMs,omitempty"`
}

// writesIn returns a script that writes entries in one turn of a run, counted from 1.
func writesIn(turn int, tag string, contents ...string) [][]memoryWrite {
	script := slices.Repeat([][]memoryWrite{{}}, turn)
	for _, c := range contents {
		script[turn-1] = append(script[turn-1], memoryWrite{memoryEntry{Content: c, Tags: []string{tag}}})
	}
	return script
}

// remembering returns a request for a run that reads the entries with a tag. scripts holds further inputs.
func remembering(fixture, tag string, p host.Plan, scripts map[string]any) dialect.CreateRunRequest {
	inputs := map[string]any{"plan": p, "reads": map[string]any{"memory": []string{tag}}}
	maps.Copy(inputs, scripts)
	return dialect.CreateRunRequest{WorkflowID: fixture, Inputs: inputs}
}

// requireMemory ends the drive unless the fixtures are on offer and loops may take this number of turns.
func requireMemory(h host.Host, turns int, fixtures ...string) {
	for _, f := range append([]string{fixture.MemoryOne, fixture.Noop}, fixtures...) {
		if !h.Offers(f) {
			h.Lacks("no workflow on offer notes its memory", f)
		}
	}
	if ceiling, why := h.Ceiling(); ceiling < turns {
		host.TooFewTurns(why)
	}
}

// tag returns a fresh tag, so that no other drive's entry has it.
func tag(h host.Host) string { return h.Name("about") }

// reader runs one turn, which notes the entries with a tag.
func reader(ctx context.Context, h host.Host, who, tag string) host.RunLog {
	return whole(ctx, h, "the run that reads "+who, remembering(fixture.MemoryOne, tag, host.Plan{host.Terminate(h.Name("done"))}, nil))
}

// writer runs one turn, which writes an entry.
func writer(ctx context.Context, h host.Host, who, tag, content string) host.RunLog {
	scripts := map[string]any{"writes": writesIn(1, tag, content)}
	return whole(ctx, h, "the run that writes "+who, remembering(fixture.MemoryOne, tag, host.Plan{host.Terminate(h.Name("done"))}, scripts))
}

func whole(ctx context.Context, h host.Host, what string, request dialect.CreateRunRequest) host.RunLog {
	r := h.Create(ctx, "create "+what, request)
	return r.Finish(ctx, "log of "+what)
}

// MemoryFamily is a loop that wrote an entry, then dispatched two
// workers in one decision. Each worker wrote an entry.
type MemoryFamily struct {
	Turns    int             `json:"turns" drawn:"true"`
	Wrote    int             `json:"wrote" drawn:"true"`  // turn in which the loop wrote
	Handed   int             `json:"handed" drawn:"true"` // turn that dispatched the workers
	Own      string          `json:"own"`                 // content of the loop's entry
	Untagged int             `json:"untagged,omitempty"`  // entries that the loop wrote in the same turn, without a tag
	First    string          `json:"first"`               // content of the first worker's entry
	Second   string          `json:"second"`              // content of the second worker's entry
	Tag      string          `json:"tag"`                 // of all three
	Log      host.RunLog     `json:"log"`                 // of the loop
	Children []host.ChildRun `json:"children"`            // as named by the loop, in order
}

var untagged = &scenarios.Dimension{Name: "memory entries without a tag", Least: 1, Most: [3]int{2, 4, 20}}

// rememberingFamily runs a loop and two workers that write and read entries.
var rememberingFamily = &scenarios.Drive[MemoryFamily]{
	ID:    "openwop/remembering-family",
	Title: "runs a loop that writes a memory entry in a random turn and later dispatches two workers in one decision, which write one each",
	Sends: []string{
		"{create run} (assay-loop-memory with a random plan, and the workers assay-memory-worker and assay-memory-worker-again)",
		"{read run}", "{poll log}", "the same of both child runs",
	},
	Dimensions: []*scenarios.Dimension{untagged},
	Run: func(ctx context.Context, c *scenarios.Conn, o *MemoryFamily) {
		h := host.Host{Conn: c}
		requireMemory(h, 5, fixture.Memory, fixture.MemoryTwo)
		n := h.TurnsFrom(5)
		*o = MemoryFamily{Turns: n, Wrote: h.Between(1, 2), Handed: h.Between(3, n-2), Own: h.Marker(), First: h.Marker(),
			Second: h.Marker(), Tag: tag(h)}
		o.Untagged = h.Draw(untagged)
		own := writesIn(o.Wrote, o.Tag, o.Own)
		for range o.Untagged {
			own[o.Wrote-1] = append(own[o.Wrote-1], memoryWrite{memoryEntry{Content: h.Marker(), Tags: []string{}}})
		}
		p := h.LoopPlan(n)
		p[o.Handed-1] = host.NextWorker(fixture.MemoryOne, fixture.MemoryTwo)
		o.Log = whole(ctx, h, "the loop that remembers", remembering(fixture.Memory, o.Tag, p, map[string]any{
			"writes":       own,
			"workerPlan":   h.LoopPlan(2),
			"workerWrites": writesIn(1, o.Tag, o.First),
			"againPlan":    h.LoopPlan(1),
			"againWrites":  writesIn(1, o.Tag, o.Second),
		}))
		if !o.Log.Ended.Reached {
			return
		}
		for _, id := range runsOfWorkers(o.Log, fixture.MemoryOne, fixture.MemoryTwo) {
			r := h.ChildRun(ctx, id)
			child := host.ChildRun{ID: id}
			child.Log = r.FinishAsChild(ctx)
			o.Children = append(o.Children, child)
		}
	},
}

// runsOfWorkers returns one child run for each of these workers, and ignores the others. It
// returns none if the log does not say which worker each child belongs to.
func runsOfWorkers(l host.RunLog, workers ...string) []string {
	var out []string
	for _, worker := range workers {
		for _, e := range slices.Concat(l.Phase(dialect.ChainPhaseDispatchSucceeded).Values, l.OfType(dialect.NodeDispatched).Values) {
			id := e.At("/payload/childRunId").String()
			if id != "" && host.FirstText(e.At("/payload/workerId"), e.At("/payload/childWorkflowId")) == worker && !slices.Contains(out, id) {
				out = append(out, id)
				break
			}
		}
	}
	return out
}
