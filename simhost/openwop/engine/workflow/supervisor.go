package workflow

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// The keys of a supervisor's config and inputs.
const (
	keyPlan       = "mockDispatchPlan"
	keyDecisions  = "mockDecisions"
	KeyPending    = "mockPendingDecision" // the decision of the first turn, where the agent is unsure of it ...
	KeyConfidence = "mockConfidence"      // ... to this degree
	KeyReads      = "mockReads"           // what the turns look at
	KeyWrites     = "mockWrites"          // what each turn writes
	keyNotes      = "mockNotes"           // the variable in which the turns note what they see
	KeyAnswer     = "mockAnswerSchema"    // what a person may answer
)

// The kinds of decision.
const (
	NextWorker = string(openwopv1.NextWorkerDecisionKindNextWorker)
	AskUser    = string(openwopv1.AskUserDecisionKindAskUser)
	Terminate  = string(openwopv1.TerminateDecisionKindTerminate)
)

// hostSupervisor is the agent behind a supervisor that names none.
const hostSupervisor = "assay.supervisor"

// defaultPlan is the script of a supervisor that has none.
var defaultPlan = []any{
	map[string]any{"kind": NextWorker, "nextWorkerIds": []any{"conformance-noop"}},
	map[string]any{"kind": Terminate, "reason": "goal-reached"},
}

// parseDecision reads a decision from a script, strictly: what an event may not say, a script may not either. criteria tells
// whether the criteria of success of a decision to terminate are kept.
func parseDecision(value any, criteria bool) (json.RawMessage, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("a decision is an object with a kind")
	}
	var decision any
	switch head.Kind {
	case NextWorker:
		var d openwopv1.NextWorkerDecision
		if err = strictly(raw, &d); err == nil {
			err = checkWorkers(d)
		}
		decision = d
	case AskUser:
		var d openwopv1.AskUserDecision
		if err = strictly(raw, &d); err == nil && d.Prompt == "" {
			err = fmt.Errorf("prompt must say something")
		}
		decision = d
	case Terminate:
		var d openwopv1.TerminateDecision
		if err = strictly(raw, &d); err == nil {
			err = checkConfidence(d.Confidence)
		}
		if !criteria {
			d.SuccessCriteria = nil
		}
		decision = d
	default:
		err = fmt.Errorf("kind %q: must be %s, %s or %s", head.Kind, NextWorker, AskUser, Terminate)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(decision)
}

func checkWorkers(d openwopv1.NextWorkerDecision) error {
	if len(d.NextWorkerIds) == 0 {
		return fmt.Errorf("nextWorkerIds must name a worker")
	}
	for _, id := range d.NextWorkerIds {
		if id == "" || len(id) > 256 {
			return fmt.Errorf("nextWorkerIds: an id has 1 to 256 characters")
		}
	}
	return checkConfidence(d.Confidence)
}

func checkConfidence(c *float64) error {
	if c != nil && !(*c >= 0 && *c <= 1) {
		return fmt.Errorf("confidence %v: must be 0 to 1", *c)
	}
	return nil
}

// strictly decodes JSON into a struct and refuses keys that the struct has not, spelled as it has them.
func strictly(raw []byte, into any) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	for field := range reflect.TypeOf(into).Elem().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		delete(members, name)
	}
	for name := range members {
		return fmt.Errorf("unknown field %q", name)
	}
	return json.Unmarshal(raw, into)
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// readLoop reads what the nodes of the loop are configured to do.
func (p *Program) readLoop() error {
	if p.Loop == len(p.Nodes) {
		return nil
	}
	supervisor, dispatcher := p.Supervisor(), p.Dispatcher()
	p.Agent = openwopv1.AgentRef{AgentID: hostSupervisor}
	if supervisor.Agent != nil {
		p.Agent = *supervisor.Agent
	}
	if n := len(p.Agent.AgentID); n < 3 || n > 256 {
		return refusedNode(supervisor.ID, "agent.agentId has %d characters: must be 3 to 256", n)
	}
	for key := range supervisor.Config {
		switch key {
		case keyPlan, keyDecisions, KeyPending, KeyConfidence, KeyReads, KeyWrites, keyNotes, KeyAnswer, KeyVerdicts:
		default:
			return refusedNode(supervisor.ID, "config.%s is nothing a supervisor here knows", key)
		}
	}
	if c, set := supervisor.Config[KeyConfidence]; set {
		if f, ok := c.(float64); !ok || checkConfidence(&f) != nil {
			return refusedNode(supervisor.ID, "config.%s must be a number from 0 to 1", KeyConfidence)
		}
	}
	if err := first(p.readNotes(supervisor), p.readAnswerSchema(supervisor)); err != nil {
		return err
	}
	raw, err := json.Marshal(dispatcher.Config)
	if err == nil {
		err = strictly(raw, &p.Dispatch)
	}
	switch c := p.Dispatch; {
	case err != nil:
		return refusedNode(dispatcher.ID, "config: %v", err)
	case c.AskUserRouting == openwopv1.DispatchConfigAskUserRoutingConversation:
		return refusedNode(dispatcher.ID, "config.askUserRouting: this host holds no conversations: use clarification or auto")
	case c.AskUserRouting != "" && !c.AskUserRouting.Valid():
		return refusedNode(dispatcher.ID, "config.askUserRouting: %q is no routing", c.AskUserRouting)
	case c.FanOutPolicy != "" && !c.FanOutPolicy.Valid():
		return refusedNode(dispatcher.ID, "config.fanOutPolicy: must be sequential or reject, not %q", c.FanOutPolicy)
	case c.WorkerDispatchModel != "" && !c.WorkerDispatchModel.Valid():
		return refusedNode(dispatcher.ID, "config.workerDispatchModel: must be child-run, not %q", c.WorkerDispatchModel)
	case c.IterationCap != nil:
		return refusedNode(dispatcher.ID, "config.iterationCap: this host bounds loops by configurable.maxLoopIterations only")
	}
	return nil
}

