// Package eventlog keeps append-only logs: a run is one log, and its state is the fold of that log.
//
// The logs live in a NATS JetStream server inside the process, without a port. Stores in memory share a server. All logs of a
// store share one stream; a log is one subject of it, and an append is one message, so an append is atomic whatever
// number of events the caller puts into it.
// Revisions are the sequence numbers of that stream: they grow within a log, but with gaps, and no two appends of one
// store share one.
//
// A store has its directory for itself. That one process is the only writer is used: Tail is woken by Append, and the
// pending marks are answered from memory.
package eventlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	defaultMaxBytes   = 256 << 20
	defaultMaxPayload = 8 << 20
	maxMaxPayload     = 31 << 20 // the server takes no message of 32 MiB for sound when it recovers files
)

// Options of a store. The zero value is a store in memory with the defaults named here.
type Options struct {
	// Dir holds the files of the store; it is made, for its owner only, where it is missing. Empty: the store is in memory
	// and ends with Close.
	Dir string
	// Checked has Open read all files before their server does, and refuse them with a DamageError where they lack or change
	// anything that was acknowledged, whatever took it. Without it Open goes on with what the server makes of them, which
	// cuts off what it cannot read. A log that an earlier repair found damaged is refused either way.
	Checked bool
	// SyncAlways makes every append wait for the disk, so that it survives a power loss. Without it an append survives
	// a crash of the process, not one of the machine. Ignored in memory, where neither is survived.
	SyncAlways bool
	// MaxBytes bounds the stored bytes of all logs together: names, headers and data, without the overhead of the Go heap
	// (in memory about twice as much for small entries). 0: 256 MiB in memory, unbounded in files.
	MaxBytes int64
	// MaxPayload bounds the data of one append, in bytes. 0: 8 MiB.
	MaxPayload int
}

// Store is an open set of logs. Its methods may be called concurrently.
type Store struct {
	options    Options
	lock       *os.File        // nil in memory
	ledger     *ledger         // likewise
	gone       map[uint64]bool // logs that lost appends to damage, by number
	server     *server.Server
	complaints complaints // of the server, where the store has it for itself
	stream     string     // of the logs
	prefix     string     // of their subjects
	// The server answers the requests of one connection in turn, so reads have their own: one that must fetch an old entry
	// from the disk would hold up the appends behind it.
	writer, reader *nats.Conn
	js             jetstream.JetStream // over writer
	logs           jetstream.Stream    // over reader
	asking         chan struct{}       // holds an element for each answer that is under way to reader
	tails          tails
	pending        *pending

	writable   context.Context // ends when the store cannot be written any more; its cause says why
	unwritable context.CancelCauseFunc

	inUse      sync.RWMutex   // held for reading by every operation under way, for writing by Close
	closing    chan struct{}  // closed when Close begins
	background sync.WaitGroup // goroutines that end with closing
	close      func() error   // what Close does, once
}

// Open makes the store, or recovers the one in o.Dir, including after a crash: an append that was never acknowledged is
// then there in whole or not at all. The error is ErrLocked where somebody else has the directory open, and ErrDamaged where
// the files are.
func Open(ctx context.Context, o Options) (*Store, error) {
	s, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("open event log%s: %w", in(o.Dir), err)
	}
	return s, nil
}

func open(ctx context.Context, o Options) (_ *Store, err error) {
	if o, err = o.withDefaults(); err != nil {
		return nil, err
	}
	s := &Store{
		options: o, complaints: complaints{heard: make(chan struct{}, 1)}, stream: logStream, prefix: logPrefix,
		closing: make(chan struct{}), asking: make(chan struct{}, o.answers()),
	}
	s.writable, s.unwritable = context.WithCancelCause(context.Background())
	s.close = sync.OnceValue(s.closeOnce)
	defer func() {
		if err != nil {
			_ = s.release() // the error that got us here is the one to tell
		}
	}()
	if err = s.serve(); err != nil {
		return nil, err
	}
	if err = s.connect(ctx); err != nil {
		return nil, err
	}
	if s.pending, err = s.openPending(ctx); err != nil {
		return nil, err
	}
	s.background.Go(s.watch)
	s.background.Go(func() { s.pending.sweepWhenDue(s.closing) })
	return s, nil
}

