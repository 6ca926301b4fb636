package step

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/refusal"
)

// MaxDepth bounds how deep children may dispatch children. A workflow that dispatches itself ends there.
const MaxDepth = 16

// WordRefusal words for the parent's log why a child was not created.
func WordRefusal(e *refusal.Error) *openwopv1.EventError {
	code := e.Code
	if code == codes.NotFound {
		code = codes.UnknownWork
	}
	return &openwopv1.EventError{Code: code, Message: e.Message, Details: e.Details}
}
