package worlds

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

// WorldObservation is a program as the server carried it out.
type WorldObservation struct {
	Program model.Program `json:"program"`
	Moved   bool          `json:"moved"` // a clock of the server's
	IDs     []string      `json:"ids"`   // of the intents
	Plans   []string      `json:"plans"` // ids, none where the server has no plans
	Tasks   []string      `json:"tasks"` // likewise
	Folders []string      `json:"folders"`
	Leases  string        `json:"leases"` // which claims look at inputs: lease, task, or none
	Probe   host.Reply    `json:"probe"`  // the reply to a lease whose upstream is at work
	Start   Sight         `json:"start"`
	Turns   []Taken       `json:"turns"`
	Logs    []host.Log    `json:"logs"`       // of each intent that was suspended
	Told    []host.Log    `json:"folderLogs"` // of each portfolio
}

// Taken is a turn as it went.
type Taken struct {
	Done       bool             `json:"done"` // it was carried out
	Reply      host.Reply       `json:"reply"`
	Suspension *host.Suspension `json:"suspension,omitempty"`
	Claim      host.Reply       `json:"claim"` // of a task, of which Task is the number
	Task       int              `json:"task"`
	After      Sight            `json:"after"`
}

// SeenAs implements [scenarios.Seer].
func (o WorldObservation) SeenAs() scenarios.Evidence {
	if o.Moved {
		return scenarios.Attested
	}
	return scenarios.Observed
}

var drawn = &scenarios.Drive[WorldObservation]{
	ID: "openintent/drawn-world",
	Title: "makes a drawn world of intents, portfolios, tasks and plans, has a drawn turn of each of them come one after the other, " +
		"and reads it by every route after each",
	Sends: []string{
		"POST /intents and /intents/{id}/children", "POST /intents/{id}/dependencies", "POST /portfolios",
		"POST and DELETE /portfolios/{id}/intents",
		"POST /tasks and /plans, PATCH /tasks/{id}", "POST /coordinators", "POST /intents/{id}/state and /status",
		"POST /intents/{id}/suspend/respond", "POST /intents/{id}/leases and /tasks/{id}/claim", "the clock that the server advertises",
		"GET /intents/{id}, its graph, ready, blocked, portfolios, tasks, plans and events", "GET /portfolios/{id}, its intents and events",
		"GET /tasks/{id} and /plans/{id}",
	},
	Excludes:   scenarios.Heavy,
	Dimensions: dimensions,
	Run: func(ctx context.Context, c *scenarios.Conn, o *WorldObservation) {
		s := host.Open(ctx, c)
		var at seams
		if s.Seam() != "" {
			_, at.windows = claims.Notifier.Look(s.Discovery)
			_, at.deadlines = claims.Deadline.Look(s.Discovery)
		}
		_, at.lifecycle = claims.Lifecycle.Look(s.Discovery)
		w := &world{
			Server: s, o: o, given: map[string]bool{}, behind: map[int]bool{}, waiting: map[int]host.Suspension{}, answers: map[int]string{},
		}
		o.Program = draw(s, at)
		w.make(ctx)
		w.scene = o.Program.Begin()
		o.Start = w.look(ctx, "before", model.Step{Intent: dated}, nil)
		w.run(ctx)
		w.logs(ctx)
	},
}

// world carries out a program.
type world struct {
	*host.Server
	o       *WorldObservation
	scene   *model.Scene
	intents []*host.Intent
	folders []*host.Portfolio
	tasks   []*host.Task
	plans   []*host.Plan
	waiting map[int]host.Suspension // the last one of each
	answers map[int]string          // to it
	behind  map[int]bool            // its clock was moved since the server told its time
	granted bool                    // the claim
	given   map[string]bool         // up: what did not come in time once is not waited for again
}

// has reports whether the server has what something makes. Others ask for what is missing.
func has(make func()) bool {
	err := scenarios.Try(make)
	if !host.Lacking(err) && !host.IsBlocked(err) {
		scenarios.End(err)
	}
	return err == nil
}

