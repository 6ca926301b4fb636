package programs

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

// GraphsObservation is some programs as the server carried them out.
type GraphsObservation struct {
	Programs []Ran `json:"programs"`
}

// Ran is a program with all that was seen of it.
type Ran struct {
	Program model.Program `json:"program"`
	IDs     []string      `json:"ids"`
	Refused []bool        `json:"refused"` // the portfolios that did not take a member a second time
	Start   Sight         `json:"start"`
	Steps   []Taken       `json:"steps"`
	Logs    []host.Log    `json:"logs"`    // of each intent that was suspended, else empty
	Folders []host.Log    `json:"folders"` // of each portfolio
}

// Taken is a step of a program as it went.
type Taken struct {
	Reply      host.Reply       `json:"reply"` // to the request for another status, or to the answer
	Suspension *host.Suspension `json:"suspension,omitempty"`
	After      Sight            `json:"after"`
}

// Sight is everything at one moment.
type Sight struct {
	Intents    []host.Reply `json:"intents"`
	Portfolios []host.Reply `json:"portfolios"`
	Graphs     []host.Reply `json:"graphs"` // of each parent
	// What further routes show: lists around the first parent, and the portfolios of one intent.
	Lists    map[string]host.Reply `json:"lists"`
	Of       int                   `json:"of"`
	MemberOf host.Reply            `json:"memberOf"`
}

var drawnGraphs = &scenarios.Drive[GraphsObservation]{
	ID: "openintent/drawn-graphs",
	Title: "makes graphs of drawn intents with parents, dependencies and portfolios, suspends, answers and completes them in a drawn order, " +
		"and reads all of it after each step",
	Sends: []string{
		"POST /intents and /intents/{id}/children", "POST /intents/{id}/dependencies", "POST /portfolios and /portfolios/{id}/intents",
		"POST /intents/{id}/state and /status", "POST /intents/{id}/suspend/respond", "GET /intents/{id}, its graph and its events",
		"GET /portfolios/{id} and its events",
	},
	Uses:       []string{scenarios.Heavy},
	Dimensions: graphDimensions,
	Run: func(ctx context.Context, c *scenarios.Conn, o *GraphsObservation) {
		s := host.Open(ctx, c)
		responses := taken(ctx, s)
		for range graphs[c.Depth] {
			r := runner{Server: s, world: drawGraph(s, responses).Begin(), given: map[string]bool{}}
			o.Programs = append(o.Programs, Ran{Program: r.world.Program})
			r.run(ctx, &o.Programs[len(o.Programs)-1])
		}
	},
}

// runner carries out a program.
type runner struct {
	*host.Server
	world      *model.Scene
	intents    []*host.Intent
	portfolios []*host.Portfolio
	waiting    map[int]host.Suspension
	turn       int             // of the intent whose portfolios are read
	given      map[string]bool // up: what did not come in time once is not waited for again
}

func (r *runner) run(ctx context.Context, ran *Ran) {
	r.make(ctx, ran)
	r.waiting = map[int]host.Suspension{}
	ran.Start = r.settle(ctx, "before", nil)
	now := ran.Start
	for n, step := range ran.Program.Steps {
		if step.Do == model.Suspend && now.status(step.Intent).String() != host.Active {
			break // the intents have gone another way
		}
		var taken Taken
		if refused := scenarios.Try(func() { taken = r.take(ctx, step) }); refused != nil {
			if len(r.waiting) > 0 && (host.IsBlocked(refused) || host.Lacking(refused)) {
				break // what comes next rests on it
			}
			scenarios.End(refused)
		}
		before := r.world
		r.world = taken.follow(before, step)
		taken.After = r.settle(ctx, fmt.Sprintf("after step %d", n+1), before)
		now, ran.Steps = taken.After, append(ran.Steps, taken)
		if !step.Moves() && taken.Reply.Ok() == (step.Do == model.Try) {
			break
		}
	}
	r.logs(ctx, ran)
}

// follow returns the world after a step. A portfolio need not take it.
func (t Taken) follow(world *model.Scene, step model.Step) *model.Scene {
	if world = world.Copy(); !step.Moves() || t.Reply.Ok() {
		world.Take(step)
	}
	return world
}

