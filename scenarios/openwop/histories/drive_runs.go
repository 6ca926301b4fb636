package histories

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

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
	Over:    func(r model.Run) bool { return r.End != "" },
	Clients: 4,
	Rests:   func(r model.Run) bool { return r.Held || r.End != "" || r.Still >= 0 },
	Nothing: func(out model.RunSaw) bool { return out.Unsent || out.Unheard },
	Kill:    &model.RunAsk{Do: model.KillHost, From: -1},
}

var runsAtOnce = &scenarios.Drive[explore.Observation[model.Run, model.RunAsk, model.RunSaw]]{
	ID: "openwop/runs-at-once",
	Title: "has up to four clients at once answer, pause, resume, cancel, fork, watch and read a run of a drawn loop, or of another form, " +
		"which goes on by itself, its workers and its forks, in drawn orders",
	Sends: []string{
		"{create run} (assay-loop with echoes and other workers, or assay-loop-ask-user, with a drawn plan; else assay-approval, " +
			"conformance-approval, assay-questions, assay-steps, conformance-noop or conformance-cap-breach)",
		"{read run}, of it and its children", "{poll log}",
		"{stream log}", "{answer node}", "{use token}", "{pause run}", "{resume run}", "{cancel run}", "{cancel runs}", "{fork run}",
		"{read lineage}",
	},
	Kills:      true,
	Dimensions: explore.Dimensions,
	Run:        runs.Run,
}

// beginRun draws a loop, if the host has an execution model, or a run of another form. A third of the loops is bounded.
func beginRun(r *rand.Rand, d scenarios.Discovery) model.Run {
	b := model.Run{Still: -1, Claims: claimsOf(d)}
	lists := listed(d)
	l := &b.Loop
	var forms []model.Form
	if _, loops := claims.ExecutionModel.Look(d); loops && (lists(fixture.Loop) || lists(fixture.LoopAskUser)) {
		forms = slices.Repeat([]model.Form{model.Looping}, 5)
	}
	gate := fixture.Approval
	if !lists(gate) {
		gate = fixture.UpstreamApproval
	}
	for _, f := range []struct {
		form     model.Form
		workflow string
		of       int
	}{
		{model.Gate, gate, 3}, {model.Questions, fixture.Questions, 1}, {model.Noop, fixture.Noop, 1}, {model.Steps, fixture.Steps, 3},
		{model.Nodes, fixture.SixNodes, 1},
	} {
		if lists(f.workflow) {
			forms = append(forms, slices.Repeat([]model.Form{f.form}, f.of)...)
		}
	}
	if len(forms) == 0 {
		forms = []model.Form{model.Noop}
	}
	switch l.Form = forms[r.IntN(len(forms))]; l.Form {
	case model.Gate:
		l.Workflow, l.N, l.Turns[0].Asks, l.Rejects = gate, 1, true, r.IntN(2) == 0 || gate == fixture.UpstreamApproval
	case model.Questions:
		l.Workflow, l.N, l.Turns[0].Asks = fixture.Questions, 1, true
	case model.Noop:
		l.Workflow = fixture.Noop
	case model.Steps:
		l.Workflow, l.Wait = fixture.Steps, 200+r.IntN(700)
	case model.Nodes:
		l.Workflow, l.Nodes = fixture.SixNodes, sixNodes
		if r.IntN(4) > 0 {
			l.Bound = 1 + r.IntN(l.Nodes)
		}
	default:
		drawLoop(r, d, l)
	}
	return b
}

// sixNodes is how many nodes [fixture.SixNodes] has.
const sixNodes = 6

// listed tells which fixtures a host lists.
func listed(d scenarios.Discovery) func(string) bool {
	return func(id string) bool {
		return slices.ContainsFunc(claims.Family(d, "fixtures").Items(), func(v wire.Value) bool { return v.String() == id })
	}
}

// ownTurns is how many turns [fixture.Loop] takes when nobody gives it a plan.
const ownTurns = 4

