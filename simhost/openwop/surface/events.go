package surface

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// maxHold is the longest that events are held back to go out as one batch; more is clamped to it.
const maxHold = 5000 * time.Millisecond

// StreamRunEvents serves the log of a run: as server-sent events until the run ends, or as one JSON document where the
// client asks for that.
func (h *Host) StreamRunEvents(ctx context.Context,
	req openwopv1.StreamRunEventsRequestObject) (openwopv1.StreamRunEventsResponseObject, error) {
	modes, hold, after, err := h.streamOptions(req.Params)
	if err != nil {
		return nil, err
	}
	r, _ := ctx.Value(requestKey{}).(*http.Request)
	form := rules.Stream
	if prefersJSON(r.Header.Values("Accept")) {
		form = rules.Document
	}
	events, ended, err := h.list(ctx, req.RunID, rules.Listing{Form: form, After: after, Gathers: hold > 0})
	if err != nil {
		return nil, err
	}
	if form == rules.Document {
		return openwopv1.StreamRunEvents200JSONResponse{Events: allTold(events), IsComplete: &ended}, nil
	}
	return &eventStream{
		host: h, ctx: ctx, runID: req.RunID,
		modes: modes, hold: hold, after: after,
		head: events, ended: ended, quiet: r.Method == http.MethodHead,
	}, nil
}

// list is what a reply tells of the log of a run, and whether the run has ended.
func (h *Host) list(ctx context.Context, runID string, r rules.Listing) (listed []event.Event, ended bool, err error) {
	if r.Events, r.Ended, err = h.engine.Events(ctx, runID, -1); err != nil {
		return nil, false, err
	}
	return h.rules.Log.Lists(r), r.Ended, nil
}

// streamOptions reads the parameters of a stream.
func (h *Host) streamOptions(p openwopv1.StreamRunEventsParams) (modes streamModes, hold time.Duration, after int64, err error) {
	modes, after = defaultModes, -1
	if p.StreamMode != nil {
		if modes, err = parseModes(*p.StreamMode); err != nil {
			return nil, 0, 0, err
		}
	}
	if p.BufferMs != nil {
		if *p.BufferMs < 0 {
			return nil, 0, 0, invalid("bufferMs", "bufferMs must be at least 0")
		}
		hold = min(time.Duration(min(*p.BufferMs, maxHold.Milliseconds()))*time.Millisecond, maxHold)
	}
	if p.LastEventID != nil {
		var ok bool
		if after, ok = cursor(*p.LastEventID); !ok {
			return nil, 0, 0, noCursor(*p.LastEventID)
		}
	}
	return modes, hold, after, nil
}

// cursor reads the sequence of the last event that a client has.
func cursor(raw string) (after int64, ok bool) {
	after, err := strconv.ParseInt(raw, 10, 64)
	return after, err == nil && after >= 0 && raw[0] != '+'
}

// noCursor refuses a Last-Event-ID that is not the sequence of the last event that the client has.
func noCursor(raw string) error {
	return invalid("Last-Event-ID", "Last-Event-ID "+refusal.Quoted(raw)+
		" is not a sequence: send the id of the last frame that arrived, or leave the header off")
}

// prefersJSON decides between the two forms of the log. JSON is sent where the client names it and likes it better than
// the stream; who names neither gets the stream.
func prefersJSON(accept []string) bool {
	weightJSON, weightStream := 0.0, 0.0
	for _, header := range accept {
		for entry := range strings.SplitSeq(header, ",") {
			kind, weight := acceptEntry(entry)
			switch kind {
			case "application/json", "application/*":
				weightJSON = max(weightJSON, weight)
			case "text/event-stream", "text/*":
				weightStream = max(weightStream, weight)
			}
		}
	}
	return weightJSON > weightStream
}

// acceptEntry reads one entry of an Accept header: a media range, and its weight, which is 1 unless q says otherwise.
func acceptEntry(entry string) (kind string, weight float64) {
	kind, parameters, _ := strings.Cut(entry, ";")
	weight = 1
	for parameter := range strings.SplitSeq(parameters, ";") {
		if name, value, _ := strings.Cut(strings.TrimSpace(parameter), "="); strings.EqualFold(name, "q") {
			if q, err := strconv.ParseFloat(value, 64); err == nil && q >= 0 && q <= 1 {
				weight = q
			}
		}
	}
	return strings.ToLower(strings.TrimSpace(kind)), weight
}
