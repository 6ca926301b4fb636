// Package doctor finds out, before anything is asked that makes something, whether a target can be certified at all: whether
// it is reached, lets the keys in, says what it can do, and has what scenarios need. Hosts are sent GET requests only; a plugin
// is started once, for its command health, and a resolver once, with an empty question.
package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Status is what came of one look.
type Status string

// The statuses, best first.
const (
	OK   Status = "ok"
	Warn Status = "warn" // a certification runs, and will leave something open or may mislead
	Fail Status = "fail" // it cannot run, or will say little
)

// Check is one look at the target.
type Check struct {
	Name   string `json:"name"` // dns, tcp, tls, discovery, ...
	Status Status `json:"status"`
	Seen   string `json:"seen"` // parts of it may be the target's own words
	Mend   string `json:"mend"` // "" where there is nothing to do
}

// Options say what is looked at.
type Options struct {
	Target    wire.Target
	Protocols []*scenarios.Protocol // that the target may speak, the one that is meant first
	Seams     []string              // prefixes that the operator named
	Now       func() time.Time      // nil = time.Now
}

// Report is what came of it.
type Report struct {
	Target   string  `json:"target"`
	Protocol string  `json:"protocol"` // "" where that was not found out
	Checks   []Check `json:"checks"`
	Reached  bool    `json:"reached"` // it answered, and says what it can do
}

// ExitCode is 3 where the target was not reached, 1 where another look failed, and 0.
func (r *Report) ExitCode() int {
	if !r.Reached {
		return scenarios.ExitUnreachable
	}
	for _, c := range r.Checks {
		if c.Status == Fail {
			return 1
		}
	}
	return 0
}

// each bounds one look.
const each = 10 * time.Second

// Examine looks at a target. The error is one of the options'; whatever is wrong with the target is in the report.
func Examine(ctx context.Context, o Options) (*Report, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	network, err := wire.NewNetwork(o.Target, wire.Options{Limits: wire.DefaultLimits(), Now: o.Now})
	if err != nil {
		return nil, err
	}
	e := &examination{Options: o, network: network, report: &Report{Target: network.Address(), Checks: []Check{}}}
	e.client = network.Client("doctor")
	defer func() { e.client.Close() }()
	if o.Target.Process != nil {
		e.program(ctx)
	} else {
		e.host(ctx)
	}
	for i, c := range e.report.Checks { // no key reaches a terminal
		e.report.Checks[i].Seen = network.Redactor().Clean(c.Seen)
	}
	return e.report, nil
}

type examination struct {
	Options
	network *wire.Network
	client  *wire.Client
	report  *Report
}

func (e *examination) note(name string, s Status, mend, format string, args ...any) {
	e.report.Checks = append(e.report.Checks, Check{Name: name, Status: s, Seen: fmt.Sprintf(format, args...), Mend: mend})
}
