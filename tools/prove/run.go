package prove

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
)

// Options say what is proved, and how. The zero value of a field means its default.
type Options struct {
	Hosts    []Host              // all hosts of the matrix; default: Hosts()
	Select   scenarios.Selection // which scenarios are asked; default all
	Aimed    bool                // ask a faulty host only the scenarios that prove a requirement its fault breaks
	Shard    Shard               // which of the hosts are proved here; default all
	Done     map[string]Result   // by name: hosts that are not certified again
	AtOnce   int                 // hosts of each protocol at the same time, at most; default 16 a core
	Seed     uint64              // of the values that the suites send
	Patience time.Duration       // with faulty hosts: how long something may take that must happen; default 6 s
	// Progress is told of a host that is done, one at a time. An error ends the proof.
	Progress func(host string, r Result) error
	// Certify makes the report on a host, in place of the lab. It may be called concurrently.
	Certify func(context.Context, Host, scenarios.Options) (*scenarios.Report, error)
}

// Shard is the I-th of Of equal parts of the hosts, counted from 1. The zero Shard is all hosts. Neighbours in the list are alike
// and go to different shards, so that shards take about as long as one another.
type Shard struct{ I, Of int }

// holds reports whether the i-th host, counted from 0, is in the shard.
func (s Shard) holds(i int) bool { return s.Of == 0 || i%s.Of == s.I-1 }

// Result is what came of a host: one of the two is set.
type Result struct {
	Honest *results.HonestHost
	Fault  *results.FaultResult
}

// faultyTimeout bounds a certification of a host that may hang everywhere.
const faultyTimeout = 2 * time.Minute

func (o Options) withDefaults() Options {
	if o.Hosts == nil {
		o.Hosts = Hosts()
	}
	if o.AtOnce <= 0 {
		o.AtOnce = 16 * runtime.NumCPU()
	}
	if o.Patience <= 0 {
		o.Patience = 6 * time.Second
	}
	if o.Progress == nil {
		o.Progress = func(string, Result) error { return nil }
	}
	return o
}

// Prove certifies every host of the shard that is not done yet, several at a time, and returns the kill matrix. The error is
// one of starting or certifying a host, that of Progress or of ctx, [scenarios.ErrNothingSelected], or an [UnfinishedError]
// where hosts of other shards are not done; what speaks for or against the suites is in the matrix.
func (l *Lab) Prove(ctx context.Context, o Options) (results.KillMatrix, error) {
	o = o.withDefaults()
	if o.Certify == nil {
		o.Certify = l.Certify
	}
	asked, err := o.asked()
	if err != nil {
		return results.KillMatrix{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	came := o.done(asked)
	var told sync.Mutex
	var work sync.WaitGroup
	for _, queue := range o.queues(asked, came) {
		for range o.AtOnce {
			work.Go(func() {
				for i := range queue {
					r, err := o.certify(ctx, o.Hosts[i], asked)
					if err == nil {
						told.Lock()
						came[i] = r
						err = o.Progress(o.Hosts[i].Name, r)
						told.Unlock()
					}
					if err != nil {
						cancel(err)
					}
				}
			})
		}
	}
	work.Wait()
	if err := context.Cause(ctx); err != nil {
		return results.KillMatrix{}, err
	}
	return o.whole(asked, came)
}

// done are the results of the hosts that are done, by their places in o.Hosts.
func (o Options) done(asked map[*scenarios.Protocol]scenarios.Selection) []Result {
	came := make([]Result, len(o.Hosts))
	for i, h := range o.Hosts {
		if _, ok := asked[h.Protocol()]; ok {
			came[i] = o.Done[h.Name]
		}
	}
	return came
}

// Whole is the kill matrix of what is done, without certifying anything. The error is as that of [Lab.Prove].
func (o Options) Whole() (results.KillMatrix, error) {
	o = o.withDefaults()
	asked, err := o.asked()
	if err != nil {
		return results.KillMatrix{}, err
	}
	return o.whole(asked, o.done(asked))
}

func (o Options) whole(asked map[*scenarios.Protocol]scenarios.Selection, came []Result) (results.KillMatrix, error) {
	var pending []string
	of := 0
	for i, h := range o.Hosts {
		if _, ok := asked[h.Protocol()]; !ok {
			continue
		}
		if of++; came[i] == (Result{}) {
			pending = append(pending, h.Name)
		}
	}
	switch {
	case of == 0:
		return results.KillMatrix{}, scenarios.ErrNothingSelected
	case len(pending) > 0:
		return results.KillMatrix{}, &UnfinishedError{of, pending}
	}
	return o.matrix(came), nil
}

// Todo are the hosts that [Lab.Prove] certifies.
func (o Options) Todo() (todo []Host, err error) {
	o = o.withDefaults()
	asked, err := o.asked()
	if err != nil {
		return nil, err
	}
	for _, queue := range o.queues(asked, o.done(asked)) {
		for i := range queue {
			todo = append(todo, o.Hosts[i])
		}
	}
	return todo, nil
}

// queues are the hosts that are certified now, by their places in o.Hosts. Those of some protocols compute and those of others
// wait for timers most of the time, so each protocol has a queue of its own.
func (o Options) queues(asked map[*scenarios.Protocol]scenarios.Selection, came []Result) (queues []chan int) {
	of := map[*scenarios.Protocol]chan int{}
	for _, i := range faultsFirst(o.Hosts) {
		p := o.Hosts[i].Protocol()
		if _, ok := asked[p]; !ok || came[i] != (Result{}) || !o.Shard.holds(i) {
			continue
		}
		if of[p] == nil {
			of[p] = make(chan int, len(o.Hosts))
			queues = append(queues, of[p])
		}
		of[p] <- i
	}
	for _, queue := range queues {
		close(queue)
	}
	return queues
}

// faultsFirst are the places of hosts, faulty ones before honest ones: a fault may hang, and others run meanwhile.
func faultsFirst(hosts []Host) (places []int) {
	var honest []int
	for i, h := range hosts {
		if h.Fault == nil {
			honest = append(honest, i)
		} else {
			places = append(places, i)
		}
	}
	return append(places, honest...)
}

// matrix is what came of the hosts, by protocol. One that nobody was asked about is not in it.
func (o Options) matrix(came []Result) results.KillMatrix {
	m := results.KillMatrix{Schema: results.KillMatrixSchemaAssayKillMatrix3, Protocols: []results.ProvedProtocol{}}
	for _, p := range protocols.Values() {
		var spoken []Result
		for i, r := range came {
			if o.Hosts[i].Protocol() == p && r != (Result{}) {
				spoken = append(spoken, r)
			}
		}
		if len(spoken) > 0 {
			m.Protocols = append(m.Protocols, protocolResult(p, suitesOf(p), spoken))
		}
	}
	return m
}

// Suites are all suites that are proved, of all protocols.
func Suites() (all []scenarios.Suite) {
	for _, row := range protocols.Table {
		all = append(all, row.Targets[0].Suites()...)
	}
	return all
}

func suitesOf(p *scenarios.Protocol) []scenarios.Suite { return protocols.Of(p).Targets[0].Suites() }

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
		if o.Aimed {
			asked.Select.Requirements = h.Fault.Breaks
		}
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
