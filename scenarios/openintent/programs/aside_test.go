package programs

import (
	"testing"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// An intent that was abandoned stays so, and a long interval is waited for.
func TestAbandonedAndLasting(t *testing.T) {
	rows := make([]scenarios.Requirement, len(openintent.RequirementsV1))
	for i, r := range openintent.RequirementsV1 {
		rows[i] = scenarios.Requirement(r)
	}
	is := func(status string) host.Reply {
		tr := wiretest.Transcript(t, "hand-written", wiretest.Reply{Status: 200, Body: map[string]any{"status": status}})
		return host.Reply{
			Asked:  "what was asked",
			Status: wiretest.At(t, tr, wire.Ref{Exchange: 1, Part: "status"}), Body: wiretest.At(t, tr, wire.Ref{Exchange: 1}),
		}
	}
	log := func(events ...any) host.Log {
		tr := wiretest.Transcript(t, "hand-written", wiretest.Reply{Status: 200, Body: append([]any{}, events...)})
		return host.Log{
			Read: wiretest.At(t, tr, wire.Ref{Exchange: 1, Part: "status"}), Events: wiretest.At(t, tr, wire.Ref{Exchange: 1}).Items(),
		}
	}
	reminder := map[string]any{
		"id": "e", "event_type": "intent.suspension_renotified", "payload": map[string]any{"suspension_id": "sid", "attempt": 2},
	}
	asked := func(judge func(CoursesObservation, *scenarios.Judge), proves ...scenarios.RequirementID) scenarios.Scenario {
		return scenarios.Scenario{
			ID: "openintent/programs/aside", Title: "a part of the drive", Proves: proves, Ask: scenarios.Ask(drawnCourses, judge),
		}
	}
	abandoned := asked(func(o CoursesObservation, j *scenarios.Judge) { o.Left.judge(j) }, openintent.OIP0026N6)
	long := asked(func(o CoursesObservation, j *scenarios.Judge) { o.Lasting[0].judge(j) },
		openintent.OIP0026N3, openintent.OIP0026J1, openintent.OIPREAD5)
	for _, c := range []struct {
		what   string
		asks   scenarios.Scenario
		change func(*CoursesObservation)
		breaks scenarios.RequirementID // "" for none
	}{
		{"it stays abandoned", abandoned, func(*CoursesObservation) {}, ""},
		{"a fallback brings it back", abandoned, func(o *CoursesObservation) { o.Left.After = is(host.Active) }, openintent.OIP0026N6},
		{"it is reminded of in time", long, func(*CoursesObservation) {}, ""},
		{"it is over at once", long, func(o *CoursesObservation) { o.Lasting[0].Before.Intent = is(host.Abandoned) }, openintent.OIP0026J1},
		{"it is reminded of at once", long, func(o *CoursesObservation) { o.Lasting[0].Before.Log = log(reminder) }, openintent.OIPREAD5},
		{"it is never reminded of", long, func(o *CoursesObservation) {
			o.Lasting[0].Reached = wire.Wait{What: "the reminder", Answers: 6, Last: is(host.Suspended).Status}
		}, openintent.OIP0026N3},
	} {
		var o CoursesObservation
		o.Left = Left{Abandon: is(host.Abandoned), Before: is(host.Abandoned), After: is(host.Abandoned)}
		l := Lasting{Seconds: 5_000_000, Reached: wire.Wait{What: "the reminder", Reached: true, Answers: 6, Last: is(host.Suspended).Status}}
		l.Suspension.ID = "sid"
		l.Before, l.During.Intent = host.Look{Intent: is(host.Suspended), Log: log()}, is(host.Suspended)
		o.Lasting = []Lasting{l}
		c.change(&o)
		out := scenarios.Conclude(c.asks, scenarios.NewLedger(rows), o)
		var broken scenarios.RequirementID
		if out.Failure != nil {
			broken = out.Failure.Requirement
		}
		if broken != c.breaks || (out.Verdict == scenarios.Passed) != (c.breaks == "") {
			t.Errorf("%s: %s: %s", c.what, out.Verdict, out.Reason)
		}
	}
}
