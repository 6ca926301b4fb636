package mutate

import (
	"slices"
)

// Log says how a protocol shows the events of a run, for changes of events that stand in front of a host and cannot reach its
// log: they change each event wherever it is read.
type Log struct {
	Lists   map[string]string          // operation to the member that lists events
	Streams []string                   // operations that stream events, or lists of them
	Read    func(map[string]any) Event // without its payload
	Payload string                     // name of the member
	Write   func(Event, map[string]any)
}

// OnWire returns changes that act on requests, replies and frames alone: those of events are applied where a log is read.
func (c Changes) OnWire(log Log) Changes {
	events := c.Events
	c.Events = nil
	if len(events) == 0 {
		return c
	}
	c.Replies, c.Frames = slices.Clone(c.Replies), slices.Clone(c.Frames)
	for operation, member := range log.Lists {
		c.Replies = append(c.Replies, On(operation, Succeeded(JSON(func(o map[string]any) { log.change(o[member], events) }))))
	}
	for _, operation := range log.Streams {
		c.Frames = append(c.Frames, InStream(operation, func(f Frame) []Frame {
			if value := Decode(f.Data); log.change(value, events) {
				f.Data = Encode(value)
			}
			return []Frame{f}
		}))
	}
	return c
}

// change changes an event, or each one of a list, in place. It reports whether there was any.
func (l Log) change(value any, events []EventFunc) (changed bool) {
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			changed = l.change(one, events) || changed
		}
	case map[string]any:
		payload, ok := value[l.Payload].(map[string]any)
		if !ok {
			return false
		}
		e := l.Read(value)
		e.Payload = payload
		for _, change := range events {
			change(&e)
		}
		value[l.Payload] = e.Payload
		l.Write(e, value)
		return true
	}
	return changed
}
