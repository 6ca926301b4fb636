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
	"github.com/openassay/assay/simhost/refusal"
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
	refusal.Upstream:       http.StatusBadGateway,
	refusal.Loop:           http.StatusLoopDetected,
}

// spelled are the codes of parts that no protocol knows, as this one spells them.
var spelled = map[string]string{refusal.Malformed: codeValidation}

// invalid is a validation_error about one field, named as a dotted path ("configurable.maxLoopIterations").
func invalid(field, message string) *refusal.Error {
	return refusal.New(codeValidation, message, "field", field)
}

// asRefusal finds the refusal in an error of a handler or of a part behind this surface, in the protocol's codes; nil means that
// the fault is ours.
func asRefusal(err error) *refusal.Error {
	found := refusal.In(err)
	if found == nil {
		return nil
	}
	said := *found
	said.Code = cmp.Or(spelled[said.Code], said.Code)
	if statusOf[said.Code] == 0 {
		return nil
	}
	return &said
}

// fail answers with an error of a handler: what it refuses, or that the host is at fault. A fault is logged under
// an id that the caller gets too, and says no more than that.
func (h *Host) fail(w http.ResponseWriter, r *http.Request, err error) {
	if refused := asRefusal(err); refused != nil {
		h.refuse(w, r, refused)
		return
	}
	id := h.correlationID()
	switch damaged := (*eventlog.LogError)(nil); {
	case errors.As(err, &damaged):
		h.log.ErrorContext(r.Context(), "a log is damaged", "correlationId", id, "method", r.Method, "path", loggedPath(r), "error", err)
		h.refuse(w, r, refusal.New(codeInternal, damaged.Error(), "log", damaged.Log, detailCorrelation, id))
	case errors.Is(err, eventlog.ErrFull):
		h.log.ErrorContext(r.Context(), "the event log is full", "correlationId", id, "error", err)
		h.refuse(w, r, refusal.New(codeUnavailable, err.Error(), detailCorrelation, id))
	case errors.Is(err, eventlog.ErrClosed), errors.Is(err, live.ErrClosed), errors.Is(err, goal.ErrClosed),
		errors.Is(err, context.Canceled):
		// Either the host stops, or the client left, and then nobody reads this.
		h.refuse(w, r, refusal.New(codeUnavailable, "the host is shutting down: ask again when it is back", detailCorrelation, id))
	default:
		h.log.ErrorContext(r.Context(), "request failed", "correlationId", id, "method", r.Method, "path", loggedPath(r), "error", err)
		h.refuse(w, r, refusal.New(codeInternal, "the host could not handle this request; its log has the reason under this correlationId",
			detailCorrelation, id))
	}
}

// detailCorrelation ties an answer of 500 and above to a line of the host's log.
const detailCorrelation = "correlationId"

func (h *Host) correlationID() string { return fmt.Sprintf("req-%d", h.faults.Add(1)) }

// refuse answers with the canonical envelope.
func (h *Host) refuse(w http.ResponseWriter, r *http.Request, why *refusal.Error) {
	status, details := statusOf[why.Code], why.Details
	if why.Unprocessable {
		status = http.StatusUnprocessableEntity
	}
	if _, has := details[detailCorrelation]; status >= http.StatusInternalServerError && !has {
		// 501 is no fault, but a client that looks for the id at 500 and above finds it there, too.
		details = maps.Clone(details)
		if details == nil {
			details = map[string]any{}
		}
		details[detailCorrelation] = h.correlationID()
	}
	h.log.DebugContext(r.Context(), "refused", "method", r.Method, "path", loggedPath(r), "code", why.Code, "message", why.Message,
		"details", details)
	raw, err := json.Marshal(openwopv1.ErrorEnvelope{Error: why.Code, Message: why.Message, Details: details})
	if err != nil { // details hold something that is no JSON; the refusal itself must still arrive
		h.log.ErrorContext(r.Context(), "encode the details of a refusal", "code", why.Code, "error", err)
		raw, _ = json.Marshal(openwopv1.ErrorEnvelope{Error: why.Code, Message: why.Message})
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
