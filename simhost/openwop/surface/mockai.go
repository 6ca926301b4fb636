package surface

import (
	"context"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/mockai"
	"github.com/openassay/assay/simhost/refusal"
)

// ProgramMockAI says what the model of the provider mock answers to a node of the caller's tenant, call by call.
func (h *Host) ProgramMockAI(ctx context.Context, req openwopv1.ProgramMockAIRequestObject) (openwopv1.ProgramMockAIResponseObject, error) {
	if !h.claimed[claimMockAI] {
		return nil, refusal.New(codeNotFound, "this host does not offer the mock-ai seam")
	}
	answers := make([]mockai.Answer, len(req.Body.Program))
	for i, a := range req.Body.Program {
		answers[i] = mockai.Answer{Content: given(a.Content), StopReason: given(a.StopReason), RefusalText: given(a.RefusalText)}
	}
	if err := h.models.Program(ctx, tenantOf(ctx), req.Body.NodeID, answers); err != nil {
		return nil, err
	}
	return openwopv1.ProgramMockAI200JSONResponse{Ok: true, Count: int64(len(answers))}, nil
}
