package rules

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

func TestACursorIsASequence(t *testing.T) {
	resumes := Honest().Log.Resumes
	for raw, want := range map[string]int64{"0": 0, "7": 7, "9223372036854775807": math.MaxInt64} {
		if got, ok := resumes(raw); !ok || got != want {
			t.Errorf("%q gives %d, %v", raw, got, ok)
		}
	}
	for _, raw := range []string{"", "-1", "+1", "1.0", "x", " 1", "9223372036854775808", "0x1"} {
		if got, ok := resumes(raw); ok {
			t.Errorf("%q gives %d, and is none", raw, got)
		}
	}
}

func TestALogIsListedFromItsCursorOn(t *testing.T) {
	log := make([]openwopv1.RunEvent, 4)
	for i := range log {
		log[i].Sequence = int64(i)
	}
	for _, c := range []struct {
		events []openwopv1.RunEvent
		after  int64
		want   []int64
	}{
		{log, -1, []int64{0, 1, 2, 3}},
		{log, math.MinInt64, []int64{0, 1, 2, 3}},
		{log, 1, []int64{2, 3}},
		{log, 3, nil},
		{log, math.MaxInt64, nil},
		{log[2:], 1, []int64{2, 3}},
		{log[2:], 2, []int64{3}},
		{nil, -1, nil},
	} {
		var got []int64
		for _, e := range Honest().Log.Lists(Listing{Events: c.events, After: c.after}) {
			got = append(got, e.Sequence)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d events behind %d: %v, want %v", len(c.events), c.after, got, c.want)
		}
	}
}

func TestHonestLogs(t *testing.T) {
	l := Honest().Log
	events := []openwopv1.RunEvent{{Sequence: 3, Type: openwopv1.RunEventTypeNodeStarted}, {Sequence: 4}}
	id, event := l.Frame(events[0])
	batch, last := l.Batch(events)
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"the end of a log that is listed whole", l.Complete(false, false, true) && l.Complete(true, false, true)},
		{"not while there is more", !l.Complete(false, true, true)},
		{"not while the run goes on", !l.Complete(true, false, false)},
		{"a poll waits as long as it is asked to", l.Waits(time.Second) == time.Second},
		{"a stream unless JSON is liked better", l.Streams(false) && !l.Streams(true)},
		{"a frame is its event", id == 3 && event == "node.started"},
		{"a batch is everything, named by its last", len(batch) == 2 && last == 4},
		{"a stream of a run that is over is closed", l.Closes(true) && l.Closes(false)},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
