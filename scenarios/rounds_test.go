package scenarios_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// counter serves a host that is asked to count, and answers the n-th time as answer says.
func counter(t *testing.T, answer func(n int32) string) *httptest.Server {
	t.Helper()
	var asked atomic.Int32
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"counts":true,"loud":false}`) })
	mux.HandleFunc("/count", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer(asked.Add(1))) })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func certifiedAt(t *testing.T, s *httptest.Server, o scenarios.Options, asked scenarios.Scenario) *scenarios.Report {
	t.Helper()
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: s.URL}, o, suite(asked))
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// What a target does wrong from the third time on shows where a drive is driven several times, and is judged the same from the
// transcripts.
func TestADriveThatAsksLittleIsDrivenAgain(t *testing.T) {
	late := func(n int32) string {
		if n > 2 {
			return `{"n":4}`
		}
		return `{"n":3}`
	}
	for _, test := range []struct {
		name   string
		change func(*scenarios.Drive[counted])
		o      scenarios.Options
		rounds int
		want   scenarios.Verdict
	}{
		{"quick", nil, scenarios.Options{Depth: scenarios.Quick}, 1, scenarios.Passed},
		{"standard", nil, scenarios.Options{Depth: scenarios.Standard}, 5, scenarios.Failed},
		{"deep", nil, scenarios.Options{Depth: scenarios.Deep}, 6, scenarios.Failed},
		{"few requests", nil, scenarios.Options{Depth: scenarios.Standard, Most: wire.Spent{Requests: 50}}, 1, scenarios.Passed},
		{"once", func(d *scenarios.Drive[counted]) { d.Once = "it is enough" }, scenarios.Options{Depth: scenarios.Deep}, 1, scenarios.Passed},
		{"waits", func(d *scenarios.Drive[counted]) { d.Waits = time.Millisecond }, scenarios.Options{Depth: scenarios.Deep}, 1,
			scenarios.Passed},
		{"alone", func(d *scenarios.Drive[counted]) { d.Excludes = scenarios.Everything }, scenarios.Options{Depth: scenarios.Deep}, 1,
			scenarios.Passed},
	} {
		t.Run(test.name, func(t *testing.T) {
			drive := countDrive("again")
			if test.change != nil {
				test.change(drive)
			}
			s := one("it", counts, scenarios.Ask(drive, is(3, "TOY-1")), "TOY-1")
			test.o.Patience = time.Second
			r := certifiedAt(t, counter(t, late), test.o, s)
			if o := r.Outcomes[0]; o.Verdict != test.want || len(o.Checks) != test.rounds {
				t.Errorf("it is %s after %d checks: %s", o.Verdict, len(o.Checks), o.Reason)
			}
			again, err := scenarios.Derive(transcripts(t, r), given(r), suite(s))
			if err != nil {
				t.Fatal(err)
			}
			if o := again.Outcomes[0]; o.Verdict != test.want || len(o.Checks) != test.rounds {
				t.Errorf("from the transcripts it is %s after %d checks: %s", o.Verdict, len(o.Checks), o.Reason)
			}
		})
	}
}

// A later round that cannot be looked at is left out, one that shows a violation of another sentence or finds no answer is not.
func TestARoundThatEnds(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(seen wire.Value) error
		want scenarios.Verdict
	}{
		{"no room", func(wire.Value) error { return scenarios.Block("no room", "make room") }, scenarios.Passed},
		{"not offered", func(wire.Value) error { return scenarios.NotOffered("it said so") }, scenarios.Passed},
		{"spent", func(wire.Value) error { return fmt.Errorf("enough: %w", wire.ErrSpent) }, scenarios.Passed},
		{"set-up", func(seen wire.Value) error { return scenarios.Violates("TOY-2", seen, "it is wrong") }, scenarios.Blocked},
		{"no answer", func(wire.Value) error { return fmt.Errorf("it hangs: %w", wire.ErrNoAnswer) }, scenarios.Inconclusive},
		{"our fault", func(wire.Value) error { return errors.New("a bug") }, scenarios.Broken},
	} {
		t.Run(test.name, func(t *testing.T) {
			runs := 0
			drive := &scenarios.Drive[counted]{ID: "ends", Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
				seen := c.Do(ctx, wire.Call{Method: http.MethodGet, Path: "/count"}).Value("/n")
				if runs++; runs == 3 {
					scenarios.End(test.end(seen))
				}
				*o = counted{seen}
			}}
			s := one("it", counts, scenarios.Ask(drive, is(3, "TOY-1")), "TOY-1")
			r := certifiedAt(t, counter(t, func(int32) string { return `{"n":3}` }), scenarios.Options{Depth: scenarios.Standard}, s)
			if o := r.Outcomes[0]; o.Verdict != test.want {
				t.Errorf("it is %s: %s", o.Verdict, o.Reason)
			}
		})
	}
}

// A judge that is blocked in the first round is not made up for, and a violation of any round is told.
func TestRoundsAreJudgedTogether(t *testing.T) {
	judged := func(o counted, j *scenarios.Judge) {
		if n, _ := o.N.Int(); n == 0 {
			j.Block("nothing to see", "show something")
		}
		j.Check("TOY-1", o.N).To(check.Equal(3))
	}
	for answers, want := range map[string]scenarios.Verdict{
		"33333": scenarios.Passed, "33033": scenarios.Passed, "03333": scenarios.Blocked, "00400": scenarios.Failed, "33334": scenarios.Failed,
	} {
		s := one("it", counts, scenarios.Ask(countDrive("judged"), judged), "TOY-1")
		host := counter(t, func(n int32) string { return fmt.Sprintf(`{"n":%c}`, answers[(n-1)%5]) })
		r := certifiedAt(t, host, scenarios.Options{Depth: scenarios.Standard, Patience: time.Second}, s)
		if o := r.Outcomes[0]; o.Verdict != want {
			t.Errorf("%s is %s, not %s: %s", answers, o.Verdict, want, o.Reason)
		}
	}
}
