package scenarios_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// stopwatch is a clock that only waiting moves.
type stopwatch struct {
	now    time.Time
	waited []time.Duration
}

func (s *stopwatch) wait(ctx context.Context, d time.Duration) error {
	s.waited = append(s.waited, d)
	s.now = s.now.Add(max(0, d))
	return ctx.Err()
}

// again certifies a host that counts right as long as its discovery document was fetched at most so many times, and asks again.
// change is what it does after that; nil counts wrong.
func again(t *testing.T, o scenarios.Options, a scenarios.Again, behaves int32, change http.HandlerFunc, s ...scenarios.Scenario) (
	*scenarios.Report, *stopwatch) {
	t.Helper()
	var fetched atomic.Int32
	if change == nil {
		change = func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"n":4}`) }
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", func(w http.ResponseWriter, _ *http.Request) {
		fetched.Add(1)
		fmt.Fprint(w, `{"counts":true,"loud":false}`)
	})
	mux.HandleFunc("/count", func(w http.ResponseWriter, r *http.Request) {
		if fetched.Load() > behaves {
			change(w, r)
			return
		}
		fmt.Fprint(w, `{"n":3}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	target := wire.Target{URL: server.URL}
	c, err := scenarios.Certify(t.Context(), target, o, suite(s...))
	if err != nil {
		t.Fatal(err)
	}
	r := c.Finish(context.Background())
	clock := &stopwatch{now: time.Unix(0, 0)}
	a.Now, a.Wait = func() time.Time { return clock.now }, clock.wait
	if err := a.Ask(t.Context(), target, r, o, suite(s...)); err != nil {
		t.Fatal(err)
	}
	return r, clock
}

// counting are scenarios, each with a drive of its own.
func counting(n int) (out []scenarios.Scenario) {
	for i := range n {
		name := string(rune('a' + i))
		out = append(out, one(name, counts, scenarios.Ask(countDrive("drive-"+name), is(3, "TOY-1")), "TOY-1"))
	}
	return out
}

func TestAgain(t *testing.T) {
	o := scenarios.Options{Seed: 5, RunID: "once"}
	three := scenarios.Again{Times: 3, Over: time.Minute}

	t.Run("a host that stays the same", func(t *testing.T) {
		r, clock := again(t, o, three, 100, nil, counting(7)...)
		if r.ExitCode() != scenarios.ExitProved || len(r.Breaches) != 0 || len(r.Repetitions) != 3 {
			t.Fatalf("exit %d, breaches %v, %d repetitions", r.ExitCode(), r.Breaches, len(r.Repetitions))
		}
		orders := map[string]bool{}
		for n, a := range r.Repetitions {
			if len(a.Asked) != 3 || len(a.Differences) != 0 || a.Report == nil || a.Report.Totals()[scenarios.Passed] != 3 {
				t.Errorf("repetition %d: asked %v, differences %v", n, a.Asked, a.Differences)
			}
			if a.Seed == o.Seed || a.RunID.ID == o.RunID || a.At < 0 || a.At >= time.Minute {
				t.Errorf("repetition %d: seed %d, run %s, at %s", n, a.Seed, a.RunID, a.At)
			}
			if n > 0 && (a.At < r.Repetitions[n-1].At || a.RunID == r.Repetitions[n-1].RunID) {
				t.Errorf("repetition %d is before that one, or of its name", n)
			}
			orders[fmt.Sprint(a.Asked)] = true
		}
		if len(orders) < 2 {
			t.Errorf("each time the same was asked in the same order: %v", orders)
		}
		if total := clock.now.Sub(time.Unix(0, 0)); total != r.Repetitions[2].At {
			t.Errorf("waited for %s, and the last was to be at %s", total, r.Repetitions[2].At)
		}
		same, _ := again(t, o, three, 100, nil, counting(7)...)
		plan := func(r *scenarios.Report) (out []string) {
			for _, a := range r.Repetitions {
				out = append(out, fmt.Sprint(a.At, a.Seed, a.RunID, a.Asked))
			}
			return out
		}
		if diff := cmp.Diff(plan(r), plan(same)); diff != "" {
			t.Errorf("the same seed and run id draw another plan: %s", diff)
		}
	})

	t.Run("a host that behaves only the first time", func(t *testing.T) {
		r, _ := again(t, o, three, 1, nil, counting(4)...)
		if r.Totals()[scenarios.Passed] != 4 || r.ExitCode() != scenarios.ExitViolated {
			t.Fatalf("totals %v, exit %d", r.Totals(), r.ExitCode())
		}
		want := scenarios.Difference{Scenario: r.Repetitions[0].Asked[0], Before: scenarios.Passed, Now: scenarios.Failed,
			Reason: "TOY-1: expected 3, got 4"}
		if got := r.Repetitions[0].Differences[0]; got != want {
			t.Errorf("difference %+v, want %+v", got, want)
		}
		if s := r.Requirements[0]; s.Verdict != scenarios.Failed || !s.Contradicted {
			t.Errorf("the requirement: %+v", s)
		}
		if b := r.Breaches[0]; b.By != scenarios.ByRepetition || !strings.HasPrefix(b.Drive, scenarios.RepetitionDir(1)+"/drive-") {
			t.Errorf("the breach: %+v", b)
		}
		if r.Profiles[0].Status != "violated" {
			t.Errorf("the profile is %s", r.Profiles[0].Status)
		}
	})

	t.Run("a host that answers no more", func(t *testing.T) {
		r, _ := again(t, o, three, 1, func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, counting(4)...)
		if r.Totals()[scenarios.Passed] != 4 || r.ExitCode() != scenarios.ExitUnproved || len(r.Breaches) != 0 {
			t.Errorf("totals %v, exit %d, breaches %v", r.Totals(), r.ExitCode(), r.Breaches)
		}
		if d := r.Repetitions[0].Differences; len(d) != 2 || d[0].Now != scenarios.Inconclusive || d[0].Reason == "" {
			t.Errorf("differences %+v", d)
		}
	})

	t.Run("what the operator allows is kept to, and held against nobody", func(t *testing.T) {
		bounded := o
		bounded.Most = wire.Spent{Requests: 7} // of which the first time takes 4 and the second 2
		r, _ := again(t, bounded, three, 100, nil, counting(4)...)
		if n := len(r.Repetitions[0].Differences) + len(r.Repetitions[1].Differences); n != 0 {
			t.Errorf("%d differences: %+v", n, r.Repetitions)
		}
		if last := r.Repetitions[2]; last.Stopped == "" || len(last.Differences) != 0 || r.ExitCode() != scenarios.ExitProved {
			t.Errorf("the last: %+v, exit %d", last, r.ExitCode())
		}
	})

	t.Run("nothing that came to no verdict is asked", func(t *testing.T) {
		blocked := one("z", counts, scenarios.Ask(stopDrive("stops", scenarios.Block("no fixture", "load it")), is(3, "TOY-2")), "TOY-2")
		r, _ := again(t, o, three, 100, nil, append(counting(2), blocked)...)
		for _, a := range r.Repetitions {
			if slices.Contains(a.Asked, blocked.ID) || len(a.Asked) != 1 {
				t.Errorf("asked %v", a.Asked)
			}
		}
	})
}
