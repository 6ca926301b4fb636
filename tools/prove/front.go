package prove

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/tools/faultproxy"
	"github.com/openassay/assay/tools/internal/protocols"
)

// Front proves that a certification of a host that others wrote would notice violations: it certifies the host through
// each fault that can stand in front of it.
type Front struct {
	Row      *protocols.Row
	Target   wire.Target
	Faults   []protocols.Fault // those without OnWire are skipped
	Seed     uint64
	Patience time.Duration
	// Progress receives each result in order.
	Progress func(InFront)
}

// InFront is what a certification made of a fault in front of a host.
type InFront struct {
	Fault  protocols.Fault
	Result FrontResult
	By     []string // scenarios that noticed it
	Why    string   // of Impossible and Missed
}

// FrontResult tells whether a certification noticed a fault.
type FrontResult string

// The results of a fault in front of a host.
const (
	Noticed    FrontResult = "noticed"    // a scenario found a requirement broken that the fault breaks
	Impossible FrontResult = "impossible" // no scenario about it can pass on this host, with or without the fault
	Missed     FrontResult = "missed"     // the scenarios about it pass all the same
)

// Prove certifies the target without a fault, then through each one, asking only the scenarios that prove a requirement
// which the fault breaks and that passed before. The error is that of the first certification, or of ctx.
func (f Front) Prove(ctx context.Context) ([]InFront, error) {
	plain, err := f.certify(ctx, f.Target, scenarios.Selection{})
	if err != nil {
		return nil, fmt.Errorf("certify %s: %w", f.Target.URL, err)
	}
	var all []InFront
	for _, fault := range f.Faults {
		if fault.OnWire == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return all, err
		}
		one := f.one(ctx, fault, plain)
		if all = append(all, one); f.Progress != nil {
			f.Progress(one)
		}
	}
	return all, ctx.Err()
}

func (f Front) one(ctx context.Context, fault protocols.Fault, plain *scenarios.Report) InFront {
	out := InFront{Fault: fault, Result: Impossible}
	var asked []string
	for _, o := range plain.Outcomes {
		if !slices.ContainsFunc(o.Scenario.Proves, func(id scenarios.RequirementID) bool { return slices.Contains(fault.Breaks, string(id)) }) {
			continue
		}
		if o.Verdict == scenarios.Passed {
			asked = append(asked, string(o.Scenario.ID))
		} else if out.Why == "" {
			out.Why = fmt.Sprintf("%s is %s without it: %s", o.Scenario.ID, o.Verdict, o.Reason)
		}
	}
	if len(asked) == 0 {
		return out
	}
	var changed atomic.Bool
	changes := *fault.OnWire
	changes.Changed = func() { changed.Store(true) }
	proxy, stop, err := f.proxy(ctx, changes)
	if err != nil {
		out.Why = err.Error()
		return out
	}
	defer stop()
	r, err := f.certify(ctx, proxy, scenarios.Selection{Scenarios: asked})
	if err != nil {
		// A host whose discovery cannot be read certifies nothing: nobody takes it for one that keeps its promises.
		out.Result, out.By = Noticed, []string{"discovery: " + err.Error()}
		return out
	}
	out.Why = ""
	var others []string
	for _, o := range r.Outcomes {
		if len(brokenIn(o, f.Row.Ledger, fault.Breaks)) > 0 {
			out.By = append(out.By, string(o.Scenario.ID))
		} else if o.Verdict != scenarios.Passed {
			others = append(others, fmt.Sprintf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason))
		}
	}
	switch {
	case len(out.By) > 0:
		out.Result = Noticed
	case len(others) > 0 && len(others) == len(r.Outcomes):
		out.Result, out.Why = Impossible, others[0]
	case !changed.Load():
		out.Why = "nothing that the host was sent, or sent, is what this fault changes"
	default:
		out.Result, out.Why = Missed, fmt.Sprintf("%s pass with it", strings.Join(asked, ", "))
	}
	return out
}

// proxy serves a proxy that makes these changes and returns the target that it is. stop ends it.
func (f Front) proxy(ctx context.Context, changes mutate.Changes) (_ wire.Target, stop func(), err error) {
	handler, err := faultproxy.New(faultproxy.Options{Target: f.Target.URL, CAFile: f.Target.CAFile, Changes: changes})
	if err != nil {
		return f.Target, nil, err
	}
	var listen net.ListenConfig
	ln, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return f.Target, nil, fmt.Errorf("open a port for the proxy: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(ln) // ends with stop
	}()
	t := f.Target
	t.URL, t.CAFile = "http://"+ln.Addr().String(), ""
	return t, func() { _ = server.Close(); <-served }, nil
}

func (f Front) certify(ctx context.Context, t wire.Target, s scenarios.Selection) (*scenarios.Report, error) {
	o := scenarios.Options{Select: s, Seed: f.Seed, Patience: f.Patience}
	c, err := scenarios.Certify(ctx, t, o, f.Row.Targets[0].Suites()...)
	if err != nil {
		return nil, err
	}
	r := c.Finish(context.WithoutCancel(ctx))
	r.Drives = nil
	return r, nil
}
