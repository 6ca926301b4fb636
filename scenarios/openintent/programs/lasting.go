package programs

import (
	"context"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

// Lasting is a suspension of two attempts with a long time between them. A server may refuse such a record.
type Lasting struct {
	Seconds    int             `json:"seconds"`
	Suspension host.Suspension `json:"suspension"`
	Status     host.Reply      `json:"status"` // the reply that has it suspended
	Before     host.Look       `json:"before"` // before any time passed
	Reached    wire.Wait       `json:"reached"`
	During     host.Look       `json:"during"` // attempt 2
}

// long are intervals that overflow 31 and 32 bits when they are counted in milliseconds.
var long = []int{1<<31/1000 + 1, 1<<32/1000 + 1}

// lasting suspends an intent for each long interval, from standard on.
func lasting(ctx context.Context, s *host.Server) (all []Lasting) {
	if s.Depth == scenarios.Quick {
		return nil
	}
	for _, seconds := range long {
		l := Lasting{Seconds: seconds}
		i := s.NewIntent(ctx, "lasting", host.Active, nil).Apart()
		err := scenarios.Try(func() {
			l.Suspension = i.Record(ctx, s.Question(asText).Retried(2, seconds, map[string]any{"final_fallback_policy": model.Fails}))
		})
		if host.IsBlocked(err) {
			continue
		}
		scenarios.End(err)
		if l.Status = i.Set(ctx, host.Suspended, "suspend for a long time"); !l.Status.Ok() {
			continue
		}
		if l.Before = i.Look(ctx, "at the beginning of a long interval"); l.Before.Intent.Body.Key("status").String() == host.Suspended {
			err := scenarios.Try(func() { i.Lapse(ctx, time.Duration(seconds)*time.Second+grace) })
			if host.IsBlocked(err) { // a clock may not go so far at once
				continue
			}
			scenarios.End(err)
			l.Reached = i.Await(ctx, "the reminder after a long interval", func(ctx context.Context) (wire.Value, bool) {
				l.During = i.Look(ctx, "after a long interval")
				return l.During.Log.Read, len(l.During.Log.Of(host.EventRenotified, l.Suspension.ID).Values) > 0
			})
		}
		all = append(all, l)
	}
	return all
}

// judge expects nothing to happen at once, and the reminder when the interval has passed.
func (l Lasting) judge(j *scenarios.Judge) {
	l.Before.Log.Readable(j)
	status := l.Before.Intent.Body.Key("status")
	j.Check(openintent.OIP0026J1, status).To(check.Equal(host.Suspended), "status of %s of %d s", l.Before.Intent.Asked, l.Seconds)
	j.Check(openintent.OIPREAD5, l.Before.Log.Of(host.EventRenotified, l.Suspension.ID)).
		To(check.Len(0), "reminders at the beginning of an interval of %d s", l.Seconds)
	if status.String() != host.Suspended {
		return
	}
	j.Check(openintent.OIP0026N3, l.Reached).To(check.Reached(), "attempt 2 after %d s", l.Seconds)
	j.Check(openintent.OIP0026J1, l.During.Intent.Body.Key("status")).
		To(check.Equal(host.Suspended), "status of %s of %d s", l.During.Intent.Asked, l.Seconds)
}