// serve starts the server of the store, or takes part in the one that there is.
func (s *Store) serve() (err error) {
	if s.options.Dir == "" {
		var number int
		s.server, number, err = serverInMemory()
		s.stream, s.prefix = fmt.Sprintf(memoryLogs, number), fmt.Sprintf(memoryPrefix, number)
		return err
	}
	if s.lock, err = lockDir(s.options.Dir); err != nil {
		return err
	}
	var fill []sequencedLine
	if s.options.Checked {
		x, err := examine(s.options.Dir)
		if err != nil {
			return fmt.Errorf("read the files: %w", err)
		}
		if !x.Whole() {
			return &DamageError{x}
		}
		s.gone, fill = x.gone, x.fill
	} else if s.gone, err = goneIn(s.options.Dir); err != nil {
		return err
	}
	if s.server, err = startServer(s.options, &s.complaints); err != nil {
		return err
	}
	if s.ledger, err = openLedger(s.options.Dir, s.options.SyncAlways); err != nil {
		return err
	}
	for _, l := range fill {
		if err := s.ledger.write(l.sequence, l.line); err != nil {
			return fmt.Errorf("write the ledger: %w", err)
		}
	}
	return nil
}

func (s *Store) connect(ctx context.Context) (err error) {
	if s.writer, s.js, err = connect(s.server); err != nil {
		return err
	}
	var reads jetstream.JetStream
	if s.reader, reads, err = connect(s.server); err != nil {
		return err
	}
	s.logs, err = openStream(ctx, reads, s.options.logStream(s.stream, s.prefix))
	return err
}

func (o Options) withDefaults() (Options, error) {
	if o.MaxPayload == 0 {
		o.MaxPayload = defaultMaxPayload
	}
	if o.MaxPayload < 0 || o.MaxPayload > maxMaxPayload {
		return o, fmt.Errorf("MaxPayload %d: must be 1 to %d bytes", o.MaxPayload, maxMaxPayload)
	}
	if o.MaxBytes < 0 {
		return o, fmt.Errorf("MaxBytes %d: must not be negative", o.MaxBytes)
	}
	if o.Dir == "" && o.MaxBytes == 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.Dir != "" {
		dir, err := filepath.Abs(o.Dir)
		if err != nil {
			return o, err
		}
		o.Dir = dir
	}
	return o, nil
}

// Close ends every Tail, waits for the operations under way, and releases the files. A second call answers as the first.
func (s *Store) Close() error { return s.close() }

func (s *Store) closeOnce() error {
	close(s.closing)
	s.inUse.Lock()
	defer s.inUse.Unlock()
	s.background.Wait()
	s.pending.settle()
	if err := s.release(); err != nil {
		return fmt.Errorf("close event log%s: %w", in(s.options.Dir), err)
	}
	return nil
}

// release gives back what open took, as far as it got.
func (s *Store) release() (err error) {
	s.unwritable(ErrClosed)
	if s.options.Dir == "" && s.logs != nil {
		ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
		defer cancel()
		err = s.js.DeleteStream(ctx, s.stream) // others use the server
	}
	for _, conn := range []*nats.Conn{s.writer, s.reader} {
		if conn != nil {
			conn.Close()
		}
	}
	switch {
	case s.server == nil:
	case s.options.Dir == "":
		leaveMemory()
	default:
		stop(s.server)
	}
	if s.ledger != nil {
		err = errors.Join(err, s.ledger.close())
	}
	if s.pending != nil {
		err = errors.Join(err, s.pending.release())
	}
	if s.lock != nil {
		err = errors.Join(err, unlock(s.lock))
	}
	return err
}

// begin keeps Close waiting until end is called. It fails once Close has begun.
func (s *Store) begin() (end func(), err error) {
	s.inUse.RLock()
	select {
	case <-s.closing:
		s.inUse.RUnlock()
		return nil, ErrClosed
	default:
		return s.inUse.RUnlock, nil
	}
}

func in(dir string) string {
	if dir == "" {
		return " in memory"
	}
	return " in " + dir
}
