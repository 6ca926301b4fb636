package openintent

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openintent/engine"
	"github.com/openassay/assay/simhost/refusal"
)

// This file is what a console in the same process sees of the server: the folds of its log, as they are. What somebody does from
// there goes through the API, see Ask.

// Caller is the name of who has a key.
func (h *Host) Caller(key string) (name string, known bool) {
	who, known := h.callers.Whose(key)
	return who.Name, known
}

// Reply is what the API answered.
type Reply struct {
	Status int
	Body   []byte
}

// OK tells whether what was asked for was done.
func (r Reply) OK() bool { return r.Status < http.StatusBadRequest }

// Why is the message of a refusal.
func (r Reply) Why() string {
	var said struct {
		Detail string `json:"detail"`
	}
	if json.Unmarshal(r.Body, &said) != nil || said.Detail == "" {
		return http.StatusText(r.Status)
	}
	return said.Detail
}

// Ask makes a request to the API as a caller, by their name. version, where it is not 0, is sent as If-Match.
func (h *Host) Ask(ctx context.Context, caller, method, path string, version int64, body any) (Reply, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return Reply{}, err
	}
	r, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(raw))
	if err != nil {
		return Reply{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	if r.Header.Set(headerKey, h.opts.Callers[caller]); caller == callerName {
		r.Header.Set(headerKey, h.opts.Key)
	}
	if version != 0 {
		r.Header.Set(headerMatch, *tag(version))
	}
	w := &reply{header: http.Header{}, status: http.StatusOK}
	h.handler.ServeHTTP(w, r)
	return Reply{Status: w.status, Body: w.body.Bytes()}, nil
}

// reply keeps an answer.
type reply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *reply) Header() http.Header         { return r.header }
func (r *reply) WriteHeader(status int)      { r.status = status }
func (r *reply) Write(b []byte) (int, error) { return r.body.Write(b) }

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
