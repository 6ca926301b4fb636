package rules

import (
	"math"
	"slices"
	"testing"

	"github.com/openassay/assay/simhost/openwop/engine/event"
)

func TestALogIsListedFromItsCursorOn(t *testing.T) {
	log := make([]event.Event, 4)
	for i := range log {
		log[i].Sequence = int64(i)
	}
	for _, c := range []struct {
		events []event.Event
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
	if l := Honest().Log; !l.Closes(true) || !l.Closes(false) {
		t.Error("a stream of a run that is over is closed")
	}
}
