package programs

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Unpaced is a suspension of several attempts whose policy names no interval, when its timeout had passed once. A server may refuse it.
type Unpaced struct {
	Attempts   int             `json:"attempts"`
	Suspension host.Suspension `json:"suspension"`
	After      host.Look       `json:"after"`
}

func unpaced(ctx context.Context, s *host.Server) (u Unpaced) {
	timeout := s.Draw(intervals)
	u.Attempts = 3 + s.Rand.IntN(3)
	i := s.NewIntent(ctx, "unpaced", host.Active, nil).Apart()
	err := scenarios.Try(func() {
		u.Suspension = i.Suspend(ctx, s.Question(asText).With(map[string]any{
			"timeout_seconds": timeout, "fallback_policy": "fail", "expires_at": nil,
			"retry_policy": map[string]any{"max_attempts": u.Attempts, "final_fallback_policy": "fail"},
		}))
		i.Lapse(ctx, time.Duration(timeout)*time.Second+grace)
	})
	if !host.IsBlocked(err) {
		scenarios.End(err)
		u.After = i.Look(ctx, "when the timeout of a policy without an interval has passed once")
	}
	return u
}

// unpacedScenario asks nothing about when reminders come: no text says what interval holds then.
var unpacedScenario = scenarios.Scenario{
	ID:     "openintent/programs/course-unpaced",
	Title:  "a suspension of several attempts whose policy names no interval is not over when its timeout has passed once",
	Proves: scenarios.IDs{openintent.OIP0026N6}, Claim: inCourses,
	Ask: scenarios.Ask(drawnCourses, func(o CoursesObservation, j *scenarios.Judge) {
		o.givenTimer(j)
		u := o.Unpaced
		if u.After.Intent.Asked == "" {
			j.NotOffered("a policy of several attempts that names no interval_seconds: it is refused")
		}
		u.After.Log.Readable(j)
		reminders := len(u.After.Log.Of(host.EventRenotified, u.Suspension.ID).Values)
		if reminders >= u.Attempts-1 { // the server has a short interval of its own, and all attempts were made
			j.NotOffered("a timeout that is shorter than all attempts of a policy without an interval")
		}
		const when = "after %d reminders of %d attempts, in %s"
		j.Check(openintent.OIP0026N6, u.After.Log.Of(host.EventExpired, u.Suspension.ID)).
			To(check.Len(0), "%s "+when, host.EventExpired, reminders, u.Attempts, u.After.Intent.Asked)
		j.Check(openintent.OIP0026N6, u.After.Intent.Body.Key("status")).
			To(check.Equal(host.Suspended), "status "+when, reminders, u.Attempts, u.After.Intent.Asked)
	}),
}

// inOrder checks that no fallback is applied before the end is told (OIP-R110).
func (r CourseRun) inOrder(j *scenarios.Judge) {
	told := r.told(host.EventExpired)
	if len(told.Values) != 1 {
		return
	}
	at, ok := host.TimeOf(told.Values[0].Key("created_at"))
	began, known := r.Suspension.Began()
	if !ok || !known {
		return
	}
	changes := r.log().OfType("status_changed").Where(func(c wire.Value) bool {
		to := cmp.Or(c.At("/payload/to").String(), c.At("/payload/status").String())
		when, dated := host.TimeOf(c.Key("created_at"))
		return dated && when.After(began) && slices.Contains([]string{host.Active, host.Completed, host.Abandoned}, to)
	})
	for _, c := range changes.Values {
		j.Check(openintent.OIP0026E5, c.Key("created_at")).To(check.That("not before "+host.Stamp(at), func(v any) bool {
			s, _ := v.(string)
			t, ok := host.ReadTime(s)
			return ok && !t.Before(at)
		}), "when the fallback changed the status, of %s", r.what())
	}
}
