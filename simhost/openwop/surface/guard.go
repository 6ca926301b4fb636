package surface

import (
	"net/http"
	"slices"

	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/simhost/serving/contract"
)

// guard puts the checks of an operation's contract in front of its handler: the scope of the key, parameters, then the body, then the
// idempotency key, then whose run it is. What reaches the handler is valid, and the caller's.
func (h *Host) guard(op *contract.Operation, next http.Handler) http.Handler {
	if ofOneRun(op) {
		next = h.ownRun(op, next)
	}
	if idempotent(op) {
		next = h.once(next)
	}
	guarded := contract.Checks{
		Fail: h.fail, Largest: func() int64 { return h.rules.Requests.Largest(contract.MaxBody) },
		Minds: func(op *contract.Operation, p validate.Problem) bool {
			return h.rules.Requests.Minds(op.ID, p.Instance)
		},
	}.Front(op, next)
	if answersInterrupts(op) {
		return h.responds(guarded)
	}
	return guarded
}

// idempotent tells whether an operation declares an Idempotency-Key.
func idempotent(op *contract.Operation) bool {
	return slices.Contains(op.Declared, headerIdempotencyKey)
}

// judgedLater names the parameters whose values their handler judges: an unknown stream mode has an error code
// of its own, a buffer time above the maximum is clamped to it, not refused, and the path of a file that cannot be is a
// bad request, where other things in a path are not found.
var judgedLater = map[string]bool{"streamMode": true, "bufferMs": true, "path": true}
