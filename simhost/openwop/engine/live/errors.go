package live

import (
	"errors"
)

// ErrClosed: the engine was closed, or is being closed.
var ErrClosed = errors.New("the run engine is closed")
