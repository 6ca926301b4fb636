package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/refusal"
)

// The node types that the engine runs.
const (
	typeNoop       = "core.noop"
	TypeIdentity   = "core.identity"
	TypeDelay      = "core.delay"
	TypeFail       = "core.fail"
	TypeRandom     = "vendor.openassay.random" // ours
	TypeRandomToo  = "vendor.sample.random"    // the same, in workflows that name nobody
	TypeSupervisor = "core.orchestrator.supervisor"
	TypeDispatch   = "core.dispatch"
	TypeApproval   = "core.approvalGate"
	TypeQuestions  = "core.clarificationGate"
	TypeInterrupt  = "core.interrupt"
	TypeModel      = "core.ai.structuredOutput"
)

// nodeTypes are all of them.
var nodeTypes = []string{
	typeNoop, TypeIdentity, TypeDelay, TypeFail, TypeRandom, TypeRandomToo, TypeSupervisor, TypeDispatch, TypeApproval,
	TypeQuestions, TypeInterrupt, TypeModel,
}

// Capabilities that a host may lack; Options.Lacks names them. A workflow that needs one is refused.
const (
	CapabilityOrchestrator    = "agents.orchestrator"
	CapabilityDispatch        = "agents.dispatch"
	CapabilityDispatchMapping = "agents.dispatchMapping"
	CapabilityWorkspace       = "workspace"
	CapabilityMemory          = "memory"
	CapabilityModel           = "testing.mockProviders"
)

// Program is a workflow definition made ready to run. It does not change.
type Program struct {
	Definition openwopv1.WorkflowDefinition
	Encoded    []byte      // the definition as JSON
	Digest     string      // SHA-256 of that, in hex
	Stored     atomic.Bool // whether this process knows it to be in the log

	Nodes []Node // in the order in which they run; a loop's supervisor and dispatch node are the last two
	ByID  map[string]int
	Loop  int // index of the supervisor, len(nodes) where there is no loop

	Defaults  map[string]any
	variables map[string]openwopv1.WorkflowVariable
	Agent     openwopv1.AgentRef       // the supervisor's
	Dispatch  openwopv1.DispatchConfig // the loop's
	Notes     string                   // variable that holds what the turns see, "" without one
	Answer    *AnswerSchema            // what a clarification takes
}

// Node is one node of a program.
type Node struct {
	openwopv1.WorkflowNode
	Ports    []Port // in the order of their names
	Disabled bool
	Last     bool          // no edge leads on from it: its outputs are the run's
	Output   *AnswerSchema // what the model that it calls must answer; nil for anything
}

func (p *Program) IsSupervisor(id string) bool {
	return p.Loop < len(p.Nodes) && p.Nodes[p.Loop].ID == id
}

func (p *Program) IsDispatch(id string) bool {
	return p.Loop < len(p.Nodes) && p.Nodes[p.Loop+1].ID == id
}

// Supervisor and dispatcher are the two nodes of the loop; only to be asked for where there is one.
func (p *Program) Supervisor() *Node { return &p.Nodes[p.Loop] }

func (p *Program) Dispatcher() *Node { return &p.Nodes[p.Loop+1] }

