package histories

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

const (
	interval = 600 // seconds between two attempts
	beyond   = time.Second
	deadline = 300 // seconds: shorter than an interval, so that no window ends with it
)

// group is a group on the target.
type group struct {
	*host.Server
	intents []*host.Intent
	folders []*host.Portfolio
	tasks   []*host.Task
	plan    *host.Plan
	names   model.Names
	sent    []host.Suspension // the last record of each
	leases  []string
	before  []wire.Value  // the status of the intent that a write is about
	behind  []bool        // its clock was moved since the server told its time
	states  []model.Group // in which it may be, to tell what comes late
}

func makeGroup(ctx context.Context, c *scenarios.Conn, begin model.Group) *group {
	g := &group{
		Server: host.Open(ctx, c), sent: make([]host.Suspension, begin.Size), leases: make([]string, begin.Size),
		behind: make([]bool, begin.Size), states: []model.Group{begin},
	}
	g.names.Sids = make([][]string, begin.Size)
	for n := range begin.Size {
		var i *host.Intent
		title := ""
		if up := begin.All[n].Parent; up == model.None {
			title = g.Name("intent") + strings.Repeat(" and more", 30)
			i = g.NewIntent(ctx, "", begin.All[n].Status, map[string]any{"title": title})
		} else {
			i = g.intents[up].Child(ctx, fmt.Sprintf("intent-%d", n))
		}
		for on := range n {
			if begin.All[n].Needs.Has(on) {
				if reply := i.DependOn(ctx, g.intents[on]); !reply.Ok() {
					i.SetUp("let an intent wait for another", reply)
				}
			}
		}
		g.intents, g.names.Intents = append(g.intents, i.Apart()), append(g.names.Intents, i.ID)
		g.names.Titles = append(g.names.Titles, title)
	}
	if begin.Offers.Portfolio {
		g.fill(ctx, begin)
	}
	if begin.Offers.Plan {
		for _, w := range begin.Works {
			t := g.Task(ctx, g.intents[w.Intent], nil)
			t.Run(ctx)
			g.tasks, g.names.Works = append(g.tasks, t), append(g.names.Works, t.ID)
		}
		g.plan = g.Plan(ctx, g.intents[0], g.tasks...)
	}
	return g
}

// fill makes the portfolios.
func (g *group) fill(ctx context.Context, begin model.Group) {
	for _, shelf := range begin.Folders {
		var policy map[string]any
		if shelf.Dated {
			policy = map[string]any{"deadline": host.Stamp(g.ServerNow().Add(deadline * time.Second))}
		}
		f := g.Portfolio(ctx, policy)
		for n, i := range g.intents {
			if shelf.Members.Has(n) {
				f.AddAs(ctx, i, host.Roles[n%len(host.Roles)])
			}
		}
		g.folders, g.names.Folders = append(g.folders, f), append(g.names.Folders, f.ID)
	}
}

// Do implements [explore.Object].
func (g *group) Do(ctx context.Context, _ int, in model.Deed) (out model.Found) {
	if slices.Contains(model.Reads, in.Do) {
		out = g.settled(ctx, in)
	} else {
		g.before = nil
		out = g.does(ctx, in)
		if g.before != nil {
			out.Own = g.before
		}
	}
	next := g.after(in, out)
	switch {
	case len(next) > 0:
		g.states = next
	case in.Do != model.Look && slices.Contains(model.Reads, in.Do): // is it the intents that are not as they must be?
		out.Own = g.own(ctx, model.None)
	}
	return out
}

func (g *group) after(in model.Deed, out model.Found) []model.Group {
	return model.GroupModel.After(g.states, history.Step[model.Deed, model.Found]{In: in, Out: out})
}

// settled reads until what is shown is explained, or that does not come: a server may be late.
func (g *group) settled(ctx context.Context, in model.Deed) (out model.Found) {
	g.CatchUp(ctx)
	g.UntilShown(ctx, func(ctx context.Context) bool {
		out = g.read(ctx, in)
		return len(g.after(in, out)) > 0
	})
	return out
}

