package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// A limit of hours or days cannot be waited for. A certification with [Options.Launch] leaves running what drives began, and
// [Report.Begun] is all that a later one needs to go on with them: see [Options.Resume].

// Pending is a drive that waits for a limit too long to wait for.
type Pending struct {
	Drive string
	What  string        // what it waits for, as a noun: "the deadline of a goal"
	Since time.Time     // when the limit began, by the target's clock, or a little later
	Limit time.Duration // how long it is
	Left  []string      // what is left running on the target, as the clean-up calls it
}

// Due returns when the limit is over, by the target's clock.
func (p Pending) Due() time.Time { return p.Since.Add(p.Limit) }

// Begun is a certification of which drives are pending.
type Begun struct {
	Started time.Time
	Seed    uint64
	Depth   Depth
	RunID   RunID
	Pending []Pending
	// Transcripts holds the drives, by file name, as [MarshalTranscript] writes them. That of a pending drive holds what it
	// observed so far.
	Transcripts map[string][]byte
	Secrets     int           // the highest number of a placeholder for a secret
	Turn        time.Duration // see [Pace.Turn]
	Behind      time.Duration // see [Pace.Behind]
}

// pending returns the limit that a drive waits for.
func (b *Begun) pending(drive string) (Pending, bool) {
	for _, p := range b.Pending {
		if p.Drive == drive {
			return p, true
		}
	}
	return Pending{}, false
}

// NotDueError means that the limit of a drive that was begun is not over yet.
type NotDueError struct {
	Pending Pending       // the one that is over last
	In      time.Duration // from now
}

func (e *NotDueError) Error() string {
	return fmt.Sprintf("%s is over in %s, at %s by the clock of the target", e.Pending.What, e.In.Round(time.Second), rfc3339(e.Pending.Due()))
}

// ErrOtherRecords means that [Options.Resume] cannot be gone on with: it holds drives of another Assay.
var ErrOtherRecords = errors.New("the records of its drives cannot be read")

// dateStep is how much later than a Date header, which has full seconds, it may be.
const dateStep = time.Second

// LongLimits are tried in turn where a target refuses a short limit. They are a little longer than the least that targets have.
func LongLimits() []time.Duration {
	const more = 5 * time.Second
	return []time.Duration{15 * time.Second, time.Minute + more, 5*time.Minute + more, 15*time.Minute + more, time.Hour + more,
		6*time.Hour + more, 24*time.Hour + more, 7*24*time.Hour + more}
}

// longWait ends a drive that must wait for a limit.
type longWait struct{ Pending }

func (w *longWait) Error() string { return w.What + " is over in " + w.Limit.String() }

// Until ends [Drive.Run] or [Drive.Later]: a limit is over in d, or was set to d, by the target's clock; [Drive.Later] then goes on.
// If there is no time to wait that long, the drive is begun or blocked: see [Options.Launch]. what is a noun. left is what must be
// left running until then, as [Conn.Leave] was told; [Drive.Later] tells it again.
func (c *Conn) Until(what string, d time.Duration, left ...string) {
	End(&longWait{Pending{Drive: c.Transcript().Drive, What: what, Since: c.Now().Add(c.ahead), Limit: d, Left: left}})
}

// sitOut waits for a limit if the drive has the time, and returns w if it has not.
func (c *Conn) sitOut(ctx context.Context, w *longWait) error {
	if w.Limit > c.ends.Sub(c.Now())-c.Patience {
		return w
	}
	return wire.Pause(ctx, w.Limit)
}

// stop returns why the scenarios of a drive are blocked that waits for a limit.
func (w *longWait) stop(left bool) *Stop {
	if left {
		return &Stop{Verdict: Blocked, Reason: fmt.Sprintf("begun, and left running: %s is over in %s", w.What, w.Limit),
			Unblock: "look at what is left running with --check TICKET when it is over"}
	}
	return &Stop{Verdict: Blocked, Reason: fmt.Sprintf("%s takes %s, longer than a drive may wait", w.What, w.Limit),
		Unblock: "leave running what takes long with --launch TICKET, and look at it with --check TICKET when it is over"}
}

