package step

import (
	"github.com/openassay/assay/simhost/openwop/engine/state"
)

// brought is what a turn sees anew where turns do not take everything as it is when they begin: what children have brought.
func (m *Move) brought() *state.View {
	s := m.S
	if s.View.Mark == nil || !m.Rules.Memory.HandsDown(s.Created.Version) || s.Brought <= *s.View.Mark {
		return nil
	}
	return &state.View{Mark: new(s.Brought), At: m.Now}
}
