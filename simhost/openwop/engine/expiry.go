package engine

import "github.com/openassay/assay/gen/openwopv1"

// overdue tells whether the time is over in which a gate can be answered.
func (m *move) overdue(n *node) bool {
	due := m.s.node(n.ID).due
	return !due.IsZero() && !m.now.Before(due)
}

// expireGate ends a gate that nobody answered in time: an approval is rejected by itself, any other gate fails.
func (m *move) expireGate(n *node) wait {
	if m.s.gate.asked.kind == openwopv1.InterruptKindApproval {
		return m.resolveGate(n, m.rules.Gates.Lapses())
	}
	return m.failNode(n.ID, failure(codeExpired, "nobody answered node %q in time", n.ID))
}
