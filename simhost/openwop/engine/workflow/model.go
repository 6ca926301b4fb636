package workflow

// The one provider of models that there is, and the version of the execution model from which on a replay asks it again (RFC 0041).
const (
	providerMock = "mock"
)

// readModel reads how a node calls a model.
func (n *Node) readModel() error {
	if n.TypeID != TypeModel {
		return nil
	}
	if provider := n.Config["provider"]; provider != providerMock {
		return refusedNode(n.ID, "config.provider must be %s, not %v: this host has no other model", providerMock, provider)
	}
	schema, set := n.Config["outputSchema"]
	if !set {
		return nil
	}
	document, ok := schema.(map[string]any)
	if !ok {
		return refusedNode(n.ID, "config.outputSchema must be a JSON Schema, an object")
	}
	var err error
	if n.Output, err = CompileAnswer(document); err != nil {
		return refusedNode(n.ID, "config.outputSchema is no JSON Schema: %v", err)
	}
	return nil
}
