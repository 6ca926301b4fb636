package surface

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/nearest"
)

// The names that Options.Without takes, one for each thing the host says about itself.
const (
	claimExecutionModel  = "executionModel"
	claimStatefulResume  = "statefulResume"
	claimOrchestrator    = "orchestrator"
	claimDispatch        = "dispatch"
	claimDispatchMapping = "dispatchMapping"
	claimAttestation     = "subRunAttestation"
	claimLoopLimit       = "loopLimit"
	claimDurationLimit   = "durationLimit"
	claimNodeLimit       = "nodeLimit"
	claimFixtures        = "fixtures"
	claimReplay          = "replay"
	claimBranch          = "branch"
	claimAncestry        = "ancestry"
	claimPause           = "pause"
	claimBulkCancel      = "bulkCancel"
	claimDiff            = "diff"
	claimInterruptTokens = "interruptTokens"
	claimWorkspace       = "workspace"
	claimMemory          = "memory"
	claimGoals           = "goals"
	claimHeartbeat       = "heartbeat"
	claimCommitments     = "commitments"
	claimVerifier        = "verifier"
	claimVerifierGating  = "verifierGating"
	claimMockAI          = "mockAI"
	claimAgentloopSeam   = "agentloopSeam"
	claimVerifySeam      = "verifySeam"
	claimCacheKeySeam    = "cacheKeySeam"
	claimWorkspaceSeam   = "workspaceSeam"
	claimGoalsSeam       = "goalsSeam"
)

// claim is one row of what the host can say about itself.
type claim struct {
	name    string
	what    string   // for people, in the banner
	needs   []string // claims without which this one would be a lie
	version int      // the rung of the execution model that brings it; 0: any
}

// claims lists everything that can be left off. Order is the banner's order, and a claim stands after those
// it needs, so that one pass settles them all.
var claims = []claim{
	{name: claimOrchestrator, what: "supervisors (agents.orchestrator)"},
	{name: claimDispatch, what: "child runs by core.dispatch (agents.dispatch)"},
	{name: claimDispatchMapping, what: "input and output mappings of a dispatch (agents.dispatchMapping)", needs: []string{claimDispatch}},
	// The loop is a supervisor that dispatches: without either there is no execution model to speak of.
	{name: claimExecutionModel, what: "multi-agent execution model", needs: []string{claimOrchestrator, claimDispatch}},
	{name: claimAttestation, what: "a checksum of what a child put out (agents.subRunAttestation)",
		needs: []string{claimExecutionModel, claimDispatchMapping}},
	{name: claimStatefulResume, what: "a suspended loop resumes in the same iteration (statefulResume)",
		needs: []string{claimExecutionModel}, version: 5},
	{name: claimLoopLimit, what: "limits.maxLoopIterations", needs: []string{claimExecutionModel}},
	{name: claimDurationLimit, what: "limits.maxRunDurationMs"},
	{name: claimNodeLimit, what: "limits.maxNodeExecutions"},
	{name: claimFixtures, what: "fixture workflows"},
	{name: claimReplay, what: "forks in mode replay"},
	{name: claimBranch, what: "forks in mode branch", needs: []string{claimReplay}},
	{name: claimAncestry, what: "which run dispatched a run (ancestryEndpointSupported)", needs: []string{claimExecutionModel}, version: 3},
	// Discovery has no word for these three; what is left off answers 501.
	{name: claimPause, what: "runs that are paused and go on"},
	{name: claimBulkCancel, what: "several runs cancelled by one request"},
	{name: claimDiff, what: "two runs compared"},
	{name: claimInterruptTokens, what: "signed tokens that answer an interrupt (interruptToken)"},
	{name: claimWorkspace, what: "files that runs share (workspace)"},
	{name: claimMemory, what: "entries that runs remember (memory)"},
	{name: claimGoals, what: "standing goals (agents.goals)"},
	// Nothing but its seam has a heartbeat look, so it is one claim with it.
	{name: claimHeartbeat, what: "heartbeats, by the seam POST /v1/host/sample/heartbeat/tick"},
	// Only goals go on by commitments, and only the seam sees that one is fulfilled.
	{name: claimCommitments, what: "commitments (agents.commitments), and the seam POST /v1/host/sample/commitment/fire",
		needs: []string{claimGoals}},
	{name: claimVerifier, what: "results that are verified before they count (verifier)", needs: []string{claimExecutionModel}, version: 6},
	{name: claimVerifierGating, what: "verdicts that decide whether they do (verifier.gating)", needs: []string{claimVerifier}, version: 6},
	{name: claimMockAI, what: "a model that answers as programmed, by the seam POST /v1/host/sample/test/mock-ai/program"},
	{name: claimAgentloopSeam, what: "the seam POST /v1/host/sample/agentloop/run", needs: []string{claimExecutionModel}},
	{name: claimVerifySeam, what: "the seam POST /v1/host/sample/agents/verify-run", needs: []string{claimVerifier,
		claimDispatchMapping}, version: 6},
	{name: claimCacheKeySeam, what: "the seam POST /v1/host/sample/test/llm-cache-key", needs: []string{claimExecutionModel}, version: 4},
	{name: claimWorkspaceSeam, what: "the seam POST /v1/host/sample/workspace/op", needs: []string{claimWorkspace}},
	{name: claimGoalsSeam, what: "the seams POST /v1/host/sample/goals/{goalId}/tick and GET .../events", needs: []string{claimGoals}},
}

// claimed is the set of claims that a host makes.
type claimed map[string]bool

// settle says what is claimed at a version of the execution model (1 to 6) when some claims are left off.
// What needs a claim that is left off goes with it.
func settle(version int, without []string) (claimed, error) {
	for _, name := range without {
		if !slices.ContainsFunc(claims, func(c claim) bool { return c.name == name }) {
			return nil, fmt.Errorf("leave off claim %q: there is no such claim%s The claims are %s", name, meant(name),
				strings.Join(ClaimNames(), ", "))
		}
	}
	made := claimed{}
	for _, c := range claims {
		made[c.name] = version >= c.version && !slices.Contains(without, c.name) &&
			!slices.ContainsFunc(c.needs, func(need string) bool { return !made[need] })
	}
	return made, nil
}

// ClaimNames lists the names that Options.Without takes.
func ClaimNames() []string {
	names := make([]string, len(claims))
	for i, c := range claims {
		names[i] = c.name
	}
	return names
}

// Claims says for people what this host claims, one line a claim, in the order of the table.
func (h *Host) Claims() []string {
	var lines []string
	for _, c := range claims {
		switch {
		case !h.claimed[c.name]:
		case c.name == claimExecutionModel:
			lines = append(lines, fmt.Sprintf("%s, version %d", c.what, h.opts.Version))
		case c.name == claimFixtures:
			lines = append(lines, fmt.Sprintf("%d %s", len(h.fixtures), c.what))
		default:
			lines = append(lines, c.what)
		}
	}
	return lines
}

// meant asks whether the nearest claim was meant.
func meant(name string) string {
	if near := nearest.Name(name, ClaimNames()); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "."
}
