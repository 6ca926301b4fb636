package surface

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"sync"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/serving/contract"
)

const (
	protocolVersion       = "1.1"
	eventLogSchemaVersion = 2
	discoveryCacheControl = "public, max-age=300"
)

// document is a JSON document that is the same for every request.
type document struct {
	body   []byte
	header map[string]string
}

func (d document) send(w http.ResponseWriter) error {
	for name, value := range d.header {
		w.Header().Set(name, value)
	}
	_, _ = w.Write(d.body) // nothing is left to tell a client that went away
	return nil
}

// VisitGetCapabilitiesResponse makes a document a reply of the generated server.
func (d document) VisitGetCapabilitiesResponse(w http.ResponseWriter) error { return d.send(w) }

// VisitGetOpenAPISpecResponse makes a document a reply of the generated server.
func (d document) VisitGetOpenAPISpecResponse(w http.ResponseWriter) error { return d.send(w) }

// GetCapabilities serves discovery.
func (h *Host) GetCapabilities(context.Context, openwopv1.GetCapabilitiesRequestObject) (openwopv1.GetCapabilitiesResponseObject, error) {
	return h.discovery, nil
}

// GetOpenAPISpec serves the contract that the host was generated from.
func (h *Host) GetOpenAPISpec(context.Context, openwopv1.GetOpenAPISpecRequestObject) (openwopv1.GetOpenAPISpecResponseObject, error) {
	return h.contract, nil
}

// discover encodes what this host claims. Families stand at the root (RFC 0073).
func (h *Host) discover() (document, error) {
	body, err := json.Marshal(h.capabilities())
	if err != nil {
		return document{}, fmt.Errorf("encode the discovery document: %w", err)
	}
	return document{body: body, header: map[string]string{
		"Content-Type":      mediaJSON,
		"Cache-Control":     discoveryCacheControl,
		"Capabilities-Etag": `"` + digest(string(body)) + `"`,
	}}, nil
}

func (h *Host) capabilities() openwopv1.Capabilities {
	c := openwopv1.Capabilities{
		ProtocolVersion: protocolVersion,
		// A supervisor's question to a person is the one envelope that this host knows.
		SupportedEnvelopes:    []string{"clarification.request"},
		SchemaVersions:        map[string]int64{"clarification.request": 1},
		Limits:                h.advertisedLimits(),
		Implementation:        &openwopv1.Implementation{Name: &h.opts.Name, Version: &h.opts.Release, Vendor: new("openassay")},
		SupportedTransports:   []openwopv1.CapabilitiesSupportedTransportsItem{openwopv1.CapabilitiesSupportedTransportsItemRest},
		EventLogSchemaVersion: new(int64(eventLogSchemaVersion)),
		Agents: &openwopv1.AgentsCapability{
			Supported:         new(h.claimed[claimOrchestrator] || h.claimed[claimGoals]),
			Orchestrator:      new(h.claimed[claimOrchestrator]),
			Dispatch:          new(h.claimed[claimDispatch]),
			DispatchMapping:   new(h.claimed[claimDispatchMapping]),
			SubRunAttestation: new(h.claimed[claimAttestation]),
			Commitments:       h.commitments(),
			Goals:             h.goalsCapability(),
		},
		// RFC 0006 and 0007 put these two at the root, the schema of discovery below agents. Hosts do either; this
		// one does both, so that a reader of either kind finds them.
		Orchestrator: &openwopv1.OrchestratorCapability{
			Supported:       new(h.claimed[claimOrchestrator]),
			FanOutSupported: new(h.claimed[claimOrchestrator] && h.claimed[claimDispatch]),
		},
		Dispatch:  h.dispatch(),
		Workspace: h.workspaceCapability(),
		Memory:    h.memoryCapability(),
	}
	if h.claimed[claimExecutionModel] {
		c.MultiAgent = &openwopv1.MultiAgentCapability{ExecutionModel: h.executionModel()}
	}
	if h.claimed[claimReplay] {
		c.Replay = &openwopv1.ReplayCapability{Supported: new(true), Modes: []string{string(openwopv1.ForkModeReplay)}}
		if h.claimed[claimBranch] {
			c.Replay.Modes = append(c.Replay.Modes, string(openwopv1.ForkModeBranch))
		}
	}
	if h.claimed[claimFixtures] {
		c.Fixtures = h.fixtures
	}
	if h.claimed[claimMockAI] {
		c.Testing = &openwopv1.TestingCapability{MockProviders: []string{"mock"}}
	}
	if h.claimed[claimHeartbeat] {
		c.Heartbeat = &openwopv1.HeartbeatCapability{Supported: true}
	}
	return c
}

// executionModel is the ladder up to the host's version; a version claims every rung below it too.
func (h *Host) executionModel() *openwopv1.ExecutionModel {
	version := h.opts.Version
	m := &openwopv1.ExecutionModel{Supported: true, Version: int64(version)}
	if version >= 2 { // RFC 0039, RFC 0044
		m.ConfidenceEscalationFloor, m.ConfidenceEscalationInterruptKind = &h.opts.ConfidenceFloor, &h.opts.EscalationInterrupt
		if h.claimed[claimMemory] {
			m.CrossChildMemoryConcurrency = openwopv1.ExecutionModelCrossChildMemoryConcurrencyStrict
		}
	}
	if version >= 3 { // RFC 0040
		m.CrossHostCausation = &openwopv1.CrossHostCausation{Supported: true, HostID: h.opts.HostID,
			AncestryEndpointSupported: new(h.claimed[claimAncestry])}
	}
	if version >= 4 { // RFC 0041
		m.ReplayDeterminism = &openwopv1.ReplayDeterminism{Supported: true, LlmCacheKeyRecipe: new(cacheKeyRecipe),
			RefusalDivergenceEmission: new(true)}
	}
	if version >= 5 { // RFC 0061
		m.StatefulResume = new(h.claimed[claimStatefulResume])
	}
	if h.claimed[claimVerifier] { // RFC 0090
		m.Verifier = &openwopv1.VerifierCapability{Supported: true, Gating: new(h.claimed[claimVerifierGating])}
	}
	if h.opts.ExperimentalUntil != "" {
		m.Tier, m.ExperimentalUntil = openwopv1.ExecutionModelTierExperimental, &h.opts.ExperimentalUntil
	}
	return m
}

