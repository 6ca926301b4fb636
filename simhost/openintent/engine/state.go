package engine

import (
	"slices"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
)

// The statuses of intents.
const (
	Draft     = string(openintentv1.IntentStatusDraft)
	Active    = string(openintentv1.IntentStatusActive)
	Blocked   = string(openintentv1.IntentStatusBlocked)
	Suspended = string(openintentv1.IntentStatusSuspendedAwaitingInput)
	Completed = string(openintentv1.IntentStatusCompleted)
	Abandoned = string(openintentv1.IntentStatusAbandoned)
)

// Intent is an intent as it stands.
type Intent struct {
	ID          string                         `json:"id"`
	Title       string                         `json:"title"`
	Description *string                        `json:"description,omitempty"`
	CreatedBy   string                         `json:"created_by"`
	Parent      string                         `json:"parent,omitempty"`
	DependsOn   []string                       `json:"depends_on,omitempty"`
	Constraints map[string]any                 `json:"constraints,omitempty"`
	State       map[string]any                 `json:"state,omitempty"`
	Status      string                         `json:"status"`
	Version     int64                          `json:"version"`
	Governance  *openintentv1.GovernancePolicy `json:"governance,omitempty"`
	Abandonment string                         `json:"abandonment,omitempty"`
	Created     time.Time                      `json:"created"`
	Updated     time.Time                      `json:"updated"`

	Ahead          time.Duration `json:"ahead,omitempty"` // of the host's clock
	SuspendedSince time.Time     `json:"suspended_since,omitzero"`
	PausedBy       string        `json:"paused_by,omitempty"`
	Live           *Live         `json:"live,omitempty"`
}

// Portfolio is a portfolio as it stands.
type Portfolio struct {
	ID          string                         `json:"id"`
	Name        string                         `json:"name"`
	Description *string                        `json:"description,omitempty"`
	CreatedBy   string                         `json:"created_by"`
	Status      string                         `json:"status"`
	Governance  *openintentv1.GovernancePolicy `json:"governance,omitempty"`
	Deadline    time.Time                      `json:"deadline,omitzero"`
	Passed      bool                           `json:"passed,omitempty"`
	Members     []Membership                   `json:"members,omitempty"`
	Created     time.Time                      `json:"created"`
	Updated     time.Time                      `json:"updated"`
	Ahead       time.Duration                  `json:"ahead,omitempty"`
}

// Membership is an intent in a portfolio.
type Membership struct {
	ID     string    `json:"id"`
	Intent string    `json:"intent"`
	Role   string    `json:"role"`
	Added  time.Time `json:"added,omitzero"`
}

// Task is a task as it stands, in the words of the wire.
type Task = openintentv1.Task

// Plan is a plan as it stands, without its progress.
type Plan = openintentv1.Plan

// Coordinator is the lease of a coordinator.
type Coordinator = openintentv1.Coordinator

// Lease is who works on a part of an intent.
type Lease struct {
	ID       string    `json:"id"`
	Intent   string    `json:"intent"`
	Agent    string    `json:"agent"`
	Scope    string    `json:"scope"`
	Acquired time.Time `json:"acquired"`
	Expires  time.Time `json:"expires"`
	Released time.Time `json:"released,omitzero"`
}

// world is everything there is. It is nothing but the fold of the log.
type world struct {
	intents      map[string]*Intent
	portfolios   map[string]*Portfolio
	tasks        map[string]*Task
	plans        map[string]*Plan
	coordinators map[string]*Coordinator
	leases       map[string]*Lease

	// In the order in which they were made.
	intentIDs, portfolioIDs, taskIDs, planIDs, coordinatorIDs, leaseIDs []string

	children   map[string][]string // by parent
	dependents map[string][]string // by what they wait for
	events     map[string][]*Event // that are shown, by the intent or portfolio
	assigned   map[string][]Assignment
	toAgents   map[string][]*Event // of their intents, by the agent, from its assignment on
	waiting    map[string]bool     // intents with a suspension that waits
}

func newWorld() *world {
	return &world{
		intents: map[string]*Intent{}, portfolios: map[string]*Portfolio{}, tasks: map[string]*Task{}, plans: map[string]*Plan{},
		coordinators: map[string]*Coordinator{}, leases: map[string]*Lease{},
		children: map[string][]string{}, dependents: map[string][]string{}, events: map[string][]*Event{}, waiting: map[string]bool{},
		assigned: map[string][]Assignment{}, toAgents: map[string][]*Event{},
	}
}

