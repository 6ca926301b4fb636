package histories

import (
	"context"

	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

// read takes a step that only reads. What the server does not have is not asked.
func (g *group) read(ctx context.Context, in model.Deed) (out model.Found) {
	id := g.intents[in.Intent].ID
	get := func(path string, ids ...string) model.Found {
		return g.found(g.Get(ctx, string(in.Do), host.At(path, ids...)))
	}
	switch in.Do {
	case model.Look:
		out = g.looked(in.Intent, g.Get(ctx, string(in.Do), host.At("/intents/%s", id)))
	case model.LookGraph:
		out = get("/intents/%s/graph", id)
		out.Where = []wire.Value{g.Get(ctx, "the intent of a graph", host.At("/intents/%s", id)).Body}
	case model.LookReady:
		out = get("/intents/%s/ready", id)
	case model.LookHeld:
		out = get("/intents/%s/blocked", id)
	case model.LookLog:
		log := g.LogAt(ctx, string(in.Do), host.At("/intents/%s/events", id))
		out = g.found(host.Reply{Status: log.Read, Body: log.Read})
		out.List = log.Events
	case model.LookTask, model.LookTasks, model.LookPlan:
		return g.work(ctx, in, get)
	default:
		return g.containers(ctx, in, get)
	}
	return out
}

// looked is what a read of an intent shows.
func (g *group) looked(n int, r host.Reply) model.Found {
	out := g.found(r)
	out.Odd = odd(g.sent[n], r.Body.At("/state/_suspension"))
	return out
}

// odd returns the members of a record that are not as they were written.
func odd(s host.Suspension, record wire.Value) (all []wire.Value) {
	for _, member := range s.Members() {
		at := record.Key(member)
		if ok, err := host.AsSent(s.SentMember(member)).Match(at); err == nil && !ok {
			all = append(all, at)
		}
	}
	return all
}

func (g *group) containers(ctx context.Context, in model.Deed, get func(string, ...string) model.Found) (out model.Found) {
	if len(g.folders) == 0 {
		return out
	}
	f := g.folders[in.On].ID
	switch in.Do {
	case model.LookFolder:
		out = get("/portfolios/%s", f)
		out.Where = sums(out.Body)
	case model.LookMembers:
		out = get("/portfolios/%s/intents", f)
	case model.LookWithin:
		out = get("/intents/%s/portfolios", g.intents[in.Intent].ID)
		for _, e := range host.Entries(out.Body, "portfolios") {
			out.Where = append(append(out.Where, e.Key("id")), sums(e)...)
		}
	case model.LookTold:
		log := g.LogAt(ctx, string(in.Do), host.At("/portfolios/%s/events", f))
		out = g.found(host.Reply{Status: log.Read, Body: log.Read})
		out.List = log.Events
	}
	return out
}

// sums are the flag, the count, the word and the status of a portfolio. The word is not that which its owner may set.
func sums(portfolio wire.Value) []wire.Value {
	docs := host.Named("portfolio", portfolio)
	word := host.Locate(host.PortfolioAggregate, docs)
	if word.Place.Pointer == "/status" {
		word.Value = portfolio.At("/aggregate_status/status")
	}
	return []wire.Value{
		host.Locate(host.PortfolioFlag, docs).Value, host.Locate(host.PortfolioCount, docs).Value, word.Value, portfolio.Key("status"),
	}
}

func (g *group) work(ctx context.Context, in model.Deed, get func(string, ...string) model.Found) (out model.Found) {
	if len(g.tasks) == 0 {
		return out
	}
	switch in.Do {
	case model.LookTask:
		out = get("/tasks/%s", g.tasks[in.On].ID)
		task := host.Named("task", out.Body)
		out.Where = []wire.Value{
			host.StatusOf(out.Body).Value, out.Body.Key("blocked_reason"), host.Locate(host.SuspendedIntent, task).Value,
		}
	case model.LookTasks:
		out = get("/intents/%s/tasks", g.intents[in.Intent].ID)
		for _, e := range host.Entries(out.Body, "tasks") {
			out.Where = append(out.Where, e.Key("id"), host.StatusOf(e).Value)
		}
	case model.LookPlan:
		out = get("/plans/%s", g.plan.ID)
		docs := host.Named("plan", out.Body)
		if !host.Locate(host.SuspendedTasks, docs).Present() {
			docs = docs.And("progress", g.plan.Progress(ctx, "the progress of a plan").Body)
		}
		out.Where = []wire.Value{host.Locate(host.SuspendedTasks, docs).Value, out.Body.Key("state")}
	}
	return out
}
