package programs

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

var (
	until = &scenarios.Dimension{
		Name: "seconds to a deadline", Least: 600, Most: [3]int{86_400, 604_800, 31_536_000}, Edges: []int{3600, 86_400},
	}
	dated = &scenarios.Dimension{Name: "members that wait when a deadline passes", Least: 4, Most: [3]int{4, 6, 20}}
	zone  = &scenarios.Dimension{Name: "minutes from UTC of a deadline", Least: 0, Most: [3]int{840, 840, 840}, Edges: []int{0, 120, 330}}
)

// untouched is the part of the time to the deadline that the set-up may take.
const untouched = 16

var deadlineDimensions = append([]*scenarios.Dimension{until, dated, zone}, valued...)

// DeadlinesObservation is a portfolio whose deadline passes while members wait, beside others without one or with a later one.
type DeadlinesObservation struct {
	Members  []Dated      `json:"members"`
	Before   []host.Reply `json:"before"` // the portfolios shortly before: an older one without a deadline, one with a later one, this one
	Ended    wire.Wait    `json:"ended"`  // of the last member
	After    []host.Reply `json:"after"`
	Other    host.Reply   `json:"other"` // an intent that is in the older portfolio alone, and waits
	Deadline string       `json:"deadline"`
}

// Dated is a member that waits when the deadline passes.
type Dated struct {
	Suspension host.Suspension `json:"suspension"`
	Earlier    host.Log        `json:"earlier,omitzero"` // if its first window ran out: the log when it waits again
	Before     host.Reply      `json:"before"`           // the intent shortly before
	After      host.Look       `json:"after"`
	Late       host.Reply      `json:"late"` // the reply to the right answer then
	Still      host.Reply      `json:"still"`
}

// SeenAs implements [scenarios.Seer]: a clock of the server's is moved.
func (o DeadlinesObservation) SeenAs() scenarios.Evidence { return scenarios.Attested }

var drawnDeadlines = &scenarios.Drive[DeadlinesObservation]{
	ID:    "openintent/drawn-deadlines",
	Title: "lets the deadline of one of three portfolios pass while members of all of them wait, each with another record",
	Sends: []string{
		"POST /intents", "POST /portfolios, 3 times, and /portfolios/{id}/intents", "POST /intents/{id}/state and /status",
		"POST /intents/{id}/suspend/respond", "the clock that the server advertises", "GET /intents/{id}, its events and /portfolios/{id}",
	},
	Dimensions: deadlineDimensions,
	Run: func(ctx context.Context, c *scenarios.Conn, o *DeadlinesObservation) {
		s := host.Open(ctx, c)
		if s.Seam() == "" {
			scenarios.End(scenarios.NotOffered("a clock that a drive can move; other scenarios wait for a short deadline"))
		}
		began := s.ServerNow()
		older := s.Portfolio(ctx, nil)
		other := s.NewIntent(ctx, "other", host.Active, nil)
		older.Add(ctx, other)
		var members []*host.Intent
		for n := range s.Draw(dated) {
			i := s.NewIntent(ctx, "dated", host.Active, nil)
			switch {
			case n%3 == 2: // it was suspended and answered before
				i.MustAnswer(ctx, i.Suspend(ctx, s.Question(asText)).ID, "go on")
			case n == outlasts && s.Depth > scenarios.Quick && !ranOut(ctx, i):
				i = s.NewIntent(ctx, "dated", host.Active, nil)
			}
			members = append(members, i)
		}
		// A whole second, so that a record can end at the very moment of the deadline.
		start := s.ServerNow().Truncate(time.Second)
		// The rest of the set-up takes about as long as it did until now, and must be over well before the deadline.
		seconds := max(s.Draw(until), 4*untouched*int(start.Sub(began)/time.Second))
		deadline := start.Add(time.Duration(seconds) * time.Second)
		f := o.portfolio(ctx, s, deadline)
		later := s.Portfolio(ctx, policyOf(host.Stamp(deadline.AddDate(0, 1, 0))))
		all := []*host.Portfolio{older, later, f}
		for n, i := range members {
			for k, p := range all {
				if k == len(all)-1 || (n+k)%3 > 0 { // the one with the deadline is the last that it joins
					p.Add(ctx, i)
				}
			}
		}
		other.Suspend(ctx, s.Question(asText))
		for n, i := range members {
			o.Members = append(o.Members, Dated{Suspension: i.Suspend(ctx, datedRecord(s, n, seconds, start))})
			if n == outlasts {
				o.Members[n].Earlier = i.Log(ctx, fmt.Sprintf("the log of member %d, which waits again", n+1))
			}
		}
		if spent := s.ServerNow().Sub(start); spent > time.Duration(seconds)*time.Second/untouched {
			scenarios.End(scenarios.Block(fmt.Sprintf("the drive itself took %s before the deadline", spent), "certify with fewer --workers"))
		}
		f.Lapse(ctx, time.Duration(seconds)*time.Second*7/8)
		for n, i := range members {
			o.Members[n].Before = i.Read(ctx, fmt.Sprintf("member %d before the deadline", n+1))
		}
		o.Before = read(ctx, all, "before the deadline")
		f.Lapse(ctx, time.Duration(seconds)*time.Second/8+grace)
		last := len(members) - 1
		o.Ended = members[last].Becomes(ctx, "the last member is abandoned", host.Abandoned)
		for n, i := range members {
			d := &o.Members[n]
			d.After = i.Look(ctx, fmt.Sprintf("(member %d) after the deadline", n+1))
			d.Late = i.Answer(ctx, fmt.Sprintf("the answer of member %d after the deadline", n+1), d.Suspension.ID, "late")
			d.Still = i.Read(ctx, fmt.Sprintf("member %d after that answer", n+1))
		}
		o.After = read(ctx, all, "after the deadline")
		o.Other = other.Read(ctx, "an intent that has no deadline")
	},
}

