package surface

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/openwop/goal"
	refusals "github.com/openassay/assay/simhost/refusal"
)

// The codes this surface answers with. They are the protocol's own spellings where it has one; those
// at the end cover refusals of plain HTTP for which it names a status at most.
const (
	codeValidation         = "validation_error"
	codeStreamMode         = "unsupported_stream_mode"
	codeUnauthenticated    = "unauthenticated"
	codeForbidden          = "forbidden"
	codeRunForbidden       = "run_forbidden"
	codeForceEngineVersion = "force_engine_version_forbidden"
	codeMockProvider       = "mock_provider_forbidden"
	codeNotFound           = "not_found"
	codeInterruptNotFound  = "interrupt_not_found"
	codeKeyMismatch        = "idempotency_key_mismatch"
	codeRunActive          = "run_already_active"
	codeRunTerminal        = "run_terminal"
	codeRunPaused          = "run_paused"
	codeRunNotPaused       = "run_not_paused"
	codeInterruptResolved  = "interrupt_already_resolved"
	codeInterruptGone      = "interrupt_gone"
	codeInterruptExpired   = "interrupt_expired"
	codeWorkspaceConflict  = "workspace_conflict"
	codeWorkspaceTooLarge  = "workspace_too_large"
	codeGoalClosed         = "goal_closed"
	codeInvalidFromSeq     = "invalid_from_seq"
	codeMemorySnapshot     = "replay_memory_snapshot_unavailable"
	codeInterruptCancelled = "interrupt_cancelled"
	codeCapability         = "capability_not_provided"
	codeCapabilityRequired = "capability_required"
	codeResidency          = "residency_unavailable"
	codeInternal           = "internal_error"

	codeMethod      = "method_not_allowed"
	codeTooLarge    = "payload_too_large"
	codeUnavailable = "unavailable"
)

// statusOf ties each code to its one status, so that no handler chooses a status of its own.
var statusOf = map[string]int{
	codeValidation:         http.StatusBadRequest,
	codeStreamMode:         http.StatusBadRequest,
	codeCapabilityRequired: http.StatusBadRequest,
	codeUnauthenticated:    http.StatusUnauthorized,
	codeForbidden:          http.StatusForbidden,
	codeRunForbidden:       http.StatusForbidden,
	codeForceEngineVersion: http.StatusForbidden,
	codeMockProvider:       http.StatusForbidden,
	codeNotFound:           http.StatusNotFound,
	codeInterruptNotFound:  http.StatusNotFound,
	codeMethod:             http.StatusMethodNotAllowed,
	codeKeyMismatch:        http.StatusConflict,
	codeRunActive:          http.StatusConflict,
	codeRunTerminal:        http.StatusConflict,
	codeRunPaused:          http.StatusConflict,
	codeRunNotPaused:       http.StatusConflict,
	codeInterruptResolved:  http.StatusConflict,
	codeWorkspaceConflict:  http.StatusConflict,
	codeGoalClosed:         http.StatusConflict,
	codeInterruptGone:      http.StatusGone,
	codeInterruptExpired:   http.StatusGone,
	codeTooLarge:           http.StatusRequestEntityTooLarge,
	codeWorkspaceTooLarge:  http.StatusRequestEntityTooLarge,
	codeInvalidFromSeq:     http.StatusUnprocessableEntity,
	codeMemorySnapshot:     http.StatusUnprocessableEntity,
	codeInterruptCancelled: http.StatusUnprocessableEntity,
	codeResidency:          http.StatusUnprocessableEntity,
	codeInternal:           http.StatusInternalServerError,
	codeCapability:         http.StatusNotImplemented,
	codeUnavailable:        http.StatusServiceUnavailable,
}

// refusal is an answer other than success: a canonical code, what to do about it, and the facts.
type refusal struct {
	code    string
	message string
	details map[string]any
	status  int // where the protocol wants another one than the code's own; 0: it does not
}

func (r *refusal) Error() string { return r.code + ": " + r.message }

