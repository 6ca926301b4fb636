package openintent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"

	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openintent/engine"
	"github.com/openassay/assay/simhost/refusal"
)

// statusOf ties each code to its one status.
var statusOf = map[string]int{
	refusal.Malformed:           http.StatusBadRequest,
	engine.CodeDependency:       http.StatusBadRequest,
	refusal.Unauthenticated:     http.StatusUnauthorized,
	engine.CodeGovernance:       http.StatusForbidden,
	refusal.NotFound:            http.StatusNotFound,
	refusal.Method:              http.StatusMethodNotAllowed,
	engine.CodeVersion:          http.StatusConflict,
	engine.CodeNotSuspended:     http.StatusConflict,
	engine.CodeOtherSuspension:  http.StatusConflict,
	engine.CodeLeaseHeld:        http.StatusConflict,
	engine.CodeUpstream:         http.StatusConflict,
	engine.CodeNotClaimable:     http.StatusConflict,
	engine.CodeTransition:       http.StatusConflict,
	engine.CodeIncomplete:       http.StatusConflict,
	engine.CodeDependenciesOpen: http.StatusConflict,
	engine.CodeTaskOver:         http.StatusConflict,
	engine.CodeIntentSuspended:  http.StatusConflict,
	refusal.TooLarge:            http.StatusRequestEntityTooLarge,
	refusal.Validation:          http.StatusUnprocessableEntity,
	engine.CodeResponse:         http.StatusUnprocessableEntity,
	engine.CodeChoice:           http.StatusUnprocessableEntity,
	engine.CodeNotify:           http.StatusUnprocessableEntity,
	engine.CodeInputs:           http.StatusUnprocessableEntity,
	engine.CodeNeedsMatch:       http.StatusPreconditionRequired,
	refusal.Internal:            http.StatusInternalServerError,
	refusal.Unavailable:         http.StatusServiceUnavailable,
	refusal.Upstream:            http.StatusBadGateway,
	refusal.Loop:                http.StatusLoopDetected,
}

// spelled are the codes that this server calls otherwise.
var spelled = map[string]string{refusal.Malformed: "bad_request", refusal.TooLarge: "too_large"}

func badRequest(err error) error {
	return refusal.New(refusal.Validation, "the request cannot be read: "+err.Error())
}

// fail answers with an error of a handler: what it refuses, or that the server is at fault.
func (h *Host) fail(w http.ResponseWriter, r *http.Request, err error) {
	said := refusal.In(err)
	if said != nil && said.Code == refusal.NotFound && h.engine.Damaged() {
		err = &eventlog.LogError{Log: engine.LogName, Dir: h.store.Dir()}
		said = nil
	}
	switch damaged := (*eventlog.LogError)(nil); {
	case errors.As(err, &damaged):
		h.log.ErrorContext(r.Context(), "the log is damaged", "method", r.Method, "path", r.URL.Path, "error", err)
		said = refusal.New(refusal.Internal, "the log "+damaged.Error()+". What is asked for may have been in it", "log", damaged.Log)
	case said != nil && statusOf[said.Code] != 0:
	case errors.Is(err, eventlog.ErrFull), errors.Is(err, eventlog.ErrClosed), errors.Is(err, engine.ErrClosed),
		errors.Is(err, context.Canceled):
		said = refusal.New(refusal.Unavailable, "the server cannot take this now: "+err.Error())
	default:
		h.log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		said = refusal.New(refusal.Internal, "the server could not handle this request; its log has the reason")
	}
	doc := map[string]any{}
	maps.Copy(doc, said.Details)
	doc["error"], doc["detail"] = cmp.Or(spelled[said.Code], said.Code), said.Message
	raw, err := json.Marshal(doc)
	if err != nil {
		raw = []byte(`{"error":"internal_error","detail":"the refusal cannot be told"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(statusOf[said.Code])
	_, _ = w.Write(raw) // a client that left does not matter
}
