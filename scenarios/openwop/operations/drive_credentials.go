package operations

import (
	"context"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/access"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Observation is what callers got who may not use what they asked for.
type Observation struct {
	Tenants host.Tenants `json:"tenants"` // zero unless another tenant asked
	Made    Made         `json:"made"`
	Before  State        `json:"before"`
	Rounds  []Round      `json:"rounds"`
}

// Round is what one caller asked, and what was there afterwards.
type Round struct {
	Caller access.Caller  `json:"caller"`
	Asked  []access.Asked `json:"asked"`
	After  State          `json:"after"`
}

// strangers has everybody without access ask for everything.
var strangers = &scenarios.Drive[Observation]{
	ID: "openwop/every-operation",
	Title: "makes a run, a run that waits, a file and a goal, and sends every operation of the contract, with every parameter, " +
		"without a credential, with an empty one and with ones that a careless comparison would accept",
	Sends: []string{"{create run}, four times", "{write file}", "{create goal}",
		"every operation of the contract, without a credential and with wrong ones, of what is there and of what never was",
		"{read run}, {poll log}, {read file}, {list files}, {read goal} and {list goals} after each caller"},
	Replies:    70,
	Uses:       []string{host.WorkspaceFiles},
	Dimensions: lacks,
	Run: func(ctx context.Context, c *scenarios.Conn, o *Observation) {
		h := host.Host{Conn: c}
		t, made := prepare(ctx, h)
		if o.Made = made; t.ended.ID == "" {
			return
		}
		defer t.files.Tidy(ctx)
		o.Before = t.stands(ctx, "before anybody asks")
		cells := access.Drawn(c, table(func(who access.Caller) bool { return who != access.Tenant }),
			func(w access.Way) bool { return w.In(token) })
		for _, who := range access.InTurn(c) {
			if cells := access.By(who, cells); len(cells) > 0 {
				o.Rounds = append(o.Rounds, t.round(ctx, h, who, cells))
			}
		}
	},
}

// table returns what some callers ask.
func table(of func(access.Caller) bool) (cells []access.Cell) {
	for _, c := range scenarios.Get(Table()) {
		if c.Reason == "" && of(c.Caller) {
			cells = append(cells, c)
		}
	}
	return cells
}

// otherTenant has another tenant ask for everything.
var otherTenant = &scenarios.Drive[Observation]{
	ID: "openwop/every-operation-of-another-tenant",
	Title: "makes a run, a run that waits, a file and a goal, and has another tenant send every operation of the contract for them " +
		"and for ones that do not exist",
	Sends: []string{host.SendsTenants, "{create run}, four times", "{write file}", "{create goal}",
		"as the other tenant: every operation of the contract, of what is there and of what never was",
		"{read run}, {poll log}, {read file}, {list files}, {read goal} and {list goals}"},
	Replies:    50,
	Uses:       []string{host.WorkspaceFiles},
	Dimensions: lacks,
	Run: func(ctx context.Context, c *scenarios.Conn, o *Observation) {
		h := host.Host{Conn: c}
		tenants, made := h.TwoTenants(ctx)
		o.Tenants = made
		var t *things
		if t, o.Made = prepare(ctx, h); t.ended.ID == "" {
			return
		}
		defer t.files.Tidy(ctx)
		o.Before = t.stands(ctx, "before the other tenant asks")
		cells := table(func(who access.Caller) bool { return who == access.Tenant })
		o.Rounds = []Round{t.round(ctx, tenants.Other, access.Tenant, cells)}
	},
}

// round has a caller ask, over h, and reads the things again.
func (t *things) round(ctx context.Context, h host.Host, who access.Caller, cells []access.Cell) Round {
	contract := scenarios.Get(Contract())
	asking := wire.Misfit(ctx, string(rule(who)))
	o := Round{Caller: who}
	o.Asked = access.Ask(asking, h.Conn, cells, func(cell access.Cell, missing bool) (q wire.Call, ok bool) {
		if cell.Way.In(token) {
			return t.callByToken(contract, cell, missing)
		}
		if missing && (cell.Way.With != "" || ownedBy(cell.Way) == "") {
			return q, false
		}
		if q, ok = t.call(contract, cell.Way, nil, missing); ok {
			q.Carries = who.Carries()
		}
		return q, ok
	}, func(reply *wire.Reply) { h.Adopt(reply) })
	if len(o.Asked) > 0 && who != access.Tenant {
		access.OwnHeaders(h.Conn, o.Asked[0])
	}
	o.After = t.stands(ctx, "after a caller "+string(who))
	return o
}

// rule is the requirement for whose sake a caller's requests do not fit the contract.
func rule(who access.Caller) scenarios.RequirementID {
	if who.Keyless() {
		return openwop.OWPERR1
	}
	return openwop.OWPERR2
}

// callByToken returns the request of a way whose credential is a token in its path.
func (t *things) callByToken(contract *access.Contract, cell access.Cell, missing bool) (q wire.Call, ok bool) {
	wrong := map[access.Caller]string{access.Expired: t.spent, access.Another: t.forged}[cell.Caller]
	switch cell.Caller {
	case access.Malformed:
		wrong = t.Marker()
	case access.Unknown, access.Longer, access.Shorter, access.Cased:
		wrong = cell.Caller.Carries().Of(t.token, t.spent)
	}
	if t.token == "" || wrong == "" || missing {
		return q, false
	}
	t.Redactor().Hide(wrong)
	q, ok = t.call(contract, cell.Way, func(name string) (any, bool) { return wrong, name == token }, false)
	q.Anonymous, q.Secrets = true, []string{"/token", "/interruptToken"}
	return q, ok
}
