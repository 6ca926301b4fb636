package pages

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// A page hears of what it shows, whichever way that came about.
func TestAPageHearsOfChanges(t *testing.T) {
	r := open(t, surface.Options{Clock: clock.NewManual(time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC))})
	r.SignIn("dev")
	e := r.Listen()
	e.Until("*")
	asks := r.create("dev", "assay-loop-ask-user", nil)
	e.Until(topicOf(asks)) // also what its children do, under its own name
	r.Until("/console/runs/"+asks, "waiting-input")
	r.goal()
	e.Until(topicGoals)
	r.api(http.MethodPut, "/v1/host/workspace/files/notes.md", "dev", map[string]any{"content": "by hand"})
	e.Until(topicFiles)
	if got := r.Post("/console/clock", url.Values{"by": {"1h"}}); got.Status != http.StatusSeeOther {
		t.Fatalf("advancing: %d", got.Status)
	}
	e.Until(console.TopicAll)
	if got := r.Post("/console/faults", url.Values{"fault": {"loop.iteration-resets-on-resume"}}); got.Status != http.StatusSeeOther {
		t.Fatalf("switching: %d", got.Status)
	}
	e.Until(console.TopicAll)
	r.Post("/console/runs/"+asks+"/answer", url.Values{"node": {"supervisor"}, "text:q1": {"yes"}})
	e.Until(topicOf(asks)) // the stream outlives the switch
}
