package openintent

import (
	"context"
	"net/http"

	oi "github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/openintent/engine"
	"github.com/openassay/assay/simhost/serving"
)

// stream is the reply to a subscription: the events of a feed from here on.
type stream struct {
	host  *Host
	ctx   context.Context // of the request
	of    engine.Feed
	frame framing
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
	return h.stream(ctx, engine.Feed{Intent: r.IntentID})
}

// SubscribeIntentAtIntent streams the events of an intent.
func (h *Host) SubscribeIntentAtIntent(ctx context.Context,
	r oi.SubscribeIntentAtIntentRequestObject) (oi.SubscribeIntentAtIntentResponseObject, error) {
	return h.stream(ctx, engine.Feed{Intent: r.IntentID})
}

// SubscribePortfolio streams the events of a portfolio.
func (h *Host) SubscribePortfolio(ctx context.Context, r oi.SubscribePortfolioRequestObject) (oi.SubscribePortfolioResponseObject, error) {
	return h.stream(ctx, engine.Feed{Portfolio: r.PortfolioID})
}

// SubscribePortfolioAtPortfolio streams the events of a portfolio.
func (h *Host) SubscribePortfolioAtPortfolio(ctx context.Context,
	r oi.SubscribePortfolioAtPortfolioRequestObject) (oi.SubscribePortfolioAtPortfolioResponseObject, error) {
	return h.stream(ctx, engine.Feed{Portfolio: r.PortfolioID})
}

// stream is one of a feed that there is, as its log has it.
func (h *Host) stream(ctx context.Context, of engine.Feed) (stream, error) {
	_, err := h.engine.Events(ctx, of, engine.Select{})
	return stream{host: h, ctx: ctx, of: of, frame: asOnTheLog}, err
}

// serve writes frames until the client leaves or the host closes. An error ends the stream and nothing more: the status line
// is long gone.
func (s stream) serve(w http.ResponseWriter) error {
	s.host.active.Add(1)
	defer s.host.active.Done()
	ctx, cancel := serving.Waiting(s.ctx, s.host.closing)
	defer cancel()
	events := make(chan []oi.Event)
	ready := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		_ = s.host.engine.Watch(ctx, s.of, func() error { close(ready); return nil }, func(fresh []oi.Event) error {
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
	out := serving.OpenEventStream(w)
	if out.Send() != nil {
		return nil // the client left
	}
	heart := out.Heart(s.host.opts.Wire, serving.KeepAlive)
	defer heart.Stop()
	for {
		var err error
		select {
		case fresh := <-events:
			s.tell(out, fresh)
			err = out.Send()
		case <-heart.Due:
			err = heart.Beat()
		case <-watched:
			return nil
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			return nil // the client left
		}
	}
}

// tell adds events as they go out.
func (s stream) tell(out *serving.EventStream, events []oi.Event) {
	for _, ev := range events {
		if err := s.frame(out, ev); err != nil {
			s.host.log.Error("stream an event", "event", ev.ID, "error", err)
		}
	}
}