// drawLoop draws the turns of a loop and the workers that they name. Most complete, and a few fail, last, are loops themselves or are not
// there at all.
func drawLoop(r *rand.Rand, d scenarios.Discovery, l *model.Loop) {
	lists := listed(d)
	well := []string{fixture.Noop, fixture.Noop}
	switch l.Workflow = fixture.Loop; {
	case lists(fixture.Loop) && lists(fixture.Echo) && lists(fixture.EchoAgain):
		well = []string{fixture.Echo, fixture.EchoAgain}
	case lists(fixture.LoopAskUser):
		l.Workflow = fixture.LoopAskUser
	}
	staff := l.Workers[:0]
	for _, name := range well {
		staff = append(staff, model.Worker{Name: name, Ends: model.Completes})
	}
	ceiling, _ := host.Host{Conn: &scenarios.Conn{Discovery: d}}.Ceiling()
	if l.Workflow == fixture.Loop {
		for _, w := range []model.Worker{{Name: fixture.Noop, Ends: model.Completes}, {Name: fixture.Loop, Ends: model.Completes},
			{Name: fixture.Fail, Ends: model.Fails}, {Name: fixture.Wait, Ends: model.Lasts}} {
			if lists(w.Name) && w.Name != well[0] && (w.Name != fixture.Loop || ceiling >= ownTurns) {
				staff = append(staff, w)
			}
		}
		staff = append(staff, model.Worker{Name: fmt.Sprintf("no-such-workflow-%x", r.Uint32()), Ends: model.Missing})
	}
	_, doubts := claims.ExecutionModel2.Look(d)
	l.Floor = floorOf(d)
	l.N = 2 + r.IntN(max(1, min(len(l.Turns), ceiling)-1))
	theme, bold := len(staff), r.IntN(3) == 0 // a worker that is named again and again, if any
	if r.IntN(3) > 0 {
		theme = min(2, len(staff)-1) + r.IntN(max(1, len(staff)-2))
	}
	for i := range l.N - 1 {
		t := &l.Turns[i]
		if t.Asks = r.IntN(3) == 0; t.Asks {
			continue
		}
		lasts := false
		for k := range 1 + min(2, r.IntN(5)) {
			w := r.IntN(2)
			if theme < len(staff) && r.IntN(2) == 0 {
				w = theme
			}
			if staff[w].Ends == model.Lasts && lasts {
				w = 0
			}
			lasts = lasts || staff[w].Ends == model.Lasts
			t.Workers[k] = 1 + w
		}
		if doubts && !lasts {
			t.Doubt, t.Sure = bold && r.IntN(2) == 0, r.IntN(model.Sures)
		}
	}
	if end := &l.Turns[l.N-1]; doubts {
		end.Doubt, end.Sure = bold && r.IntN(2) == 0, r.IntN(model.Sures)
	}
	if _, bounds := claims.ExecutionModel.Look(d); bounds && r.IntN(3) == 0 {
		l.Bound = 1 + r.IntN(l.N)
	}
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
	_, c.Model = claims.ExecutionModel.Look(d)
	_, c.Replays = claims.FinishedReplay.Look(d)
	_, c.Branches = claims.ForkBranch.Look(d)
	c.Host = claims.Model(d).At("/crossHostCausation/hostId").String()
	return c
}

func makeRun(ctx context.Context, c *scenarios.Conn, b model.Run) explore.Object[model.RunAsk, model.RunSaw] {
	h := host.Host{Conn: c}
	needs := []string{b.Loop.Workflow}
	for _, t := range b.Loop.Turns {
		for _, w := range t.Workers {
			if w > 0 && b.Loop.Workers[w-1].Ends != model.Missing && !slices.Contains(needs, b.Loop.Workers[w-1].Name) {
				needs = append(needs, b.Loop.Workers[w-1].Name)
			}
		}
	}
	if !h.Offers(needs...) {
		h.Lacks("no run whose course is known is on offer", b.Loop.Workflow)
	}
	if most, why := h.Ceiling(); most < b.Loop.N {
		host.TooFewTurns(why)
	}
	if why := fails(h, b.Loop); why != "" {
		scenarios.End(host.Untaught(b.Loop.Workflow+" is listed, and its runs fail: "+why, b.Loop.Workflow))
	}
	words := h.Marker()
	request := requestOf(b.Loop, words)
	asked := c.Now()
	r := h.Create(ctx, "create the run", request)
	if r.ID == "" {
		scenarios.End(scenarios.Block("setup failed: the host did not make the run: HTTP "+r.Created.StatusValue().JSON(),
			"make runs of the fixtures that are listed under /fixtures"))
	}
	o := &run{Run: r, begin: b, marker: h.Marker(), words: words, other: host.StrangerOf(r.ID), tokens: map[int]string{}, idle: -1,
		asked: asked}
	if other, ok := c.Other(); ok {
		o.foreign = &host.Host{Conn: other}
	}
	return o
}

