package eventlog_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

func certifyEventLog(t *testing.T, url string, patience time.Duration, limits *wire.Limits, depth scenarios.Depth) *scenarios.Report {
	t.Helper()
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: url}, scenarios.Options{Seed: 3, Patience: patience, Limits: limits,
		Depth: depth, Select: scenarios.Selection{Suites: []string{"event-log"}}}, openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// isTerminalPage is how three of the known hosts answer a poll.
func isTerminalPage(t *telling, after int64, _ string) any {
	events, over, _ := t.behind(after)
	last := after
	if len(events) > 0 {
		last = int64(events[len(events)-1]["sequence"].(int))
	}
	return map[string]any{"runId": t.id, "events": events, "lastEventSeq": last, "runStatus": t.status, "isTerminal": over}
}

// Honest hosts differ, and none is accused.
func TestHonestHostsTellTheirLogsDifferently(t *testing.T) {
	for name, c := range map[string]struct {
		host    *teller
		blocked []string

		inapplicable []string
		finds        []string // beginnings of findings, as requirement, colon and text
	}{
		"by the book":                       {host: &teller{lists: true}, finds: []string{": the host gathers no events"}}, // it does not batch
		"counts from 1":                     {host: &teller{first: 1}, finds: []string{": the first event has sequence "}},
		"counts from 7":                     {host: &teller{first: 7}, finds: []string{": the first event has sequence "}},
		"isTerminal in place of isComplete": {host: &teller{page: isTerminalPage}, finds: []string{"OWP-EVT-17: "}},
		"not complete while the page has events": {host: &teller{page: func(t *telling, after int64, _ string) any {
			events, over, _ := t.behind(after)
			return map[string]any{"events": events, "isComplete": over && len(events) == 0, "isTerminal": over}
		}}},
		"the cursor by its former name": {host: &teller{page: func(t *telling, _ int64, since string) any {
			after, err := strconv.ParseInt(since, 10, 64)
			if err != nil {
				after = -1
			}
			return isTerminalPage(t, after, "")
		}}, finds: []string{": the host does not mind the cursor", "OWP-EVT-17: "}},
		"pages of two": {host: &teller{page: func(t *telling, after int64, _ string) any {
			events, over, _ := t.behind(after)
			n := min(2, len(events))
			return map[string]any{"events": events[:n], "isComplete": over && n == len(events)}
		}}},
		"poor frames": {host: &teller{frame: func(e map[string]any) string {
			poor := lacking(e, "sequence", "eventId", "payload")
			poor["seq"] = e["sequence"]
			return sseFrame(fmt.Sprint(e["sequence"]), e["type"].(string), poor)
		}}, finds: []string{": a frame of the stream leaves payload out"}},
		"frames that say more": {host: &teller{frame: func(e map[string]any) string {
			more := lacking(e)
			more["seq"], more["data"], more["nodeId"] = e["sequence"], e["payload"], nil
			return ": note\n" + sseFrame(fmt.Sprint(e["sequence"]), e["type"].(string), more)
		}}},
		"lines that end otherwise": {host: &teller{frame: func(e map[string]any) string {
			return strings.ReplaceAll(sseFrame(fmt.Sprint(e["sequence"]), e["type"].(string), e), "\n", "\r\n")
		}}},
		"data over several lines": {host: &teller{frame: func(e map[string]any) string {
			return strings.ReplaceAll(sseFrame(fmt.Sprint(e["sequence"]), e["type"].(string), e), `,"`, ",\ndata: \"")
		}}},
		"batches without an id": {host: &teller{batches: true}, finds: []string{"OWP-EVT-29: "}},
		"begins anew behind nonsense": {host: &teller{resumes: func(id string) (int64, int) {
			n, err := strconv.ParseInt(id, 10, 64)
			if err != nil {
				n = -1
			}
			return n, 0
		}}},
		"types of its own, and one that is not": {host: &teller{extra: []string{"node.interrupt.noted", "core.dispatch.failed"}},
			finds: []string{": types that are not in the catalogue"}},
		"a lease after the end": {host: &teller{note: "lease.lost"}, finds: []string{": the end of the run is followed"}},
		"streams stay open where there is nothing to tell": {host: &teller{stream: func(w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("Last-Event-ID") != "3" {
				return false
			}
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return true
		}}, finds: []string{": a stream behind the last event"}},
		"no streams": {host: &teller{lists: true, stream: func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusNotFound)
			return true
		}}, blocked: []string{"forms-agree", "stream-batches", "stream-closes", "stream-resumes", "stream-shows-all", "stream-while-live"}},
		"names no causes":    {host: &teller{causeless: true}, inapplicable: []string{"causes-come-first"}},
		"nothing to be held": {host: &teller{fixtures: []string{"conformance-noop"}}, blocked: []string{"poll-while-live", "stream-while-live"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := certifyEventLog(t, c.host.serve(t), 10*time.Second, nil, scenarios.Quick)
			var blocked, inapplicable, finds []string
			for _, o := range r.Outcomes {
				switch o.Verdict {
				case scenarios.Blocked:
					blocked = append(blocked, o.Scenario.Name())
				case scenarios.Inapplicable:
					inapplicable = append(inapplicable, o.Scenario.Name())
				case scenarios.Passed:
				default:
					t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
				}
				for _, f := range o.Findings {
					finds = append(finds, string(f.Requirement)+": "+f.Text)
				}
			}
			slices.Sort(blocked)
			if !slices.Equal(blocked, c.blocked) {
				t.Errorf("blocked: %v, want %v", blocked, c.blocked)
			}
			if !slices.Equal(inapplicable, c.inapplicable) {
				t.Errorf("inapplicable: %v, want %v", inapplicable, c.inapplicable)
			}
			for _, want := range c.finds {
				if !slices.ContainsFunc(finds, func(f string) bool { return strings.HasPrefix(f, want) }) {
					t.Errorf("findings %q, want one that begins with %q", finds, want)
				}
			}
			if l := r.Leftovers; len(l) > 0 {
				t.Errorf("left behind: %v", l)
			}
		})
	}
}

