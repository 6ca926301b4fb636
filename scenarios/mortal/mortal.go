// Package mortal starts a host, kills it and starts it again, so that it can be seen what it remembers.
package mortal

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/internal/process"
)

// Host is a host that was started here. Its methods may be called concurrently.
type Host struct {
	// Spell limits the time in which a drive starts histories, without the time of restarts; Most limits it with them. The drive ends
	// within twice that. Set both before a drive begins.
	Spell, Most time.Duration

	words  []string
	url    string // that answers when the host is up
	client *http.Client
	within time.Duration

	mu     sync.Mutex // held while it is down, or comes up
	stop   context.CancelFunc
	ended  chan ending
	deaths int
	down   time.Duration // from each kill until the host answered again
}

// ending is how a host ended, or why it was not started.
type ending struct {
	process.Result
	err error
}

// What is kept of what a host writes: to tell why it ended.
const keep = 4 << 10

// Start starts the host of a command and waits until url answers anything, no longer than within.
func Start(ctx context.Context, words []string, url string, client *http.Client, within time.Duration) (*Host, error) {
	h := &Host{words: words, url: url, client: client, within: within}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.answers(ctx) {
		return nil, fmt.Errorf("%s answers before the host is started: stop what is there, or leave out the command", url)
	}
	if err := h.start(ctx); err != nil {
		h.end()
		return nil, err
	}
	return h, nil
}

// start starts the host and waits until it is up.
func (h *Host) start(ctx context.Context) error {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	h.stop, h.ended = stop, make(chan ending, 1)
	ended := h.ended
	go func() {
		r, err := process.Run(running, process.Command{
			Path: h.words[0], Args: h.words[1:], Env: os.Environ(), MaxStdout: math.MaxInt64, KeepStdout: keep, MaxStderr: keep,
		})
		ended <- ending{r, err}
	}()
	patient, cancel := context.WithTimeout(ctx, h.within)
	defer cancel()
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		if h.answers(patient) {
			return nil
		}
		select {
		case r := <-ended:
			if ended <- r; r.err != nil {
				return fmt.Errorf("start the host: %w", r.err)
			}
			return fmt.Errorf("the host ended by itself, with exit code %d: %s", r.ExitCode, strings.TrimSpace(string(r.Stderr)))
		case <-patient.Done():
			if ctx.Err() != nil {
				return fmt.Errorf("while the host was started: %w", context.Cause(ctx))
			}
			return fmt.Errorf("the host did not answer at %s within %s", h.url, h.within)
		case <-time.After(pause):
		}
	}
}

func (h *Host) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url, nil)
	if err != nil {
		return false
	}
	reply, err := h.client.Do(q)
	if err != nil {
		return false
	}
	return reply.Body.Close() == nil
}

// Kill kills the host, with SIGKILL, and starts it again. It returns when the host answers.
func (h *Host) Kill(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.end()
	h.deaths++
	began := time.Now()
	defer func() { h.down += time.Since(began) }()
	return h.start(ctx)
}

// Down returns how long the host has been down after kills, in total.
func (h *Host) Down() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.down
}

// Up waits until the host is not down, and starts it again if it ended by itself.
func (h *Host) Up(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case r := <-h.ended:
		h.ended <- r
		h.deaths++
		return h.start(ctx)
	default:
	}
	return nil
}

// Deaths is how often the host has died.
func (h *Host) Deaths() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.deaths
}

// Stop ends the host for good.
func (h *Host) Stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.end()
}

func (h *Host) end() {
	h.stop()
	r := <-h.ended
	h.ended <- r
	h.client.CloseIdleConnections()
}
