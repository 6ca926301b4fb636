package programs

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

// chasing is drawn from depth standard on.
var chasing = &scenarios.Dimension{Name: "attempts of a long policy", Least: 20, Most: [3]int{20, 22, 40}}

// Chased is a suspension that is reminded of many times, of which the log alone is read. A server may refuse such a policy.
type Chased struct {
	Attempts   int             `json:"attempts"`
	Suspension host.Suspension `json:"suspension"`
	Last       wire.Wait       `json:"last"` // for the last reminder
	Log        host.Log        `json:"log"`
}

func chased(ctx context.Context, s *host.Server) (c Chased) {
	if s.Depth == scenarios.Quick {
		return c
	}
	attempts, interval := within(s, chasing, 3), s.Draw(intervals)
	i := s.NewIntent(ctx, "chased", host.Active, nil).Apart()
	err := scenarios.Try(func() {
		c.Suspension = i.Suspend(ctx, s.Question(asText).Retried(attempts, interval, map[string]any{"final_fallback_policy": model.Fails}))
	})
	if host.IsBlocked(err) {
		return c
	}
	scenarios.End(err)
	c.Attempts = attempts
	more := grace
	for n := 2; n <= attempts; n++ {
		i.Lapse(ctx, time.Duration(interval)*time.Second+more)
		more = 0
		label := fmt.Sprintf("the log during attempt %d of %d", n, attempts)
		c.Last = i.Await(ctx, label, func(ctx context.Context) (wire.Value, bool) {
			c.Log = i.Log(ctx, label)
			sent := c.Log.Of(host.EventRenotified, c.Suspension.ID)
			return c.Log.Read, len(sent.Values) > 0 && host.AttemptOf(sent.Last()) >= int64(n)
		})
		if !c.Last.Reached {
			break
		}
	}
	return c
}

// judge asks that each attempt was told once.
func (c Chased) judge(j *scenarios.Judge) {
	if c.Attempts == 0 {
		return
	}
	c.Log.Readable(j)
	var due []int64
	for n := 2; n <= c.Attempts; n++ {
		due = append(due, int64(n))
	}
	later := c.Log.Of(host.EventRenotified, c.Suspension.ID).Where(func(e wire.Value) bool { return host.AttemptOf(e) != 1 })
	j.Check(openintent.OIP0026E1, later.Each("/payload/attempt")).
		To(host.Attempts(due...), "reminders of a suspension with %d attempts", c.Attempts)
}
