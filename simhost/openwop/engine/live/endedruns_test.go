package live

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/openassay/assay/simhost/eventlog"
)

func TestEndedRunsMakeRoom(t *testing.T) {
	for name, test := range map[string]struct{ put, each, kept int }{
		"many":  {keptRuns + 10, 10, keptRuns},
		"long":  {20, keptOne, keptBytes / keptOne},
		"twice": {0, 0, 1},
	} {
		var s endedRuns
		for i := range test.put {
			s.put(&liveRun{id: fmt.Sprint("r", i), length: test.each})
		}
		last := &liveRun{id: "last", length: test.each}
		s.put(last)
		s.put(&liveRun{id: "last", length: test.each}) // read twice at once: the first stays
		s.put(&liveRun{id: "too long", length: keptOne + 1})
		if s.find("last") != last || s.find("too long") != nil {
			t.Errorf("%s: kept are %v", name, slices.Collect(maps.Keys(s.runs)))
		}
		oldest := test.put + 1 - test.kept
		for i := range test.put {
			if kept := s.find(fmt.Sprint("r", i)) != nil; kept != (i >= oldest) {
				t.Errorf("%s: run %d: kept %v", name, i, kept)
			}
		}
		if len(s.runs) != test.kept || len(s.order) != test.kept || s.bytes != test.kept*test.each {
			t.Errorf("%s: %d runs with %d bytes are kept", name, len(s.runs), s.bytes)
		}
	}
}

func TestLengthOfALog(t *testing.T) {
	if n := lengthOf([]eventlog.Entry{{Data: []byte("abc")}, {Data: []byte("de")}}); n != 5 {
		t.Errorf("length %d, want 5", n)
	}
}

// An ended run is the same for everybody: the one that ended here, and one that was read from the log after that.
func TestEndedRunIsShared(t *testing.T) {
	h := newHost(t)
	id := h.create(Create{WorkflowID: "conformance-noop"}).RunID
	for _, where := range []string{"ended here", "read from the log"} {
		first, err := h.get(soon(t), id)
		if err != nil {
			t.Fatal(err)
		}
		second, err := h.get(soon(t), id)
		if err != nil || first != second {
			t.Errorf("%s: another run: %v", where, err)
		}
		h.restart()
	}
}

// What is kept of a run that ended here is what its log says, however it went there.
func TestKeptRunIsWhatItsLogSays(t *testing.T) {
	h := newHost(t)
	at := h.create(Create{WorkflowID: "conformance-noop"}).RunID
	failed := h.create(Create{WorkflowID: "conformance-dispatch-deterministic-fail-child"}).RunID
	asked := h.create(Create{WorkflowID: "assay-loop-ask-user", Inputs: plan(t, `[{"kind":"ask-user","prompt":"p"}]`)}).RunID
	h.resolve(asked, `{"answers":{"q1":"yes"}}`)
	h.ended(asked)
	replay, err := h.Fork(soon(t), asked, Fork{Mode: "replay"})
	if err != nil {
		t.Fatal(err)
	}
	h.ended(replay.RunID)
	for _, id := range []string{at, failed, asked, replay.RunID} {
		kept := h.Engine.ended.find(id)
		if kept == nil {
			t.Errorf("%s ended and is not kept", id)
			continue
		}
		loaded, err := h.load(soon(t), id)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := asJSON(t, kept), asJSON(t, loaded); a != b {
			t.Errorf("kept:\n%s\nin the log:\n%s", a, b)
		}
		if kept.length != loaded.length || kept.revision != loaded.revision {
			t.Errorf("%s: kept %d bytes up to %d, in the log %d up to %d", id, kept.length, kept.revision, loaded.length, loaded.revision)
		}
		if kept.tape != nil {
			t.Errorf("%s holds the log of its source", id)
		}
	}
}

// asJSON is all that a reader sees of a run.
func asJSON(t *testing.T, r *liveRun) string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	raw, err := json.Marshal([]any{r.state.Snapshot(), r.feed.after(-1).events, r.state.Created, r.state.Owner})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
