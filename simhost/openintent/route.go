package openintent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/internal/contract"
	"github.com/openassay/assay/simhost/openintent/engine"
	"github.com/openassay/assay/simhost/serving"
)

const (
	headerKey    = "X-API-Key"
	headerMatch  = "If-Match"
	maxBodyBytes = 1 << 20
	bodyPatience = 20 * time.Second
	advancePath  = Prefix + "/assay/clock/advance"
)

// router is the mux that the generated server registers its operations on.
type router struct {
	*http.ServeMux
	host *Host
}

// public are the operations that ask for no key.
var public = map[string]bool{"getDiscovery": true, "getServerConfig": true}

// HandleFunc registers an operation with the checks of its contract, unless the feature that it belongs to is left off.
func (r *router) HandleFunc(pattern string, handle func(http.ResponseWriter, *http.Request)) {
	op := r.host.ops[pattern]
	if r.host.without[featureOf(op.ID)] {
		return
	}
	r.Handle(pattern, r.host.guard(op, http.HandlerFunc(handle)))
}

// featureOf is the feature that an operation belongs to; "" where it is always there.
func featureOf(op string) string {
	return map[string]string{
		"getServerConfig": config, "advanceClock": seam,
		"subscribeIntent": sse, "subscribeIntentAtIntent": sse, "subscribePortfolio": sse, "subscribePortfolioAtPortfolio": sse,
		"createChildIntent": engine.Graph, "listIntentChildren": engine.Graph, "listIntentDescendants": engine.Graph,
		"listIntentAncestors": engine.Graph, "listIntentDependencies": engine.Graph, "listIntentDependents": engine.Graph,
		"listIntentReady": engine.Graph, "listIntentBlocked": engine.Graph, "addIntentDependency": engine.Graph,
		"removeIntentDependency": engine.Graph, "getIntentGraph": engine.Graph,
		"acquireLease": engine.Lifecycle, "listLeases": engine.Lifecycle, "renewLease": engine.Lifecycle, "releaseLease": engine.Lifecycle,
		"createPortfolio": engine.Portfolios, "listPortfolios": engine.Portfolios, "getPortfolio": engine.Portfolios,
		"setPortfolioStatus": engine.Portfolios, "addPortfolioMember": engine.Portfolios, "removePortfolioMember": engine.Portfolios,
		"listPortfolioMembers": engine.Portfolios, "listPortfolioEvents": engine.Portfolios, "listPortfoliosOfIntent": engine.Portfolios,
		"createTask": engine.Plans, "createTaskOfIntent": engine.Plans, "getTask": engine.Plans, "updateTask": engine.Plans,
		"listTasksOfIntent": engine.Plans, "createPlan": engine.Plans, "getPlan": engine.Plans, "updatePlan": engine.Plans,
		"listPlansOfIntent": engine.Plans, "claimTask": engine.Claims,
		"createCoordinator": engine.Coordinates, "getCoordinator": engine.Coordinates, "heartbeatCoordinator": engine.Coordinates,
		"listCoordinatorsOfIntent": engine.Coordinates,
	}[op]
}

// route builds the handler: from outside in, the manner in which the server speaks, faults, the routes with the checks of the
// contract, the generated server, and the methods of Host.
func (h *Host) route() {
	r := &router{http.NewServeMux(), h}
	bad := func(w http.ResponseWriter, r *http.Request, err error) { h.fail(w, r, badRequest(err)) }
	strict := openintentv1.NewStrictHandlerWithOptions(h, nil, openintentv1.StrictHTTPServerOptions{RequestErrorHandlerFunc: bad,
		ResponseErrorHandlerFunc: h.fail})
	openintentv1.HandlerWithOptions(strict, openintentv1.StdHTTPServerOptions{BaseRouter: r, ErrorHandlerFunc: bad})
	r.Handle("/", h.unknown(r))
	h.handler = serving.Recovered(h.manner.Front(h.changes.Front(r)), h.fail)
}

// unknown answers what no operation took: 405 where the path has other methods, else 404.
func (h *Host) unknown(r *router) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		var allowed []string
		probe := req.Clone(req.Context())
		for _, probe.Method = range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			if _, pattern := r.Handler(probe); pattern != "/" {
				allowed = append(allowed, probe.Method)
			}
		}
		if len(allowed) == 0 {
			h.fail(w, req, &engine.Refusal{Status: http.StatusNotFound, Code: "not_found", Message: fmt.Sprintf("nothing is at %.80q",
				req.URL.Path)})
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		h.fail(w, req, &engine.Refusal{
			Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Message: req.Method + " is not offered here: use " +
				strings.Join(allowed, " or "),
		})
	}
}

type callerKey struct{}

func callerOf(ctx context.Context) engine.Caller {
	who, _ := ctx.Value(callerKey{}).(engine.Caller)
	return who
}

