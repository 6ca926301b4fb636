// Package doctor checks whether a target can be certified at all: whether it is reachable, accepts the keys, declares
// its features, and has what scenarios need. It changes nothing on the target: a host gets only GET requests; a plugin
// is started once, for its command health, and a resolver once, with an empty question.
package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Status is the result of one check.
type Status string

// The statuses, best first.
const (
	OK   Status = "ok"
	Warn Status = "warn" // a certification can run, but may leave something open or mislead
	Fail Status = "fail" // a certification cannot run, or can prove little
)

// Check is one check of the target, with its result.
type Check struct {
	Name   string `json:"name"` // dns, tcp, tls, discovery, ...
	Status Status `json:"status"`
	Seen   string `json:"seen"` // parts may be the target's own words
	Mend   string `json:"mend"` // what would help; "" if nothing is needed
}

// Options select the target and what to check of it.
type Options struct {
	Target    wire.Target
	Protocols []*scenarios.Protocol // candidates; the most likely comes first
	Seams     []string              // prefixes of test seams; none = the protocol's own
	Now       func() time.Time      // nil = time.Now
}

// Report holds the results of an examination.
type Report struct {
	Target   string  `json:"target"`
	Protocol string  `json:"protocol"` // "" if it was not detected
	Checks   []Check `json:"checks"`
	Reached  bool    `json:"reached"` // it answered, and declares its features
}

// ExitCode returns 3 if the target was not reached, 1 if another check failed, and otherwise 0.
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

// checkTimeout bounds one check.
const checkTimeout = 10 * time.Second

// Examine checks a target. The error is about the options; the report holds everything wrong with the target.
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
	for i, c := range e.report.Checks { // keys must not reach a terminal
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
