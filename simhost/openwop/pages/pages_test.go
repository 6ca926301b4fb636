package pages

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
	r.SignIn("dev")
	id := r.create("dev", "assay-loop-workspace", map[string]any{"writes": []any{
		[]any{map[string]any{"path": "assay/notes.md", "content": "from the first"}},
		[]any{map[string]any{"path": "assay/notes.md", "content": "from the second"}},
	}})
	at := "/console/runs/" + id
	r.Until(at, "completed")
	r.api(http.MethodPut, "/v1/host/workspace/files/later.md", "dev", map[string]any{"content": "from later"})
	for turn, want := range map[string][3]bool{ // the first, the second, what came later
		"": {}, "begin": {}, "1": {}, "2": {true}, "3": {false, true}, "now": {false, true, true}, "99": {},
	} {
		got := r.Get(at + "/files?turn=" + turn)
		for i, text := range []string{"from the first", "from the second", "from later"} {
			if strings.Contains(got.Body, text) != want[i] {
				t.Errorf("turn %q: %q is there: %t", turn, text, !want[i])
			}
		}
	}
	if got := r.Get(at + "/files?turn=3&path=assay/notes.md"); !strings.Contains(got.Body, "changed") || !strings.Contains(got.Body,
		"version 2") {
		t.Errorf("one file: %s", got.Body)
	}
}

// The timeline has every event of the log, once, in its turn; each names a cause that is on the page.
func TestTheTimelineIsTheLog(t *testing.T) {
	r := open(t, surface.Options{})
	r.SignIn("dev")
	id := r.create("dev", "assay-loop", nil)
	r.Until("/console/runs/"+id, "run.completed")
	page := r.Until("/console/runs/"+id, `<span class="word good">completed</span>`).Body
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
	r.SignIn("dev")
	id := r.create("dev", "assay-loop-endless", map[string]any{})
	r.Until("/console/runs/"+id, "cap.breached")
	page := r.Get("/console/runs/" + id)
	count := func(body string) int { return strings.Count(body, `id="e-`+id) }
	if n := count(page.Body); n != eventsShown {
		t.Errorf("%d events on the last page, want %d", n, eventsShown)
	}
	m := regexp.MustCompile(`\?from=(\d+)">Earlier events`).FindStringSubmatch(page.Body)
	if m == nil {
		t.Fatal("no link to earlier events")
	}
	if first := r.Get("/console/runs/" + id + "?from=0"); count(first.Body) != eventsShown || !strings.Contains(first.Body, "run.started") {
		t.Errorf("%d events on the first page", count(first.Body))
	}
	for _, from := range []string{"999999999", "-5", "x"} {
		if got := r.Get("/console/runs/" + id + "?from=" + from); got.Status != http.StatusOK {
			t.Errorf("from %s: %d", from, got.Status)
		}
	}
}

func TestStartingARun(t *testing.T) {
	r := open(t, surface.Options{})
	r.SignIn("dev")
	if got := r.Get("/console/start?workflow=assay-loop"); !strings.Contains(got.Body, "next-worker") {
		t.Error("the form does not hold what the workflow does by itself")
	}
	for inputs, want := range map[string]string{"{": "no JSON", "[]": "refuses",
		`{"plan": [{"kind": "terminate", "reason": "goal-reached"}]}`: "", "": ""} {
		got := r.Post("/console/start", url.Values{"workflow": {"assay-loop"}, "inputs": {inputs}})
		if want != "" && (got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, want)) {
			t.Errorf("inputs %s: %d", inputs, got.Status)
		}
		if want == "" && got.Status != http.StatusSeeOther {
			t.Errorf("inputs %s: %d", inputs, got.Status)
		}
	}
	if got := r.Post("/console/start", url.Values{"workflow": {"no-such"}}); got.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(got.Body, "refuses") {
		t.Errorf("a workflow that is not there: %d", got.Status)
	}
}

// Every kind of interrupt has a form whose answer the host takes.
func TestAnswers(t *testing.T) {
	r := open(t, surface.Options{Voters: map[string]string{"ann": "anns-key"}})
	r.SignIn("dev")
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
		page := r.Until("/console/runs/"+id, `name="node"`)
		node := regexp.MustCompile(`name="node" value="([^"]+)"`).FindStringSubmatch(page.Body)
		c.form.Set("node", node[1])
		if got := r.Post("/console/runs/"+id+"/answer", c.form); got.Status != http.StatusSeeOther {
			t.Errorf("%s with %v: %d %s", c.workflow, c.form, got.Status, got.Body)
			continue
		}
		r.Until("/console/runs/"+id, c.ends)
	}
	// A form that was made for a question answers no other one.
	gate := r.create("dev", "assay-approval", nil)
	page := r.Until("/console/runs/"+gate, `name="interrupt"`)
	asked := regexp.MustCompile(`name="interrupt" value="([^"]+)"`).FindStringSubmatch(page.Body)[1]
	node := regexp.MustCompile(`name="node" value="([^"]+)"`).FindStringSubmatch(page.Body)[1]
	for i, want := range []int{http.StatusSeeOther, http.StatusConflict} {
		form := url.Values{"node": {node}, "interrupt": {asked}, "action": {[]string{"ask", "accept"}[i]}, "comment": {"why though"}}
		if got := r.Post("/console/runs/"+gate+"/answer", form); got.Status != want {
			t.Errorf("%v: %d, want %d", form, got.Status, want)
		}
		r.Until("/console/runs/"+gate, "waiting-approval")
	}
	id := r.create("dev", "assay-questions", nil)
	for _, form := range []url.Values{{"node": {"ask"}, "as": {"json"}, "json": {"{"}}, {"node": {"ask"}, "json:q1": {"unquoted"}},
		{"node": {"ask"}, "action": {"edit-accept"}, "edited": {"{"}}} {
		if got := r.Post("/console/runs/"+id+"/answer", form); got.Status != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", form, got.Status)
		}
	}
	if got := r.Post("/console/runs/"+id+"/answer", url.Values{"node": {"no-such"}, "text:q1": {"x"}}); got.Status != http.StatusNotFound {
		t.Errorf("a node that asks nothing: %d", got.Status)
	}
}

