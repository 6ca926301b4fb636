package openwop

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
)

// Fixture workflows, ours and upstream's.
const (
	fixtureLoop        = "assay-loop"
	fixtureLoopAskUser = "assay-loop-ask-user"
	fixtureNoop        = "conformance-noop"
	fixtureHandoff     = "conformance-multi-agent-handoff"
	fixtureHandoffKid  = "conformance-multi-agent-handoff-child"
	fixtureDispatch    = "conformance-orchestrator-dispatch"
	fixtureTerminate   = "conformance-orchestrator-terminate"
	fixtureLoopWaits   = "assay-loop-waits" //nolint:gosec // the id of a workflow, not a credential
	fixtureReject      = "assay-loop-reject"
	fixtureAlone       = "assay-dispatch-alone"
	fixtureMapped      = "assay-loop-mapped"
	fixtureVerified    = "assay-loop-verified"
	fixtureDivergence  = "conformance-phase4-replay-divergence"
	fixtureNondet      = "conformance-phase4-nondet-tool"
	fixtureEcho        = "assay-echo"
	fixtureRandom      = "assay-random"
	fixtureEchoAgain   = "assay-echo-again"
	fixtureMemory      = "assay-loop-memory"
	fixtureMemoryOne   = "assay-memory-worker"
	fixtureMemoryTwo   = "assay-memory-worker-again"
	fixtureMemoryFails = "assay-memory-worker-fails"
	fixtureFail        = "conformance-dispatch-deterministic-fail-child"
	fixtureWait        = "conformance-dispatch-cancellable-child"
)

const loadFixtures = "load the fixtures into the host (assay fixtures export DIR writes them) and list them under /fixtures"

// plan is a supervisor's script: one decision a turn.
type plan []any

func nextWorker(workers ...string) any {
	return openwopv1.NextWorkerDecision{Kind: openwopv1.NextWorkerDecisionKindNextWorker, NextWorkerIds: workers}
}

func askUser(prompt string) any {
	return openwopv1.AskUserDecision{Kind: openwopv1.AskUserDecisionKindAskUser, Prompt: prompt}
}

func terminate(reason string) any {
	return openwopv1.TerminateDecision{Kind: openwopv1.TerminateDecisionKindTerminate, Reason: reason}
}

// loopPlan dispatches n-1 times and then ends: n turns.
func (h host) loopPlan(n int) plan {
	p := make(plan, 0, n)
	for range n - 1 {
		p = append(p, nextWorker(fixtureNoop))
	}
	return append(p, terminate(h.Name("done")))
}

// scripted is a way to run a loop whose turns are known beforehand.
type scripted struct {
	Fixture string
	Plan    plan // what the log must show; sent along where Chosen
	Chosen  bool // the plan was made for this run, and is not the fixture's own
}

func (s scripted) turns() int { return len(s.Plan) }

func (s scripted) request(bound *int64) openwopv1.CreateRunRequest {
	r := openwopv1.CreateRunRequest{WorkflowID: s.Fixture}
	if s.Chosen {
		r.Inputs = map[string]any{"plan": s.Plan}
	}
	if bound != nil {
		r.Configurable = &openwopv1.Configurable{MaxLoopIterations: bound}
	}
	return r
}

// decisions are the plan as a log should show it.
func (s scripted) decisions() []any {
	raw, err := json.Marshal(s.Plan)
	if err != nil {
		panic("a plan of ours does not encode: " + err.Error())
	}
	var out []any
	if err := json.Unmarshal(raw, &out); err != nil {
		panic("a plan of ours does not decode: " + err.Error())
	}
	return out
}

// loopOf is the strongest way to run a loop that the host offers: ours with a
// random number of turns from least to most, else upstream's with the two turns
// it has. spare is how many turns of bound the drive needs beyond the loop's own.
func (h host) loopOf(least, most, spare int) (scripted, error) {
	ceiling, why := h.ceiling()
	switch {
	case h.offers(fixtureLoop, fixtureNoop) && ceiling-spare >= least:
		return scripted{fixtureLoop, h.loopPlan(h.between(least, min(most, ceiling-spare))), true}, nil
	case ceiling-spare < 2:
		return scripted{}, scenarios.Block("the host lets no loop take enough turns: "+why, "advertise higher limits while the host is certified")
	case h.offers(fixtureHandoff, fixtureHandoffKid):
		return scripted{fixtureHandoff, plan{nextWorker(fixtureHandoffKid), terminate("goal-reached")}, false}, nil
	case h.offers(fixtureDispatch, fixtureNoop):
		return scripted{fixtureDispatch, plan{nextWorker(fixtureNoop), terminate("goal-reached")}, false}, nil
	}
	return scripted{}, scenarios.Block("no loop fixture is on offer", loadFixtures)
}

// ceiling is how many turns the host's own limits allow a loop, and which limit
// says so. A turn costs a supervisor node and, but for the last, a dispatch node.
func (h host) ceiling() (turns int, why string) {
	limits := family(h.Discovery, "limits")
	turns, why = mostTurns, "no limit"
	if n, ok := limits.Key("maxLoopIterations").Int(); ok && n < int64(turns) {
		turns, why = int(n), fmt.Sprintf("limits.maxLoopIterations is %d", n)
	}
	if n, ok := limits.Key("maxNodeExecutions").Int(); ok && (n+1)/2 < int64(turns) {
		turns, why = int((n+1)/2), fmt.Sprintf("limits.maxNodeExecutions is %d", n)
	}
	return turns, why
}

// fixedScript is told where a loop could not be chosen at random.
const fixedScript = "driven by upstream's fixture with its fixed two turns: canned answers for it could pass; offer assay-loop to have the turns chosen at random"

// between draws a whole number from least to most.
func (h host) between(least, most int) int { return least + h.Rand.IntN(most-least+1) }

// marker is a value that nothing but this drive can have sent.
func (h host) marker() string { return fmt.Sprintf("m%016x", h.Rand.Uint64()) }

// name is a marker that no other certification uses, one with the same seed
// included: for what stays on a host and is looked for there.
func (h host) name() string {
	sum := fnv.New64a()
	io.WriteString(sum, h.Name("name")) // a hash takes everything
	return fmt.Sprintf("m%016x", sum.Sum64())
}
