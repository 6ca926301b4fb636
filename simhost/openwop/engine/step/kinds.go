package step

import (
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// turn is a turn of the supervisor's loop.
type turn struct {
	*Move
	loop *state.Loop
}

// handoff hands the work of a turn over to a child.
type handoff struct {
	*Move
	loop *state.Loop
}

// stores is what a turn reads and writes beside the log.
type stores struct {
	*Move
	loop *state.Loop
}

// gate is a node at which somebody is asked.
type gate struct {
	*Move
	g *state.Gate
	n *workflow.Node
}

// call is a node that calls a model.
type call struct {
	*Move
	n *workflow.Node
}

func (m *Move) turn() turn                 { return turn{m, &m.S.Loop} }
func (m *Move) handoff() handoff           { return handoff{m, &m.S.Loop} }
func (m *Move) stores() stores             { return stores{m, &m.S.Loop} }
func (m *Move) gate(n *workflow.Node) gate { return gate{m, &m.S.Gate, n} }
func (m *Move) call(n *workflow.Node) call { return call{m, n} }