// own reads an intent, or all of them if n is none, and returns the statuses by number.
func (g *group) own(ctx context.Context, n int) (all []wire.Value) {
	for k, i := range g.intents {
		status := wire.Value{}
		if n == model.None || n == k {
			status = g.Get(ctx, "an intent before that", host.At("/intents/%s", i.ID)).Body.Key("status")
		}
		all = append(all, status)
	}
	return all
}

func (g *group) found(r host.Reply) model.Found {
	n := g.names
	n.Sids = slices.Clone(n.Sids)
	return model.Found{Code: r.Code(), Status: r.Status, Body: r.Body, Names: n}
}

// does takes a step that may change something.
func (g *group) does(ctx context.Context, in model.Deed) (out model.Found) {
	n, i := in.Intent, g.intents[in.Intent]
	switch in.Do {
	case model.Answer:
		return g.answer(ctx, in)
	case model.Records:
		return g.record(ctx, in)
	case model.Note:
		return g.found(g.write(ctx, i, in, i.PatchCall(host.Note, in.Value, "write a note")))
	case model.Halts:
		g.catch(ctx, n)
		return g.found(g.write(ctx, i, in, i.SetCall(host.Suspended, "suspend an intent")))
	case model.Complete:
		return g.found(g.write(ctx, i, in, i.SetCall(host.Completed, "complete an intent")))
	case model.Abandon:
		return g.found(g.write(ctx, i, in, i.SetCall(host.Abandoned, "abandon an intent")))
	case model.Activate:
		return g.found(g.write(ctx, i, in, i.SetCall(host.Active, "have an intent go on")))
	case model.Depend:
		return g.found(g.write(ctx, i, in, i.Call("let an intent wait for another", http.MethodPost, host.At("/intents/%s/dependencies", i.ID),
			map[string]any{"dependency_id": g.intents[in.On].ID})))
	case model.Frees:
		return g.found(g.write(ctx, i, in, i.Call("take a dependency away", http.MethodDelete,
			host.At("/intents/%s/dependencies/%s", i.ID, g.intents[in.On].ID), nil)))
	case model.Claim:
		reply := i.Lease(ctx, "a lease", host.Scope, interval)
		if id := reply.Body.Key("id").String(); reply.Ok() {
			g.leases[n] = id
		}
		return g.found(reply)
	case model.Renew:
		if g.leases[n] != "" {
			return g.found(i.Renew(ctx, "renew a lease", g.leases[n], interval))
		}
	case model.Pass:
		g.behind[n], g.leases[n] = true, ""
		return g.found(i.Lapse(ctx, interval*time.Second+beyond).Said)
	default:
		return g.folder(ctx, in)
	}
	return out
}

// folder takes steps of portfolios, where the server has them.
func (g *group) folder(ctx context.Context, in model.Deed) (out model.Found) {
	if len(g.folders) == 0 {
		return out
	}
	switch f, i := g.folders[in.On], g.intents[in.Intent]; in.Do {
	case model.Join:
		return g.found(f.Join(ctx, i, host.Roles[in.Intent%len(host.Roles)]))
	case model.Leave:
		return g.found(f.Drop(ctx, i))
	case model.Deadline:
		if s := g.states[0].Folders[in.On]; s.Dated && !s.Passed {
			for n := range g.behind {
				g.behind[n] = true
			}
			return g.found(f.Lapse(ctx, (deadline+10)*time.Second))
		}
	}
	return out
}

// catch has the server tell the time of an intent whose clock was moved.
func (g *group) catch(ctx context.Context, n int) {
	if g.behind[n] {
		g.intents[n].Patch(ctx, "again", true, "write before a suspension")
		g.behind[n] = false
	}
}

