package host

import (
	"strings"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
)

// What a workflow of the host's own can do for drives where no fixture does. Nothing is known of its nodes and its plan, so only what
// needs neither is judged.
const (
	RoleShort    = "short"    // ends soon, by itself
	RoleLoop     = "loop"     // has turns, and ends by itself
	RoleLong     = "long"     // lasts until it is cancelled
	RoleFails    = "fails"    // fails, by itself
	RoleApproval = "approval" // waits for an approval that can be accepted and rejected, and completes when it is accepted
)

// Roles are all of them.
var Roles = []string{RoleShort, RoleLoop, RoleLong, RoleFails, RoleApproval}

// Played returns a request for a run of the workflow that the operator named for the first of these roles that has one.
func Played(h Host, roles ...string) (request dialect.CreateRunRequest, ok bool) {
	for _, role := range roles {
		if workflow := h.Roles[role]; workflow != "" {
			return dialect.CreateRunRequest{WorkflowID: workflow}, true
		}
	}
	return request, false
}

// Failing returns a request for a run that fails by itself, if there is one.
func Failing(h Host, published string) (dialect.CreateRunRequest, bool) {
	if h.Offers(published) {
		return dialect.CreateRunRequest{WorkflowID: published}, true
	}
	if own, ok := Played(h, RoleFails); ok {
		return own, true
	}
	own, ok := h.Find(Any, Fails)
	return own.Request(), ok
}

// NameOwn says how the operator unblocks what takes a workflow of one of these roles.
func NameOwn(roles ...string) string {
	return fixture.Load + "; or name a workflow of the host's own with --role " + strings.Join(roles, "=ID or ") + "=ID"
}
