package surface

import (
	"context"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

const (
	defaultPollTimeout = 30 * time.Second
	// maxPage bounds the events of one poll; the reader asks again. It keeps a reply below the 1 MiB that a careful
	// client reads.
	maxPage = 1000
)

// PollRunEvents serves the log after a cursor. Where there is nothing new and the run goes on, it waits until there is,
// for at most the timeout. lastSequence wins over since, its older name, in which -1 is the start.
func (h *Host) PollRunEvents(ctx context.Context, req openwopv1.PollRunEventsRequestObject) (openwopv1.PollRunEventsResponseObject, error) {
	after := int64(-1)
	switch {
	case req.Params.LastSequence != nil:
		after = *req.Params.LastSequence
	case req.Params.Since != nil:
		after = *req.Params.Since
	}
	patience := defaultPollTimeout
	if req.Params.Timeout != nil {
		patience = time.Duration(*req.Params.Timeout) * time.Second
	}
	events, ended, err := h.list(ctx, req.RunID, rules.Listing{Form: rules.Poll, After: after})
	if err != nil {
		return nil, err
	}
	if len(events) == 0 && !ended {
		h.awaitEvent(ctx, req.RunID, after, h.manner.Holds(patience))
		if events, ended, err = h.list(ctx, req.RunID, rules.Listing{Form: rules.Poll, After: after}); err != nil {
			return nil, err
		}
	}
	page := events[:min(len(events), maxPage)]
	return openwopv1.PollRunEvents200JSONResponse{Events: allTold(page), IsComplete: ended && len(page) == len(events)}, nil
}

// awaitEvent returns when the log of a run goes on beyond a cursor, when the run ends, when patience is at its end,
// and when the server stops. Which it was shows when the log is read again.
func (h *Host) awaitEvent(ctx context.Context, runID string, after int64, patience time.Duration) {
	ctx, cancel := h.waiting(ctx)
	defer cancel()
	timer := h.opts.Wire.AfterFunc(patience, cancel)
	defer timer.Stop()
	for range h.engine.Watch(ctx, runID, after) { //nolint:errcheck // why it ended shows when the log is read again
		return
	}
}
