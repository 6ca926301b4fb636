package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/openintent/suspension"
)

// CreatePortfolio makes a portfolio.
func (e *Engine) CreatePortfolio(ctx context.Context, by Caller,
	r openintentv1.CreatePortfolioRequest) (doc openintentv1.Portfolio, err error) {
	governance := r.GovernancePolicy
	if governance == nil {
		governance = r.Governance
	}
	var deadline time.Time
	for _, g := range []*openintentv1.GovernancePolicy{r.GovernancePolicy, r.Governance} {
		if g != nil && g.Deadline != nil && *g.Deadline != "" {
			if deadline, err = suspension.ReadTime(*g.Deadline); err != nil {
				return doc, unfit("governance_policy.deadline: %v", err)
			}
			break
		}
	}
	err = e.do(ctx, func(t *tx) error {
		now := t.now("", "")
		if !deadline.IsZero() && deadline.Before(now.Add(t.o.LeastTime)) && t.o.LeastTime > 0 {
			return unfit("governance_policy.deadline: must be %s away at least", t.o.LeastTime)
		}
		p := &Portfolio{
			ID: t.newID(), Name: r.Name, Description: r.Description, CreatedBy: r.CreatedBy, Status: "active",
			Governance: governance, Deadline: deadline, Created: now, Updated: now,
		}
		t.emit(&Event{
			Type: "portfolio_created", Portfolio: p.ID, Actor: by.Name, At: now,
			Payload: map[string]any{"name": p.Name}, Change: &Change{Portfolio: p},
		})
		doc = portfolioDoc(t.Engine, t.w, t.w.portfolios[p.ID])
		return nil
	})
	return doc, err
}

// SetPortfolioStatus is its owner's word.
func (e *Engine) SetPortfolioStatus(ctx context.Context, by Caller, id, status string) (doc openintentv1.Portfolio, err error) {
	err = e.do(ctx, func(t *tx) error {
		p := t.w.portfolios[id]
		if p == nil {
			return notFound("portfolio", id)
		}
		now := *p
		now.Status, now.Updated = status, t.now("", id)
		t.emit(&Event{
			Type: "status_changed", Portfolio: id, Actor: by.Name,
			Payload: map[string]any{"portfolio_id": id, "portfolio_status": status}, Change: &Change{Portfolio: &now},
		})
		doc = portfolioDoc(t.Engine, t.w, t.w.portfolios[id])
		return nil
	})
	return doc, err
}

// AddMember puts an intent into a portfolio; twice is no error, and counts once.
func (e *Engine) AddMember(ctx context.Context, by Caller, id, intent, role string) (m Membership, err error) {
	err = e.do(ctx, func(t *tx) error {
		switch {
		case t.w.portfolios[id] == nil:
			return notFound("portfolio", id)
		case t.w.intents[intent] == nil:
			return notFound("intent", intent)
		}
		m = Membership{ID: t.newID(), Intent: intent, Role: or(role, string(openintentv1.MembershipRoleMember)), Added: t.now("", id)}
		t.emit(&Event{
			Type: "added_to_portfolio", Portfolio: id, Actor: by.Name, At: m.Added,
			Payload: map[string]any{"intent_id": intent, "membership_id": m.ID}, Change: &Change{Join: &m},
		})
		return nil
	})
	return m, err
}

// RemoveMember takes an intent out of a portfolio.
func (e *Engine) RemoveMember(ctx context.Context, by Caller, id, intent string) error {
	return e.do(ctx, func(t *tx) error {
		p := t.w.portfolios[id]
		if p == nil {
			return notFound("portfolio", id)
		}
		if !slices.ContainsFunc(p.Members, func(m Membership) bool { return m.Intent == intent }) {
			return notFound("member", intent)
		}
		t.emit(&Event{
			Type: "removed_from_portfolio", Portfolio: id, Actor: by.Name, Payload: map[string]any{"intent_id": intent},
			Change: &Change{Leave: intent},
		})
		return nil
	})
}

// Portfolio is a portfolio as it stands, with its members counted.
func (e *Engine) Portfolio(ctx context.Context, id string) (doc openintentv1.Portfolio, err error) {
	err = e.view(ctx, func(w *world) error {
		p := w.portfolios[id]
		if p == nil {
			return notFound("portfolio", id)
		}
		doc = portfolioDoc(e, w, p)
		return nil
	})
	return doc, err
}

// PortfolioFilter chooses portfolios; what is empty does not matter.
type PortfolioFilter struct{ CreatedBy, Member string }

