package histories

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

// firstNote is what a plan says when a history begins.
const firstNote = "first"

var papers = &explore.Kind[model.Paper, model.Editing, model.Edited]{
	Model: model.PaperModel,
	Begin: func(*rand.Rand, scenarios.Discovery) model.Paper { return model.Paper{Note: firstNote} },
	Make: func(ctx context.Context, c *scenarios.Conn, _ model.Paper) explore.Object[model.Editing, model.Edited] {
		return makePaper(ctx, c)
	},
	Draw: func(r *rand.Rand, _ model.Paper) model.Editing {
		if r.IntN(3) == 0 {
			return model.Editing{Do: model.Look}
		}
		in := model.Editing{Do: model.Note, Value: "note-" + strconv.Itoa(r.IntN(1000))}
		in.Match = choose(r, []weighed[string]{{"", 6}, {model.MatchOld, 2}, {model.MatchLater, 1}})
		return in
	},
	Shown:   func(out model.Edited) wire.Value { return out.Status },
	Clients: 4,
	Single:  true,
}

var writtenAtOnce = &scenarios.Drive[explore.Observation[model.Paper, model.Editing, model.Edited]]{
	ID:         "openintent/plans-at-once",
	Title:      "has up to four clients at once change a plan by the version that they saw last, by an old one and a later one, and read it",
	Sends:      []string{"POST /intents", "POST /plans", "PATCH /plans/{id}", "GET /plans/{id}"},
	Kills:      true,
	Dimensions: explore.Dimensions,
	Run:        papers.Run,
}

// paper is a plan with a note.
type paper struct {
	*host.Plan
	mu  sync.Mutex
	saw int64 // the version that was seen last
	// quiet is held for reading by each write, and by one that reads: no text says when a read tells what is under way.
	quiet sync.RWMutex
}

func makePaper(ctx context.Context, c *scenarios.Conn) *paper {
	s := host.Open(ctx, c)
	p := &paper{Plan: s.Plan(ctx, s.NewIntent(ctx, "planned", host.Active, nil))}
	version, has := p.Read(ctx, "the plan").Body.Key("version").Int()
	if !has {
		scenarios.End(scenarios.NotOffered("plans show no version (OIP-R201)"))
	}
	p.saw = version
	if first := p.write(ctx, firstNote, version); !first.Ok() || noteOf(first).String() != firstNote {
		scenarios.End(scenarios.NotOffered("a plan keeps no metadata that are changed (OIP-R201)"))
	}
	return p
}

func noteOf(r host.Reply) wire.Value { return r.Body.At("/metadata/note") }

func (p *paper) write(ctx context.Context, note string, version int64) host.Reply {
	call := p.Call("change a plan", http.MethodPatch, host.At("/plans/%s", p.ID), map[string]any{"metadata": map[string]any{"note": note}})
	call.Header = map[string]string{"If-Match": strconv.FormatInt(version, 10)}
	return p.sees(p.Send(ctx, call))
}

// sees notes the version that a reply tells.
func (p *paper) sees(r host.Reply) host.Reply {
	version, _ := r.Body.Key("version").Int()
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Ok() {
		p.saw = max(p.saw, version)
	}
	return r
}

func (p *paper) last() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.saw
}

// Do implements [explore.Object].
func (p *paper) Do(ctx context.Context, _ int, in model.Editing) (out model.Edited) {
	if in.Do == model.Look {
		p.quiet.Lock()
		defer p.quiet.Unlock()
		p.CatchUp(ctx)
		p.UntilShown(ctx, func(ctx context.Context) bool { // a server may be late
			before := p.last()
			out = edited(p.sees(p.Read(ctx, "the plan")), 0)
			version, _ := out.Version.Int()
			return version >= before
		})
		return out
	}
	p.quiet.RLock()
	defer p.quiet.RUnlock()
	named := p.last()
	switch in.Match {
	case model.MatchOld:
		if named--; named >= 10 { // as a text it comes behind
			named = 9
		}
	case model.MatchLater:
		named += 1000
	}
	return edited(p.write(ctx, in.Value, named), named)
}

func edited(r host.Reply, named int64) model.Edited {
	return model.Edited{Code: r.Code(), Status: r.Status, Note: noteOf(r), Version: r.Body.Key("version"), Named: named}
}
