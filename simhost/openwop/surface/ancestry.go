package surface

import (
	"context"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// GetRunAncestry says which run dispatched a run (RFC 0040). A parent on another host is that host's word.
func (h *Host) GetRunAncestry(ctx context.Context,
	req openwopv1.GetRunAncestryRequestObject) (openwopv1.GetRunAncestryResponseObject, error) {
	lineage, err := h.lineage(ctx, opAncestry, tenantOf(ctx), req.RunID)
	if err != nil {
		return nil, err
	}
	if !h.rules.Claims.Serves(rules.ServesAncestries, h.claimed[claimAncestry]) {
		return nil, refusal.New(codeNotFound, "this host does not serve where a run comes from: discovery has no ancestryEndpointSupported")
	}
	return openwopv1.GetRunAncestry200JSONResponse{RunID: req.RunID, HostID: h.opts.HostID, Parent: h.parent(lineage)}, nil
}

// parent is the run that dispatched a run, nil where none did. A fork has a source and no parent: the protocol has no
// cause for it.
func (h *Host) parent(l state.Lineage) *openwopv1.RunParent {
	switch {
	case l.Origin != nil:
		return originOf(l.Origin)
	case l.ParentRunID != "":
		return &openwopv1.RunParent{RunID: l.ParentRunID, HostID: h.opts.HostID, Cause: openwopv1.RunParentCauseCoreDispatch}
	}
	return nil
}