// refuse makes a refusal; details come as key, value, key, value.
func refuse(code, message string, details ...any) *refusal {
	r := &refusal{code: code, message: message}
	for i := 0; i+1 < len(details); i += 2 {
		if r.details == nil {
			r.details = make(map[string]any, len(details)/2)
		}
		r.details[details[i].(string)] = details[i+1]
	}
	return r
}

// invalid is a validation_error about one field, named as a dotted path ("configurable.maxLoopIterations").
func invalid(field, message string) *refusal {
	return refuse(codeValidation, message, "field", field)
}

// asRefusal finds the refusal in an error of a handler or of the engine; nil means that the fault is ours.
func asRefusal(err error) *refusal {
	if r := (*refusal)(nil); errors.As(err, &r) {
		return r
	}
	// The parts behind this surface refuse in codes of the protocol.
	if e := (*refusals.Error)(nil); errors.As(err, &e) {
		if _, known := statusOf[e.Code]; known {
			r := &refusal{code: e.Code, message: e.Message, details: e.Details}
			if e.Unprocessable {
				r.status = http.StatusUnprocessableEntity
			}
			return r
		}
	}
	return nil
}

// fail answers with an error of a handler: what it refuses, or that the host is at fault. A fault is logged under
// an id that the caller gets too, and says no more than that.
func (h *Host) fail(w http.ResponseWriter, r *http.Request, err error) {
	if refusal := asRefusal(err); refusal != nil {
		h.refuse(w, r, refusal)
		return
	}
	id := h.correlationID()
	switch {
	case errors.Is(err, eventlog.ErrFull):
		h.log.ErrorContext(r.Context(), "the event log is full", "correlationId", id, "error", err)
		h.refuse(w, r, refuse(codeUnavailable, err.Error(), detailCorrelation, id))
	case errors.Is(err, eventlog.ErrClosed), errors.Is(err, live.ErrClosed), errors.Is(err, goal.ErrClosed),
		errors.Is(err, context.Canceled):
		// Either the host stops, or the client left, and then nobody reads this.
		h.refuse(w, r, refuse(codeUnavailable, "the host is shutting down: ask again when it is back", detailCorrelation, id))
	default:
		h.log.ErrorContext(r.Context(), "request failed", "correlationId", id, "method", r.Method, "path", loggedPath(r), "error", err)
		h.refuse(w, r, refuse(codeInternal, "the host could not handle this request; its log has the reason under this correlationId",
			detailCorrelation, id))
	}
}

// detailCorrelation ties an answer of 500 and above to a line of the host's log.
const detailCorrelation = "correlationId"

func (h *Host) correlationID() string { return fmt.Sprintf("req-%d", h.faults.Add(1)) }

// refuse answers with the canonical envelope.
func (h *Host) refuse(w http.ResponseWriter, r *http.Request, why *refusal) {
	status, details := cmp.Or(why.status, statusOf[why.code]), why.details
	if _, has := details[detailCorrelation]; status >= http.StatusInternalServerError && !has {
		// 501 is no fault, but a client that looks for the id at 500 and above finds it there, too.
		details = maps.Clone(details)
		if details == nil {
			details = map[string]any{}
		}
		details[detailCorrelation] = h.correlationID()
	}
	h.log.DebugContext(r.Context(), "refused", "method", r.Method, "path", loggedPath(r), "code", why.code, "message", why.message,
		"details", details)
	raw, err := json.Marshal(openwopv1.ErrorEnvelope{Error: why.code, Message: why.message, Details: details})
	if err != nil { // details hold something that is no JSON; the refusal itself must still arrive
		h.log.ErrorContext(r.Context(), "encode the details of a refusal", "code", why.code, "error", err)
		raw, _ = json.Marshal(openwopv1.ErrorEnvelope{Error: why.code, Message: why.message})
	}
	writeJSON(w, status, raw)
}

// mediaJSON is the media type of documents.
const mediaJSON = "application/json"

// writeJSON sends a document that is encoded already.
func writeJSON(w http.ResponseWriter, status int, raw []byte) {
	w.Header().Set("Content-Type", mediaJSON)
	w.WriteHeader(status)
	_, _ = w.Write(raw) // nothing is left to tell a client that went away
}