// Each fault in a host's logs is found.
func TestHostsThatTellTheirLogsWrongly(t *testing.T) {
	page := func(edit func(events []map[string]any, after int64) []map[string]any) func(*telling, int64, string) any {
		return func(t *telling, after int64, _ string) any {
			events, over, _ := t.behind(after)
			return map[string]any{"events": edit(events, after), "isComplete": over}
		}
	}
	for name, c := range map[string]struct {
		host     *teller
		scenario string
		want     string
	}{
		"an empty log for everyone": {&teller{page: page(func([]map[string]any, int64) []map[string]any { return []map[string]any{} })},
			"numbered-without-gap", requirement.OWPEVT1},
		"loses the event at the cursor": {&teller{first: 1, page: func(t *telling, after int64, _ string) any {
			if after >= 0 {
				after++
			}
			events, over, _ := t.behind(after)
			return map[string]any{"events": events, "isComplete": over}
		}}, "poll-cursor", requirement.OWPEVT14},
		"minds no cursor": {&teller{page: func(t *telling, _ int64, _ string) any {
			events, over, _ := t.behind(-1)
			return map[string]any{"events": events, "isComplete": over}
		}}, "poll-cursor", requirement.OWPEVT15},
		"includes the cursor": {&teller{page: func(t *telling, after int64, _ string) any {
			events, over, _ := t.behind(after - 1)
			return map[string]any{"events": events, "isComplete": over}
		}}, "poll-cursor", requirement.OWPEVT15},
		"always complete": {&teller{page: func(t *telling, after int64, _ string) any {
			events, _, _ := t.behind(after)
			return map[string]any{"events": events, "isComplete": true}
		}}, "poll-while-live", requirement.OWPEVT16},
		"a second end":           {&teller{note: "run.completed"}, "ends-once", requirement.OWPEVT9},
		"works on after the end": {&teller{note: "node.started"}, "ends-once", requirement.OWPEVT10},
		"another time with every reading": {&teller{page: page(func(events []map[string]any, _ int64) []map[string]any {
			out := []map[string]any{}
			for _, e := range events {
				e = lacking(e)
				e["timestamp"] = time.Now().Format(time.RFC3339Nano)
				out = append(out, e)
			}
			return out
		})}, "never-changes", requirement.OWPEVT12},
		"streams stay open":         {&teller{leaves: true}, "stream-closes", requirement.OWPEVT23},
		"live streams stay open":    {&teller{leaves: true}, "stream-while-live", requirement.OWPEVT23},
		"streams always begin anew": {&teller{resumes: func(string) (int64, int) { return -1, 0 }}, "stream-resumes", requirement.OWPEVT24},
		"streams begin with what is new": {&teller{stream: func(w http.ResponseWriter, r *http.Request) bool {
			r.Header.Set("Last-Event-ID", "1")
			return false
		}}, "stream-while-live", requirement.OWPEVT26},
		"ids of its own on the stream": {&teller{frame: func(e map[string]any) string {
			other := lacking(e)
			other["eventId"] = "sse-" + e["eventId"].(string)
			return sseFrame(fmt.Sprint(e["sequence"]), e["type"].(string), other)
		}}, "forms-agree", requirement.OWPEVT27},
		"frames twice": {&teller{frame: func(e map[string]any) string {
			return strings.Repeat(sseFrame(fmt.Sprint(e["sequence"]), e["type"].(string), e), 2)
		}}, "stream-shows-all", requirement.OWPEVT22},
		"JSON for a stream": {&teller{stream: func(w http.ResponseWriter, _ *http.Request) bool {
			hosttest.TellJSON(w, 200, map[string]any{"events": []any{}})
			return true
		}}, "stream-shows-all", requirement.OWPEVT20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patience := 10 * time.Second
			if c.host.leaves || name == "an empty log for everyone" { // the reader waits in vain
				patience = 2 * time.Second
			}
			r := certifyEventLog(t, c.host.serve(t), patience, nil, scenarios.Quick)
			for _, o := range r.Outcomes {
				if o.Scenario.Name() != c.scenario {
					continue
				}
				if o.Failure == nil || o.Failure.Requirement != scenarios.RequirementID(c.want) {
					t.Errorf("%s: %s (%s), want a violation of %s", c.scenario, o.Verdict, o.Reason, c.want)
				}
			}
		})
	}
}

