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

// atOnce certifies with one drive that makes the calls at once.
func atOnce(t *testing.T, calls ...func(context.Context) error) scenarios.Outcome {
	t.Helper()
	d := &scenarios.Drive[counted]{ID: "d", Run: func(ctx context.Context, c *scenarios.Conn) (counted, error) {
		if err := c.AtOnce(ctx, calls...); err != nil {
			return counted{}, err
		}
		return countDrive("").Run(ctx, c)
	}}
	return certify(t, scenarios.Options{DriveTimeout: 10 * time.Second}, one("it", counts, scenarios.Ask(d, is(3, "TOY-1")), "TOY-1")).Outcomes[0]
}

// until waits for a channel to be closed, or gives up with the drive.
func until(ctx context.Context, closed <-chan struct{}) error {
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A call that waits for all others ends only if all of them have begun.
func TestAtOnceStartsAllBeforeAnyEnds(t *testing.T) {
	const n = 8
	var begun sync.WaitGroup
	begun.Add(n)
	all := make(chan struct{})
	go func() { begun.Wait(); close(all) }()
	var calls []func(context.Context) error
	for range n {
		calls = append(calls, func(ctx context.Context) error {
			begun.Done()
			return until(ctx, all)
		})
	}
	if o := atOnce(t, calls...); o.Verdict != scenarios.Passed {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
}

// The error is that of the first call, not that of the call that failed first; and no call is left running.
func TestAtOnceReturnsTheFirstErrorByOrder(t *testing.T) {
	secondFailed, firstFails := make(chan struct{}), make(chan struct{})
	lastEnded := false
	o := atOnce(t,
		func(context.Context) error { return nil },
		func(ctx context.Context) error {
			defer close(firstFails)
			if err := until(ctx, secondFailed); err != nil {
				return err
			}
			return errors.New("the first")
		},
		func(context.Context) error { defer close(secondFailed); return errors.New("the second") },
		func(ctx context.Context) error {
			err := until(ctx, firstFails)
			lastEnded = true
			return err
		},
	)
	if o.Verdict != scenarios.Broken || !strings.Contains(o.Reason, "the first") {
		t.Errorf("%s: %s, want the first error", o.Verdict, o.Reason)
	}
	if !lastEnded {
		t.Error("a call was still running when the drive went on")
	}
}

// A panic in a call is one of the drive, where the runner takes hold of it; an error beside it does not hide it.
func TestAtOnceRaisesAPanic(t *testing.T) {
	panicked := make(chan struct{})
	otherEnded := false
	o := atOnce(t,
		func(context.Context) error { return errors.New("an error") },
		func(context.Context) error { defer close(panicked); panic("ah") },
		func(ctx context.Context) error {
			err := until(ctx, panicked)
			otherEnded = true
			return err
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

// What somebody else made, it undoes itself.
func TestEachUndoesWhatItMade(t *testing.T) {
	asked := make(chan string, 4)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/undo" {
			asked <- r.URL.RawQuery + " " + r.Header.Get("Authorization")
		}
		io.WriteString(w, `{"counts":true}`)
	}))
	defer server.Close()
	d := &scenarios.Drive[counted]{ID: "d", Run: func(ctx context.Context, c *scenarios.Conn) (counted, error) {
		other, hasOther := c.Other()
		voter, hasVoter := c.Voter(1)
		low, hasLow := c.LowScope()
		if _, hasThird := c.Voter(2); !hasOther || !hasVoter || !hasLow || hasThird {
			return counted{}, errors.New("those who were given keys are not there, or somebody else is")
		}
		for by, conn := range map[string]*scenarios.Conn{"first": c, "other": other, "voter": voter, "low": low} {
			conn.Leave(by, func(ctx context.Context, c *wire.Client) error {
				_, err := c.Do(ctx, wire.Call{Method: "POST", Path: "/undo?" + by})
				return err
			})
		}
		return counted{}, nil
	}}
	target := wire.Target{URL: server.URL, Key: "k-first", OtherKey: "k-other", VoterKeys: []string{"k-nobody", "k-voter"}, LowScopeKey: "k-low"}
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