// write sends a change that names the version that the step means.
func (g *group) write(ctx context.Context, i *host.Intent, in model.Deed, call wire.Call) (reply host.Reply) {
	for tries := 0; ; tries++ {
		now := i.Read(ctx, "version, to "+call.Label)
		if look := (model.Deed{Do: model.Look, Intent: in.Intent}); tries == 0 && len(g.after(look, g.looked(in.Intent, now))) == 0 {
			g.settled(ctx, look) // what is late is not what the change rests on
			now = i.Read(ctx, "version, to "+call.Label)
		}
		version, _ := now.Body.Key("version").Int()
		g.before = make([]wire.Value, len(g.intents))
		g.before[in.Intent] = now.Body.Key("status")
		switch in.Match {
		case model.MatchNone:
			return g.Send(ctx, call)
		case model.MatchLater:
			version = []int64{version + 1000, version*10 + 1000}[in.Value%2] // the server may move it meanwhile
		case model.MatchOld:
			switch {
			case version < 2:
				version++
			case version > 10: // as a text it comes behind
				version = 9
			default:
				version--
			}
		}
		call.Header = map[string]string{"If-Match": strconv.FormatInt(version, 10)}
		reply = g.Send(ctx, call)
		conflict := reply.Code() == http.StatusConflict || reply.Code() == http.StatusPreconditionFailed
		if !conflict || in.Match != "" || tries == 2 {
			return reply
		}
	}
}

// record writes a record.
func (g *group) record(ctx context.Context, in model.Deed) model.Found {
	n, i := in.Intent, g.intents[in.Intent]
	g.catch(ctx, n)
	r := g.question(in).With(map[string]any{"suspended_at": host.Stamp(i.ServerNow())})
	var reply host.Reply
	if in.Merged {
		reply = i.Merge(ctx, "_suspension", r, "write a record")
	}
	if !reply.Ok() {
		reply = i.Patch(ctx, "_suspension", r, "write a record")
	}
	if id, _ := r["id"].(string); reply.Ok() {
		g.sent[n] = host.Suspension{Sent: host.SentOf(scenarios.Get(json.Marshal(r)))}
		g.names.Sids[n] = append(slices.Clone(g.names.Sids[n]), id)
	}
	return g.found(reply)
}

// question is a record as a step has it.
func (g *group) question(in model.Deed) host.Record {
	q := ask(g.Server, model.Kinds[in.Value])
	w := model.Windows[in.Window]
	switch {
	case w.Attempts == 0:
		return q
	case w.Plain:
		return q.Within(interval, w.Fallback, "as usual")
	}
	policy := map[string]any{}
	if w.Step > 0 {
		policy["escalation_ladder"] = []any{map[string]any{
			"attempt": w.Step, "channel_hint": model.StepChannel, "notify_to": model.StepRecipient,
		}}
	}
	outer := w.Fallback
	says, _ := g.DefaultPolicy().Actual().(map[string]any)
	platform := len(says) > 0 // whose policy would be inherited
	if !w.Inherits || platform {
		policy["final_fallback_policy"] = w.Fallback
	}
	if w.Outer != "" {
		outer = w.Outer
	}
	r := q.Retried(w.Attempts, interval, policy).With(map[string]any{"fallback_policy": outer, "fallback_value": "as usual"})
	if said, _ := r["retry_policy"].(map[string]any); w.Silent && !platform {
		delete(said, "max_attempts")
	}
	return r
}

// answer answers the suspension that the step names.
func (g *group) answer(ctx context.Context, in model.Deed) model.Found {
	body := map[string]any{"suspension_id": g.named(in), "value": model.Values[in.Value]}
	if in.Names == model.NamesNone {
		delete(body, "suspension_id")
		ctx = wire.Misfit(ctx, "OIP-0025-A2")
	}
	own := g.own(ctx, in.Intent)
	reply := g.intents[in.Intent].Respond(ctx, "an answer", body)
	out := g.found(reply)
	out.Own = own
	if !reply.Ok() {
		if at := host.Locate(host.ValidChoices, host.Named("body", reply.Body)); at.Present() || reply.Body.Present() {
			out.Where = []wire.Value{at.Value}
		}
	}
	return out
}

func (g *group) named(in model.Deed) string {
	sids := g.names.Sids[in.Intent]
	switch in.Names {
	case model.NamesEarlier:
		if len(sids) > 1 {
			return sids[len(sids)-2]
		}
		return g.Token()
	case model.NamesOther:
		if others := g.names.Sids[in.On]; in.On != in.Intent && len(others) > 0 {
			return others[len(others)-1]
		}
		return g.Token()
	}
	if len(sids) == 0 {
		return g.Token()
	}
	last := sids[len(sids)-1]
	if in.Names == model.NamesNear {
		return near(last)
	}
	return last
}
