package agent

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// object is a JSON object whose members are read by their exact names.
type object = map[string]json.RawMessage

// request is what the agent reads of a request. What is absent or null is empty.
type request struct {
	protocol  int64
	jobID     string
	command   string
	config    config
	state     object
	context   object
	workspace string // folder, "" for none
	event     *event
	deadline  time.Time
}

// event is what there is to be handled.
type event struct {
	eventType string
	payload   object
	dedupeKey string
	id        string
}

// MaxDepth is how many objects and arrays a request may nest.
const MaxDepth = 512

// parse reads a request. Every error is a refusal that says which member is wrong; none repeats a value.
func parse(input []byte) (*request, error) {
	if len(input) > MaxRequestBytes {
		return nil, refuse("the request is longer than %d MiB: keep large results in files", MaxRequestBytes>>20)
	}
	if len(bytes.TrimSpace(input)) == 0 {
		return nil, refuse("the request is empty: write one JSON object to the standard input")
	}
	if deeper(input, MaxDepth) {
		return nil, refuse("the request is nested deeper than %d levels", MaxDepth)
	}
	input = bytes.TrimSpace(input)
	if input[0] != '{' || !json.Valid(input) {
		return nil, refuse("the request is not one JSON object: write one to the standard input, and end it")
	}
	top := membersOf(input)
	r := &request{}
	whole, err := strconv.ParseInt(string(top["protocol"]), 10, 64)
	if err != nil {
		return nil, refuse("protocol is not a whole number: name the version of the protocol, 2")
	}
	r.protocol = whole
	f := fields{object: top}
	f.text("job_id", &r.jobID)
	f.text("command", &r.command)
	f.members("state", &r.state)
	f.members("context", &r.context)
	f.text("workspace_dir", &r.workspace)
	var configured, handed, secrets object
	f.members("config", &configured)
	f.members("event", &handed)
	f.members("secrets", &secrets)
	if f.err != nil {
		return nil, f.err
	}
	var deadline string
	if json.Unmarshal(top["deadline_at"], &deadline) == nil {
		r.deadline, _ = time.Parse(time.RFC3339, deadline) // it only informs: the gateway keeps the time
	}
	if r.config, err = readConfig(configured, secrets); err != nil {
		return nil, err
	}
	if handed != nil {
		if r.event, err = readEvent(handed); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func readEvent(handed object) (*event, error) {
	e := &event{}
	f := fields{object: handed, within: "event."}
	f.text("type", &e.eventType)
	f.members("payload", &e.payload)
	f.text("dedupe_key", &e.dedupeKey)
	f.text("event_id", &e.id)
	return e, f.err
}

// fields reads members of an object. The first that is of another type is the error.
type fields struct {
	object object
	within string // what stands before a member's name in errors
	err    error
}

func (f *fields) text(name string, into *string) {
	if raw := f.object[name]; f.is(raw, name, '"', "text") {
		*into = textOf(raw)
	}
}

func (f *fields) members(name string, into *object) {
	if raw := f.object[name]; f.is(raw, name, '{', "an object") {
		*into = membersOf(raw)
	}
}

// is tells whether a member is there and begins as its kind does.
func (f *fields) is(raw json.RawMessage, name string, begin byte, kind string) bool {
	if f.err != nil || isNull(raw) {
		return false
	}
	if raw[0] != begin {
		f.err = refuse("%s%s is not %s", f.within, name, kind)
	}
	return f.err == nil
}

func (f *fields) read(name, kind string, into any) {
	raw, ok := f.object[name]
	if !ok || f.err != nil || isNull(raw) {
		return
	}
	if json.Unmarshal(raw, into) != nil {
		f.err = refuse("%s%s is not %s", f.within, name, kind)
	}
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func isTrue(raw json.RawMessage) bool { return string(raw) == "true" }

// encoded is a text as JSON.
func encoded(text string) json.RawMessage {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string encodes
	}
	return out
}

// deeper tells whether JSON nests more levels than that. Text that is no JSON is judged by its brackets alone.
func deeper(input []byte, levels int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(input); i++ {
		switch c := input[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > levels {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// quote shows a name of the other side in an error: short, and on one line.
func quote(name string) string {
	const most = 80
	if len(name) > most {
		for cut := most; ; cut-- {
			if utf8.RuneStart(name[cut]) {
				name = name[:cut] + "…"
				break
			}
		}
	}
	return strconv.Quote(name)
}
