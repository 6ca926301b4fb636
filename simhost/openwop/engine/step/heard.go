package step

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/state"
)

// AskedLast is the kind of the interrupt that was raised last, "" where there was none.
func AskedLast(s *state.State) openwopv1.InterruptKind {
	if i := s.LastInterrupt(); i != nil {
		return i.Kind
	}
	return ""
}
