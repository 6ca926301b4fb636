package prove_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/statetest"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/prove"
	"github.com/openassay/assay/tools/prove/manners"
)

// Whatever is asked of the simulated host, in whatever order, its runs keep what the suites hold every run to; and every
// snapshot that was served is the fold of the log as it was served with it.
func TestInterleavingsKeepWhatTheSuitesAsk(t *testing.T) {
	many(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, rt)
		defer w.close()
		rt.Repeat(map[string]func(*rapid.T){
			"create":     w.create,
			"create two": func(rt *rapid.T) { w.create(rt); w.create(rt) },
			"resolve":    w.resolve,
			"cancel":     w.cancel,
			"fork":       w.fork,
			"file":       w.file,
			"wait": func(rt *rapid.T) {
				w.clock.Advance(time.Duration(rapid.IntRange(1, 40_000).Draw(rt, "ms")) * time.Millisecond)
			},
			"restart": func(*rapid.T) { w.restart() },
			"cut":     w.cut,
			"": func(rt *rapid.T) {
				w.settle()
				w.judge(rt)
			},
		})
		clear(w.over) // whatever happened since they ended
		w.judge(rt)
		w.close()
		w.refold(rt)
	})
}

// world is a host, what was asked of it, and what it has served.
type world struct {
	t       *testing.T
	rt      *rapid.T
	options surface.Options
	clock   *clock.Manual
	host    *surface.Host
	runs    []string // that were asked for, or that one of those dispatched
	logs    map[string]host.RunLog
	pages   map[string]string // the logs as they were served last
	forks   map[string]suites.Standing
	served  map[string][]served
	over    map[string]bool // runs that had ended when they were judged
}

// served is a snapshot, and how many events the log had with it.
type served struct {
	snapshot openwopv1.RunSnapshot
	events   int
}

func newWorld(t *testing.T, rt *rapid.T) *world {
	w := &world{t: t, rt: rt, clock: clock.NewManual(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)), logs: map[string]host.RunLog{},
		pages: map[string]string{}, forks: map[string]suites.Standing{}, served: map[string][]served{}, over: map[string]bool{}}
	w.options = surface.Options{
		Key: prove.Key, DataDir: t.TempDir(), Clock: w.clock, Seed: rapid.Uint64Range(1, 1<<32).Draw(rt, "seed"),
		Version:             rapid.SampledFrom([]int{1, 4, 5, 5, 5, 6}).Draw(rt, "version"),
		EscalationInterrupt: rapid.SampledFrom(surface.EscalationInterrupts()).Draw(rt, "escalation"),
		MaxLoopIterations:   6, MaxNodeExecutions: 40, MaxRunDuration: 2 * time.Minute,
	}
	w.open()
	return w
}

func (w *world) open() {
	var err error
	if w.host, err = surface.New(context.Background(), w.options); err != nil {
		w.rt.Fatal(err)
	}
}

// close ends the host wherever its runs are.
func (w *world) close() {
	if w.host == nil {
		return
	}
	if err := w.host.Close(context.Background()); err != nil {
		w.rt.Fatal(err)
	}
	w.host = nil
}

func (w *world) restart() {
	w.close()
	w.open()
}

// cut ends the host while something goes on, and starts another.
func (w *world) cut(rt *rapid.T) {
	rapid.SampledFrom([]func(*rapid.T){w.create, w.create, w.resolve, w.cancel, w.fork}).Draw(rt, "under way")(rt)
	w.restart()
}

// ask sends a request, decodes the reply into out, and returns its status and its body.
func (w *world) ask(method, path string, body, out any) (int, []byte) {
	request := httptest.NewRequest(method, path, strings.NewReader(string(asJSON(body))))
	if body == nil {
		request = httptest.NewRequest(method, path, nil)
	}
	request.Header.Set("Authorization", "Bearer "+prove.Key)
	request.Header.Set("Content-Type", "application/json")
	got := manners.Record(w.host.Handler(), request)
	if got.Code >= http.StatusInternalServerError {
		w.rt.Fatalf("%s %s: HTTP %d: %s", method, path, got.Code, got.Body)
	}
	if out != nil && got.Code < http.StatusBadRequest {
		if err := json.Unmarshal(got.Body.Bytes(), out); err != nil {
			w.rt.Fatalf("%s %s: %v", method, path, err)
		}
	}
	return got.Code, got.Body.Bytes()
}

