package openwop

import (
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
)

// Fixture workflows, ours and upstream's.
const (
	fixtureLoop        = "assay-loop"
	fixtureLoopAskUser = "assay-loop-ask-user"
	fixtureNoop        = "conformance-noop"
	fixtureHandoff     = "conformance-multi-agent-handoff"
	fixtureHandoffKid  = "conformance-multi-agent-handoff-child"
	fixtureDispatch    = "conformance-orchestrator-dispatch"
)

const loadFixtures = "load the fixtures into the host (assay fixtures export DIR writes them) and list them under /fixtures"

// plan is a supervisor's script: one decision a turn.
type plan []any

func nextWorker(worker string) any {
	return openwopv1.NextWorkerDecision{Kind: openwopv1.NextWorkerDecisionKindNextWorker, NextWorkerIds: []string{worker}}
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

// kinds are the decision kinds of a plan, as a log should show them.
func (p plan) kinds() []any {
	out := make([]any, len(p))
	for i, d := range p {
		switch d.(type) {
		case openwopv1.NextWorkerDecision:
			out[i] = string(openwopv1.NextWorkerDecisionKindNextWorker)
		case openwopv1.AskUserDecision:
			out[i] = string(openwopv1.AskUserDecisionKindAskUser)
		case openwopv1.TerminateDecision:
			out[i] = string(openwopv1.TerminateDecisionKindTerminate)
		}
	}
	return out
}

// scripted is a way to run a loop whose turns are known beforehand.
type scripted struct {
	Fixture string
	Plan    plan // nil where the fixture's own script counts
	Kinds   []any
}

func (s scripted) turns() int { return len(s.Kinds) }

func (s scripted) request(bound *int64) openwopv1.CreateRunRequest {
	r := openwopv1.CreateRunRequest{WorkflowID: s.Fixture}
	if s.Plan != nil {
		r.Inputs = map[string]any{"plan": s.Plan}
	}
	if bound != nil {
		r.Configurable = &openwopv1.Configurable{MaxLoopIterations: bound}
	}
	return r
}

// loopOf is the strongest way to run a loop that the host offers: ours with
// so many turns, else upstream's with the two turns it has. ok is false when
// neither is on offer.
func (h host) loopOf(turns int) (s scripted, ok bool) {
	switch {
	case h.offers(fixtureLoop, fixtureNoop):
		p := h.loopPlan(turns)
		return scripted{fixtureLoop, p, p.kinds()}, true
	case h.offers(fixtureHandoff, fixtureHandoffKid):
		return scripted{Fixture: fixtureHandoff, Kinds: []any{"next-worker", "terminate"}}, true
	case h.offers(fixtureDispatch, fixtureNoop):
		return scripted{Fixture: fixtureDispatch, Kinds: []any{"next-worker", "terminate"}}, true
	}
	return scripted{}, false
}

// between draws a whole number from least to most.
func (h host) between(least, most int) int { return least + h.Rand.IntN(most-least+1) }

// marker is a value that nothing but this drive can have sent.
func (h host) marker() string { return fmt.Sprintf("m%016x", h.Rand.Uint64()) }
