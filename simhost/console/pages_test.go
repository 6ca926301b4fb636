package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// A file is shown as the turn saw it: what a turn writes is there for the next one.
func TestTheWorkspaceAsOfATurn(t *testing.T) {
	r := open(t, surface.Options{})
	r.signIn("dev")
	id := r.create("dev", "assay-loop-workspace", map[string]any{"writes": []any{
		[]any{map[string]any{"path": "assay/notes.md", "content": "from the first"}},
		[]any{map[string]any{"path": "assay/notes.md", "content": "from the second"}},
	}})
	at := "/console/runs/" + id
	r.until(at, "completed")
	r.api(http.MethodPut, "/v1/host/workspace/files/later.md", "dev", map[string]any{"content": "from later"})
	for turn, want := range map[string][3]bool{ // the first, the second, what came later
		"": {}, "begin": {}, "1": {}, "2": {true}, "3": {false, true}, "now": {false, true, true}, "99": {},
	} {
		got := r.get(at + "/files?turn=" + turn)
		for i, text := range []string{"from the first", "from the second", "from later"} {
			if strings.Contains(got.body, text) != want[i] {
				t.Errorf("turn %q: %q is there: %t", turn, text, !want[i])
			}
		}
	}
	if got := r.get(at + "/files?turn=3&path=assay/notes.md"); !strings.Contains(got.body, "changed") || !strings.Contains(got.body,
		"version 2") {
		t.Errorf("one file: %s", got.body)
	}
}

// The timeline has every event of the log, once, in its turn; each names a cause that is on the page.
func TestTheTimelineIsTheLog(t *testing.T) {
	r := open(t, surface.Options{})
	r.signIn("dev")
	id := r.create("dev", "assay-loop", nil)
	r.until("/console/runs/"+id, "run.completed")
	page := r.until("/console/runs/"+id, `<span class="word good">completed</span>`).body
	var log struct {
		Events []struct{ EventID, CausationID, Type string }
	}
	if err := json.Unmarshal(r.api(http.MethodGet, "/v1/runs/"+id+"/events/poll", "dev", nil), &log); err != nil || len(log.Events) == 0 {
		t.Fatalf("the log: %v, %d events", err, len(log.Events))
	}
	for _, e := range log.Events {
		if n := strings.Count(page, `id="e-`+e.EventID+`"`); n != 1 {
			t.Errorf("event %s is there %d times", e.EventID, n)
		}
	}
	shown := map[string]bool{}
	for _, m := range regexp.MustCompile(`id="e-([^"]+)"`).FindAllStringSubmatch(page, -1) {
		shown[m[1]] = true
	}
	causes := regexp.MustCompile(`data-cause="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(causes) == 0 {
		t.Error("no event has a cause")
	}
	for _, m := range causes {
		if !shown[m[1]] {
			t.Errorf("the cause %s is not on the page", m[1])
		}
	}
	for turn, want := range map[string]int{"Turn 1": 1, "Turn 2": 1, "Turn 3": 1, "Turn 4": 1, "Turn 5": 0, "Before the loop": 1} {
		if n := strings.Count(page, `<span class="turn-title">`+turn+`</span>`); n != want {
			t.Errorf("%s: %d times, want %d", turn, n, want)
		}
	}
	if n := strings.Count(page, `<section class="child"`); n != 3 {
		t.Errorf("%d children, want 3", n)
	}
}

// A log that is longer than a page is shown from its end, and from wherever one asks.
func TestALongLogHasPages(t *testing.T) {
	r := open(t, surface.Options{MaxLoopIterations: 400})
	r.signIn("dev")
	id := r.create("dev", "assay-loop-endless", map[string]any{})
	r.until("/console/runs/"+id, "cap.breached")
	page := r.get("/console/runs/" + id)
	count := func(body string) int { return strings.Count(body, `id="e-`+id) }
	if n := count(page.body); n != eventsShown {
		t.Errorf("%d events on the last page, want %d", n, eventsShown)
	}
	m := regexp.MustCompile(`\?from=(\d+)">Earlier events`).FindStringSubmatch(page.body)
	if m == nil {
		t.Fatal("no link to earlier events")
	}
	if first := r.get("/console/runs/" + id + "?from=0"); count(first.body) != eventsShown || !strings.Contains(first.body, "run.started") {
		t.Errorf("%d events on the first page", count(first.body))
	}
	for _, from := range []string{"999999999", "-5", "x"} {
		if got := r.get("/console/runs/" + id + "?from=" + from); got.status != http.StatusOK {
			t.Errorf("from %s: %d", from, got.status)
		}
	}
}

func TestStartingARun(t *testing.T) {
	r := open(t, surface.Options{})
	r.signIn("dev")
	if got := r.get("/console/start?workflow=assay-loop"); !strings.Contains(got.body, "next-worker") {
		t.Error("the form does not hold what the workflow does by itself")
	}
	for inputs, want := range map[string]string{"{": "no JSON", "[]": "refuses",
		`{"plan": [{"kind": "terminate", "reason": "goal-reached"}]}`: "", "": ""} {
		got := r.post("/console/start", url.Values{"workflow": {"assay-loop"}, "inputs": {inputs}})
		if want != "" && (got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, want)) {
			t.Errorf("inputs %s: %d", inputs, got.status)
		}
		if want == "" && got.status != http.StatusSeeOther {
			t.Errorf("inputs %s: %d", inputs, got.status)
		}
	}
	if got := r.post("/console/start", url.Values{"workflow": {"no-such"}}); got.status != http.StatusUnprocessableEntity ||
		!strings.Contains(got.body, "refuses") {
		t.Errorf("a workflow that is not there: %d", got.status)
	}
}