// fails returns why a run of a published workflow fails, "" if it does not. Hosts list workflows that they do not implement.
func fails(h host.Host, l model.Loop) string {
	if !slices.Contains([]string{fixture.UpstreamApproval, fixture.Noop, fixture.SixNodes}, l.Workflow) {
		return ""
	}
	l.Bound = 0
	return h.Learn("runs of "+l.Workflow+" fail", func(ctx context.Context) string {
		r := h.Create(ctx, "see whether "+l.Workflow+" runs", requestOf(l, ""))
		if r.ID == "" {
			return ""
		}
		w := r.Await(ctx, "the run has ended or waits", func(ctx context.Context) (wire.Value, bool) {
			snapshot := r.Snapshot(ctx, "the run, to see whether it fails").Value("")
			status := snapshot.Key("status").String()
			return snapshot, host.IsTerminal(status) || host.IsWaiting(status)
		})
		status := w.Last.Key("status").String()
		if host.IsTerminal(status) {
			r.Gone()
		}
		if status != "failed" {
			return ""
		}
		e := w.Last.Key("error")
		return e.Key("code").JSON() + ", " + e.Key("message").JSON()
	})
}

// requestOf is the request that makes the run.
func requestOf(l model.Loop, words string) dialect.CreateRunRequest {
	p := l.Program(words)
	request := dialect.CreateRunRequest{WorkflowID: p.Workflow, Inputs: map[string]any{}}
	switch l.Form {
	case model.Looping:
		request.Inputs["plan"] = p.Plan()
		if p.Bound > 0 {
			request.Configurable = &dialect.Configurable{MaxLoopIterations: new(int64(p.Bound))}
		}
	case model.Gate:
		if p.Workflow != fixture.Approval { // its title and actions are fixed
			break
		}
		actions := []dialect.ApprovalAction{dialect.ApprovalActionAccept}
		if l.Rejects {
			actions = append(actions, dialect.ApprovalActionReject)
		}
		request.Inputs["title"], request.Inputs["actions"] = words, actions
	case model.Questions:
		text := map[string]any{"type": "string", "minLength": 1}
		request.Inputs["questions"] = []any{map[string]any{"id": "q1", "question": words, "schema": text}}
	case model.Steps:
		request.Inputs["delayMs"], request.Inputs["said"] = l.Wait, words
	case model.Nodes:
		if p.Bound > 0 {
			request.Configurable = &dialect.Configurable{RecursionLimit: new(int64(p.Bound))}
		}
	}
	return request
}

// atOnce pauses without letting the node under way end.
const atOnce = "at once"

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
	foreign  *host.Host // nil if there is no other tenant
	gone     []string   // workers that were cancelled
	asked    time.Time  // when it was asked for
	idle     int64      // the cursor of the last page that was empty, -1 if there was none
	children []child
	over     bool
	under    int // requests under way
	begun    int // all requests
}

// child is a child run that the log names.
type child struct {
	id, worker string
	phase      string // with which its handoff ended
}

var runsExplained = scenarios.Scenario{
	ID:     "openwop/histories/runs",
	Title:  "a run goes on as it was planned, and shows what clients did to it, in some order, whatever they do at once",
	Proves: scenarios.IDs{openwop.OWPEVT12}, Watches: runs.Watched(), Reaches: scenarios.Survived,
	Claim: claims.Protocol, Ask: scenarios.Ask(runsAtOnce, runs.Judge), Depth: scenarios.Standard,
}
