package openwop

import (
	"context"

	"github.com/openassay/assay/gen/openwopv1"
)

// GetRunAncestry says which run dispatched a run (RFC 0040). A parent on another
// host is that host's word. A fork has a source and no parent: the protocol has no cause for it.
func (h *Host) GetRunAncestry(ctx context.Context, req openwopv1.GetRunAncestryRequestObject) (openwopv1.GetRunAncestryResponseObject, error) {
	if !h.claimed[claimAncestry] {
		return nil, refuse(codeNotFound, "this host does not serve where a run comes from: discovery has no ancestryEndpointSupported")
	}
	lineage, err := h.lineage(ctx, opAncestry, tenantOf(ctx), req.RunID)
	if err != nil {
		return nil, err
	}
	reply := openwopv1.GetRunAncestry200JSONResponse{RunID: req.RunID, HostID: h.opts.HostID}
	if lineage.ParentRunID != "" {
		reply.Parent = &openwopv1.RunParent{RunID: lineage.ParentRunID, HostID: h.opts.HostID, Cause: openwopv1.RunParentCauseCoreDispatch}
	}
	if lineage.Origin != nil {
		reply.Parent = originOf(lineage.Origin)
	}
	return reply, nil
}
