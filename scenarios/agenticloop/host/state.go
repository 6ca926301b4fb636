package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// object is a JSON object as a drive handles it; numbers stay json.Number.
type Object = map[string]any

// Decode reads JSON, numbers as json.Number; nothing at all leaves v as it is.
func Decode(raw []byte, v any) error {
	if len(raw) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(v)
}

// Clone is a deep copy of JSON data.
func Clone[T any](v T) T {
	var out T
	raw, err := json.Marshal(v)
	if err == nil {
		err = Decode(raw, &out)
	}
	if err != nil {
		panic(fmt.Sprintf("copying JSON: %v", err)) // it came from a decoder, or from us
	}
	return out
}

func OrEmpty(o Object) Object {
	if o == nil {
		return Object{}
	}
	return o
}

// RunsOf are the runs of a state.
func RunsOf(state Object) Object {
	runs, _ := state["runs"].(Object)
	return runs
}

// WithFields is a state in which fields of one run are changed: only such as the text names.
func WithFields(state Object, run string, fields Object) Object {
	out := Clone(state)
	if r, ok := RunsOf(out)[run].(Object); ok {
		maps.Copy(r, fields)
	}
	return out
}

// AtStep is a state in which a run waits for step n, whatever it waited for.
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

// IsNothing says whether a field that may name what is pending says that nothing is.
func IsNothing(v any) bool { return v == nil || v == "" || reflect.DeepEqual(v, int64(0)) }

// SizeOf is how many bytes a value takes as JSON.
func SizeOf(v any) int {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(raw)
}

// waits is what a run waits for, as a state has it.
type Standing struct {
	Status string
	Step   int64
	Tool   string
}

func StandingOf(run any) Standing {
	r, _ := run.(map[string]any)
	w := Standing{}
	w.Status, _ = r["status"].(string)
	w.Tool, _ = r["pending_tool"].(string)
	if n, ok := r["pending_step"].(json.Number); ok {
		w.Step, _ = wire.Integer(n)
	}
	return w
}

// same says whether two runs, as a decoded document has them, say the same: what is null may as well be absent, and nothing
// pending may be written as 0 or as an empty text (AL-R7). An agent may write every run anew in its own manner.
func same(a, b any) bool { return reflect.DeepEqual(plainly(a), plainly(b)) }

// plainly is a run without what says nothing.
func plainly(run any) any {
	members, isObject := check.Plain(run).(map[string]any)
	if !isObject {
		return check.Plain(run)
	}
	out := make(map[string]any, len(members))
	for name, value := range members {
		if pending := strings.HasPrefix(name, "pending_"); value != nil && (!pending || !IsNothing(value)) {
			out[name] = value
		}
	}
	return out
}

// isOver says whether a run has ended, as a state has it. An agent may let go of one that has: nothing bounds the state else,
// and what comes for it is ignored either way (AL-R25).
func isOver(run any) bool {
	status := StandingOf(run).Status
	return status == "done" || status == "escalated"
}
