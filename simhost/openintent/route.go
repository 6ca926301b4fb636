package openintent

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/openintent/engine"
	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/refusal"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/simhost/serving/contract"
)

const (
	headerKey   = "X-API-Key"
	headerMatch = "If-Match"
	advancePath = Prefix + "/assay/clock/advance"
)

// public are the operations that ask for no key.
var public = map[string]bool{"getDiscovery": true, "getServerConfig": true}

// featureOf is the feature that an operation belongs to; "" where it is always there.
func featureOf(op string) string {
	return map[string]string{
		"getServerConfig": config, "advanceClock": seam,
		"subscribeIntent": sse, "subscribeIntentAtIntent": sse, "subscribePortfolio": sse, "subscribeAgent": sse, "subscribeAgentAtAgent": sse,
		"subscribePortfolioAtPortfolio": sse,
		"createChildIntent":             engine.Graph, "listIntentChildren": engine.Graph, "listIntentDescendants": engine.Graph,
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
	r := serving.Router{Guard: h.guard, Fail: h.fail}.Open()
	bad := func(w http.ResponseWriter, r *http.Request, err error) { h.fail(w, r, badRequest(err)) }
	openintentv1.HandlerWithOptions(h, openintentv1.ServerOptions{BaseRouter: r, RequestError: bad, ResponseError: h.fail})
	h.serves = r.Serves
	h.handler = serving.Recovered(h.manner.Front(h.opts.Changes.Front(r)), h.fail)
}

type callerKey struct{}

func callerOf(ctx context.Context) engine.Caller {
	who, _ := ctx.Value(callerKey{}).(engine.Caller)
	return who
}

// guard puts the key and the checks of its contract in front of an operation, nil where its feature is left off.
func (h *Host) guard(pattern string, next http.Handler) http.Handler {
	op := h.ops[pattern]
	if h.without[featureOf(op.ID)] {
		return nil
	}
	checked := contract.Checks{Fail: h.fail}.Front(op, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, known := h.callers.Whose(r.Header.Get(headerKey))
		if !known {
			who.Name = "anonymous"
		}
		key := r.Header.Get(headerKey)
		knock := rules.Knock{Operation: op.ID, Known: known, Public: public[op.ID], Sent: len(r.Header.Values(headerKey)) > 0, Key: key,
			Begins: func() bool { return h.callers.Begins(key) }}
		asCaller := r.WithContext(context.WithValue(r.Context(), callerKey{}, who))
		if !h.rules.Requests.LetsIn(knock) {
			if h.rules.Requests.Late(knock) {
				checked.ServeHTTP(serving.NewKept(http.Header{}), asCaller)
			}
			h.fail(w, r, refusal.New(refusal.Unauthenticated, "send a key that this server knows as X-API-Key"))
			return
		}
		checked.ServeHTTP(w, asCaller)
	})
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
