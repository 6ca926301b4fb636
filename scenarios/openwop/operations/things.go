package operations

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/access"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// What may be lacking: a draw of none says why.
var (
	lackingHeld  = lack("runs that wait")
	lackingFile  = lack("workspace files")
	lackingGoal  = lack("standing goals")
	lackingToken = lack("tokens of interrupts")

	lacks = []*scenarios.Dimension{lackingHeld, lackingFile, lackingGoal, lackingToken}
)

func lack(of string) *scenarios.Dimension {
	return &scenarios.Dimension{Name: of + " whose operations are asked for", Least: 0, Most: [scenarios.Deep + 1]int{1, 1, 1}}
}

// things are what a drive made, whose operations others ask for.
type things struct {
	host.Host
	ended, held   *host.Run // held is the ended run where none waits
	node          string
	token         string
	forged, spent string // made of two tokens; of a run that is over
	files         *host.Files
	path, etag    string // the path is "" without a file
	goal          *host.Goal
	bodies        map[string]any // by operation, where more is needed than the contract says
	values        map[string]any // of parameters, and of members of bodies
	strange       string         // a text that only callers who may not ask have sent
}

// Made tells what was there.
type Made struct {
	Run  host.Answered `json:"run"`  // one that has ended
	Held string        `json:"held"` // the workflow of one that waits or goes on; "" for none
	File string        `json:"file"` // path; "" for none
	Goal string        `json:"goal"`
	// Marks are texts that stand in what is there, and that who may not read it does not learn.
	Marks   map[string][]string `json:"marks"`   // by the place in paths that names the thing
	Strange string              `json:"strange"` // the text that the others would write
}

// prepare makes one thing of each kind, as far as the host has it.
func prepare(ctx context.Context, h host.Host) (*things, Made) {
	t := &things{Host: h, strange: h.Marker(), files: h.Files()}
	simple := h.Simple()
	mark := h.Marker()
	simple.Metadata = map[string]any{"label": mark}
	o := Made{Strange: t.strange, Marks: map[string][]string{run: {mark}}}
	t.ended = h.Create(ctx, "create a run", simple)
	if o.Run = host.AnsweredBy("a run", t.ended.Created); t.ended.ID == "" {
		return t, o
	}
	t.ended.AwaitEnd(ctx)
	t.held = t.ended
	request := simple
	request.Metadata = h.Labelled()
	t.bodies = map[string]any{"createRun": request}
	t.values = map[string]any{
		workflow: simple.WorkflowID, node: "nobody", "against": t.ended.ID, "mode": string(dialect.ForkModeReplay),
		"content": t.strange, "objective": t.strange, "resumeValue": map[string]any{"action": "accept", "comment": t.strange},
		"streamMode": "values", "Last-Event-ID": "0", "If-Match": "*", dialect.IdempotencyKey: h.Name("key"),
	}
	t.reuse(ctx, request)
	t.hold(ctx, &o)
	t.keep(ctx, &o)
	t.pursue(ctx, &o)
	return t, o
}

// reuse has the idempotency key be one under which the host has answered the same request: it is not to answer it to anybody else.
func (t *things) reuse(ctx context.Context, request dialect.CreateRunRequest) {
	reply := t.Send(ctx, wire.Call{Operation: dialect.CreateRun.Of(), Body: request, Label: "create a run under a key",
		Secrets: host.InterruptTokens, Header: map[string]string{dialect.IdempotencyKey: t.values[dialect.IdempotencyKey].(string)}})
	t.Adopt(reply).AwaitEnd(ctx)
}

