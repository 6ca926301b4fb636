package scenarios

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// A drive that asks little is driven several times, each time with other names and values: what a target does wrong only from the
// second or third time on, or with a value in five, then shows.

// rounds are pointers to the observations of a drive that was driven several times, in order.
type rounds []any

// isList reports whether what a drive observes is a list. It is driven once: on disk several would look the same.
func (q question[O]) isList() bool { return reflect.TypeFor[O]().Kind() == reflect.Slice }

// isRounds reports whether an observation on disk is of several rounds. One alone is an object.
func (q question[O]) isRounds(raw []byte) bool {
	return !q.isList() && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("["))
}

// Rounds bounds how often a drive is driven: the rounds, and what all of them together may take.
type Rounds struct {
	Most    int
	Entries int           // exchanges, streams and turns; 0 is a default
	Time    time.Duration // from the beginning of the drive; 0 is a default
	small   bool          // at most half of the drives are asked: those that wait or run alone are repeated, too
}

var defaultRounds = [Deep + 1]Rounds{
	Quick:    {Most: 1},
	Standard: {Most: 5, Entries: 40, Time: 500 * time.Millisecond},
	Deep:     {Most: 6, Entries: 1000, Time: 20 * time.Second},
}

// roundsAt returns the bounds at a depth.
func (p *Protocol) roundsAt(d Depth) Rounds {
	own, usual := p.Rounds[d], defaultRounds[d]
	return Rounds{Most: cmp.Or(own.Most, usual.Most), Entries: cmp.Or(own.Entries, usual.Entries), Time: cmp.Or(own.Time, usual.Time)}
}

// partTime is the most time that forPart gives a drive.
const partTime = 5 * time.Second

// forPart returns the bounds of a certification that asks only some of the protocol's drives. They share the budget of all of them.
func (r Rounds) forPart(asked, all int) Rounds {
	if r.Most <= 1 || asked == 0 || asked >= all {
		return r
	}
	r.small = 2*asked <= all
	r.Entries = r.Entries * all / asked
	r.Time = max(r.Time, min(r.Time*time.Duration(all)/time.Duration(asked), partTime))
	return r
}

// mostRounds returns how often a drive may be driven. Where the operator says how much the target may be asked, once is enough unless
// they want depth. When most drives are asked, those that wait or run alone are driven once.
func (c *Conn) mostRounds(d DriveMeta) int {
	if (d.Waits > 0 || d.Excludes == Everything) && !c.rounds.small || d.Once != "" || c.Depth < Deep && c.Most != (wire.Spent{}) {
		return 1
	}
	return c.rounds.Most
}

// again drives a drive again that has been driven once, as often as its bounds have room for. A round that cannot be looked at is
// the last one and not judged; one that gets no answer, or whose set-up shows a violation, ends the drive.
func (q question[O]) again(ctx context.Context, c *Conn) (more rounds, err error) {
	meta, _ := q.Drive()
	if q.drive.Later != nil && !c.rounds.small || q.isList() {
		return nil, nil
	}
	before, largest := 0, 0
	for n := 1; n < c.mostRounds(meta); n++ {
		entries := c.Transcript().Len()
		before, largest = entries, max(largest, entries-before)
		if entries+largest > c.rounds.Entries || c.Now().Sub(c.began) > c.rounds.Time || c.Crowded() {
			break
		}
		o := new(O)
		c.Round = n
		if err := Try(func() { q.drive.Run(ctx, c, o) }); err != nil {
			if SaysNothing(err) {
				break
			}
			return nil, err
		}
		more = append(more, o)
	}
	return more, nil
}

// SaysNothing reports whether an error that ended a drive says nothing about the target: the drive was blocked, had spent its requests,
// or would have waited too long.
func SaysNothing(err error) bool {
	if _, is := errors.AsType[*longWait](err); is {
		return true
	}
	stop, is := errors.AsType[*Stop](err)
	return is && (stop.Verdict == Blocked || stop.Verdict == Inapplicable) && stop.Requirement == "" ||
		errors.Is(err, wire.ErrSpent)
}

// take adds what a later round showed: what is violated in one is violated, and what cannot be looked at in a later one was in the
// first.
func (o *Outcome) take(later Outcome) {
	violates := later.Verdict == Failed && o.Verdict != Failed
	if violates || o.Verdict == Passed && (later.Verdict == Broken || later.BlockedOn != "") {
		o.Verdict, o.Reason, o.Unblock, o.Failure = later.Verdict, later.Reason, later.Unblock, later.Failure
		o.BlockedOn, o.BlockedAt = later.BlockedOn, later.BlockedAt
		o.Evidence = later.Evidence
	}
	if later.Verdict == Passed && o.Verdict == Passed {
		o.Evidence = min(o.Evidence, later.Evidence)
	}
	o.Checks = append(o.Checks, later.Checks...)
	for _, f := range later.Findings {
		if !slices.Contains(o.Findings, f) {
			o.Findings = append(o.Findings, f)
		}
	}
}
