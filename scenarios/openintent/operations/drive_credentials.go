package operations

import (
	"context"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/access"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Observation is what callers got who may not use what they asked for.
type Observation struct {
	Made   Made    `json:"made"`
	Before State   `json:"before"`
	Rounds []Round `json:"rounds"`
}

// Round is what one caller asked, and what was there afterwards.
type Round struct {
	Caller access.Caller  `json:"caller"`
	Asked  []access.Asked `json:"asked"`
	After  State          `json:"after"`
}

// State is what somebody with a key reads of what was made.
type State []Read

// Read is what an operation shows.
type Read struct {
	Operation string     `json:"operation"`
	Reply     host.Reply `json:"reply"`
}

// strangers has everybody without a right key ask for everything.
var strangers = &scenarios.Drive[Observation]{
	ID: "openintent/every-operation",
	Title: "makes an intent that waits, with all that can be made for it, and sends every operation of the contract, with every " +
		"parameter, without a key, with an empty one and with ones that a careless comparison would accept",
	Sends: []string{"POST /intents, three times", "POST /intents/{id}/state", "POST /intents/{id}/status",
		"every operation of the contract, without a key and with wrong ones, of what is there and of what never was",
		"GET of what was made, after each caller"},
	Dimensions: lacks(),
	Run: func(ctx context.Context, c *scenarios.Conn, o *Observation) {
		t, made := prepare(ctx, c)
		o.Made = made
		contract := scenarios.Get(Contract())
		o.Before = t.stands(ctx, contract, "before anybody asks")
		cells := access.Drawn(c, scenarios.Get(Table()), isRespond)
		for _, who := range access.InTurn(c) {
			if cells := access.By(who, cells); len(cells) > 0 {
				o.Rounds = append(o.Rounds, t.round(ctx, contract, who, cells))
			}
		}
	},
}

// round has a caller ask, and reads the things again.
func (t *things) round(ctx context.Context, contract *access.Contract, who access.Caller, cells []access.Cell) Round {
	o := Round{Caller: who}
	o.Asked = access.Ask(wire.Misfit(ctx, openintent.OIPREAD11), t.Conn, cells, func(cell access.Cell, missing bool) (q wire.Call, ok bool) {
		if q, ok = t.call(contract, cell.Way, missing); ok {
			q.Carries = who.Carries()
		}
		return q, ok
	}, func(reply *wire.Reply) {
		if reply.Text("/title") == t.strange { // an intent was made
			t.Again(reply.Text("/id"), "")
		}
	})
	if len(o.Asked) > 0 {
		access.OwnHeaders(t.Conn, o.Asked[0])
	}
	o.After = t.stands(ctx, contract, "after a caller "+string(who))
	return o
}

// crowded are operations whose answers change by what others do: other drives, or the server itself.
var crowded = []string{"listIntents", "listPortfolios", "listIntentEvents", "listPortfolioEvents"}

// stands reads what was made, by every operation that reads it.
func (t *things) stands(ctx context.Context, contract *access.Contract, when string) (s State) {
	var asks []wire.Call
	for _, w := range contract.Ways {
		call, ok := t.call(contract, w, false)
		mine := w.Name() == "listPortfolios with created_by" ||
			w.With == "" && (w.Operation == "listIntentEvents" || !slices.Contains(crowded, w.Operation))
		if ok && w.Method == http.MethodGet && mine && w.Secured && !w.Streams {
			call.Label = w.Operation + ", " + when
			asks = append(asks, call)
			s = append(s, Read{Operation: w.Operation})
		}
	}
	t.CatchUp(ctx)
	calls := make([]func(context.Context), len(asks))
	for i, call := range asks {
		calls[i] = func(ctx context.Context) { s[i].Reply = host.Replied(call.Label, t.Do(ctx, call)) }
	}
	for some := range slices.Chunk(calls, access.SideBySide) {
		t.AtOnce(ctx, some...)
	}
	return s
}
