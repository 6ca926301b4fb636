package surface

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
)

// comparedRun is a run as far as it is compared with another one.
type comparedRun struct {
	id     string
	events []openwopv1.RunEvent
	ended  bool
	state  comparedState
}

type comparedState struct {
	Status    string         `json:"status"`
	Variables map[string]any `json:"variables"`
}

// maxDiffs bounds the places that one reply tells of, and maxDiffBytes the events in it. It keeps a reply below the 1 MiB
// that a careful client reads, as far as a single event does.
const (
	maxDiffs     = 500
	maxDiffBytes = 512 << 10
)

// comparison is two runs, and which members of an event count.
type comparison struct {
	a, b   comparedRun
	counts func(member string) bool
}

// diff compares the two, place by place. What differs between any two runs does not count: ids, and times. An id of the
// run itself, of its events and of its interrupts begins with the id of the run, and stands for the same in the other run
// where the rest of it is the same; so a replay does not differ from its source.
func (c comparison) diff() (openwopv1.RunDiffResponse, error) {
	a, b := c.a, c.b
	diff := openwopv1.RunDiffResponse{A: a.id, B: b.id, EventDiffs: []openwopv1.RunEventDiff{}, StateDiff: stateDiff(a.state, b.state)}
	truncated, size := !a.ended || !b.ended, 0
	for seq := range max(len(a.events), len(b.events)) {
		place, differs, err := c.at(seq)
		if err != nil {
			return diff, err
		}
		if !differs {
			continue
		}
		if diff.DivergedAtSeq == nil {
			diff.DivergedAtSeq = &place.Seq
		}
		size += sizeAt(a, seq) + sizeAt(b, seq)
		if n := len(diff.EventDiffs); n > 0 && (n == maxDiffs || size > maxDiffBytes) {
			truncated = true
			break
		}
		diff.EventDiffs = append(diff.EventDiffs, place)
	}
	if truncated {
		diff.Truncated = &truncated
	}
	return diff, nil
}

func sizeAt(r comparedRun, seq int) int {
	if seq >= len(r.events) {
		return 0
	}
	return len(r.events[seq].Payload)
}

// at compares what the two have at one place.
func (c comparison) at(seq int) (place openwopv1.RunEventDiff, differs bool, err error) {
	a, b := c.a, c.b
	place.Seq = int64(seq)
	if seq < len(a.events) {
		if place.AEvent, err = asObject(a.events[seq]); err != nil {
			return place, false, err
		}
	}
	if seq < len(b.events) {
		if place.BEvent, err = asObject(b.events[seq]); err != nil {
			return place, false, err
		}
	}
	switch {
	case place.AEvent == nil:
		place.Op = openwopv1.RunEventDiffOpAdded
	case place.BEvent == nil:
		place.Op = openwopv1.RunEventDiffOpRemoved
	default:
		place.Op = openwopv1.RunEventDiffOpChanged
		one, err := c.canonical(a.events[seq], a.id)
		if err != nil {
			return place, false, err
		}
		other, err := c.canonical(b.events[seq], b.id)
		return place, !bytes.Equal(one, other), err
	}
	return place, true, nil
}

func asObject(e openwopv1.RunEvent) (object map[string]any, err error) {
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode event %d of run %s: %w", e.Sequence, e.RunID, err)
	}
	return object, json.Unmarshal(raw, &object)
}

// canonical is what counts of an event, which its own id and its time do not, with the id of its run written as that of
// any run. Members are
// in the order of their names.
func (c comparison) canonical(e openwopv1.RunEvent, runID string) ([]byte, error) {
	object, err := asObject(e)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(object, func(name string, _ any) bool { return !c.counts(name) })
	raw, err := json.Marshal(object)
	return bytes.ReplaceAll(raw, []byte(runID), []byte("run")), err
}

// stateDiff tells in what the states differ: member to {a, b}, where a value that is missing is left out.
func stateDiff(a, b comparedState) map[string]any {
	diff := map[string]any{}
	if a.Status != b.Status {
		diff["status"] = map[string]any{"a": a.Status, "b": b.Status}
	}
	variables := map[string]any{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(a.Variables)), slices.Collect(maps.Keys(b.Variables))) {
		one, inA := a.Variables[name]
		other, inB := b.Variables[name]
		if inA == inB && reflect.DeepEqual(one, other) {
			continue
		}
		both := map[string]any{}
		if inA {
			both["a"] = one
		}
		if inB {
			both["b"] = other
		}
		variables[name] = both
	}
	if len(variables) > 0 {
		diff["variables"] = variables
	}
	return diff
}
