package live

import (
	"context"
	"testing"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
)

func benchEngine(b *testing.B, log Log) *Engine {
	b.Helper()
	e, err := New(Options{Log: log, Clock: clock.Real(), Workflows: fixtures(b), Version: 5})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { e.Close() })
	return e
}

func benchCreate(b *testing.B, e *Engine, c Create, wait bool) {
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		s, err := e.Create(ctx, c)
		if err != nil {
			b.Fatal(err)
		}
		if wait {
			if err := e.Await(ctx, s.RunID); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkCreate is the engine's part of POST /v1/runs for a one-node workflow; without a log, in memory, in files.
func BenchmarkCreate(b *testing.B) {
	c := Create{WorkflowID: "conformance-noop"}
	b.Run("nolog", func(b *testing.B) { benchCreate(b, benchEngine(b, forgetful{}), c, false) })
	b.Run("memory", func(b *testing.B) {
		benchCreate(b, benchEngine(b, openStore(b, eventlog.Options{MaxBytes: 4 << 30})), c, false)
	})
	b.Run("files", func(b *testing.B) {
		benchCreate(b, benchEngine(b, openStore(b, eventlog.Options{Dir: b.TempDir()})), c, false)
	})
}

// BenchmarkLoop is a loop of four turns with three children, to its end.
func BenchmarkLoop(b *testing.B) {
	benchCreate(b, benchEngine(b, openStore(b, eventlog.Options{MaxBytes: 4 << 30})), Create{WorkflowID: "assay-loop"}, true)
}

// BenchmarkSnapshot reads a run that has ended.
func BenchmarkSnapshot(b *testing.B) {
	e := benchEngine(b, openStore(b, eventlog.Options{}))
	s, err := e.Create(context.Background(), Create{WorkflowID: "conformance-noop"})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Snapshot(context.Background(), s.RunID); err != nil {
			b.Fatal(err)
		}
	}
}

// forgetful is a log that keeps nothing.
type forgetful struct{}

func (forgetful) Append(context.Context, string, uint64, []byte) (uint64, error) { return 1, nil }

func (forgetful) Read(context.Context, string, uint64) ([]eventlog.Entry, error) { return nil, nil }

func (forgetful) MarkPending(context.Context, string) error { return nil }

func (forgetful) ClearPending(string) {}

func (forgetful) Successor(log string) string { return log }

func (forgetful) Pending(context.Context) ([]string, error) { return nil, nil }
