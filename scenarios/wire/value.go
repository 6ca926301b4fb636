package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Seen is something that the target sent, or did not send while a drive waited for it. Only this package can make one,
// so a check cannot be given a constant.
type Seen interface {
	// Refs returns the places where it stands.
	Refs() []Ref
	// Actual returns the decoded JSON, with numbers as json.Number, for matchers.
	Actual() any
	minted()
}

// Ref names a place in a transcript.
type Ref struct {
	Exchange int    `json:"exchange"`          // entry of the transcript, from 1
	Pointer  string `json:"pointer,omitempty"` // JSON pointer into the reply's body
	// Part is "" for the body, "status", or "header:<Name>"; for the n-th event of a stream "event:<n>" is its data,
	// besides "id:<n>" and "type:<n>"; for those of a process see [Spawned.part].
	Part string `json:"part,omitempty"`
}

// String returns the ref as reports show it, such as #7 /events/3/payload/iteration.
func (r Ref) String() string {
	s := "#" + strconv.Itoa(r.Exchange)
	switch {
	case r.Part != "":
		s += " " + r.Part
	case r.Pointer != "":
		s += " " + r.Pointer
	}
	return s
}

// Value is a JSON value in a reply, or its absence. The zero Value is absent, and has no place. Only its place is
// written to disk; [Bind] reads the value from the transcript.
type Value struct {
	ref    Ref
	v      any
	here   bool
	speech Speech
}

func (Value) minted() {}

// Refs implements [Seen].
func (v Value) Refs() []Ref { return []Ref{v.ref} }

// Ref returns the place of v.
func (v Value) Ref() Ref { return v.ref }

// Actual implements [Seen]. It is nil for null and for an absent value; [Value.Present] tells them apart.
func (v Value) Actual() any { return v.v }

// Present reports whether there is a value, null included.
func (v Value) Present() bool { return v.here }

// Speech is that of the target which sent v, nil where it has none.
func (v Value) Speech() Speech { return v.speech }

// At returns the value at a pointer below v, absent if the path ends early.
func (v Value) At(pointer string) Value {
	w, found := lookup(v.v, pointer)
	ref := v.ref
	ref.Pointer += pointer
	return Value{ref, w, v.here && found, v.speech}
}

// Key returns a member of the object v.
func (v Value) Key(name string) Value {
	members, ok := v.v.(map[string]any)
	if !ok { // an index of an array, or absent
		return v.At("/" + escape(name))
	}
	w, found := members[name]
	ref := v.ref
	ref.Pointer += "/" + escape(name)
	return Value{ref, w, v.here && found, v.speech}
}

// Word returns a member of the object v if it is a JSON string, else "". It is [Value.Key] for what no check is made of.
func (v Value) Word(name string) string {
	members, _ := v.v.(map[string]any)
	s, _ := members[name].(string)
	return s
}

// Whole returns a member of the object v if it is a whole number, as [Value.Int] does. It is [Value.Key] for what no check is made of.
func (v Value) Whole(name string) (int64, bool) {
	members, _ := v.v.(map[string]any)
	return Value{v: members[name]}.Int()
}

// Items returns the elements of the array v, none if it is not an array.
func (v Value) Items() Values {
	list, _ := v.v.([]any)
	out := make(Values, len(list))
	for i, item := range list {
		ref := v.ref
		ref.Pointer += "/" + strconv.Itoa(i)
		out[i] = Value{ref, item, v.here, v.speech}
	}
	return out
}

// String returns v if it is a JSON string, else "".
func (v Value) String() string {
	s, _ := v.v.(string)
	return s
}

// Bool returns v if it is a JSON boolean.
func (v Value) Bool() (b, ok bool) {
	b, ok = v.v.(bool)
	return b, ok
}

// Int returns v if it is a whole JSON number that fits an int64. 3.0 is one, as in JSON Schema.
func (v Value) Int() (int64, bool) {
	n, ok := v.v.(json.Number)
	if !ok {
		return 0, false
	}
	return Integer(n)
}

// Integer returns a JSON number that is whole and fits an int64.
func Integer(n json.Number) (int64, bool) {
	if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
		return i, true
	}
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil || f != float64(int64(f)) || f > 1<<53 || f < -(1<<53) {
		return 0, false
	}
	return int64(f), true
}

// JSON returns v as [Compact] JSON, "absent" if it is absent.
func (v Value) JSON() string {
	if !v.here {
		return "absent"
	}
	return Compact(v.v)
}

// GomegaString is how Gomega shows v in a failure message.
func (v Value) GomegaString() string { return v.JSON() + " at " + v.ref.String() }

// MarshalJSON encodes the place of v, not the value.
func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(v.ref) }

// UnmarshalJSON decodes the place of v; [Bind] reads the value.
func (v *Value) UnmarshalJSON(b []byte) error {
	*v = Value{}
	return json.Unmarshal(b, &v.ref)
}

// Values are several values of one kind, in the order of the log.
type Values []Value

func (Values) minted() {}

// Refs implements [Seen].
func (vs Values) Refs() []Ref {
	out := make([]Ref, len(vs))
	for i, v := range vs {
		out[i] = v.ref
	}
	return out
}

// Actual implements [Seen]. It returns a []any with nil for absent values.
func (vs Values) Actual() any {
	out := make([]any, len(vs))
	for i, v := range vs {
		out[i] = v.v
	}
	return out
}

// Each returns the value at a pointer below each value.
func (vs Values) Each(pointer string) Values {
	out := make(Values, len(vs))
	for i, v := range vs {
		out[i] = v.At(pointer)
	}
	return out
}

// Found holds the values that were found in a place. Without values, a report shows the place.
type Found struct {
	Values
	In Ref
	// Sought says what elements of the place were searched for, where it has none: with one of these words.
	Sought []Sought
}

