package host

import (
	"context"
	"net/http"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Lapse is time that passed for an intent.
type Lapse struct {
	Seconds float64 `json:"seconds"`
	Seam    bool    `json:"seam"` // by the clock seam; false if it was waited for
	Said    Reply   `json:"said"` // the reply of the seam
}

// Evidence returns how strong an observation after the lapse is: a seam shows nothing about the timer in production.
func (l Lapse) Evidence() scenarios.Evidence {
	if l.Seam {
		return scenarios.Attested
	}
	return scenarios.Observed
}

// Seam returns the path of the target's clock, "" if it has none or --real-time asks to wait.
func (s *Server) Seam() string {
	if s.RealTime {
		return ""
	}
	return s.Discovery.Document.At("/assay/clock/advance").String()
}

// Lapse lets time pass for one intent, through the seam or by waiting.
func (i *Intent) Lapse(ctx context.Context, d time.Duration) Lapse {
	l := Lapse{Seconds: d.Seconds()}
	path := i.Seam()
	if path == "" {
		scenarios.End(wire.Pause(ctx, d))
		return l
	}
	l.Seam = true
	l.Said = i.advance(ctx, "intent_id", i.ID, d)
	if !l.Said.Ok() {
		scenarios.End(scenarios.Block("the advertised clock at "+path+" answered HTTP "+l.Said.Status.JSON(),
			"make it advance the time, remove it from /assay/clock, or certify with --real-time"))
	}
	if !l.Said.Body.Key("now").Present() { // it took the request and moved no clock
		scenarios.End(scenarios.Block("the advertised clock at "+path+" does not say what time it is now",
			"have it let the time pass and say now, remove it from /assay/clock, or certify with --real-time"))
	}
	return l
}

// mostAtOnce is the most that the contract lets one request advance the clock.
const mostAtOnce = 366 * 24 * time.Hour

// spans splits d into parts of at most mostAtOnce.
func spans(d time.Duration) (all []time.Duration) {
	for ; d > mostAtOnce; d -= mostAtOnce {
		all = append(all, mostAtOnce)
	}
	return append(all, d)
}

// advance moves the clock of the target by d for one thing, in as many requests as that takes. It returns the last reply, or the first
// that is not a success.
func (s *Server) advance(ctx context.Context, of, id string, d time.Duration) (said Reply) {
	for _, span := range spans(d) {
		if said = s.advanceOnce(ctx, of, id, span); !said.Ok() {
			break
		}
	}
	return said
}

func (s *Server) advanceOnce(ctx context.Context, of, id string, d time.Duration) Reply {
	return s.Send(ctx, wire.Call{
		Method: http.MethodPost, Path: s.Seam(), Route: Prefixes[0] + "/assay/clock/advance",
		Body: map[string]any{of: id, "seconds": d.Seconds()}, Label: "let time go by",
	})
}

// Apart gives the intent a view of the server with a clock of its own: it differs once time was let pass for the intent.
func (i *Intent) Apart() *Intent {
	s := &Server{Conn: i.Conn, Prefix: i.Prefix, Took: i.Took, Exact: i.Exact, config: i.config}
	s.ahead.Store(i.ahead.Load())
	i.Server = s
	return i
}
