package verify

import (
	"fmt"
	"strings"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

// named checks that the run id follows from the seed, the build and the start unless it was given, and that the names
// which drives sent follow from it.
func (v *run) named(r *scenarios.Report) {
	id := r.RunID.ID
	if id == "" {
		v.tell("run", "results.json has no run id, from which the names would follow that drives sent")
		return
	}
	build, at := v.given.Assay.Version, r.RunID.At
	if want, follows := r.RunID.Follows(r.Seed, build, deref(v.Made.Binary), r.Started); !follows {
		v.tell("run", "the seed %d, at that start, in assay %s, gives the run id %s, and results.json says %s", r.Seed, build, want, id)
	}
	switch {
	case at.IsZero():
	case v.bundle.Manifest.Registered == nil:
		v.tell("run", "results.json says that the run id was drawn at %s, with its plan, and the bundle names no line of a register", at.UTC())
	case at.After(r.Started.Add(drift)):
		v.tell("run", "results.json says that the run id was drawn at %s, with its plan, and it began at %s already", at.UTC(), r.Started.UTC())
	}
	var first *Problem
	more := 0
	for _, d := range r.Drives {
		n, err := d.Names(id)
		if n == 0 && err == nil {
			v.nameless = append(v.nameless, d.ID)
		}
		switch {
		case err == nil:
		case first == nil:
			first = &Problem{Kind: "run", Drive: d.ID, Text: fmt.Sprintf("the run %s did not send that: %s", id, err)}
		default:
			more++
		}
	}
	if first == nil {
		return
	}
	if more > 0 {
		first.Text += fmt.Sprintf("; %s likewise", counted(more, "more drive"))
	}
	v.problem(*first)
}

// runText is a run id as two documents are compared by.
func runText(r *results.Run) string {
	if r == nil {
		return "none"
	}
	text := reports.RunID(r).String()
	if !r.At.IsZero() {
		text += ", drawn at " + r.At.UTC().Format(time.RFC3339Nano)
	}
	return text
}

// unnamed says what the names do not tell.
func (v *run) unnamed(say func(string, ...any)) {
	if !v.Judged {
		return
	}
	if v.Run != nil && v.Run.Given {
		say("when the names were chosen: whoever ran Assay gave the run id %s, and it follows from nothing else", v.Run.ID)
	}
	if len(v.nameless) > 0 {
		say("that these drives are of this certification, since they sent no name: %s", strings.Join(v.nameless, ", "))
	}
}

func (r *Report) runWords() string {
	if r.Run == nil {
		return ""
	}
	return ", run " + reports.RunID(r.Run).String()
}
