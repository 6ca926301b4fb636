package excerpt_test

import (
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/excerpt"
)

func TestPace(t *testing.T) {
	for _, c := range []struct {
		pace *results.Pace
		want string
	}{
		{nil, ""},
		{&results.Pace{Reply: 0.004, Run: 0.02, Asked: 10, Patience: 10, MaxPatience: 600}, ""},
		{
			&results.Pace{Reply: 0.2504, Asked: 10, Patience: 10, MaxPatience: 600},
			"the target took 250ms a reply: patience stayed 10s, at most 10m0s",
		},
		{
			&results.Pace{Reply: 0.004, Run: 1.26, Turn: 1.2, Behind: 0.2, Asked: 10, Patience: 13.6, MaxPatience: 600},
			"the target took 4ms a reply, 1.3s a run, 1.2s a turn, 200ms behind with what other routes show: " +
				"patience grew from 10s to 13.6s, at most 10m0s",
		},
	} {
		if got := excerpt.Pace(c.pace); got != c.want {
			t.Errorf("%+v: %q, want %q", c.pace, got, c.want)
		}
	}
}

func TestLoad(t *testing.T) {
	if got := excerpt.Load(nil); got != "" {
		t.Errorf("%q", got)
	}
	want := "the target refused 12 requests for load and was obeyed: 4.2s waited, down to 7.5 requests a second and 2 at once"
	if got := excerpt.Load(&results.Load{Refused: 12, Waited: 4.2, Rate: 7.5, AtOnce: 2}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