// fold takes in an event.
func (w *world) fold(ev *Event) {
	if !ev.Hidden {
		switch {
		case ev.Intent != "":
			w.events[ev.Intent] = append(w.events[ev.Intent], ev)
		case ev.Portfolio != "":
			w.events[ev.Portfolio] = append(w.events[ev.Portfolio], ev)
		}
	}
	if ev.Intent != "" {
		w.foldAgents(ev)
	}
	if ev.Change == nil {
		return
	}
	if c := ev.Change; c.Intent != nil {
		w.made(c.Intent)
	} else if in := w.intents[ev.Intent]; in != nil {
		w.foldIntent(in, ev)
	}
	w.foldPortfolio(ev)
	w.foldWork(ev.Change)
	for id, ahead := range ev.Change.Ahead {
		if in := w.intents[id]; in != nil {
			in.Ahead = ahead
		}
		if p := w.portfolios[id]; p != nil {
			p.Ahead = ahead
		}
	}
}

// made takes in a new intent, a copy of its own: the event stays as it is.
func (w *world) made(made *Intent) {
	in := *made
	in.DependsOn = slices.Clone(made.DependsOn)
	in.State = copied(made.State)
	w.intents[in.ID] = &in
	w.intentIDs = append(w.intentIDs, in.ID)
	if in.Parent != "" {
		w.children[in.Parent] = append(w.children[in.Parent], in.ID)
	}
	for _, dep := range in.DependsOn {
		w.dependents[dep] = append(w.dependents[dep], in.ID)
	}
}

func (w *world) foldIntent(in *Intent, ev *Event) {
	c, version := ev.Change, in.Version
	if len(c.Patches) > 0 {
		in.State = patched(in.State, c.Patches)
		version++
	}
	if c.Move != nil {
		w.moved(in, c.Move, ev.At)
		version++
	}
	if c.Depend != "" {
		in.DependsOn = append(in.DependsOn, c.Depend)
		w.dependents[c.Depend] = append(w.dependents[c.Depend], in.ID)
		version++
	}
	if c.Release != "" {
		same := func(id string) bool { return id == c.Release }
		in.DependsOn = slices.DeleteFunc(in.DependsOn, same)
		w.dependents[c.Release] = slices.DeleteFunc(w.dependents[c.Release], func(id string) bool { return id == in.ID })
		version++
	}
	if c.Record != nil {
		in.State = copied(in.State)
		in.State[recordKey] = copied(c.Record)
		if !c.Quietly {
			version++
		}
	}
	w.foldSuspension(in, ev)
	if version != in.Version {
		in.Version, in.Updated = version, ev.At
	}
}

func (w *world) moved(in *Intent, m *Move, at time.Time) {
	if in.Status != Suspended && m.To == Suspended {
		in.SuspendedSince = at
	}
	in.Status, in.PausedBy = m.To, m.PausedBy
	if m.Abandonment != "" {
		in.Abandonment = m.Abandonment
	}
	if m.To != Suspended {
		in.Live, in.SuspendedSince = nil, time.Time{}
		delete(w.waiting, in.ID)
	}
}

func (w *world) foldSuspension(in *Intent, ev *Event) {
	c := ev.Change
	if c.Live != nil {
		live := *c.Live
		in.Live = &live
		w.waiting[in.ID] = true
	}
	if c.Attempt > 0 && in.Live != nil {
		in.Live.Attempt = c.Attempt
	}
	if c.Overtime {
		in.Live = nil
		delete(w.waiting, in.ID)
	}
}

func (w *world) foldPortfolio(ev *Event) {
	c := ev.Change
	if c.Portfolio != nil {
		if w.portfolios[c.Portfolio.ID] == nil {
			w.portfolioIDs = append(w.portfolioIDs, c.Portfolio.ID)
		}
		p := *c.Portfolio
		p.Members = slices.Clone(p.Members)
		w.portfolios[p.ID] = &p
	}
	p := w.portfolios[ev.Portfolio]
	if p == nil {
		return
	}
	if c.Join != nil {
		p.Members = append(p.Members, *c.Join)
	}
	if c.Leave != "" {
		p.Members = slices.DeleteFunc(p.Members, func(m Membership) bool { return m.Intent == c.Leave })
	}
	p.Passed = p.Passed || c.Passed
}

func (w *world) foldWork(c *Change) {
	if c.Task != nil {
		hold(w.tasks, &w.taskIDs, c.Task.ID, *c.Task)
	}
	if c.Plan != nil {
		hold(w.plans, &w.planIDs, c.Plan.ID, *c.Plan)
	}
	if c.Coordinator != nil {
		hold(w.coordinators, &w.coordinatorIDs, c.Coordinator.ID, *c.Coordinator)
	}
	if c.Lease != nil {
		hold(w.leases, &w.leaseIDs, c.Lease.ID, *c.Lease)
	}
}

// hold keeps what something is from now on, and the order in which such were made.
func hold[T any](all map[string]*T, order *[]string, id string, now T) {
	if all[id] == nil {
		*order = append(*order, id)
	}
	all[id] = &now
}
