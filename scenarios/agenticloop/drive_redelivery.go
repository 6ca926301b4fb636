package agenticloop

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// RedeliveryObservation is jobs that the gateway ran twice.
type RedeliveryObservation struct {
	Turns
	Start    Turn     `json:"start"`
	Run      string   `json:"run"`
	Other    Turn     `json:"other"`    // another start, with the state after the first
	Again    Turn     `json:"again"`    // the same job, with the state that it left
	Foreign  []Turn   `json:"foreign"`  // starts that carry the id of the run
	Killed   []Killed `json:"killed"`   // starts that were killed, and run again with the state of before
	Resumed  []Killed `json:"resumed"`  // results likewise
	Matching Turn     `json:"matching"` // the result, not killed
	Taken    Turn     `json:"taken"`    // the same job again, with the state that it left
	Pending  pending  `json:"pending"`  // what the result is for
	Live     bool     `json:"live"`     // the profile says that it does not decide alike each time
}

// Killed is a turn that was killed, and run again.
type Killed struct {
	Point string     `json:"point"`
	Died  bool       `json:"died"` // it had not ended before
	Again Turn       `json:"again"`
	Files wire.Value `json:"files"` // of its workspace, where there is one
}

// redelivered runs jobs again that were run or killed before.
var redelivered = &scenarios.Drive[RedeliveryObservation]{
	ID:    "agenticloop/redelivered",
	Title: "runs jobs again: with the state that they left, and after they were killed at five points, with the state of before",
	Sends: []string{"a start twice", "three starts that carry the id of a run", "a start and a result, each killed at five points and run again"},
	Run: func(ctx context.Context, c *scenarios.Conn) (RedeliveryObservation, error) {
		a, err := open(c)
		if err != nil {
			return RedeliveryObservation{}, err
		}
		o := RedeliveryObservation{Live: a.live()}
		err = a.redelivered(ctx, &o)
		o.Turns = a.turns
		return o, err
	},
}

func (a *agent) redelivered(ctx context.Context, o *RedeliveryObservation) error {
	first := job{name: "the start", id: a.id(), event: a.start(a.goal(), nil)}
	s, ok, err := a.begin(ctx, first)
	o.Start, o.Run, o.Pending = s.Turn, s.Run, s.pending
	if err != nil || !ok {
		return err
	}
	if o.Other, _, err = a.turn(ctx, job{name: "another start", state: s.state, event: a.start(a.goal(), nil)}); err != nil {
		return err
	}
	again := first
	again.name, again.state = "the same job with the state that it left", s.state
	if o.Again, _, err = a.turn(ctx, again); err != nil {
		return err
	}
	for _, where := range []string{"payload", "context", "request"} {
		j := job{name: "a start with the run's id in its " + where, state: s.state, event: a.start(a.goal(), nil)}
		switch where {
		case "payload":
			j.event["payload"].(object)["run_id"] = s.Run
		case "context":
			j.event["payload"].(object)["context"] = object{"run_id": s.Run}
		case "request": // as context that other jobs left behind
			j.context = object{"run_id": s.Run, "origin_plugin": "webhook"}
		}
		t, _, err := a.turn(ctx, j)
		if err != nil {
			return err
		}
		o.Foreign = append(o.Foreign, t)
	}
	result := job{name: "the result", id: a.id(), state: s.state, event: a.result(s.pending, a.anyResult())}
	var after object
	if o.Matching, after, err = a.turn(ctx, result); err != nil {
		return err
	}
	taken := result
	taken.name, taken.state = "the result's job again, with the state that it left", after
	if o.Taken, _, err = a.turn(ctx, taken); err != nil {
		return err
	}
	for _, p := range killPoints {
		if err := a.killAndRunAgain(ctx, p, job{name: "a start", event: a.start(a.goal(), nil)}, &o.Killed); err != nil {
			return err
		}
		if err := a.killAndRunAgain(ctx, p, result, &o.Resumed); err != nil {
			return err
		}
	}
	return nil
}

// killPoints are where a turn is killed: before, while and after it reads, a moment later, and when it answers.
var killPoints = []job{
	{kill: wire.KillBeforeInput}, {kill: wire.KillHalfInput}, {kill: wire.KillAfterInput}, {killAfter: 2 * time.Millisecond}, {kill: wire.KillAtOutput},
}

func (a *agent) killAndRunAgain(ctx context.Context, point, j job, into *[]Killed) error {
	k := Killed{Point: string(point.kill)}
	if point.killAfter > 0 {
		k.Point = point.killAfter.String() + " after its input"
	}
	j.id = a.id()
	name := j.name
	if a.can(agenticloopv2.CapabilityWorkspace) {
		dir, err := wire.NewFolder("assay-workspace-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		j.workspace = dir
	}
	j.name, j.kill, j.killAfter, j.quiet = fmt.Sprintf("%s, killed %s", name, k.Point), point.kill, point.killAfter, true
	t, _, err := a.turn(ctx, j)
	if err != nil {
		return err
	}
	k.Died = t.Killed
	j.name, j.kill, j.killAfter, j.quiet = fmt.Sprintf("%s again, after it was killed %s", name, k.Point), "", 0, false
	if k.Again, _, err = a.turn(ctx, j); err != nil {
		return err
	}
	if j.workspace != "" {
		files, err := a.ReadFolder("the workspace after it", j.workspace)
		if err != nil {
			return err
		}
		k.Files = files.Value("")
	}
	*into = append(*into, k)
	return nil
}