// A host that floods or stalls the reader is neither judged nor waited for.
func TestHostileStreams(t *testing.T) {
	limits := wire.DefaultLimits()
	limits.EventBytes, limits.StreamEvents, limits.DriveBytes, limits.Request = 64<<10, 500, 1<<20, 3*time.Second
	letter := "ü"
	for name, c := range map[string]struct {
		host *teller
		want scenarios.Verdict // of stream-shows-all
	}{
		"events without end":   {&teller{stream: streamOf("id: 1\nevent: x.y\ndata: {}\n\n", true)}, scenarios.Inconclusive},
		"comments without end": {&teller{stream: streamOf(": "+strings.Repeat("x", 1000)+"\n\n", true)}, scenarios.Inconclusive},
		"an event without end": {&teller{stream: streamOf(longLine(1000)+"\n", true)}, scenarios.Inconclusive},
		"a line without end":   {&teller{stream: streamOf(strings.Repeat("x", 1000), true)}, scenarios.Inconclusive},
		"a huge event":         {&teller{stream: streamOf(longLine(100<<10)+"\n\n", false)}, scenarios.Inconclusive},
		"a deep event":         {&teller{stream: streamOf("data: "+strings.Repeat("[", 1000)+"\n\n", false)}, scenarios.Inconclusive},
		"half a letter":        {&teller{stream: streamOf("id: 0\ndata: {\"x\":\""+letter[:1]+"\"}\n\n", false)}, scenarios.Inconclusive},
		"a letter in two parts": {&teller{stream: func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, part := range []string{"id: 0\nevent: x.y\ndata: {\"x\":\"" + letter[:1], letter[1:] + "\"}\n\n"} {
				fmt.Fprint(w, part)
				w.(http.Flusher).Flush()
			}
			return true
		}}, scenarios.Failed}, // read, but not one of the events
		"not a word": {&teller{stream: func(_ http.ResponseWriter, r *http.Request) bool {
			<-r.Context().Done()
			return true
		}}, scenarios.Inconclusive},
		"cut off": {&teller{stream: func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "id: 0\nevent: run.started\nda")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}}, scenarios.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := certifyEventLog(t, c.host.serve(t), 10*time.Second, &limits, scenarios.Quick)
			for _, o := range r.Outcomes {
				if o.Verdict == scenarios.Broken || o.Scenario.Name() == "stream-shows-all" && o.Verdict != c.want {
					t.Errorf("%s is %s: %s", o.Scenario.Name(), o.Verdict, o.Reason)
				}
			}
		})
	}
}
