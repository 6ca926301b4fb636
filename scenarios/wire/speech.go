package wire

import (
	"fmt"
	"slices"
)

// Speech spells what suites name as one version of a protocol does. A [Client] asks it before a call goes out. A [Value]
// carries the speech of its transcript, so that matchers expect the words of the version that the target speaks.
type Speech interface {
	// Say returns the call with the method, path, headers and body that its operation has in this version.
	Say(Call) (Call, error)
	// Spell replaces each operation that text names, like {cancel run}, by its method and path.
	Spell(text string) string
}

// Hearer is a [Speech] for a target that may have other names for things than suites use.
type Hearer interface {
	Speech
	// Hear returns a document that the target sent with the names that suites use.
	Hear(document string) string
	// Heard is the speech of what Hear returns: the receiver if the names are the same.
	Heard() Speech
}

// heard returns a document of the transcript with the names that suites use.
func (t *Transcript) heard(document string) string {
	if h, ok := t.Speech.(Hearer); ok {
		return h.Hear(document)
	}
	return document
}

// Heard returns the transcript with the names that suites use in all that the target sent: t itself if it has no others.
func (t *Transcript) Heard() *Transcript {
	h, ok := t.Speech.(Hearer)
	if !ok || h.Heard() == t.Speech {
		return t
	}
	out := &Transcript{Drive: t.Drive, Speech: h.Heard(), Entries: slices.Clone(t.Entries)}
	for i := range out.Entries {
		e := &out.Entries[i]
		if e.Response != nil {
			response := *e.Response
			response.Body = h.Hear(response.Body)
			e.Response = &response
		}
		if e.Kind == "inbound" && e.Request != nil {
			request := *e.Request
			request.Body = h.Hear(request.Body)
			e.Request = &request
		}
		e.Chunks = slices.Clone(e.Chunks)
		for k := range e.Chunks { // of whole lines, so that no name is cut in two
			e.Chunks[k].Text = h.Hear(e.Chunks[k].Text)
		}
	}
	return out
}

// Operation names what a call asks of a target; the version of the protocol says how it is asked.
type Operation struct {
	Name  string
	IDs   []string // in the order in which they stand in the path
	Query []Parameter
}

// Parameter is one name and value of a query.
type Parameter struct{ Name, Value string }

// With returns the operation with one more parameter.
func (o Operation) With(name, value string) Operation {
	o.Query = append(slices.Clone(o.Query), Parameter{name, value})
	return o
}

// Names returns the call's name for texts: its operation, which a [Speech] spells, or its method and path.
func (c Call) Names() string {
	if c.Operation.Name != "" {
		return "{" + c.Operation.Name + "}"
	}
	return c.Method + " " + c.Path
}

// said returns the call as it goes out.
func (c *Client) said(call Call) (Call, error) {
	switch {
	case call.Operation.Name == "":
		return call, nil
	case c.transcript.Speech == nil:
		return call, fmt.Errorf("%s: the protocol has no words for operations", call.Operation.Name)
	}
	return c.transcript.Speech.Say(call)
}
