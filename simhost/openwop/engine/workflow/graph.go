package workflow

import (
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
)

// arrange puts the nodes into the order in which they run.
func (p *Program) arrange() error {
	file := p.Definition.Nodes
	index := make(map[string]int, len(file)) // in the definition
	for i, n := range file {
		if _, twice := index[n.ID]; twice {
			return refusedNode(n.ID, "stands in the definition twice")
		}
		index[n.ID] = i
	}
	for _, e := range p.Definition.Edges {
		for _, id := range []string{e.SourceNodeID, e.TargetNodeID} {
			if _, ok := index[id]; !ok {
				return codes.Refuse(codes.Validation, "edge "+e.ID+" names node "+id+", which does not exist", "edgeId", e.ID, "nodeId", id)
			}
		}
	}
	supervisor, dispatch, err := findLoop(p.Definition)
	if err != nil {
		return err
	}
	order, err := topological(p.Definition, index, supervisor, dispatch)
	if err != nil {
		return err
	}
	p.Loop = len(order)
	if supervisor != "" {
		order = append(order, index[supervisor], index[dispatch])
	}
	for at, i := range order {
		n := Node{WorkflowNode: file[i], Disabled: isTrue(file[i].Disabled)}
		n.Last = !slices.ContainsFunc(p.Definition.Edges, func(e openwopv1.WorkflowEdge) bool { return e.SourceNodeID == n.ID })
		if err := n.readModel(); err != nil {
			return err
		}
		p.Nodes = append(p.Nodes, n)
		p.ByID[n.ID] = at
	}
	return nil
}

// findLoop finds the supervisor and its dispatch node; both are empty where there is no supervisor.
func findLoop(d openwopv1.WorkflowDefinition) (supervisor, dispatch string, err error) {
	types := map[string]string{}
	for _, n := range d.Nodes {
		types[n.ID] = n.TypeID
		if n.TypeID != TypeSupervisor {
			continue
		}
		if supervisor != "" {
			return "", "", refusedNode(n.ID, "is a second supervisor: a run has one")
		}
		if isTrue(n.Disabled) {
			return "", "", refusedNode(n.ID, "is a disabled supervisor: leave it out")
		}
		supervisor = n.ID
	}
	if supervisor == "" {
		return "", "", nil
	}
	for _, e := range d.Edges {
		if e.SourceNodeID != supervisor {
			continue
		}
		if dispatch != "" && dispatch != e.TargetNodeID || types[e.TargetNodeID] != TypeDispatch {
			return "", "", refusedNode(supervisor, "may lead to one core.dispatch node only: a decision to terminate ends the run")
		}
		dispatch = e.TargetNodeID
	}
	back := func(e openwopv1.WorkflowEdge) bool { return e.SourceNodeID == dispatch && e.TargetNodeID == supervisor }
	if dispatch == "" || !slices.ContainsFunc(d.Edges, back) {
		return "", "", refusedNode(supervisor, "needs an edge to a core.dispatch node, and one back from there")
	}
	for _, n := range d.Nodes {
		if n.ID == dispatch && isTrue(n.Disabled) {
			return "", "", refusedNode(dispatch, "is disabled, but a supervisor dispatches through it")
		}
	}
	for _, e := range d.Edges {
		if e.SourceNodeID == dispatch && e.TargetNodeID != supervisor || e.TargetNodeID == dispatch && e.SourceNodeID != supervisor {
			return "", "", refusedNode(dispatch, "may have edges from and to its supervisor only")
		}
	}
	return supervisor, dispatch, nil
}

// topological orders the nodes outside the loop: each after those that lead to it, otherwise as in the definition.
func topological(d openwopv1.WorkflowDefinition, index map[string]int, supervisor, dispatch string) ([]int, error) {
	inLoop := func(id string) bool { return supervisor != "" && (id == supervisor || id == dispatch) }
	open := make([]int, len(d.Nodes)) // edges from nodes that have not had their turn
	for _, e := range d.Edges {
		if !inLoop(e.TargetNodeID) {
			open[index[e.TargetNodeID]]++
		}
	}
	var order []int
	placed := make([]bool, len(d.Nodes))
	for {
		next := slices.IndexFunc(d.Nodes, func(n openwopv1.WorkflowNode) bool {
			return !inLoop(n.ID) && !placed[index[n.ID]] && open[index[n.ID]] == 0
		})
		if next < 0 {
			break
		}
		placed[next] = true
		order = append(order, next)
		for _, e := range d.Edges {
			if e.SourceNodeID == d.Nodes[next].ID && !inLoop(e.TargetNodeID) {
				open[index[e.TargetNodeID]]--
			}
		}
	}
	for i, n := range d.Nodes {
		if !placed[i] && !inLoop(n.ID) {
			return nil, refusedNode(n.ID, "waits for itself: the only loop is a supervisor and its core.dispatch node")
		}
	}
	return order, nil
}
