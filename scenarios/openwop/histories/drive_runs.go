package histories

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

var runs = &explore.Kind[model.Run, model.RunAsk, model.RunSaw]{
	Model:  model.RunModel,
	Begin:  beginRun,
	Make:   makeRun,
	Draw:   drawRun,
	Beside: model.RunsBeside,
	Shown: func(out model.RunSaw) wire.Value {
		if out.Settled.Last.Present() {
			return out.Settled.Last.Key("status")
		}
		return out.Status
	},
	Clients: 4,
	Rests:   func(r model.Run) bool { return r.Held || r.End != "" || r.Still >= 0 },
}

var runsAtOnce = &scenarios.Drive[explore.Observation[model.Run, model.RunAsk, model.RunSaw]]{
	ID: "openwop/runs-at-once",
	Title: "has up to four clients at once answer, pause, resume, cancel, fork and read a run of a drawn loop, which goes on by itself, in " +
		"drawn orders",
	Sends: []string{
		"{create run} (assay-loop with echoes, or assay-loop-ask-user, with a drawn plan)", "{read run}, of it and its children", "{poll log}",
		"{stream log}", "{answer node}", "{use token}", "{pause run}", "{resume run}", "{cancel run}", "{cancel runs}", "{fork run}",
		"{read lineage}",
	},
	Kills:      true,
	Dimensions: explore.Dimensions,
	Run:        runs.Run,
}

// beginRun draws a loop, or a run that waits for an approval. A third of the loops is bounded.
func beginRun(r *rand.Rand, d scenarios.Discovery) model.Run {
	b := model.Run{Still: -1, Claims: claimsOf(d)}
	lists := func(id string) bool {
		return slices.ContainsFunc(claims.Family(d, "fixtures").Items(), func(v wire.Value) bool { return v.String() == id })
	}
	l := &b.Loop
	switch l.Workers = [2]string{fixture.Echo, fixture.EchoAgain}; {
	case lists(fixture.Loop) && lists(fixture.Echo) && lists(fixture.EchoAgain):
		l.Workflow = fixture.Loop
	case lists(fixture.LoopAskUser):
		l.Workflow, l.Workers = fixture.LoopAskUser, [2]string{fixture.Noop, fixture.Noop}
	default:
		l.Workflow, l.Workers = fixture.Loop, [2]string{fixture.Noop, fixture.Noop}
	}
	if lists(fixture.Approval) && r.IntN(4) == 0 {
		*l = model.Loop{Workflow: fixture.Approval, Gate: true, N: 1, Turns: [6]model.LoopTurn{{Asks: true}}}
		return b
	}
	_, doubts := claims.ExecutionModel2.Look(d)
	l.Floor = floorOf(d)
	l.N = 2 + r.IntN(len(l.Turns)-1)
	for i := range l.N {
		t := &l.Turns[i]
		switch {
		case i < l.N-1 && r.IntN(3) == 0:
			t.Asks = true
		case i < l.N-1:
			t.Workers[0] = 1 + r.IntN(2)
			if r.IntN(3) == 0 {
				t.Workers[1] = 1 + r.IntN(2)
			}
		}
		if t.Doubt = doubts && !t.Asks && r.IntN(4) == 0; doubts && !t.Asks {
			t.Sure = r.IntN(model.Sures)
		}
	}
	if _, bounds := claims.ExecutionModel.Look(d); bounds && r.IntN(3) == 0 {
		l.Bound = 1 + r.IntN(l.N)
	}
	return b
}

// floorOf is the confidence floor that the host advertises, the default of the text if it advertises none.
func floorOf(d scenarios.Discovery) float64 {
	if told, is := claims.Model(d).Key("confidenceEscalationFloor").Actual().(json.Number); is {
		if floor, err := told.Float64(); err == nil && floor >= 0.5 && floor <= 1 {
			return floor
		}
	}
	return 0.5
}

