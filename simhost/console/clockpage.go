package console

import (
	"net/http"
	"time"
)

// farthest is how far the clock moves at once: whatever comes due on the way happens before the answer.
const farthest = 30 * 24 * time.Hour

type clockPage struct {
	Steps []string
	Wrong string
	By    string
}

var steps = []string{"1s", "1m", "15m", "1h", "24h"}

func (c *Console) clock(w http.ResponseWriter, r *http.Request, who visitor) error {
	return c.show(w, r, who, "clock", layout{Title: "Clock", Here: "clock", Body: clockPage{Steps: steps, By: "5m"}})
}

// advance moves the clock. What comes due happens meanwhile; runs that it wakes go on by themselves.
func (c *Console) advance(w http.ResponseWriter, r *http.Request, who visitor) error {
	if c.o.Clock == nil {
		return c.problem(w, r, who, http.StatusConflict, "Time goes by itself here: start the host with --clock manual to move it by hand.")
	}
	by, err := time.ParseDuration(r.PostFormValue("by"))
	if err != nil || by <= 0 || by > farthest {
		page := clockPage{Steps: steps, By: r.PostFormValue("by"),
			Wrong: "Give how far as 90s, 5m or 24h, by 720h at most. A clock does not go back."}
		return c.showAs(w, r, who, http.StatusUnprocessableEntity, "clock", layout{Title: "Clock", Here: "clock", Body: page})
	}
	c.o.Clock.Advance(by)
	c.told.tell(topicAll)
	http.Redirect(w, r, Prefix+"/clock", http.StatusSeeOther)
	return nil
}