// Every kind of interrupt has a form whose answer the host takes.
func TestAnswers(t *testing.T) {
	r := open(t, surface.Options{Voters: map[string]string{"ann": "anns-key"}})
	r.signIn("dev")
	for _, c := range []struct {
		workflow string
		inputs   map[string]any
		form     url.Values
		ends     string
	}{
		{"assay-approval", nil, url.Values{"action": {"accept"}}, "completed"},
		{"assay-approval", nil, url.Values{"action": {"reject"}, "comment": {"not like this"}}, "failed"},
		{"assay-approval", nil, url.Values{"action": {"edit-accept"}, "edited": {`{"text": "better"}`}}, "completed"},
		{"assay-approval", nil, url.Values{"action": {"ask"}, "comment": {"why though"}}, "why though"},
		{"assay-questions", nil, url.Values{"text:q1": {"that much"}}, "completed"},
		{"assay-event", nil, url.Values{"as": {"json"}, "json": {`{"orderId": "1", "paid": true}`}}, "completed"},
		{"conformance-orchestrator-low-confidence", nil, url.Values{"action": {"accept"}}, "completed"},
	} {
		id := r.create("dev", c.workflow, c.inputs)
		page := r.until("/console/runs/"+id, `name="node"`)
		node := regexp.MustCompile(`name="node" value="([^"]+)"`).FindStringSubmatch(page.body)
		c.form.Set("node", node[1])
		if got := r.post("/console/runs/"+id+"/answer", c.form); got.status != http.StatusSeeOther {
			t.Errorf("%s with %v: %d %s", c.workflow, c.form, got.status, got.body)
			continue
		}
		r.until("/console/runs/"+id, c.ends)
	}
	// A form that was made for a question answers no other one.
	gate := r.create("dev", "assay-approval", nil)
	page := r.until("/console/runs/"+gate, `name="interrupt"`)
	asked := regexp.MustCompile(`name="interrupt" value="([^"]+)"`).FindStringSubmatch(page.body)[1]
	node := regexp.MustCompile(`name="node" value="([^"]+)"`).FindStringSubmatch(page.body)[1]
	for i, want := range []int{http.StatusSeeOther, http.StatusConflict} {
		form := url.Values{"node": {node}, "interrupt": {asked}, "action": {[]string{"ask", "accept"}[i]}, "comment": {"why though"}}
		if got := r.post("/console/runs/"+gate+"/answer", form); got.status != want {
			t.Errorf("%v: %d, want %d", form, got.status, want)
		}
		r.until("/console/runs/"+gate, "waiting-approval")
	}
	id := r.create("dev", "assay-questions", nil)
	for _, form := range []url.Values{{"node": {"ask"}, "as": {"json"}, "json": {"{"}}, {"node": {"ask"}, "json:q1": {"unquoted"}},
		{"node": {"ask"}, "action": {"edit-accept"}, "edited": {"{"}}} {
		if got := r.post("/console/runs/"+id+"/answer", form); got.status != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", form, got.status)
		}
	}
	if got := r.post("/console/runs/"+id+"/answer", url.Values{"node": {"no-such"}, "text:q1": {"x"}}); got.status != http.StatusNotFound {
		t.Errorf("a node that asks nothing: %d", got.status)
	}
}

func TestPausingAndCancelling(t *testing.T) {
	r := open(t, surface.Options{})
	r.signIn("dev")
	id := r.create("dev", "assay-questions", nil)
	at := "/console/runs/" + id
	for _, c := range []struct{ do, shows string }{{"pause", ">paused<"}, {"resume", "Pause</button>"}, {"cancel", ">cancelled<"}} {
		if got := r.post(at+"/do", url.Values{"do": {c.do}}); got.status != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", c.do, got.status, got.body)
		}
		r.until(at, c.shows)
	}
	if got := r.post(at+"/do", url.Values{"do": {"explode"}}); got.status != http.StatusBadRequest {
		t.Errorf("what cannot be done: %d", got.status)
	}
}

