package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
)

// TestFoldModel folds random records, many of which do not belong where they come, beside a plain model of jobs.
func TestFoldModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s State
		model := map[string]Status{}
		attempts := map[string]int{}
		rows := map[string]string{}
		var ids []string
		at := epoch
		id := func(t *rapid.T) string { return rapid.SampledFrom(append(ids, "stranger")).Draw(t, "job") }
		// fold folds a record that must be taken, or must not.
		fold := func(t *rapid.T, fits bool, r Record) {
			at = at.Add(time.Second)
			r.At = at
			before := s.Clone()
			if err := s.Fold(r); (err == nil) != fits {
				t.Fatalf("%+v: fold says %v, the model says that it fits: %v", r, err, fits)
			}
			if !fits {
				if diff := cmp.Diff(before, s, cmp.AllowUnexported(State{}), cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("a record that was refused left its mark: %s", diff)
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"enqueue": func(t *rapid.T) {
				j := fmt.Sprintf("j%d", rapid.IntRange(0, 12).Draw(t, "new"))
				_, known := model[j]
				fold(t, !known, Record{Enqueued: []Job{{ID: j, Attempt: 1}}})
				if !known {
					ids, model[j], attempts[j] = append(ids, j), Queued, 1
				}
			},
			"claim": func(t *rapid.T) {
				j := id(t)
				fits := model[j] == Queued
				fold(t, fits, Record{Claimed: &Claimed{j}})
				if fits {
					model[j] = Running
				}
			},
			"end": func(t *rapid.T) {
				j, status := id(t), rapid.SampledFrom([]Status{Succeeded, Failed, TimedOut, Dead, Queued, Running}).Draw(t, "status")
				fits := model[j] == Running && status != Running
				fold(t, fits, Record{Ended: &Ended{Job: j, Status: status}})
				if fits {
					model[j] = status
					if status == Queued {
						attempts[j]++
					}
				}
			},
			"recover": func(t *rapid.T) {
				j, status := id(t), rapid.SampledFrom([]Status{Queued, Dead, Succeeded}).Draw(t, "status")
				fits := model[j] == Running && status != Succeeded
				fold(t, fits, Record{Recovered: []Recovered{{j, status}}})
				if fits {
					model[j] = status
					if status == Queued {
						attempts[j]++
					}
				}
			},
			"commit": func(t *rapid.T) {
				key := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key")
				updates, fits := fmt.Sprintf(`{%q:%d}`, key, at.Unix()), rapid.Bool().Draw(t, "sound")
				if !fits {
					updates = `[]`
				}
				replaces := fits && rapid.Bool().Draw(t, "replaces")
				fold(t, fits, Record{Committed: &Committed{"p", []byte(updates), replaces}})
				if replaces {
					clear(rows)
				}
				if fits {
					rows[key] = fmt.Sprint(at.Add(-time.Second).Unix())
				}
			},
			"": func(t *rapid.T) {
				for i, j := range s.Jobs {
					if j.ID != ids[i] || j.Status != model[j.ID] || j.Attempt != attempts[j.ID] {
						t.Fatalf("job %d is %+v, the model has %s %s, attempt %d", i, j, ids[i], model[ids[i]], attempts[ids[i]])
					}
				}
				keys, err := object(s.Row("p"))
				if err != nil {
					t.Fatal(err)
				}
				got := map[string]string{}
				for k, v := range keys {
					got[k] = string(v)
				}
				if diff := cmp.Diff(rows, got); diff != "" {
					t.Fatalf("row: %s", diff)
				}
			},
		})
	})
}

// life is a gateway under random orders: plugins that answer at random, though always the same to the same attempt, and
// crashes at random turns.
type life struct {
	t       *rapid.T
	o       Options
	g       *Gateway
	seed    uint64
	running int
	claims  []string // jobs, as they were claimed
	starts  int
}

func newLife(t *rapid.T) *life {
	l := &life{t: t, seed: rapid.Uint64().Draw(t, "seed")}
	r := &rig{}
	for i := range 3 {
		r.pipeline(fmt.Sprintf("e%d", i), fmt.Sprintf("p%d", i), fmt.Sprintf("p%d", (i+1)%3))
	}
	now := clock.NewManual(epoch)
	l.o = Options{
		Clock: now, Idle: now.Set,
		Log: &memoryLog{}, Config: r.o.Config, Workspace: NoWorkspace, Seed: 7, MaxTurns: 100000,
		Commit:  rapid.SampledFrom([]Commit{TwoCommits, Outbox}).Draw(t, "commit"),
		Retries: rapid.Bool().Draw(t, "retries"), Dedupe: rapid.Bool().Draw(t, "dedupe"),
		Context: rapid.SampledFrom([]ContextMode{Accumulate, NoContext, Baggage}).Draw(t, "context"),
	}
	handlers := InProcess{}
	for i := range 3 {
		name := fmt.Sprintf("p%d", i)
		handlers[name] = l.handle
		l.o.Plugins = append(l.o.Plugins, InProcessPlugin(name))
	}
	l.o.Runner = handlers
	l.o.Observe = l.observe
	for turn := 1; turn < 60; turn++ {
		if rapid.IntRange(0, 5).Draw(t, "crash") == 0 {
			c := Crash{Point: rapid.SampledFrom(CrashPoints()).Draw(t, "point"), Turn: turn}
			if c.Point == AfterEnqueue {
				c.Job = rapid.IntRange(1, 2).Draw(t, "job")
			}
			l.o.Crashes = append(l.o.Crashes, c)
		}
	}
	return l
}

