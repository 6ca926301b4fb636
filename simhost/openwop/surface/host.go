// Package surface is the OpenWOP v1 HTTP surface of the simulated host: discovery, runs, events, interrupts, workspace
// files, goals and the seams, over the run engine and the stores beside it.
//
// The server is the generated one of gen/openwopv1, and what a request must look like is read from the same document,
// so a change of the contract shows up when this package is compiled or tested. The package keeps no state of its own:
// what it answers is read from the logs, and what it must remember (the answers of idempotency keys) is a log too.
package surface

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/openassay/assay/simhost/ids"
	"github.com/openassay/assay/simhost/serving/contract"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/goal"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/mockai"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/openwop/variation"
	"github.com/openassay/assay/simhost/openwop/workspace"
	"github.com/openassay/assay/simhost/serving"
)

// Host is a simulated host that is open for requests. Its methods may be called concurrently.
type Host struct {
	opts        Options // with defaults
	log         *slog.Logger
	claimed     claimed
	rules       rules.Set     // what every part goes by
	manner      variation.Set // in which it speaks
	credentials serving.Keys[caller]
	tenants     []string // that have a key
	workflows   workflows
	fixtures    []string // ids of the workflows that can run here
	store       *eventlog.Store
	ids         ids.Source
	engine      *live.Engine
	files       *workspace.Files // nil where the claim is left off, as is the next
	memories    *memory.Store
	models      *mockai.Models         // nil where the claim is left off, as is the next
	goals       map[string]*goal.Goals // by tenant; nil where the claim is left off
	keys        *idempotency
	signer      tokenSigner
	discovery   document
	contract    document
	handler     http.Handler
	serves      func(*http.Request) bool
	inside      http.Handler  // is asked in the name of a caller who is known already
	faults      atomic.Uint64 // requests that failed by our fault, for their correlation ids

	abroad  *http.Client    // asks peers
	closing context.Context // ends when Close begins
	close   context.CancelFunc
	active  serving.Active
}

// The generated server calls these.
var _ openwopv1.StrictServerInterface = (*Host)(nil)

// New opens the logs, takes up the runs that were under way when the last host on them ended, and returns a host that
// can serve. Its errors name the option to mend.
func New(ctx context.Context, o Options) (*Host, error) {
	h, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("start the simulated host: %w", err)
	}
	return h, nil
}

// Check reports what is wrong with options without opening anything: an [OptionError].
func (o Options) Check() error {
	h, _, err := prepare(o)
	if h != nil {
		h.close()
	}
	return err
}

func open(ctx context.Context, o Options) (*Host, error) {
	h, b, err := prepare(o)
	if err != nil {
		return nil, err
	}
	h.fixtures = h.withoutRemote(h.workflows.runnable(h.lacks(asClaimed)))
	if h.discovery, err = h.discover(); err != nil {
		return nil, err
	}
	h.contract = document{body: b.document, header: map[string]string{"Content-Type": mediaJSON}}
	h.route(b.operations)
	return h, h.start(ctx)
}

// prepare reads the options, and all that they name.
func prepare(o Options) (_ *Host, _ *bundle, err error) {
	if o, err = o.withDefaults(); err != nil {
		return nil, nil, &OptionError{err}
	}
	h := &Host{opts: o, log: o.Logger, credentials: o.credentials(), tenants: o.tenants(), abroad: newPeerClient()}
	h.closing, h.close = context.WithCancel(context.Background())
	if h.claimed, err = settle(o.Version, o.Without); err != nil {
		return nil, nil, &OptionError{err}
	}
	if h.rules = rules.Honest(); o.Rules != nil {
		h.rules = *o.Rules
	}
	if h.manner, err = variation.With(o.Vary...); err != nil {
		return nil, nil, &OptionError{err}
	}
	b, err := readBundle()
	if err != nil {
		return nil, nil, err
	}
	if h.workflows, err = b.load(o.Workflows); err != nil {
		return nil, nil, &OptionError{err}
	}
	return h, b, nil
}

