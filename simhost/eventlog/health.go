package eventlog

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
)

// watch ends s.writable when the server has met a write error. Such an error is final for the server, which from then on
// leaves every append without an answer, so whoever waits for one has to be told.
func (s *Store) watch() {
	for {
		select {
		case <-s.complaints.heard:
			if err := health(s.server); err != nil {
				s.unwritable(fmt.Errorf("%w (%w)", ErrUnwritable, err))
				return
			}
		case <-s.closing:
			return
		}
	}
}

// health asks the server about its streams: all recovered, none with a write error.
func health(srv *server.Server) error {
	if !srv.JetStreamEnabled() {
		return errors.New("JetStream does not run")
	}
	// The server first makes sure that it takes connections, and gives itself a millisecond for that. On a busy machine the
	// millisecond may be over before it has looked, which says nothing about the streams.
	var ailments []server.HealthzError
	for range 1000 {
		ailments = srv.Healthz(&server.HealthzOptions{Details: true}).Errors
		if len(ailments) == 0 {
			return nil
		}
		if ailments[0].Type != server.HealthzErrorConn {
			break
		}
	}
	return errors.New(ailments[0].Error)
}

// whyNot replaces an error of a context that is not the caller's by what it stands for.
func (s *Store) whyNot(err error) error {
	switch {
	case s.writable.Err() != nil:
		return context.Cause(s.writable)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the disk did not answer within %v: read the log to see whether the entry is there", requestTimeout)
	default:
		return err
	}
}

// complaints is what the server logs to: it keeps the last warning or error, and drops the rest.
type complaints struct {
	heard chan struct{} // receives after a complaint

	mu   sync.Mutex
	last string
}

var _ server.Logger = (*complaints)(nil)

func (c *complaints) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

func (c *complaints) keep(format string, v []any) {
	c.mu.Lock()
	c.last = fmt.Sprintf(format, v...)
	c.mu.Unlock()
	select {
	case c.heard <- struct{}{}:
	default:
	}
}

func (c *complaints) Warnf(format string, v ...any)  { c.keep(format, v) }
func (c *complaints) Errorf(format string, v ...any) { c.keep(format, v) }

// Fatalf returns: the server does not count on it to end the process.
func (c *complaints) Fatalf(format string, v ...any) { c.keep(format, v) }

func (c *complaints) Noticef(string, ...any) {}
func (c *complaints) Debugf(string, ...any)  {}
func (c *complaints) Tracef(string, ...any)  {}
