package observed

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/wire"
)

// Judge judges recordings of a protocol that has rules for them.
type Judge struct {
	Protocol *scenarios.Protocol
	Suites   []scenarios.Suite // their scenarios about the discovery document are asked
	// Tell compares what a transcript shows of objects with models of them; nil for no models.
	Tell func(scenarios.Discovery, *wire.Transcript) []explore.Told
	// Expected are claims, by id or pattern, that the host makes though the recording does not show it.
	Expected []string
	// Discovery is that of the host, for recordings that have none.
	Discovery scenarios.Discovery
	// Alone: the recording has everything that was asked of the host. Otherwise rules that need that are left out.
	Alone bool
}

// Report is what a recording says of a host.
type Report struct {
	Origin    string
	Exchanges int
	Events    int // of a log
	// Discovery: the recording has the discovery document. Without it nobody knows what the host claims.
	Discovery   bool
	Rows        []Row    // the requirements that were checked, in the order of the ledger
	Panicked    string   // the panic that ended the judging of a part; "" for none
	Left        []string // what could not be read, and why
	Undecidable int      // histories that a model could not decide
}

// Judge judges a recording. It reads the entries that belong together, judges them, and goes on with others.
func (j Judge) Judge(r Recording) *Report {
	p := j.Protocol
	from := r.store.reader()
	defer from.close()
	whole := r.whole(p, from)
	d, found := r.discovery(p, whole)
	if !found {
		d, found = j.Discovery, j.Discovery.Document.Present()
	}
	report := &Report{Origin: r.Origin, Exchanges: r.Len(), Events: r.Events, Discovery: found, Left: r.Left}
	sums := j.judgeParts(r, d)
	sums.run(func() {
		t := newTallies(j, d, whole, nil)
		if found {
			for _, suite := range j.Suites {
				suite.HoldAdvertised(d, scenarios.RecordingDrive, t.count)
			}
		}
		if j.Tell != nil && j.Alone && r.Len() > 0 { // a log tells of no request
			report.Undecidable = t.tell(j.Tell(d, whole))
		}
		sums.add(t)
	})
	for _, said := range p.Ledger.Rows {
		if row := sums.rows[scenarios.RequirementID(said.ID)]; row != nil {
			if row.Violated() {
				row.At = whole.Entry(row.First.Where.Exchange)
			}
			report.Rows = append(report.Rows, *row)
		}
	}
	report.Panicked = sums.panicked
	return report
}

// Unprompted returns the rows as a certification takes them up: see [scenarios.Report.Observed].
func (r *Report) Unprompted() []scenarios.Unprompted {
	all := make([]scenarios.Unprompted, len(r.Rows))
	for i, row := range r.Rows {
		all[i] = scenarios.Unprompted{Requirement: row.Requirement, Times: row.Times, Of: row.Of, Violations: row.Violations,
			Breach: row.First.Breach}
		all[i].Breach.By = scenarios.ByRecording
	}
	return all
}

// rulesOf returns what a protocol holds recordings to.
func rulesOf(p *scenarios.Protocol) func(scenarios.Discovery, []scenarios.DriveRecord, func(scenarios.Sight)) {
	switch {
	case p.Recorded != nil:
		return p.Recorded
	case p.Invariants != nil:
		return p.Invariants
	}
	return func(scenarios.Discovery, []scenarios.DriveRecord, func(scenarios.Sight)) {}
}

// judgeParts judges the parts of a recording, several at once.
func (j Judge) judgeParts(r Recording, d scenarios.Discovery) *tallies {
	rules, parts := rulesOf(j.Protocol), r.parts(j.Protocol)
	var next atomic.Int64
	workers := make([]*tallies, min(runtime.GOMAXPROCS(0), max(len(parts), 1)))
	var all sync.WaitGroup
	for w := range workers {
		workers[w] = &tallies{}
		all.Go(func() {
			from := r.store.reader()
			defer from.close()
			for {
				n := int(next.Add(1)) - 1
				if n >= len(parts) {
					return
				}
				part := r.part(j.Protocol, from, parts[n])
				t := newTallies(j, d, part, parts[n])
				t.run(func() { rules(d, t.records, t.count) })
				workers[w].add(t)
			}
		})
	}
	all.Wait()
	sum := &tallies{}
	for _, w := range workers {
		sum.add(w)
	}
	return sum
}

// Watched returns the requirements that recordings can show: by the rules of the protocol, and by its discovery document.
func Watched(p *scenarios.Protocol, suites []scenarios.Suite) scenarios.IDs {
	all := p.Watched()
	for _, suite := range suites {
		for _, s := range suite.Advertised() {
			all = append(all, s.Proves...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