// make makes the intents and portfolios. All intents are active, or blocked where the server has them so.
func (r *runner) make(ctx context.Context, ran *Ran) {
	var later []func(context.Context)
	for n, in := range r.world.Places {
		stem := fmt.Sprintf("intent-%d", n)
		var i *host.Intent
		if in.Parent == model.None {
			i = r.NewIntent(ctx, stem, host.Active, nil)
		} else {
			i = r.intents[in.Parent].Child(ctx, stem)
		}
		r.intents, ran.IDs = append(r.intents, i), append(ran.IDs, i.ID)
		later = append(later, func(ctx context.Context) {
			for _, d := range in.DependsOn {
				if reply := i.DependOn(ctx, r.intents[d]); !reply.Ok() {
					i.SetUp("let an intent wait for another", reply)
				}
			}
		})
	}
	r.AtOnce(ctx, later...)
	for i, folder := range r.world.Folders {
		f, err := scenarios.Attempt(func() *host.Portfolio { return r.Portfolio(ctx, nil) })
		if host.Lacking(err) { // a graph needs none
			return
		}
		scenarios.End(err)
		refused := false
		for k, m := range folder.Members {
			err := scenarios.Try(func() { f.AddAs(ctx, r.intents[m.Intent], m.Role) })
			if again := slices.Contains(r.world.Members[i][:k], m.Intent); again && host.IsBlocked(err) { // a server may refuse it (OIP-R127)
				refused = true
				continue
			}
			scenarios.End(err)
		}
		r.portfolios, ran.Refused = append(r.portfolios, f), append(ran.Refused, refused)
	}
}

// take takes a step.
func (r *runner) take(ctx context.Context, step model.Step) (t Taken) {
	i := r.intents[step.Intent]
	switch step.Do {
	case model.Suspend:
		order := host.RecordFirst
		if step.StatusFirst {
			order = host.StatusFirst
		}
		sus := i.SuspendBy(ctx, asked(r.Server, step.Record), order)
		r.waiting[step.Intent] = sus
		t.Suspension, t.Reply = &sus, sus.Status
	case model.Answer:
		t.Reply = i.Answer(ctx, "an answer", r.waiting[step.Intent].ID, decoded(step.Answer))
		if host.MissingRoute(t.Reply) {
			host.NoAnswers(r.Server, t.Reply)
		}
	case model.Complete:
		t.Reply = i.Set(ctx, host.Completed, "complete an intent")
	case model.Join, model.Leave:
		if step.On >= len(r.portfolios) {
			break // the server has none
		}
		if f := r.portfolios[step.On]; step.Do == model.Join {
			t.Reply = f.Join(ctx, i, host.Roles[0])
		} else {
			t.Reply = f.Drop(ctx, i)
		}
	case model.Abandon:
		t.Reply = i.Set(ctx, host.Abandoned, "abandon an intent")
	case model.Try:
		t.Reply = i.Set(ctx, host.Completed, "complete an intent over what is open")
	}
	return t
}

// look reads everything.
func (r *runner) look(ctx context.Context, when string) (s Sight) {
	parents := parentsOf(r.world)
	s.Intents, s.Graphs = make([]host.Reply, len(r.intents)), make([]host.Reply, len(parents))
	s.Portfolios = make([]host.Reply, len(r.portfolios))
	var reads []func(context.Context)
	for n, i := range r.intents {
		reads = append(reads, func(ctx context.Context) { s.Intents[n] = i.Read(ctx, fmt.Sprintf("intent %d %s", n, when)) })
	}
	for n, f := range r.portfolios {
		reads = append(reads, func(ctx context.Context) { s.Portfolios[n] = f.Read(ctx, fmt.Sprintf("portfolio %d %s", n, when)) })
	}
	for n, p := range parents {
		reads = append(reads, func(ctx context.Context) {
			s.Graphs[n] = r.Get(ctx, fmt.Sprintf("the graph of intent %d %s", p, when), host.At("/intents/%s/graph", r.intents[p].ID))
		})
	}
	r.AtOnce(ctx, reads...)
	return s
}

// settle looks until everything that the last step changes shows, or patience is over: a server may be late. What did not come in time
// once is not waited for again.
func (r *runner) settle(ctx context.Context, when string, before *model.Scene) (s Sight) {
	defer func() { r.further(ctx, when, &s) }()
	s = r.look(ctx, when)
	if before == nil || len(r.late(s, before)) == 0 {
		return s
	}
	r.Await(ctx, "what follows from a step", func(ctx context.Context) (wire.Value, bool) {
		s = r.look(ctx, when)
		late := r.late(s, before)
		return s.Intents[0].Status, len(late) == 0
	})
	for _, what := range r.late(s, before) {
		r.given[what] = true
	}
	return s
}

