package host_test

import (
	"encoding/json"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func advertising(t *testing.T, text string) host.Host {
	t.Helper()
	return host.Host{Conn: &scenarios.Conn{Discovery: scenarios.Discovery{Document: wiretest.Value(t, json.RawMessage(text))},
		Rand: scenarios.NewDraws(1, "run", "drive")}}
}

// Loops take no more turns than the limits of the host let them.
func TestLoopsStayWithinTheLimits(t *testing.T) {
	for text, want := range map[string]int{
		`{}`:                                 host.MostTurns,
		`{"limits":{"maxLoopIterations":4}}`: 4,
		`{"limits":{"maxNodeExecutions":7}}`: 4,
		`{"limits":{"maxNodeExecutions":6,"maxLoopIterations":5}}`:       3,
		`{"limits":{"maxNodeExecutions":1000,"maxLoopIterations":1000}}`: host.MostTurns,
	} {
		if got, why := advertising(t, text).Ceiling(); got != want {
			t.Errorf("%s: %d turns (%s), want %d", text, got, why, want)
		}
	}
}

// A goal goes on in a mode that the host lists, and a run is paused by a policy that it lists.
func TestWordsAreThoseOfTheHostsLists(t *testing.T) {
	for text, want := range map[string]dialect.GoalContinuationMode{
		`{"agents":{"goals":{"continuation":["schedule","manual"]}}}`:      dialect.GoalContinuationModeManual,
		`{"agents":{"goals":{"continuation":["heartbeat","commitment"]}}}`: dialect.GoalContinuationModeHeartbeat,
	} {
		if got := advertising(t, text).GoalMode(); got != want {
			t.Errorf("%s: goals go on by %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		`{}`: true,
		`{"runs":{"pauseResume":{"drainPolicies":["immediate"]}}}`:          true,
		`{"runs":{"pauseResume":{"drainPolicies":["drain-current-node"]}}}`: false,
		`{"runs":{"pauseResume":{"drainPolicies":[]}}}`:                     false,
	} {
		if _, got := host.Drains(advertising(t, text), dialect.PauseRunRequestDrainPolicyImmediate); got != want {
			t.Errorf("%s: runs are paused at once: %t, want %t", text, got, want)
		}
	}
}
