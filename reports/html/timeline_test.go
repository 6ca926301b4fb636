package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/timeline"
	"github.com/openassay/assay/scenarios/wire"
)

func decided(run string, id int, iteration, kind string) string {
	return fmt.Sprintf(`{"eventId":"%s-%d","runId":%q,"type":"runOrchestrator.decided","payload":{"iteration":%s,"decision":{"kind":%q}}}`, run, id, run, iteration, kind)
}

func TestLoops(t *testing.T) {
	first := `{"events":[` + decided("r", 1, "1", "next-worker") +
		`,{"eventId":"r-2","runId":"r","type":"node.dispatched","payload":{"childWorkflowId":"w","childStatus":"failed"}},` +
		decided("r", 3, "2", "ask-user") +
		`,{"eventId":"r-4","runId":"r","type":"node.suspended","timestamp":"2026-11-21T12:00:00Z","payload":{"kind":"clarification"}}]}`
	second := first[:len(first)-2] +
		`,{"eventId":"r-5","runId":"r","type":"node.resumed","timestamp":"2026-11-21T12:00:01.5Z","payload":{}},` + decided("r", 6, "1",
		"terminate") +
		`,{"eventId":"r-7","runId":"r","type":"run.completed"},{"payload":[]},7]}`
	s := spoken(asked("GET", "/log", "", first), asked("GET", "/log", "", "no JSON: runOrchestrator.decided"),
		asked("GET", "/log", "", second))
	want := []timeline.Loop{{Run: "r", End: "completed", Turns: []timeline.Turn{
		{Number: "1", Kind: "next-worker", Below: []timeline.Happening{{Class: "trouble", Text: "✗ w", Words: "w failed"}}},
		{Number: "2", Kind: "ask-user", Below: []timeline.Happening{
			{Class: "pause", Text: "waits: clarification", Words: "waits: clarification"},
			{Class: "pause", Text: "resumed, 1.5s", Words: "resumed, 1.5s"},
		}},
		{Number: "1", Kind: "terminate", Odd: "2"},
	}}}
	got := openwop.Protocol.Timeline(s)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	p := draw("p", got[0])
	if want := "Turn 1: number 1, next-worker, w failed. Turn 2: number 2, ask-user, waits: clarification, resumed, 1.5s. " +
		"Turn 3: number 1, terminate, which does not follow 2. It ended: completed."; p.Text != want {
		t.Errorf("in words it is %q", p.Text)
	}
	if len(p.Columns) != 3 || p.Columns[1].X <= p.Columns[0].X || p.Width <= p.Columns[2].X+columnWidth {
		t.Errorf("the columns do not stand side by side: %+v", p)
	}
}

// A log without end is shown in part, and what is no number or no text is shown as it is.
func TestLoopsAreBounded(t *testing.T) {
	var events []string
	for run := range 6 {
		for i := range 100 {
			events = append(events, decided(fmt.Sprintf("r%d", run), i, `{"x":"\u202e`+strings.Repeat("y", 100)+`"}`, "kind"))
			for k := range 20 {
				events = append(events,
					fmt.Sprintf(`{"eventId":"c%d-%d-%d","runId":"r%d","type":"node.dispatched","payload":{"childWorkflowId":[1],"childStatus":null}}`, run, i, k, run))
			}
		}
	}
	found := openwop.Protocol.Timeline(spoken(asked("GET", "/log", "", `{"events":[`+strings.Join(events, ",")+`]}`)))
	if len(found) != timeline.MostLoops || len(found[0].Turns) != timeline.MostTurns || found[0].Left != 100-timeline.MostTurns {
		t.Fatalf("%d loops, %d turns, %d left", len(found), len(found[0].Turns), found[0].Left)
	}
	if turn := found[0].Turns[0]; len(turn.Below) != timeline.MostBelow || turn.Left != 20-timeline.MostBelow ||
		len([]rune(turn.Number)) > timeline.MostWord || strings.Contains(turn.Number, "\u202e") {
		t.Errorf("a turn is %+v", turn)
	}
	if p := draw("p", found[0]); p.More != "84 more turns" || !strings.Contains(p.Text, "84 more turns are not shown") {
		t.Errorf("it says of the rest: %q, %q", p.More, p.Text)
	}
}

func TestStepsOfAnAgent(t *testing.T) {
	took := func(event, in, out string) wire.Entry {
		return wire.Entry{Kind: "process", Process: &wire.Spawned{Input: `{"event":{"type":"` + event + `","payload":` + in + `}}`, Output: out}}
	}
	ask := func(step int) string {
		return fmt.Sprintf(`{"status":"ok","events":[{"type":"agentic.tool_request.fetch","payload":{"run_id":"r","step":%d,"tool":"fetch"}}]}`, step)
	}
	got := agenticloop.Protocol.Timeline(&wire.Transcript{Entries: []wire.Entry{
		took("agentic.start", `{}`, ask(1)),
		took("agentic.tool_result", `{"run_id":"r","step":1}`, ask(1)), // a retry keeps its number
		took("agentic.tool_result", `{"run_id":"r","step":1}`, ask(3)),
		took("agentic.tool_result", `{"run_id":"r","step":3}`, `{"status":"ok"}`),
		took("agentic.tool_result", `{"run_id":"r","step":3}`, `{"events":[{"type":"agentic.completed","payload":{"run_id":"r"}}]}`),
	}})
	want := []timeline.Loop{{Run: "r", End: "completed", Turns: []timeline.Turn{
		{Number: "1", Kind: "asks fetch"}, {Number: "1", Kind: "asks fetch"},
		{Number: "3", Kind: "asks fetch", Odd: "1", Below: []timeline.Happening{{Class: "child", Text: "result 3: ok", Words: "result 3: ok"}}},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
