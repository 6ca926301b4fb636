package programs

import (
	"context"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// Left is an intent that its owner abandons during the first of three attempts. Its fallback would complete it. A server may refuse to
// abandon it.
type Left struct {
	Abandon host.Reply `json:"abandon"`
	Before  host.Reply `json:"before"` // the intent, abandoned
	After   host.Reply `json:"after"`  // when its window would be over
}

// left abandons a suspended intent, from standard on.
func left(ctx context.Context, s *host.Server) (l Left) {
	if s.Depth == scenarios.Quick {
		return l
	}
	interval := s.Draw(intervals)
	i := s.NewIntent(ctx, "left", host.Active, nil).Apart()
	i.Suspend(ctx, s.Question(asText).With(map[string]any{"fallback_value": "go on", "fallback_policy": model.Completes}).
		Retried(3, interval, map[string]any{"final_fallback_policy": model.Completes}))
	l.Abandon = i.Set(ctx, host.Abandoned, "abandon an intent that waits")
	l.Before = i.Read(ctx, "the intent that was abandoned while it waited")
	i.Lapse(ctx, time.Duration(4*interval)*time.Second)
	l.After = i.Read(ctx, "that intent when its window would be over")
	return l
}

// judge expects that no fallback is applied.
func (l Left) judge(j *scenarios.Judge) {
	if l.Abandon.Ok() && l.Before.Body.Key("status").String() == host.Abandoned {
		j.Check(openintent.OIP0026N6, l.After.Body.Key("status")).To(check.Equal(host.Abandoned), "status of %s", l.After.Asked)
	}
}