func (w *world) create(rt *rapid.T) {
	ask := object{}
	workflow := rapid.SampledFrom([]string{"assay-loop", "assay-loop", "assay-loop-ask-user", "assay-loop-mapped",
		"assay-loop-mapped", "assay-loop-workspace",
		"assay-loop-waits", "assay-random", "assay-dispatch-alone", "conformance-cap-breach", "conformance-delay",
		"conformance-orchestrator-low-confidence"}).Draw(rt, "workflow")
	if strings.HasPrefix(workflow, "assay-loop") && workflow != "assay-loop-waits" {
		ask["inputs"] = object{"plan": rapid.SliceOfN(anyDecision(), 0, 6).Draw(rt, "plan")}
	}
	if rapid.IntRange(0, 2).Draw(rt, "bounded") == 0 {
		switch rapid.IntRange(0, 2).Draw(rt, "bound") {
		case 0:
			ask["configurable"] = object{"maxLoopIterations": rapid.IntRange(1, 5).Draw(rt, "turns")}
		case 1:
			ask["configurable"] = object{"recursionLimit": rapid.IntRange(1, 8).Draw(rt, "nodes")}
		default:
			ask["configurable"] = object{"runTimeoutMs": rapid.IntRange(1, 30_000).Draw(rt, "ms")}
		}
	}
	ask["workflowId"] = workflow
	var made openwopv1.CreateRunResponse
	if status, body := w.ask(http.MethodPost, "/v1/runs", ask, &made); status != http.StatusCreated {
		rt.Fatalf("create %s: HTTP %d: %s", asJSON(ask), status, body)
	}
	w.runs = append(w.runs, made.RunID)
}

// anyDecision is one of a supervisor's, with workers that complete, fail, wait, ask or do not exist.
func anyDecision() *rapid.Generator[object] {
	workers := []string{"conformance-noop", "assay-echo", "assay-echo-again", "conformance-dispatch-deterministic-fail-child",
		"conformance-dispatch-cancellable-child", "assay-loop-ask-user", "no-such-workflow"}
	return rapid.Custom(func(rt *rapid.T) object {
		d := object{}
		switch rapid.IntRange(0, 6).Draw(rt, "kind") {
		case 0:
			d["kind"], d["prompt"] = "ask-user", "Shall it go on?"
		case 1:
			d["kind"], d["reason"] = "terminate", "done"
		default:
			d["kind"], d["nextWorkerIds"] = "next-worker", rapid.SliceOfN(rapid.SampledFrom(workers), 1, 3).Draw(rt, "workers")
		}
		if d["kind"] != "ask-user" && rapid.IntRange(0, 3).Draw(rt, "weighed") == 0 {
			d["confidence"] = rapid.SampledFrom([]float64{0, 0.49, 0.5, 1}).Draw(rt, "confidence")
		}
		return d
	})
}

func (w *world) anyRun(rt *rapid.T) (string, openwopv1.RunSnapshot) {
	if len(w.runs) == 0 {
		rt.Skip("no run yet")
	}
	id := rapid.SampledFrom(w.runs).Draw(rt, "run")
	return id, w.snapshot(id)
}

func (w *world) snapshot(id string) (s openwopv1.RunSnapshot) {
	if status, body := w.ask(http.MethodGet, "/v1/runs/"+id, nil, &s); status != http.StatusOK {
		w.rt.Fatalf("run %s: HTTP %d: %s", id, status, body)
	}
	return s
}

// resolve answers a run, whether it waits or not, where it waits or somewhere else, with what may answer it.
func (w *world) resolve(rt *rapid.T) {
	id, s := w.anyRun(rt)
	node := "supervisor"
	if s.CurrentNodeID != nil && rapid.IntRange(0, 3).Draw(rt, "astray") > 0 {
		node = *s.CurrentNodeID
	}
	value := rapid.SampledFrom([]string{`{"answers":{"q1":"yes"}}`, `{"action":"accept"}`, `{"action":"reject"}`, `{"answers":{}}`,
		`7`}).Draw(rt, "value")
	status, body := w.ask(http.MethodPost, "/v1/runs/"+id+"/interrupts/"+node, object{"resumeValue": json.RawMessage(value)}, nil)
	if status == http.StatusOK && !waits(s.Status) {
		rt.Fatalf("a run that is %s was answered: %s", s.Status, body)
	}
}