// make makes what the program has.
func (w *world) make(ctx context.Context) {
	set, titles := &w.o.Program, map[string]bool{}
	for n, p := range set.Places {
		state := map[string]any{}
		if len(p.Inputs) > 0 {
			inputs, names := map[string]any{}, map[string]any{}
			for k, on := range p.Inputs {
				phase := fmt.Sprintf("%s_%d", phaseOf, on)
				inputs[fmt.Sprintf("from_%d", k)] = phase + "." + host.OutputKey
				names[w.intents[on].Made.Body.Key("title").String()] = phase
			}
			state["_io_inputs"], state["_io_dep_title_to_name"] = inputs, names
		}
		var i *host.Intent
		switch stem := fmt.Sprintf("intent-%d", n); {
		case p.Parent != model.None:
			i = w.intents[p.Parent].ChildWith(ctx, stem, state)
		case p.Draft:
			i = w.NewIntent(ctx, stem, host.Draft, nil)
		default:
			i = w.NewIntent(ctx, stem, host.Active, nil)
		}
		if title := i.Made.Body.Key("title").String(); titles[title] { // phases are told apart by them
			i.SetUp("make intents with titles of their own", i.Made)
		} else {
			titles[title] = true
		}
		for _, on := range p.DependsOn {
			w.depend(ctx, i, on)
		}
		w.intents, w.o.IDs = append(w.intents, i.Apart()), append(w.o.IDs, i.ID)
	}
	if !has(func() { w.portfolios(ctx) }) {
		w.folders, w.o.Folders = nil, nil
	}
	if !has(func() { w.work(ctx) }) {
		w.tasks, w.plans, w.o.Tasks, w.o.Plans = nil, nil, nil, nil
	}
	lease := w.Coordinate(ctx, w.intents[parent], map[string]any{"suspension_policy": "block_dependents"})
	set.Coordinated = lease.Ok() && lease.Body.Key("suspension_policy").String() == "block_dependents"
	w.claims(ctx)
}

// phaseOf begins the names of phases.
const phaseOf = "phase"

func (w *world) depend(ctx context.Context, i *host.Intent, on int) {
	if reply := i.DependOn(ctx, w.intents[on]); !reply.Ok() {
		i.SetUp("let an intent wait for another", reply)
	}
}

func (w *world) portfolios(ctx context.Context) {
	for _, folder := range w.o.Program.Folders {
		var policy map[string]any
		if folder.Deadline > 0 {
			policy = map[string]any{"deadline": host.Stamp(w.ServerNow().Add(time.Duration(folder.Deadline) * time.Second))}
		}
		f := w.Portfolio(ctx, policy)
		for _, m := range folder.Members {
			f.AddAs(ctx, w.intents[m.Intent], m.Role)
		}
		w.folders, w.o.Folders = append(w.folders, f), append(w.o.Folders, f.ID)
	}
}

// work makes tasks and plans. What a plan lists is made before it, and what names it after it.
func (w *world) work(ctx context.Context) {
	works := w.o.Program.Works
	w.tasks = make([]*host.Task, len(works))
	w.o.Tasks = make([]string, len(works))
	add := func(n int, more map[string]any) {
		w.tasks[n] = w.Task(ctx, w.intents[works[n].Intent], more)
		w.o.Tasks[n] = w.tasks[n].ID
		if works[n].Runs {
			w.tasks[n].Run(ctx)
		}
	}
	for p := range 2 {
		var listed []*host.Task
		for n, work := range works {
			if work.Plan == p && !work.Named {
				add(n, nil)
				listed = append(listed, w.tasks[n])
			}
		}
		plan := w.Plan(ctx, w.intents[parent], listed...)
		w.plans, w.o.Plans = append(w.plans, plan), append(w.o.Plans, plan.ID)
	}
	for n, work := range works {
		if work.Named {
			add(n, map[string]any{"plan_id": w.o.Plans[work.Plan]})
		}
	}
}

