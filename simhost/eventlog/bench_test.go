package eventlog

import (
	"context"
	"strconv"
	"testing"
)

const benchEntry = 300 // bytes, about one event

func BenchmarkAppendMemory(b *testing.B) { benchmarkAppend(b, Options{MaxBytes: 4 << 30}) }
func BenchmarkAppendFile(b *testing.B)   { benchmarkAppend(b, Options{Dir: b.TempDir()}) }
func BenchmarkAppendSync(b *testing.B) {
	benchmarkAppend(b, Options{Dir: b.TempDir(), SyncAlways: true})
}

// benchmarkAppend starts a log with every append, which is what a host under load does.
func benchmarkAppend(b *testing.B, o Options) {
	s, data, n := openStore(b, o), make([]byte, benchEntry), 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		if _, err := s.Append(context.Background(), "log-"+strconv.Itoa(n), 0, data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadMemory(b *testing.B) { benchmarkRead(b, Options{}) }
func BenchmarkReadFile(b *testing.B)   { benchmarkRead(b, Options{Dir: b.TempDir()}) }

// benchmarkRead reads logs of four entries that stand far apart in the store.
func benchmarkRead(b *testing.B, o Options) {
	const logs, entries = 10_000, 4
	s, data, revisions := openStore(b, o), make([]byte, benchEntry), make([]uint64, logs)
	for range entries {
		for log := range revisions {
			revision, err := s.Append(context.Background(), "log-"+strconv.Itoa(log), revisions[log], data)
			if err != nil {
				b.Fatal(err)
			}
			revisions[log] = revision
		}
	}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		got, err := s.Read(context.Background(), "log-"+strconv.Itoa(n%logs), 0)
		if err != nil || len(got) != entries {
			b.Fatalf("%d entries, error %v", len(got), err)
		}
	}
}

// BenchmarkPendingFile marks and clears, as a run that finishes does.
func BenchmarkPendingFile(b *testing.B) {
	s, n := openStore(b, Options{Dir: b.TempDir()}), 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		log := "log-" + strconv.Itoa(n)
		if err := s.MarkPending(context.Background(), log); err != nil {
			b.Fatal(err)
		}
		s.ClearPending(log)
	}
}

// BenchmarkTail is the time from before an append until a tail yields it.
func BenchmarkTail(b *testing.B) {
	s, data := openStore(b, Options{}), make([]byte, benchEntry)
	seen := make(chan uint64)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(seen)
		for e, err := range s.Tail(ctx, "a", 0) {
			if err != nil {
				return
			}
			seen <- e.Revision
		}
	}()
	after := uint64(0)
	for b.Loop() {
		revision, err := s.Append(context.Background(), "a", after, data)
		if err != nil {
			b.Fatal(err)
		}
		if after = <-seen; after != revision {
			b.Fatalf("the tail yields revision %d, appended was %d", after, revision)
		}
	}
	cancel()
	for range seen { // until the tail has ended
	}
}
