package monitor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios/openwop/monitor"
)

const discovery = `{"protocolVersion": "1.0", "multiAgent": {"executionModel": {"supported": true, "version": 5}}}`

// engine stands for the host's own: it has somebody told of each event as it is written.
type engine struct {
	run   string
	n     int
	write func(event []byte)
}

func (e *engine) emit(kind, cause string, payload any) string {
	id := fmt.Sprintf("%s-%d", e.run, e.n)
	event := map[string]any{"eventId": id, "runId": e.run, "sequence": e.n, "type": kind, "timestamp": "2026-11-29T12:00:00Z",
		"payload": payload}
	if cause != "" {
		event["causationId"] = cause
	}
	e.n++
	written, err := json.Marshal(event)
	if err != nil {
		panic(err)
	}
	e.write(written)
	return id
}

// loop runs a loop of so many turns, which counts them by step.
func (e *engine) loop(turns, step int) {
	started := e.emit("run.started", "", map[string]any{"workflowId": "w"})
	for n := range turns {
		decision := map[string]any{"kind": "terminate"}
		if n+1 < turns {
			decision = map[string]any{"kind": "ask-user", "prompt": "Go on?"}
		}
		e.emit("runOrchestrator.decided", started, map[string]any{"agentId": "supervisor", "iteration": 1 + n*step, "decision": decision})
	}
	e.emit("run.completed", started, map[string]any{"outputs": map[string]any{}})
}

// A host's own test: what the engine writes is judged as it writes it.
func TestMyHostKeepsTheRulesOfLogs(t *testing.T) {
	m, err := monitor.New([]byte(discovery))
	if err != nil {
		t.Fatal(err)
	}
	host := engine{run: "r1", write: func(event []byte) {
		violations, err := m.Event(event)
		if err != nil {
			t.Error(err)
		}
		for _, v := range violations {
			t.Error(v)
		}
	}}
	host.loop(3, 1)
	for _, v := range m.Done("r1") {
		t.Error(v)
	}
}

// docs/record.md shows the host's own test.
func TestThePageShowsTheTest(t *testing.T) {
	page, err := os.ReadFile("../../../docs/record.md")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.ReadFile("monitor_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(here), "func TestMyHost")
	code, _, _ = strings.Cut(code, "\n}\n")
	if !strings.Contains(string(page), "```go\nfunc TestMyHost"+code+"\n}\n```") {
		t.Error("the page shows another test than TestMyHostKeepsTheRulesOfLogs")
	}
}

// watch lets an engine work, and returns the violations by the number of the event with which they were told.
func watch(t interface{ Fatal(...any) }, fork bool, work func(*engine)) map[string]int {
	m, err := monitor.New([]byte(discovery))
	if err != nil {
		t.Fatal(err)
	}
	if fork {
		m.Fork("r1")
	}
	told := map[string]int{}
	e := &engine{run: "r1"}
	e.write = func(event []byte) {
		violations, err := m.Event(event)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range violations {
			if _, twice := told[string(v.Requirement)]; twice || v.Of != "r1" || v.Text == "" {
				t.Fatal("told twice, or of nothing: ", v)
			}
			told[string(v.Requirement)] = e.n
		}
	}
	work(e)
	for _, v := range m.Done("r1") {
		told[string(v.Requirement)] = e.n
	}
	return told
}

func TestAViolationIsToldWithItsEvent(t *testing.T) {
	told := watch(t, false, func(e *engine) { e.loop(3, 2) })
	if len(told) != 2 || told["OWP-0061-B2"] != 5 || told["OWP-0061-B4"] != 5 { // the rules are about runs that are over
		t.Errorf("turns that are counted by twos: %v", told)
	}
	gap := func(e *engine) {
		e.emit("run.started", "", map[string]any{"workflowId": "w"})
		e.n++
		e.emit("node.started", "", map[string]any{"nodeId": "n", "typeId": "t"})
		e.emit("node.completed", "", map[string]any{"nodeId": "n"})
	}
	if told := watch(t, false, gap); told["OWP-EVT-1"] != 3 {
		t.Errorf("a gap: %v", told)
	}
	if told := watch(t, true, gap); len(told) > 0 {
		t.Errorf("a gap in a fork: %v", told)
	}
}

// A long log is judged now and then, and in the end.
func TestALongLog(t *testing.T) {
	long := func(turns int) func(*engine) { return func(e *engine) { e.loop(turns, 1) } }
	if told := watch(t, false, long(400)); len(told) > 0 {
		t.Errorf("an honest log: %v", told)
	}
	told := watch(t, false, func(e *engine) {
		e.loop(400, 1)
		e.emit("node.started", "", map[string]any{"nodeId": "n", "typeId": "t"})
	})
	if len(told) != 1 || told["OWP-EVT-9"] == 0 && told["OWP-EVT-10"] == 0 && told["OWP-EVT-11"] == 0 {
		t.Errorf("an event behind the end: %v", told)
	}
}

// However the events of several honest runs come between one another, nobody is accused.
func TestRunsAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, err := monitor.New([]byte(discovery))
		if err != nil {
			t.Fatal(err)
		}
		var events [][][]byte
		for n := range rapid.IntRange(1, 4).Draw(t, "runs") {
			e := &engine{run: fmt.Sprintf("r%d", n)}
			events = append(events, nil)
			e.write = func(event []byte) { events[n] = append(events[n], event) }
			e.loop(rapid.IntRange(1, 6).Draw(t, "turns"), 1)
		}
		var all sync.WaitGroup
		for n, log := range events {
			all.Go(func() {
				for _, event := range log {
					if told, err := m.Event(event); err != nil || len(told) > 0 {
						t.Errorf("%v, %v", err, told)
					}
				}
				if told := m.Done(fmt.Sprintf("r%d", n)); len(told) > 0 {
					t.Errorf("%v", told)
				}
			})
		}
		all.Wait()
	})
}

func TestWhatIsNoEvent(t *testing.T) {
	m, err := monitor.New([]byte(discovery))
	if err != nil {
		t.Fatal(err)
	}
	for event, want := range map[string]string{"{": "no JSON", "[]": "which log", `{"runId":7}`: "which log", `{"type":"run.started"}`: "which log"} {
		if _, err := m.Event([]byte(event)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", event, err)
		}
	}
	if _, err := monitor.New([]byte("<html>")); err == nil {
		t.Error("a discovery document that is no JSON is taken")
	}
}
