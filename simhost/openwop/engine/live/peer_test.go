package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
)

// fakePeer is another host as an engine sees it. A run there ends at once, or when it is cancelled.
type fakePeer struct {
	mu    sync.Mutex
	made  map[string]PeerCreate // by run id
	waits bool                  // until it is cancelled
	ended map[string]chan struct{}
	busy  int // how many calls are refused before the next one is answered
}

func newFakePeer(waits bool) *fakePeer {
	return &fakePeer{made: map[string]PeerCreate{}, waits: waits, ended: map[string]chan struct{}{}}
}

var errBusy = errors.New("not now")

func (p *fakePeer) refuses() bool {
	p.busy--
	return p.busy >= 0
}

func (p *fakePeer) Create(_ context.Context, c PeerCreate) (PeerRun, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := "there-" + c.Key
	if before, known := p.made[id]; known && !cmp.Equal(before, c) {
		return PeerRun{}, codes.Refuse(codes.Validation, "the same key asks for something else")
	} else if !known {
		p.made[id], p.ended[id] = c, make(chan struct{})
		if !p.waits {
			close(p.ended[id])
		}
	}
	if p.refuses() { // it is made, and the answer is lost
		return PeerRun{}, errBusy
	}
	return PeerRun{RunID: id, HostID: "host-b", Status: openwopv1.RunStatusPending}, nil
}

func (p *fakePeer) Look(ctx context.Context, id string, _ int64) (PeerState, error) {
	p.mu.Lock()
	done, c, refuses := p.ended[id], p.made[id], p.refuses()
	p.mu.Unlock()
	if refuses {
		return PeerState{}, errBusy
	}
	select {
	case <-done:
	case <-ctx.Done():
		return PeerState{}, ctx.Err()
	}
	s := PeerState{Ended: true, EventID: id + "-end", Status: openwopv1.RunStatusCompleted,
		Variables: map[string]any{"word": c.Inputs["word"]}}
	if p.waits {
		s.Status = openwopv1.RunStatusCancelled
	}
	return s, nil
}

func (p *fakePeer) Cancel(_ context.Context, id, _ string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuses() {
		return errBusy
	}
	select {
	case <-p.ended[id]:
	default:
		close(p.ended[id])
	}
	return nil
}

