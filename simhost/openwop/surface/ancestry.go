package surface

import (
	"context"

	"github.com/openassay/assay/gen/openwopv1"
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
	if !h.rules.Ancestry.Serves(h.claimed[claimAncestry]) {
		return nil, refusal.New(codeNotFound, "this host does not serve where a run comes from: discovery has no ancestryEndpointSupported")
	}
	kin := rules.Kin{RunID: req.RunID, HostID: h.opts.HostID, ParentRunID: lineage.ParentRunID, SourceRunID: lineage.SourceRunID}
	if lineage.Origin != nil {
		kin.Abroad = originOf(lineage.Origin)
	}
	return openwopv1.GetRunAncestry200JSONResponse(h.rules.Ancestry.Of(kin)), nil
}
