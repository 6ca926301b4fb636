package host

import (
	"context"
	"net/http"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Lapse is time that went by for an intent.
type Lapse struct {
	Seconds float64 `json:"seconds"`
	Seam    bool    `json:"seam"` // the target was told so; else it went by
	Said    Reply   `json:"said"` // of the seam
}

// Evidence is how strong what was seen behind it is: a seam shows nothing of the timer that is shipped.
func (l Lapse) Evidence() scenarios.Evidence {
	if l.Seam {
		return scenarios.Attested
	}
	return scenarios.Observed
}

// Seam is the path of the target's clock, "" where it has none or time is to pass by itself.
func (s *Server) Seam() string {
	if s.RealTime {
		return ""
	}
	return s.Discovery.Document.At("/assay/clock/advance").String()
}

// Lapse lets time go by for one intent. Without the seam it is waited for.
func (i *Intent) Lapse(ctx context.Context, d time.Duration) Lapse {
	l := Lapse{Seconds: d.Seconds()}
	path := i.Seam()
	if path == "" {
		scenarios.End(wire.Pause(ctx, d))
		return l
	}
	l.Seam = true
	l.Said = i.Send(ctx, wire.Call{Method: http.MethodPost, Path: path, Body: map[string]any{"intent_id": i.ID, "seconds": l.Seconds}, Label: "let time go by"})
	if !l.Said.Ok() {
		scenarios.End(scenarios.Block("the clock that the target advertises at "+path+" answered HTTP "+l.Said.Status.JSON(),
			"have it advance the time, take it out of /assay/clock, or certify with --real-time"))
	}
	return l
}