func claimsOf(d scenarios.Discovery) (c model.Claims) {
	_, c.Counts = claims.ExecutionModel5.Look(d)
	_, c.Approvals = claims.Approvals.Look(d)
	_, c.Ancestry = claims.Ancestry.Look(d)
	_, c.Replays = claims.FinishedReplay.Look(d)
	_, c.Branches = claims.ForkBranch.Look(d)
	c.Host = claims.Model(d).At("/crossHostCausation/hostId").String()
	return c
}

func makeRun(ctx context.Context, c *scenarios.Conn, b model.Run) explore.Object[model.RunAsk, model.RunSaw] {
	h := host.Host{Conn: c}
	if b.Loop.Gate && !h.Offers(b.Loop.Workflow) {
		h.Lacks("no approval is on offer", fixture.Approval)
	} else if !b.Loop.Gate && !h.Offers(b.Loop.Workflow, b.Loop.Workers[0], b.Loop.Workers[1]) {
		h.Lacks("no loop whose plan can be chosen is on offer", fixture.Loop, fixture.LoopAskUser)
	}
	if most, why := h.Ceiling(); most < len(b.Loop.Turns) {
		host.TooFewTurns(why)
	}
	words := h.Marker()
	p := b.Loop.Program(words)
	request := dialect.CreateRunRequest{WorkflowID: p.Workflow, Inputs: map[string]any{"plan": p.Plan()}}
	if b.Loop.Gate {
		request.Inputs = map[string]any{"title": words}
	}
	if p.Bound > 0 {
		request.Configurable = &dialect.Configurable{MaxLoopIterations: new(int64(p.Bound))}
	}
	r := h.Create(ctx, "create the loop", request)
	if r.ID == "" {
		scenarios.End(scenarios.Block("setup failed: the host did not make the run: HTTP "+r.Created.StatusValue().JSON(),
			"make runs of the fixtures that are listed under /fixtures"))
	}
	return &run{Run: r, begin: b, marker: h.Marker(), words: words, other: host.StrangerOf(r.ID), tokens: map[int]string{}}
}

// atOnce pauses without letting the node under way end.
const atOnce = "at once"

// drawRun draws what to do. What takes the whole of a run away is drawn seldom.
func drawRun(r *rand.Rand, is model.Run) model.RunAsk {
	in := model.RunAsk{From: -1, Do: []model.RunDo{
		model.Settle, model.Settle, model.Settle, model.LookAt, model.LookAt, model.PollRun, model.PollRun, model.StreamRun,
		model.AnswerRun, model.AnswerRun, model.AnswerRun, model.PauseRun, model.ResumeRun, model.ResumeRun, model.Ancestry, model.ReadChild,
	}[r.IntN(16)]}
	if is.Log == "" { // nobody knows it yet, and each history is to show some of it
		in.Do = []model.RunDo{model.Settle, model.PollRun}[r.IntN(2)]
	}
	if r.IntN(30) == 0 {
		in.Do = []model.RunDo{model.CancelRun, model.CancelRuns}[r.IntN(2)]
	}
	if is.Pause == model.Standing && r.IntN(4) == 0 {
		in.Do = []model.RunDo{model.PauseRun, model.ResumeRun, model.CancelRun, model.CancelRuns}[r.IntN(4)]
	}
	if is.End != "" && r.IntN(3) == 0 {
		in.Do = []model.RunDo{model.ForkRun, model.CancelRun, model.CancelRuns}[r.IntN(3)]
	}
	switch in.Do {
	case model.PauseRun:
		in.Mode = []string{"", atOnce}[r.IntN(2)]
	case model.CancelRuns:
		in.From = r.IntN(2) - 1
	case model.AnswerRun:
		in.By = []model.By{model.ByNode, model.ByNode, model.ByNode, model.ByToken, model.ByToken, model.ByOld, model.ByForged, model.Nowhere,
			model.Misfit}[r.IntN(9)]
	case model.PollRun, model.StreamRun, model.ForkRun:
		if r.IntN(3) > 0 {
			in.From = r.IntN(100)
		}
		switch in.Do {
		case model.StreamRun:
			in.Mode = []string{"debug", "debug", "updates", "values", "messages", "updates,debug"}[r.IntN(6)]
		case model.ForkRun:
			in.Mode, in.From = string(dialect.ForkModeReplay), max(0, in.From)
			if is.Claims.Branches && r.IntN(2) == 0 {
				in.Mode = string(dialect.ForkModeBranch)
			}
		}
	}
	return in
}

