package verify

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
)

// part says what a selection left out.
func (v *run) part(suites []scenarios.Suite, r *scenarios.Report) {
	if !r.Select.Narrows() {
		return
	}
	asked := map[scenarios.ScenarioID]bool{}
	for _, o := range r.Outcomes {
		asked[o.Scenario.ID] = true
	}
	for _, suite := range suites {
		n := 0
		for _, s := range suite.Scenarios {
			if !asked[s.ID] {
				n++
			}
		}
		switch {
		case n == len(suite.Scenarios):
			v.LeftOut = append(v.LeftOut, suite.ID)
		case n > 0:
			v.LeftOut = append(v.LeftOut, fmt.Sprintf("%d of %s of %s", n, counted(len(suite.Scenarios), "scenario"), suite.ID))
		}
	}
}

// drift is how far the clock of the machine that ran Assay may have been set meanwhile.
const drift = 2 * time.Second

// placed checks that each exchange was within the time of the certification, and with the host that it names.
func (v *run) placed(r *scenarios.Report) {
	from, until := r.Started.Add(-drift), r.Started.Add(time.Duration(r.Seconds*float64(time.Second))+drift)
	for _, d := range r.Drives {
		v.first(d, "are likewise", func(n int) string {
			if at := d.Transcript.Entry(n).At; at.Before(from) || at.After(until) {
				return fmt.Sprintf("exchange %d of %s was at %s, and the certification from %s on for %gs", n, d.ID,
					at.UTC().Format(time.RFC3339Nano), r.Started.UTC().Format(time.RFC3339Nano), r.Seconds)
			}
			return ""
		})
		v.first(d, "likewise", func(n int) string {
			e := d.Transcript.Entry(n)
			if e.Kind == "inbound" || e.Request == nil || below(e.Request.URL, r.Address) || r.Second != "" && below(e.Request.URL, r.Second) {
				return ""
			}
			return fmt.Sprintf("exchange %d of %s was with %s, and results.json says that %s was certified", n, d.ID, origin(e.Request.URL),
				r.Address)
		})
	}
}

// first tells the first exchange of a drive that something is wrong with, and how many more there are.
func (v *run) first(d scenarios.DriveRecord, more string, wrong func(n int) string) {
	var found *Problem
	others := 0
	for n := 1; n <= d.Transcript.Len(); n++ {
		switch text := wrong(n); {
		case text == "":
		case found == nil:
			found = &Problem{Kind: "transcript", Drive: d.ID, Exchange: int64(n), Text: text}
		default:
			others++
		}
	}
	if found == nil {
		return
	}
	if others > 0 {
		found.Text += fmt.Sprintf("; %s of this drive %s", counted(others, "more exchange"), more)
	}
	v.problem(*found)
}

// below reports whether a URL is the base of a host or below it.
func below(full, base string) bool {
	rest, is := strings.CutPrefix(full, strings.TrimSuffix(base, "/"))
	return is && (rest == "" || rest[0] == '/' || rest[0] == '?')
}

// origin returns the scheme and host of a URL.
func origin(full string) string {
	u, err := url.Parse(full)
	if err != nil {
		return full
	}
	return u.Scheme + "://" + u.Host
}
