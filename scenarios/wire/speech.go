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
