package console

import (
	"net/http"
	"time"

	"github.com/openassay/assay/simhost/clock"
)

// Steps are how far buttons let time pass.
var Steps = []string{"1s", "1m", "15m", "1h", "24h"}

// ParseStep reads how far time is to pass: more than nothing, and no more than 30 days, since whatever comes due on the
// way happens before the answer.
func ParseStep(s string) (by time.Duration, ok bool) {
	const farthest = 30 * 24 * time.Hour
	by, err := time.ParseDuration(s)
	return by, err == nil && by > 0 && by <= farthest
}

type clockPage struct {
	Now   time.Time
	Kind  string // real, manual or skip
	Steps []string
	Wrong string
	By    string
}

func (c *Console) clock(r *Request) error { return c.showClock(r, http.StatusOK, "5m", "") }

func (c *Console) showClock(r *Request, status int, by, wrong string) error {
	page := clockPage{Now: c.now(), Kind: c.kind(), Steps: Steps, By: by, Wrong: wrong}
	return r.Show(Page{Template: "clock", Status: status, Title: "Clock", Here: MenuClock, Body: page})
}

// advance moves the clock. What comes due happens meanwhile; what it wakes goes on by itself.
func (c *Console) advance(r *Request) error {
	if c.o.Clock == nil {
		return r.Problem(http.StatusConflict, "Time goes by itself here: start the host with --clock manual to move it by hand, "+
			"or with --clock skip to have it jump.")
	}
	by, ok := ParseStep(r.PostFormValue("by"))
	if !ok {
		return c.showClock(r, http.StatusUnprocessableEntity, r.PostFormValue("by"),
			"Give how far as 90s, 5m or 24h, by 720h at most. A clock does not go back.")
	}
	clock.Pass(c.o.Clock, by)
	r.Changed()
	return r.GoTo(Prefix + "/clock")
}