// run is a loop on the host, and what all clients know of it.
type run struct {
	*host.Run
	begin         model.Run
	marker, other string
	words         string // of its decisions

	mu       sync.Mutex
	events   wire.Values // as far as they were seen, in order
	answered int         // answers that were taken
	tokens   map[int]string
	children []child
	over     bool
	under    int // requests under way
	begun    int // all requests
}

// child is a child run that the log names.
type child struct {
	id, worker string
	done       bool
}

// Do implements [explore.Object].
func (r *run) Do(ctx context.Context, _ int, in model.RunAsk) (out model.RunSaw) {
	r.mu.Lock()
	alone := r.under == 0
	r.under++
	r.begun++
	begun := r.begun
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.under--
		out.Alone = alone && r.begun == begun
		out.RunID, out.Label, out.Words = r.ID, r.Run.Label(), r.words
	}()
	out.Cursor = -1
	switch in.Do {
	case model.Settle:
		return r.settle(ctx)
	case model.PollRun:
		return r.poll(ctx, in)
	case model.StreamRun:
		return r.stream(ctx, in)
	case model.AnswerRun:
		return r.answer(ctx, in)
	case model.PauseRun:
		body := map[string]any{}
		policies := []dialect.DrainPolicy{dialect.PauseRunRequestDrainPolicyDrainCurrentNode, dialect.PauseRunRequestDrainPolicyImmediate}
		if in.Mode == atOnce {
			slices.Reverse(policies)
		}
		if policy, ok := host.Drains(r.Host, policies...); ok {
			body["drainPolicy"] = policy
		}
		return r.does(ctx, dialect.PauseRun, body)
	case model.ResumeRun:
		return r.does(ctx, dialect.ResumeRun, nil)
	case model.CancelRun:
		return r.does(ctx, dialect.CancelRun, dialect.CancelRunRequest{})
	case model.CancelRuns:
		ids := []string{r.ID, r.other}
		if in.NeverFirst() {
			slices.Reverse(ids)
		}
		out := saw(r.Send(ctx, wire.Call{Operation: dialect.CancelRuns.Of(), Body: map[string]any{"runIds": ids}, Label: string(in.Do)}))
		out.Other = r.other
		return out
	case model.Ancestry:
		return r.does(ctx, dialect.ReadLineage, nil)
	case model.ReadChild:
		return r.child(ctx)
	case model.ForkRun:
		return r.fork(ctx, in)
	}
	return r.look(ctx)
}

func saw(reply *wire.Reply) model.RunSaw {
	return model.RunSaw{Status: reply.StatusValue(), Body: reply.Value(""), Cursor: -1}
}

func (r *run) does(ctx context.Context, op dialect.Operation, body any) model.RunSaw {
	return saw(r.Does(ctx, op, body, op.Name()))
}

func (r *run) look(ctx context.Context) model.RunSaw { return saw(r.Snapshot(ctx, "the run")) }

var runsExplained = scenarios.Scenario{
	ID:     "openwop/histories/runs",
	Title:  "a loop goes on as it was planned, and shows what clients did to it, in some order, whatever they do at once",
	Proves: scenarios.IDs{openwop.OWPEVT12}, Watches: runs.Watched(), Reaches: scenarios.Survived,
	Claim: claims.ExecutionModel, Ask: scenarios.Ask(runsAtOnce, runs.Judge), Depth: scenarios.Standard,
}
