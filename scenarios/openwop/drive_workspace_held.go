package openwop

import (
	"context"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// HeldLoop is a loop that a question held in one turn, while its files were
// changed from outside.
type HeldLoop struct {
	Way       string     `json:"way"` // the fixture
	Loop      NotedLoop  `json:"loop"`
	Suspended wire.Wait  `json:"suspended"`
	Answered  wire.Value `json:"answered"` // HTTP status of the answer
	// Where no turn notes what it sees, the run's snapshot may list which
	// versions it reads: in Suspended, in Later once the files had changed, and in
	// Again, when the next turn had asked as well.
	Later wire.Value `json:"later"`
	Again wire.Wait  `json:"again"`
}

// resumed says whether the host took the answer.
func (o HeldLoop) resumed() bool {
	status, _ := o.Answered.Int()
	return status/100 == 2
}

// noted says whether the turns themselves noted what they saw.
func (o HeldLoop) noted() bool { return o.Way == fixtureLoopWorkspace }

// loopWrittenTo changes the files of a loop while it is suspended.
var loopWrittenTo = &scenarios.Drive[HeldLoop]{
	ID:    "openwop/loop-written-to",
	Title: "holds a loop by a question in a random turn, meanwhile overwrites, makes and deletes workspace files from outside, and answers",
	Sends: []string{
		"PUT, GET and DELETE /v1/host/workspace/files/{path}", "POST /v1/runs (assay-loop-workspace with a random plan; else assay-loop-ask-user)",
		"POST /v1/runs/{runId}/interrupts/{nodeId}", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (HeldLoop, error) {
		h := host{c}
		f := h.files()
		changes := []FileChange{
			{Path: f.path("overwritten"), Before: h.marker(), After: h.marker()},
			{Path: f.path("deleted"), Before: h.marker()},
			{Path: f.path("made"), After: h.marker()},
		}
		if !h.offers(fixtureLoopWorkspace, fixtureNoop) && h.offers(fixtureLoopAskUser, fixtureNoop) {
			return h.listedLoop(ctx, f, changes)
		}
		// What the turn wrote itself before it asked is not its to see either.
		own := FileChange{Path: f.path("own"), Before: h.marker(), After: h.marker(), ByTurn: true}
		return h.notedLoop(ctx, f, append(changes, own))
	},
}

// notedLoop is answered once and runs to its end: its turns say what they saw.
func (h host) notedLoop(ctx context.Context, f *files, changes []FileChange) (HeldLoop, error) {
	n, err := h.notedTurns(3)
	if err != nil {
		return HeldLoop{}, err
	}
	o := HeldLoop{Way: fixtureLoopWorkspace, Loop: NotedLoop{Turns: n, Changed: h.between(2, n-1), Files: changes}}
	p := h.loopPlan(n)
	p[o.Loop.Changed-1] = askUser("Which way? " + h.marker())
	r, err := h.hold(ctx, f, &o, o.Loop.request(p))
	if err != nil || !o.resumed() {
		return o, err
	}
	o.Loop.Log, err = r.finish(ctx, "log of the loop that was held")
	return o, err
}

// listedLoop asks in two turns on end: the run's snapshot says in each which versions it reads.
func (h host) listedLoop(ctx context.Context, f *files, changes []FileChange) (HeldLoop, error) {
	n, err := h.turnsFrom(4)
	if err != nil {
		return HeldLoop{}, err
	}
	o := HeldLoop{Way: fixtureLoopAskUser, Loop: NotedLoop{Turns: n, Changed: h.between(2, n-2), Files: changes}}
	p := h.loopPlan(n)
	p[o.Loop.Changed-1], p[o.Loop.Changed] = askUser("Which way? "+h.marker()), askUser("And then? "+h.marker())
	r, err := h.hold(ctx, f, &o, scripted{fixtureLoopAskUser, p, true}.request(nil))
	if err != nil || !o.resumed() {
		return o, err
	}
	o.Again, err = r.suspended(ctx, o.Loop.Changed+1)
	return o, err
}

// hold runs a loop into its question, changes the files and answers.
func (h host) hold(ctx context.Context, f *files, o *HeldLoop, request openwopv1.CreateRunRequest) (*run, error) {
	if err := f.setUp(ctx, o.Loop.Files); err != nil {
		return nil, err
	}
	r, err := h.create(ctx, "create the loop that asks", request)
	if err != nil {
		return nil, err
	}
	o.Loop.Log = RunLog{RunID: r.ID, Created: r.Created.StatusValue(), ID: r.Created.Value("/runId")}
	if r.ID == "" {
		return r, nil
	}
	if o.Suspended, err = r.suspended(ctx, 0); err != nil || !o.Suspended.Reached {
		return r, err
	}
	if err := f.change(ctx, o.Loop.Files); err != nil {
		return r, err
	}
	later, err := r.snapshot(ctx, "the suspended run, when its files had changed")
	if err != nil {
		return r, err
	}
	o.Later = later.Value("")
	reply, err := r.answer(ctx, o.Suspended, h.marker())
	if err != nil {
		return r, err
	}
	o.Answered = reply.StatusValue()
	return r, nil
}
