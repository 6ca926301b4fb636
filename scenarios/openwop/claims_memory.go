package openwop

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// What a host can say of its memory. That it is handed on between runs is rung 2
// of the execution model, that turns read it as of their place rung 5.
var (
	memory     = on("memory", "entries that runs remember", "/memory/supported", familyField("memory", "supported"))
	memoryRuns = with(executionModel2, as("memory-runs", "memory that is handed on between runs", memory))
	// What a worker is to remember is told to it by a mapping.
	memoryWorkers = with(dispatchMapping, as("memory-workers", "memory that is handed on to workers", memoryRuns))
	memoryTTL     = with(memoryWorkers, on("memory-ttl", "entries that expire", "/memory/ttlSupported", familyField("memory", "ttlSupported")))
	// Silence is no waiver: only who says advisory promises no order.
	memorySiblings = with(memoryWorkers, scenarios.Claim{
		ID: "memory-siblings", Title: "workers that remember one after the other",
		Pointer: modelPointer + `/crossChildMemoryConcurrency != "advisory"`,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := model(d).Key("crossChildMemoryConcurrency")
			return v, v.String() != string(openwopv1.ExecutionModelCrossChildMemoryConcurrencyAdvisory)
		},
	})
	memoryEvents = with(memoryWorkers, on("memory-events", "events that tell what runs remember", "/memory/attribution/emitsWriteEvents", func(d scenarios.Discovery) wire.Value {
		return family(d, "memory").Key("attribution").Key("emitsWriteEvents")
	}))
	loopMemory        = with(executionModel5, as("loop-memory", "memory as an input of each turn of a loop", memory))
	loopMemoryWorkers = with(executionModel5, as("loop-memory-workers", "memory as an input of each turn of a loop with workers", memoryWorkers))
	loopMemoryResume  = with(statefulResume, as("loop-memory-resume", "memory as it was, after a resume", loopMemory))
	memoryForks       = with(memoryRuns, as("memory-forks", "memory as it was, on replay", finishedReplay))
	memoryBranches    = with(memoryRuns, as("memory-branches", "memory as it was, in a branch", forkBranch))
	tenantsMemory     = as("tenants-memory", "memory that belongs to a tenant", memoryRuns)
)
