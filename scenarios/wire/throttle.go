package wire

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// throttle sends no more requests than the target takes. Each refusal for load holds all requests back as long as the target
// asks for, and lowers how many are sent a second and how many are on their way; both come up again a little at a time. The
// operator's rate is an upper bound.
type throttle struct {
	mu   sync.Mutex
	now  func() time.Time
	most float64 // requests a second that the operator allows; 0 = unlimited

	learned float64   // requests a second that the target seems to take; 0 = it has refused none
	raised  time.Time // when learned was last raised
	next    time.Time // when the next request may leave
	closed  time.Time // until then none may
	served  int       // since counting
	since   time.Time // when counting began

	first   map[int64]int // requests waiting that go before others, by their rank
	ranks   int64         // given until now
	window  float64       // requests that may be on their way; 0 = any number
	beside  int           // requests that may be on their way at most; 0 = any number
	flying  int
	waiting []chan struct{}

	held    int           // requests that are held back
	heldAt  time.Time     // when the first of them was
	heldFor time.Duration // until then

	seen Load
}

// Load is how a target bore what it was sent: how often it refused a request for load, and what came of that.
type Load struct {
	Refused int           // requests that it refused for load, and that were sent again
	Waited  time.Duration // all together, in which nothing was sent since it asked for that
	Rate    float64       // the fewest requests a second to which that led
	AtOnce  int           // the fewest requests on their way at once
}

// Load returns how the target bore what it was sent until now.
func (n *Network) Load() Load {
	n.throttle.mu.Lock()
	defer n.throttle.mu.Unlock()
	return n.throttle.seen
}

// AtMost has no more than so many requests, or turns of a program, on their way at once. What waits for that is not taken from the
// time of a drive.
func (n *Network) AtMost(requests int) {
	n.throttle.mu.Lock()
	defer n.throttle.mu.Unlock()
	n.throttle.beside = requests
}

// Rate returns the requests a second that the target seems to take, or that the operator allows if that is less; 0 for any number.
func (n *Network) Rate() float64 {
	n.throttle.mu.Lock()
	defer n.throttle.mu.Unlock()
	return n.throttle.rate(n.throttle.now())
}

// Held returns how long any request was held back until now, since the target refused one for load or the operator allows only so
// many.
func (n *Network) Held() time.Duration {
	t := n.throttle
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held == 0 {
		return t.heldFor
	}
	return t.heldFor + t.now().Sub(t.heldAt)
}

const (
	lowered   = 0.7 // of what was taken, after a refusal
	raise     = 2.0 // requests a second more, each second
	leastRate = 0.5
	freeRate  = 1000 // from here on the target is as good as unlimited
	wide      = 64   // the same for requests on their way
)

// enter waits until a request of c may leave. Call leave when its reply has come.
func (t *throttle) enter(ctx context.Context, c *Client) error {
	begun := t.now()
	defer func() { c.waited.Add(int64(t.now().Sub(begun))) }()
	rank := c.rank.Load()
	if rank > 0 {
		t.line(rank, 1)
		defer t.line(rank, -1)
	}
	for {
		due, turn := t.admit(rank)
		switch {
		case turn != nil:
			select {
			case <-turn:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		case due <= 0:
			if err := ctx.Err(); err != nil {
				t.leave()
				return err
			}
			return nil
		}
		t.hold(1)
		err := Pause(ctx, due)
		if t.hold(-1); err != nil {
			return err
		}
	}
}

// hold notes that so many more requests are held back.
func (t *throttle) hold(more int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held == 0 {
		t.heldAt = t.now()
	}
	if t.held += more; t.held == 0 {
		t.heldFor += t.now().Sub(t.heldAt)
	}
}

// nextRank returns a rank below all that were given.
func (t *throttle) nextRank() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ranks++
	return t.ranks
}

// line notes that so many more requests of a rank are waiting. Where there are fewer, others may go.
func (t *throttle) line(rank int64, more int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.first == nil {
		t.first = map[int64]int{}
	}
	if t.first[rank] += more; t.first[rank] == 0 {
		delete(t.first, rank)
	}
	if more < 0 {
		t.wake()
	}
}

// outranked returns how many requests wait that go before those of a rank; rank 0 is none.
func (t *throttle) outranked(rank int64) (n int) {
	for waiting, requests := range t.first {
		if rank == 0 || waiting < rank {
			n += requests
		}
	}
	return n
}

// wake has all that wait for another request look again whether they may leave.
func (t *throttle) wake() {
	for _, turn := range t.waiting {
		close(turn)
	}
	t.waiting = nil
}

// free returns how many more requests of a rank may be on their way, without those that go before them.
func (t *throttle) free(rank int64) float64 {
	free := math.Inf(1)
	if t.window > 0 {
		free = t.window - float64(t.flying)
	}
	if t.beside > 0 {
		free = min(free, float64(t.beside-t.flying))
	}
	return free - float64(t.outranked(rank))
}

