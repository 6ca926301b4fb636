package handoff

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// publishedPrefix begins the names of upstream's loops with mappings. The fixtures
// fix the mappings; variables that a run's inputs can set get random values.

const publishedPrefix = "conformance-dispatch-"

// published is one of upstream's loops with mappings.
type published struct {
	fixture   string
	workers   []string
	harvested [][]string
	inputs    map[string]any
	note      func(o *MappedObservation, m MappedRun)
}

// mapAsPublished runs upstream's loops that the host offers.
func mapAsPublished(ctx context.Context, h host.Host) MappedObservation {
	var o MappedObservation
	for _, p := range publishedLoops(h) {
		if !h.Offers(append(p.workers, p.fixture)...) {
			continue
		}
		m := mapped(ctx, h, MappedRun{Way: p.fixture, Workers: p.workers, Harvested: p.harvested},
			dialect.CreateRunRequest{WorkflowID: p.fixture, Inputs: p.inputs})
		o.Runs = append(o.Runs, m)
		p.note(&o, m)
	}
	if len(o.Runs) == 0 {
		scenarios.End(scenarios.Block("the host offers no loop with mappings", fixture.Load))
	}
	return o
}

func publishedLoops(h host.Host) []published {
	greeted := publishedPrefix + "input-mapping-child"
	first, second := publishedPrefix+"cross-worker-handoff-child-a", publishedPrefix+"cross-worker-handoff-child-b"
	name, byDefault, shared := h.Marker(), h.Marker(), h.Marker()
	return []published{
		{fixture.Handoff, []string{fixture.HandoffChild}, [][]string{{"parentResult"}}, nil, func(o *MappedObservation, m MappedRun) {
			o.Harvests = append(o.Harvests, m.back("the worker's childOutcome as the parent's parentResult", "parentResult", "handoff-complete"))
		}},
		{publishedPrefix + "output-mapping", []string{publishedPrefix + "output-mapping-child"}, [][]string{{"parentResult"}}, nil,
			func(o *MappedObservation, m MappedRun) {
				o.Harvests = append(o.Harvests, m.back("the worker's childOutcome as the parent's parentResult", "parentResult", "done"))
			}},
		{publishedPrefix + "input-mapping", []string{greeted}, [][]string{nil}, map[string]any{"parentName": name},
			func(o *MappedObservation, m MappedRun) {
				o.Inputs = append(o.Inputs, m.to(0, "the parent's parentName as the worker's input childGreeting", "childGreeting", name, "Alice"))
			}},
		{publishedPrefix + "input-mapping-no-default", []string{greeted}, [][]string{nil}, nil, func(o *MappedObservation, m MappedRun) {
			o.Unset = append(o.Unset, m.to(0, "the input childGreeting, whose source has no value", "childGreeting"))
		}},
		{publishedPrefix + "cross-worker-handoff", []string{first, second}, [][]string{{"sharedVar"}, nil}, nil,
			func(o *MappedObservation, m MappedRun) {
				o.Across = append(o.Across, m.to(1, "the first worker's output as the second one's input", "input", "hello"))
				o.Harvests = append(o.Harvests, m.back("the first worker's output as the parent's sharedVar", "sharedVar", "hello"))
			}},
		{publishedPrefix + "per-worker-override", []string{first, second}, [][]string{nil, nil}, map[string]any{"defaultX": byDefault,
			"sharedVar": shared}, func(o *MappedObservation, m MappedRun) {
			o.Inputs = append(o.Inputs, m.to(0, "the parent's defaultX as the first worker's input", "input", byDefault, "default-x-value"))
			o.Own = append(o.Own, m.to(1, "the parent's sharedVar as the second worker's input", "input", shared, "shared-value"))
		}},
	}
}
