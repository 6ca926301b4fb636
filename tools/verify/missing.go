package verify

import (
	"errors"

	"github.com/openassay/assay/scenarios"
)

// underivable reports why the transcripts cannot be judged: each drive that the certification must have driven and that has
// no transcript, or what no drive could have written.
func (v *run) underivable(err error) {
	if joined, is := err.(interface{ Unwrap() []error }); is {
		for _, one := range joined.Unwrap() {
			v.underivable(one)
		}
		return
	}
	p := Problem{Kind: "transcript", Text: err.Error()}
	if missing, is := errors.AsType[*scenarios.MissingError](err); is {
		p.Scenario, p.Drive = string(missing.Scenario), missing.Drive
	}
	v.problem(p)
}
