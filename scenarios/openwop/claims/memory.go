package claims

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// Claims about memory. Passing it on between runs is rung 2 of the execution model; turns that read it as of their
// position are rung 5.
var (
	memory     = On("memory", "entries that runs remember", "/memory/supported", FamilyField("memory", "supported"))
	memoryRuns = with(ExecutionModel2, as("memory-runs", "memory that is handed on between runs", memory))
	// A mapping tells a worker what to remember.
	MemoryWorkers = with(DispatchMapping, as("memory-workers", "memory that is handed on to workers", memoryRuns))
	MemoryTTL     = with(MemoryWorkers, On("memory-ttl", "entries that expire", "/memory/ttlSupported", FamilyField("memory", "ttlSupported")))
	// Silence is no waiver: only a host that says advisory promises no order.
	MemorySiblings = with(MemoryWorkers, scenarios.Claim{
		ID: "memory-siblings", Title: "workers that remember one after the other",
		Pointer: modelPointer + `/crossChildMemoryConcurrency != "advisory"`,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := Model(d).Key("crossChildMemoryConcurrency")
			return v, v.String() != string(dialect.ExecutionModelCrossChildMemoryConcurrencyAdvisory)
		},
	})
	MemoryEvents = with(MemoryWorkers, On("memory-events", "events that tell what runs remember",
		"/memory/attribution/emitsWriteEvents", func(d scenarios.Discovery) wire.Value {
			return Family(d, "memory").Key("attribution").Key("emitsWriteEvents")
		}))
	loopMemory        = with(ExecutionModel5, as("loop-memory", "memory as an input of each turn of a loop", memory))
	LoopMemoryWorkers = with(ExecutionModel5, as("loop-memory-workers", "memory as an input of each turn of a loop with workers",
		MemoryWorkers))
	LoopMemoryResume = with(StatefulResume, as("loop-memory-resume", "memory as it was, after a resume", loopMemory))
	MemoryForks      = with(memoryRuns, as("memory-forks", "memory as it was, on replay", FinishedReplay))
	MemoryBranches   = with(memoryRuns, as("memory-branches", "memory as it was, in a branch", ForkBranch))
	TenantsMemory    = as("tenants-memory", "memory that belongs to a tenant", memoryRuns)
)
