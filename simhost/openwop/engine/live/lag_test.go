package live

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

const testLag = 50 * time.Millisecond

func lagging(o *Options) { o.ChildLag, o.AnswerLag = testLag, testLag }

// What is seen late, and done late, is the same in the end, also where the host is started again in between.
func TestLagsChangeNoLog(t *testing.T) {
	for _, l := range lives(t) {
		if l.cancel || l.advance > 0 {
			continue // what such a life comes to depends on the time
		}
		t.Run(l.name, func(t *testing.T) {
			want := l.story(t, l.host(t), false)
			for name, restarts := range map[string]bool{"late": false, "late, and started again": true} {
				if diff := cmp.Diff(want, l.story(t, l.host(t, lagging), restarts)); diff != "" {
					t.Errorf("%s (-at once +late):\n%s", name, diff)
				}
			}
		})
	}
}

// story drives a run to its end and is the types of its events. The clock is moved where nothing else moves the run.
func (l life) story(t *testing.T, h *host, restarts bool) (types []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testenv.Patience(20*time.Second))
	defer cancel()
	made, err := h.Create(ctx, l.create)
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range l.answers {
		waiting := h.open(ctx, made.RunID)
		if _, err := h.Resolve(ctx, waiting.RunID, waiting.node, json.RawMessage(answer)); err != nil {
			t.Fatal(err)
		}
		if restarts {
			h.restart()
		}
	}
	for {
		events, ended, err := h.Events(ctx, made.RunID, -1)
		switch {
		case err != nil:
			t.Fatal(err)
		case ended:
			for _, e := range events {
				types = append(types, string(e.Type))
			}
			return types
		case ctx.Err() != nil:
			t.Fatalf("the run does not end: %v", events)
		}
		h.clock.Advance(testLag)
	}
}

type asking struct{ RunID, node string }

// open finds the run that waits for an answer, which is a run or its child, and moves the clock until there is one.
func (h *host) open(ctx context.Context, id string) asking {
	h.t.Helper()
	for ctx.Err() == nil {
		s, err := h.Snapshot(ctx, id)
		if err != nil {
			h.t.Fatal(err)
		}
		if s.Interrupt != nil && s.CurrentNodeID != nil {
			return asking{id, *s.CurrentNodeID}
		}
		for _, raw := range s.ChildRuns {
			var child state.ChildView
			if err := json.Unmarshal(raw, &child); err != nil {
				h.t.Fatal(err)
			}
			if c, err := h.Snapshot(ctx, child.RunID); err == nil && c.Interrupt != nil && c.CurrentNodeID != nil {
				return asking{child.RunID, *c.CurrentNodeID}
			}
		}
		h.clock.Advance(testLag)
	}
	h.t.Fatal("nobody asks")
	return asking{}
}

// An id says which shape it has, and so does every id that derives from it.
func TestShapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SampledFrom([]workflow.Shape{workflow.Letters, workflow.PrefixUUID, workflow.BareUUID}).Draw(t, "shape")
		chosen := [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "chosen"))
		id := shape.Run(chosen)
		e := workflow.EventID(id, rapid.Int64Range(0, 1<<40).Draw(t, "sequence"))
		child := workflow.ChildRunID(e)
		for _, got := range []string{id, e, child} {
			if workflow.ShapeOf(got) != shape {
				t.Fatalf("%s has shape %d, want %d", got, workflow.ShapeOf(got), shape)
			}
		}
		if !workflow.IsRunID(id) || !workflow.IsRunID(child) || workflow.IsRunID(e) || id == child {
			t.Fatalf("ids %s, %s of a child and %s of an event", id, child, e)
		}
	})
}
