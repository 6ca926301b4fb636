package catalogue

import (
	"fmt"
	"strings"
)

// UnknownError reports a list or an id that does not exist.
type UnknownError struct {
	What string // unknown list "requirement"
	Near string // nearest known name, or ""
	See  string // names the lists
}

func (e *UnknownError) Error() string {
	if e.Near == "" {
		return fmt.Sprintf("%s (%s)", e.What, e.See)
	}
	return fmt.Sprintf("%s: did you mean %q? (%s)", e.What, e.Near, e.See)
}

// all holds the names of the lists, for messages.
var all = strings.Join(Kinds, ", ")