// claims finds out which claims look at inputs (OIP-R28).
func (w *world) claims(ctx context.Context) {
	w.o.Leases = "none"
	has(func() {
		_, early := w.Phases(ctx)
		w.o.Probe = early.Lease(ctx, "a lease whose upstream is at work", host.Scope, 60)
		if w.o.Leases = "lease"; w.o.Probe.Ok() || host.MissingRoute(w.o.Probe) {
			w.o.Leases = "task"
		}
	})
}

func (w *world) run(ctx context.Context) {
	now := w.o.Start
	for n, turn := range w.o.Program.Steps {
		var t Taken
		refused := scenarios.Try(func() { t = w.take(ctx, turn) })
		if host.IsBlocked(refused) || host.Lacking(refused) {
			return // what comes next rests on it
		}
		scenarios.End(refused)
		before := w.scene
		w.scene = before.Copy()
		if t.Done {
			w.scene.Take(turn)
		}
		m := moment{WorldObservation: *w.o, at: n, turn: turn, taken: t, was: before, scene: w.scene, before: now}
		t.After = w.settle(ctx, fmt.Sprintf("after turn %d", n+1), m)
		m.taken, now, w.o.Turns = t, t.After, append(w.o.Turns, t)
		if m.astray() {
			return
		}
	}
}

// take takes a turn. One about what the server does not have is passed over.
func (w *world) take(ctx context.Context, turn model.Step) (t Taken) {
	i, must := w.intents[turn.Intent], true
	switch turn.Do {
	case model.Suspend:
		if w.behind[turn.Intent] { // the server tells the time of it
			i.Patch(ctx, host.Note, "again", "write a note before a suspension")
			delete(w.behind, turn.Intent)
		}
		if turn.Alone {
			t.Reply = i.Set(ctx, host.Suspended, "suspend an intent, and write no record yet")
			break
		}
		order := host.RecordFirst
		if turn.StatusFirst {
			order = host.StatusFirst
		}
		sus := i.SuspendIn(ctx, w.question(turn), order, turn.Merged)
		w.waiting[turn.Intent] = sus
		t.Suspension, t.Reply = &sus, sus.Status
	case model.Answer:
		t.Reply = i.MustAnswer(ctx, w.waiting[turn.Intent].ID, w.answers[turn.Intent])
	case model.Lapse:
		t.Reply = i.Lapse(ctx, (window+10)*time.Second).Said
		w.behind[turn.Intent], w.o.Moved = true, true
	case model.Deadline:
		if len(w.folders) == 0 {
			return t
		}
		w.folders[turn.On].Lapse(ctx, (deadline+10)*time.Second)
		w.o.Moved, t.Done = true, true
		for _, m := range w.scene.Members[turn.On] {
			w.behind[m] = true
		}
		return t
	case model.Activate:
		t.Reply = i.Set(ctx, host.Active, "activate a draft")
		must = false
	case model.Complete, model.Abandon:
		status := map[model.Action]string{model.Complete: host.Completed, model.Abandon: host.Abandoned}[turn.Do]
		t.Reply = i.Set(ctx, status, "have an intent "+status)
	case model.Depend:
		t.Reply = i.DependOn(ctx, w.intents[turn.On])
	case model.Write:
		t.Reply = i.Patch(ctx, host.OutputKey, w.Name("output"), "write the output of an intent")
	case model.Join, model.Leave, model.Touch, model.Claim:
		w.beside(ctx, turn, &t)
		return t
	default:
		must = w.wrong(ctx, turn, &t)
	}
	if t.Done = t.Reply.Ok(); must && !t.Done {
		i.SetUp(string(turn.Do)+" an intent", t.Reply)
	}
	return t
}

