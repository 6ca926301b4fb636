package scenarios_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// limited is a host whose own clock can be moved, and which is asked to undo what was made on it.
type limited struct {
	url    string
	ahead  atomic.Int64 // of our clock
	asked  atomic.Int32 // reads of /count
	undone atomic.Int32
}

func newLimited(t *testing.T) *limited {
	h := &limited{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(time.Duration(h.ahead.Load())).UTC().Format(http.TimeFormat))
		switch r.URL.Path {
		case "/hello":
			fmt.Fprint(w, `{"counts":true}`)
		case "/undo":
			h.undone.Add(1)
		default:
			fmt.Fprintf(w, `{"n":%d}`, h.asked.Add(1))
		}
	}))
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

type waited struct {
	Name   string     `json:"name"`
	Before wire.Value `json:"before"`
	After  wire.Value `json:"after"`
	Second string     `json:"second"`
}

// untilDrive waits for a limit between two reads, and leaves something on the host meanwhile.
func untilDrive(limit time.Duration) *scenarios.Drive[waited] {
	undo := func(ctx context.Context, c *wire.Client) error {
		_, err := c.Do(ctx, wire.Call{Method: "POST", Path: "/undo"})
		return err
	}
	return &scenarios.Drive[waited]{
		ID: "toy/until",
		Run: func(ctx context.Context, c *scenarios.Conn, o *waited) {
			c.Leave("a thing", undo)
			c.Leave("a try", undo)
			o.Name, o.Before = c.Name("thing"), c.Do(ctx, wire.Call{Method: "GET", Path: "/count"}).Value("/n")
			c.Until("a limit", limit, "a thing")
		},
		Later: func(ctx context.Context, c *scenarios.Conn, o *waited) {
			c.Leave("a thing", undo)
			o.Second, o.After = c.Name("thing"), c.Do(ctx, wire.Call{Method: "GET", Path: "/count"}).Value("/n")
		},
	}
}

func certifyLimited(t *testing.T, h *limited, o scenarios.Options, limit time.Duration) (*scenarios.Report, error) {
	t.Helper()
	judge := func(o waited, j *scenarios.Judge) {
		is(1, "TOY-1")(counted{o.Before}, j)
		is(2, "TOY-1")(counted{o.After}, j)
		if o.Name == o.Second {
			j.Block("the two parts of the drive drew the same name", "draw on")
		}
	}
	beside := &scenarios.Drive[counted]{ID: "toy/beside", Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
		o.N = c.Do(ctx, wire.Call{Method: "GET", Path: "/hello"}).Value("/counts")
	}}
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: h.url}, o, suite(
		one("a", counts, scenarios.Ask(untilDrive(limit), judge), "TOY-1"),
		one("b", counts, scenarios.Ask(beside, func(_ counted, j *scenarios.Judge) { j.Block("as ever", "nothing") }), "TOY-2")))
	if err != nil {
		return nil, err
	}
	return c.Finish(t.Context()), nil
}

func TestAShortLimitIsWaitedFor(t *testing.T) {
	h := newLimited(t)
	r, err := certifyLimited(t, h, scenarios.Options{}, time.Millisecond)
	if err != nil || r.Outcomes[0].Verdict != scenarios.Passed || len(r.Pending) > 0 {
		t.Errorf("%v, %+v", err, r.Outcomes[0])
	}
}

func TestALongLimitIsBlocked(t *testing.T) {
	h := newLimited(t)
	r, err := certifyLimited(t, h, scenarios.Options{}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if o := r.Outcomes[0]; o.Verdict != scenarios.Blocked || o.Reason != "a limit takes 1h0m0s, longer than a drive may wait" {
		t.Errorf("%+v", o)
	}
	if _, pending, err := r.Begun(); pending || err != nil || h.undone.Load() != 2 {
		t.Errorf("pending %v, %v, %d undone", pending, err, h.undone.Load())
	}
}

// What is launched is gone on with when its limit is over by the clock of the host, with its own exchanges and names.
func TestALongLimitIsLaunched(t *testing.T) {
	h := newLimited(t)
	h.ahead.Store(int64(24 * time.Hour))
	r, err := certifyLimited(t, h, scenarios.Options{Launch: true, Seed: 7}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	begun, pending, err := r.Begun()
	if !pending || err != nil || h.undone.Load() != 1 {
		t.Fatalf("pending %v, %v, %d undone, and a try was to be", pending, err, h.undone.Load())
	}
	if p := begun.Pending[0]; p.Drive != "toy/until" || p.Limit != time.Hour || !slices.Equal(p.Left, []string{"a thing"}) ||
		time.Until(p.Since) < 23*time.Hour {
		t.Errorf("%+v", p)
	}

	_, err = certifyLimited(t, h, scenarios.Options{Launch: true, Resume: begun}, time.Hour)
	early, is := errors.AsType[*scenarios.NotDueError](err)
	if !is || early.In > time.Hour+time.Minute || early.In < 59*time.Minute || h.asked.Load() != 1 {
		t.Fatalf("%v", err)
	}

	h.ahead.Store(int64(26 * time.Hour))
	again, err := certifyLimited(t, h, scenarios.Options{Launch: true, Resume: begun}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if again.RunID != r.RunID || !again.Started.Equal(r.Started) || again.Seed != 7 || len(again.Pending) > 0 {
		t.Errorf("it is another certification: %+v", again.RunID)
	}
	if a, b := again.Outcomes[0], again.Outcomes[1]; a.Verdict != scenarios.Passed || b.Verdict != scenarios.Blocked || b.Reason != "as ever" {
		t.Errorf("%+v, %+v", a, b)
	}
	if h.asked.Load() != 2 || h.undone.Load() != 2 {
		t.Errorf("%d asked, %d undone", h.asked.Load(), h.undone.Load())
	}
	if drive, err := scenarios.Redraw(again.Drives, again.Seed, again.RunID.ID); err != nil {
		t.Errorf("%s: %v", drive, err)
	}

	begun.Transcripts["toy.until.json"] = []byte(`{"schema":"assay.transcript/1","drive":"toy/until","observation":{"else":1},"entries":[]}`)
	if _, err := certifyLimited(t, h, scenarios.Options{Resume: begun}, time.Hour); !errors.Is(err, scenarios.ErrOtherRecords) {
		t.Errorf("another observation: %v", err)
	}
}
