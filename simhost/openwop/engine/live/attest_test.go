package live

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/gowebpki/jcs"

	"github.com/openassay/assay/simhost/openwop/engine/event"
)

func TestHarvestIsAttested(t *testing.T) {
	for _, attests := range []bool{false, true} {
		h := newHost(t, func(o *Options) { o.Attests = attests })
		id := h.begin(Create{WorkflowID: "conformance-multi-agent-handoff"})
		h.settled(id)
		h.restart()
		fork, err := h.Fork(soon(t), id, Fork{Mode: "replay"})
		if err != nil {
			t.Fatal(err)
		}
		h.settled(fork.RunID)
		want := ""
		for _, runID := range []string{id, fork.RunID} {
			child, sum := harvestOf(t, h, runID)
			if attests && runID == id {
				want = sumOfOutputs(t, h, child)
			}
			if sum != want {
				t.Errorf("attests %v: run %s has the checksum %q, want %q", attests, runID, sum, want)
			}
		}
	}
}

// harvestOf is the child that a run harvested, and the checksum that came with it.
func harvestOf(t *testing.T, h *host, runID string) (child, sum string) {
	t.Helper()
	for _, e := range h.events(runID) {
		var p event.HandoffPayload
		if e.Type != event.Handoff {
			continue
		}
		if err := json.Unmarshal(e.Payload, &p); err != nil {
			t.Fatal(err)
		}
		if p.Phase != event.OutputHarvested {
			continue
		}
		if p.Attestation != nil {
			sum = p.Attestation.Checksum
		}
		return p.ChildRunID, sum
	}
	t.Fatalf("run %s harvests nothing", runID)
	return "", ""
}

func sumOfOutputs(t *testing.T, h *host, runID string) string {
	t.Helper()
	events := h.events(runID)
	var p struct {
		Outputs json.RawMessage `json:"outputs"`
	}
	if err := json.Unmarshal(events[len(events)-1].Payload, &p); err != nil {
		t.Fatal(err)
	}
	canonical, err := jcs.Transform(p.Outputs)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}