func TestPausingAndCancelling(t *testing.T) {
	r := open(t, surface.Options{})
	r.SignIn("dev")
	id := r.create("dev", "assay-questions", nil)
	at := "/console/runs/" + id
	for _, c := range []struct{ do, shows string }{{"pause", ">paused<"}, {"resume", "Pause</button>"}, {"cancel", ">cancelled<"}} {
		if got := r.Post(at+"/do", url.Values{"do": {c.do}}); got.Status != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", c.do, got.Status, got.Body)
		}
		r.Until(at, c.shows)
	}
	if got := r.Post(at+"/do", url.Values{"do": {"explode"}}); got.Status != http.StatusBadRequest {
		t.Errorf("what cannot be done: %d", got.Status)
	}
}

// The clock moves as far as it is told to, and what comes due on the way happens.
func TestAdvancingTheClock(t *testing.T) {
	r := open(t, surface.Options{Clock: clock.NewManual(time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC))})
	r.SignIn("dev")
	id := r.create("dev", "assay-questions", map[string]any{"timeoutMs": 60000})
	goal := r.goal()
	r.Until("/console/goals", "2026-03-04 09:10:00") // the next run
	for _, by := range []string{"", "x", "-1h", "0s", "721h"} {
		if got := r.Post("/console/clock", url.Values{"by": {by}}); got.Status != http.StatusUnprocessableEntity {
			t.Errorf("by %q: %d", by, got.Status)
		}
	}
	if got := r.Post("/console/clock", url.Values{"by": {"90m"}}); got.Status != http.StatusSeeOther {
		t.Fatalf("advancing: %d", got.Status)
	}
	if got := r.Get("/console/clock"); !strings.Contains(got.Body, "2026-03-04 10:30:00") {
		t.Errorf("the clock: %s", got.Body)
	}
	r.Until("/console/goals", "5 of 5")
	if !strings.Contains(r.Get("/console/goals").Body, goal) {
		t.Error("the goal is gone")
	}
	r.Until("/console/runs/"+id, ">failed<") // nobody answered in time
	other := open(t, surface.Options{})
	other.SignIn("dev")
	if got := other.Get("/console/clock"); strings.Contains(got.Body, "<button class=\"main\">Advance") ||
		!strings.Contains(got.Body, "--clock manual") {
		t.Errorf("a clock that nobody moves: %s", got.Body)
	}
	if got := other.Post("/console/clock", url.Values{"by": {"1h"}}); got.Status != http.StatusConflict {
		t.Errorf("moving the real clock: %d", got.Status)
	}
}

// A fault that is switched on is committed from then on, also by a run that began before, and not any more once it is
// off.
func TestSwitchingFaults(t *testing.T) {
	r := open(t, surface.Options{})
	r.SignIn("dev")
	id := r.create("dev", "assay-loop-ask-user", nil)
	r.Until("/console/runs/"+id, "waiting-input")
	if got := r.Post("/console/faults", url.Values{"fault": {"loop.no-such"}}); got.Status != http.StatusUnprocessableEntity {
		t.Errorf("a fault that is not there: %d", got.Status)
	}
	on := []string{"loop.iteration-resets-on-resume", "gate.waits-nowhere"}
	if got := r.Post("/console/faults", url.Values{"fault": on}); got.Status != http.StatusSeeOther {
		t.Fatalf("switching: %d %s", got.Status, got.Body)
	}
	if got := r.Get("/console/faults"); strings.Count(got.Body, " checked>") != len(on) {
		t.Errorf("%d are ticked, want %d", strings.Count(got.Body, " checked>"), len(on))
	}
	r.Post("/console/runs/"+id+"/answer", url.Values{"node": {"supervisor"}, "text:q1": {"yes"}})
	r.Until("/console/runs/"+id, ">completed<")
	if got := r.iterations(id); !slices.Equal(got, []int{1, 2, 1, 2}) {
		t.Errorf("with the fault the turns count %v", got)
	}
	if got := r.Post("/console/faults", url.Values{"none": {"1"}, "fault": on}); got.Status != http.StatusSeeOther {
		t.Fatalf("switching off: %d", got.Status)
	}
	id = r.create("dev", "assay-loop-ask-user", nil)
	r.Until("/console/runs/"+id, "waiting-input")
	r.Post("/console/runs/"+id+"/answer", url.Values{"node": {"supervisor"}, "text:q1": {"yes"}})
	r.Until("/console/runs/"+id, ">completed<")
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
