package fault

import (
	"net/http"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var diffFaults = []Fault{
	{
		ID:     "control.diff-of-itself-names-one",
		Title:  "a run that is compared with itself is named once",
		Looks:  "b is empty where the run of the path is the one that it is compared with",
		Breaks: []string{openwop.OWPCTL30},
		Reply: diffs(func(d *openwopv1.RunDiffResponse) {
			if d.A == d.B {
				d.B = ""
			}
		}),
	},
	{
		ID:     "control.diff-names-swapped",
		Title:  "a diff takes the run of the path for the one that it is compared with",
		Looks:  "a and b name each other's run",
		Breaks: []string{openwop.OWPCTL30},
		Reply:  diffs(func(d *openwopv1.RunDiffResponse) { d.A, d.B = d.B, d.A }),
	},
	{
		ID:     "control.diff-tells-equal-states",
		Title:  "a diff tells the status of both runs, also where it is the same",
		Looks:  "stateDiff of a run and itself has a status",
		Breaks: []string{openwop.OWPCTL31},
		Reply: diffs(func(d *openwopv1.RunDiffResponse) {
			if _, differs := d.StateDiff["status"]; !differs {
				d.StateDiff["status"] = map[string]any{}
			}
		}),
	},
	{
		ID:     "control.diff-passes-over-payloads",
		Title:  "events of one type and node do not differ, whatever their payloads",
		Looks:  "a diff of two runs that put out other values tells of no place",
		Breaks: []string{openwop.OWPCTL32},
		Replace: func(s *rules.Set) {
			compares := s.Control.Compares
			s.Control.Compares = func(member string) bool { return member != "payload" && compares(member) }
		},
	},
	{
		ID:     "control.diff-events-swapped",
		Title:  "a diff shows the events of the one run as those of the other",
		Looks:  "aEvent is what stands on the log of b",
		Breaks: []string{openwop.OWPCTL33},
		Reply: diffs(func(d *openwopv1.RunDiffResponse) {
			for i, p := range d.EventDiffs {
				if p.AEvent != nil && p.BEvent != nil {
					d.EventDiffs[i].AEvent, d.EventDiffs[i].BEvent = p.BEvent, p.AEvent
				}
			}
		}),
	},
	{
		ID:     "control.diverged-counts-from-one",
		Title:  "a diff counts the place at which two runs part from 1",
		Looks:  "divergedAtSeq is one more than the seq of the first place",
		Breaks: []string{openwop.OWPCTL34},
		Reply: diffs(func(d *openwopv1.RunDiffResponse) {
			if d.DivergedAtSeq != nil {
				d.DivergedAtSeq = new(*d.DivergedAtSeq + 1)
			}
		}),
	},
	{
		ID:     "control.diff-counts-times",
		Title:  "events that happened at other times differ",
		Looks:  "a diff of two runs of one workflow tells of every event",
		Breaks: []string{openwop.OWPCTL35},
		Replace: func(s *rules.Set) {
			compares := s.Control.Compares
			s.Control.Compares = func(member string) bool { return member == "timestamp" || compares(member) }
		},
	},
	{
		ID:     "control.diff-of-logs-only",
		Title:  "a diff does not compare states",
		Looks:  "stateDiff of a run that completed and one that failed is empty",
		Breaks: []string{openwop.OWPCTL36},
		Reply:  diffs(func(d *openwopv1.RunDiffResponse) { d.StateDiff = map[string]any{} }),
	},
	{
		ID:     "control.diff-against-unknown-not-provided",
		Title:  "a diff against a run that never was is refused as what the host does not do",
		Looks:  "it is answered 501",
		Breaks: []string{openwop.OWPCTL37},
		Reply:  diff(refusing(againstUnknown, failing(http.StatusNotImplemented, "capability_not_provided"))),
	},
	{
		ID:     "control.diff-refusal-without-words",
		Title:  "a diff against a run that never was is refused without words",
		Looks:  "the message of its 404 is empty",
		Breaks: []string{openwop.OWPERR4},
		Reply:  diff(refusing(againstUnknown, wordlessly)),
	},
	{
		ID:      "control.diff-tells-foreign-from-unknown",
		Title:   "a diff against the run of another tenant is refused otherwise than one against a run that never was",
		Looks:   "the one is answered 403, the other 404",
		Breaks:  []string{openwop.OWPISO2},
		Replace: visits(forbidden, by("diffRun")),
	},
}

// diff limits a change to the replies of a diff.
func diff(change mutate.ReplyFunc) mutate.ReplyFunc {
	return mutate.On("GET /v1/runs/{runId}:diff", change)
}

// diffs changes how runs differ.
func diffs(change func(*openwopv1.RunDiffResponse)) mutate.ReplyFunc {
	return diff(mutate.Succeeded(mutate.At("", change)))
}

// againstUnknown reports whether a diff is refused because there is no run such as it compares with. The run of the path
// is looked for first.
func againstUnknown(r refused) bool {
	against := r.Request.URL.Query().Get("against")
	return r.Error == rules.NotFound && r.Details["runId"] == against && r.Request.URL.Path != "/v1/runs/"+against+":diff"
}