func (w *world) cancel(rt *rapid.T) {
	id, s := w.anyRun(rt)
	if status, body := w.ask(http.MethodPost, "/v1/runs/"+id+"/cancel", object{}, nil); status != http.StatusOK {
		rt.Fatalf("cancel a run that is %s: HTTP %d: %s", s.Status, status, body)
	}
}

// fork makes a fork from anywhere, and keeps what its source was then.
func (w *world) fork(rt *rapid.T) {
	id, _ := w.anyRun(rt)
	source := w.read(id)
	from := rapid.Int64Range(0, int64(len(source.Events))).Draw(rt, "from")
	mode := rapid.SampledFrom([]string{"replay", "branch"}).Draw(rt, "mode")
	var made openwopv1.ForkRunResponse
	status, body := w.ask(http.MethodPost, "/v1/runs/"+id+":fork", object{"mode": mode, "fromSeq": from}, &made)
	switch {
	case status == http.StatusConflict && !source.Ended.Reached: // it is under way
	case status != http.StatusCreated:
		rt.Fatalf("%s from %d of a run that is %s: HTTP %d: %s", mode, from, source.Status().JSON(), status, body)
	default:
		w.runs = append(w.runs, made.RunID)
		w.forks[made.RunID] = suites.Standing{Source: source, FromSeq: from, Branch: mode == "branch"}
	}
}

// file writes or deletes a file that loops may read and write.
func (w *world) file(rt *rapid.T) {
	const path = "/v1/host/workspace/files/assay%2Fnotes.md"
	if rapid.Bool().Draw(rt, "delete") {
		w.ask(http.MethodDelete, path, nil, nil)
		return
	}
	if status, body := w.ask(http.MethodPut, path, object{"content": fmt.Sprint("text ", rapid.Int().Draw(rt, "text"))},
		nil); status/100 != 2 {
		rt.Fatalf("put: HTTP %d: %s", status, body)
	}
}

func waits(s openwopv1.RunStatus) bool { return strings.HasPrefix(string(s), "waiting-") }

func over(s openwopv1.RunStatus) bool {
	return slices.Contains([]openwopv1.RunStatus{openwopv1.RunStatusCompleted, openwopv1.RunStatusFailed, openwopv1.RunStatusCancelled}, s)
}

// settle waits until nothing goes on by itself: the clock stands still.
func (w *world) settle() {
	deadline := time.Now().Add(testenv.Patience(20 * time.Second))
	for i := 0; i < len(w.runs); i++ {
		if w.over[w.runs[i]] {
			continue
		}
		for !w.rests(w.runs[i]) {
			if time.Now().After(deadline) {
				w.rt.Fatalf("run %s does not come to rest: %s", w.runs[i], asJSON(w.snapshot(w.runs[i])))
			}
			time.Sleep(100 * time.Microsecond)
		}
		for _, child := range w.snapshot(w.runs[i]).ChildRuns {
			if id := childOf(child); !slices.Contains(w.runs, id) {
				w.runs = append(w.runs, id)
			}
		}
	}
}

// rests tells whether a run has ended, or waits for a person, for the time, or for a child that does.
func (w *world) rests(id string) bool {
	s := w.snapshot(id)
	if over(s.Status) || waits(s.Status) {
		return true
	}
	if s.Status != openwopv1.RunStatusRunning {
		return false
	}
	if n := len(s.ChildRuns); n > 0 {
		if child := childOf(s.ChildRuns[n-1]); !over(w.snapshot(child).Status) {
			return w.rests(child)
		}
	}
	var page openwopv1.EventPage
	w.ask(http.MethodGet, "/v1/runs/"+id+"/events/poll?timeout=1", nil, &page)
	last := page.Events[len(page.Events)-1]
	var started openwopv1.NodeStartedPayload
	return last.Type == openwopv1.RunEventTypeNodeStarted && json.Unmarshal(last.Payload, &started) == nil && started.TypeID == "core.delay"
}

func childOf(raw json.RawMessage) string {
	var child struct {
		RunID string `json:"runId"`
	}
	if err := json.Unmarshal(raw, &child); err != nil {
		panic(err) // the host wrote it
	}
	return child.RunID
}

