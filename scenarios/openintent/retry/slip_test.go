package retry

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

// A drive whose own time slipped tries again with longer intervals, and says by how much it was late where that is not enough.
func TestADriveThatIsLateAccusesNobody(t *testing.T) {
	for name, c := range map[string]struct {
		behind  []float64 // intervals by which the drive is late, a try each
		verdict scenarios.Verdict
		reason  string
	}{
		"in time":        {[]float64{0.1}, scenarios.Passed, ""},
		"late once":      {[]float64{0.5, 0.1}, scenarios.Passed, ""},
		"late each time": {[]float64{0.5, 0.4, 0.4, 0.4}, scenarios.Blocked, "s late, with an interval of "},
	} {
		t.Run(name, func(t *testing.T) {
			var intervals []int
			_, slow := timedDrives("slow", "", 0, nil, func(_ context.Context, w *watch, o *WindowObservation) {
				n := len(intervals)
				intervals = append(intervals, w.interval)
				w.began = w.Now().Add(-w.intervals(c.behind[n]))
				w.acted(0)
				o.Suspension.Status.Status = w.Discovery.Document.Key("on")
			})
			o := askSlow(t, slow)
			if o.Verdict != c.verdict || !strings.Contains(o.Reason, c.reason) {
				t.Errorf("%s: %s, want %s: %s", o.Verdict, o.Reason, c.verdict, c.reason)
			}
			if len(intervals) != len(c.behind) || len(intervals) > 1 && intervals[1] < 4*intervals[0] {
				t.Errorf("tried with intervals of %v s", intervals)
			}
		})
	}
}

// askSlow certifies a server for what a drive sees.
func askSlow(t *testing.T, drive *scenarios.Drive[WindowObservation]) scenarios.Outcome {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"on": true}`) }))
	defer server.Close()
	claim := scenarios.Claim{ID: "on", Pointer: "/on == true", Look: func(d scenarios.Discovery) (wire.Value, bool) {
		return d.Document.Key("on"), true
	}}
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: server.URL}, scenarios.Options{}, scenarios.Suite{
		ID: "slow", Protocol: &scenarios.Protocol{
			ID: "slow/v1", DiscoveryPath: "/on", Claims: []scenarios.Claim{claim},
			Ledger: scenarios.NewLedger([]scenarios.Requirement{{ID: "SLOW-1", Level: scenarios.Must, Claim: "on"}}),
		},
		Scenarios: []scenarios.Scenario{{ID: "slow/on", Title: "it is on", Proves: scenarios.IDs{"SLOW-1"}, Claim: claim,
			Ask: scenarios.Ask(drive, func(o WindowObservation, j *scenarios.Judge) {
				j.Check("SLOW-1", o.Suspension.Status.Status).To(check.Equal(true))
			})}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background()).Outcomes[0]
}

// Where a server does not get on, the rest of the story is not judged.
func TestAStoryThatBrokeOff(t *testing.T) {
	first, second := honestStory(t), honestStory(t)
	first.Task2Blocked.Reached = false
	first = StoryObservation{Interval: first.Interval, Suspension: first.Suspension, Task2Blocked: first.Task2Blocked, Task2: first.Task2,
		Phase3Blocked: first.Phase3Blocked}
	second.Reminder.Reached = false
	second.Answer.Asked, second.Answer.Status, second.Phase2Active, second.Log = "", wire.Value{}, wire.Wait{}, first.Log
	for want, o := range map[string]StoryObservation{"OIP-0026-T2": first, "OIP-0026-T6": second} {
		got := hosttest.Concludes(t, StorySuite(), "compliance-review-real-time", o)
		for _, r := range got.Checks {
			if !r.OK && r.Requirement != want {
				t.Errorf("broken off at %s, and %s is violated: expected %s, got %s", want, r.Requirement, r.Expected, r.Actual)
			}
		}
		if got.Failure == nil || string(got.Failure.Requirement) != want {
			t.Errorf("%s: %+v", want, got)
		}
	}
}
