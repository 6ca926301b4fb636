package step

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// overdue tells whether the time is over in which a gate can be answered.
func (m *Move) overdue(n *workflow.Node) bool {
	due := m.S.Node(n.ID).Due
	return !due.IsZero() && !m.Now.Before(due)
}

// expireGate ends a gate that nobody answered in time: an approval is rejected by itself, any other gate fails.
func (m *Move) expireGate(n *workflow.Node) Wait {
	if m.S.Gate.Asked.Kind == openwopv1.InterruptKindApproval {
		return m.resolveGate(n, m.Rules.Gates.Lapses())
	}
	return m.failNode(n.ID, codes.Failure(codes.Expired, "nobody answered node %q in time", n.ID))
}