// admit lets a request go, or returns for how long or for what it has to wait.
func (t *throttle) admit(rank int64) (due time.Duration, turn chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if due = t.closed.Sub(now); due > 0 {
		return due, nil
	}
	rate := t.rate(now)
	if rate > 0 && t.outranked(rank) > 0 {
		return time.Duration(float64(time.Second) / rate), nil
	}
	if waits := t.flying > 0 || t.outranked(rank) > 0; waits && t.free(rank) <= 0 {
		turn = make(chan struct{})
		t.waiting = append(t.waiting, turn)
		return 0, turn
	}
	if rate > 0 {
		if due = t.next.Sub(now); due > 0 {
			return due, nil
		}
		t.next = now.Add(time.Duration(float64(time.Second) / rate))
	}
	t.flying++
	return 0, nil
}

// rate returns the requests a second that may leave, 0 for any number, after raising what is learned.
func (t *throttle) rate(now time.Time) float64 {
	if t.learned > 0 {
		t.learned += raise * max(0, now.Sub(t.raised).Seconds())
		t.raised = now
		if t.learned >= freeRate {
			t.learned = 0
		}
	}
	if t.learned == 0 || t.most > 0 && t.most < t.learned {
		return t.most
	}
	return t.learned
}

// leave notes that the reply to a request has come, or none.
func (t *throttle) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flying--
	if t.served++; t.since.IsZero() {
		t.since = t.now()
	}
	if t.window > 0 {
		if t.window += 1 / t.window; t.window >= wide {
			t.window = 0
		}
	}
	t.wake()
}

// refused notes that the target refused a request for load, and for how long it asked to be left alone. Only the first of
// several refusals lowers anything: the others left before it was known.
func (t *throttle) refused(wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	again := now.Before(t.closed)
	t.seen.Refused++
	if until := now.Add(wait); until.After(t.closed) {
		t.seen.Waited += until.Sub(later(now, t.closed))
		t.closed = until
	}
	if again {
		return
	}
	taken := float64(t.served) / max(1, now.Sub(t.since).Seconds())
	if t.since.IsZero() {
		taken = leastRate
	}
	if t.learned > 0 {
		taken = min(taken, t.learned) * lowered
	}
	t.learned, t.raised = max(leastRate, taken), t.closed
	t.window = max(1, float64(t.flying)/2)
	t.served, t.since = 0, t.closed
	if t.seen.Rate == 0 || t.learned < t.seen.Rate {
		t.seen.Rate = t.learned
	}
	if atOnce := int(t.window); t.seen.AtOnce == 0 || atOnce < t.seen.AtOnce {
		t.seen.AtOnce = atOnce
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// patiently sends a request until the target does not refuse it for load. refused tells of a reply for how long the target
// asks to be left alone.
func (c *Client) patiently(ctx context.Context, call Call, send func() (*Reply, error)) (*Reply, error) {
	for attempt := 0; ; attempt++ {
		if err := c.network.throttle.enter(ctx, c); err != nil {
			return nil, err
		}
		reply, err := func() (*Reply, error) {
			defer c.network.throttle.leave()
			return send()
		}()
		if err != nil || reply == nil || !refusedForLoad(reply.Status) {
			return reply, err
		}
		wait, told := retryAfter(reply.Header, attempt)
		if reply.Status == http.StatusServiceUnavailable && !told {
			return nil, c.busy(call, reply, "")
		}
		if end, bounded := ctx.Deadline(); bounded && c.network.now().Add(wait).After(end) {
			return nil, c.busy(call, reply, fmt.Sprintf(" and asks for %s, which is longer than there is left", wait.Round(time.Second)))
		}
		c.network.throttle.refused(wait)
	}
}

func (c *Client) busy(call Call, reply *Reply, more string) error {
	return &failure{kind: ErrBusy, doing: c.doing(call), detail: fmt.Sprintf("HTTP %d%s", reply.Status, more)}
}

func refusedForLoad(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

const (
	firstWait = 250 * time.Millisecond // where the target does not say how long, and twice that the next time
	mostWait  = 8 * time.Second
	mostAsked = 365 * 24 * time.Hour // more is not counted
)

// retryAfter returns how long a target asks to be left alone: in seconds, or until a date, which is compared with the date of
// the reply and not with our clock. told is false where it does not say.
func retryAfter(h http.Header, attempt int) (wait time.Duration, told bool) {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(mostAsked/time.Second))) * time.Second, true
	}
	at, wrong := http.ParseTime(text)
	if now, err := http.ParseTime(h.Get("Date")); err == nil && wrong == nil {
		return min(max(0, at.Sub(now)), mostAsked), true
	}
	return min(firstWait<<min(attempt, 10), mostWait), false
}