// relations are the lists of intents around one.
var relations = []string{"children", "ready", "blocked"}

// further reads what other routes show, when the rest has settled. Each time it is another intent whose portfolios are read.
func (r *runner) further(ctx context.Context, when string, s *Sight) {
	lists := make([]host.Reply, len(relations))
	r.turn++
	s.Of, s.Lists = r.turn%len(r.intents), map[string]host.Reply{}
	reads := []func(context.Context){func(ctx context.Context) {
		s.MemberOf = r.Get(ctx, fmt.Sprintf("the portfolios of intent %d %s", s.Of, when), host.At("/intents/%s/portfolios", r.intents[s.Of].ID))
	}}
	for n, of := range relations {
		reads = append(reads, func(ctx context.Context) {
			lists[n] = r.Get(ctx, fmt.Sprintf("the %s of intent %d %s", of, parent, when), host.At("/intents/%s/"+of, r.intents[parent].ID))
		})
	}
	r.AtOnce(ctx, reads...)
	for n, of := range relations {
		s.Lists[of] = lists[n]
	}
}

// late returns what the last step changed and does not show yet.
func (r *runner) late(s Sight, before *model.Scene) (late []string) {
	note := func(what string, is bool) {
		if !is && !r.given[what] {
			late = append(late, what)
		}
	}
	for n, now := range s.Intents {
		if may := r.world.May(n); now.Code() != http.StatusNotFound && !slices.Equal(may, before.May(n)) {
			note(may[0], slices.Contains(may, now.Body.Key("status").String()))
		}
	}
	for i, now := range s.Portfolios {
		docs := host.Named("portfolio", now.Body)
		want, was := r.world.Shows(i), before.Shows(i)
		if count := host.Locate(host.PortfolioCount, docs); count.Present() && want.Suspended != was.Suspended {
			n, _ := count.Int()
			note("the count of a portfolio", int(n) == want.Suspended || int(n) == want.Memberships)
		}
		word := host.Locate(host.PortfolioAggregate, docs)
		if word.Present() && word.Place.Pointer != "/status" && want.Word != "" && want.Word != was.Word {
			note("the word of a portfolio", word.String() == want.Word)
		}
	}
	for k, p := range parentsOf(r.world) {
		for _, status := range []string{host.Suspended, host.Completed} {
			at := aggregateOf(s, k, p).At("/by_status")
			least, most := r.world.Counted(p, status)
			if was, had := before.Counted(p, status); at.Present() && (least != was || most != had) {
				n, _ := at.Key(status).Int()
				note("the aggregate of a parent", least <= int(n) && int(n) <= most)
			}
		}
	}
	return late
}

// parentsOf returns the intents that have children, in order.
func parentsOf(world *model.Scene) (parents []int) {
	for n := range world.Family {
		if world.Children(n) != 0 {
			parents = append(parents, n)
		}
	}
	return parents
}

// aggregateOf is the aggregate that the parent p shows, whose graph is the k-th.
func aggregateOf(s Sight, k, p int) host.Located {
	return host.Locate(host.ParentAggregate, host.Named("graph", s.Graphs[k].Body).And("intent", s.Intents[p].Body))
}

// logs reads the logs in the end.
func (r *runner) logs(ctx context.Context, ran *Ran) {
	ran.Logs, ran.Folders = make([]host.Log, len(r.intents)), make([]host.Log, len(r.portfolios))
	var reads []func(context.Context)
	for n, i := range r.intents {
		if _, was := r.waiting[n]; was {
			reads = append(reads, func(ctx context.Context) { ran.Logs[n] = i.Log(ctx, fmt.Sprintf("the log of intent %d", n)) })
		}
	}
	for n, f := range r.portfolios {
		reads = append(reads, func(ctx context.Context) {
			ran.Folders[n] = r.LogAt(ctx, fmt.Sprintf("the log of portfolio %d", n), host.At("/portfolios/%s/events", f.ID))
		})
	}
	r.AtOnce(ctx, reads...)
}
