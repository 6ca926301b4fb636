package mutate

// Event is an event on its way into a log. Whatever reads the log sees it as it was changed.
type Event struct {
	RunID       string
	Sequence    int64
	Type        string
	NodeID      string // "" where it is about no node
	CausationID string // "" where nothing caused it
	Payload     map[string]any
}

// EventFunc changes an event. It may be called concurrently, but never for the same log.
type EventFunc func(*Event)

// OfType limits a change to events of a type.
func OfType(name string, change EventFunc) EventFunc {
	return func(e *Event) {
		if e.Type == name {
			change(e)
		}
	}
}

// Payload changes the payload of an event as if it were a T. A payload that is none stays as it is.
func Payload[T any](change func(*T)) EventFunc {
	return func(e *Event) { Object(e.Payload, change) }
}

// Apply changes the members of an event that are not its place: the node, the cause, the payload, a JSON object. It returns
// the payload as it is to be written; one that is no object stays as it is.
func (e *Event) Apply(payload []byte, changes []EventFunc) []byte {
	object, ok := Decode(payload).(map[string]any)
	if !ok {
		return payload
	}
	e.Payload = object
	for _, change := range changes {
		change(e)
	}
	return Encode(e.Payload)
}