// hold makes a run that waits for somebody, else one that lasts.
func (t *things) hold(ctx context.Context, o *Made) {
	var r *host.Run
	err := scenarios.Try(func() {
		var request dialect.CreateRunRequest
		switch {
		case t.Offers(fixture.Approval):
			request = dialect.CreateRunRequest{WorkflowID: fixture.Approval, Inputs: map[string]any{"title": "Is it right? " + t.Marker(),
				"actions": []string{"accept", "reject"}, "draft": map[string]any{"text": t.Marker()}}}
		case t.Offers(fixture.UpstreamApproval):
			request = dialect.CreateRunRequest{WorkflowID: fixture.UpstreamApproval}
		default:
			request = t.Lasting()
		}
		o.Held = request.WorkflowID
		r = t.Create(ctx, "create a run that waits", request)
	})
	if err != nil && !host.IsBlocked(err) {
		scenarios.End(err)
	}
	if err != nil || r.ID == "" {
		o.Held = ""
		t.DrawUpTo(lackingHeld, 0, "no run is on offer that waits")
		t.DrawUpTo(lackingToken, 0, "no run is on offer that waits")
		return
	}
	t.held = r
	if isApproval := o.Held == fixture.Approval || o.Held == fixture.UpstreamApproval; !isApproval {
		t.DrawUpTo(lackingToken, 0, "no approval is on offer")
		return
	}
	suspended := r.AwaitSuspended(ctx, 0)
	if !suspended.Reached {
		t.DrawUpTo(lackingToken, 0, "the approval does not wait")
		return
	}
	asked := host.Pending(suspended.Last, r.ReadLog(ctx, "log of the run that waits"))
	t.values[node], t.values["resumeValue"] = asked.Node, asked.Answers(t.strange)[0]
	t.token = tokenOf(ctx, r)
	if len(t.token) < shortestToken {
		t.token = ""
		t.DrawUpTo(lackingToken, 0, "a run that waits shows none")
		return
	}
	second := t.Create(ctx, "create another run that waits", dialect.CreateRunRequest{WorkflowID: o.Held,
		Inputs: map[string]any{"title": t.Marker(), "actions": []string{"accept"}, "draft": map[string]any{"text": t.Marker()}}})
	if second.ID == "" {
		return
	}
	second.AwaitSuspended(ctx, 0)
	t.spent = tokenOf(ctx, second)
	t.forged = spliced(t.token, t.spent)
	second.Stop(ctx, "to cancel the other run")
	second.AwaitEnd(ctx)
}

// shortestToken is the length below which a part of a token may stand anywhere by chance.
const shortestToken = 16

// tokenOf returns the token that the snapshot of a run shows, "" for none.
func tokenOf(ctx context.Context, r *host.Run) string {
	reply := r.Snapshot(ctx, "the run that waits")
	for _, pointer := range host.InterruptTokens {
		if token := reply.Text(pointer); token != "" {
			return token
		}
	}
	return ""
}

// spliced joins the payload of one token and the signature of another, or their halves if they have no dot.
func spliced(a, b string) string {
	cut, from := strings.LastIndexByte(a, '.'), strings.LastIndexByte(b, '.')
	if cut < 0 || from < 0 {
		cut, from = len(a)/2, len(b)/2
	}
	return a[:cut] + b[from:]
}

// keep writes a file.
func (t *things) keep(ctx context.Context, o *Made) {
	if _, claimed := claims.WorkspaceFiles.Look(t.Discovery); !claimed {
		t.DrawUpTo(lackingFile, 0, "the host claims no workspace")
		return
	}
	path, mark := t.files.Path("plan"), t.Marker()
	err := scenarios.Try(func() {
		written := t.files.Put(ctx, path, mark)
		t.etag = written.Key("etag").String()
	})
	if host.IsBlocked(err) {
		t.DrawUpTo(lackingFile, 0, "no file can be written")
		return
	}
	scenarios.End(err)
	t.path, o.File = path, path
	o.Marks[file] = []string{mark}
	if t.values["prefix"] = t.files.Prefix; t.etag != "" {
		t.values["If-Match"] = t.etag
	}
}

// pursue makes a goal.
func (t *things) pursue(ctx context.Context, o *Made) {
	if _, claimed := claims.Goals.Look(t.Discovery); !claimed {
		t.DrawUpTo(lackingGoal, 0, "the host claims no goals")
		return
	}
	var made *host.Goal
	err := scenarios.Try(func() {
		home := t.StandingGoals(ctx)
		request := home.GoalRequest(host.BoundedTo(3))
		made = home.Create(ctx, "create the goal", request)
		o.Marks[goal] = []string{request.Objective}
		request.Objective = t.strange
		t.bodies["createGoal"], t.bodies["editGoal"] = request, dialect.EditGoalRequest{Objective: t.strange}
	})
	if err != nil && !host.IsBlocked(err) {
		scenarios.End(err)
	}
	if err != nil || made.ID == "" {
		t.DrawUpTo(lackingGoal, 0, "no goal can be made")
		return
	}
	t.goal, o.Goal = made, made.ID
}

