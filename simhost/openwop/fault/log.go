package fault

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// retold has every event of a log changed, in whatever form the log is read, before it is looked for what is behind a cursor.
func retold(s *rules.Set, change func(e *event.Event, r rules.Listing)) {
	relisted(s, func(r rules.Listing) []event.Event {
		events := slices.Clone(r.Events)
		for i := range events {
			change(&events[i], r)
		}
		return events
	})
}

// relisted has another log told than there is.
func relisted(s *rules.Set, other func(rules.Listing) []event.Event) {
	lists := s.Log.Lists
	s.Log.Lists = func(r rules.Listing) []event.Event {
		r.Events = other(r)
		return lists(r)
	}
}

// swept has a log told otherwise once somebody has found out, with a cursor at its end, that the run is over.
func swept(s *rules.Set, other func([]event.Event) []event.Event) {
	var over sync.Map // ids of runs
	lists := s.Log.Lists
	s.Log.Lists = func(r rules.Listing) []event.Event {
		if len(r.Events) == 0 {
			return lists(r)
		}
		last := r.Events[len(r.Events)-1]
		if _, known := over.Load(last.RunID); known {
			r.Events = other(slices.Clone(r.Events))
		}
		if r.Form == rules.Poll && r.Ended && r.After >= last.Sequence {
			over.Store(last.RunID, true)
		}
		return lists(r)
	}
}

// lingering has the log of a run that has ended told with something behind its end: that of a stream that is open ends
// with its run.
func lingering(s *rules.Set, with func(log []event.Event) []event.Event) {
	relisted(s, func(r rules.Listing) []event.Event {
		if r.Live || !r.Ended || len(r.Events) == 0 {
			return r.Events
		}
		log := slices.Clone(r.Events)
		for _, e := range with(r.Events) {
			log = append(log, again(e, log))
		}
		return log
	})
}

// untold has events left out of logs, as if they had never been appended.
func untold(which func(event.Event) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		relisted(s, func(r rules.Listing) []event.Event {
			return renumbered(slices.DeleteFunc(slices.Clone(r.Events), which))
		})
	}
}

// starts is an event that says that a node starts, as one of the log does that says so of this one, or of another.
func starts(log []event.Event, nodeID string) []event.Event {
	var start event.Event
	for _, e := range log {
		if e.Type == event.NodeStarted && (start.Type == "" || e.NodeID == nodeID) {
			start = e
		}
	}
	var p event.NodeStartedPayload
	if start.Type == "" || json.Unmarshal(start.Payload, &p) != nil {
		return nil
	}
	start.NodeID, p.NodeID = nodeID, nodeID
	payload, err := json.Marshal(p)
	if err != nil {
		return nil
	}
	start.Payload = payload
	return []event.Event{start}
}

// lastBefore is the id of the last event of this kind that stands before another one; that which the other one has for
// its cause where there is none.
func lastBefore(log []event.Event, other event.Event, kind func(event.Event) bool) (id string) {
	id = other.CausationID
	for _, e := range log {
		if e.Sequence < other.Sequence && kind(e) {
			id = e.ID
		}
	}
	return id
}

// renumbered is a log with its events counted anew, from where it begins.
func renumbered(log []event.Event) []event.Event {
	for i := 1; i < len(log); i++ {
		log[i].Sequence = log[0].Sequence + int64(i)
	}
	return log
}

// again is an event once more, at the end of a log.
func again(e event.Event, log []event.Event) event.Event {
	last := log[len(log)-1]
	e.Sequence, e.ID, e.Timestamp = last.Sequence+1, last.ID+"-again", last.Timestamp.Add(time.Millisecond)
	return e
}

// idle tells the log of a run that has ended and whose only node did nothing.
func idle(r rules.Listing) bool {
	if !r.Ended || len(r.Events) != 4 {
		return false
	}
	var p event.NodeStartedPayload
	return json.Unmarshal(r.Events[1].Payload, &p) == nil && p.TypeID == "core.noop"
}

// looped tells the log of a loop that has ended without asking anybody.
func looped(r rules.Listing) bool {
	supervised := func(e event.Event) bool { return e.Type == event.Decided }
	asked := func(e event.Event) bool { return e.Type == event.NodeSuspended }
	return r.Ended && slices.ContainsFunc(r.Events, supervised) && !slices.ContainsFunc(r.Events, asked)
}

