package gateway

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// The text's worked example: two tools, five jobs, one after the other.
func TestWorkedExample(t *testing.T) {
	r := newRig(t, "jina-reader", "fabric")
	s := r.run("goal")
	want := []string{
		"1<0 agentic-loop agentic.start succeeded once",
		"2<1 jina-reader agentic.tool_request.jina-reader succeeded once",
		"3<2 agentic-loop content_ready succeeded once",
		"4<3 fabric agentic.tool_request.fabric succeeded once",
		"5<4 agentic-loop fabric.completed succeeded once",
	}
	if diff := cmp.Diff(want, shape(s)); diff != "" {
		t.Error(diff)
	}
	if completed(s) != 1 || len(s.Unrouted) != 1 {
		t.Errorf("unrouted: %+v", s.Unrouted)
	}
	if run := runOf(t, s, "R-goal"); run.Status != agenticloopv2.RunStatusDone {
		t.Errorf("the run is %+v", run)
	}
}

// What a crash costs. With two commits, what an agent's turn has decided is lost once its state is kept and its events are
// not: run again, the turn takes its own event for a duplicate. A tool that was run is run again. With an outbox nothing of
// this happens.
func TestCrashes(t *testing.T) {
	const stuck, lost = "stuck", "completion lost"
	for _, test := range []struct {
		crash    string
		want     string // completed, unless said
		tools    int    // turns of tools; 2 unless said
		jobs     int    // 5 unless said
		atOnce   bool   // with an outbox it is otherwise: completed, and no turn after what is kept is run again
		noChance bool   // the turn does not pass this point
	}{
		{crash: "before-spawn@1"},
		{crash: "before-spawn@2", tools: 3},
		{crash: "mid-turn@1"},
		{crash: "mid-turn@2", tools: 3},
		{crash: "mid-turn@5"},
		{crash: "after-answer@1"},
		{crash: "after-answer@4", tools: 3},
		{crash: "after-answer@5"},
		{crash: "after-state@1", want: stuck, tools: 0, jobs: 1, atOnce: true},
		{crash: "after-state@2", tools: 3, atOnce: true},
		{crash: "after-state@3", want: stuck, tools: 1, jobs: 3, atOnce: true},
		{crash: "after-state@5", want: lost, atOnce: true},
		{crash: "after-enqueue:1@1", atOnce: true},
		{crash: "after-enqueue:1@2", tools: 3, jobs: 6, atOnce: true},
		{crash: "after-enqueue:1@3", atOnce: true},
		{crash: "after-enqueue:2@1", noChance: true},
		{crash: "after-enqueue:1@5", noChance: true},
	} {
		for _, commit := range []Commit{TwoCommits, Outbox} {
			t.Run(test.crash+" "+string(commit), func(t *testing.T) {
				crash, err := ParseCrash(test.crash)
				if err != nil || crash.String() != test.crash {
					t.Fatalf("%v, %v", crash, err)
				}
				r := newRig(t, "jina-reader", "fabric")
				r.o.Commit, r.o.Crashes = commit, []Crash{crash}
				s := r.run("goal")

				want, tools, jobs := test.want, test.tools, test.jobs
				if want == "" {
					want = "completed"
				}
				if tools == 0 && want != stuck {
					tools = 2
				}
				if jobs == 0 {
					jobs = 5
				}
				if test.atOnce && commit == Outbox {
					want, tools, jobs = "completed", 2, 5
				}
				got := stuck
				switch run := runOf(t, s, "R-goal"); {
				case completed(s) == 1:
					got = "completed"
				case run.Status == agenticloopv2.RunStatusDone:
					got = lost
				}
				if got != want || len(s.Jobs) != jobs {
					t.Errorf("%s, want %s, with %d jobs:\n%s", got, want, jobs, strings.Join(shape(s), "\n"))
				}
				if n := turnsOf(r, s, "jina-reader") + turnsOf(r, s, "fabric"); n != tools {
					t.Errorf("tools had %d turns, want %d", n, tools)
				}
				if came := r.crashes == 1; came == test.noChance {
					t.Errorf("%d crashes came", r.crashes)
				}
				for _, j := range s.Jobs {
					if !j.Status.Ended() {
						t.Errorf("job %s is %s at the end", j.ID, j.Status)
					}
				}
			})
		}
	}
}

