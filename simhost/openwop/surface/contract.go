package surface

import (
	"slices"

	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/simhost/internal/contract"
)

// operation is what the API document demands of the requests of one operation.
type operation struct{ *contract.Operation }

// idempotent tells whether it declares an Idempotency-Key.
func (op *operation) idempotent() bool { return slices.Contains(op.Declared, headerIdempotencyKey) }

// operations maps "POST /v1/runs" to its operation.
type operations map[string]*operation

// judgedLater names the parameters whose values their handler judges: an unknown stream mode has an error code
// of its own, a buffer time above the maximum is clamped to it, not refused, and the path of a file that cannot be is a
// bad request, where other things in a path are not found.
var judgedLater = map[string]bool{"streamMode": true, "bufferMs": true, "path": true}

// readContract compiles what the bundled document says about requests.
func readContract(bundled []byte, schemas *validate.Set) (operations, error) {
	read, err := contract.Read(bundled, schemas, judgedLater)
	if err != nil {
		return nil, err
	}
	ops := operations{}
	for pattern, op := range read {
		ops[pattern] = &operation{op}
	}
	return ops, nil
}