// Hurry ends streams and long polls, so that nothing but work under way is left to wait for.
func (h *Host) Hurry() { h.close() }

// Close ends streams and long polls, waits for the requests under way until ctx ends, and closes the goals, the engine and
// the logs. Runs that have not ended go on when a host is opened on the same data folder.
func (h *Host) Close(ctx context.Context) error {
	h.close()
	waited := h.active.Wait(ctx)
	return errors.Join(waited, h.closeParts())
}

// Handler answers requests; it can be put into any server. Serve does that.
func (h *Host) Handler() http.Handler { return h.handler }

// Serves reports whether the host has the operation that a request is for. Preflights are for the host where it lets pages of
// other origins in.
func (h *Host) Serves(r *http.Request) bool {
	return h.serves(r) || r.Method == http.MethodOptions && h.opts.CORS != ""
}

// Fail answers with a refusal, in the form of the protocol.
func (h *Host) Fail(w http.ResponseWriter, r *http.Request, err error) { h.fail(w, r, err) }

// route builds the handler: from outside in, CORS, faults, the manner in which the host speaks, the key, the routes, the
// checks of the contract, the generated server, and the methods of Host.
func (h *Host) route(ops contract.Operations) {
	router := serving.Router{
		Guard: func(pattern string, next http.Handler) http.Handler { return h.guard(ops[pattern], next) },
		Fail:  h.fail, Deep: []string{"path"}, Index: ": GET /v1/openapi.json lists what there is",
	}.Open()
	router.Plain("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n")) // a prober that left does not matter
	})
	h.refuseUnoffered(router)
	bad := func(w http.ResponseWriter, r *http.Request, err error) { h.fail(w, r, badRequest(err)) }
	openwopv1.HandlerWithOptions(h, openwopv1.ServerOptions{BaseRouter: router, RequestError: bad, ResponseError: h.fail,
		StrictMiddlewares: []openwopv1.StrictMiddlewareFunc{withRequest}})
	h.serves = router.Serves
	h.inside = h.active.Count(serving.Recovered(h.named(h.opts.Changes.Front(router)), h.fail))
	spoken := h.manner.Front(h.named(h.opts.Changes.Front(h.bearer(router))), router.Knows)
	if h.opts.Dialect != nil {
		spoken = h.opts.Dialect.Front(spoken)
	}
	h.handler = corsOf(h.opts.CORS).Front(h.active.Count(serving.Recovered(spoken, h.fail)))
}

// version of the execution model as the engine wants it: 0 where there is none.
func (h *Host) version() int {
	if !h.claimed[claimExecutionModel] {
		return 0
	}
	return h.opts.Version
}

// limits are the bounds to enforce: those that are advertised.
func (h *Host) limits() live.Limits {
	var l live.Limits
	if h.claimed[claimLoopLimit] {
		l.MaxLoopIterations = h.opts.MaxLoopIterations
	}
	if h.claimed[claimNodeLimit] {
		l.MaxNodeExecutions = h.opts.MaxNodeExecutions
	}
	if h.claimed[claimDurationLimit] {
		l.MaxRunDuration = h.opts.MaxRunDuration
	}
	return l
}

// asClaimed is what a host serves by its own word.
func asClaimed(_ string, claimed bool) bool { return claimed }

// lacks lists the capabilities that workflows need and that the host does not serve: as it claims, or as it really does.
func (h *Host) lacks(serves func(what string, claimed bool) bool) []string {
	var lacks []string
	for _, c := range []struct{ claim, capability string }{
		{claimOrchestrator, workflow.CapabilityOrchestrator},
		{claimDispatch, workflow.CapabilityDispatch},
		{claimDispatchMapping, workflow.CapabilityDispatchMapping},
		{claimWorkspace, workflow.CapabilityWorkspace},
		{claimMemory, workflow.CapabilityMemory},
		{claimMockAI, workflow.CapabilityModel},
	} {
		if !serves(c.capability, h.claimed[c.claim]) {
			lacks = append(lacks, c.capability)
		}
	}
	return lacks
}