// read takes what is served of a run for a log that a drive has read. The snapshot is the same before and after the log is read,
// so they belong together: a timer of the host may be late.
func (w *world) read(id string) host.RunLog {
	var page openwopv1.EventPage
	_, shown := w.ask(http.MethodGet, "/v1/runs/"+id, nil, nil)
	var told []byte
	for again := []byte(nil); !bytes.Equal(shown, again); {
		if again != nil {
			shown = again
		}
		_, told = w.ask(http.MethodGet, "/v1/runs/"+id+"/events/poll?timeout=1", nil, &page)
		_, again = w.ask(http.MethodGet, "/v1/runs/"+id, nil, nil)
	}
	if before, ok := w.pages[id]; ok && before == string(shown)+string(told) {
		return w.logs[id]
	}
	w.pages[id] = string(shown) + string(told)
	var s openwopv1.RunSnapshot
	if err := json.Unmarshal(shown, &s); err != nil {
		w.rt.Fatal(err)
	}
	w.served[id] = append(w.served[id], served{s, len(page.Events)})
	v := wiretest.Value(w.t, object{"snapshot": json.RawMessage(shown), "page": json.RawMessage(told)})
	return host.RunLog{RunID: id, Created: wiretest.Status(w.t, http.StatusCreated), ID: v.At("/snapshot/runId"),
		Read:  wiretest.Status(w.t, http.StatusOK),
		Ended: wire.Wait{What: "the run has ended", Reached: over(s.Status), Last: v.Key("snapshot")}, Events: v.At("/page/events").Items()}
}

// judge holds every run that has moved to the invariants of the suites.
func (w *world) judge(rt *rapid.T) {
	for _, id := range w.runs {
		if w.over[id] {
			continue
		}
		before, known := w.logs[id]
		log := w.read(id)
		if known && len(log.Events) == len(before.Events) && log.Ended.Last.JSON() == before.Ended.Last.JSON() {
			continue
		}
		w.logs[id], w.over[id] = log, log.Ended.Reached
		s := w.forks[id]
		s.Log, s.Before, s.Version = log, before, w.options.Version
		s.Unmapped = !strings.Contains(log.Ended.Last.Key("workflowId").String(), "mapped")
		for _, i := range suites.Invariants() {
			o := i.Judge(s)
			if len(o.Violations()) > 0 || o.Verdict == scenarios.Broken && !strings.Contains(o.Reason, "would pass without") {
				rt.Fatalf("run %s is not %s: %s\n%s\n%v", id, i.Name, o.Reason, w.pages[id], o.Violations())
			}
		}
	}
}

// refold folds every prefix of every log that was kept: what was served with so many events is the state after them.
func (w *world) refold(rt *rapid.T) {
	store, err := eventlog.Open(context.Background(), eventlog.Options{Dir: w.options.DataDir})
	if err != nil {
		rt.Fatal(err)
	}
	defer store.Close()
	for id, all := range w.served {
		entries, err := store.Read(context.Background(), id, 0)
		if err != nil {
			rt.Fatal(err)
		}
		now, err := statetest.New(id, fixture(rt, all[0].snapshot.WorkflowID))
		if err != nil {
			rt.Fatal(err)
		}
		folded := map[string]bool{}
		events := 0
		for _, e := range entries {
			var r state.Record
			if err := json.Unmarshal(e.Data, &r); err != nil {
				rt.Fatal(err)
			}
			if now, err = statetest.Fold(now, r); err != nil {
				rt.Fatal(err)
			}
			events += len(r.Events)
			folded[standing(now.Snapshot(), events)] = true
		}
		for _, s := range all {
			if !folded[standing(s.snapshot, s.events)] {
				rt.Fatalf("run %s was served with %d events as\n%s\nno prefix of its log says so: in the end it is\n%s", id, s.events,
					asJSON(s.snapshot), asJSON(now.Snapshot()))
			}
		}
	}
}

// standing is a snapshot with so many events, in one spelling, without what the host adds to it when it is served: who may
// answer, and until when.
func standing(s openwopv1.RunSnapshot, events int) string {
	plain := object{}
	if err := json.Unmarshal(asJSON(s), &plain); err != nil {
		panic(err) // it was written a moment ago
	}
	if asks, ok := plain["interrupt"].(object); ok {
		for _, added := range []string{"interruptToken", "callbackUrl", "expiresAt"} {
			delete(asks, added)
		}
	}
	return fmt.Sprint(events, " ", string(asJSON(plain)))
}

func fixture(rt *rapid.T, id string) (d openwopv1.WorkflowDefinition) {
	raw, err := openwopv1.Fixtures.ReadFile("fixtures/" + id + ".json")
	if err == nil {
		err = json.Unmarshal(raw, &d)
	}
	if err != nil {
		rt.Fatal(err)
	}
	return d
}
