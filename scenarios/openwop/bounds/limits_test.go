package bounds

import (
	"encoding/json"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// A bound that a run is to keep is none that the host itself cuts short.
func TestBoundsStayWithinTheLimits(t *testing.T) {
	for text, want := range map[string][2]int{
		`{}`:                                  {5, 9},
		`{"limits":{"maxLoopIterations":3}}`:  {3, 3},
		`{"limits":{"maxLoopIterations":40}}`: {5, 9},
		`{"limits":{"maxLoopIterations":0}}`:  {1, 1},
	} {
		h := host.Host{Conn: &scenarios.Conn{Rand: scenarios.NewDraws(1, "run", "drive"),
			Discovery: scenarios.Discovery{Document: wiretest.Value(t, json.RawMessage(text))}}}
		if got := atMost(h, "maxLoopIterations", 5, 9); got < want[0] || got > want[1] {
			t.Errorf("%s: %d, want %d to %d", text, got, want[0], want[1])
		}
	}
	for text, want := range map[string]bool{
		`{}`: false, `{"limits":{"maxNodeExecutions":8}}`: true, `{"limits":{"maxNodeExecutions":9}}`: false,
	} {
		h := host.Host{Conn: &scenarios.Conn{Discovery: scenarios.Discovery{Document: wiretest.Value(t, json.RawMessage(text))}}}
		if got := nodeLimited(h, 4); got != want {
			t.Errorf("%s: four turns and a node are too many: %t, want %t", text, got, want)
		}
	}
}