// guard puts the checks of an operation's contract in front of its handler: the key, parameters, then the body.
func (h *Host) guard(op *contract.Operation, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, known := h.callers[r.Header.Get(headerKey)]
		if !known {
			who.Name = "anonymous"
		}
		if !h.rules.Requests.LetsIn(op.ID, known, public[op.ID]) {
			h.fail(w, r, &engine.Refusal{Status: http.StatusUnauthorized, Code: "unauthenticated",
				Message: "send a key that this server knows as X-API-Key"})
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), callerKey{}, who))
		if err := checkParameters(op, r); err != nil {
			h.fail(w, r, err)
			return
		}
		if op.TakesBody {
			body, err := h.readBody(w, r, op)
			if err != nil {
				h.fail(w, r, err)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		next.ServeHTTP(w, r)
	})
}

func checkParameters(op *contract.Operation, r *http.Request) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return &engine.Refusal{Status: http.StatusUnprocessableEntity, Code: "validation_error",
			Message: "the query cannot be read: escape each name and value"}
	}
	for _, p := range op.Parameters {
		var values []string
		switch p.In {
		case "path":
			values = []string{r.PathValue(p.Name)}
		case "query":
			values = query[p.Name]
		}
		for _, v := range values {
			problems := p.Check(v)
			switch {
			case len(problems) == 0:
			case p.In == "path": // it cannot be the name of anything
				return &engine.Refusal{Status: http.StatusNotFound, Code: "not_found", Message: "there is no such " + p.Name}
			default:
				return &engine.Refusal{Status: http.StatusUnprocessableEntity, Code: "validation_error", Message: p.Name + ": " + problems[0].Message}
			}
		}
	}
	return nil
}

func (h *Host) readBody(w http.ResponseWriter, r *http.Request, op *contract.Operation) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyPatience)) // a writer without deadlines has none to set
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	_ = control.SetReadDeadline(time.Time{})
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, &engine.Refusal{Status: http.StatusRequestEntityTooLarge, Code: "too_large",
			Message: fmt.Sprintf("the body is larger than %d bytes: send less", maxBodyBytes)}
	}
	if err != nil {
		return nil, &engine.Refusal{Status: http.StatusBadRequest, Code: "bad_request",
			Message: "the body did not arrive whole: send as many bytes as were announced"}
	}
	if len(raw) == 0 && !op.BodyRequired {
		return raw, nil
	}
	if trimmed := bytes.TrimSpace(raw); !json.Valid(raw) || trimmed[0] != '{' {
		return nil, &engine.Refusal{Status: http.StatusBadRequest, Code: "bad_request",
			Message: op.ID + " needs a JSON object as its body"}
	}
	if problems := op.Body.Validate(raw); len(problems) > 0 {
		var listed []string
		for _, p := range problems[:min(len(problems), 20)] {
			listed = append(listed, p.String())
		}
		return nil, &engine.Refusal{Status: http.StatusUnprocessableEntity, Code: "validation_error", Message: "invalid body: " +
			strings.Join(listed, "; ")}
	}
	return raw, nil
}

// meant is the version that an If-Match names, as a bare integer or as a tag; nil where it names none.
func meant(header *string) engine.Meant {
	if header == nil {
		return nil
	}
	text := strings.TrimPrefix(strings.TrimSpace(*header), "W/")
	text = strings.Trim(text, `"`)
	version, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return &version
}

func badRequest(err error) error {
	return &engine.Refusal{Status: http.StatusUnprocessableEntity, Code: "validation_error",
		Message: "the request cannot be read: " + err.Error()}
}

// fail answers with an error of a handler: what it refuses, or that the server is at fault.
func (h *Host) fail(w http.ResponseWriter, r *http.Request, err error) {
	refused := (*engine.Refusal)(nil)
	switch {
	case errors.As(err, &refused):
	case errors.Is(err, eventlog.ErrFull), errors.Is(err, eventlog.ErrClosed), errors.Is(err, engine.ErrClosed), errors.Is(err,
		context.Canceled):
		refused = &engine.Refusal{Status: http.StatusServiceUnavailable, Code: "unavailable",
			Message: "the server cannot take this now: " + err.Error()}
	default:
		h.log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		refused = &engine.Refusal{Status: http.StatusInternalServerError, Code: "internal_error",
			Message: "the server could not handle this request; its log has the reason"}
	}
	doc := map[string]any{}
	maps.Copy(doc, refused.Details)
	doc["error"], doc["detail"] = refused.Code, refused.Message
	raw, err := json.Marshal(doc)
	if err != nil {
		raw = []byte(`{"error":"internal_error","detail":"the refusal cannot be told"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(refused.Status)
	_, _ = w.Write(raw) // a client that left does not matter
}