func isOf(e *event.Event, t event.Type, nodeID string) bool {
	return e.Type == t && e.NodeID == nodeID
}

func endsRun(e *event.Event) bool {
	switch e.Type {
	case event.RunCompleted, event.RunFailed, event.RunCancelled:
		return true
	}
	return false
}

// whenIdle changes what a poll says that lists nothing.
func whenIdle(change func(*openwopv1.EventPage)) mutate.ReplyFunc {
	return mutate.On("GET /v1/runs/{runId}/events/poll", mutate.Succeeded(mutate.At("", func(p *openwopv1.EventPage) {
		if len(p.Events) == 0 {
			change(p)
		}
	})))
}

// logFaults are about logs themselves.
var logFaults = []Fault{
	{
		ID:     "log.listed-by-id",
		Title:  "a poll without a cursor sorts events of the same instant by their ids, as text",
		Looks:  "event 10 is listed before event 2",
		Breaks: []string{openwop.OWPEVT1},
		Replace: func(s *rules.Set) {
			lists := s.Log.Lists
			s.Log.Lists = func(r rules.Listing) []event.Event {
				listed := lists(r)
				if r.Form != rules.Poll || r.After >= 0 || len(listed) < 2 {
					return listed
				}
				listed = slices.Clone(listed)
				slices.SortStableFunc(listed[1:], func(a, b event.Event) int {
					if byTime := a.Timestamp.Compare(b.Timestamp); byTime != 0 {
						return byTime
					}
					return cmp.Compare(a.ID, b.ID)
				})
				return listed
			}
		},
	},
	{
		ID:     "log.number-left-out",
		Title:  "a loop leaves out a sequence number before its end",
		Looks:  "the last event of a loop is numbered by two more than the event before it",
		Breaks: []string{openwop.OWPEVT1, openwop.OWPEVT16},
		Twin:   "there a number is missing, here the order is wrong",
		Replace: func(s *rules.Set) {
			retold(s, func(e *event.Event, r rules.Listing) {
				if looped(r) && endsRun(e) {
					e.Sequence++
				}
			})
		},
	},
	{
		ID:     "log.end-without-id",
		Title:  "the event that ends a run in which nothing was done is told without an id",
		Looks:  "the eventId of run.completed of conformance-noop is empty",
		Breaks: []string{openwop.OWPEVT2},
		Replace: func(s *rules.Set) {
			retold(s, func(e *event.Event, r rules.Listing) {
				if idle(r) && endsRun(e) {
					e.ID = ""
				}
			})
		},
	},
	{
		ID:     "log.ids-by-node",
		Title:  "the ids of the events of a node that does nothing are made of the run and the node",
		Looks:  "node.started and node.completed of conformance-noop have one eventId",
		Breaks: []string{openwop.OWPEVT3},
		Replace: func(s *rules.Set) {
			retold(s, func(e *event.Event, r rules.Listing) {
				if idle(r) && e.NodeID != "" {
					e.ID = e.RunID + "-" + e.NodeID
				}
			})
		},
	},
	{
		ID:     "log.attempt-for-run",
		Title:  "the end of a run in which nothing was done is stamped with the attempt in place of the run",
		Looks:  "the runId of the last event of conformance-noop has :1 behind it",
		Breaks: []string{openwop.OWPEVT4},
		Replace: func(s *rules.Set) {
			retold(s, func(e *event.Event, r rules.Listing) {
				if idle(r) && endsRun(e) {
					e.RunID += ":1"
				}
			})
		},
	},
	{
		ID:     "log.coarse-times",
		Title:  "the time of node.completed is cut to milliseconds, that of other events is not",
		Looks:  "node.completed is stamped earlier than the event before it",
		Breaks: []string{openwop.OWPEVT5},
		Replace: func(s *rules.Set) {
			retold(s, func(e *event.Event, _ rules.Listing) {
				if e.Type == event.NodeCompleted {
					e.Timestamp = e.Timestamp.Truncate(time.Millisecond)
				}
			})
		},
	},
	{
		ID:     "log.causes-itself",
		Title:  "the end of a supervisor's node names itself as its cause",
		Looks:  "causationId and eventId of node.completed are the same",
		Breaks: []string{openwop.OWPEVT6},
		Replace: func(s *rules.Set) {
			retold(s, func(e *event.Event, _ rules.Listing) {
				if isOf(e, event.NodeCompleted, "supervisor") {
					e.CausationID = e.ID
				}
			})
		},
	},
	{
		ID:     "log.type-of-one-word",
		Title:  "the end of a supervisor's node is told under a type of the host's own that has no dot",
		Looks:  "an event has the type nodeCompleted",
		Breaks: []string{openwop.OWPEVT7},
		Replace: func(s *rules.Set) {
			retold(s, func(e *event.Event, _ rules.Listing) {
				if isOf(e, event.NodeCompleted, "supervisor") {
					e.Type = "nodeCompleted"
				}
			})
		},
	},
	{
		ID:     "log.start-without-type",
		Title:  "node.started of a supervisor does not say of what type the node is",
		Looks:  "its payload has no typeId",
		Breaks: []string{openwop.OWPEVT8},
		Replace: func(s *rules.Set) {
			retold(s, func(e *event.Event, _ rules.Listing) {
				if isOf(e, event.NodeStarted, "supervisor") {
					e.Payload = json.RawMessage(`{"nodeId":"supervisor"}`)
				}
			})
		},
	},
	{
		ID:     "log.ended-again",
		Title:  "a run that was found to be over is ended once more",
		Looks:  "after a poll with a cursor at the end of the log there is a second run.completed on it",
		Breaks: []string{openwop.OWPEVT9, openwop.OWPEVT10, openwop.OWPEVT11, openwop.OWPEVT16},
		Spots:  []int{40},
		Replace: func(s *rules.Set) {
			swept(s, func(log []event.Event) []event.Event { return append(log, again(log[len(log)-1], log)) })
		},
	},
	{
		ID:     "log.step-after-end",
		Title:  "a worker that comes late writes its result behind the end of the run",
		Looks:  "after a poll with a cursor at the end of the log, node.completed stands behind run.completed",
		Breaks: []string{openwop.OWPEVT10},
		Replace: func(s *rules.Set) {
			swept(s, func(log []event.Event) []event.Event {
				i := slices.IndexFunc(log, func(e event.Event) bool { return e.Type == event.NodeCompleted })
				if i < 0 {
					return log
				}
				return append(log, again(log[i], log))
			})
		},
	},
	{
		ID:     "log.ends-as-cancelled",
		Title:  "the log of a run in which nothing was done ends as that of a run that was given up",
		Looks:  "the run is completed, and its last event is run.cancelled",
		Breaks: []string{openwop.OWPEVT11},
		Replace: func(s *rules.Set) {
			retold(s, func(e *event.Event, r rules.Listing) {
				if idle(r) && e.Type == event.RunCompleted {
					e.Type, e.Payload = event.RunCancelled, json.RawMessage(`{}`)
				}
			})
		},
	},
	{
		ID:     "log.archive-forgets",
		Title:  "a log that was read to its end is archived, and the causes of its events with it",
		Looks:  "after a poll with a cursor at the end of the log no event has a causationId any more",
		Breaks: []string{openwop.OWPEVT12, openwop.OWP0037B3},
		Replace: func(s *rules.Set) {
			swept(s, func(log []event.Event) []event.Event {
				for i := range log {
					log[i].CausationID = ""
				}
				return log
			})
		},
	},
	{
		ID:     "log.restamped-on-resume",
		Title:  "when a run is over whose answer came late, the time of its question is that of the answer",
		Looks:  "node.suspended has another timestamp at the end of the run than while the run waited",
		Breaks: []string{openwop.OWPEVT12},
		Replace: func(s *rules.Set) {
			retold(s, func(e *event.Event, r rules.Listing) {
				i := slices.IndexFunc(r.Events, func(e event.Event) bool { return e.Type == event.InterruptResolved })
				if i >= 0 && r.Ended && e.Type == event.NodeSuspended {
					e.Timestamp = r.Events[i].Timestamp
				}
			})
		},
	},
	{
		ID:     "log.first-left-out",
		Title:  "a poll without a cursor is taken for one behind the first event",
		Looks:  "the first event that a poll lists has sequence 1",
		Breaks: []string{openwop.OWPEVT13, openwop.OWPEVT12},
		Replace: func(s *rules.Set) {
			lists := s.Log.Lists
			s.Log.Lists = func(r rules.Listing) []event.Event {
				if r.Form == rules.Poll && len(r.Events) > 8 {
					r.After = max(r.After, 0)
				}
				return lists(r)
			}
		},
	},
	{
		ID:     "log.single-held-back",
		Title:  "a poll with a cursor does not list an event that is the only one behind it",
		Looks:  "behind the last but one of a finished run a poll lists nothing, and says that the log is complete",
		Breaks: []string{openwop.OWPEVT14, openwop.OWPEVT16},
		Replace: func(s *rules.Set) {
			lists := s.Log.Lists
			s.Log.Lists = func(r rules.Listing) []event.Event {
				listed := lists(r)
				if r.Form == rules.Poll && r.Ended && r.After >= 0 && len(listed) == 1 {
					return nil
				}
				return listed
			}
		},
	},
	{
		ID:     "log.cursor-included",
		Title:  "a poll with a cursor lists the event at the cursor once more",
		Looks:  "the first event that a poll behind 4 lists has sequence 4",
		Breaks: []string{openwop.OWPEVT15},
		Replace: func(s *rules.Set) {
			lists := s.Log.Lists
			s.Log.Lists = func(r rules.Listing) []event.Event {
				if r.Form == rules.Poll && r.Ended && r.After >= 0 {
					r.After--
				}
				return lists(r)
			}
		},
	},
	{
		ID:     "log.complete-when-idle",
		Title:  "a poll that has nothing to list says that the log is complete",
		Looks:  "isComplete is true of a run that is suspended",
		Breaks: []string{openwop.OWPEVT16},
		Reply:  whenIdle(func(p *openwopv1.EventPage) { p.IsComplete = true }),
	},
	{
		ID:     "log.complete-when-cut",
		Title:  "a poll whose page is full says that the log is complete",
		Looks:  "isComplete is true of a page of a thousand events, and more are behind it",
		Breaks: []string{openwop.OWPEVT16},
		Depth:  "standard", // no log is as long at quick
		Reply: mutate.On("GET /v1/runs/{runId}/events/poll", mutate.Succeeded(mutate.At("", func(p *openwopv1.EventPage) {
			p.IsComplete = p.IsComplete || len(p.Events) >= 1_000
		}))),
	},
	{
		ID:     "log.never-complete-when-idle",
		Title:  "a poll says that the log is complete only where it lists the last event",
		Looks:  "isComplete is false behind the last event of a finished run",
		Breaks: []string{openwop.OWPEVT17},
		Reply:  whenIdle(func(p *openwopv1.EventPage) { p.IsComplete = false }),
	},
	{
		ID:     "log.poll-overstays",
		Title:  "a poll is held until something happens, whatever timeout it asks for",
		Looks:  "a poll of a suspended run with a timeout of a second is not answered",
		Breaks: []string{openwop.OWPEVT18},
		Request: mutate.Asked("GET /v1/runs/{runId}/events/poll", func(r *mutate.Request) {
			query := r.URL.Query()
			query.Set("timeout", "60") // the longest that can be asked for
			r.URL.RawQuery = query.Encode()
		}),
	},
	{
		ID:     "log.empty-poll-moves-on",
		Title:  "a poll that came back empty moves the cursor on, to the event that comes next",
		Looks:  "who asks again with the same cursor does not get the first event that happened since",
		Breaks: []string{openwop.OWPEVT19, openwop.OWPEVT14},
		Replace: func(s *rules.Set) {
			type place struct {
				runID string
				after int64
			}
			var moved sync.Map
			lists := s.Log.Lists
			s.Log.Lists = func(r rules.Listing) []event.Event {
				if r.Form != rules.Poll || len(r.Events) == 0 {
					return lists(r)
				}
				at := place{r.Events[0].RunID, r.After}
				if _, again := moved.Load(at); again {
					r.After++
				}
				listed := lists(r)
				if len(listed) == 0 && !r.Ended {
					moved.Store(at, true)
				}
				return listed
			}
		},
	},
}
