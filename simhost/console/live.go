package console

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/serving"
)

// A page hears of topics. A part of it says in data-live which of them it shows.
const (
	TopicWaiting = "waiting" // something waits, or does not any more
	TopicAll     = "*"
)

const (
	breath   = 150 * time.Millisecond // between two messages to a page
	comeback = time.Second            // until a page whose stream broke off comes back
)

// told passes on what no log tells: that the clock was moved, or faults were switched.
type told struct {
	mu    sync.Mutex
	hears map[chan string]struct{}
}

func (t *told) join() (heard <-chan string, leave func()) {
	c := make(chan string, 8)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hears == nil {
		t.hears = map[chan string]struct{}{}
	}
	t.hears[c] = struct{}{}
	return c, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.hears, c)
	}
}

func (t *told) tell(topic string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.hears {
		select {
		case c <- topic:
		default: // eight wait for it already
		}
	}
}

// live tells a page which parts have changed, as they do.
func (c *Console) live(w http.ResponseWriter, r *http.Request) {
	who := c.sessions.find(r)
	if who == nil {
		http.Error(w, "sign in first", http.StatusUnauthorized)
		return
	}
	ctx, cancel := serving.Waiting(r.Context(), c.closing)
	defer cancel()
	heard, leave := c.told.join()
	defer leave()
	appends := c.o.Store.Appends() // before the page is told to fetch itself, so that it misses nothing
	defer appends.Stop()
	changes := c.changes(ctx, who, appends)
	defer func() {
		cancel()
		for range changes { // until whoever listens to the logs is gone
		}
	}()
	out := serving.OpenEventStream(w)
	out.Retry(comeback)
	out.Text("change", TopicAll) // a page that comes back has missed something, and one that is new may have
	if out.Send() != nil {
		return
	}
	heart := out.Heart(c.o.Wire, serving.KeepAlive)
	defer heart.Stop()
	for {
		topics, more, err := "", true, error(nil)
		select {
		case <-ctx.Done():
		case topics = <-heard:
		case topics, more = <-changes:
		case <-heart.Due:
			err = heart.Beat()
		}
		if err != nil || ctx.Err() != nil || !more || c.sessions.find(r) == nil {
			return
		}
		if topics == "" {
			continue
		}
		out.Text("change", topics)
		if out.Send() != nil {
			return
		}
	}
}

// changes are the topics of what goes on in the logs of a tenant, in messages that are some way apart.
func (c *Console) changes(ctx context.Context, who []visitor, appends *eventlog.Appends) <-chan string {
	changes := make(chan string)
	go func() {
		defer close(changes)
		for {
			logs, ok := appends.Next(ctx)
			if !ok {
				return
			}
			topics := TopicAll
			if logs != nil {
				topics = topicsOf(ctx, who, logs)
			}
			if topics == "" {
				continue
			}
			select {
			case changes <- topics:
			case <-ctx.Done():
				return
			}
			pause := make(chan struct{})
			timer := c.o.Wire.AfterFunc(breath, func() { close(pause) })
			select {
			case <-pause:
			case <-ctx.Done():
				timer.Stop()
				return
			}
		}
	}()
	return changes
}

// topicsOf are what appends to these logs mean for what a page shows; "" where they mean nothing to those who see it.
func topicsOf(ctx context.Context, who []visitor, logs []string) string {
	var topics []string
	for _, v := range who {
		topics = append(topics, v.Topics(ctx, logs)...)
	}
	return strings.Join(topics, " ")
}
