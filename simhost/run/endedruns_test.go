package run

import (
	"fmt"
	"testing"

	"github.com/openassay/assay/simhost/eventlog"
)

func TestEndedRunsMakeRoom(t *testing.T) {
	var s endedRuns
	for i := range keptRuns + 10 {
		s.put(&liveRun{id: fmt.Sprint("r", i)}, 10)
	}
	s.put(&liveRun{id: "long"}, keptBytes+1)
	for id, kept := range map[string]bool{"r9": false, "r10": true, fmt.Sprint("r", keptRuns+9): true, "long": false} {
		if (s.find(id) != nil) != kept {
			t.Errorf("%s: kept %v, want %v", id, !kept, kept)
		}
	}
	if len(s.runs) != keptRuns {
		t.Errorf("%d runs are kept", len(s.runs))
	}
}

func TestLengthOfALog(t *testing.T) {
	if n := lengthOf([]eventlog.Entry{{Data: []byte("abc")}, {Data: []byte("de")}}); n != 5 {
		t.Errorf("length %d, want 5", n)
	}
}

// An ended run is read from the log once, and is the same for everybody.
func TestEndedRunIsShared(t *testing.T) {
	h := newHost(t)
	id := h.create(Create{WorkflowID: "conformance-noop"}).RunID
	first, err := h.get(soon(t), id)
	if err != nil {
		t.Fatal(err)
	}
	second, err := h.get(soon(t), id)
	if err != nil || first != second {
		t.Errorf("another run: %v", err)
	}
}
