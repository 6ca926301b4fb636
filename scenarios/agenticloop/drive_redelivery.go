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
	Run: func(ctx context.Context, c *scenarios.Conn, o *RedeliveryObservation) {
		a := open(c, &o.Turns)
		*o = RedeliveryObservation{Live: a.live()}
		a.redelivered(ctx, o)
	},
}

func (a *agent) redelivered(ctx context.Context, o *RedeliveryObservation) {
	first := job{name: "the start", id: a.id(), event: a.start(a.goal(), nil)}
	s, ok := a.begin(ctx, first)
	o.Start, o.Run, o.Pending = s.Turn, s.Run, s.pending
	if !ok {
		return
	}
	o.Other, _ = a.turn(ctx, job{name: "another start", state: s.state, event: a.start(a.goal(), nil)})
	again := first
	again.name, again.state = "the same job with the state that it left", s.state
	o.Again, _ = a.turn(ctx, again)
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
		t, _ := a.turn(ctx, j)
		o.Foreign = append(o.Foreign, t)
	}
	result := job{name: "the result", id: a.id(), state: s.state, event: a.result(s.pending, a.anyResult())}
	var after object
	o.Matching, after = a.turn(ctx, result)
	taken := result
	taken.name, taken.state = "the result's job again, with the state that it left", after
	o.Taken, _ = a.turn(ctx, taken)
	for _, p := range killPoints {
		a.killAndRunAgain(ctx, p, job{name: "a start", event: a.start(a.goal(), nil)}, &o.Killed)
		a.killAndRunAgain(ctx, p, result, &o.Resumed)
	}
}

// killPoints are where a turn is killed: before, while and after it reads, a moment later, and when it answers.
var killPoints = []job{
	{kill: wire.KillBeforeInput}, {kill: wire.KillHalfInput}, {kill: wire.KillAfterInput}, {killAfter: 2 * time.Millisecond}, {kill: wire.KillAtOutput},
}

func (a *agent) killAndRunAgain(ctx context.Context, point, j job, into *[]Killed) {
	k := Killed{Point: string(point.kill)}
	if point.killAfter > 0 {
		k.Point = point.killAfter.String() + " after its input"
	}
	j.id = a.id()
	name := j.name
	if a.can(agenticloopv2.CapabilityWorkspace) {
		dir := scenarios.Get(wire.NewFolder("assay-workspace-"))
		defer os.RemoveAll(dir)
		j.workspace = dir
	}
	j.name, j.kill, j.killAfter, j.quiet = fmt.Sprintf("%s, killed %s", name, k.Point), point.kill, point.killAfter, true
	t, _ := a.turn(ctx, j)
	k.Died = t.Killed
	j.name, j.kill, j.killAfter, j.quiet = fmt.Sprintf("%s again, after it was killed %s", name, k.Point), "", 0, false
	k.Again, _ = a.turn(ctx, j)
	if j.workspace != "" {
		files := a.ReadFolder("the workspace after it", j.workspace)
		k.Files = files.Value("")
	}
	*into = append(*into, k)
}
