package prove

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop"
	intentsuites "github.com/openassay/assay/scenarios/openintent"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/fault"
	intents "github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/simhost/openwop"
)

// The principals of every host in a lab.
const (
	Key         = "prove-key"
	OtherKey    = "prove-other-key"
	LowScopeKey = "prove-low-scope-key"
	secondKey   = "prove-second-key"
)

var voters = map[string]string{"voter-1": "prove-voter-key-1", "voter-2": "prove-voter-key-2", "voter-3": "prove-voter-key-3"}

// Host is what is to be certified: a simulated host of OpenWOP or of OpenIntent, or the reference agent of the agentic loop.
type Host struct {
	Name    string
	Options openwop.Options  // of a simulated host
	Agent   *Agent           // the reference agent in its place
	Intents *intents.Options // the OpenIntent server in its place
	Fault   *Violation       // nil: it is honest
}

// Violation is a fault of either, as reports tell of it.
type Violation struct {
	ID, Title, Looks string
	Breaks           []string
	Spots            []int  // rows of docs/blind-spots.md
	Under            string // flags of the host that it shows on
	Twin             string // why it is there beside one like it
}

// suites are what a host is asked.
func (h Host) suites() []scenarios.Suite {
	switch {
	case h.Agent != nil:
		return agenticloop.Suites()
	case h.Intents != nil:
		return intentsuites.ServerSuites()
	}
	return suites.Suites()
}

// Protocol is what a host speaks.
func (h Host) Protocol() *scenarios.Protocol {
	switch {
	case h.Agent != nil:
		return agenticloop.Protocol
	case h.Intents != nil:
		return intentsuites.Protocol
	}
	return suites.Protocol
}

// Faulty is the host that commits a fault.
func Faulty(f fault.Fault) Host {
	o := openwop.Options{
		Version: openwop.HighestVersion, Without: f.Under.Without, EscalationInterrupt: f.Under.EscalationInterrupt, Faults: []string{f.ID},
	}
	if f.Under.Version != 0 {
		o.Version = f.Under.Version
	}
	if f.Under.Experimental {
		o.ExperimentalUntil = time.Now().AddDate(0, 1, 0).Format(time.DateOnly)
	}
	return Host{Name: f.ID, Options: o, Fault: &Violation{f.ID, f.Title, f.Looks, f.Breaks, f.Spots, f.Under.String(), f.Twin}}
}

// Lab starts hosts in this process and certifies them. Its methods may be called concurrently.
type Lab struct {
	second *Served // the host to which all others hand workers; one is enough
	gate   *gate
}

// NewLab opens a lab; Close ends it.
func NewLab(ctx context.Context) (*Lab, error) {
	second, err := serve(ctx, openwop.Options{Key: secondKey, HostID: "prove-second"}, nil)
	if err != nil {
		return nil, fmt.Errorf("open the lab: %w", err)
	}
	return &Lab{second, newGate()}, nil
}

// Close ends what the hosts share. They must be closed by then.
func (l *Lab) Close(ctx context.Context) error {
	l.gate.close()
	return l.second.Close(ctx)
}

// Enter waits until the machine can certify another host in time, which [Lab.Certify] does by itself. Whoever certifies a host
// in another way calls leave when that is over. The error is that of ctx.
func (l *Lab) Enter(ctx context.Context) (leave func(), err error) { return l.gate.enter(ctx) }

// Served is a host that answers on a real socket.
type Served struct {
	URL    string
	host   host
	server *http.Server
	door   net.Listener
	ended  chan struct{}
}

// host is a simulated host of either kind.
type host interface {
	Handler() http.Handler
	Close(context.Context) error
}

// Serve starts a host with the principals of the lab. wrap may stand in front of it.
func (l *Lab) Serve(ctx context.Context, o openwop.Options, wrap func(http.Handler) http.Handler) (*Served, error) {
	o.Key, o.Tenants, o.Voters, o.LowScopeKey = Key, map[string]string{"other": OtherKey}, voters, LowScopeKey
	return serve(ctx, o.WithSecond(openwop.Peer{URL: l.second.URL, Key: secondKey}), wrap)
}

func serve(ctx context.Context, o openwop.Options, wrap func(http.Handler) http.Handler) (*Served, error) {
	return served(ctx, func(url string) (host, error) {
		o.URL = url
		return openwop.New(ctx, o)
	}, wrap)
}

// served opens a socket, makes a host that knows its address, and has it answer there.
func served(ctx context.Context, open func(url string) (host, error), wrap func(http.Handler) http.Handler) (*Served, error) {
	var listener net.ListenConfig
	ln, err := listener.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Served{URL: "http://" + ln.Addr().String(), door: ln, ended: make(chan struct{})}
	if s.host, err = open(s.URL); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	handler := s.host.Handler()
	if wrap != nil {
		handler = wrap(handler)
	}
	s.server = &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(s.ended)
		_ = s.server.Serve(ln) // says only that it was closed
	}()
	return s, nil
}

// Refuse lets nobody connect any more, as if the process were gone.
func (s *Served) Refuse() error { return s.door.Close() }

// Close ends the host and its connections.
func (s *Served) Close(ctx context.Context) error {
	err := errors.Join(s.host.Close(ctx), s.server.Close())
	<-s.ended
	return err
}

// Target is a host at this address as the suites see it, with everything that an operator could hand them.
func (l *Lab) Target(url string) wire.Target {
	return wire.Target{
		URL: url, Key: Key, OtherKey: OtherKey, VoterKeys: slices.Sorted(maps.Values(voters)), LowScopeKey: LowScopeKey,
		SecondURL: l.second.URL, SecondKey: secondKey,
	}
}

// Certify runs the suites against a host of its own, to the end. The report is without transcripts: those of many hosts
// take gigabytes.
func (l *Lab) Certify(ctx context.Context, h Host, o scenarios.Options) (_ *scenarios.Report, err error) {
	leave, err := l.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	switch {
	case h.Agent != nil:
		return h.Agent.certify(ctx, h, o)
	case h.Intents != nil:
		return l.certifyIntents(ctx, h, o)
	}
	s, err := l.Serve(ctx, h.Options, nil)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", h.Name, err)
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	return finish(ctx, h, l.Target(s.URL), o)
}

// finish certifies what answers as a target. The report is without transcripts.
func finish(ctx context.Context, h Host, target wire.Target, o scenarios.Options) (*scenarios.Report, error) {
	c, err := scenarios.Certify(ctx, target, o, h.suites()...)
	if err != nil {
		return nil, fmt.Errorf("certify %s: %w", h.Name, err)
	}
	r := c.Finish(context.WithoutCancel(ctx))
	r.Drives = nil
	return r, ctx.Err()
}
