package wire

import (
	"fmt"
	"slices"
)

// Speech is how one version of a protocol spells what suites name. A [Client] asks it before a call goes out; a [Value] carries
// that of the transcript it stands in, for matchers to expect the words of the version that the target speaks.
type Speech interface {
	// Say is a call with the method, path, headers and body that its operation has in this version.
	Say(Call) (Call, error)
	// Spell is text with each operation that it names, like {cancel run}, as method and path.
	Spell(text string) string
}

// Operation is what a call asks of a target, where the version of the protocol says how.
type Operation struct {
	Name  string
	IDs   []string // that stand in the path, in their order
	Query []Parameter
}

// Parameter is one of a query.
type Parameter struct{ Name, Value string }

// With is the operation with a further parameter.
func (o Operation) With(name, value string) Operation {
	o.Query = append(slices.Clone(o.Query), Parameter{name, value})
	return o
}

// Names is how texts name the call: by its operation, which a [Speech] spells, or by its method and path.
func (c Call) Names() string {
	if c.Operation.Name != "" {
		return "{" + c.Operation.Name + "}"
	}
	return c.Method + " " + c.Path
}

// said is a call as it goes out.
func (c *Client) said(call Call) (Call, error) {
	switch {
	case call.Operation.Name == "":
		return call, nil
	case c.transcript.Speech == nil:
		return call, fmt.Errorf("%s: the protocol has no words for operations", call.Operation.Name)
	}
	return c.transcript.Speech.Say(call)
}
