package state

import (
	"encoding/json"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// isRejection tells whether this value says no to a decision that is held.
func isRejection(kind openwopv1.InterruptKind, value json.RawMessage) bool {
	if kind == openwopv1.InterruptKindClarification {
		return false
	}
	action, err := workflow.ReadAction(value)
	return err == nil && action == openwopv1.ApprovalActionReject
}
