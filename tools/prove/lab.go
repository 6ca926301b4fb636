package prove

import (
	"context"
	"errors"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/internal/protocols"
)

// Keys of every host in a lab.
const (
	Key         = "prove-key"
	OtherKey    = "prove-other-key"
	LowScopeKey = "prove-low-scope-key"
	HostSecret  = "prove-host-secret"
)

// Lab starts hosts in this process and certifies them. Its methods are safe for concurrent use.
type Lab struct {
	targets map[*scenarios.Protocol]wire.Target
	seconds []*protocols.Served // second hosts; one for each protocol is enough
	gate    *gate
}

// NewLab opens a lab. The caller must close it.
func NewLab(ctx context.Context) (*Lab, error) {
	l := &Lab{targets: map[*scenarios.Protocol]wire.Target{}, gate: newGate()}
	for _, row := range protocols.Table {
		t := wire.Target{
			Key: Key, OtherKey: OtherKey, LowScopeKey: LowScopeKey, HostSecret: HostSecret,
			VoterKeys: []string{"prove-voter-key-1", "prove-voter-key-2", "prove-voter-key-3"},
		}
		if row.Second != nil {
			second, key, err := row.Second(ctx, protocols.Place{})
			if err != nil {
				return nil, errors.Join(fmt.Errorf("open the lab: %w", err), l.Close(ctx))
			}
			l.seconds = append(l.seconds, second)
			t.SecondURL, t.SecondKey = second.URL, key
		}
		l.targets[row.Protocol] = t
	}
	return l, nil
}

// Close closes everything that the hosts share. The hosts must already be closed.
func (l *Lab) Close(ctx context.Context) error {
	l.gate.close()
	var all error
	for _, s := range l.seconds {
		all = errors.Join(all, s.Close(ctx))
	}
	return all
}

// Enter waits until the machine can certify another host on time. [Lab.Certify] does so itself; whoever certifies a
// host in another way must call leave afterwards. The error is that of ctx.
func (l *Lab) Enter(ctx context.Context) (leave func(), err error) { return l.gate.enter(ctx) }

// Target returns a target of a protocol with everything that an operator could configure, except the address.
func (l *Lab) Target(p *scenarios.Protocol) wire.Target { return l.targets[p] }

// Certify runs the suites against a new host, to the end. It drops the transcripts from the report: those of many hosts
// take gigabytes.
func (l *Lab) Certify(ctx context.Context, h Host, o scenarios.Options) (*scenarios.Report, error) {
	return l.Ask(ctx, h, o, suitesOf(h.Protocol())...)
}

// Ask is Certify with other suites of the host's protocol.
func (l *Lab) Ask(ctx context.Context, h Host, o scenarios.Options, suites ...scenarios.Suite) (*scenarios.Report, error) {
	return l.Watch(ctx, h, o, func(scenarios.Discovery, scenarios.DriveRecord) {}, suites...)
}

// Watch is Ask that shows the transcript of each drive before it drops them.
func (l *Lab) Watch(
	ctx context.Context, h Host, o scenarios.Options, see func(scenarios.Discovery, scenarios.DriveRecord), suites ...scenarios.Suite,
) (_ *scenarios.Report, err error) {
	leave, err := l.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	target, stop, err := h.Specimen.Start(ctx, l.Target(h.Protocol()), protocols.Place{})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", h.Name, err)
	}
	defer func() { err = errors.Join(err, stop(context.WithoutCancel(ctx))) }()
	c, err := scenarios.Certify(ctx, target, o, suites...)
	if err != nil {
		return nil, fmt.Errorf("certify %s: %w", h.Name, err)
	}
	r := c.Finish(context.WithoutCancel(ctx))
	for _, d := range r.Drives {
		see(c.Discovery, d)
	}
	r.Drives = nil
	return r, ctx.Err()
}