// rest runs the second part of a drive, and of what follows from it.
func (q question[O]) rest(ctx context.Context, c *Conn, o *O, err error) (any, error) {
	for {
		wait, is := errors.AsType[*longWait](err)
		if !is || q.drive.Later == nil {
			return *o, err
		}
		if err = c.sitOut(ctx, wait); err != nil {
			return *o, err
		}
		err = Try(func() { q.drive.Later(ctx, c, o) })
	}
}

func (q question[O]) resume(ctx context.Context, c *Conn, raw []byte) (any, error) {
	var o O
	if err := q.decode(raw, &o); err != nil {
		return nil, err
	}
	if err := wire.Bind(&o, c.Transcript()); err != nil {
		return nil, err
	}
	err := Try(func() { q.drive.Later(ctx, c, &o) })
	return q.rest(ctx, c, &o, err)
}

// takeUp gives a drive what [Options.Resume] holds of it, if anything.
func (c *Certification) takeUp(d *drive, p *Protocol) error {
	if c.Options.Resume == nil {
		return nil
	}
	b := c.Options.Resume
	name := TranscriptName(d.meta.ID)
	raw, held := b.Transcripts[name]
	if !held {
		return nil
	}
	f, t, err := transcriptOf(d.meta.ID, name, raw)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrOtherRecords, err)
	}
	t.Speech = p.Speech
	d.transcript, d.seconds, d.drawn = t, f.Seconds, f.Drawn
	if _, pending := b.pending(d.meta.ID); pending {
		d.begun = f.Observation
		_, err = d.ask.revive(f.Observation, t)
	} else {
		if d.stop = f.Stop; d.stop == nil {
			d.observation, err = d.ask.revive(f.Observation, t)
		}
		d.over = true
		close(d.done)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrOtherRecords, err)
	}
	return nil
}

// due returns a [NotDueError] if a limit is not over yet.
func (c *Certification) due() error {
	if c.Options.Resume == nil {
		return nil
	}
	var last *NotDueError
	now := time.Now().Add(c.ahead)
	for _, p := range c.Options.Resume.Pending {
		if in := p.Due().Add(dateStep).Sub(now); in > 0 && (last == nil || in > last.In) {
			last = &NotDueError{p, in}
		}
	}
	if last != nil {
		return last
	}
	return nil
}

// aheadOfUs returns how far the clock is ahead that a Date header shows; 0 without one.
func aheadOfUs(date string, now time.Time) time.Duration {
	theirs, err := http.ParseTime(date)
	if err != nil {
		return 0
	}
	if ahead := theirs.Sub(now); ahead > dateStep || ahead < -2*dateStep { // else both go alike, as far as that can be seen
		return ahead
	}
	return 0
}

// Begun returns what a later certification needs to go on with the pending drives. pending is false if there are none.
func (r *Report) Begun() (b *Begun, pending bool, err error) {
	if len(r.Pending) == 0 {
		return nil, false, nil
	}
	b = &Begun{Started: r.Started, Seed: r.Seed, Depth: r.Depth, RunID: r.RunID, Pending: r.Pending,
		Transcripts: map[string][]byte{}, Secrets: r.secrets}
	if r.Paced != nil {
		b.Turn, b.Behind = r.Paced.Turn, r.Paced.Behind
	}
	for _, d := range r.Drives {
		if d.ID == discoveryDrive || d.ID == probesDrive { // these are asked anew
			continue
		}
		if _, is := b.pending(d.ID); is {
			d.Stop = nil // so that its observation is written
		}
		raw, err := MarshalTranscript(d)
		if err != nil {
			return nil, true, err
		}
		b.Transcripts[TranscriptName(d.ID)] = raw
	}
	return b, true, nil
}

// begun returns the pending drives, in order.
func (c *Certification) begun() (out []Pending) {
	for _, id := range c.order {
		if p := c.drives[id].pending; p != nil {
			out = append(out, *p)
		}
	}
	return out
}

// continued returns the observation of a drive that was begun, continued by resume.
func (d *drive) continued(ctx context.Context, conn *Conn) (any, error) {
	return d.ask.resume(ctx, conn, d.begun)
}
