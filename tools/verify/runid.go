package verify

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/results"
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
	drawn := scenarios.DrawRunID(r.Seed, v.given.Assay.Version, r.SuiteDigest, r.Started)
	if !r.RunID.Given && id != drawn {
		v.tell("run", "the seed %d, at that start, in assay %s, gives the run id %s, and results.json says %s", r.Seed, v.given.Assay.Version,
			drawn, id)
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

func runID(doc results.Results) scenarios.RunID {
	if doc.Run == nil {
		return scenarios.RunID{}
	}
	return scenarios.RunID{ID: doc.Run.ID, Given: doc.Run.Given}
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
	return ", run " + scenarios.RunID{ID: r.Run.ID, Given: r.Run.Given}.String()
}