// beside takes turns about what is around an intent, of which a server may have nothing.
func (w *world) beside(ctx context.Context, turn model.Step, t *Taken) {
	i := w.intents[turn.Intent]
	switch {
	case turn.Do == model.Touch && len(w.tasks) > 0:
		task := w.tasks[turn.On]
		if now := task.Read(ctx, "a task to write its output"); host.StatusOf(now.Body).String() == host.Blocked {
			output := map[string]any{"output": map[string]any{"part": w.Name("part")}}
			t.Reply = task.Patch(ctx, "write the output of a blocked task", host.Blocked, output)
		}
	case turn.Do == model.Claim:
		if w.granted {
			return
		}
		if w.o.Leases == "lease" {
			t.Reply = i.LeaseIfTaken(ctx, "a claim of what has several inputs", host.Scope, 60)
			w.granted = t.Reply.Ok()
		}
		t.Task = slices.IndexFunc(w.o.Program.Works, func(k model.Work) bool { return k.Intent == turn.Intent })
		if w.o.Leases != "none" && len(w.tasks) > 0 && !w.granted {
			t.Claim = w.tasks[t.Task].Claim(ctx, "a claim of a task of what has several inputs")
			w.granted = t.Claim.Ok()
		}
		if w.o.Leases == "task" {
			t.Reply = t.Claim
		}
	case len(w.folders) == 0:
		return
	case turn.Do == model.Join:
		t.Reply = w.folders[turn.On].Join(ctx, i, turn.Role)
	case turn.Do == model.Leave:
		t.Reply = w.folders[turn.On].Drop(ctx, i)
	}
	t.Done = t.Reply.Asked != "" && t.Reply.Ok()
}

// logs reads the logs in the end.
func (w *world) logs(ctx context.Context) {
	w.o.Logs, w.o.Told = make([]host.Log, len(w.intents)), make([]host.Log, len(w.folders))
	var reads []func(context.Context)
	for n, i := range w.intents {
		if _, was := w.waiting[n]; was {
			reads = append(reads, func(ctx context.Context) { w.o.Logs[n] = i.Log(ctx, fmt.Sprintf("the log of intent %d", n)) })
		}
	}
	for n, f := range w.folders {
		reads = append(reads, func(ctx context.Context) {
			w.o.Told[n] = w.LogAt(ctx, fmt.Sprintf("the log of portfolio %d", n), host.At("/portfolios/%s/events", f.ID))
		})
	}
	w.AtOnce(ctx, reads...)
}

// Sight is everything at one moment.
type Sight struct {
	Intents []host.Reply `json:"intents"`
	Graph   host.Reply   `json:"graph"` // of the parent of all children
	Ready   host.Reply   `json:"ready"`
	Held    host.Reply   `json:"held"`
	Folders []host.Reply `json:"folders"`
	Members []host.Reply `json:"members"` // of each portfolio
	Within  host.Reply   `json:"within"`  // the portfolios of the intent whose turn it was
	Tasks   []host.Reply `json:"tasks"`
	Lists   []host.Reply `json:"lists"` // the tasks of each intent; not sent for those without
	Plans   []host.Reply `json:"plans"`
	Listed  host.Reply   `json:"listed,omitzero"` // the list of all plans; there need be none
	Steps   []host.Reply `json:"steps"`           // the progress of each plan, where a server has a resource for it
}