// Sought is a word at a pointer below an element.
type Sought struct{ Pointer, Word string }

func (Found) minted() {}

// Refs implements [Seen]. It returns the places of the values, or the one that was searched.
func (f Found) Refs() []Ref {
	if len(f.Values) == 0 {
		return []Ref{f.In}
	}
	return f.Values.Refs()
}

// Each returns the value at a pointer below each value.
func (f Found) Each(pointer string) Found { return Found{f.Values.Each(pointer), f.In, f.Sought} }

// Last returns the last value, absent in the place that was searched if there is none.
func (f Found) Last() Value {
	if len(f.Values) == 0 {
		return Value{ref: f.In}
	}
	return f.Values[len(f.Values)-1]
}

// Where returns the values that satisfy keep.
func (f Found) Where(keep func(Value) bool) Found {
	out := Found{In: f.In, Sought: f.Sought}
	for _, v := range f.Values {
		if keep(v) {
			out.Values = append(out.Values, v)
		}
	}
	return out
}

// Wait is the result of waiting for the target to do something.
type Wait struct {
	What     string        `json:"what"`
	Reached  bool          `json:"reached"`
	Patience time.Duration `json:"patienceNs"`
	Took     time.Duration `json:"tookNs"`
	Answers  int           `json:"answers"` // the number of replies meanwhile: a silent target is not judged
	Last     Value         `json:"last"`    // the last value seen
}

func (Wait) minted() {}

// Gap returns Took if the wait was reached, else 0, since then it says nothing about the pace of the target.
func (w Wait) Gap() time.Duration {
	if !w.Reached {
		return 0
	}
	return w.Took
}

// Refs implements [Seen].
func (w Wait) Refs() []Ref { return w.Last.Refs() }

// Actual implements [Seen].
func (w Wait) Actual() any { return w }

var valueType = reflect.TypeFor[Value]()

// Bind reads every [Value] in observation, a pointer to plain data, from the transcript. So the observation can be
// judged again without the target.
func Bind(observation any, t *Transcript) error {
	return bind(reflect.ValueOf(observation), t)
}

func bind(v reflect.Value, t *Transcript) error {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return bind(v.Elem(), t)
	case reflect.Struct:
		if v.Type() == valueType {
			return v.Addr().Interface().(*Value).bind(t)
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				if err := bind(v.Field(i), t); err != nil {
					return err
				}
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := bind(v.Index(i), t); err != nil {
				return err
			}
		}
	case reflect.Map:
		// Map elements cannot be set in place.
		for _, k := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(k))
			if err := bind(e, t); err != nil {
				return err
			}
			v.SetMapIndex(k, e)
		}
	}
	return nil
}

func (v *Value) bind(t *Transcript) error {
	if v.ref.Exchange == 0 { // the zero Value
		return nil
	}
	w, err := t.value(v.ref)
	if err != nil {
		return err
	}
	*v = w
	return nil
}

// value mints the value at a place of the transcript.
func (t *Transcript) value(ref Ref) (Value, error) {
	v, err := t.stood(ref)
	v.speech = t.Speech
	return v, err
}

// stood is what stood at a place of the transcript.
func (t *Transcript) stood(ref Ref) (Value, error) {
	e := t.Entry(ref.Exchange)
	if e == nil {
		return Value{}, fmt.Errorf("transcript of %s has no exchange %d: was it cut short?", t.Drive, ref.Exchange)
	}
	switch {
	case ref.Part == "status":
		if e.Response == nil {
			return Value{ref: ref}, nil
		}
		return Value{ref: ref, v: json.Number(strconv.Itoa(e.Response.Status)), here: true}, nil
	case strings.HasPrefix(ref.Part, "header:"):
		if e.Response == nil {
			return Value{ref: ref}, nil
		}
		h, ok := e.Response.Header[strings.TrimPrefix(ref.Part, "header:")]
		return Value{ref: ref, v: h, here: ok}, nil
	case strings.HasPrefix(ref.Part, "event:"), strings.HasPrefix(ref.Part, "id:"), strings.HasPrefix(ref.Part, "type:"):
		return t.ofEvent(ref)
	case ref.Part != "" && e.Process != nil:
		if v, known := e.Process.part(ref.Part); known {
			return Value{ref: ref, v: v, here: true}, nil
		}
		fallthrough
	case ref.Part != "":
		return Value{}, fmt.Errorf("transcript of %s: exchange %d has no part %q", t.Drive, ref.Exchange, ref.Part)
	}
	doc, err := t.body(ref.Exchange)
	if err != nil { // the body is not JSON
		return Value{ref: ref}, nil
	}
	v, found := lookup(doc, ref.Pointer)
	return Value{ref: ref, v: v, here: found}, nil
}

// ofEvent mints a part of an event of a stream.
func (t *Transcript) ofEvent(ref Ref) (Value, error) {
	what, number, _ := strings.Cut(ref.Part, ":")
	n, err := strconv.Atoi(number)
	if err != nil {
		return Value{}, fmt.Errorf("transcript of %s: exchange %d: event %q is no number", t.Drive, ref.Exchange, ref.Part)
	}
	e, ok := t.event(ref.Exchange, n)
	switch {
	case !ok:
		return Value{ref: ref}, nil
	case what == "id":
		return Value{ref: ref, v: e.ID, here: true}, nil
	case what == "type":
		return Value{ref: ref, v: e.Type, here: true}, nil
	}
	doc, err := decode(t.heard(e.Data))
	if err != nil { // the data is not JSON
		return Value{ref: ref}, nil
	}
	v, found := lookup(doc, ref.Pointer)
	return Value{ref: ref, v: v, here: found}, nil
}
