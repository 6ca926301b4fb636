package wire

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
)

// Text returns the text of a part of an entry (see [Ref]): JSON for "", output and the data of an event, the plain text
// of anything else. ok is false if the entry has no such part.
func (t *Transcript) Text(exchange int, part string) (text string, ok bool) {
	e := t.Entry(exchange)
	if e == nil {
		return "", false
	}
	if e.Process != nil && part == "output" {
		part = ""
	}
	if part == "" {
		return e.document()
	}
	what, rest, _ := strings.Cut(part, ":")
	switch what {
	case "event", "id", "type":
		n, _ := strconv.Atoi(rest)
		event, ok := t.event(exchange, n)
		return map[string]string{"event": event.Data, "id": event.ID, "type": event.Type}[what], ok
	case "header":
		if e.Response == nil {
			return "", false
		}
		text, ok = e.Response.Header[rest]
		return text, ok
	}
	v, err := t.stood(Ref{Exchange: exchange, Part: part})
	if err != nil || !v.here {
		return "", false
	}
	if s, isText := v.v.(string); isText {
		return s, true
	}
	return Compact(v.v), true
}

// With returns a copy of the entry in which a part has another text. ok is false if it has no such part, or the text
// cannot stand there.
func (e Entry) With(part, text string) (changed Entry, ok bool) {
	if e.Process != nil {
		return e.withTurn(part, text)
	}
	what, rest, _ := strings.Cut(part, ":")
	switch {
	case part == "" && e.Files != nil:
		files := *e.Files
		files.Content, e.Files = text, &files
		return e, true
	case part == "" && e.Kind == "inbound" && e.Request != nil:
		request := *e.Request
		request.Body, e.Request = text, &request
		return e, true
	case e.Response == nil:
		return e, false
	case what == "event" || what == "id" || what == "type":
		n, err := strconv.Atoi(rest)
		if err != nil {
			return e, false
		}
		e.Chunks, ok = rewritten(e.Chunks, n, what, text)
		return e, ok
	}
	response := *e.Response
	e.Response = &response
	switch {
	case part == "":
		response.Body = text
		return e, true
	case part == "status":
		status, err := strconv.Atoi(text)
		response.Status = status
		return e, err == nil
	case what == "header":
		response.Header = maps.Clone(response.Header)
		if response.Header == nil {
			response.Header = map[string]string{}
		}
		response.Header[rest] = text
		return e, true
	}
	return e, false
}

// Without returns a copy of the entry without a header of its response.
func (e Entry) Without(header string) (changed Entry, ok bool) {
	if e.Response == nil {
		return e, false
	}
	if _, has := e.Response.Header[header]; !has {
		return e, false
	}
	response := *e.Response
	response.Header = maps.Clone(response.Header)
	delete(response.Header, header)
	e.Response = &response
	return e, true
}

func (e Entry) withTurn(part, text string) (Entry, bool) {
	turn := *e.Process
	e.Process = &turn
	switch part {
	case "", "output":
		turn.Output, turn.OutputBytes = text, int64(len(text))
		return e, turn.Unread == ""
	case "exit":
		if code, err := strconv.Atoi(text); err == nil {
			turn.Exit, turn.Ended = &code, ""
		} else {
			turn.Exit, turn.Ended = nil, text
		}
		return e, true
	case "bytes":
		n, err := strconv.ParseInt(text, 10, 64)
		turn.OutputBytes = n
		return e, err == nil
	case "stderr":
		turn.Errors, turn.ErrorBytes = text, int64(len(text))
		return e, true
	case "survivors":
		return e, json.Unmarshal([]byte(text), &turn.Survivors) == nil
	case "litter":
		return e, json.Unmarshal([]byte(text), &turn.Litter) == nil
	}
	return e, false
}

// frames returns the chunks of a stream so that each event stands whole in a chunk of its own, with the time at which it
// ended, and the text that follows the last event. ok is false if its lines end with a carriage return alone.
func frames(chunks []Chunk) (list []Chunk, rest string, ok bool) {
	var parser StreamParser
	var frame strings.Builder // the lines of an event so far
	for _, c := range chunks {
		for line := range strings.SplitAfterSeq(c.Text, "\n") {
			frame.WriteString(line)
			switch len(parser.Feed(line)) {
			case 0:
			case 1:
				list = append(list, Chunk{c.Micros, frame.String()})
				frame.Reset()
			default:
				return nil, "", false
			}
		}
	}
	return list, frame.String(), true
}

// rewritten returns the chunks of a stream whose n-th event, counted from 1, has another id, type or data.
func rewritten(chunks []Chunk, n int, what, value string) (out []Chunk, ok bool) {
	list, rest, ok := frames(chunks)
	if !ok || n < 1 || n > len(list) {
		return nil, false
	}
	var parser StreamParser
	for i, frame := range list {
		if event := parser.Feed(frame.Text); i == n-1 {
			list[i].Text = event[0].with(what, value).frame()
		}
	}
	list[len(list)-1].Text += rest
	return list, true
}

// Sending returns a copy of a stream whose events are those at these indexes, counted from 0.
func (e Entry) Sending(indexes []int) (changed Entry, ok bool) {
	list, rest, ok := frames(e.Chunks)
	if !ok {
		return e, false
	}
	e.Chunks = nil
	for _, i := range indexes {
		if i < 0 || i >= len(list) {
			return e, false
		}
		e.Chunks = append(e.Chunks, list[i])
	}
	e.Chunks = append(e.Chunks, Chunk{e.Micros, rest})
	return e, true
}

// Events returns how many events a stream has sent.
func (t *Transcript) Events(exchange int) (n int) {
	for ok := true; ok; n++ {
		_, ok = t.event(exchange, n+1)
	}
	return n - 1
}

func (e StreamEvent) with(what, value string) StreamEvent {
	switch what {
	case "id":
		e.ID = value
	case "type":
		e.Type = value
	default:
		e.Data = value
	}
	return e
}

// frame returns an event as a stream has it.
func (e StreamEvent) frame() string {
	var b strings.Builder
	for _, field := range []struct{ name, value string }{{"id", e.ID}, {"event", e.Type}} {
		if field.value != "" {
			b.WriteString(field.name + ": " + field.value + "\n")
		}
	}
	for line := range strings.SplitSeq(e.Data, "\n") {
		b.WriteString("data: " + line + "\n")
	}
	return b.String() + "\n"
}
