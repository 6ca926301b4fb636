package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/refusal"
)

// The node types that the engine runs.
const (
	typeNoop       = "core.noop"
	typeIdentity   = "core.identity"
	typeDelay      = "core.delay"
	typeFail       = "core.fail"
	typeRandom     = "vendor.openassay.random" // ours
	typeSupervisor = "core.orchestrator.supervisor"
	typeDispatch   = "core.dispatch"
	typeApproval   = "core.approvalGate"
	typeQuestions  = "core.clarificationGate"
	typeInterrupt  = "core.interrupt"
	typeModel      = "core.ai.structuredOutput"
)

// nodeTypes are all of them.
var nodeTypes = []string{
	typeNoop, typeIdentity, typeDelay, typeFail, typeRandom, typeSupervisor, typeDispatch, typeApproval, typeQuestions,
	typeInterrupt, typeModel,
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

// program is a workflow definition made ready to run. It does not change.
type program struct {
	definition openwopv1.WorkflowDefinition
	encoded    []byte      // the definition as JSON
	digest     string      // SHA-256 of that, in hex
	stored     atomic.Bool // whether this process knows it to be in the log

	nodes []node // in the order in which they run; a loop's supervisor and dispatch node are the last two
	byID  map[string]int
	loop  int // index of the supervisor, len(nodes) where there is no loop

	defaults  map[string]any
	variables map[string]openwopv1.WorkflowVariable
	agent     openwopv1.AgentRef       // the supervisor's
	dispatch  openwopv1.DispatchConfig // the loop's
	notes     string                   // variable that holds what the turns see, "" without one
	answer    *answerSchema            // what a clarification takes
}

// node is one node of a program.
type node struct {
	openwopv1.WorkflowNode
	ports    []port // in the order of their names
	disabled bool
	last     bool          // no edge leads on from it: its outputs are the run's
	output   *answerSchema // what the model that it calls must answer; nil for anything
}

func (p *program) isSupervisor(id string) bool {
	return p.loop < len(p.nodes) && p.nodes[p.loop].ID == id
}

func (p *program) isDispatch(id string) bool {
	return p.loop < len(p.nodes) && p.nodes[p.loop+1].ID == id
}

// supervisor and dispatcher are the two nodes of the loop; only to be asked for where there is one.
func (p *program) supervisor() *node { return &p.nodes[p.loop] }
func (p *program) dispatcher() *node { return &p.nodes[p.loop+1] }

// compile makes a definition ready to run, or refuses it.
func compile(definition openwopv1.WorkflowDefinition) (*program, error) {
	encoded, err := json.Marshal(definition)
	if err != nil {
		return nil, fmt.Errorf("encode workflow %q: %w", definition.ID, err)
	}
	sum := sha256.Sum256(encoded)
	p := &program{
		definition: definition,
		encoded:    encoded,
		digest:     hex.EncodeToString(sum[:]),
		byID:       make(map[string]int, len(definition.Nodes)),
		defaults:   map[string]any{},
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
func (p *program) accept() error {
	d := p.definition
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
			return refuse(CodeValidation, message, "edgeId", e.ID)
		}
	}
	return nil
}

// declare reads the variables and their defaults.
func (p *program) declare() error {
	for _, v := range p.definition.Variables {
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
		p.defaults[v.Name] = value
	}
	return nil
}

// need is a capability that a node cannot do without.
type need struct {
	node       *node
	capability string
}

// needs lists what a run of the workflow with these inputs cannot do without.
func (p *program) needs(inputs map[string]any) (needs []need) {
	for i := range p.nodes {
		n := &p.nodes[i]
		switch n.TypeID {
		case typeSupervisor:
			needs = append(needs, need{n, CapabilityOrchestrator})
			files, memory := p.stores(inputs)
			if files {
				needs = append(needs, need{n, CapabilityWorkspace})
			}
			if memory {
				needs = append(needs, need{n, CapabilityMemory})
			}
		case typeModel:
			needs = append(needs, need{n, CapabilityModel})
		case typeDispatch:
			needs = append(needs, need{n, CapabilityDispatch})
			if p.isDispatch(n.ID) && hasMappings(p.dispatch) {
				needs = append(needs, need{n, CapabilityDispatchMapping})
			}
		}
	}
	return needs
}

// checkNeeds refuses a run that needs a capability among those lacking.
func (p *program) checkNeeds(inputs map[string]any, lacking []string) error {
	for _, n := range p.needs(inputs) {
		if slices.Contains(lacking, n.capability) {
			return lacks(n.node, n.capability)
		}
	}
	return nil
}

// lacks refuses what a node needs and the host does not have.
func lacks(n *node, capability string) *refusal.Error {
	code := CodeCapability
	if capability == CapabilityDispatchMapping {
		code = CodeValidation // what the protocol says for a mapping
	}
	return refuse(code, fmt.Sprintf("node %q needs %s, which this host does not have", n.ID, capability),
		"nodeId", n.ID, "offendingTypeId", n.TypeID, "requiredCapability", capability)
}

// Needs lists the capabilities that runs of a workflow need where its inputs are left to their defaults. A definition that
// cannot be run at all is refused.
func Needs(definition openwopv1.WorkflowDefinition) ([]string, error) {
	p, err := compile(definition)
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
	return c.InputMapping != nil && len(*c.InputMapping) > 0 || c.OutputMapping != nil && len(*c.OutputMapping) > 0 ||
		len(c.PerWorkerInputMappings) > 0 || len(c.PerWorkerOutputMappings) > 0
}

func isTrue(b *bool) bool { return b != nil && *b }

func refused(format string, args ...any) *refusal.Error {
	return refuse(CodeValidation, fmt.Sprintf(format, args...))
}

func refusedNode(id, format string, args ...any) *refusal.Error {
	return refuse(CodeValidation, fmt.Sprintf("node %q "+format, append([]any{id}, args...)...), "nodeId", id)
}
