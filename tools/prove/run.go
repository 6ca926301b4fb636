package prove

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
)

// Options selects the subject and the method of a proof. The zero value of a field means its default.
type Options struct {
	Hosts    []Host              // hosts of the matrix; default Hosts()
	Select   scenarios.Selection // scenarios to run; default all
	Aimed    bool                // limit a faulty host to the scenarios that prove a requirement its fault breaks
	Shard    Shard               // share of the hosts to certify here; default all
	Done     map[string]Result   // results to reuse, by host name
	AtOnce   int                 // maximum of parallel hosts per protocol; default 16 a core
	Seed     uint64              // for the values that the suites send
	Depth    scenarios.Depth     // at which hosts are asked; default quick
	Patience time.Duration       // for faulty hosts: time limit for expected events; default 6 s
	// Progress receives each result, one at a time. Its error ends the proof.
	Progress func(host string, r Result) error
	// Certify certifies a host instead of the lab. It must be safe for concurrent use.
	Certify func(context.Context, Host, scenarios.Options) (*scenarios.Report, error)
}

// Shard is the I-th of Of equal parts of the hosts, counted from 1. The zero Shard holds all hosts. Neighbours in the
// list are alike and go to different shards, so that all shards take about the same time.
type Shard struct{ I, Of int }

// holds reports whether the i-th host, counted from 0, is in the shard.
func (s Shard) holds(i int) bool { return s.Of == 0 || i%s.Of == s.I-1 }

// Result is the result of a host: exactly one field is set.
type Result struct {
	Honest *results.HonestHost
	Fault  *results.FaultResult
}

// depthWord is the name of a depth as files of a proof have it, "" for quick.
func depthWord(d scenarios.Depth) string {
	if d == scenarios.Quick {
		return ""
	}
	return d.String()
}

// depthOf is the reverse of [depthWord].
func depthOf(word string) (scenarios.Depth, error) {
	return scenarios.ParseDepth(cmp.Or(word, scenarios.Quick.String()))
}

// faultyTimeout bounds the certification of a faulty host, which may hang anywhere. One at deep draws for minutes.
var faultyTimeout = [scenarios.Deep + 1]time.Duration{2 * time.Minute, 2 * time.Minute, 10 * time.Minute}

func (o Options) withDefaults() Options {
	if o.Hosts == nil {
		o.Hosts, _ = AtDepth(Hosts(), o.Depth)
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

// Prove certifies every unfinished host of the shard, several at a time, and returns the kill matrix. It fails if a
// host cannot be started or certified, if Progress or ctx does, with [scenarios.ErrNothingSelected], or with an
// [UnfinishedError] if hosts of other shards are missing. The verdict on the suites is in the matrix.
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

// done returns the results of finished hosts, indexed like o.Hosts.
func (o Options) done(asked map[*scenarios.Protocol]scenarios.Selection) []Result {
	came := make([]Result, len(o.Hosts))
	for i, h := range o.Hosts {
		if _, ok := asked[h.Protocol()]; ok {
			came[i] = o.Done[h.Name]
		}
	}
	return came
}

// Whole returns the kill matrix of the finished hosts without certifying anything. Its errors are those of [Lab.Prove].
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

// Todo returns the hosts that [Lab.Prove] would certify.
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

// queues returns the indexes in o.Hosts of the hosts to certify. Each protocol has a queue of its own, because some
// hosts mostly compute and others mostly wait for timers.
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

// faultsFirst returns the indexes of hosts, faulty ones first: a fault may hang while others run.
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

// matrix combines the results by protocol. It leaves out protocols without results.
func (o Options) matrix(came []Result) results.KillMatrix {
	m := results.KillMatrix{Schema: results.KillMatrixSchemaAssayKillMatrix3, Depth: results.KillMatrixDepth(depthWord(o.Depth)),
		Protocols: []results.ProvedProtocol{}}
	for _, p := range protocols.Values() {
		var spoken []Result
		for i, r := range came {
			if o.Hosts[i].Protocol() == p && r != (Result{}) {
				spoken = append(spoken, r)
			}
		}
		if len(spoken) > 0 {
			m.Protocols = append(m.Protocols, protocolResult(p, suitesOf(p), spoken, o.Depth))
		}
	}
	return m
}

// Suites returns the suites of all protocols' first kinds of targets, which a proof covers.
func Suites() (all []scenarios.Suite) {
	for _, row := range protocols.Table {
		all = append(all, row.Targets[0].Suites()...)
	}
	return all
}

func suitesOf(p *scenarios.Protocol) []scenarios.Suite { return protocols.Of(p).Targets[0].Suites() }

// asked returns the selection for each protocol. It leaves out protocols without selected scenarios.
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
	asked := scenarios.Options{Select: selected[protocol], Seed: o.Seed, Depth: o.Depth}
	if h.Fault != nil {
		asked.Patience, asked.Timeout = o.Patience, faultyTimeout[o.Depth]
		if o.Aimed {
			asked.Select.Requirements = h.Fault.Breaks
		}
	}
	r, err := o.Certify(ctx, h, asked)
	if err != nil {
		return Result{}, err
	}
	var certified []string
	if !asked.Select.Narrows() {
		certified = certifiedFor(r)
	}
	if h.Fault == nil {
		honest := honestHost(h, r)
		honest.Certified = certified
		return Result{Honest: &honest}, nil
	}
	came := faultResult(*h.Fault, protocol.Ledger, r)
	came.Certified = certified
	return Result{Fault: &came}, nil
}
