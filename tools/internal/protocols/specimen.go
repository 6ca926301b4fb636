package protocols

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Specimen is something to certify: a simulated host with its options, or a reference agent.
type Specimen interface {
	// Protocol returns the protocol that it speaks.
	Protocol() *scenarios.Protocol
	// Start starts it in this process with the keys of t, and returns it as a target. stop ends it.
	Start(ctx context.Context, t wire.Target, p Place) (ready wire.Target, stop func(context.Context) error, err error)
}

// Faulty is a specimen that commits faults.
type Faulty interface {
	Specimen
	// Committing returns the same specimen with these faults in place of its own: an error if they exclude each other.
	Committing(faults []string) (Specimen, error)
}

// Faulty returns a specimen that commits all faults that specs name, as [Row.Fault] reads them.
func (r *Row) Faulty(specs []string) (Specimen, error) {
	var first Fault
	for i, spec := range specs {
		f, err := r.Fault(spec)
		switch {
		case err != nil:
			return nil, err
		case i == 0:
			first = f
		case f.Under != first.Under:
			return nil, fmt.Errorf("%s shows on a host %s, and %s on one %s: give one of them", specs[0], under(first), spec, under(f))
		}
	}
	if host, is := first.Specimen.(Faulty); is && len(specs) > 1 {
		return host.Committing(specs)
	}
	return first.Specimen, nil
}

func under(f Fault) string {
	if f.Under == "" {
		return "with all features"
	}
	return "with " + f.Under
}

// Place is where a specimen runs. The zero Place is silent.
type Place struct {
	Release string // release of this program
	Logger  *slog.Logger
	// Workflows is a folder with workflows that it runs beside its own, "" for none.
	Workflows string
}

// Host is a simulated host.
type Host interface {
	Handler() http.Handler
	Close(context.Context) error
}

// Served is a host that answers on a real socket.
type Served struct {
	URL    string
	host   Host
	server *http.Server
	door   net.Listener
	ended  chan struct{}
}

// Serve opens a free port of this machine, creates a host with that address, and serves it. A non-nil wrap goes in
// front of the host.
func Serve(ctx context.Context, wrap func(http.Handler) http.Handler, open func(url string) (Host, error)) (*Served, error) {
	var listener net.ListenConfig
	ln, err := listener.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on a free port: %w", err)
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
		_ = s.server.Serve(ln) // Serve only reports that the server was closed
	}()
	return s, nil
}

// Refuse refuses new connections, as if the process were gone.
func (s *Served) Refuse() error { return s.door.Close() }

// Close ends the host and its connections.
func (s *Served) Close(ctx context.Context) error {
	err := errors.Join(s.host.Close(ctx), s.server.Close())
	<-s.ended
	return err
}

// votersOf names the keys of a target's voters for its host.
func votersOf(t wire.Target) map[string]string {
	out := map[string]string{}
	for i, key := range t.VoterKeys {
		out[fmt.Sprintf("voter-%d", i+1)] = key
	}
	return out
}