// A tool that emits two events brings its agent back twice (once for each event). A crash between the two
// has the turn run again, and queues both anew; with an outbox there is no such place.
func TestCrashBetweenJobs(t *testing.T) {
	for _, test := range []struct {
		crash  string
		commit Commit
		agent  int // turns of it
	}{
		{"after-enqueue:1@2", TwoCommits, 1 + 3},
		{"after-enqueue:2@2", TwoCommits, 1 + 4},
		{"after-enqueue:1@2", Outbox, 1 + 2},
		{"after-enqueue:2@2", Outbox, 1 + 2},
	} {
		t.Run(test.crash+" "+string(test.commit), func(t *testing.T) {
			crash, err := ParseCrash(test.crash)
			if err != nil {
				t.Fatal(err)
			}
			r := newRig(t, "jina-reader")
			r.o.Commit, r.o.Crashes = test.commit, []Crash{crash}
			r.plugins["jina-reader"] = func(context.Context, []byte) ([]byte, int) {
				return ok(nil, agenticloopv2.Event{Type: "content_ready"}, agenticloopv2.Event{Type: "content_ready"})
			}
			s := r.run("goal")
			if n := turnsOf(r, s, "agentic-loop"); n != test.agent || completed(s) != 1 || r.crashes != 1 {
				t.Errorf("%d turns of the agent, %d completed, %d crashes\n%s", n, completed(s), r.crashes, strings.Join(shape(s), "\n"))
			}
		})
	}
}

// A job that crashes its gateway every time is dead after its last attempt, and holds nobody up.
func TestCrashesAreAttempts(t *testing.T) {
	r := newRig(t, "jina-reader", "fabric")
	for turn := 1; turn <= 4; turn++ {
		r.o.Crashes = append(r.o.Crashes, Crash{Point: MidTurn, Turn: turn})
	}
	s := r.run("first", "second")
	if first := s.Jobs[0]; first.Status != Dead || first.Attempt != 4 || !strings.Contains(first.LastError, "stopped while it ran") {
		t.Errorf("the first job is %+v", first)
	}
	if completed(s) != 1 || r.crashes != 4 {
		t.Errorf("%d completed, %d crashes", completed(s), r.crashes)
	}
	// It is first in the queue all along: its place is that of its arrival.
	var claims []string
	for _, record := range r.records {
		if record.Claimed != nil && len(claims) < 5 {
			claims = append(claims, record.Claimed.Job)
		}
	}
	first, second := s.Jobs[0].ID, s.Jobs[1].ID
	if diff := cmp.Diff([]string{first, first, first, first, second}, claims); diff != "" {
		t.Error(diff)
	}
}

// Another delivery of the same job is the same job and the same event.
func TestRedeliveryIsTheSame(t *testing.T) {
	r := newRig(t, "jina-reader")
	var requests []agenticloopv2.Request
	r.plugins["jina-reader"] = told(&requests, reader)
	r.o.Crashes = []Crash{{Point: AfterAnswer, Turn: 2}}
	r.run("goal")
	if len(requests) != 2 {
		t.Fatalf("the tool was asked %d times", len(requests))
	}
	if diff := cmp.Diff(requests[0], requests[1]); diff != "" {
		t.Error(diff)
	}
}

func TestParseCrash(t *testing.T) {
	for _, bad := range []string{"", "mid-turn", "mid-turn@0", "mid-turn@x", "mid-turn:1@1", "after-enqueue:0@1",
		"after-enqueue:x@1", "nowhere@1"} {
		if c, err := ParseCrash(bad); err == nil || !strings.Contains(err.Error(), "write POINT@TURN") {
			t.Errorf("%q is %v, %v", bad, c, err)
		}
	}
	if c, err := ParseCrash("after-enqueue@3"); err != nil || c != (Crash{AfterEnqueue, 3, 1}) {
		t.Errorf("%v, %v", c, err)
	}
}
