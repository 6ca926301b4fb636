package goal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// The node of assay-goal-work whose outputs are the verdict.
const verdictNode = "work"

// Verifier is the one verifier of a host that judges by verifiers. A run that it passes has reached the objective; to fail
// it, or to ask that it be revised, is a verdict that it has not.
const Verifier = "goal-verifier"

// checkJudge refuses judges that this host does not have.
func (g *Goals) checkJudge(judge openwopv1.GoalCompletionRequest) error {
	switch {
	case !g.o.Rules.Takes("completion.check", judge.Check == g.o.Judge):
		return invalid("completion.check", "this host has one judge: set it to %q, as discovery has it under agents.goals.judge", g.o.Judge)
	case judge.VerifierRef == nil:
	case judge.Check == openwopv1.GoalCheckHost:
		return invalid("completion.verifierRef", "this host has no verifiers: leave it off")
	case *judge.VerifierRef != Verifier:
		return invalid("completion.verifierRef", "this host has one verifier: leave it off, or set it to %q", Verifier)
	}
	return nil
}

// named is a judge with the name of the verifier, where it is one.
func named(judge openwopv1.GoalCompletionRequest) openwopv1.GoalCompletionRequest {
	if judge.Check == openwopv1.GoalCheckVerifier {
		judge.VerifierRef = new(Verifier)
	}
	return judge
}

// settled waits until a run has ended or waits for somebody, and returns it as it then stands.
func (g *Goals) settled(ctx context.Context, runID string) (s openwopv1.RunSnapshot, err error) {
	for {
		if err = g.o.Runs.Await(ctx, runID); err != nil {
			return s, err
		}
		if s, err = g.o.Runs.Snapshot(ctx, runID); err != nil || ended(s.Status) || suspended(s.Status) {
			return s, err
		}
		// Somebody has answered between the two.
	}
}

func ended(status openwopv1.RunStatus) bool {
	switch status {
	case openwopv1.RunStatusCompleted, openwopv1.RunStatusFailed, openwopv1.RunStatusCancelled:
		return true
	}
	return false
}

func suspended(status openwopv1.RunStatus) bool {
	switch status {
	case openwopv1.RunStatusWaitingApproval, openwopv1.RunStatusWaitingInput, openwopv1.RunStatusWaitingExternal:
		return true
	}
	return false
}

// judge looks at a run that is settled; nil for one that waits for a person. What a run that completed says of itself counts
// where it is of the right kind; a run that did not complete says nothing.
func (g *Goals) judge(s openwopv1.RunSnapshot) (*verdict, error) {
	v := &verdict{RunID: s.RunID}
	switch {
	case suspended(s.Status):
		return nil, nil
	case s.Status != openwopv1.RunStatusCompleted:
		return v, nil
	}
	raw, err := json.Marshal(s.NodeStates[verdictNode])
	if err != nil {
		return nil, fmt.Errorf("judge run %s: %w", s.RunID, err)
	}
	var node struct {
		Outputs map[string]any `json:"outputs"`
	}
	if err := json.Unmarshal(raw, &node); err != nil {
		return nil, fmt.Errorf("judge run %s: %w", s.RunID, err)
	}
	if confidence, ok := node.Outputs["confidence"].(float64); ok && confidence >= 0 && confidence <= 1 {
		v.Confidence = &confidence
	}
	satisfied, _ := node.Outputs["satisfied"].(bool)
	v.Satisfied = g.o.Rules.Satisfies(satisfied, v.Confidence)
	if cost, ok := node.Outputs["costUsd"].(float64); ok && cost > 0 {
		v.CostUSD = cost
	}
	return v, nil
}

// ending is the state in which this verdict ends the goal, "" where it goes on.
func (s *state) ending(v verdict, at time.Time) openwopv1.GoalState {
	spent := rules.Spent{Mode: s.Continuation.Mode, Runs: s.iterations + 1, CostUSD: s.cost + v.CostUSD, Bounds: s.Bounds, Late: s.late(at),
		Stuck: s.stuck != "" && v.RunID == s.stuck}
	switch {
	case v.Satisfied:
		return openwopv1.GoalStateSatisfied
	case s.rules.Exceeds(spent):
		return openwopv1.GoalStateBoundExceeded
	}
	return ""
}