// handle answers by a number that follows from the request: with events, with an error, or with nonsense. The deeper a job
// stands, the fewer events it gives, so that every life ends.
func (l *life) handle(_ context.Context, request []byte) ([]byte, int) {
	req := asked(request)
	var payload struct {
		Depth int `json:"depth"`
	}
	_ = json.Unmarshal(req.Event.Payload, &payload)
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, l.seed, req.JobID)
	n := h.Sum64()
	switch n % 8 {
	case 0:
		return failing(n%3 == 0)(context.Background(), request)
	case 1:
		return []byte("nonsense"), 0
	case 2:
		return nil, 1
	}
	var events []agenticloopv2.Event
	for i := range int(n / 8 % 3) {
		if payload.Depth < 4 {
			events = append(events, agenticloopv2.Event{
				Type: fmt.Sprintf("e%d", (n/64+uint64(i))%4), Payload: raw(map[string]any{"depth": payload.Depth + 1}),
				DedupeKey: fmt.Sprintf("k%d", n/512%5),
			})
		}
	}
	return ok(map[string]any{"jobs": map[string]bool{req.JobID: true}}, events...)
}

func (l *life) observe(r Record) {
	if r.Claimed != nil {
		l.claims = append(l.claims, r.Claimed.Job)
		if l.running++; l.running > 1 {
			l.t.Fatalf("%d jobs run at a time", l.running)
		}
	}
	if r.Ended != nil || len(r.Recovered) > 0 {
		l.running--
	}
}

func (l *life) open() {
	var err error
	l.g, err = Open(context.Background(), l.o)
	if err != nil {
		l.t.Fatal(err)
	}
}

// TestLives: whatever plugins answer and wherever the gateway crashes, the queue is drained in the order of arrival, one job
// at a time, and what a gateway holds is the fold of its log.
func TestLives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLife(t)
		l.open()
		t.Repeat(map[string]func(*rapid.T){
			"start": func(t *rapid.T) {
				e := agenticloopv2.Event{Type: "e" + fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "type")), Payload: raw(map[string]any{"depth": 0})}
				if _, err := l.g.Start(context.Background(), "p0", e); err != nil {
					t.Fatal(err)
				}
				l.starts++
			},
			"drain": func(t *rapid.T) {
				for err := l.g.Drain(context.Background()); err != nil; err = l.g.Drain(context.Background()) {
					if crashed := (*CrashError)(nil); !errors.As(err, &crashed) {
						t.Fatal(err)
					}
					l.open()
				}
				s, err := l.g.State(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				for _, j := range s.Jobs {
					if !j.Status.Ended() || j.Attempt > j.MaxAttempts {
						t.Fatalf("the queue is drained, and there is %+v", j)
					}
				}
				l.check(t, s)
			},
		})
	})
}

// check holds a gateway against its log.
func (l *life) check(t *rapid.T, s State) {
	var again State
	if err := l.o.Log.Each(context.Background(), logName, 0, func(e eventlog.Entry) error { return foldEntry(&again, e) }); err != nil {
		t.Fatal(err)
	}
	if string(raw(again)) != string(raw(s)) { // cmp takes a second over a hundred jobs
		t.Fatalf("the state is not the fold of the log: %s", cmp.Diff(again, s, cmp.AllowUnexported(State{}), cmpopts.EquateEmpty()))
	}
	if s.Turns != len(l.claims) {
		t.Fatalf("%d turns, and %d claims were told", s.Turns, len(l.claims))
	}
	turns := map[string]int{}
	var firsts []string
	for _, id := range l.claims {
		if turns[id]++; turns[id] == 1 {
			firsts = append(firsts, id)
		}
	}
	var arrivals []string
	roots := 0
	for _, j := range s.Jobs {
		if turns[j.ID] > 0 {
			arrivals = append(arrivals, j.ID)
		}
		if turns[j.ID] > j.Attempt {
			t.Fatalf("attempt %d of job %s, and %d turns", j.Attempt, j.ID, turns[j.ID])
		}
		if j.Parent == "" {
			roots++
		} else if parent, known := s.Job(j.Parent); !known || turns[parent.ID] == 0 {
			t.Fatalf("job %s has a parent that never ran", j.ID)
		}
	}
	if !slices.Equal(firsts, arrivals) {
		t.Fatalf("jobs came to their first turn as %v, and had arrived as %v", firsts, arrivals)
	}
	if roots != l.starts {
		t.Fatalf("%d jobs from outside, and %d were started", roots, l.starts)
	}
	if l.o.Commit == Outbox && !l.o.Dedupe {
		l.checkOutbox(t, s)
	}
}

// checkOutbox: with everything appended at once, no job has children of two of its attempts.
func (l *life) checkOutbox(t *rapid.T, s State) {
	type place struct {
		parent, event, pipeline string
		step                    int
	}
	seen := map[place]bool{}
	for _, j := range s.Jobs {
		parent, known := s.Job(j.Parent)
		if !known {
			continue
		}
		if parent.Status != Succeeded {
			t.Fatalf("job %s is %s, and has a child", parent.ID, parent.Status)
		}
		p := place{j.Parent, j.Event.EventID, j.Pipeline, j.Step}
		if seen[p] {
			t.Fatalf("two children at %+v", p)
		}
		seen[p] = true
	}
}
