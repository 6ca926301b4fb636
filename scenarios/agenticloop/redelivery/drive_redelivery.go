package redelivery

import (
	"context"
	"slices"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// RedeliveryObservation is jobs that ran twice.
type RedeliveryObservation struct {
	host.Turns
	Start    host.Turn    `json:"start"`
	Run      string       `json:"run"`
	Other    host.Turn    `json:"other"`    // another start, with the state after the first
	Again    host.Turn    `json:"again"`    // the same job, with the state that it left
	Foreign  []host.Turn  `json:"foreign"`  // starts that carry the id of the run
	Killed   []Killed     `json:"killed"`   // starts that were killed and ran again, with the state from before
	Resumed  []Killed     `json:"resumed"`  // results that were killed and ran again
	Matching host.Turn    `json:"matching"` // the result that was not killed
	Taken    host.Turn    `json:"taken"`    // the same job again, with the state that it left
	Pending  host.Pending `json:"pending"`  // what the result is for
	Live     bool         `json:"live"`     // decisions may differ, as far as the profile says
	// StartLeft and ResultLeft are the files of a start and of the result that were not killed, from standard on.
	StartLeft  wire.Value `json:"startLeft,omitzero"`
	ResultLeft wire.Value `json:"resultLeft,omitzero"`
}

// Killed is a turn that was killed and ran again.
type Killed struct {
	Point string     `json:"point"`
	Died  bool       `json:"died"` // the kill came before the end
	Again host.Turn  `json:"again"`
	Files wire.Value `json:"files"` // of its workspace, if it has one
}

// redelivered runs jobs again that ran or were killed before.
var redelivered = &scenarios.Drive[RedeliveryObservation]{
	ID: "agenticloop/redelivered",
	Title: "runs jobs again: with the state that they left, and after they were killed at five points, with the " +
		"state of before",
	Sends: []string{"a start twice", "three starts that carry the id of a run",
		"a start and a result, each killed at five points and run again; from standard on, also while they write their files"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *RedeliveryObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.Live = p.Live()
		first := host.Job{Name: "the start", ID: p.NewID(), Event: p.Start(p.NewGoal(), nil)}
		s, ok := p.Begin(ctx, first)
		o.Start, o.Run, o.Pending = s.Turn, s.Run, s.Pending
		if !ok {
			return
		}
		o.Other, _ = p.Turn(ctx, host.Job{Name: "another start", State: s.State, Event: p.Start(p.NewGoal(), nil)})
		again := first
		again.Name, again.State = "the same job with the state that it left", s.State
		o.Again, _ = p.Turn(ctx, again)
		for _, where := range []string{"payload", "context", "request"} {
			name := "a start with the run's id in its " + where
			j := host.Job{Name: name, State: s.State, Event: p.Start(p.NewGoal(), nil)}
			switch where {
			case "payload":
				j.Event["payload"].(host.Object)["run_id"] = s.Run
			case "context":
				j.Event["payload"].(host.Object)["context"] = host.Object{"run_id": s.Run}
			case "request": // as the context that other jobs left
				j.Context = host.Object{"run_id": s.Run, "origin_plugin": "webhook"}
			}
			t, _ := p.Turn(ctx, j)
			o.Foreign = append(o.Foreign, t)
		}
		result := host.Job{Name: "the result", ID: p.NewID(), State: s.State, Event: p.Result(s.Pending, p.AnyResult())}
		var after host.Object
		o.Matching, after = p.Turn(ctx, result)
		taken := result
		taken.Name, taken.State = "the result's job again, with the state that it left", after
		o.Taken, _ = p.Turn(ctx, taken)
		start := host.Job{Name: "a start", Event: p.Start(p.NewGoal(), nil)}
		points := killPoints
		if c.Depth > scenarios.Quick && p.Can(agenticloopv2.CapabilityWorkspace) && p.Slow() == "" {
			if !o.Live { // else it may decide otherwise, and write other files
				o.StartLeft, o.ResultLeft = unkilled(ctx, p, start), unkilled(ctx, p, result)
			}
			points = slices.Clone(points)
			for n := range writings {
				points = append(points, killPoint{after: time.Duration(1+50*n) * time.Microsecond, writing: true})
			}
		}
		for _, point := range points {
			start.Event = p.Start(p.NewGoal(), nil)
			o.Killed = append(o.Killed, killAndRunAgain(ctx, p, point, start))
			o.Resumed = append(o.Resumed, killAndRunAgain(ctx, p, point, result))
		}
	},
}

// killPoint is when a turn is killed: at a point of its run, or some time after its input or after it began to write.
type killPoint struct {
	at      wire.KillPoint
	after   time.Duration
	writing bool
}

// killPoints are before, while and after the turn reads, a moment later, and when it answers.
var killPoints = []killPoint{
	{at: wire.KillBeforeInput}, {at: wire.KillHalfInput}, {at: wire.KillAfterInput}, {after: 2 * time.Millisecond},
	{at: wire.KillAtOutput},
}

// writings is the number of kills while a turn writes its files. Each comes a little later, so that some hit a half-written file.
const writings = 10

func (k killPoint) String() string {
	switch {
	case k.writing:
		return k.after.String() + " after it began to write"
	case k.after > 0:
		return k.after.String() + " after its input"
	}
	return string(k.at)
}

// unkilled returns the files that a job leaves in a workspace of its own.
func unkilled(ctx context.Context, p *host.Plugin, j host.Job) wire.Value {
	j.ID, j.Name, j.Workspace = p.NewID(), j.Name+" that is not killed", scenarios.Get(wire.NewFolder("workspace-"))
	defer wire.RemoveFolder(j.Workspace)
	p.Turn(ctx, j)
	return p.ReadFolder("the workspace after "+j.Name, j.Workspace).Value("")
}

// killAndRunAgain runs a job that is killed, and then the same job again.
func killAndRunAgain(ctx context.Context, p *host.Plugin, point killPoint, j host.Job) Killed {
	k := Killed{Point: point.String()}
	j.ID = p.NewID()
	if p.Can(agenticloopv2.CapabilityWorkspace) {
		j.Workspace = scenarios.Get(wire.NewFolder("workspace-"))
		defer wire.RemoveFolder(j.Workspace)
	}
	killed, again := j, j
	killed.Name, killed.Quiet = j.Name+", killed "+k.Point, true
	if killed.Kill, killed.KillAfter = point.at, point.after; point.writing {
		killed.Writes = j.Workspace
	}
	again.Name = j.Name + " again, after it was killed " + k.Point
	t, _ := p.Turn(ctx, killed)
	k.Died = t.Killed
	k.Again, _ = p.Turn(ctx, again)
	if j.Workspace != "" {
		k.Files = p.ReadFolder("the workspace after it", j.Workspace).Value("")
	}
	return k
}