// Portfolios are those that a filter chooses, oldest first.
func (e *Engine) Portfolios(ctx context.Context, f PortfolioFilter) (docs []openintentv1.Portfolio, err error) {
	err = e.view(ctx, func(w *world) error {
		docs = []openintentv1.Portfolio{}
		if f.Member != "" && w.intents[f.Member] == nil {
			return notFound("intent", f.Member)
		}
		for _, id := range w.portfolioIDs {
			p := w.portfolios[id]
			if f.CreatedBy != "" && p.CreatedBy != f.CreatedBy {
				continue
			}
			if f.Member != "" && !slices.ContainsFunc(p.Members, func(m Membership) bool { return m.Intent == f.Member }) {
				continue
			}
			docs = append(docs, portfolioDoc(e, w, p))
		}
		return nil
	})
	return docs, err
}

// Members are the intents of a portfolio, each once.
func (e *Engine) Members(ctx context.Context, id string) (docs []openintentv1.Intent, err error) {
	err = e.view(ctx, func(w *world) error {
		p := w.portfolios[id]
		if p == nil {
			return notFound("portfolio", id)
		}
		docs = []openintentv1.Intent{}
		for _, member := range p.counted(e.rules.Containers) {
			docs = append(docs, w.intentDoc(w.intents[member]))
		}
		return nil
	})
	return docs, err
}

func portfolioDoc(e *Engine, w *world, p *Portfolio) openintentv1.Portfolio {
	members := p.counted(e.rules.Containers)
	statuses := w.statuses(members)
	has, count := e.flags(p)
	total := int64(len(members))
	doc := openintentv1.Portfolio{
		ID: p.ID, Name: p.Name, Description: p.Description, CreatedBy: orNil(p.CreatedBy), Status: p.Status, GovernancePolicy: p.Governance,
		AggregateStatus: &openintentv1.PortfolioAggregate{
			Status: aggregateOf(statuses), Total: &total, ByStatus: countEach(statuses),
		},
		HasSuspendedMembers: &has, SuspendedMemberCount: &count,
		CreatedAt: stamp(p.Created), UpdatedAt: stamp(p.Updated),
	}
	if e.offers(Workflows) {
		doc.Progress = &openintentv1.PortfolioProgress{SuspendedPhases: w.phases(members)}
	}
	return doc
}

// aggregateOf is the table of RFC-0026 section 2, rule 4. A portfolio of nothing has completed nothing.
func aggregateOf(statuses []string) openintentv1.AggregateWord {
	switch {
	case slices.Contains(statuses, Abandoned):
		return openintentv1.AggregateWordFailed
	case len(statuses) > 0 && rules.AllCompleted(statuses):
		return openintentv1.AggregateWordCompleted
	}
	return openintentv1.AggregateWordInProgress
}

// phases are the members that wait for a person, as the phases of the workflow that the portfolio stands for (rule 4).
func (w *world) phases(members []string) []openintentv1.SuspendedPhase {
	out := []openintentv1.SuspendedPhase{}
	for _, id := range members {
		if in := w.intents[id]; in.Status == Suspended {
			out = append(out, openintentv1.SuspendedPhase{
				PhaseName: w.phaseName(in, members), IntentID: id,
				SuspendedSince: stamp(in.SuspendedSince), ExpiresAt: in.expires(),
			})
		}
	}
	return out
}

// phaseName is what the phases of a workflow call one of them: by the name that one of them has for its title, else by the title.
func (w *world) phaseName(in *Intent, phases []string) string {
	for _, id := range phases {
		if name, ok := phaseNames(w.intents[id])[in.Title]; ok {
			return name
		}
	}
	return in.Title
}

// phaseNames is _io_dep_title_to_name of an intent: the names of phases by their titles.
func phaseNames(in *Intent) map[string]string {
	out := map[string]string{}
	names, _ := in.State["_io_dep_title_to_name"].(map[string]any)
	for title, v := range names {
		if name, ok := v.(string); ok {
			out[title] = name
		}
	}
	return out
}

// inputs are the declared inputs of a phase: by their local keys, the phase and the key that each comes from. What comes from
// the trigger or the initial state is not among them.
func inputs(declared any) map[string][2]string {
	out := map[string][2]string{}
	all, _ := declared.(map[string]any)
	for local, v := range all {
		from, _ := v.(string)
		if phase, key, ok := strings.Cut(from, "."); ok && !strings.HasPrefix(from, "$") {
			out[local] = [2]string{phase, key}
		}
	}
	return out
}

// expires is until when an intent waits for a person.
func (in *Intent) expires() *string {
	if r, ok := in.record(); ok && in.Live != nil {
		return orNil(r.ExpiresAt)
	}
	return nil
}
