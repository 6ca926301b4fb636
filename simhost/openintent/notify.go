package openintent

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openintent/engine"
)

// The bounds on what waits to be posted, and on one delivery.
const (
	mostWaiting    = 1024
	noticePatience = 2 * time.Second
)

// post delivers reminders to webhooks, one after the other.
type post struct {
	log    *slog.Logger
	clock  clock.Clock // does not jump while something is delivered
	client *http.Client
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	waiting []letter
	arrived chan struct{} // holds one element while something waits
	idle    *sync.Cond
	busy    bool
}

type letter struct {
	url  string
	body []byte
	done func() // ends the work that it is
}

func newPost(log *slog.Logger, c clock.Clock) *post {
	p := &post{log: log, clock: c, arrived: make(chan struct{}, 1), done: make(chan struct{})}
	p.idle = sync.NewCond(&p.mu)
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.client = &http.Client{
		Transport:     &http.Transport{Proxy: nil, DisableKeepAlives: true}, // loopback needs no proxy
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       noticePatience,
	}
	go p.deliver()
	return p
}

// notify is the sink of reminders: the log, and a webhook where one is named.
func (h *Host) notify(n engine.Notice) {
	h.log.Info("reminder", "intent", n.Intent, "to", n.To, "attempt", n.Body["attempt"], "channel", n.Channel)
	if h.without[webhook] || !isLoopback(n.To) {
		return
	}
	body, err := json.Marshal(n.Body)
	if err != nil {
		h.log.Error("encode a reminder", "intent", n.Intent, "error", err)
		return
	}
	h.post.send(letter{url: n.To, body: body})
}

func (p *post) send(l letter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) >= mostWaiting {
		p.log.Warn("a reminder is dropped: too many wait to be delivered", "url", l.url)
		return
	}
	l.done = clock.Working(p.clock)
	p.waiting = append(p.waiting, l)
	select {
	case p.arrived <- struct{}{}:
	default:
	}
}

func (p *post) deliver() {
	defer close(p.done)
	for {
		select {
		case <-p.arrived:
		case <-p.ctx.Done():
			return
		}
		for {
			l, ok := p.take()
			if !ok {
				break
			}
			p.one(l)
			l.done()
		}
	}
}

func (p *post) take() (l letter, found bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy = len(p.waiting) > 0 && p.ctx.Err() == nil; !p.busy {
		p.idle.Broadcast()
		return l, false
	}
	l, p.waiting = p.waiting[0], p.waiting[1:]
	return l, true
}

func (p *post) one(l letter) {
	r, err := http.NewRequestWithContext(p.ctx, http.MethodPost, l.url, bytes.NewReader(l.body))
	if err != nil {
		p.log.Warn("a reminder cannot be delivered", "url", l.url, "error", err)
		return
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := p.client.Do(r)
	if err != nil {
		p.log.Warn("a reminder was not delivered", "url", l.url, "error", err)
		return
	}
	_ = res.Body.Close()
}

// flush returns when nothing waits to be delivered.
func (p *post) flush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for (len(p.waiting) > 0 || p.busy) && p.ctx.Err() == nil {
		p.idle.Wait()
	}
}

func (p *post) close() error {
	p.cancel()
	<-p.done
	p.mu.Lock()
	for _, l := range p.waiting { // nobody delivers them any more
		l.done()
	}
	p.idle.Broadcast()
	p.mu.Unlock()
	p.client.CloseIdleConnections()
	return nil
}
