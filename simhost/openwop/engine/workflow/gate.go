package workflow

// ArtifactVariable takes the artifact as an approval accepted it.
const ArtifactVariable = "artifact"

// IsGate tells the nodes that do nothing but raise an interrupt and wait for what resolves it.
func (n *Node) IsGate() bool {
	return n.TypeID == TypeApproval || n.TypeID == TypeQuestions || n.TypeID == TypeInterrupt
}
