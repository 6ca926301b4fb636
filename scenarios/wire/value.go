package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Seen is something the target itself sent, or failed to send while it was
// watched. Only this package makes one, which is why a check cannot be given a
// constant.
type Seen interface {
	// Refs says where it stood.
	Refs() []Ref
	// Actual is the decoded JSON (numbers as json.Number), for matchers.
	Actual() any
	minted()
}

// Ref names a place in a transcript.
type Ref struct {
	Exchange int    `json:"exchange"`          // entry of the transcript, from 1
	Pointer  string `json:"pointer,omitempty"` // JSON pointer into the reply's body
	Part     string `json:"part,omitempty"`    // "" body, "status", "header:<Name>"; of a stream's n-th event "event:<n>" its data, "id:<n>", "type:<n>"; of a process see [Spawned.part]
}

// String is the ref as a report prints it: #7 /events/3/payload/iteration.
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

// Value is one JSON value in a reply, or its absence. The zero Value is absent
// and stands nowhere. On disk it is only its place: what stood there is read
// from the transcript again by [Bind].
type Value struct {
	ref    Ref
	v      any
	here   bool
	speech Speech
}

func (Value) minted() {}

// Refs implements [Seen].
func (v Value) Refs() []Ref { return []Ref{v.ref} }

// Ref is the place of v.
func (v Value) Ref() Ref { return v.ref }

// Actual implements [Seen]; an absent value is nil, as is a JSON null: ask [Value.Present].
func (v Value) Actual() any { return v.v }

// Present says whether anything stood there, a null included.
func (v Value) Present() bool { return v.here }

// Speech is that of the target which sent v, nil where it has none.
func (v Value) Speech() Speech { return v.speech }

// At is the value below v; absent where the path ends early.
func (v Value) At(pointer string) Value {
	w, found := lookup(v.v, pointer)
	ref := v.ref
	ref.Pointer += pointer
	return Value{ref, w, v.here && found, v.speech}
}

// Key is the member of an object v.
func (v Value) Key(name string) Value {
	members, ok := v.v.(map[string]any)
	if !ok { // an index of an array, or nothing
		return v.At("/" + escape(name))
	}
	w, found := members[name]
	ref := v.ref
	ref.Pointer += "/" + escape(name)
	return Value{ref, w, v.here && found, v.speech}
}

// Items are the elements of an array v; nil when v is no array.
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

// String is v if it is a JSON string, else "".
func (v Value) String() string {
	s, _ := v.v.(string)
	return s
}

// Bool is v if it is a JSON boolean.
func (v Value) Bool() (b, ok bool) {
	b, ok = v.v.(bool)
	return b, ok
}

// Int is v if it is a JSON number without a fractional part that fits an int64.
// 3.0 counts: JSON Schema calls it an integer.
func (v Value) Int() (int64, bool) {
	n, ok := v.v.(json.Number)
	if !ok {
		return 0, false
	}
	return Integer(n)
}

// Integer is the value of a JSON number that is a whole number.
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

// JSON is v as compact JSON, cut to a length fit for a message; "absent" when nothing stood there.
func (v Value) JSON() string {
	if !v.here {
		return "absent"
	}
	return Compact(v.v)
}

// GomegaString is how Gomega shows v in a failure message.
func (v Value) GomegaString() string { return v.JSON() + " at " + v.ref.String() }

// Compact writes a decoded value as JSON of at most 300 characters.
func Compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%v", v)
	}
	const most = 300
	n := 0
	for at := range string(b) {
		if n++; n > most {
			return string(b[:at]) + "…"
		}
	}
	return string(b)
}

// MarshalJSON writes the place of v, not what stood there.
func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(v.ref) }

// UnmarshalJSON reads the place of v; [Bind] brings the value.
func (v *Value) UnmarshalJSON(b []byte) error {
	*v = Value{}
	return json.Unmarshal(b, &v.ref)
}

// Values are several values of one kind, in the order a reader of the log would meet them.
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

// Actual implements [Seen]: a []any, absent values as nil.
func (vs Values) Actual() any {
	out := make([]any, len(vs))
	for i, v := range vs {
		out[i] = v.v
	}
	return out
}

// Each maps every value to the one below it.
func (vs Values) Each(pointer string) Values {
	out := make(Values, len(vs))
	for i, v := range vs {
		out[i] = v.At(pointer)
	}
	return out
}

// Found are the values that were looked for in one place. When there are none,
// the place is all that can be shown.
type Found struct {
	Values
	In Ref
}

func (Found) minted() {}

// Refs implements [Seen]: where the values stood, or where they were looked for.
func (f Found) Refs() []Ref {
	if len(f.Values) == 0 {
		return []Ref{f.In}
	}
	return f.Values.Refs()
}

// Each maps every value to the one below it.
func (f Found) Each(pointer string) Found { return Found{f.Values.Each(pointer), f.In} }

// Last is the last value, or the absence of one where they were looked for.
func (f Found) Last() Value {
	if len(f.Values) == 0 {
		return Value{ref: f.In}
	}
	return f.Values[len(f.Values)-1]
}

// Where keeps the values that satisfy keep.
func (f Found) Where(keep func(Value) bool) Found {
	out := Found{In: f.In}
	for _, v := range f.Values {
		if keep(v) {
			out.Values = append(out.Values, v)
		}
	}
	return out
}

// Wait is what came of waiting for the target to do something: it did, or it
// went on answering without doing it.
type Wait struct {
	What     string        `json:"what"`
	Reached  bool          `json:"reached"`
	Patience time.Duration `json:"patienceNs"`
	Took     time.Duration `json:"tookNs"`
	Answers  int           `json:"answers"` // replies received meanwhile: a silent target is not judged
	Last     Value         `json:"last"`    // what was looked at last
}

func (Wait) minted() {}

// Gap is Took if the wait was reached, else 0: a wait that ran out says nothing about the pace of the target.
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

// Bind looks up every [Value] inside observation (a pointer to plain data) in
// the transcript it was read with. It is how a verdict is derived again from
// what was written, without the target.
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
	if v.ref.Exchange == 0 { // minted from nothing: absent
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
	if err != nil { // no JSON body: nothing stood there
		return Value{ref: ref}, nil
	}
	v, found := lookup(doc, ref.Pointer)
	return Value{ref: ref, v: v, here: found}, nil
}

// ofEvent mints what a ref names of one event of a stream.
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
	doc, err := decode(e.Data)
	if err != nil { // no JSON: nothing stood there
		return Value{ref: ref}, nil
	}
	v, found := lookup(doc, ref.Pointer)
	return Value{ref: ref, v: v, here: found}, nil
}
