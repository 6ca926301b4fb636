package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/openintent/suspension"
)

func (w *world) intentDoc(in *Intent) openintentv1.Intent {
	zero := 0.0
	doc := openintentv1.Intent{
		ID: in.ID, Title: in.Title, Description: in.Description, CreatedBy: orNil(in.CreatedBy), ParentID: orNil(in.Parent),
		ParentIntentID: orNil(in.Parent),
		DependsOn:      append([]string{}, in.DependsOn...), Constraints: in.Constraints, State: map[string]json.RawMessage{},
		Status: openintentv1.IntentStatus(in.Status), Version: in.Version, GovernancePolicy: in.Governance,
		AbandonmentReason: orNil(in.Abandonment),
		CreatedAt:         stamp(in.Created), UpdatedAt: stamp(in.Updated), Confidence: &zero,
	}
	for key, v := range in.State {
		if key == recordKey {
			v = suspension.Hide(v)
		}
		raw, err := json.Marshal(v)
		if err != nil {
			raw = []byte("null") // it came in as JSON
		}
		doc.State[key] = raw
	}
	return doc
}

// Intent is an intent as it stands, with its children counted where it has any.
func (e *Engine) Intent(ctx context.Context, id string) (doc openintentv1.Intent, err error) {
	err = e.view(ctx, func(w *world) error {
		in := w.intents[id]
		if in == nil {
			return notFound("intent", id)
		}
		doc = w.intentDoc(in)
		if below := w.children[id]; len(below) > 0 {
			doc.AggregateStatus = w.aggregate(below)
		}
		return nil
	})
	return doc, err
}

// Intents are those in a status, "" being any, oldest first.
func (e *Engine) Intents(ctx context.Context, status string, offset, limit int) (docs []openintentv1.Intent, err error) {
	err = e.view(ctx, func(w *world) error {
		docs = []openintentv1.Intent{}
		for _, id := range w.intentIDs {
			switch in := w.intents[id]; {
			case status != "" && in.Status != status:
			case offset > 0:
				offset--
			case len(docs) < limit:
				docs = append(docs, w.intentDoc(in))
			}
		}
		return nil
	})
	return docs, err
}

// doc is an event as the protocol shows it.
func (ev *Event) doc() openintentv1.Event {
	payload := ev.Payload
	if payload == nil {
		payload = map[string]any{}
	}
	raw, err := json.Marshal(suspension.Hide(payload))
	if err != nil {
		raw = []byte("{}") // it came in as JSON, or is made of texts and numbers
	}
	return openintentv1.Event{
		ID: ev.ID, EventType: ev.Type, IntentID: orNil(ev.Intent), PortfolioID: orNil(ev.Portfolio), Actor: orNil(ev.Actor),
		CreatedAt: stamp(ev.At), Payload: raw,
	}
}

// Select chooses events; what is empty does not matter, but Limit.
type Select struct {
	Type          string
	Since         time.Time // and later
	Offset, Limit int
}

func (c Select) takes(ev *Event) bool {
	return (c.Type == "" || ev.Type == c.Type) && !ev.At.Before(c.Since)
}

// Events is a part of a log, newest first.
func (e *Engine) Events(ctx context.Context, of Feed, c Select) (docs []openintentv1.Event, err error) {
	err = e.view(ctx, func(w *world) error {
		list, err := w.log(of)
		if err != nil {
			return err
		}
		docs = []openintentv1.Event{}
		for i := len(list) - 1; i >= 0 && len(docs) < c.Limit; i-- {
			switch ev := list[i]; {
			case !c.takes(ev):
			case c.Offset > 0:
				c.Offset--
			default:
				docs = append(docs, ev.doc())
			}
		}
		return nil
	})
	return docs, err
}

// Feed names a log: of an intent, of a portfolio, or of the intents that an agent is assigned to.
type Feed struct{ Intent, Portfolio, Agent string }

func (w *world) log(of Feed) ([]*Event, error) {
	switch {
	case of.Agent != "":
		return w.toAgents[of.Agent], nil // nobody registers agents, so that any may listen
	case of.Intent != "" && w.intents[of.Intent] == nil:
		return nil, notFound("intent", of.Intent)
	case of.Intent != "":
		return w.events[of.Intent], nil
	case w.portfolios[of.Portfolio] == nil:
		return nil, notFound("portfolio", of.Portfolio)
	}
	return w.events[of.Portfolio], nil
}

// Watch calls see with every event of a feed that is put on its log after ready was called, in order, until
// see fails, ctx ends or the engine is closed.
func (e *Engine) Watch(ctx context.Context, of Feed, ready func() error, see func([]openintentv1.Event) error) error {
	seen := -1
	for {
		var fresh []openintentv1.Event
		var changed chan struct{}
		err := e.view(ctx, func(w *world) error {
			list, err := w.log(of)
			if err != nil {
				return err
			}
			changed = e.changed
			if seen >= 0 {
				for _, ev := range list[min(seen, len(list)):] {
					fresh = append(fresh, ev.doc())
				}
			}
			if seen < 0 {
				seen = -2 - len(list)
			} else {
				seen = len(list)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if seen < 0 {
			seen = -2 - seen
			if err := ready(); err != nil {
				return err
			}
		}
		if len(fresh) > 0 {
			if err := see(fresh); err != nil {
				return err
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
