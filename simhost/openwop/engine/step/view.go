package step

import (
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// refresh is what a turn that begins sees other than what was seen before. seen is false where somebody must look first.
func (m *Move) refresh() (news *state.View, seen bool) {
	view := m.S.View
	switch {
	case m.replaying():
		turn, ok := m.recordedTurn()
		if !ok {
			return nil, true // and the next event differs as well
		}
		return turn.View, true
	case view.Empty():
		return nil, true
	case !m.Rules.Loop.Refreshes(m.S.Created.Version):
		return m.brought(), true
	case m.View == nil:
		return nil, false
	}
	looked := *m.View
	if !m.Rules.Reads.Refreshes(rules.Workspace, m.S.Loop.Resumed) {
		looked.Files = view.Files
	}
	if !m.Rules.Reads.Refreshes(rules.Memories, m.S.Loop.Resumed) {
		looked.Mark, looked.At = view.Mark, view.At
	}
	news = view.News(looked)
	m.View = nil
	return news, true
}
