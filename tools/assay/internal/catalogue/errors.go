package catalogue

import (
	"fmt"
	"strings"
)

// UnknownError is a list or an id that does not exist.
type UnknownError struct {
	What string // unknown list "requirement"
	Near string // the nearest one there is, or ""
	See  string // where all of them can be seen
}

func (e *UnknownError) Error() string {
	if e.Near == "" {
		return fmt.Sprintf("%s (%s)", e.What, e.See)
	}
	return fmt.Sprintf("%s: did you mean %q? (%s)", e.What, e.Near, e.See)
}

var all = strings.Join(Kinds, ", ")