// dispatch says how workers are dispatched, where they are.
func (h *Host) dispatch() *openwopv1.DispatchCapability {
	d := &openwopv1.DispatchCapability{Supported: new(h.claimed[claimDispatch])}
	if h.claimed[claimDispatch] {
		d.Models = []string{"child-run"}
		d.FanOutSupported = new(true)
		d.FanOutPolicies = []string{"sequential", "reject"}
		d.AskUserRoutings = []string{"auto", "clarification"}
	}
	return d
}

// workspaceCapability says what the files are bounded by (RFC 0059); nil where there are none.
func (h *Host) workspaceCapability() *openwopv1.WorkspaceCapability {
	if !h.claimed[claimWorkspace] {
		return nil
	}
	return &openwopv1.WorkspaceCapability{
		Supported:    true,
		Versioned:    new(true),
		MaxFileBytes: new(int64(h.opts.MaxFileBytes)),
		MaxFiles:     new(int64(h.opts.MaxFiles)),
		MaxVersions:  new(int64(h.opts.MaxVersions)),
	}
}

// memoryCapability says what runs remember with; nil where they do not.
func (h *Host) memoryCapability() *openwopv1.MemoryCapability {
	if !h.claimed[claimMemory] {
		return nil
	}
	return &openwopv1.MemoryCapability{
		Supported:         new(true),
		MaxEntrySizeBytes: new(int64(memory.DefaultMaxEntryBytes)),
		TTLSupported:      new(true),
		Attribution:       &openwopv1.MemoryAttribution{Supported: true, EmitsWriteEvents: new(true)},
	}
}

// goalsCapability says how goals are judged and continued (RFC 0097); nil where there are none.
func (h *Host) goalsCapability() *openwopv1.GoalsCapability {
	if !h.claimed[claimGoals] {
		return nil
	}
	modes := []openwopv1.GoalsCapabilityContinuationItem{openwopv1.GoalsCapabilityContinuationItemManual,
		openwopv1.GoalsCapabilityContinuationItemSchedule}
	if h.claimed[claimHeartbeat] {
		modes = append(modes, openwopv1.GoalsCapabilityContinuationItemHeartbeat)
	}
	if h.claimed[claimCommitments] {
		modes = append(modes, openwopv1.GoalsCapabilityContinuationItemCommitment)
	}
	return &openwopv1.GoalsCapability{
		Judge: openwopv1.GoalsCapabilityJudge(h.opts.GoalJudge), Continuation: modes, RequiresBounds: new(true),
	}
}

// commitments says when a commitment is fired (RFC 0068); nil where there are none.
func (h *Host) commitments() *openwopv1.Commitments {
	if !h.claimed[claimCommitments] {
		return nil
	}
	return &openwopv1.Commitments{Supported: true, FireConditions: []openwopv1.CommitmentsFireConditionsItem{
		openwopv1.CommitmentsFireConditionsItemTime, openwopv1.CommitmentsFireConditionsItemPredicate,
	}}
}

// advertisedLimits are those that are enforced, so they follow limits().
func (h *Host) advertisedLimits() openwopv1.Limits {
	enforced := h.limits()
	l := openwopv1.Limits{
		// A question is a turn of a loop, so the bound on turns bounds questions too; 0 model outputs are asked for
		// again, since no model is behind this host; a turn is one decision.
		ClarificationRounds: int64(h.opts.MaxLoopIterations),
		SchemaRounds:        0,
		EnvelopesPerTurn:    1,
		MaxRequestBodyBytes: new(int64(contract.MaxBody)),
	}
	if n := enforced.MaxLoopIterations; n > 0 {
		l.MaxLoopIterations = new(int64(n))
	}
	if n := enforced.MaxNodeExecutions; n > 0 {
		l.MaxNodeExecutions = new(int64(n))
	}
	if d := enforced.MaxRunDuration; d > 0 {
		l.MaxRunDurationMs = new(d.Milliseconds())
	}
	return l
}

// bundle is what comes with the contract and is the same for every host. Nobody changes it.
type bundle struct {
	document   []byte
	schemas    *validate.Set
	operations contract.Operations
	fixtures   workflows
}

// readBundle reads the contract, once a process: to compile its schemas takes longer than all else that a host needs to start.
var readBundle = sync.OnceValues(func() (*bundle, error) {
	b := &bundle{document: openwopv1.Bundled()}
	var err error
	if b.schemas, err = validate.Embedded(b.document); err != nil {
		return nil, err
	}
	if b.operations, err = contract.Read(b.document, b.schemas, judgedLater); err != nil {
		return nil, err
	}
	files, err := fs.Sub(openwopv1.Fixtures, "fixtures")
	if err != nil {
		return nil, fmt.Errorf("load workflows: %w", err)
	}
	schema, err := workflowSchema(b.schemas)
	if err != nil {
		return nil, err
	}
	b.fixtures = newWorkflows()
	return b, b.fixtures.read(files, "fixtures", schema)
})
