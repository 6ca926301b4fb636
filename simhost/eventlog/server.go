package eventlog

import (
	"context"
	"fmt"
	"math"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	logStream     = "LOGS"
	pendingStream = "PENDING"
	logPrefix     = "log."
	pendingPrefix = "pending."

	// memoryLogs and memoryPrefix are the stream of a store in memory and what its subjects begin with, by the store's number:
	// such stores share a server.
	memoryLogs   = logStream + "-%d"
	memoryPrefix = "%d." + logPrefix

	// headroom is what a message has beside its data: subject, reply and headers.
	headroom = 4 << 10
	// requestTimeout bounds one exchange with the server. It is in this process, so only a disk that hangs gets near it.
	requestTimeout = 30 * time.Second
)

// inMemory is the server of all stores in memory of this process: a server for each would cost more than most of them hold.
// It runs while there is such a store.
var inMemory struct {
	mu     sync.Mutex
	server *server.Server
	stores int
	opened int // stores so far, which number them
}

// serverInMemory is the server of a store in memory, and the number of the store. The store must leave it with leaveMemory.
func serverInMemory() (_ *server.Server, number int, err error) {
	inMemory.mu.Lock()
	defer inMemory.mu.Unlock()
	if inMemory.server == nil {
		// What it complains of is for nobody: a write that fails in memory is answered.
		if inMemory.server, err = startServer(Options{MaxPayload: maxMaxPayload}, &complaints{}); err != nil {
			return nil, 0, err
		}
	}
	inMemory.stores++
	inMemory.opened++
	return inMemory.server, inMemory.opened, nil
}

func leaveMemory() {
	inMemory.mu.Lock()
	defer inMemory.mu.Unlock()
	if inMemory.stores--; inMemory.stores == 0 {
		stop(inMemory.server)
		inMemory.server = nil
	}
}

func stop(srv *server.Server) {
	srv.Shutdown()
	srv.WaitForShutdown()
}

// startServer starts a server that nobody outside this process can reach, with JetStream in o.Dir or in memory.
func startServer(o Options, log *complaints) (*server.Server, error) {
	dir := o.Dir
	if dir == "" {
		// The server wants a folder for streams in memory too, but keeps nothing there.
		temp, err := os.MkdirTemp("", "eventlog-")
		if err != nil {
			return nil, fmt.Errorf("make a scratch folder: %w: set TMPDIR to a folder that can be written", err)
		}
		defer os.RemoveAll(temp)
		dir = temp
	}
	srv, err := server.NewServer(&server.Options{
		ServerName: "eventlog",
		DontListen: true,
		NoSigs:     true,
		JetStream:  true,
		StoreDir:   dir,
		SyncAlways: o.SyncAlways,
		// What bounds the log is the stream's own limit; these only have to be above it.
		JetStreamMaxMemory: math.MaxInt64,
		JetStreamMaxStore:  math.MaxInt64,
		MaxPayload:         int32(o.MaxPayload + headroom), //nolint:gosec // at most 31 MiB, checked by Open
		// The client at the other end of the pipe always drains it, so what is pending is bounded by the requests under way.
		// With the server's own bound, a few reads of large entries at once would cut the client off as too slow.
		MaxPending: math.MaxInt64,
		// Nor is it too slow when the whole process was stopped for a while.
		WriteDeadline: 24 * time.Hour,
	})
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	srv.SetLoggerV2(log, false, false, false)
	srv.Start()
	// A stream that could not be recovered is an error here: it would be started anew, over its files.
	if err := health(srv); err != nil {
		stop(srv)
		return nil, fmt.Errorf("start the store: %w (%s): put a copy of the folder back, or choose another one for --data", err, log)
	}
	return srv, nil
}

func connect(srv *server.Server) (*nats.Conn, jetstream.JetStream, error) {
	conn, err := nats.Connect("", nats.InProcessServer(srv), nats.NoReconnect(), nats.Timeout(requestTimeout),
		// Its default writes to stderr; what is worth telling comes back from the request it happened to.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		return nil, nil, fmt.Errorf("connect to the server in this process: %w", err)
	}
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(requestTimeout))
	if err != nil {
		conn.Close()
		return nil, nil, fmt.Errorf("connect to the server in this process: %w", err)
	}
	return conn, js, nil
}

// openStream makes a stream, or takes the one that the server has recovered.
func openStream(ctx context.Context, js jetstream.JetStream, config jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := js.CreateOrUpdateStream(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("set up stream %s: %w", config.Name, err)
	}
	return stream, nil
}

func (o Options) logStream(name, prefix string) jetstream.StreamConfig {
	config := o.stream(name, prefix)
	config.Discard = jetstream.DiscardNew // a full store refuses; it never forgets
	if o.MaxBytes > 0 {
		config.MaxBytes = o.MaxBytes
	}
	return config
}

func (o Options) pendingStream() jetstream.StreamConfig {
	config := o.stream(pendingStream, pendingPrefix)
	config.MaxMsgsPerSubject = 1
	return config
}

func (o Options) stream(name, prefix string) jetstream.StreamConfig {
	storage := jetstream.FileStorage
	if o.Dir == "" {
		storage = jetstream.MemoryStorage
	}
	return jetstream.StreamConfig{Name: name, Subjects: []string{prefix + "*"}, Storage: storage, AllowDirect: true, MaxBytes: -1}
}
