package operations

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/access"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// MisfitsObservation is what a host answered to requests that do not fit its contract.
type MisfitsObservation struct {
	Made   Made          `json:"made"`
	Before State         `json:"before"`
	Rounds []MisfitRound `json:"rounds"`
}

// MisfitRound is what was asked of the things of one kind, and the things afterwards.
type MisfitRound struct {
	Thing string         `json:"thing"` // its place in paths; "" for operations that name nothing
	Tried []access.Tried `json:"tried"`
	After State          `json:"after"` // of the things of this kind
}

func (o MisfitsObservation) given(j *scenarios.Judge) { o.Made.given(j, o.Before) }

// MisfitTable is every operation with every kind of misfit, and what is not sent and why.
var MisfitTable = sync.OnceValues(func() ([]access.MisfitCell, error) {
	contract, err := Contract()
	if err != nil {
		return nil, err
	}
	return contract.MisfitTable(misfitExcluded, map[string]any{
		"editGoal": dialect.EditGoalRequest{Objective: "word"}, // of which the contract demands some member, and none by name
	}), nil
})

// misfitExcluded says why misfits of a way are not sent, "" if they are.
func misfitExcluded(w access.Way) string {
	switch {
	case slices.Contains(w.Tags, "seams"):
		return "a seam is for tests, and no text says what it refuses"
	case !w.Secured && !w.In(token):
		return "the operation takes nothing that could be wrong"
	}
	return ""
}

// thingOf returns the place in paths of the things that a way may change, "" for none that is read again.
func thingOf(w access.Way) string {
	switch place := ownedBy(w); {
	case place != "":
		return place
	case w.In(token), strings.Contains(w.Path, "/runs:"):
		return run
	case strings.Contains(w.Path, "/goals"):
		return goal
	case strings.Contains(w.Path, "/files"):
		return file
	}
	return ""
}

// makes reports whether a way makes runs, which may have to be paid for, or goals.
func makes(w access.Way) bool {
	return w.Method == "POST" && (w.Operation == "forkRun" || ownedBy(w) == "" && w.Operation != "bulkCancelRuns" && !w.In(token))
}

// misfitting sends every operation of the contract what it does not allow. Those that no host can do come first.
var misfitting = &scenarios.Drive[MisfitsObservation]{
	ID: "openwop/every-misfit",
	Title: "makes a run, a run that waits, a file and a goal, and sends every operation of the contract requests with one thing wrong: " +
		"each member of its body and each parameter, in each way that its schema refuses",
	Sends: []string{"{create run}, four times", "{write file}", "{create goal}",
		"every operation of the contract, with bodies and parameters that do not fit",
		"{read run}, {poll log}, {read file}, {list files}, {read goal} and {list goals}, several times"},
	Replies:    60,
	Uses:       []string{host.WorkspaceFiles},
	Dimensions: lacks,
	Run: func(ctx context.Context, c *scenarios.Conn, o *MisfitsObservation) {
		h := host.Host{Conn: c}
		t, made := prepare(ctx, h)
		if o.Made = made; t.ended.ID == "" {
			return
		}
		defer t.files.Tidy(ctx)
		o.Before = t.stands(ctx, "before anything that does not fit")
		contract := scenarios.Get(Contract())
		sends := access.Misfitting{
			Contract: contract, Word: t.strange, Excluded: misfitExcluded, Thing: thingOf, Costly: makes, Made: t.adopt,
			Call: func(m access.Misfit) (wire.Call, bool) { return t.misfitCall(contract, m) },
		}
		for _, g := range sends.Groups(c) {
			r := MisfitRound{Thing: g.Thing, Tried: sends.Try(wire.Misfit(ctx, openwop.OWPERR26), c, g.Misfits)}
			r.After = t.standsOf(ctx, "after requests that do not fit", r.Thing)
			if len(r.Tried) > 0 {
				o.Rounds = append(o.Rounds, r)
			}
		}
	},
}

// misfitCall returns the request of a misfit without what is wrong in its body.
func (t *things) misfitCall(contract *access.Contract, m access.Misfit) (q wire.Call, ok bool) {
	q, ok = t.call(contract, m.Way, func(name string) (any, bool) {
		if name == token && m.Way.In(token) {
			return t.token, t.token != ""
		}
		return m.Value(name)
	}, false)
	q.Anonymous = m.Way.In(token)
	return q, ok
}

// adopt takes care of what was made by a request that was let in.
func (t *things) adopt(reply *wire.Reply) {
	t.Adopt(reply)
	if id := reply.Text("/id"); id != "" && reply.Text("/objective") != "" && t.goal != nil && id != t.goal.ID {
		t.goal.Again(host.GoalMade{ID: id})
	}
}

// EndsObservation is what became of things that are over when every operation named them.
type EndsObservation struct {
	Made    Made            `json:"made"`
	Dropped bool            `json:"dropped"` // the file was deleted
	Before  State           `json:"before"`
	Asked   []access.Answer `json:"asked"`
	After   State           `json:"after"`
}

// afterwards ends what it made, and has every operation name it. Only a write makes a file anew.
var afterwards = &scenarios.Drive[EndsObservation]{
	ID: "openwop/every-operation-afterwards",
	Title: "makes a run that ends, one that is cancelled, a file that is deleted and a goal that is abandoned, and sends every operation " +
		"of the contract for them",
	Sends: []string{"{create run}, four times", "{write file}", "{create goal}", "{cancel run}", "{delete file}", "{abandon goal}",
		"every operation of the contract that names one of them",
		"{read run}, {poll log}, {read file}, {list files}, {read goal} and {list goals}, before and after"},
	Replies:    60,
	Uses:       []string{host.WorkspaceFiles},
	Dimensions: lacks,
	Run: func(ctx context.Context, c *scenarios.Conn, o *EndsObservation) {
		h := host.Host{Conn: c}
		t, made := prepare(ctx, h)
		if o.Made = made; t.ended.ID == "" {
			return
		}
		defer t.files.Tidy(ctx)
		if t.held != t.ended {
			t.held.Stop(ctx, "to cancel the run that waits")
			t.held.AwaitEnd(ctx)
		}
		if t.goal != nil {
			t.Send(ctx, wire.Call{Operation: t.goal.To(dialect.AbandonGoal), Label: "abandon the goal"})
		}
		if t.path != "" {
			o.Dropped = t.files.Drop(ctx, t.path).Status.Present()
		}
		o.Before = t.stands(ctx, "as it ended")
		contract := scenarios.Get(Contract())
		for _, k := range c.Rand.Perm(len(contract.Ways)) {
			w := contract.Ways[k]
			if ownedBy(w) == "" || w.With != "" || slices.Contains(w.Tags, "seams") || w.In(file) && w.Method == "PUT" {
				continue
			}
			q, ok := t.call(contract, w, nil, false)
			if !ok {
				continue
			}
			q.Label = w.Name() + ", of what is over"
			a, reply := access.Send(ctx, c, w, q)
			if o.Asked = append(o.Asked, a); reply != nil && reply.Success() && !strings.Contains(w.Path, "/goals/") {
				t.Adopt(reply)
			}
		}
		o.After = t.stands(ctx, "after every operation")
	},
}
