package host

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios/wire"
)

// The types of events that suites ask about.
const (
	EventSuspended       openintentv1.EventType = "intent.suspended"
	EventResumed         openintentv1.EventType = "intent.resumed"
	EventRenotified      openintentv1.EventType = "intent.suspension_renotified"
	EventEscalated       openintentv1.EventType = "intent.suspension_escalated"
	EventExpired         openintentv1.EventType = "intent.suspension_expired"
	EventMemberSuspended openintentv1.EventType = "portfolio.member_suspended"
	EventMemberResumed   openintentv1.EventType = "portfolio.member_resumed"
	EventEscalation      openintentv1.EventType = "coordinator.escalation_required"
)

// Log is the log of an intent or a portfolio.
type Log struct {
	Read   wire.Value  `json:"read"`   // the status of the reply
	Events wire.Values `json:"events"` // as the target lists them
}

// Log reads the log of the intent.
func (i *Intent) Log(ctx context.Context, label string) Log {
	return i.LogAt(ctx, label, i.log())
}

func (i *Intent) log() string { return At("/intents/%s/events", i.ID) }

const (
	eventLimit = "1000" // on a page
	mostEvents = 10_000 // of a log that never ends
)

// LogAt reads the log at a path, when it can be expected to show all that happened until now.
func (s *Server) LogAt(ctx context.Context, label, path string) Log {
	s.CatchUp(ctx)
	return s.logAt(ctx, label, path)
}

// EventsIn returns the events in a page of a log.
func EventsIn(page wire.Value) wire.Values { return Locate(logs, Named("log", page)).Items() }

func (s *Server) logAt(ctx context.Context, label, path string) Log {
	reply := s.Get(ctx, label, path+"?limit="+eventLimit)
	if !reply.Ok() { // some servers take no limit
		reply = s.Get(ctx, label, path)
	}
	l := Log{Read: reply.Status, Events: EventsIn(reply.Body)}
	// Some servers put less on a page than they are asked for, and some know no offset. Events that happen meanwhile move the others.
	const mostStale = 2 // pages without anything new
	for offset, stale := len(l.Events), 0; offset > 0 && stale < mostStale; {
		on, more := l.add(s.Get(ctx, label+", further", fmt.Sprintf("%s?limit=%s&offset=%d", path, eventLimit, offset)))
		offset += on
		if stale++; more > 0 {
			stale = 0
		}
		if on == 0 || len(l.Events) >= mostEvents {
			break
		}
	}
	return l
}

// add adds what is new on a further page, and returns how much is on it, and how much of that is new.
func (l *Log) add(page Reply) (on, more int) {
	known := map[string]bool{}
	for _, e := range l.Events {
		known[e.Key("id").JSON()] = true
	}
	events := Locate(logs, Named("log", page.Body)).Items()
	for _, e := range events {
		if !known[e.Key("id").JSON()] && len(l.Events) < mostEvents {
			l.Events = append(l.Events, e)
			more++
		}
	}
	return len(events), more
}

// OldestFirst sorts events by their time. Events of the same time keep the order of the list, which is reversed first
// if it has the newest event first.
func OldestFirst(events wire.Values) wire.Values { return oldestFirst(events, newestFirst(events)) }

func newestFirst(events wire.Values) bool {
	n := len(events)
	return n > 1 && !when(events[0]).Before(when(events[n-1]))
}

func when(event wire.Value) time.Time {
	t, _ := TimeOf(event.Key("created_at"))
	return t
}

func oldestFirst(events wire.Values, reverse bool) wire.Values {
	out := slices.Clone(events)
	if reverse {
		slices.Reverse(out)
	}
	slices.SortStableFunc(out, func(a, b wire.Value) int { return when(a).Compare(when(b)) })
	return out
}

// All returns the events, oldest first, found in their list.
func (l Log) All() wire.Found { return l.where(func(wire.Value) bool { return true }) }

// where returns the events that keep keeps, oldest first, found in their list. Few are sorted faster than all.
func (l Log) where(keep func(wire.Value) bool) wire.Found {
	found := wire.Found{Values: l.Events, In: l.Read.Ref()}.Where(keep)
	found.Values = oldestFirst(found.Values, newestFirst(l.Events))
	if len(l.Events) > 0 {
		found.In = l.Events[0].Ref()
		found.In.Pointer = found.In.Pointer[:strings.LastIndexByte(found.In.Pointer, '/')]
	}
	return found
}

// OfType returns the events of these types.
func (l Log) OfType(types ...openintentv1.EventType) wire.Found {
	found := l.where(func(e wire.Value) bool {
		return slices.Contains(types, openintentv1.EventType(e.Key("event_type").String()))
	})
	for _, t := range types {
		found.Sought = append(found.Sought, wire.Sought{Pointer: "/event_type", Word: string(t)})
	}
	return found
}

// Of returns the events of a type about one suspension, and those that name none.
func (l Log) Of(t openintentv1.EventType, sid string) wire.Found {
	return l.OfType(t).Where(func(e wire.Value) bool {
		named := e.At("/payload/suspension_id")
		return !named.Present() || named.String() == sid
	})
}
