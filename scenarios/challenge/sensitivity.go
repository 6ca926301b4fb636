package challenge

import (
	"errors"

	"github.com/openassay/assay/scenarios"
)

// Settle challenges the passes of a whole certification, seeded as it was, and has its report derive from that what is
// proved. The report must hold its drives.
func Settle(r *scenarios.Report) (*Result, error) { return Watch{}.Settle(r) }

// Settle is [Settle] while it is watched. The error may be [ErrInterrupted], and leaves the report as it was.
func (w Watch) Settle(r *scenarios.Report) (*Result, error) {
	if r.Select.Narrows() {
		return nil, errors.New("a part of a certification proves nothing: its passes are not challenged")
	}
	result, err := w.Report(r, r.Seed)
	if err != nil {
		return nil, err
	}
	r.Challenged(result.sensitivity())
	return result, nil
}

// sensitivity returns the result as a report holds it.
func (r *Result) sensitivity() *scenarios.Sensitivity {
	out := &scenarios.Sensitivity{Passes: r.Passes, Sensitive: r.Sensitive}
	for _, p := range r.Insensitive() {
		out.Insensitive = append(out.Insensitive, scenarios.InsensitivePass{
			Scenario: p.Scenario, Requirement: p.Requirement, Drive: p.Drive, ByRow: p.ByRow, Cause: p.Cause, Why: p.Why(),
		})
	}
	return out
}