// Compile makes a definition ready to run, or refuses it.
func Compile(definition openwopv1.WorkflowDefinition) (*Program, error) {
	encoded, err := json.Marshal(definition)
	if err != nil {
		return nil, fmt.Errorf("encode workflow %q: %w", definition.ID, err)
	}
	sum := sha256.Sum256(encoded)
	p := &Program{
		Definition: definition,
		Encoded:    encoded,
		Digest:     hex.EncodeToString(sum[:]),
		ByID:       make(map[string]int, len(definition.Nodes)),
		Defaults:   map[string]any{},
		variables:  map[string]openwopv1.WorkflowVariable{},
	}
	for _, step := range []func() error{p.accept, p.declare, p.arrange, p.connect, p.checkGates, p.readLoop} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// accept refuses what this engine does not do, rather than to pass over it.
func (p *Program) accept() error {
	d := p.Definition
	switch {
	case len(d.Nodes) == 0:
		return refused("workflow %q has no node", d.ID)
	case d.IsActive != nil && !*d.IsActive, d.Status != "" && d.Status != openwopv1.WorkflowDefinitionStatusActive:
		return refused("workflow %q is not active", d.ID)
	case len(d.Channels) > 0:
		return refused("workflow %q has channels, which this host does not do: use variables", d.ID)
	}
	for _, n := range d.Nodes {
		if !slices.Contains(nodeTypes, n.TypeID) {
			e := refusedNode(n.ID, "is of type %q, which this host does not run", n.TypeID)
			e.Details["offendingTypeId"] = n.TypeID
			return e
		}
	}
	for _, e := range d.Edges {
		if e.Condition != nil || e.TriggerRule != "" && e.TriggerRule != openwopv1.WorkflowEdgeTriggerRuleAllSuccess {
			message := fmt.Sprintf("edge %q has a condition or a trigger rule, which this host does not do", e.ID)
			return codes.Refuse(codes.Validation, message, "edgeId", e.ID)
		}
	}
	return nil
}

// declare reads the variables and their defaults.
func (p *Program) declare() error {
	for _, v := range p.Definition.Variables {
		if _, twice := p.variables[v.Name]; twice {
			return refused("variable %q is declared twice", v.Name)
		}
		if isTrue(v.Sensitive) {
			return refused("variable %q is sensitive, and this host masks nothing", v.Name)
		}
		p.variables[v.Name] = v
		if len(v.DefaultValue) == 0 {
			continue
		}
		var value any
		if err := json.Unmarshal(v.DefaultValue, &value); err != nil {
			return refused("default of variable %q: %v", v.Name, err)
		}
		p.Defaults[v.Name] = value
	}
	return nil
}

// need is a capability that a node cannot do without.
type need struct {
	node       *Node
	capability string
}

// needs lists what a run of the workflow with these inputs cannot do without.
func (p *Program) needs(inputs map[string]any) (needs []need) {
	for i := range p.Nodes {
		n := &p.Nodes[i]
		switch n.TypeID {
		case TypeSupervisor:
			needs = append(needs, need{n, CapabilityOrchestrator})
			files, memory := p.Stores(inputs)
			if files {
				needs = append(needs, need{n, CapabilityWorkspace})
			}
			if memory {
				needs = append(needs, need{n, CapabilityMemory})
			}
		case TypeModel:
			needs = append(needs, need{n, CapabilityModel})
		case TypeDispatch:
			needs = append(needs, need{n, CapabilityDispatch})
			if p.IsDispatch(n.ID) && hasMappings(p.Dispatch) {
				needs = append(needs, need{n, CapabilityDispatchMapping})
			}
		}
	}
	return needs
}

// CheckNeeds refuses a run that needs a capability among those lacking.
func (p *Program) CheckNeeds(inputs map[string]any, lacking []string) error {
	for _, n := range p.needs(inputs) {
		if slices.Contains(lacking, n.capability) {
			return Lacks(n.node, n.capability)
		}
	}
	return nil
}

// Lacks refuses what a node needs and the host does not have.
func Lacks(n *Node, capability string) *refusal.Error {
	code := codes.Capability
	if capability == CapabilityDispatchMapping {
		code = codes.Validation // what the protocol says for a mapping
	}
	return codes.Refuse(code, fmt.Sprintf("node %q needs %s, which this host does not have", n.ID, capability),
		"nodeId", n.ID, "offendingTypeId", n.TypeID, "requiredCapability", capability)
}

// Needs lists the capabilities that runs of a workflow need where its inputs are left to their defaults. A definition that
// cannot be run at all is refused.
func Needs(definition openwopv1.WorkflowDefinition) ([]string, error) {
	p, err := Compile(definition)
	if err != nil {
		return nil, err
	}
	var capabilities []string
	for _, n := range p.needs(nil) {
		capabilities = append(capabilities, n.capability)
	}
	return capabilities, nil
}

// hasMappings tells whether a dispatch node maps variables.
func hasMappings(c openwopv1.DispatchConfig) bool {
	return len(c.InputMapping) > 0 || len(c.OutputMapping) > 0 || len(c.PerWorkerInputMappings) > 0 || len(c.PerWorkerOutputMappings) > 0
}

func isTrue(b *bool) bool { return b != nil && *b }

func refused(format string, args ...any) *refusal.Error {
	return codes.Refuse(codes.Validation, fmt.Sprintf(format, args...))
}

func refusedNode(id, format string, args ...any) *refusal.Error {
	return codes.Refuse(codes.Validation, fmt.Sprintf("node %q "+format, append([]any{id}, args...)...), "nodeId", id)
}

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

// Port is one input of a node: a value, a variable's name, or another node's output.
type Port struct {
	Name     string
	Static   any
	Variable string
	NodeID   string
	Output   string
	Optional bool
}

// connect reads the ports of all nodes, and the edges that name ports.
func (p *Program) connect() error {
	for i := range p.Nodes {
		n := &p.Nodes[i]
		for _, name := range slices.Sorted(maps.Keys(n.Inputs)) {
			port, err := readPort(name, n.Inputs[name])
			if err != nil {
				return refusedNode(n.ID, "input %q: %v", name, err)
			}
			if _, ok := p.ByID[port.NodeID]; port.NodeID != "" && !ok {
				return refusedNode(n.ID, "input %q comes from node %q, which does not exist", name, port.NodeID)
			}
			n.Ports = append(n.Ports, port)
		}
		if n.TypeID == TypeDispatch && len(n.Ports) > 0 {
			return refusedNode(n.ID, "is a core.dispatch node with inputs: it takes mappings instead")
		}
	}
	for _, e := range p.Definition.Edges {
		if e.SourceOutput == nil && e.TargetInput == nil {
			continue
		}
		n := &p.Nodes[p.ByID[e.TargetNodeID]]
		carried := Port{Name: "input", NodeID: e.SourceNodeID, Output: "output", Optional: true}
		if e.TargetInput != nil {
			carried.Name = *e.TargetInput
		}
		if e.SourceOutput != nil {
			carried.Output = *e.SourceOutput
		}
		n.Ports = append(n.Ports, carried)
	}
	return nil
}

func readPort(name string, v openwopv1.PortValue) (Port, error) {
	switch v := v.(type) {
	case openwopv1.StaticPort:
		p := Port{Name: name}
		if err := json.Unmarshal(v.Value, &p.Static); err != nil {
			return Port{}, err
		}
		return p, nil
	case openwopv1.VariablePort:
		return Port{Name: name, Variable: v.VariableName, Optional: isTrue(v.Optional)}, nil
	case openwopv1.ConnectionPort:
		return Port{Name: name, NodeID: v.NodeID, Output: v.OutputKey, Optional: isTrue(v.Optional)}, nil
	default:
		return Port{}, fmt.Errorf("this host evaluates no expressions: use a static value, a variable or a connection")
	}
}
