package variation

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strconv"
	"time"
)

// polls are the variations of polls.
var polls = []Variation{
	{
		ID: "since-polls", Title: "a poll reads its cursor under the older name since alone",
		About: "under which name a host knows the cursor", Slips: []string{"OWP-EVT-15"},
		Vary: func(s *Set) {
			s.asks = append(s.asks, func(x *exchange) {
				if x.to(runPoll) {
					x.editQuery(func(q url.Values) { q.Del("lastSequence") })
				}
			})
		},
	},
	{
		ID: "no-long-poll", Title: "a poll with nothing to tell is answered at once, whatever its timeout",
		About: "whether a host holds a poll back; of those that were looked at none did",
		Vary:  func(s *Set) { s.impatient = true },
	},
	{
		ID: "poll-both", Title: "a poll tells beside its events and isComplete also runId, lastEventSeq, runStatus and isTerminal",
		About: "what stands around the events of a poll",
		Vary:  func(s *Set) { s.replies = append(s.replies, func(x *exchange) { x.tellRun() }) },
	},
	{
		ID: "poll-status", Title: "a poll tells runId, lastEventSeq, runStatus and isTerminal, and no isComplete",
		About: "what stands around the events of a poll", Slips: []string{"OWP-EVT-17"},
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(x *exchange) {
				if x.tellRun() {
					delete(x.doc, "isComplete")
				}
			})
		},
	},
}

// Holds is how long a poll is held back that may be held back so long.
func (s *Set) Holds(patience time.Duration) time.Duration {
	if s.impatient {
		return 0
	}
	return patience
}

func (x *exchange) editQuery(change func(url.Values)) {
	query := x.r.URL.Query()
	change(query)
	x.r.URL.RawQuery = query.Encode()
}

// tellRun adds to a poll how the run stands, and reports whether this is one that could be told.
func (x *exchange) tellRun() bool {
	m := runPoll.FindStringSubmatch(x.r.URL.Path)
	if m == nil || x.doc == nil || !x.succeeded() {
		return false
	}
	_, run := x.look(m[1])
	if run == nil {
		return false
	}
	for _, change := range x.set.snapshots {
		change(run)
	}
	x.doc["runId"], x.doc["runStatus"], x.doc["lastEventSeq"] = run["runId"], run["status"], x.lastSequence()
	if complete, told := x.doc["isComplete"]; told {
		x.doc["isTerminal"] = complete
	}
	return true
}

// lastSequence is that of the last event in a poll; of a poll without events it is the cursor that was asked for.
func (x *exchange) lastSequence() int64 {
	if events := objects(x.doc["events"]); len(events) > 0 {
		return number(events[len(events)-1]["sequence"])
	}
	asked := x.asked.URL.Query()
	n, err := strconv.ParseInt(cmp.Or(asked.Get("lastSequence"), asked.Get("since")), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

func number(v any) int64 {
	n, _ := v.(json.Number)
	i, _ := n.Int64() // a sequence of the host's own
	return i
}