// outlasts is the member whose first suspension ran out. Its clock was moved for that, so the window of its next suspension ends well after
// the deadline.
const outlasts = 1

// ranOut suspends an intent, lets its window end with a fallback that continues, and reports whether it goes on.
func ranOut(ctx context.Context, i *host.Intent) bool {
	const seconds = 60
	if _, ends := claims.Notifier.Look(i.Discovery); !ends {
		return true
	}
	i.Apart()
	refused := scenarios.Try(func() {
		i.Suspend(ctx, i.Question(asText).Within(seconds, model.Completes, "as usual"))
	})
	if host.IsBlocked(refused) {
		return false
	}
	scenarios.End(refused)
	i.Lapse(ctx, seconds*time.Second+grace)
	i.Await(ctx, "a window ends, long before the deadline", func(ctx context.Context) (wire.Value, bool) {
		status := i.Read(ctx, "an intent whose window ends").Body.Key("status")
		return status, status.String() != host.Suspended
	})
	// After a write the intent shows the server's time of now. An intent that was completed (OIP-R13) takes no write.
	return i.Patch(ctx, host.Note, "again", "write a note when a window ended").Ok() &&
		i.Read(ctx, "an intent whose window ended").Body.Key("status").String() == host.Active
}

func policyOf(deadline string) map[string]any { return map[string]any{"deadline": deadline} }

// portfolio makes the portfolio with the deadline, written in some zone, or in UTC on a server that does not take that.
func (o *DeadlinesObservation) portfolio(ctx context.Context, s *host.Server, deadline time.Time) (f *host.Portfolio) {
	minutes := s.Draw(zone)
	if s.Rand.IntN(2) == 0 {
		minutes = -minutes
	}
	o.Deadline = deadline.In(time.FixedZone("", 60*minutes)).Format(time.RFC3339)
	refused := scenarios.Try(func() { f = s.Portfolio(ctx, policyOf(o.Deadline)) })
	if host.IsBlocked(refused) {
		o.Deadline, refused = host.Stamp(deadline), nil
		f = s.Portfolio(ctx, policyOf(o.Deadline))
	}
	scenarios.End(refused)
	return f
}

// datedRecord is the record of the n-th member: its window ends at the very moment of the deadline, or later,
// after all reminders or before any, or never.
func datedRecord(s *host.Server, n, seconds int, start time.Time) host.Record {
	value := map[string]any{"fallback_value": kinds[s.Draw(kind)](s), "fallback_policy": "complete_with_fallback"}
	q := s.Question(asText)
	switch n % 4 {
	case 0:
		return q.Within(seconds, "complete_with_fallback", nil).With(value).With(map[string]any{"suspended_at": host.Stamp(start)})
	case 1:
		count := 2 + s.Rand.IntN(3)
		return q.Retried(count, seconds*13/10/count+1, map[string]any{"final_fallback_policy": "use_default_and_continue"}).With(value)
	case 2:
		if s.Depth > scenarios.Quick { // all reminders are still to come
			return q.Retried(2, 2*seconds, map[string]any{"final_fallback_policy": "complete_with_fallback"}).With(value)
		}
		return q.Within(2*seconds, "complete_with_fallback", nil).With(value)
	}
	if s.Depth > scenarios.Quick && s.Rand.IntN(2) == 0 {
		return q.Within(2*seconds, "complete_with_fallback", nil).With(value)
	}
	return q
}

// read reads portfolios.
func read(ctx context.Context, all []*host.Portfolio, when string) (replies []host.Reply) {
	for n, f := range all {
		replies = append(replies, f.Read(ctx, fmt.Sprintf("portfolio %d %s", n+1, when)))
	}
	return replies
}
