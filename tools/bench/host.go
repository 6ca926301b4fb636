package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/openassay/assay/tools/internal/protocols"
)

// measured is the protocol whose simulated host is measured on its own.
var measured = protocols.Table[0]

// served is something that answers HTTP in this process.
type served struct {
	url, key string
	stop     func() // may be called twice
}

// serve starts a simulated host, its log in files below dir, or in memory when dir is "".
func serve(ctx context.Context, dir string) (*served, error) {
	host, err := measured.Simhost().Open(ctx, protocols.Settings{Key: protocols.DefaultKey, DataDir: dir, LogMax: 4 << 30})
	if err != nil {
		return nil, err
	}
	s, err := listen(ctx, host.Handler())
	if err != nil {
		return nil, err
	}
	closeServer := s.stop
	s.stop = sync.OnceFunc(func() {
		closeServer()
		_ = host.Close(context.WithoutCancel(ctx)) // nothing is measured any more
	})
	return s, nil
}

func listen(ctx context.Context, handler http.Handler) (*served, error) {
	var listener net.ListenConfig
	ln, err := listener.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(ln) }() // ends with Close
	return &served{url: "http://" + ln.Addr().String(), key: protocols.DefaultKey, stop: sync.OnceFunc(func() { server.Close() })}, nil
}

// bare is the least that an HTTP server can do with such a request: read it and answer.
func bare() http.Handler {
	reply := []byte(`{"runId":"run-00000000-0000-0000-0000-000000000000","status":"pending",` +
		`"eventsUrl":"/v1/runs/run-00000000-0000-0000-0000-000000000000/events"}`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		w.Write(reply)
	})
}

// connections at once, in every measurement of requests.
const connections = 8

func (b *bench) createOnFiles(ctx context.Context) ([]row, error) {
	dir, cleanUp, err := temporary()
	if err != nil {
		return nil, err
	}
	defer cleanUp()
	return b.create(ctx, "files", "0.45", dir)
}

// create compares the rate of POST /v1/runs with that of the bare handler. Both are measured in slices that take
// turns, so that what else happens on the machine hits both.
func (b *bench) create(ctx context.Context, where, budget, dir string) ([]row, error) {
	host, err := serve(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer host.stop()
	plain, err := listen(ctx, bare())
	if err != nil {
		return nil, err
	}
	defer plain.stop()
	const slice, turns = 2000, 5
	client := newClient()
	if _, err := load(ctx, client, host, slice/4); err != nil { // connections and pools warm up
		return nil, err
	}
	var runs, least []time.Duration
	var runTime, leastTime time.Duration
	for range turns {
		for _, m := range []struct {
			of   *served
			took *[]time.Duration
			sum  *time.Duration
		}{{plain, &least, &leastTime}, {host, &runs, &runTime}} {
			begin := time.Now()
			took, err := load(ctx, client, m.of, slice)
			if err != nil {
				return nil, err
			}
			*m.sum += time.Since(begin)
			*m.took = append(*m.took, took...)
		}
	}
	rate := func(n int, d time.Duration) float64 { return float64(n) / d.Seconds() }
	ours, theirs := rate(len(runs), runTime), rate(len(least), leastTime)
	t := times(runs)
	return []row{
		{fmt.Sprintf("POST /v1/runs of one node, log in %s, against a bare handler", where), budget + "x",
			fmt.Sprintf("%.2fx (%.0f against %.0f a second)", ours/theirs, ours, theirs)},
		{fmt.Sprintf("  its latency at %d connections", connections), "p99 5 ms", fmt.Sprintf("p50 %s, p99 %s", round(t.at(0.5)),
			round(t.at(0.99)))},
	}, nil
}

func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}, Timeout: 30 * time.Second}
}

// load sends n requests that create a run, over all connections, and returns how long each took.
func load(ctx context.Context, client *http.Client, target *served, n int) ([]time.Duration, error) {
	var mu sync.Mutex
	var all []time.Duration
	failed := make(chan error, connections)
	var running sync.WaitGroup
	for range connections {
		running.Go(func() {
			var took []time.Duration
			for range n / connections {
				begin := time.Now()
				if _, err := createRun(ctx, client, target); err != nil {
					failed <- err
					return
				}
				took = append(took, time.Since(begin))
			}
			mu.Lock()
			all = append(all, took...)
			mu.Unlock()
		})
	}
	running.Wait()
	select {
	case err := <-failed:
		return nil, err
	default:
		return all, nil
	}
}

var createBody = []byte(`{"workflowId":"conformance-noop"}`)

// createRun returns the reply's body.
func createRun(ctx context.Context, client *http.Client, target *served) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target.url+"/v1/runs", bytes.NewReader(createBody))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+target.key)
	request.Header.Set("Content-Type", "application/json")
	reply, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode != http.StatusCreated {
		err = fmt.Errorf("POST /v1/runs answered HTTP %d: %s", reply.StatusCode, body)
	}
	return body, err
}

// sortedTimes are measurements in ascending order.
type sortedTimes []time.Duration

func times(took []time.Duration) sortedTimes {
	slices.Sort(took)
	return took
}

// at is a quantile, 0 to 1.
func (t sortedTimes) at(q float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	return t[min(int(q*float64(len(t))), len(t)-1)]
}
