package openintent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	oi "github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/serving"
)

const (
	keepAlive     = 15 * time.Second
	writePatience = 20 * time.Second
)

// stream is the reply to a subscription: the events of an intent or a portfolio from here on.
type stream struct {
	host              *Host
	ctx               context.Context // of the request
	intent, portfolio string
}

// VisitSubscribeIntentResponse and the next ones make it a response object of the generated server.
func (s stream) VisitSubscribeIntentResponse(w http.ResponseWriter) error { return s.serve(w) }

// VisitSubscribeIntentAtIntentResponse is the same at the path of the guide.
func (s stream) VisitSubscribeIntentAtIntentResponse(w http.ResponseWriter) error { return s.serve(w) }

// VisitSubscribePortfolioResponse is the same for a portfolio.
func (s stream) VisitSubscribePortfolioResponse(w http.ResponseWriter) error { return s.serve(w) }

// VisitSubscribePortfolioAtPortfolioResponse is the same at the path of the guide.
func (s stream) VisitSubscribePortfolioAtPortfolioResponse(w http.ResponseWriter) error {
	return s.serve(w)
}

// SubscribeIntent streams the events of an intent.
func (h *Host) SubscribeIntent(ctx context.Context, r oi.SubscribeIntentRequestObject) (oi.SubscribeIntentResponseObject, error) {
	_, err := h.engine.Events(ctx, r.IntentID, "", 0, 0)
	return stream{host: h, ctx: ctx, intent: r.IntentID}, err
}

// SubscribeIntentAtIntent streams the events of an intent.
func (h *Host) SubscribeIntentAtIntent(ctx context.Context,
	r oi.SubscribeIntentAtIntentRequestObject) (oi.SubscribeIntentAtIntentResponseObject, error) {
	_, err := h.engine.Events(ctx, r.IntentID, "", 0, 0)
	return stream{host: h, ctx: ctx, intent: r.IntentID}, err
}

// SubscribePortfolio streams the events of a portfolio.
func (h *Host) SubscribePortfolio(ctx context.Context, r oi.SubscribePortfolioRequestObject) (oi.SubscribePortfolioResponseObject, error) {
	_, err := h.engine.Events(ctx, "", r.PortfolioID, 0, 0)
	return stream{host: h, ctx: ctx, portfolio: r.PortfolioID}, err
}

// SubscribePortfolioAtPortfolio streams the events of a portfolio.
func (h *Host) SubscribePortfolioAtPortfolio(ctx context.Context,
	r oi.SubscribePortfolioAtPortfolioRequestObject) (oi.SubscribePortfolioAtPortfolioResponseObject, error) {
	_, err := h.engine.Events(ctx, "", r.PortfolioID, 0, 0)
	return stream{host: h, ctx: ctx, portfolio: r.PortfolioID}, err
}

// serve writes frames until the client leaves or the host closes. An error ends the stream and nothing more: the status line
// is long gone.
func (s stream) serve(w http.ResponseWriter) error {
	s.host.active.Add(1)
	defer s.host.active.Done()
	ctx, cancel := serving.Waiting(s.ctx, s.host.closing)
	defer cancel()
	control := http.NewResponseController(w)
	send := func(text []byte) error {
		if err := control.SetWriteDeadline(time.Now().Add(writePatience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		return control.Flush()
	}
	events := make(chan []oi.Event)
	ready := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		_ = s.host.engine.Watch(ctx, s.intent, s.portfolio, func() error { close(ready); return nil }, func(fresh []oi.Event) error {
			select {
			case events <- fresh:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	defer func() { cancel(); <-watched }()
	select {
	case <-ready:
	case <-watched:
		return nil
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	if err := send([]byte(": open\n\n")); err != nil {
		return nil //nolint:nilerr // the client left
	}
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for {
		var text []byte
		select {
		case fresh := <-events:
			text = s.frames(fresh)
		case <-alive.C:
			text = []byte(": keepalive\n\n")
		case <-watched:
			return nil
		case <-ctx.Done():
			return nil
		}
		if err := send(text); err != nil {
			return nil //nolint:nilerr // the client left
		}
	}
}

// frames are events as they go out: the type, and the document.
func (s stream) frames(events []oi.Event) []byte {
	var b bytes.Buffer
	for _, ev := range events {
		for range s.host.rules.Log.Streams(ev.EventType) {
			raw, err := json.Marshal(ev)
			if err != nil {
				continue // it was JSON before
			}
			b.WriteString("event: " + line(ev.EventType) + "\ndata: ")
			b.Write(raw)
			b.WriteString("\n\n")
		}
	}
	return b.Bytes()
}

// line keeps a type that a caller chose from being more than one line.
func line(text string) string {
	return string(bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, []byte(text)))
}