// Script is what the supervisor is to decide, turn by turn, and where that stands, for error messages. values are those at
// the supervisor's ports.
func (p *Program) Script(values map[string]any) (plan []any, where string, err error) {
	config := p.Supervisor().Config
	for _, source := range []struct {
		where string
		value any
	}{
		{"input " + keyPlan, values[keyPlan]},
		{"config." + keyPlan, config[keyPlan]},
		{"config." + keyDecisions, config[keyDecisions]},
	} {
		if source.value == nil {
			continue
		}
		plan, ok := source.value.([]any)
		if !ok {
			return nil, source.where, fmt.Errorf("must be an array of decisions")
		}
		return plan, source.where, nil
	}
	if pending, ok := config[KeyPending]; ok {
		return []any{pending}, "config." + KeyPending, nil
	}
	return defaultPlan, "the default plan", nil
}

// Consult asks the supervisor for its next decision; consulted is how many it gave before.
func (p *Program) Consult(values map[string]any, consulted int, criteria bool) (json.RawMessage, error) {
	plan, where, err := p.Script(values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	if consulted >= len(plan) {
		return parseDecision(map[string]any{"kind": Terminate, "reason": "script-exhausted"}, criteria)
	}
	wire, err := parseDecision(plan[consulted], criteria)
	if err != nil {
		return wire, fmt.Errorf("%s[%d]: %w", where, consulted, err)
	}
	return wire, nil
}

// MapsBack tells whether there is an output mapping for any worker.
func (p *Program) MapsBack() bool {
	return p.Dispatch.OutputMapping != nil || len(p.Dispatch.PerWorkerOutputMappings) > 0
}

// AnswerVariable takes the answer to the question of a clarification.
const AnswerVariable = "answer"

// Question is the id of the one question that a clarification of this engine asks.
const Question = "q1"

// readNotes reads which variable the turns note in what they see.
func (p *Program) readNotes(supervisor *Node) error {
	value, set := supervisor.Config[keyNotes]
	if !set {
		return nil
	}
	name, _ := value.(string)
	switch v, declared := p.variables[name]; {
	case !declared || v.Type != openwopv1.WorkflowVariableTypeArray:
		return refusedNode(supervisor.ID, "config.%s must name a variable of type array", keyNotes)
	case name == AnswerVariable:
		return refusedNode(supervisor.ID, "config.%s: variable %q takes the answers of people", keyNotes, AnswerVariable)
	}
	p.Notes = name
	return nil
}

// KeyVerdicts is the port or config that says what a supervisor's verifier finds, result by result.
const KeyVerdicts = "mockVerdicts"

// maxVerdicts bounds the script of a verifier, and maxCriteria the keys in one of its verdicts.
const (
	maxVerdicts = 256
	maxCriteria = 64
)

// verdict is what a verifier finds in one result.
type verdict struct {
	Verdict    event.Verdict `json:"verdict"`
	Criteria   []string      `json:"criteria"`
	Confidence *float64      `json:"confidence"`
}

// ParseVerdicts reads the script of a verifier: an array of {"verdict": ..., "criteria": [...], "confidence": ...}.
func ParseVerdicts(script any) ([]verdict, *Misfit) {
	if script == nil {
		return nil, nil
	}
	list, ok := script.([]any)
	if !ok || len(list) > maxVerdicts {
		return nil, misfits("", "must be an array of at most %d verdicts", maxVerdicts)
	}
	verdicts := make([]verdict, len(list))
	for i, value := range list {
		raw, err := json.Marshal(value)
		if err == nil {
			err = strictly(raw, &verdicts[i])
		}
		v := verdicts[i]
		switch {
		case err != nil:
			return nil, misfits(Index(i), "must be {verdict, criteria, confidence}: %v", err)
		case !v.Verdict.Valid():
			return nil, misfits(Index(i)+".verdict", "must be pass, fail or revise")
		case checkConfidence(v.Confidence) != nil:
			return nil, misfits(Index(i)+".confidence", "must be 0 to 1")
		case len(v.Criteria) > maxCriteria || slices.ContainsFunc(v.Criteria, func(key string) bool { return key == "" || len(key) > maxName }):
			return nil, misfits(Index(i)+".criteria", "must be at most %d keys of 1 to %d bytes", maxCriteria, maxName)
		case len(slices.Compact(slices.Sorted(slices.Values(v.Criteria)))) < len(v.Criteria):
			return nil, misfits(Index(i)+".criteria", "names a key twice")
		}
	}
	return verdicts, nil
}

// checkVerdicts reads the verifier's script as it stands when the run begins.
func (p *Program) checkVerdicts(inputs map[string]any) error {
	script, field := p.scripted(KeyVerdicts, inputs)
	if _, wrong := ParseVerdicts(script); wrong != nil {
		return p.refuseScript(KeyVerdicts, field, wrong)
	}
	return nil
}
