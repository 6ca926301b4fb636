package programs

import (
	"context"
	"net/http"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// Observation is some programs as the host ran them.
type Observation struct {
	Programs []Ran `json:"programs"`
}

// Ran is a program with everything that its run showed.
type Ran struct {
	Program  model.Program     `json:"program"`
	Held     []host.Suspension `json:"held"` // by each question, and answered
	Log      host.RunLog       `json:"log"`  // at the end
	Children []host.Child      `json:"children"`
	Late     *LateAnswer       `json:"late,omitempty"` // nil if nothing was asked
}

// LateAnswer is another answer to the first question of a run that has ended.
type LateAnswer struct {
	Marker string        `json:"marker"`
	Reply  host.Answered `json:"reply"`
	Log    host.RunLog   `json:"log"` // behind it
}

// drawnPrograms runs programs that are drawn.
var drawnPrograms = &scenarios.Drive[Observation]{
	ID: "openwop/drawn-programs",
	Title: "runs loops of drawn length, with drawn workers, questions, values and bounds, answers what they ask, and once more when they " +
		"have ended, and reads them and their children",
	Sends: []string{
		"{create run} (assay-loop-mapped, else assay-loop, with a drawn plan and drawn values; else assay-scripted-loop and " +
			"assay-scripted-ask), every second with a maxLoopIterations below its turns",
		"{read run}", "{poll log}", "{answer node}", "{read run:childRunId}",
	},
	Dimensions:   dimensions,
	Interactions: interactions,
	Run: func(ctx context.Context, c *scenarios.Conn, o *Observation) {
		h := host.Host{Conn: c}
		workflow, scripts := way(h)
		_, bounds := claims.ExecutionModel.Look(c.Discovery) // whose loops RFC 0061 E bounds
		drawn := make([]model.Program, programs[c.Depth])
		for i := range drawn {
			c.Program()
			if workflow != "" {
				drawn[i] = draw(h, workflow, i%2 == 0)
			} else {
				drawn[i] = scripted(h, scripts[i%2], i%2 == 0)
			}
			if !bounds {
				drawn[i].Bound = 0
			}
		}
		o.Programs = make([]Ran, len(drawn))
		var runs []func(context.Context)
		for i, p := range drawn {
			markers := answers(h, p)
			runs = append(runs, func(ctx context.Context) { o.Programs[i] = run(ctx, h, p, markers) })
		}
		h.AtOnce(ctx, runs...)
	},
}

// way returns the strongest loop on offer whose plan can be chosen; "" if there is none, and then a loop of the second family and one that
// asks.
func way(h host.Host) (workflow string, scripts [2]string) {
	if ceiling, why := most(h, turns); ceiling < turns.Least {
		host.TooFewTurns(why)
	}
	if h.Offers(append(slices.Clone(staff), fixture.Mapped)...) {
		return fixture.Mapped, scripts
	}
	switch scripts = [2]string{fixture.ScriptedLoop, fixture.ScriptedAsk}; {
	case h.Offers(append(slices.Clone(staff), fixture.Loop)...):
		return fixture.Loop, scripts
	case !host.OffersScripted(h, scripts[0]) || !host.OffersScripted(h, scripts[1]):
		h.Lacks("no loop whose plan can be chosen is on offer", append([]string{fixture.Loop, fixture.Mapped}, staff...)...)
	}
	return "", scripts
}

// answers draws an answer to each question of a program, and one that is given too late.
func answers(h host.Host, p model.Program) []string {
	markers := make([]string, tell(p).Questions()+1)
	for i := range markers {
		markers[i] = h.Marker()
	}
	return markers
}

// run runs a program and answers its questions with the markers.
func run(ctx context.Context, h host.Host, p model.Program, markers []string) Ran {
	r := h.Create(ctx, "create the loop", request(p))
	if texts, other := inTexts(p); other && (r.Created.Status == http.StatusBadRequest || r.Created.Status == http.StatusUnprocessableEntity) {
		p, r = texts, h.Create(ctx, "create the loop, with texts alone", request(texts))
	}
	o := Ran{Program: p}
	story := tell(p)
	for i, t := range story.Turns {
		if t.Prompt == "" || r.ID == "" {
			continue
		}
		held := r.HeldAs(ctx, markers[len(o.Held)], i+1, i+1)
		taken := r.Resolves(ctx, &held)
		if o.Held = append(o.Held, held); !taken {
			break
		}
	}
	if o.Log = r.Finish(ctx, "log of the loop"); !o.Log.Ended.Reached {
		return o
	}
	if len(o.Held) > 0 {
		o.Late = &LateAnswer{Marker: markers[len(markers)-1]}
		reply := r.Resolve(ctx, host.Pending(o.Held[0].Suspended.Last, o.Held[0].Log), o.Late.Marker)
		o.Late.Reply = host.AnsweredBy("an answer to the first question of a loop that has ended", reply)
		o.Late.Log = r.Stands(ctx, "the loop behind a late answer")
	}
	children := host.ChildIDs(o.Log)
	children = children[:min(len(children), len(story.Workers())+1)]
	o.Children = make([]host.Child, len(children))
	var reads []func(context.Context)
	for i, id := range children {
		reads = append(reads, func(ctx context.Context) {
			reply := h.Send(ctx, wire.Call{Operation: dialect.ReadRun.Of(id), Label: "child run"})
			o.Children[i] = host.Child{ID: id, Snapshot: reply.Value("")}
		})
	}
	h.AtOnce(ctx, reads...)
	return o
}

// request asks for a run of the program.
func request(p model.Program) dialect.CreateRunRequest {
	request := dialect.CreateRunRequest{WorkflowID: p.Workflow}
	if !p.Scripted {
		request.Inputs = map[string]any{"plan": p.Plan()}
	}
	for variable, value := range p.Inputs {
		request.Inputs[variable] = value
	}
	if p.Bound > 0 {
		request.Configurable = &dialect.Configurable{MaxLoopIterations: new(int64(p.Bound))}
	}
	return request
}

// tell is what the run of a program must show.
func tell(p model.Program) model.Story {
	its := map[string]model.Workflow{}
	for _, t := range p.Turns {
		for _, worker := range t.Workers {
			its[worker] = workflow(worker)
		}
	}
	return p.Tell(workflow(p.Workflow), its)
}

func workflow(id string) model.Workflow {
	w, err := model.Read(id)
	if err != nil {
		panic(err) // it is one of ours
	}
	return w
}
