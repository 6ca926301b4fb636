package surface

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
)

// lagging is a clock that keeps back what is set for so long from now until it is let go.
type lagging struct {
	clock.Clock
	by   time.Duration
	mu   sync.Mutex
	kept []func()
}

func (l *lagging) AfterFunc(d time.Duration, f func()) clock.Timer {
	if d != l.by {
		return l.Clock.AfterFunc(d, f)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, f)
	return stopped{}
}

// letGo calls what was kept back, and tells whether there was anything.
func (l *lagging) letGo() bool {
	l.mu.Lock()
	kept := l.kept
	l.kept = nil
	l.mu.Unlock()
	for _, f := range kept {
		f()
	}
	return len(kept) > 0
}

func (l *lagging) keeps() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.kept) > 0
}

type stopped struct{}

func (stopped) Stop() bool { return true }

// lateChild is how a run looks whose child has ended, and how it goes on.
func lateChild(t *testing.T, o Options) string {
	t.Helper()
	late := &lagging{Clock: clock.Real(), by: 50 * time.Millisecond}
	o.Clock = late
	c := serve(t, o)
	id := c.tell("POST", "/v1/runs", aLoop).text("runId")
	deadline := time.Now().Add(patience)
	for ; !late.keeps(); time.Sleep(time.Millisecond) {
		switch {
		case c.tell("GET", "/v1/runs/"+id, nil).text("status") == "completed":
			return "at once"
		case time.Now().After(deadline):
			t.Fatal("the run neither ends nor waits")
		}
	}
	run := c.tell("GET", "/v1/runs/"+id, nil)
	child := c.tell("GET", "/v1/runs/"+fmt.Sprint(list(run.doc["childRuns"])[0]["runId"]), nil)
	late.letGo()
	c.reaches(id, "completed")
	return fmt.Sprintf("the child is %s, the run %s; completed later", child.text("status"), run.text("status"))
}

// lateAnswer is what an answer is answered with, and how the run goes on.
func lateAnswer(t *testing.T, o Options) string {
	t.Helper()
	late := &lagging{Clock: clock.Real(), by: 50 * time.Millisecond}
	o.Clock = late
	c := serve(t, o)
	id := c.tell("POST", "/v1/runs", `{"workflowId":"conformance-approval"}`).text("runId")
	c.reaches(id, string(openwopv1.RunStatusWaitingApproval))
	node := c.tell("GET", "/v1/runs/"+id, nil).text("currentNodeId")
	says := "answered with " + c.tell("POST", "/v1/runs/"+id+"/interrupts/"+node, accepts).text("status")
	if c.tell("GET", "/v1/runs/"+id, nil).text("status") == "completed" {
		return says
	}
	if !late.letGo() {
		t.Error("the run does not go on")
	}
	c.reaches(id, "completed")
	return says + "; completed later"
}

// pollOfStill is how a poll ends of a run with nothing to tell.
func pollOfStill(t *testing.T, o Options) string {
	t.Helper()
	held := &lagging{Clock: clock.Real(), by: 30 * time.Second}
	o.Wire = held
	c := serve(t, o)
	id := c.tell("POST", "/v1/runs", `{"workflowId":"conformance-approval"}`).text("runId")
	c.reaches(id, string(openwopv1.RunStatusWaitingApproval))
	path := fmt.Sprintf("/v1/runs/%s/events/poll?timeout=30&lastSequence=%d", id, len(c.events(id))-1)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		c.tell("GET", path, nil)
	}()
	how := "at once"
	for ; ; time.Sleep(time.Millisecond) {
		select {
		case <-answered:
			return how
		default:
			if held.letGo() {
				how = "held until it is over"
			}
		}
	}
}