func (p *fakePeer) runs() (ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.made {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func knows(p *fakePeer) option {
	return func(o *Options) { o.Peers = map[string]Peer{"second": p} }
}

// overThere asks for a loop whose workers run on a peer, one a turn.
func overThere(workers ...string) Create {
	plan := []any{}
	for _, w := range workers {
		plan = append(plan, map[string]any{"kind": "next-worker", "nextWorkerIds": []any{w}})
	}
	return Create{WorkflowID: "assay-dispatch-remote", Inputs: map[string]any{"plan": append(plan,
		map[string]any{"kind": "terminate"}), "said": "word"}}
}

// chained are the steps of handoffs on a log, each with its cause and the host of that.
func chained(t *testing.T, events []event.Event) (out []string) {
	t.Helper()
	for _, e := range events {
		if e.Type == event.Handoff {
			p := parse[event.HandoffPayload](t, string(e.Payload))
			out = append(out, fmt.Sprintf("%s %s %s", p.Phase, e.CausationID, p.CausationHostID))
		}
	}
	return out
}

// inSingles has every event appended by itself, so that the host can be killed between any two.
func inSingles(o *Options) { o.cut = 1 }

// await waits for the end of a run.
func (h *host) await(id string) openwopv1.RunSnapshot {
	h.t.Helper()
	h.until(id, func(e event.Event) bool {
		return e.Type == event.RunCompleted || e.Type == event.RunCancelled ||
			e.Type == event.RunFailed
	})
	return h.snapshot(id)
}

// revive starts another host over what a killed one has left.
func (h *host) revive() {
	h.t.Helper()
	h.Close()
	h.log = h.log.survivor()
	h.o.Log = h.log
	h.start()
}

// killedOrEnded waits until the log is killed, or a run has ended before that.
func (h *host) killedOrEnded(id string) {
	for {
		select {
		case <-h.dead():
			return
		default:
		}
		if s, err := h.Snapshot(soon(h.t), id); err == nil && state.Ended(s.Status) {
			return
		}
		runtime.Gosched()
	}
}

// A host that has a child made elsewhere is killed between any two appends: the next one finds that child, and makes no other.
func TestKilledWithAChildElsewhere(t *testing.T) {
	whole := newHost(t, inSingles, knows(newFakePeer(false)))
	id := whole.create(overThere("second/assay-echo")).RunID
	whole.await(id)
	want := chained(t, whole.events(id))
	for k := range whole.log.count() {
		peer := newFakePeer(false)
		h := newHost(t, inSingles, knows(peer))
		h.log.kill(k)
		if _, err := h.Create(soon(t), overThere("second/assay-echo")); err == nil {
			h.killedOrEnded(id)
		}
		h.revive()
		if _, err := h.Snapshot(soon(t), id); code(err) == codes.NotFound {
			continue // it never began
		}
		h.await(id)
		if diff := cmp.Diff(want, chained(t, h.events(id))); diff != "" {
			t.Errorf("killed after %d appends, it goes on otherwise (-unharmed +killed):\n%s", k, diff)
		}
		if runs := peer.runs(); len(runs) != 1 {
			t.Errorf("killed after %d appends, it made %q", k, runs)
		}
	}
}

// The same while it stops that child.
func TestKilledWhileItStopsAChildElsewhere(t *testing.T) {
	for k := range 6 {
		peer := newFakePeer(true)
		h := newHost(t, inSingles, knows(peer))
		id := h.begin(overThere("second/assay-echo"))
		h.until(id, func(e event.Event) bool { return e.Type == event.NodeDispatched })
		h.log.kill(k)
		if _, err := h.Cancel(soon(t), id, "enough"); err == nil {
			h.killedOrEnded(id)
		}
		h.revive()
		if _, err := h.Cancel(soon(t), id, "enough"); err != nil {
			t.Fatal(err)
		}
		s := h.await(id)
		steps := chained(t, h.events(id))
		child := peer.runs()
		if s.Status != openwopv1.RunStatusCancelled || len(child) != 1 || steps[len(steps)-1] != "child.cancelled "+child[0]+"-end host-b" {
			t.Errorf("killed after %d appends, it ends %s with %q and the children %q", k, s.Status, steps, child)
		}
	}
}

// A peer that does not answer at once is asked again, whatever it is asked.
func TestPeerThatIsBusy(t *testing.T) {
	for busy := range 4 {
		peer := newFakePeer(false)
		peer.busy = busy
		h := newHost(t, knows(peer))
		s, err := h.Create(soon(t), overThere("second/assay-echo", "second/assay-echo"))
		if err != nil {
			t.Fatal(err)
		}
		if s := h.await(s.RunID); s.Variables["heard"] != "word" || len(peer.runs()) != 2 {
			t.Errorf("after %d refusals: heard %v, runs %q", busy, s.Variables["heard"], peer.runs())
		}
	}
}

// What is asked of a peer says where it comes from: trace and depth go on from parent to child.
func TestWhatAPeerIsTold(t *testing.T) {
	peer := newFakePeer(false)
	h := newHost(t, knows(peer))
	c := overThere("second/assay-echo")
	c.Trace = "0af7651916cd43dd8448eb211c80319c"
	c.Origin = &state.Origin{RunID: "r", HostID: "host-z", Depth: 4}
	s, err := h.Create(soon(t), c)
	if err != nil {
		t.Fatal(err)
	}
	h.await(s.RunID)
	told := peer.made[peer.runs()[0]]
	if told.WorkflowID != "assay-echo" || told.ParentRunID != s.RunID || told.Depth != 5 || told.TraceParent[:36] != "00-"+c.Trace+"-" {
		t.Errorf("the peer is told %+v", told)
	}
	var child state.ChildView
	if err := json.Unmarshal(h.snapshot(s.RunID).ChildRuns[0], &child); err != nil || child.RunID != peer.runs()[0] {
		t.Errorf("the snapshot names the child %+v (%v)", child, err)
	}
	c.Origin.Depth = step.MaxDepth
	if s, err = h.Create(soon(t), c); err != nil {
		t.Fatal(err)
	}
	h.await(s.RunID)
	if got := chained(t, h.events(s.RunID)); len(got) != 2 || len(peer.runs()) != 1 {
		t.Errorf("deeper than runs may go, the handoff is %q", got)
	}
}
