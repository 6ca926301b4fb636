package openintent

import (
	"context"
	"net/http"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openintent/engine"
	"github.com/openassay/assay/simhost/refusal"
	"github.com/openassay/assay/simhost/serving"
)

// This file is what a console in the same process sees of the server: the folds of its log, as they are. What somebody does from
// there goes through the API, see Ask.

// Caller is the name of who has a key.
func (h *Host) Caller(key string) (name string, known bool) {
	who, known := h.callers.Whose(key)
	return who.Name, known
}

// Client is one of the API in the name of a caller.
func (h *Host) Client(caller string) *openintentv1.Client {
	key := h.opts.Callers[caller]
	if caller == callerName {
		key = h.opts.Key
	}
	return &openintentv1.Client{
		Server: "http://localhost/", Client: serving.Inside{Handler: h.handler},
		RequestEditors: []openintentv1.RequestEditorFn{func(_ context.Context, r *http.Request) error {
			r.Header.Set(headerKey, key)
			return nil
		}},
	}
}

// Store is where the log is.
func (h *Host) Store() *eventlog.Store { return h.store }

// Intents are those that changed last, n at most, the last one first, and how many there are.
func (h *Host) Intents(ctx context.Context, n int) ([]engine.Account, int, error) {
	return h.engine.Accounts(ctx, n)
}

// WaitingIntents are those that wait for an answer, the one that waits longest first.
func (h *Host) WaitingIntents(ctx context.Context) ([]engine.Account, error) {
	return h.engine.Waiting(ctx)
}

// Intent is one with its latest events, n at most, in order, and how many it has.
func (h *Host) Intent(ctx context.Context, id string, n int) (engine.Account, []openintentv1.Event, int, error) {
	return h.engine.Account(ctx, id, n)
}

// MovesClocks tells whether the seam is there that lets time pass for one intent.
func (h *Host) MovesClocks() bool { return !h.without[seam] }

// IsMissing tells the refusals of what is not there.
func IsMissing(err error) bool {
	refused := refusal.In(err)
	return refused != nil && refused.Code == refusal.NotFound
}

// Advance lets time pass for one intent, or for one portfolio and its members. It returns the time that it then is there.
func (h *Host) Advance(ctx context.Context, intent, portfolio string, by time.Duration) (time.Time, error) {
	now, err := h.engine.Advance(ctx, intent, portfolio, by)
	if err == nil {
		h.post.flush()
	}
	return now, err
}
