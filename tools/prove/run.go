package prove

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop"
	intentsuites "github.com/openassay/assay/scenarios/openintent"
	suites "github.com/openassay/assay/scenarios/openwop"
)

// Options say what is proved, and how. The zero value of a field means its default.
type Options struct {
	Hosts    []Host              // default: Hosts()
	Select   scenarios.Selection // which scenarios are asked; default all
	AtOnce   int                 // hosts at the same time of those that compute, and of those that wait; default 3 a core
	Seed     uint64              // of the values that the suites send
	Patience time.Duration       // with faulty hosts: how long something may take that must happen; default 6 s
	// Progress is told of a host that is done with, one at a time: of an honest one, or of a fault.
	Progress func(Result)
	// Certify makes the report on a host, in place of the lab. It may be called concurrently.
	Certify func(context.Context, Host, scenarios.Options) (*scenarios.Report, error)
}

// Result is what came of a host: one of the two is set.
type Result struct {
	Honest *results.HonestHost
	Fault  *results.FaultResult
}

// faultyTimeout bounds a certification of a host that may hang everywhere.
const faultyTimeout = 2 * time.Minute

func (o Options) withDefaults(l *Lab) Options {
	if o.Hosts == nil {
		o.Hosts = Hosts()
	}
	if o.AtOnce <= 0 {
		o.AtOnce = 3 * runtime.NumCPU()
	}
	if o.Patience <= 0 {
		o.Patience = 6 * time.Second
	}
	if o.Certify == nil {
		o.Certify = l.Certify
	}
	if o.Progress == nil {
		o.Progress = func(Result) {}
	}
	return o
}

// Prove certifies every host, several at a time, and returns the kill matrix. The error is one of starting or
// certifying a host, or that of ctx; what speaks for or against the suites is in the matrix.
func (l *Lab) Prove(ctx context.Context, o Options) (results.KillMatrix, error) {
	o = o.withDefaults(l)
	asked, err := o.asked()
	if err != nil {
		return results.KillMatrix{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	came := make([]Result, len(o.Hosts)) // the zero Result of a host that is not asked
	var told sync.Mutex
	var work sync.WaitGroup
	for _, queue := range o.queues(asked) {
		for range o.AtOnce {
			work.Go(func() {
				for i := range queue {
					r, err := o.certify(ctx, o.Hosts[i], asked)
					if err != nil {
						cancel(err)
						continue
					}
					came[i] = r
					told.Lock()
					o.Progress(r)
					told.Unlock()
				}
			})
		}
	}
	work.Wait()
	if err := context.Cause(ctx); err != nil {
		return results.KillMatrix{}, err
	}
	return o.matrix(came), nil
}

// queues are the hosts that are asked anything, by their places in o.Hosts. Those whose suites wait for timers most of the
// time have a queue of their own: they need no processor while the others do.
func (o Options) queues(asked map[*scenarios.Protocol]scenarios.Selection) (queues [2]chan int) {
	busy, idle := make(chan int, len(o.Hosts)), make(chan int, len(o.Hosts))
	for i, h := range o.Hosts {
		switch _, ok := asked[h.Protocol()]; {
		case !ok:
		case h.Intents != nil:
			idle <- i
		default:
			busy <- i
		}
	}
	close(busy)
	close(idle)
	return [...]chan int{busy, idle}
}

// matrix is what came of the hosts, by protocol. One that nobody was asked about is not in it.
func (o Options) matrix(came []Result) results.KillMatrix {
	m := results.KillMatrix{Schema: results.KillMatrixSchemaAssayKillMatrix2, Protocols: []results.ProvedProtocol{}}
	suites := map[*scenarios.Protocol][]scenarios.Suite{}
	var protocols []*scenarios.Protocol
	for _, s := range Suites() {
		if suites[s.Protocol] == nil {
			protocols = append(protocols, s.Protocol)
		}
		suites[s.Protocol] = append(suites[s.Protocol], s)
	}
	for _, p := range protocols {
		var spoken []Result
		for i, r := range came {
			if o.Hosts[i].Protocol() == p && r != (Result{}) {
				spoken = append(spoken, r)
			}
		}
		if len(spoken) > 0 {
			m.Protocols = append(m.Protocols, protocolResult(p, suites[p], spoken))
		}
	}
	return m
}

// Suites are all suites that are proved, of all protocols.
func Suites() []scenarios.Suite {
	return slices.Concat(suites.Suites(), agenticloop.Suites(), intentsuites.ServerSuites())
}

// asked is what is asked of the hosts of each protocol. One of which nothing was selected has none.
func (o Options) asked() (map[*scenarios.Protocol]scenarios.Selection, error) {
	picked, err := o.Select.Pick(Suites()...)
	if err != nil {
		return nil, err
	}
	asked := map[*scenarios.Protocol]scenarios.Selection{}
	for _, p := range picked {
		s := asked[p.Suite.Protocol]
		if o.Select.Narrows() {
			s.Scenarios = append(s.Scenarios, string(p.Scenario.ID))
		}
		asked[p.Suite.Protocol] = s
	}
	return asked, nil
}

func (o Options) certify(ctx context.Context, h Host, selected map[*scenarios.Protocol]scenarios.Selection) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	protocol := h.Protocol()
	asked := scenarios.Options{Select: selected[protocol], Seed: o.Seed}
	if h.Fault != nil {
		asked.Patience, asked.Timeout = o.Patience, faultyTimeout
	}
	r, err := o.Certify(ctx, h, asked)
	if err != nil {
		return Result{}, err
	}
	if h.Fault == nil {
		honest := honestHost(h, r)
		return Result{Honest: &honest}, nil
	}
	came := faultResult(*h.Fault, protocol.Ledger, r)
	return Result{Fault: &came}, nil
}
