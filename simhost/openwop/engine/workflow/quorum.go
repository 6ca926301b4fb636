package workflow

import (
	"github.com/openassay/assay/gen/openwopv1"
)

// Quorum is how many must say what for an approval to be resolved. The zero value is for interrupts that one answer resolves.
type Quorum struct {
	Required int
	Majority bool // rejections count, too; otherwise the first one decides
}

func QuorumOf(data openwopv1.ApprovalData) (q Quorum) {
	if r := data.RequiredApprovals; r != nil {
		q = Quorum{int(*r), data.RejectionPolicy == openwopv1.ApprovalDataRejectionPolicyMajority}
	}
	return q
}

// Several tells whether one answer is not enough.
func (q Quorum) Several() bool { return q.Required > 1 }
