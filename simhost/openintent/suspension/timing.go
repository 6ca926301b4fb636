package suspension

import "time"

// Course is when what happens to a suspension that nobody answers. It is fixed when the suspension begins.
type Course struct {
	Start    time.Time     `json:"start"` // of attempt 1
	Attempts int           `json:"attempts"`
	Interval time.Duration `json:"interval"` // 0 where there is one attempt only
	Ladder   []Step        `json:"ladder,omitempty"`
	Expires  *time.Time    `json:"expires,omitempty"` // nil: never
	Fallback string        `json:"fallback"`
}

// near is how far a record's suspended_at may be from when its server saw the suspension, and still be its beginning.
const near = 2 * time.Second

// StartOf is when a suspension began that a server sees now: what its record says, where that can be true.
func StartOf(r Record, now time.Time) time.Time {
	said, err := ReadTime(r.SuspendedAt)
	if err != nil || said.Sub(now).Abs() > near {
		return now
	}
	return said
}

// CourseOf lays out a suspension that begins at start (RFC-0026 sections 4.2 and 4.3). Several attempts follow one another
// at the interval, and the whole takes their number times the interval. A single attempt has the window that it has without a policy:
// timeout_seconds; where the record has none, the interval; where the policy has none either, what expires_at says.
func CourseOf(r Record, p Resolved, start time.Time) Course {
	c := Course{Start: start, Attempts: p.MaxAttempts, Ladder: p.EscalationLadder, Fallback: p.FinalFallbackPolicy}
	if p.IntervalSeconds != nil {
		c.Interval = time.Duration(*p.IntervalSeconds) * time.Second
	}
	var timeout time.Duration
	if r.TimeoutSeconds != nil {
		timeout = time.Duration(*r.TimeoutSeconds * float64(time.Second))
	}
	switch {
	case c.Attempts > 1 && c.Interval == 0:
		c.Interval = timeout // the window of each attempt
	case c.Attempts == 1 && timeout > 0:
		c.Interval = timeout
	}
	if c.Interval == 0 {
		c.Attempts = 1
		if said, err := ReadTime(r.ExpiresAt); err == nil {
			c.Expires = &said
		}
		return c
	}
	ends := start.Add(time.Duration(c.Attempts) * c.Interval)
	c.Expires = &ends
	return c
}

// AttemptAt is when an attempt is due, counted from 1. Each counts from the beginning, so that none is late because the one
// before it was.
func (c Course) AttemptAt(attempt int) time.Time {
	return c.Start.Add(time.Duration(attempt-1) * c.Interval)
}

// NextAttemptAt is when the attempt after this one is due; nil after the last.
func (c Course) NextAttemptAt(attempt int) *time.Time {
	if attempt >= c.Attempts {
		return nil
	}
	at := c.AttemptAt(attempt + 1)
	return &at
}

// Rung is the entry of the ladder for an attempt, the first where there are several.
func (c Course) Rung(attempt int) (Step, bool) {
	for _, s := range c.Ladder {
		if s.Attempt == attempt {
			return s, true
		}
	}
	return Step{}, false
}