// look reads everything that a turn may change. Of the rest it keeps what was seen before.
func (w *world) look(ctx context.Context, when string, turn model.Step, before *Sight) (s Sight) {
	w.CatchUp(ctx)
	var reads []func(context.Context)
	get := func(into *host.Reply, what, path string, ids ...string) {
		reads = append(reads, func(ctx context.Context) { *into = w.Get(ctx, what+" "+when, host.At(path, ids...)) })
	}
	s.Intents, s.Lists = make([]host.Reply, len(w.intents)), make([]host.Reply, len(w.intents))
	s.Folders, s.Members = make([]host.Reply, len(w.folders)), make([]host.Reply, len(w.folders))
	for n, i := range w.intents {
		get(&s.Intents[n], fmt.Sprintf("intent %d", n), "/intents/%s", i.ID)
	}
	for n, f := range w.folders {
		get(&s.Folders[n], fmt.Sprintf("portfolio %d", n), "/portfolios/%s", f.ID)
		if len(w.o.Turns)%len(w.folders) == n {
			get(&s.Members[n], fmt.Sprintf("the members of portfolio %d", n), "/portfolios/%s/intents", f.ID)
		}
	}
	if root := w.intents[parent].ID; before == nil || !slices.Contains(moves, turn.Do) {
		get(&s.Graph, "the graph", "/intents/%s/graph", root)
		if before == nil || !slices.Contains(ends, turn.Do) {
			get(&s.Ready, "what is ready", "/intents/%s/ready", root)
			get(&s.Held, "what is blocked", "/intents/%s/blocked", root)
		}
	}
	if at := w.intents[turn.Intent].ID; len(w.folders) > 0 && !slices.Contains(inside, turn.Do) {
		get(&s.Within, fmt.Sprintf("the portfolios of intent %d", turn.Intent), "/intents/%s/portfolios", at)
	}
	if before != nil && slices.Contains(moves, turn.Do) && turn.Do != model.Touch && turn.Do != model.Claim && turn.Do != model.Recorded {
		s.Tasks, s.Plans, s.Steps, s.Listed = before.Tasks, before.Plans, before.Steps, before.Listed
	} else {
		w.lookAtWork(&s, turn, when, get, &reads)
	}
	w.AtOnce(ctx, reads...)
	return s
}

// What turns do that change no status, those of them that are about no portfolio, and those that end a suspension, after which nothing
// more is ready.
var (
	inside = []model.Action{model.Touch, model.Claim, model.Write, model.Recorded, model.Stale, model.Force}
	moves  = append([]model.Action{model.Join, model.Leave}, inside...)
	ends   = []model.Action{model.Answer, model.Lapse, model.Deadline, model.Abandon}
)

// lookAtWork reads the tasks and plans.
func (w *world) lookAtWork(
	s *Sight, turn model.Step, when string, get func(into *host.Reply, what, path string, ids ...string), reads *[]func(context.Context),
) {
	s.Tasks, s.Plans, s.Steps = make([]host.Reply, len(w.tasks)), make([]host.Reply, len(w.plans)), make([]host.Reply, len(w.plans))
	for n, t := range w.tasks {
		get(&s.Tasks[n], fmt.Sprintf("task %d", n), "/tasks/%s", t.ID)
		if of := w.o.Program.Works[n].Intent; of == turn.Intent && s.Lists[of].Asked == "" {
			s.Lists[of].Asked = "to be read"
			get(&s.Lists[of], fmt.Sprintf("the tasks of intent %d", of), "/intents/%s/tasks", w.intents[of].ID)
		}
	}
	if len(w.plans) > 0 && w.Depth > scenarios.Quick {
		get(&s.Listed, "the list of plans", "/intents/%s/plans", w.intents[parent].ID)
	}
	for n, p := range w.plans {
		get(&s.Plans[n], fmt.Sprintf("plan %d", n), "/plans/%s", p.ID)
		if n == 0 && when == "before" || w.o.Start.Steps != nil && w.o.Start.Steps[0].Ok() {
			*reads = append(*reads, func(ctx context.Context) {
				s.Steps[n] = p.Progress(ctx, fmt.Sprintf("the progress of plan %d %s", n, when))
			})
		}
	}
}

// settle looks until everything that the last turn changes shows, or patience is over: a server may be late.
func (w *world) settle(ctx context.Context, when string, m moment) (s Sight) {
	missing := func() (keys []string, last wire.Value) {
		m.taken.After = s
		for _, e := range m.expected() {
			if ok, _ := e.want.Match(e.value); !ok && !w.given[e.key()] {
				keys, last = append(keys, e.key()), e.value
			}
		}
		return keys, last
	}
	s = w.look(ctx, when, m.turn, &m.before)
	if keys, _ := missing(); len(keys) == 0 {
		return s
	}
	w.Await(ctx, "what follows from a turn", func(ctx context.Context) (wire.Value, bool) {
		s = w.look(ctx, when, m.turn, &m.before)
		keys, last := missing()
		return last, len(keys) == 0
	})
	keys, _ := missing()
	for _, key := range keys {
		w.given[key] = true
	}
	return s
}
