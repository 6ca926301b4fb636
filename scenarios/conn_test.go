package scenarios_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// atOnce certifies with a drive that makes calls at once.
func atOnce(t *testing.T, calls ...func(context.Context)) scenarios.Outcome {
	t.Helper()
	d := &scenarios.Drive[counted]{ID: "d", Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
		c.AtOnce(ctx, calls...)
		countDrive("").Run(ctx, c, o)
	}}
	return certify(t, scenarios.Options{DriveTimeout: 10 * time.Second},
		one("it", counts, scenarios.Ask(d, is(3, "TOY-1")), "TOY-1")).Outcomes[0]
}

// until waits for a channel to be closed, or gives up with the drive.
func until(ctx context.Context, closed <-chan struct{}) {
	select {
	case <-closed:
		return
	case <-ctx.Done():
		scenarios.End(ctx.Err())
		return
	}
}

// All calls run at once: each ends only when all have begun.
func TestAtOnceStartsAllBeforeAnyEnds(t *testing.T) {
	const n = 8
	var begun sync.WaitGroup
	begun.Add(n)
	all := make(chan struct{})
	go func() { begun.Wait(); close(all) }()
	var calls []func(context.Context)
	for range n {
		calls = append(calls, func(ctx context.Context) {
			begun.Done()
			until(ctx, all)
		})
	}
	if o := atOnce(t, calls...); o.Verdict != scenarios.Passed {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
}

// The error is that of the first call in order, not in time, and no call is left running.
func TestAtOnceEndsByTheFirstErrorInOrder(t *testing.T) {
	secondFailed, firstFails := make(chan struct{}), make(chan struct{})
	lastEnded := false
	o := atOnce(t,
		func(context.Context) {
			defer close(firstFails)
			<-secondFailed
			scenarios.End(errors.New("the first"))
		},
		func(context.Context) { defer close(secondFailed); scenarios.End(errors.New("the second")) },
		func(context.Context) {
			<-firstFails
			lastEnded = true
		},
	)
	if o.Verdict != scenarios.Broken || !strings.Contains(o.Reason, "the first") {
		t.Errorf("%s: %s, want the first error", o.Verdict, o.Reason)
	}
	if !lastEnded {
		t.Error("a call was still running when the drive went on")
	}
}

// A call that ends the drive cancels the others. Their errors are not the reason.
func TestAtOnceEndsAllTogether(t *testing.T) {
	cancelled := false
	o := atOnce(t,
		func(ctx context.Context) {
			<-ctx.Done()
			cancelled = true
			scenarios.End(ctx.Err())
		},
		func(context.Context) { scenarios.End(errors.New("an error")) },
	)
	if o.Verdict != scenarios.Broken || !strings.Contains(o.Reason, "an error") {
		t.Errorf("%s: %s, want the error", o.Verdict, o.Reason)
	}
	if !cancelled {
		t.Error("the call that waits was not cancelled")
	}
}

// A panic in a call is raised in the drive, even if another call fails.
func TestAtOnceRaisesAPanic(t *testing.T) {
	panicked := make(chan struct{})
	otherEnded := false
	o := atOnce(t,
		func(context.Context) { scenarios.End(errors.New("an error")) },
		func(context.Context) { defer close(panicked); panic("ah") },
		func(context.Context) {
			<-panicked
			otherEnded = true
		},
	)
	if o.Verdict != scenarios.Broken || !strings.Contains(o.Reason, "panicked: ah") {
		t.Errorf("%s: %s, want a broken drive", o.Verdict, o.Reason)
	}
	if !otherEnded {
		t.Error("a call was still running when the drive had panicked")
	}
}

func TestAtOnceOfNothing(t *testing.T) {
	if o := atOnce(t); o.Verdict != scenarios.Passed {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
}

// What a drive made with another credential is cleaned up with that credential.
func TestEachUndoesWhatItMade(t *testing.T) {
	asked := make(chan string, 4)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/undo" {
			asked <- r.URL.RawQuery + " " + r.Header.Get("Authorization")
		}
		io.WriteString(w, `{"counts":true}`)
	}))
	defer server.Close()
	d := &scenarios.Drive[counted]{ID: "d", Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
		other, hasOther := c.Other()
		voter, hasVoter := c.Voter(1)
		low, hasLow := c.LowScope()
		if _, hasThird := c.Voter(2); !hasOther || !hasVoter || !hasLow || hasThird {
			scenarios.End(errors.New("those who were given keys are not there, or somebody else is"))
			return
		}
		for by, conn := range map[string]*scenarios.Conn{"first": c, "other": other, "voter": voter, "low": low} {
			conn.Leave(by, func(ctx context.Context, c *wire.Client) error {
				_, err := c.Do(ctx, wire.Call{Method: "POST", Path: "/undo?" + by})
				return err
			})
		}
	}}
	target := wire.Target{URL: server.URL, Key: "k-first", OtherKey: "k-other",
		VoterKeys: []string{"k-nobody", "k-voter"}, LowScopeKey: "k-low"}
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{}, suite(one("it", counts, scenarios.Ask(d, is(3, "TOY-1")), "TOY-1")))
	if err != nil {
		t.Fatal(err)
	}
	if r := c.Finish(t.Context()); len(r.Leftovers) > 0 {
		t.Errorf("left behind: %v", r.Leftovers)
	}
	close(asked)
	got := map[string]bool{}
	for a := range asked {
		got[a] = true
	}
	for _, by := range []string{"first", "other", "voter", "low"} {
		if !got[by+" Bearer k-"+by] {
			t.Errorf("%s did not undo what it made: %v", by, got)
		}
	}
}
