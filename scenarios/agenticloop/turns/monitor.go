package turns

import (
	"sync"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Monitor judges the turns of a plugin one by one as they happen. It may be used by several goroutines; turns of one run come in their
// order.
type Monitor struct {
	mu     sync.Mutex
	reader *reader
}

// NewMonitor returns a monitor that knows of no run yet.
func NewMonitor() *Monitor { return &Monitor{reader: newReader(nil)} }

// Turn judges a turn: what the plugin read, what it printed, and its exit code. It returns the requirements that the turn violates,
// each once.
func (m *Monitor) Turn(request, response []byte, exit int) []scenarios.Violation {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reader.transcript = &wire.Transcript{Drive: "monitor", Entries: []wire.Entry{{Kind: "process", Process: &wire.Spawned{
		Exit: &exit, Input: string(request), InputBytes: int64(len(request)), Output: string(response), OutputBytes: int64(len(response))}}}}
	var all []scenarios.Sight
	m.reader.judge("monitor", 1, func(s scenarios.Sight) { all = append(all, s) })
	return scenarios.Violations(rows, all)
}
