package host

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// State is a plugin's state as JSON. Copies of it are decoded once.
type State struct{ text *stateText }

type stateText struct {
	raw     json.RawMessage
	once    sync.Once
	decoded Object

	mu    sync.Mutex
	found map[string]finding // by what was looked for
}

// finding is what was found of an answer to a delivery. Many judges ask the same of every turn, and again after each change of one.
type finding struct {
	of     Delivery
	answer Object
	found  string
}

// once returns what look finds of a turn that was handed this state, and looks only if that was not the last answer it looked at. What it
// finds must follow from the state, the delivery and the answer.
func (s State) once(d Delivery, t Turn, what string, look func(Turn) string) string {
	answer, isObject := t.Answer.Actual().(Object)
	if s.text == nil || !isObject {
		return look(t)
	}
	s.text.mu.Lock()
	last, known := s.text.found[what]
	s.text.mu.Unlock()
	if known && last.of == d && reflect.ValueOf(last.answer).Pointer() == reflect.ValueOf(answer).Pointer() {
		return last.found
	}
	found := look(t)
	s.text.mu.Lock()
	defer s.text.mu.Unlock()
	if s.text.found == nil {
		s.text.found = map[string]finding{}
	}
	s.text.found[what] = finding{d, answer, found}
	return found
}

// NewState returns the state with these members.
func NewState(members Object) (State, error) {
	raw, err := json.Marshal(members)
	return State{&stateText{raw: raw}}, err
}

// MarshalJSON implements [json.Marshaler].
func (s State) MarshalJSON() ([]byte, error) {
	if s.text == nil {
		return []byte("null"), nil
	}
	return s.text.raw, nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *State) UnmarshalJSON(raw []byte) error {
	s.text = &stateText{raw: slices.Clone(raw)}
	return nil
}

// read returns the members of the state, nil if it is no object.
func (s State) read() Object {
	if s.text == nil {
		return nil
	}
	s.text.once.Do(func() {
		if state, err := wire.Decode(string(s.text.raw)); err == nil {
			s.text.decoded, _ = state.(Object)
		}
	})
	return s.text.decoded
}

// RunsOf returns the runs of a state.
func RunsOf(state Object) Object {
	runs, _ := state["runs"].(Object)
	return runs
}

// WithFields returns a copy of the state with other fields in one run. A caller sets only fields that the RFC names.
func WithFields(state Object, run string, fields Object) Object {
	out := Clone(state)
	if r, ok := RunsOf(out)[run].(Object); ok {
		maps.Copy(r, fields)
	}
	return out
}

// AtStep returns a copy of the state in which the run waits for step n.
func AtStep(state Object, run string, n int64) Object {
	fields := Object{"step": n, "pending_step": n}
	if r, ok := RunsOf(state)[run].(Object); ok {
		if _, kept := r["completed_steps"]; kept {
			done := []any{}
			for i := range n - 1 {
				done = append(done, i+1)
			}
			fields["completed_steps"] = done
		}
	}
	return WithFields(state, run, fields)
}

// Progress is how far a run is: its status, and the step and tool it waits for.
type Progress struct {
	Status string
	Step   int64
	Tool   string
}

// ProgressOf reads the progress of a decoded run. What is missing or of another type stays zero.
func ProgressOf(run any) Progress {
	r, _ := run.(Object)
	p := Progress{}
	p.Status, _ = r["status"].(string)
	p.Tool, _ = r["pending_tool"].(string)
	if n, ok := r["pending_step"].(json.Number); ok {
		p.Step, _ = wire.Integer(n)
	}
	return p
}

// IsOver reports whether the run has ended. A plugin may drop such a run: nothing else bounds the state, and whatever
// comes for the run is ignored either way (AL-R25).
func (p Progress) IsOver() bool { return p.Status == "done" || p.Status == "escalated" }

// IsNothing reports whether a field such as pending_step says that nothing is pending.
func IsNothing(v any) bool { return v == nil || v == "" || reflect.DeepEqual(v, int64(0)) }

// same reports whether two decoded runs say the same. A plugin may write every run anew in its own manner: null equals
// absent, and nothing pending may be written as 0 or "" (AL-R7).
func same(a, b any) bool {
	return reflect.DeepEqual(a, b) || reflect.DeepEqual(essence(a), essence(b))
}

// isPartOf reports whether a run has the status of another, and no member that the other lacks.
func isPartOf(run, whole any) bool {
	less, _ := essence(run).(Object)
	more, _ := essence(whole).(Object)
	for name, value := range less {
		if !reflect.DeepEqual(value, more[name]) {
			return false
		}
	}
	return less["status"] == more["status"]
}

// essence returns a run without the members that say nothing.
func essence(run any) any {
	members, isObject := check.Plain(run).(Object)
	if !isObject {
		return check.Plain(run)
	}
	out := make(Object, len(members))
	for name, value := range members {
		if pending := strings.HasPrefix(name, "pending_"); value != nil && (!pending || !IsNothing(value)) {
			out[name] = value
		}
	}
	return out
}