// The clock moves as far as it is told to, and what comes due on the way happens.
func TestAdvancingTheClock(t *testing.T) {
	r := open(t, surface.Options{Clock: clock.NewManual(time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC))})
	r.signIn("dev")
	id := r.create("dev", "assay-questions", map[string]any{"timeoutMs": 60000})
	goal := r.goal()
	r.until("/console/goals", "2026-03-04 09:10:00") // the next run
	for _, by := range []string{"", "x", "-1h", "0s", "721h"} {
		if got := r.post("/console/clock", url.Values{"by": {by}}); got.status != http.StatusUnprocessableEntity {
			t.Errorf("by %q: %d", by, got.status)
		}
	}
	if got := r.post("/console/clock", url.Values{"by": {"90m"}}); got.status != http.StatusSeeOther {
		t.Fatalf("advancing: %d", got.status)
	}
	if got := r.get("/console/clock"); !strings.Contains(got.body, "2026-03-04 10:30:00") {
		t.Errorf("the clock: %s", got.body)
	}
	r.until("/console/goals", "5 of 5")
	if !strings.Contains(r.get("/console/goals").body, goal) {
		t.Error("the goal is gone")
	}
	r.until("/console/runs/"+id, ">failed<") // nobody answered in time
	other := open(t, surface.Options{})
	other.signIn("dev")
	if got := other.get("/console/clock"); strings.Contains(got.body, "<button class=\"main\">Advance") ||
		!strings.Contains(got.body, "--clock manual") {
		t.Errorf("a clock that nobody moves: %s", got.body)
	}
	if got := other.post("/console/clock", url.Values{"by": {"1h"}}); got.status != http.StatusConflict {
		t.Errorf("moving the real clock: %d", got.status)
	}
}

// A fault that is switched on is committed from then on, also by a run that began before, and not any more once it is off.
func TestSwitchingFaults(t *testing.T) {
	r := open(t, surface.Options{})
	r.signIn("dev")
	id := r.create("dev", "assay-loop-ask-user", nil)
	r.until("/console/runs/"+id, "waiting-input")
	if got := r.post("/console/faults", url.Values{"fault": {"loop.no-such"}}); got.status != http.StatusUnprocessableEntity {
		t.Errorf("a fault that is not there: %d", got.status)
	}
	on := []string{"loop.iteration-resets-on-resume", "gate.waits-nowhere"}
	if got := r.post("/console/faults", url.Values{"fault": on}); got.status != http.StatusSeeOther {
		t.Fatalf("switching: %d %s", got.status, got.body)
	}
	if got := r.get("/console/faults"); strings.Count(got.body, " checked>") != len(on) {
		t.Errorf("%d are ticked, want %d", strings.Count(got.body, " checked>"), len(on))
	}
	r.post("/console/runs/"+id+"/answer", url.Values{"node": {"supervisor"}, "text:q1": {"yes"}})
	r.until("/console/runs/"+id, ">completed<")
	if got := r.iterations(id); !slices.Equal(got, []int{1, 2, 1, 2}) {
		t.Errorf("with the fault the turns count %v", got)
	}
	if got := r.post("/console/faults", url.Values{"none": {"1"}, "fault": on}); got.status != http.StatusSeeOther {
		t.Fatalf("switching off: %d", got.status)
	}
	id = r.create("dev", "assay-loop-ask-user", nil)
	r.until("/console/runs/"+id, "waiting-input")
	r.post("/console/runs/"+id+"/answer", url.Values{"node": {"supervisor"}, "text:q1": {"yes"}})
	r.until("/console/runs/"+id, ">completed<")
	if got := r.iterations(id); !slices.Equal(got, []int{1, 2, 3, 4}) {
		t.Errorf("without the fault the turns count %v", got)
	}
}

// iterations are those that the decisions of a run carry.
func (r *rig) iterations(id string) (counts []int) {
	r.t.Helper()
	var log struct {
		Events []struct {
			Type    string
			Payload struct{ Iteration int }
		}
	}
	if err := json.Unmarshal(r.api(http.MethodGet, "/v1/runs/"+id+"/events/poll", "dev", nil), &log); err != nil {
		r.t.Fatal(err)
	}
	for _, e := range log.Events {
		if e.Type == "runOrchestrator.decided" {
			counts = append(counts, e.Payload.Iteration)
		}
	}
	return counts
}