// id returns what a way's path names at a place, or what never was; ok is false if there is none.
func (t *things) id(w access.Way, place string, missing bool) (id string, ok bool) {
	switch place {
	case run:
		id = t.held.ID
		if w.Method == "GET" { // one that does not change meanwhile
			id = t.ended.ID
		}
	case goal:
		if t.goal != nil {
			id = t.goal.ID
		}
	case file:
		id = t.path
	}
	if missing && id != "" {
		id = host.StrangerOf(id)
	}
	return id, id != ""
}

// live returns what stands in the requests of a way.
func (t *things) live(w access.Way, missing bool) access.Live {
	return func(name string) (any, bool) {
		if slices.Contains(owned, name) {
			return t.id(w, name, missing)
		}
		if name == run+"s" {
			return []string{t.held.ID}, true
		}
		value, ok := t.values[name]
		return value, ok
	}
}

// call returns the request of a way, without a credential for it; ok is false if it names what could not be made.
func (t *things) call(contract *access.Contract, w access.Way, more access.Live, missing bool) (q wire.Call, ok bool) {
	live := t.live(w, missing)
	all := func(name string) (any, bool) {
		if more != nil {
			if value, ok := more(name); ok {
				return value, true
			}
		}
		return live(name)
	}
	if w.Needs(all) != "" {
		return q, false
	}
	ask := contract.Ask(w, all)
	q = wire.Call{Method: ask.Method, Header: ask.Header, Body: ask.Body, Secrets: host.InterruptTokens}
	if body, ok := t.bodies[w.Operation]; ok {
		q.Body = body
	}
	ids := ask.IDs
	if inHome := strings.HasPrefix(w.Path, dialect.V1.Seams[0]+"/goals"); inHome {
		if t.goal == nil {
			return q, false
		}
		ids = append([]string{t.goal.Prefix}, ids...)
	}
	if op, known := operations()[shape(w.Method+" "+w.Path)]; known {
		q.Operation = op.Of(ids...)
		q.Operation.Query = ask.Query
		return q, true
	}
	q.Path = ask.Path
	for i, p := range ask.Query {
		q.Path += map[bool]string{true: "?", false: "&"}[i == 0] + p.Name + "=" + url.QueryEscape(p.Value)
	}
	return q, true
}

// State is what the owner reads of the things.
type State struct {
	Ended host.RunLog    `json:"ended"`
	Held  host.RunLog    `json:"held"`
	File  host.FileReply `json:"file"`
	Files host.FileReply `json:"files"`
	Goal  host.GoalReply `json:"goal"`
	Goals host.GoalReply `json:"goals"`
}

// stands reads the things as they are, side by side.
func (t *things) stands(ctx context.Context, when string) (s State) {
	return t.standsOf(ctx, when, owned...)
}

// standsOf reads the things of some kinds.
func (t *things) standsOf(ctx context.Context, when string, kinds ...string) (s State) {
	var reads []func(context.Context)
	read := func(some ...func(context.Context)) { reads = append(reads, some...) }
	for _, thing := range kinds {
		switch {
		case thing == run:
			read(func(ctx context.Context) { s.Ended = t.ended.Stands(ctx, "the run that has ended, "+when) })
			if t.held != t.ended {
				read(func(ctx context.Context) { s.Held = t.held.Stands(ctx, "the run that waits, "+when) })
			}
		case thing == file && t.path != "":
			read(func(ctx context.Context) { s.File = t.files.LookAt(ctx, t.path, "") },
				func(ctx context.Context) { s.Files = t.files.List(ctx, t.files.Prefix) })
		case thing == goal && t.goal != nil:
			read(func(ctx context.Context) { s.Goal = t.goal.Read(ctx, "the goal, "+when) },
				func(ctx context.Context) { s.Goals = t.goal.List(ctx, "") })
		}
	}
	t.AtOnce(ctx, reads...)
	if t.held == t.ended {
		s.Held = s.Ended
	}
	return s
}

// with returns a state with the things of a kind from another.
func (s State) with(other State, thing string) State {
	switch thing {
	case run:
		s.Ended, s.Held = other.Ended, other.Held
	case file:
		s.File, s.Files = other.File, other.Files
	case goal:
		s.Goal, s.Goals = other.Goal, other.Goals
	}
	return s
}
