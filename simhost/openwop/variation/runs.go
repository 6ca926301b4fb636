package variation

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// How late things are seen. It is longer than any reply takes and far shorter than anybody's patience.
const lag = 50 * time.Millisecond

// runs are the variations of runs and their events.
var runs = []Variation{
	{
		ID: "run-uuid-ids", Title: "ids of runs are run-<uuid>, those of their events <run>-n",
		About: "how ids look",
		Vary:  func(s *Set) { s.Shapes = append(s.Shapes, workflow.PrefixUUID) },
	},
	{
		ID: "uuid-ids", Title: "ids of runs are UUIDs, those of their events evt-<run>-n",
		About: "how ids look",
		Vary:  func(s *Set) { s.Shapes = append(s.Shapes, workflow.BareUUID) },
	},
	{
		ID: "late-children", Title: "a parent sees 50 ms late that its child has ended",
		About: "whether a host waits for a child or looks for it now and then",
		Vary:  func(s *Set) { s.ChildLag = lag },
	},
	{
		ID: "stale-resolve", Title: "the reply to an answer tells the status from before, and the run goes on in the background, 50 ms later",
		About: "whether a run has gone on when its answer is accepted",
		Vary:  func(s *Set) { s.AnswerLag = lag },
	},
	{
		ID: "waits-external", Title: "a run that waits for anybody is waiting-external",
		About: "which of the three waiting statuses a run has",
		Slips: []string{"OWP-CNF-8", "OWP-CNF-14", "OWP-CNF-18", "OWP-INT-6"},
		Vary:  func(s *Set) { s.waitsAs("waiting-external", "waiting-approval", "waiting-input") },
	},
	{
		ID: "waits-input", Title: "a run that waits for anybody is waiting-input",
		About: "which of the three waiting statuses a run has",
		Slips: []string{"OWP-CNF-14", "OWP-CNF-18", "OWP-INT-6"},
		Vary:  func(s *Set) { s.waitsAs("waiting-input", "waiting-approval", "waiting-external") },
	},
	{
		ID: "waits-clarification", Title: "a run that waits for an answer is waiting-clarification",
		About: "whether a run that asks has the status of the schema or the one that published scenarios wait for", Slips: []string{"OWP-CNF-14"},
		Vary: func(s *Set) { s.waitsAs("waiting-clarification", "waiting-input") },
	},
	{
		ID: "sparse-causes", Title: "that a worker was dispatched, and that its node is done, names no cause",
		About: "which events name the decision that caused them", Slips: []string{"OWP-DSP-4"},
		Vary: func(s *Set) {
			s.events = append(s.events, func(_ *exchange, e object) {
				switch e["type"] {
				case "node.dispatched", "node.completed":
					delete(e, "causationId")
				}
			})
		},
	},
	{
		ID: "first-sequence-one", Title: "the first event of a run is number 1, in polls, streams, forks and comparisons",
		About: "whether a log counts from 0 or from 1", Slips: []string{"OWP-EVT-1"},
		Vary: func(s *Set) {
			s.asks = append(s.asks, countsFromOne)
			s.events = append(s.events, func(_ *exchange, e object) { e["sequence"] = add(e["sequence"], 1); countPayload(e) })
			s.frames = append(s.frames, func(f frame) []frame {
				f.id = string(encode(add(f.id, 1)))
				return []frame{f}
			})
			s.replies = append(s.replies, tellsFromOne)
		},
	},
}

// waitsAs has every run that waits in one of these statuses do so in another one.
func (s *Set) waitsAs(status string, of ...string) {
	change := func(doc object) {
		if was, _ := doc["status"].(string); slices.Contains(of, was) {
			doc["status"] = status
		}
	}
	changeAll := func(doc object) {
		change(doc)
		for _, child := range objects(doc["childRuns"]) {
			change(child)
		}
	}
	s.snapshots = append(s.snapshots, changeAll)
	s.replies = append(s.replies, func(x *exchange) {
		if x.doc != nil && x.r.Method == http.MethodPost && x.succeeded() {
			change(x.doc)
		}
	})
}

// countsFromOne turns what a client counts from 1 into what the host counts from 0. Before the first event is 0 here.
func countsFromOne(x *exchange) {
	switch {
	case x.to(runPoll):
		query := x.r.URL.Query()
		cursor := query.Get("lastSequence")
		if cursor == "" {
			cursor = query.Get("since")
		}
		if n, err := strconv.ParseInt(cursor, 10, 64); err == nil && n >= 0 {
			query.Del("lastSequence")
			query.Set("since", strconv.FormatInt(n-1, 10))
			x.r.URL.RawQuery = query.Encode()
		}
	case x.to(runStream):
		n, err := strconv.ParseInt(x.r.Header.Get("Last-Event-ID"), 10, 64)
		switch {
		case err != nil || n < 0:
		case n == 0:
			x.r.Header.Del("Last-Event-ID")
		default:
			x.r.Header.Set("Last-Event-ID", strconv.FormatInt(n-1, 10))
		}
	case x.posts(runFork):
		x.editBody(func(body object) {
			if n, ok := body["fromSeq"].(json.Number); ok && n != "0" { // before the first event is nothing to keep
				body["fromSeq"] = lowered(n)
			}
		})
	}
}

// lowered is one less than a number that is not negative; what is wrong stays wrong.
func lowered(n json.Number) any {
	if i, err := n.Int64(); err != nil || i < 0 {
		return n
	}
	return add(n, -1)
}

// tellsFromOne counts from 1 where replies tell a place in a log.
func tellsFromOne(x *exchange) {
	switch {
	case x.doc == nil:
	case x.posts(runFork) && x.succeeded():
		x.doc["fromSeq"] = add(x.doc["fromSeq"], 1)
	case x.posts(runFork):
		if details, ok := x.doc["details"].(object); ok {
			for _, name := range []string{"fromSeq", "oldestAvailableIdx", "maxSeq"} {
				if details[name] != nil {
					details[name] = add(details[name], 1)
				}
			}
		}
	case x.to(runDiff):
		if x.doc["divergedAtSeq"] != nil {
			x.doc["divergedAtSeq"] = add(x.doc["divergedAtSeq"], 1)
		}
		for _, d := range objects(x.doc["eventDiffs"]) {
			d["seq"] = add(d["seq"], 1)
		}
	}
}

// countPayload counts from 1 where a payload tells a place in a log.
func countPayload(e object) {
	if p, ok := e["payload"].(object); ok && p["atSequence"] != nil {
		p["atSequence"] = add(p["atSequence"], 1)
	}
}
