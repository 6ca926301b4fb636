package gateway

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// CrashPoint is a place in a turn where a gateway can stop dead.
type CrashPoint string

// The points in the order in which a turn passes them. With commit Outbox the last two are one: all is appended at once.
const (
	BeforeSpawn  CrashPoint = "before-spawn"
	MidTurn      CrashPoint = "mid-turn"      // the plugin has its request, and is killed
	AfterAnswer  CrashPoint = "after-answer"  // nothing of it is kept yet
	AfterState   CrashPoint = "after-state"   // the row is written, nothing is routed yet
	AfterEnqueue CrashPoint = "after-enqueue" // the k-th job that follows is queued
)

// CrashPoints lists the points, in order.
func CrashPoints() []CrashPoint {
	return []CrashPoint{BeforeSpawn, MidTurn, AfterAnswer, AfterState, AfterEnqueue}
}

// Crash is where to stop dead: at a point of a turn. Turns are counted from 1 over the whole log, and one that is run again
// after a crash is another one, so a crash comes once.
type Crash struct {
	Point CrashPoint
	Turn  int
	Job   int // with AfterEnqueue: after how many jobs, from 1
}

// ParseCrash reads POINT@TURN, or after-enqueue:K@TURN.
func ParseCrash(s string) (Crash, error) {
	where, turn, _ := strings.Cut(s, "@")
	point, job, counted := strings.Cut(where, ":")
	c := Crash{Point: CrashPoint(point)}
	if c.Point == AfterEnqueue {
		c.Job = 1
	}
	var err error
	if c.Turn, err = strconv.Atoi(turn); err == nil && counted {
		c.Job, err = strconv.Atoi(job)
	}
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return Crash{}, fmt.Errorf("crash %q: write POINT@TURN like %s@2, or %s:K@TURN, with a point of %q", s, AfterState,
			AfterEnqueue, CrashPoints())
	}
	return c, nil
}

func (c Crash) String() string {
	if c.Point == AfterEnqueue {
		return fmt.Sprintf("%s:%d@%d", c.Point, c.Job, c.Turn)
	}
	return fmt.Sprintf("%s@%d", c.Point, c.Turn)
}

func (c Crash) check() error {
	if !slices.Contains(CrashPoints(), c.Point) || c.Turn < 1 || (c.Point == AfterEnqueue) != (c.Job > 0) {
		return fmt.Errorf("there is no crash %s", c)
	}
	return nil
}

// CrashError is what Drain ends with where a crash was asked for. The gateway must not be used after it: open another one
// on the same log.
type CrashError struct {
	Crash Crash
	Job   string // the one under way
}

func (e *CrashError) Error() string {
	return fmt.Sprintf("the gateway crashed, as asked (%s, job %s)", e.Crash, e.Job)
}

// crash stops the gateway where that was asked for.
func (t *turn) crash(point CrashPoint, job int) error {
	c := Crash{Point: point, Turn: t.number, Job: job}
	if slices.Contains(t.g.o.Crashes, c) {
		return &CrashError{c, t.job.ID}
	}
	return nil
}
